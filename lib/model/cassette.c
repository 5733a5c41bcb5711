/* cassette.c: see cassette.h. */
#include "model/cassette.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "model/defaults.h"
#include "text/digest.h"
#include "json/pyjson.h"
#include "json/write.h"

struct cassette {
    const char *record, *replay; /* names, for messages */
    enum cassette_miss miss;
    int out; /* -1: none */
    pthread_mutex_t lock;
    struct map asked; /* scope and digest → how often */
    uint64_t *times;
    size_t times_cap;
    struct span tape; /* mapped */
    struct map keys;  /* scope and key → line */
    struct span *lines;
    size_t lines_cap;
    struct error broken; /* the first write that failed */
};

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

/* Scope and key as one name: the scope's end cannot be mistaken. */
static void name_of(struct span scope, struct span key, struct buf *out)
{
    buf_clear(out);
    buf_format(out, "%zu:", scope.len);
    buf_span_add(out, scope);
    buf_span_add(out, key);
}

/* ---- the tape -------------------------------------------------------------------------------- */

static int tape_line(struct cassette *c, struct span line, uint64_t number, struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    struct buf key = {0}, scope = {0}, name = {0};
    if (json_scan(line, &value, NULL, &fault) < 0)
        return error_set(error, ERROR_INPUT, "%s:%llu: %s at byte %zu; record it again", c->replay,
                         (unsigned long long)number, fault.what, fault.offset);
    json_text_add(member(value, "key"), &key);
    if (member(value, "scope").type == JSON_VALUE_STRING)
        json_text_add(member(value, "scope"), &scope);
    name_of(buf_span(&scope), buf_span(&key), &name);
    size_t at = map_add(&c->keys, buf_span(&name), NULL);
    c->lines = mem_grow(c->lines, &c->lines_cap, at + 1, sizeof *c->lines);
    c->lines[at] = line;
    int code = key.len ? 0
                       : error_set(error, ERROR_INPUT, "%s:%llu: no key; this is no recording",
                                   c->replay, (unsigned long long)number);
    buf_free(&key);
    buf_free(&scope);
    buf_free(&name);
    return code;
}

static int tape_map(struct cassette *c, struct error *error)
{
    struct stat info;
    int fd = open(c->replay, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) < 0) {
        if (fd >= 0)
            close(fd);
        return error_errno(error, ERROR_INPUT, "%s", c->replay);
    }
    if (info.st_size > 0) {
        void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at == MAP_FAILED) {
            close(fd);
            return error_errno(error, ERROR_INPUT, "%s", c->replay);
        }
        c->tape = span_make(at, (size_t)info.st_size);
    }
    close(fd);
    return 0;
}

static int tape_read(struct cassette *c, struct error *error)
{
    int code = tape_map(c, error);
    uint64_t number = 0;
    for (size_t at = 0; code == 0 && at < c->tape.len;) {
        size_t end = span_find(c->tape, SPAN("\n"), at);
        bool whole = end != (size_t)-1;
        struct span line = span_slice(c->tape, at, whole ? end : c->tape.len);
        at = whole ? end + 1 : c->tape.len;
        number++;
        if (line.len && whole)
            code = tape_line(c, line, number, error);
        else if (line.len)
            tape_line(c, line, number, NULL); /* a run that was killed leaves half a line */
    }
    return code;
}

