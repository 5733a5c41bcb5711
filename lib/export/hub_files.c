/* hub_files.c: what a push sends: the files of its sources with their names in the repository. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "export/defaults.h"
#include "export/hub_inside.h"
#include "row/filter.h"
#include "text/utf8.h"

enum { FOLDERS_DEEP = 64 };

bool hub_readable(struct span path)
{
    if (!path.len || !utf8_valid(path))
        return false;
    for (size_t i = 0; i < path.len; i++)
        if ((unsigned char)path.ptr[i] < ' ' || path.ptr[i] == '\\' || path.ptr[i] == 127)
            return false;
    return true;
}

static int add_file(struct hub_files *files, const char *source, struct span path, uint64_t size,
                    struct error *error)
{
    if (!hub_readable(path))
        return error_set(error, ERROR_INPUT,
                         "%s: the name holds what the Hub takes in no path; rename it", source);
    if (files->count == HUB_FILES_MOST)
        return error_set(error, ERROR_INPUT, "more than %d files; push an archive of them",
                         HUB_FILES_MOST);
    files->items = mem_grow(files->items, &files->cap, files->count + 1, sizeof *files->items);
    files->items[files->count++] = (struct hub_file){.path = arena_span(&files->arena, path),
                                                     .source = arena_text(&files->arena, source),
                                                     .size = size};
    return 0;
}

static int add_folder(struct hub_files *files, struct buf *path, size_t root, int depth,
                      struct error *error);

/* One entry of a folder; links to files are followed, links to folders are not. */
static int add_entry(struct hub_files *files, struct buf *path, size_t root, int depth,
                     struct error *error)
{
    struct stat link, there;
    struct span inside = span_slice(buf_span(path), root, path->len);
    if (lstat(buf_cstr(path), &link) != 0 || stat(path->data, &there) != 0)
        return error_errno(error, ERROR_INPUT, "%s", path->data);
    if (S_ISREG(there.st_mode))
        return add_file(files, path->data, inside, (uint64_t)there.st_size, error);
    if (S_ISLNK(link.st_mode) || !S_ISDIR(there.st_mode) || span_is(inside, ".git") ||
        span_is(inside, ".cache/huggingface"))
        return 0;
    return add_folder(files, path, root, depth + 1, error);
}

