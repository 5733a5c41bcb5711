/* hub_pull.c: a repository's files, or the rows in them, from the Hub: the change it stands at is
 * asked for first and everything is taken from that one. Files come in pieces that are appended to
 * NAME.part, so a fetch that was cut goes on; a file takes its name when its size and its digest are
 * the ones that the Hub names. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/signals.h"
#include "export/defaults.h"
#include "export/hub_inside.h"
#include "row/reader.h"
#include "text/utf8.h"

struct pulling {
    struct hub *hub;
    const struct hub_pull *pull;
    struct hub_files files; /* path, size, blob or sha256 */
    struct arena arena;
    struct buf url, local;
    struct http_reply reply;
    const char *name, *revision; /* NS/NAME, REV */
    struct span commit;
    uint64_t bytes, rows;
    size_t fetched;
};

/* ---- which files -------------------------------------------------------------------------------- */

static int read_name(struct pulling *p, struct error *error)
{
    const char *given = p->pull->name;
    if (strncmp(given, "hf:", 3) == 0)
        given += 3;
    const char *at = strchr(given, '@');
    p->name = at ? arena_span(&p->arena, span_make(given, (size_t)(at - given))).ptr : given;
    p->revision = at ? at + 1 : "main";
    if (!*p->revision || !utf8_valid(span_text(p->revision)))
        return error_set(error, ERROR_USAGE, "\"%s\" names no revision behind its @", given);
    return hub_check_name(p->name, error);
}

static struct span api_url(struct pulling *p, const char *tail, const char *revision)
{
    hub_url(p->hub, &p->url, p->pull->model ? "/api/models/" : "/api/datasets/");
    buf_text(&p->url, p->name);
    buf_text(&p->url, tail);
    url_escape_add(span_text(revision), &p->url);
    return buf_span(&p->url);
}

/* Inside the folder it is put in, whatever the Hub says. */
static bool is_safe(struct span path)
{
    if (!hub_readable(path) || path.len > FILENAME_MAX || path.ptr[0] == '/')
        return false;
    while (path.len) {
        size_t end = span_find(path, SPAN("/"), 0);
        bool more = end != (size_t)-1;
        struct span part = span_slice(path, 0, more ? end : path.len);
        if (!part.len || span_is(part, ".") || span_is(part, "..") || (more && end + 1 == path.len))
            return false;
        path = span_slice(path, more ? end + 1 : path.len, path.len);
    }
    return true;
}

static bool is_rows(struct span path)
{
    return span_ends(path, SPAN(".jsonl")) || span_ends(path, SPAN(".jsonl.zst"));
}

static bool is_wanted(const struct pulling *p, struct span path)
{
    const struct hub_pull *pull = p->pull;
    const char *text = arena_span((struct arena *)&p->arena, path).ptr;
    bool wanted = pull->n_patterns == 0;
    for (size_t i = 0; i < pull->n_patterns && !wanted; i++)
        wanted = fnmatch(pull->patterns[i], text, 0) == 0;
    return wanted && (pull->folder || is_rows(path));
}

static void copy_digest(struct span text, char *out, size_t size)
{
    if (text.len + 1 == size)
        memcpy(out, text.ptr, text.len);
}

static int add_entry(struct pulling *p, struct json_value entry, struct error *error)
{
    struct json_value size, large;
    struct hub_file file = {.path = hub_text(entry, "path", &p->arena)};
    int64_t bytes;
    if (!span_is(hub_text(entry, "type", &p->arena), "file"))
        return 0;
    if (!is_safe(file.path))
        return error_set(
            error, ERROR_REMOTE,
            "the repository holds a file called \"%.*s\", which has no safe place here",
            (int)file.path.len, file.path.ptr);
    if (!is_wanted(p, file.path))
        return 0;
    copy_digest(hub_text(entry, "oid", &p->arena), file.blob, sizeof file.blob);
    file.large = json_get(entry, SPAN("lfs"), &large) && large.type == JSON_VALUE_OBJECT;
    if (file.large)
        copy_digest(hub_text(large, "oid", &p->arena), file.sha256, sizeof file.sha256);
    if (!json_get(file.large ? large : entry, SPAN("size"), &size) || !json_int64(size, &bytes) ||
        bytes < 0 || !(file.large ? file.sha256 : file.blob)[0])
        return error_set(error, ERROR_REMOTE, "the Hub does not say how large %.*s is, or which",
                         (int)file.path.len, file.path.ptr);
    if (p->files.count == HUB_FILES_MOST)
        return error_set(error, ERROR_INPUT, "more than %d files; choose some with --include",
                         HUB_FILES_MOST);
    file.size = (uint64_t)bytes;
    p->files.items =
        mem_grow(p->files.items, &p->files.cap, p->files.count + 1, sizeof *p->files.items);
    p->files.items[p->files.count++] = file;
    return 0;
}

