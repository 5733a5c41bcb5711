/* decontam_image.c: the index as one run of bytes: where its parts lie, saving, mapping, and the check of a
 * file that anyone may have written. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "select/decontam_index.h"
#include "text/digest.h"
#include "text/utf8.h"

/* ---- where the parts lie --------------------------------------------------------------------------- */

/* Walks over an image; a part that does not fit fails it for good. */
struct walk {
    char *image; /* NULL: only counts */
    size_t at;
    bool failed;
};

static void *take(struct walk *w, uint64_t count, size_t size)
{
    size_t bytes, end;
    void *part = w->image && !w->failed ? w->image + w->at : NULL;
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, 7, &bytes) ||
        __builtin_add_overflow(w->at, bytes & ~(size_t)7, &end))
        w->failed = true;
    else
        w->at = end;
    return w->failed ? NULL : part;
}

static void take_table(struct walk *w, struct decontam_table *table, uint64_t count,
                       uint64_t n_slots, uint64_t bytes)
{
    if (count >= DECONTAM_NONE)
        w->failed = true;
    table->count = count;
    table->n_slots = n_slots;
    table->at = take(w, count + 1, sizeof *table->at);
    table->slots = take(w, n_slots, sizeof *table->slots);
    table->bytes = take(w, bytes, 1);
}

bool decontam_image_place(struct decontam_index *index, const struct decontam_header *h,
                          char *image, size_t size, size_t *need)
{
    /* Two walks: no pointer is made before all of it is known to fit. */
    for (int real = 0; real <= 1; real++) {
        struct walk w = {.image = real ? image : NULL, .at = sizeof *h};
        struct decontam_table *tables[] = {&index->tasks, &index->texts, &index->wordless,
                                           &index->words, &index->prompts};
        for (size_t i = 0; i < 5; i++)
            take_table(&w, tables[i], h->tables[i].count, h->tables[i].n_slots, h->tables[i].bytes);
        index->prompt_task = take(&w, h->tables[4].count, sizeof *index->prompt_task);
        index->ids = take(&w, h->n_ids, sizeof *index->ids);
        index->gram_at = take(&w, h->n_grams, sizeof *index->gram_at);
        index->gram_list = take(&w, h->n_grams, sizeof *index->gram_list);
        index->slots = take(&w, h->n_slots, sizeof *index->slots);
        index->lists = take(&w, h->n_lists, sizeof *index->lists);
        index->members = take(&w, h->n_members, sizeof *index->members);
        if (need)
            *need = w.at;
        if (w.failed)
            return false;
        if (!image)
            return true;
        if (w.at != size)
            return false;
    }
    index->n = (size_t)h->n;
    index->tokens = (enum decontam_tokens)h->tokens;
    memcpy(index->key, h->key, sizeof index->key);
    index->rows = h->rows;
    index->rows_with_task = h->rows_with_task;
    index->n_ids = h->n_ids;
    index->n_grams = h->n_grams;
    index->n_slots = h->n_slots;
    index->n_lists = h->n_lists;
    index->n_members = h->n_members;
    index->hash = decontam_hash_make(index->n, index->key[0]);
    index->image = image;
    index->size = size;
    return true;
}

void decontam_image_digest(const char *image, size_t size, uint8_t out[32])
{
    size_t from = offsetof(struct decontam_header, digest) + SHA256_BYTES;
    digest_sha256(span_make(image + from, size - from), out);
}

/* ---- is it an index? ------------------------------------------------------------------------------- */

/* A table that a look-up cannot run round in for ever, and whose numbers are of things that are there. */
static bool slots_good(const struct decontam_slot *slots, uint64_t n_slots, uint64_t count)
{
    uint64_t used = 0;
    if (n_slots < 2 || (n_slots & (n_slots - 1)))
        return false;
    for (uint64_t i = 0; i < n_slots; i++) {
        used += slots[i].number != 0;
        if (slots[i].number > count)
            return false;
    }
    return used == count && used < n_slots;
}

/* UTF-8, lone surrogates allowed: what a row's texts are. */
static bool text_good(struct span text)
{
    for (size_t at = 0, next = 0; at < text.len; at = next) {
        uint32_t c = utf8_next(text, &next);
        if (c >= 0xdc80 && c <= 0xdcff && next == at + 1)
            return false;
    }
    return true;
}

static bool table_good(const struct decontam_table *table, uint64_t bytes, bool slots)
{
    if (table->at[0] != 0 || table->at[table->count] != bytes)
        return false;
    for (uint64_t i = 0; i < table->count; i++)
        if (table->at[i] > table->at[i + 1])
            return false;
    for (uint64_t i = 0; i < table->count; i++)
        if (!text_good(decontam_string(table, i)))
            return false;
    return slots ? slots_good(table->slots, table->n_slots, table->count) : table->n_slots == 0;
}