static int add_folder(struct hub_files *files, struct buf *path, size_t root, int depth,
                      struct error *error)
{
    DIR *folder = depth < FOLDERS_DEEP ? opendir(buf_cstr(path)) : NULL;
    struct dirent *entry;
    int code = 0;
    if (!folder)
        return depth < FOLDERS_DEEP
                   ? error_errno(error, ERROR_INPUT, "%s", buf_cstr(path))
                   : error_set(error, ERROR_INPUT, "%s: folders too deep", buf_cstr(path));
    size_t len = path->len;
    while (code == 0 && (errno = 0, entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        buf_byte(path, '/');
        buf_text(path, entry->d_name);
        code = add_entry(files, path, depth ? root : len + 1, depth, error);
        path->len = len;
    }
    if (code == 0 && errno)
        code = error_errno(error, ERROR_INPUT, "%s", buf_cstr(path));
    closedir(folder);
    return code;
}

static int keep_row(void *context, int worker, const struct row *row, struct row_result *result,
                    struct error *error)
{
    (void)context, (void)worker, (void)row, (void)error;
    result->fate = ROW_KEEP;
    return 0;
}

/* Rows on standard input, each of them read, into a file of their own. */
static int add_rows(struct hub_files *files, struct error *error)
{
    struct buf path = {0};
    struct stat there;
    struct row_counts counts = {0};
    struct row_filter filter = {.source = {.options = ROW_OPTIONS_DEFAULT}, .work = keep_row};
    int code = scratch_make(&files->scratch, error);
    if (code < 0)
        return code;
    buf_span_add(&path, buf_span(&files->scratch));
    buf_text(&path, "/train.jsonl");
    filter.writer = row_writer_open(buf_cstr(&path), error);
    code = filter.writer ? row_filter_run(&filter, &counts, error) : error->code;
    if (code == 0)
        code = row_writer_close(filter.writer, error);
    else if (filter.writer)
        row_writer_abandon(filter.writer);
    if (code == 0 && counts.rows == 0)
        code = error_set(error, ERROR_INPUT, "no row arrived; there is nothing to push");
    if (code == 0 && stat(buf_cstr(&path), &there) != 0)
        code = error_errno(error, ERROR_SYSTEM, "%s", buf_cstr(&path));
    if (code == 0)
        code =
            add_file(files, buf_cstr(&path), SPAN("train.jsonl"), (uint64_t)there.st_size, error);
    buf_free(&path);
    return code;
}

static int add_source(const char *source, struct hub_files *files, struct error *error)
{
    struct stat there;
    struct buf path = {0};
    int code = 0;
    if (strcmp(source, "-") == 0)
        return add_rows(files, error);
    if (stat(source, &there) != 0)
        return error_errno(error, ERROR_INPUT, "%s", source);
    buf_text(&path, source);
    if (S_ISDIR(there.st_mode)) {
        while (path.len > 1 && path.data[path.len - 1] == '/')
            path.len--;
        code = add_folder(files, &path, 0, 0, error);
    } else if (S_ISREG(there.st_mode)) {
        const char *slash = strrchr(source, '/');
        code = add_file(files, source, span_text(slash ? slash + 1 : source),
                        (uint64_t)there.st_size, error);
    } else {
        code = error_set(error, ERROR_INPUT,
                         "%s is neither a file nor a folder; write rows to a file first, or pipe "
                         "them in and name - instead",
                         source);
    }
    buf_free(&path);
    return code;
}

int hub_by_path(const void *left, const void *right)
{
    const struct hub_file *a = left, *b = right;
    return span_compare(a->path, b->path);
}

int hub_files_list(const struct hub_push *push, struct hub_files *files, struct error *error)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < push->n_sources; i++)
        code = add_source(push->sources[i], files, error);
    if (code == 0 && files->count == 0)
        code = error_set(error, ERROR_INPUT, "%s: no file in it; there is nothing to push",
                         push->sources[0]);
    if (code < 0)
        return code;
    qsort(files->items, files->count, sizeof *files->items, hub_by_path);
    for (size_t i = 0; i < files->count; i++) {
        struct span path = files->items[i].path;
        if (i && span_equal(path, files->items[i - 1].path))
            return error_set(error, ERROR_USAGE, "two files are called %.*s; rename one",
                             (int)path.len, path.ptr);
        files->model |= span_is(path, "config.json") || span_is(path, "adapter_config.json");
    }
    return 0;
}

void hub_files_free(struct hub_files *files)
{
    if (files->scratch.len)
        scratch_remove(buf_cstr(&files->scratch));
    buf_free(&files->scratch);
    free(files->items);
    arena_free(&files->arena);
    *files = (struct hub_files){0};
}

int hub_content_open(const struct hub_file *file, struct hub_content *content, struct error *error)
{
    struct stat there;
    int fd = open(file->source, O_RDONLY | O_CLOEXEC);
    *content = (struct hub_content){.bytes = SPAN("")};
    if (fd < 0 || fstat(fd, &there) != 0) {
        error_errno(error, ERROR_INPUT, "%s", file->source);
    } else if ((uint64_t)there.st_size != file->size) {
        error_set(error, ERROR_INPUT,
                  "%s changes while it is being pushed; push it when it is done", file->source);
    } else if (file->size) {
        void *map = mmap(NULL, (size_t)file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED) {
            error_errno(error, ERROR_SYSTEM, "%s", file->source);
        } else {
            content->map = map;
            content->bytes = span_make(map, (size_t)file->size);
        }
    }
    bool good = fd >= 0 && (content->map || (file->size == 0 && there.st_size == 0));
    if (fd >= 0)
        close(fd);
    return good ? 0 : error->code;
}

void hub_digest(struct hub_file *file, struct span bytes)
{
    uint8_t digest[SHA256_BYTES];
    if (file->large) {
        digest_sha256(bytes, digest);
        digest_hex(digest, SHA256_BYTES, file->sha256);
    } else {
        digest_git_blob(bytes, digest);
        digest_hex(digest, SHA1_BYTES, file->blob);
    }
}

void hub_content_close(struct hub_content *content)
{
    if (content->map)
        munmap(content->map, content->bytes.len);
    *content = (struct hub_content){0};
}
