/* A fuzz target as an ordinary program: every file of its corpus, whole, cut short and with single
 * bytes changed (always the same ones). `make fuzz` explores; this keeps what was found from coming
 * back.
 *
 *     fuzz_NAME FILE|FOLDER ...
 *
 * A failure is a crash, a sanitizer's report or an abort. Last line: `N passed, N failed`. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    INPUT_MAX = 16 << 20, /* bytes of a seed */
    VARIANTS = 64,        /* cuts and changes of a seed */
};

static unsigned passed;

/* The target gets a block of exactly that size, so that a sanitizer sees a read beyond it. */
static void give(const char *bytes, size_t size)
{
    uint8_t *copy = mem_copy(bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay_file(const char *path)
{
    struct buf text = {0};
    struct error error;
    if (file_read(path, INPUT_MAX, &text, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    give(text.data, text.len);
    for (size_t i = 0; i < VARIANTS && text.len; i++) {
        give(text.data, text.len * i / VARIANTS);
        size_t at = text.len * i / VARIANTS;
        char kept = text.data[at];
        text.data[at] = (char)(kept ^ (1 << i % 8));
        give(text.data, text.len);
        text.data[at] = kept;
    }
    passed++;
    buf_free(&text);
}

static void replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct buf file = {0};
        buf_format(&file, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay_file(buf_cstr(&file));
        buf_free(&file);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
            replay_folder(argv[i]);
        else
            replay_file(argv[i]);
    }
    if (!passed)
        fprintf(stderr, "%s: no corpus\n", argv[0]);
    printf("%u passed, %d failed\n", passed, passed == 0);
    return passed == 0;
}