/* <ADDRESS>; rel="next" */
static bool next_page(struct pulling *p)
{
    struct span link;
    if (!http_reply_header(&p->reply, "Link", &link) ||
        span_find(link, SPAN("rel=\"next\""), 0) == (size_t)-1)
        return false;
    size_t from = span_find(link, SPAN("<"), 0), to = span_find(link, SPAN(">"), 0);
    struct url next;
    if (from == (size_t)-1 || to == (size_t)-1 || to < from)
        return false;
    struct span address = span_slice(link, from + 1, to);
    if (url_parse(address, &next, NULL) < 0 || !url_same_origin(&next, &p->hub->place))
        return false;
    buf_clear(&p->url);
    buf_span_add(&p->url, address);
    return true;
}

static int read_tree(struct pulling *p, struct error *error)
{
    struct json_value value, item;
    struct hub_ask ask = {.url = api_url(p, "/revision/", p->revision)};
    int code = hub_ask(p->hub, &ask, p->name, &p->reply, &value, error);
    if (code < 0)
        return code;
    p->commit = hub_text(value, "sha", &p->arena);
    if (!p->commit.len)
        return error_set(error, ERROR_REMOTE, "the Hub does not say which change %s is",
                         p->revision);
    api_url(p, "/tree/", p->commit.ptr);
    buf_text(&p->url, "?recursive=true");
    do {
        ask = (struct hub_ask){.url = buf_span(&p->url), .keep_headers = true};
        code = hub_ask(p->hub, &ask, "the list of files", &p->reply, &value, error);
        struct json_cursor cursor = json_enter(value);
        while (code == 0 && json_next_item(&cursor, &item))
            code = add_entry(p, item, error);
    } while (code == 0 && !signals_caught() && next_page(p));
    if (code == 0 && signals_caught())
        code = error_set(error, ERROR_INTERRUPTED, "interrupted; nothing was fetched");
    if (code == 0 && !p->files.count)
        code = error_set(error, ERROR_INPUT,
                         p->pull->folder
                             ? "%s has no such file; look at --include and the revision"
                             : "%s has no such JSONL file; --out takes files of every kind",
                         p->name);
    if (code == 0)
        qsort(p->files.items, p->files.count, sizeof *p->files.items, hub_by_path);
    return code;
}

/* ---- one file ----------------------------------------------------------------------------------- */

static int make_folders(const char *path, struct error *error)
{
    struct buf folder = {0};
    int code = 0;
    for (const char *slash = strchr(path + 1, '/'); code == 0 && slash;
         slash = strchr(slash + 1, '/')) {
        buf_clear(&folder);
        buf_add(&folder, path, (size_t)(slash - path));
        if (mkdir(buf_cstr(&folder), 0777) != 0 && errno != EEXIST)
            code = error_errno(error, ERROR_SYSTEM, "%s", folder.data);
    }
    buf_free(&folder);
    return code;
}

/* 1: the file on this machine is the one that the Hub has. */
static int is_same(const struct hub_file *file, const char *path, struct error *error)
{
    struct stat there;
    struct hub_content content;
    struct hub_file local = {.source = path, .size = file->size, .large = file->large};
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || (uint64_t)there.st_size != file->size)
        return 0;
    int code = hub_content_open(&local, &content, error);
    if (code < 0)
        return code;
    hub_digest(&local, content.bytes);
    hub_content_close(&content);
    return strcmp(local.sha256, file->sha256) == 0 &&
           (file->large || strcmp(local.blob, file->blob) == 0);
}