struct cassette *cassette_open(const char *record, const char *replay, enum cassette_miss miss,
                               struct error *error)
{
    struct cassette *c = mem_zero(1, sizeof *c);
    c->record = record;
    c->replay = replay;
    c->miss = miss;
    c->out = -1;
    pthread_mutex_init(&c->lock, NULL);
    int code = replay ? tape_read(c, error) : 0;
    if (code == 0 && record) {
        c->out = open(record, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (c->out < 0)
            code = error_errno(error, ERROR_SYSTEM, "%s", record);
    }
    if (code < 0) {
        cassette_close(c, NULL);
        return NULL;
    }
    return c;
}

int cassette_close(struct cassette *c, struct error *error)
{
    if (!c)
        return 0;
    int code = c->broken.code;
    if (code < 0 && error)
        *error = c->broken;
    if (c->out >= 0)
        close(c->out);
    if (c->tape.len)
        munmap((void *)(uintptr_t)c->tape.ptr, c->tape.len);
    map_free(&c->asked);
    map_free(&c->keys);
    free(c->times);
    free(c->lines);
    pthread_mutex_destroy(&c->lock);
    free(c);
    return code;
}

/* ---- one exchange ---------------------------------------------------------------------------- */

static void digest_of(const struct cassette_request *what, char hex[2 * SHA256_BYTES + 1])
{
    struct buf text = {0};
    struct json_value body;
    struct json_fault fault;
    uint8_t digest[SHA256_BYTES];
    buf_format(&text, "%s\n", what->method);
    buf_span_add(&text, what->url);
    buf_byte(&text, '\n');
    if (what->body.len && json_scan(what->body, &body, NULL, &fault) == 0)
        json_pyjson_sorted(body, &text);
    else
        buf_span_add(&text, what->body);
    digest_sha256(buf_span(&text), digest);
    digest_hex(digest, SHA256_BYTES, hex);
    buf_free(&text);
}

/* The exchange's key: digest and its number within the scope. */
static void key_of(struct cassette *c, const struct cassette_request *what, struct buf *key)
{
    char hex[2 * SHA256_BYTES + 1];
    struct buf name = {0};
    bool fresh;
    digest_of(what, hex);
    name_of(span_text(what->scope), span_text(hex), &name);
    pthread_mutex_lock(&c->lock);
    size_t at = map_add(&c->asked, buf_span(&name), &fresh);
    c->times = mem_grow(c->times, &c->times_cap, at + 1, sizeof *c->times);
    uint64_t number = fresh ? c->times[at] = 0 : ++c->times[at];
    pthread_mutex_unlock(&c->lock);
    buf_format(key, "%s#%llu", hex, (unsigned long long)number);
    buf_free(&name);
}

static void write_body(struct json_writer *w, struct span body)
{
    struct json_value value;
    struct json_fault fault;
    if (body.len == 0)
        json_write_null(w);
    else if (json_scan(body, &value, NULL, &fault) == 0 && value.type != JSON_VALUE_STRING &&
             !memchr(value.text.ptr, '\n', value.text.len))
        json_write_raw(w, value.text);
    else
        json_write_span(w, body); /* a text, a stream, broken bytes */
}

static void record(struct cassette *c, struct span key, const struct cassette_request *what,
                   const struct http_reply *reply)
{
    struct buf line = {0};
    struct json_writer w;
    json_write_start(&w, &line, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "key");
    json_write_span(&w, key);
    if (what->scope) {
        json_write_key(&w, "scope");
        json_write_text(&w, what->scope);
    }
    json_write_key(&w, "spec");
    json_write_text(&w, what->spec);
    json_write_key(&w, "request");
    write_body(&w, what->body);
    json_write_key(&w, "status");
    json_write_int(&w, reply->status);
    json_write_key(&w, "response");
    write_body(&w, buf_span(&reply->body));
    json_write_key(&w, "ms");
    json_write_real(&w, reply->ms);
    if (reply->failure != HTTP_OK) {
        json_write_key(&w, "failure");
        json_write_text(&w, http_failure_name(reply->failure));
    }
    json_write_end_object(&w);
    buf_byte(&line, '\n');
    pthread_mutex_lock(&c->lock);
    if (c->broken.code == 0)
        file_write_all(c->out, c->record, buf_span(&line), &c->broken);
    pthread_mutex_unlock(&c->lock);
    buf_free(&line);
}

static enum http_failure failure_of(struct json_value name)
{
    struct buf scratch = {0};
    struct span text = json_text(name, &scratch);
    enum http_failure found = HTTP_OK;
    for (int i = HTTP_UNREACHABLE; name.type == JSON_VALUE_STRING && i <= HTTP_CANCELLED; i++)
        if (span_is(text, http_failure_name((enum http_failure)i)))
            found = (enum http_failure)i;
    buf_free(&scratch);
    return found;
}

/* false: not on the tape. */
static bool play(struct cassette *c, struct span key, const struct cassette_request *what,
                 struct http_reply *reply)
{
    struct buf name = {0};
    struct json_value line, response;
    struct json_fault fault;
    int64_t status = 0;
    name_of(span_text(what->scope), key, &name);
    size_t at = map_find(&c->keys, buf_span(&name));
    buf_free(&name);
    if (at == MAP_NONE || json_scan(c->lines[at], &line, NULL, &fault) < 0)
        return false;
    json_int64(member(line, "status"), &status);
    response = member(line, "response");
    reply->status = (int)status;
    reply->attempts = 1;
    if (response.type == JSON_VALUE_STRING)
        json_text_add(response, &reply->body);
    else if (!json_value_null(response))
        buf_span_add(&reply->body, response.text);
    reply->failure = failure_of(member(line, "failure"));
    return true;
}

static int missing(struct cassette *c, struct span key, const struct cassette_request *what,
                   struct error *error)
{
    return error_set(error, ERROR_REMOTE,
                     "%s: it holds no reply to %s %.*s (%.12s…%s%s); record it, or ask live with "
                     "--replay-miss live",
                     c->replay, what->method, (int)what->url.len, what->url.ptr, key.ptr,
                     what->scope ? " of " : "", what->scope ? what->scope : "");
}

int cassette_send(struct cassette *c, const struct cassette_request *what,
                  struct http_client *client, const struct http_request *send,
                  struct http_reply *reply, bool *absent, struct error *error)
{
    struct buf key = {0};
    int code = 0;
    *absent = false;
    http_reply_free(reply);
    key_of(c, what, &key);
    if (c->replay && play(c, buf_span(&key), what, reply)) {
        if (reply->failure != HTTP_OK)
            code = error_set(&reply->error, ERROR_REMOTE, "recorded: the call was %s",
                             http_failure_name(reply->failure));
        if (code < 0 && error)
            *error = reply->error;
    } else if ((c->replay && c->miss == CASSETTE_MISS_FAIL) || !client) {
        *absent = true;
        code = missing(c, buf_span(&key), what, error);
    } else {
        code = http_send(client, send, reply, error);
        if (c->out >= 0 && reply->failure != HTTP_CANCELLED)
            record(c, buf_span(&key), what, reply);
    }
    buf_free(&key);
    return code;
}