static bool all_under(const uint32_t *numbers, uint64_t n, uint64_t limit)
{
    for (uint64_t i = 0; i < n; i++)
        if (numbers[i] >= limit)
            return false;
    return true;
}

static bool lists_good(const struct decontam_index *index)
{
    for (uint64_t i = 0; i < index->n_lists; i++) {
        struct decontam_list list = index->lists[i];
        if (!list.count || list.at > index->n_members || list.count > index->n_members - list.at)
            return false;
        for (uint32_t k = 1; k < list.count; k++)
            if (index->members[list.at + k - 1] >= index->members[list.at + k])
                return false;
    }
    return true;
}

static bool image_good(const struct decontam_index *index, const struct decontam_header *h)
{
    const struct decontam_table *tables[] = {&index->tasks, &index->texts, &index->wordless,
                                             &index->words, &index->prompts};
    for (size_t i = 0; i < 5; i++)
        if (!table_good(tables[i], h->tables[i].bytes, i < 4))
            return false;
    for (uint64_t g = 0; g < index->n_grams; g++)
        if (index->n > index->n_ids || index->gram_at[g] > index->n_ids - index->n)
            return false;
    return index->n_ids < DECONTAM_NONE && index->n_grams < DECONTAM_NONE &&
           index->n_members < DECONTAM_NONE && index->rows_with_task <= index->rows &&
           index->rows <= INT64_MAX &&
           all_under(index->prompt_task, index->prompts.count, index->tasks.count + 1) &&
           all_under(index->ids, index->n_ids, index->words.count) &&
           all_under(index->gram_list, index->n_grams, index->n_lists) &&
           all_under(index->members, index->n_members, index->texts.count) &&
           slots_good(index->slots, index->n_slots, index->n_grams) && lists_good(index);
}

/* image: taken over when it is an index. */
static int take_image(struct decontam_index *index, char *image, size_t size, const char *name,
                      struct error *error)
{
    struct decontam_header h;
    uint8_t digest[SHA256_BYTES];
    if (size < sizeof h || memcmp(image, DECONTAM_MAGIC, sizeof h.magic) != 0)
        return error_set(error, ERROR_INPUT,
                         "%s: no index of wai-decontam; write it with --index-out", name);
    memcpy(&h, image, sizeof h);
    if (h.order != 1)
        return error_set(error, ERROR_INPUT,
                         "%s: the index is of a machine of another byte order; write it here with "
                         "--index-out",
                         name);
    if (h.n < 1 || h.n > DECONTAM_WORDS_MAX || h.tokens > DECONTAM_UNICODE ||
        !decontam_image_place(index, &h, image, size, NULL))
        return error_set(error, ERROR_INPUT,
                         "%s: the index was cut or changed; write it again with --index-out", name);
    decontam_image_digest(image, size, digest);
    if (memcmp(digest, h.digest, sizeof digest) != 0 || !image_good(index, &h))
        return error_set(error, ERROR_INPUT,
                         "%s: the index is damaged; write it again with --index-out", name);
    return 0;
}

/* ---- to and from files ----------------------------------------------------------------------------- */

int decontam_index_save(const struct decontam_index *index, const char *path, struct error *error)
{
    return file_save(path, span_make(index->image, index->size), error);
}

struct decontam_index *decontam_index_read(struct span bytes, const char *name, struct error *error)
{
    struct decontam_index *index = mem_zero(1, sizeof *index);
    char *image = mem_alloc(bytes.len + 1);
    if (bytes.len)
        memcpy(image, bytes.ptr, bytes.len);
    if (take_image(index, image, bytes.len, name, error) == 0)
        return index;
    free(image);
    free(index);
    return NULL;
}

struct decontam_index *decontam_index_open(const char *path, struct error *error)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(error, ERROR_INPUT, "%s: cannot be read", path);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    char *image = MAP_FAILED;
    if (!S_ISREG(info.st_mode))
        error_set(error, ERROR_INPUT, "%s: an index is mapped, so it must be a file", path);
    else if (info.st_size < (off_t)sizeof(struct decontam_header))
        error_set(error, ERROR_INPUT, "%s: no index of wai-decontam; write it with --index-out",
                  path);
    else if ((image = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) ==
             MAP_FAILED)
        error_errno(error, ERROR_SYSTEM, "%s: cannot be mapped", path);
    close(fd);
    if (image == MAP_FAILED)
        return NULL;
    struct decontam_index *index = mem_zero(1, sizeof *index);
    index->mapped = true;
    if (take_image(index, image, (size_t)info.st_size, path, error) == 0)
        return index;
    munmap(image, (size_t)info.st_size);
    free(index);
    return NULL;
}