/* Appends the piece from `at` on. */
static int fetch_piece(struct pulling *p, const struct hub_file *file, int fd, uint64_t *at,
                       struct error *error)
{
    char range[64];
    uint64_t left = file->size - *at, most = left < HUB_PIECE ? left : HUB_PIECE;
    snprintf(range, sizeof range, "bytes=%llu-%llu", (unsigned long long)*at,
             (unsigned long long)(*at + most - 1));
    bool whole = most == file->size;
    struct hub_ask ask = {.url = buf_span(&p->url),
                          .range = whole ? NULL : range,
                          .redirect = true,
                          .response_max = (size_t)most + (64 << 10)};
    int code = hub_send(p->hub, &ask, &p->reply, error);
    if (code == 0)
        code = hub_check(p->hub, &p->reply, "a file", error);
    if (code < 0)
        return code;
    if (p->reply.body.len != most || (!whole && p->reply.status != 206))
        return error_set(error, ERROR_REMOTE,
                         "the Hub sends %zu bytes where %llu were asked for; try again later",
                         p->reply.body.len, (unsigned long long)most);
    *at += most;
    return file_write_all(fd, buf_cstr(&p->local), buf_span(&p->reply.body), error);
}

/* The rest of NAME.part. */
static int fetch_rest(struct pulling *p, const struct hub_file *file, const char *part,
                      struct error *error)
{
    struct stat there;
    int fd = open(part, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || fstat(fd, &there) != 0) {
        error_errno(error, ERROR_SYSTEM, "%s", part);
        if (fd >= 0)
            close(fd);
        return ERROR_SYSTEM;
    }
    uint64_t at = (uint64_t)there.st_size;
    int code = 0;
    if (at > file->size) {
        at = 0;
        if (ftruncate(fd, 0) != 0)
            code = error_errno(error, ERROR_SYSTEM, "%s", part);
    }
    if (code == 0 && at)
        hub_say(&p->pull->events, false, "%.*s: goes on behind %llu bytes", (int)file->path.len,
                file->path.ptr, (unsigned long long)at);
    while (code == 0 && at < file->size) {
        code = fetch_piece(p, file, fd, &at, error);
        if (code == 0 && signals_caught())
            code = error_set(error, ERROR_INTERRUPTED,
                             "interrupted; the same command goes on from %s", part);
    }
    if (close(fd) != 0 && code == 0)
        code = error_errno(error, ERROR_SYSTEM, "%s", part);
    return code;
}

static void resolve_url(struct pulling *p, const struct hub_file *file)
{
    hub_url(p->hub, &p->url, p->pull->model ? "/" : "/datasets/");
    buf_format(&p->url, "%s/resolve/%s/", p->name, p->commit.ptr);
    hub_escape_path(file->path, &p->url);
}

