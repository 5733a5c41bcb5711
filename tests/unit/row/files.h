/* files.h: files and pipes for the tests of readers and writers. */
#ifndef TESTS_UNIT_ROW_FILES_H
#define TESTS_UNIT_ROW_FILES_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"

static char files_folder[] = "/tmp/wai-test-XXXXXX";

static inline int files_setup(void **state)
{
    (void)state;
    return mkdtemp(files_folder) ? chdir(files_folder) : -1;
}

static inline int files_teardown(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", files_folder);
    return chdir("/") == 0 && strlen(files_folder) > 10 ? system(command) : -1;
}

static inline void file_put(const char *name, struct span bytes)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (size_t at = 0; at < bytes.len;) {
        ssize_t n = write(fd, bytes.ptr + at, bytes.len - at);
        if (n <= 0)
            abort();
        at += (size_t)n;
    }
    close(fd);
}

static inline struct buf file_get(const char *name)
{
    struct buf out = {0};
    int fd = open(name, O_RDONLY);
    ssize_t n = 1;
    while (fd >= 0 && n > 0) {
        n = read(fd, buf_reserve(&out, 1 << 16), 1 << 16);
        out.len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    buf_cstr(&out);
    return out;
}

/* One zstd frame of the bytes, appended to out. */
static inline void zstd_add(struct buf *out, struct span bytes)
{
    size_t room = ZSTD_compressBound(bytes.len);
    size_t n = ZSTD_compress(buf_reserve(out, room), room, bytes.ptr, bytes.len, 3);
    if (ZSTD_isError(n))
        abort();
    out->len += n;
}

#endif
