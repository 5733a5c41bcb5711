/* hub_store.c: large files into the Hub's storage by the batch API of Git LFS: one request says
 * which of them it lacks and where their bytes go, whole or in parts; parts are on their way a few at
 * a time. Addresses that the Hub names get the bytes and nothing else: no token. */
#include <stdlib.h>

#include "base/signals.h"
#include "export/defaults.h"
#include "export/hub_inside.h"

static const char LFS_TYPE[] = "application/vnd.git-lfs+json";
static const char BYTES_TYPE[] = "application/octet-stream";

/* Where one file goes. */
struct transfer {
    struct hub_file *file;
    struct span href, verify;
    struct span *parts; /* their addresses, in order; NULL: whole, to href */
    struct span *tags;  /* what the storage calls each part */
    size_t n_parts;
    uint64_t chunk;
};

static void write_object(struct json_writer *w, const struct hub_file *file)
{
    json_write_key(w, "oid");
    json_write_text(w, file->sha256);
    json_write_key(w, "size");
    json_write_int(w, (int64_t)file->size);
}

static void write_batch(struct hub_file *const *files, size_t n, struct buf *body)
{
    struct json_writer w;
    json_write_start(&w, body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "operation");
    json_write_text(&w, "upload");
    json_write_key(&w, "transfers");
    json_write_raw(&w, SPAN("[\"basic\",\"multipart\"]"));
    json_write_key(&w, "objects");
    json_write_array(&w);
    for (size_t i = 0; i < n; i++) {
        json_write_object(&w);
        write_object(&w, files[i]);
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
    json_write_key(&w, "hash_algo");
    json_write_text(&w, "sha256");
    json_write_key(&w, "ref");
    json_write_raw(&w, SPAN("{\"name\":\"main\"}"));
    json_write_end_object(&w);
}

/* ---- what the Hub asks for --------------------------------------------------------------------- */

static int unclear(const struct hub_file *file, const char *what, struct error *error)
{
    return error_set(error, ERROR_REMOTE, "%.*s: the Hub's storage %s; try again later",
                     (int)file->path.len, file->path.ptr, what);
}

/* An address of the storage: https whenever the Hub itself is. */
static bool is_address(const struct hub *hub, struct span text)
{
    struct url url;
    return url_parse(text, &url, NULL) == 0 && (url.secure || !hub->place.secure);
}

/* Members "1", "2", …, perhaps with leading zeros, in the order of their numbers. */
static int read_parts(const struct hub *hub, struct transfer *t, struct json_value header,
                      struct arena *arena, struct error *error)
{
    struct json_cursor cursor = json_enter(header);
    struct json_member member;
    struct buf scratch = {0};
    size_t found = 0;
    t->n_parts = (size_t)((t->file->size + t->chunk - 1) / t->chunk);
    if (t->n_parts > HUB_PARTS_MOST)
        return unclear(t->file, "wants it in more parts than there can be", error);
    t->parts = arena_zero(arena, t->n_parts * sizeof *t->parts);
    t->tags = arena_zero(arena, t->n_parts * sizeof *t->tags);
    while (json_next_member(&cursor, &member)) {
        int64_t number;
        buf_clear(&scratch);
        buf_span_add(&scratch, member.key);
        const char *digits = buf_cstr(&scratch);
        if (member.value.type != JSON_VALUE_STRING || option_read_int(digits, &number) != 0 ||
            number < 1 || (uint64_t)number > t->n_parts || t->parts[number - 1].ptr)
            continue;
        t->parts[number - 1] = arena_span(arena, json_text(member.value, &scratch));
        found += is_address(hub, t->parts[number - 1]);
    }
    buf_free(&scratch);
    return found == t->n_parts ? 0 : unclear(t->file, "does not say where every part goes", error);
}

static int read_actions(const struct hub *hub, struct transfer *t, struct json_value object,
                        struct arena *arena, struct error *error)
{
    struct json_value actions, upload, verify, header, chunk, fault;
    struct buf scratch = {0};
    int64_t size = 0;
    if (json_get(object, SPAN("error"), &fault)) {
        struct span words = hub_text(fault, "message", arena);
        error_set(error, ERROR_REMOTE, "%.*s: the Hub's storage refuses it: %.*s",
                  (int)t->file->path.len, t->file->path.ptr, (int)words.len, words.ptr);
        return ERROR_REMOTE;
    }
    if (!json_get(object, SPAN("actions"), &actions) ||
        !json_get(actions, SPAN("upload"), &upload)) {
        t->file = NULL; /* it is there */
        return 0;
    }
    t->href = hub_text(upload, "href", arena);
    if (json_get(actions, SPAN("verify"), &verify))
        t->verify = hub_text(verify, "href", arena);
    if (!is_address(hub, t->href) || (t->verify.len && !is_address(hub, t->verify)))
        return unclear(t->file, "does not say where it goes", error);
    if (!json_get(upload, SPAN("header"), &header) || !json_get(header, SPAN("chunk_size"), &chunk))
        return 0;
    /* A number, or a number's text. */
    if (chunk.type == JSON_VALUE_STRING) {
        struct span text = json_text(chunk, &scratch);
        if (text.ptr != scratch.data)
            buf_span_add(&scratch, text);
        if (option_read_int(buf_cstr(&scratch), &size) != 0)
            size = 0;
    } else if (!json_int64(chunk, &size)) {
        size = 0;
    }
    buf_free(&scratch);
    if (size < 1)
        return unclear(t->file, "names no size of its parts", error);
    t->chunk = (uint64_t)size;
    return read_parts(hub, t, header, arena, error);
}

/* ---- sending ------------------------------------------------------------------------------------
 */

static int store_whole(struct hub *hub, const struct transfer *t, struct span bytes,
                       struct error *error)
{
    struct hub_ask ask = {
        .method = "PUT", .url = t->href, .body = bytes, .type = BYTES_TYPE, .anonymous = true};
    struct http_reply reply = {0};
    int code = hub_send(hub, &ask, &reply, error);
    if (code == 0)
        code = hub_check(hub, &reply, "storing a file", error);
    http_reply_free(&reply);
    return code;
}

static int take_part(struct hub *hub, struct transfer *t, size_t i, struct hub_sent *sent,
                     struct arena *arena, struct error *error)
{
    struct http_reply reply = {0};
    struct span tag;
    int code = http_wait(sent->call, &reply, error);
    if (code == 0)
        code = hub_check(hub, &reply, "storing a part of a file", error);
    if (code == 0 && !http_reply_header(&reply, "ETag", &tag))
        code = unclear(t->file, "does not say what it calls a part", error);
    if (code == 0)
        t->tags[i] = arena_span(arena, tag);
    http_reply_free(&reply);
    return code;
}

/* A window of parts moves over the file; after a failure what is on its way is waited for. */
static int store_parts(struct hub *hub, struct transfer *t, struct span bytes, struct arena *arena,
                       struct error *error)
{
    struct hub_sent sent[HUB_IN_FLIGHT];
    size_t next = 0, taken = 0;
    int code = 0;
    struct error unused;
    while (taken < t->n_parts) {
        while (code == 0 && next < t->n_parts && next - taken < HUB_IN_FLIGHT) {
            uint64_t from = next * t->chunk, to = from + t->chunk;
            struct hub_ask ask = {
                .method = "PUT",
                .url = t->parts[next],
                .body = span_slice(bytes, (size_t)from, to < bytes.len ? (size_t)to : bytes.len),
                .type = BYTES_TYPE,
                .anonymous = true,
                .keep_headers = true,
            };
            hub_start(hub, &ask, &sent[next++ % HUB_IN_FLIGHT]);
        }
        if (taken == next)
            break;
        int part =
            take_part(hub, t, taken, &sent[taken % HUB_IN_FLIGHT], arena, code ? &unused : error);
        code = code ? code : part;
        taken++;
    }
    return code;
}

/* Says that all parts are there. */
static int complete(struct hub *hub, const struct transfer *t, struct error *error)
{
    struct buf body = {0};
    struct json_writer w;
    struct http_reply reply = {0};
    json_write_start(&w, &body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "oid");
    json_write_text(&w, t->file->sha256);
    json_write_key(&w, "parts");
    json_write_array(&w);
    for (size_t i = 0; i < t->n_parts; i++) {
        json_write_object(&w);
        json_write_key(&w, "partNumber");
        json_write_int(&w, (int64_t)i + 1);
        json_write_key(&w, "etag");
        json_write_span(&w, t->tags[i]);
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
    json_write_end_object(&w);
    struct hub_ask ask = {
        .url = t->href, .body = buf_span(&body), .type = LFS_TYPE, .anonymous = true};
    int code = hub_send(hub, &ask, &reply, error);
    if (code == 0)
        code = hub_check(hub, &reply, "putting the parts of a file together", error);
    http_reply_free(&reply);
    buf_free(&body);
    return code;
}

/* The Hub looks whether its storage has it. The token goes along only to the Hub itself. */
static int verify(struct hub *hub, const struct transfer *t, struct error *error)
{
    struct buf body = {0};
    struct json_writer w;
    struct http_reply reply = {0};
    struct url url;
    if (!t->verify.len)
        return 0;
    url_parse(t->verify, &url, NULL);
    json_write_start(&w, &body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_object(&w, t->file);
    json_write_end_object(&w);
    struct hub_ask ask = {.url = t->verify,
                          .body = buf_span(&body),
                          .type = LFS_TYPE,
                          .anonymous = !url_same_origin(&url, &hub->place)};
    int code = hub_send(hub, &ask, &reply, error);
    if (code == 0)
        code = hub_check(hub, &reply, "looking whether a file arrived", error);
    http_reply_free(&reply);
    buf_free(&body);
    return code;
}

static int store_file(struct hub *hub, const struct hub_push *push, struct transfer *t,
                      struct arena *arena, struct error *error)
{
    struct hub_content content;
    int code = hub_content_open(t->file, &content, error);
    if (code < 0)
        return code;
    code = t->parts ? store_parts(hub, t, content.bytes, arena, error)
                    : store_whole(hub, t, content.bytes, error);
    if (code == 0 && t->parts)
        code = complete(hub, t, error);
    if (code == 0)
        code = verify(hub, t, error);
    if (code == 0)
        hub_say(&push->events, false, "%.*s: stored, %llu bytes", (int)t->file->path.len,
                t->file->path.ptr, (unsigned long long)t->file->size);
    else
        error_prefix(error, "%.*s", (int)t->file->path.len, t->file->path.ptr);
    hub_content_close(&content);
    return code;
}

/* ---- the batch ----------------------------------------------------------------------------------
 */

static struct hub_file *file_of(struct hub_file *const *files, size_t n, struct span oid)
{
    for (size_t i = 0; i < n; i++)
        if (span_is(oid, files[i]->sha256))
            return files[i];
    return NULL;
}

static int store_objects(struct hub *hub, const struct hub_push *push, struct json_value objects,
                         struct hub_file *const *files, size_t n, struct error *error)
{
    struct arena arena = {0};
    struct json_cursor cursor = json_enter(objects);
    struct json_value object;
    size_t told = 0;
    int code = 0;
    while (code == 0 && json_next_item(&cursor, &object)) {
        struct transfer t = {.file = file_of(files, n, hub_text(object, "oid", &arena))};
        if (!t.file)
            continue;
        told++;
        code = read_actions(hub, &t, object, &arena, error);
        if (code == 0 && t.file)
            code = store_file(hub, push, &t, &arena, error);
        if (code == 0 && signals_caught())
            code = error_set(error, ERROR_INTERRUPTED,
                             "interrupted; what the storage has is not sent again next time");
        arena_clear(&arena);
    }
    if (code == 0 && told < n)
        code =
            error_set(error, ERROR_REMOTE,
                      "the Hub's storage answers for %zu of %zu files; try again later", told, n);
    arena_free(&arena);
    return code;
}

static int store_batch(struct hub *hub, const struct hub_push *push, const char *type,
                       struct hub_file *const *files, size_t n, struct error *error)
{
    struct buf url = {0}, body = {0};
    struct http_reply reply = {0};
    struct json_value value, objects;
    hub_url(hub, &url, "/");
    buf_format(&url, "%s%s.git/info/lfs/objects/batch", type, push->name);
    write_batch(files, n, &body);
    struct hub_ask ask = {.url = buf_span(&url), .body = buf_span(&body), .type = LFS_TYPE};
    int code = hub_ask(hub, &ask, "the storage of large files", &reply, &value, error);
    if (code == 0 && !json_get(value, SPAN("objects"), &objects))
        code = error_set(error, ERROR_REMOTE, "the Hub's storage does not say what it has");
    if (code == 0)
        code = store_objects(hub, push, objects, files, n, error);
    http_reply_free(&reply);
    buf_free(&url);
    buf_free(&body);
    return code;
}

int hub_store(struct hub *hub, const struct hub_push *push, const char *type,
              struct hub_files *files, struct error *error)
{
    struct hub_file *batch[HUB_FILES_A_CALL];
    size_t n = 0;
    int code = 0;
    for (size_t i = 0; code == 0 && i <= files->count; i++) {
        struct hub_file *file = i < files->count ? &files->items[i] : NULL;
        /* Two files of the same bytes are one object. */
        bool wanted = file && file->large && !file->ignored && !file->unchanged &&
                      !file_of(batch, n, span_text(file->sha256));
        if (wanted)
            batch[n++] = file;
        if (n && (!file || n == HUB_FILES_A_CALL)) {
            code = store_batch(hub, push, type, batch, n, error);
            n = 0;
        }
    }
    return code;
}