static int fetch_file(struct pulling *p, struct hub_file *file, const char *path,
                      struct error *error)
{
    struct buf part = {0};
    int code = make_folders(path, error), same = code ? code : is_same(file, path, error);
    if (same != 0) {
        file->unchanged = same > 0;
        return same < 0 ? same : 0;
    }
    buf_text(&part, path);
    buf_text(&part, ".part");
    buf_clear(&p->local);
    buf_text(&p->local, buf_cstr(&part));
    resolve_url(p, file);
    for (int i = 0; i < 2 && code == 0 && same == 0; i++) {
        code = fetch_rest(p, file, part.data, error);
        same = code ? code : is_same(file, part.data, error);
        /* What was there of another version: once more from the start. */
        if (same == 0 && code == 0)
            unlink(part.data);
    }
    if (code == 0 && same < 0)
        code = same;
    if (code == 0 && same == 0)
        code = error_set(error, ERROR_REMOTE,
                         "what arrives is not what the Hub says it is: its digest is another; try "
                         "again later");
    if (code == 0 && rename(part.data, path) != 0)
        code = error_errno(error, ERROR_SYSTEM, "%s", path);
    p->fetched += code == 0;
    p->bytes += code == 0 ? file->size : 0;
    buf_free(&part);
    return code;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static int fetch_all(struct pulling *p, const char *folder, struct error *error)
{
    struct buf path = {0};
    int code = 0;
    for (size_t i = 0; code == 0 && i < p->files.count; i++) {
        struct hub_file *file = &p->files.items[i];
        buf_clear(&path);
        buf_format(&path, "%s/", folder);
        buf_span_add(&path, file->path);
        code = fetch_file(p, file, buf_cstr(&path), error);
        file->source = arena_text(&p->arena, path.data);
        if (code < 0)
            error_prefix(error, "%.*s", (int)file->path.len, file->path.ptr);
    }
    buf_free(&path);
    return code;
}

static int write_rows(struct pulling *p, struct error *error)
{
    const char **paths = mem_zero(p->files.count, sizeof *paths);
    struct row_source source = {
        .paths = paths, .n_paths = p->files.count, .options = ROW_OPTIONS_DEFAULT};
    struct row row;
    for (size_t i = 0; i < p->files.count; i++)
        paths[i] = p->files.items[i].source;
    struct row_reader *reader = row_reader_open(&source, error);
    int code = reader ? 0 : error->code, got = 0;
    while (code == 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        code = row_writer_line(p->pull->writer, row.line, error);
        p->rows++;
    }
    row_reader_close(reader, NULL);
    free(paths);
    return code ? code : got;
}

static int fetch_rows(struct pulling *p, struct error *error)
{
    struct buf scratch = {0};
    int code = scratch_make(&scratch, error);
    if (code == 0)
        code = fetch_all(p, buf_cstr(&scratch), error);
    if (code == 0)
        code = write_rows(p, error);
    if (scratch.len)
        scratch_remove(buf_cstr(&scratch));
    buf_free(&scratch);
    return code;
}

static void write_report(const struct pulling *p, struct buf *report)
{
    struct json_writer w;
    size_t unchanged = 0;
    json_write_start(&w, report, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "repo_id");
    json_write_text(&w, p->name);
    json_write_key(&w, "repo_type");
    json_write_text(&w, p->pull->model ? "model" : "dataset");
    json_write_key(&w, "revision");
    json_write_text(&w, p->revision);
    json_write_key(&w, "commit");
    json_write_span(&w, p->commit);
    json_write_key(&w, "files");
    json_write_array(&w);
    for (size_t i = 0; i < p->files.count; i++) {
        json_write_span(&w, p->files.items[i].path);
        unchanged += p->files.items[i].unchanged;
    }
    json_write_end_array(&w);
    json_write_key(&w, "fetched");
    json_write_int(&w, (int64_t)p->fetched);
    json_write_key(&w, "unchanged");
    json_write_int(&w, (int64_t)unchanged);
    json_write_key(&w, "bytes");
    json_write_int(&w, (int64_t)p->bytes);
    json_write_key(&w, "rows");
    if (p->pull->writer)
        json_write_int(&w, (int64_t)p->rows);
    else
        json_write_null(&w);
    json_write_key(&w, "dry_run");
    json_write_bool(&w, p->pull->dry_run);
    json_write_end_object(&w);
}

int hub_pull(struct hub *hub, const struct hub_pull *pull, struct buf *report, struct error *error)
{
    struct pulling p = {.hub = hub, .pull = pull};
    int code = read_name(&p, error);
    if (code == 0)
        code = read_tree(&p, error);
    if (code == 0 && !pull->dry_run)
        code = pull->folder ? fetch_all(&p, pull->folder, error) : fetch_rows(&p, error);
    if (code == 0)
        write_report(&p, report);
    http_reply_free(&p.reply);
    buf_free(&p.url);
    buf_free(&p.local);
    free(p.files.items);
    arena_free(&p.arena);
    return code;
}
