/* embedder.c: see embedder.h. */
#include "model/embedder.h"

#include <math.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/file.h"
#include "base/map.h"
#include "model/defaults.h"
#include "model/spec.h"
#include "net/credentials.h"
#include "stat/sum.h"
#include "text/utf8.h"
#include "json/write.h"

enum embed_kind {
    EMBED_HASH,
    EMBED_OLLAMA,
    EMBED_OPENAI,
    EMBED_URL,
    EMBED_HOSTED,
    EMBED_CMD,
    EMBED_FILE,
    EMBED_KEY,
};

struct embedder {
    enum embed_kind kind;
    struct embedder_settings settings;
    struct buf name, url, model, rest;
    struct key key;
    struct coproc *child;
    struct buf text;   /* of file: */
    struct map texts;  /* of file:, to its vectors */
    struct span *json; /* each as written */
    size_t json_cap;
    size_t size; /* numbers of a vector; 0: none seen yet */
    bool fell_back;
};

/* ---- reading vectors ------------------------------------------------------------------------- */

bool embedding_read(struct json_value array, struct embedding *out, size_t *size)
{
    struct json_cursor c = json_enter(array);
    struct json_value item;
    struct exact_sum squares = {0};
    *out = (struct embedding){0};
    *size = array.type == JSON_VALUE_ARRAY ? json_count(array) : 0;
    if (*size == 0 || *size > UINT32_MAX)
        return false;
    out->at = mem_zero(*size, sizeof *out->at);
    out->value = mem_zero(*size, sizeof *out->value);
    for (uint32_t i = 0; json_next_item(&c, &item); i++) {
        double x = item.type == JSON_VALUE_NUMBER ? json_number(item) : NAN;
        if (!(fabs(x) < EMBED_LARGEST)) {
            embedding_free(out);
            return false;
        }
        if (x == 0)
            continue;
        out->at[out->count] = i;
        out->value[out->count++] = x;
        sum_add(&squares, x * x);
    }
    double norm = sqrt(sum_value(&squares));
    for (size_t i = 0; i < out->count && norm > 0; i++)
        out->value[i] /= norm;
    out->norm = sqrt(embedding_dot(out, out));
    return true;
}

static int fail(struct embedder *e, struct error *error, const char *what)
{
    return error_set(error, ERROR_REMOTE, "%s: %s", buf_cstr(&e->name), what);
}

static int take_vector(struct embedder *e, struct json_value array, struct embedding *out,
                       struct error *error)
{
    size_t size;
    if (!embedding_read(array, out, &size))
        return fail(e, error, "a vector is no list of numbers");
    if (e->size && size != e->size) {
        embedding_free(out);
        return fail(e, error, "its vectors are not all of one size; they cannot be compared");
    }
    e->size = size;
    return 0;
}

static int take_vectors(struct embedder *e, struct json_value list, size_t n, struct embedding *out,
                        struct error *error)
{
    struct json_cursor c = json_enter(list);
    struct json_value item;
    size_t got = 0;
    int code = 0;
    if (list.type != JSON_VALUE_ARRAY || json_count(list) != n)
        return fail(e, error, "it did not give one vector for each text");
    while (code == 0 && json_next_item(&c, &item)) {
        code = take_vector(e, item, &out[got], error);
        got += code == 0;
    }
    for (size_t i = 0; code < 0 && i < got; i++)
        embedding_free(&out[i]);
    return code;
}

/* OpenAI's data: objects with index and embedding, in any order. */
static int take_data(struct embedder *e, struct json_value list, size_t n, struct embedding *out,
                     struct error *error)
{
    struct json_cursor c = json_enter(list);
    struct json_value item, index, vector;
    bool *seen = mem_zero(n, sizeof *seen);
    int64_t at = -1;
    int code = 0;
    if (list.type != JSON_VALUE_ARRAY || json_count(list) != n)
        code = fail(e, error, "it did not give one vector for each text");
    while (code == 0 && json_next_item(&c, &item)) {
        if (!json_get(item, SPAN("index"), &index) || !json_int64(index, &at) || at < 0 ||
            (size_t)at >= n || seen[at] || !json_get(item, SPAN("embedding"), &vector))
            code = fail(e, error, "its data has an item without its own index and embedding");
        else
            code = take_vector(e, vector, &out[at], error);
        if (code == 0)
            seen[at] = true;
    }
    for (size_t i = 0; code < 0 && i < n; i++)
        if (seen[i])
            embedding_free(&out[i]);
    free(seen);
    return code;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void write_texts(struct embedder *e, const struct span *texts, size_t n, struct buf *body)
{
    struct json_writer w;
    bool plain = e->kind == EMBED_HOSTED || e->kind == EMBED_CMD;
    json_write_start(&w, body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (!plain) {
        json_write_key(&w, "model");
        json_write_span(&w, buf_span(&e->model));
    }
    json_write_key(&w, plain ? "texts" : "input");
    json_write_array(&w);
    for (size_t i = 0; i < n; i++)
        json_write_span(&w, texts[i]);
    json_write_end_array(&w);
    json_write_end_object(&w);
}

static int take_reply(struct embedder *e, struct span text, size_t n, struct embedding *out,
                      struct error *error)
{
    struct json_value value, list;
    struct json_fault fault;
    if (json_scan(text, &value, NULL, &fault) < 0)
        return fail(e, error, "its reply is not JSON");
    bool data = e->kind == EMBED_OPENAI || e->kind == EMBED_URL;
    if (!json_get(value, data ? SPAN("data") : SPAN("embeddings"), &list))
        return fail(e, error, data ? "its reply has no data" : "its reply has no embeddings");
    return data ? take_data(e, list, n, out, error) : take_vectors(e, list, n, out, error);
}

static int ask_http(struct embedder *e, struct span body, double timeout, int retries,
                    struct http_reply *reply, struct error *error)
{
    struct buf bearer = {0};
    struct http_header headers[2] = {{"Content-Type", SPAN("application/json"), false}};
    struct http_request request = {.url = buf_span(&e->url),
                                   .headers = headers,
                                   .n_headers = 1,
                                   .has_body = true,
                                   .body = body,
                                   .timeout_s = timeout,
                                   .retries = retries};
    if (!e->settings.http && !e->settings.cassette)
        return fail(e, error, "nothing may be sent");
    if (e->key.kind == KEY_BEARER) {
        buf_text(&bearer, "Bearer ");
        buf_span_add(&bearer, buf_span(&e->key.value));
        headers[request.n_headers++] =
            (struct http_header){"Authorization", buf_span(&bearer), true};
    }
    struct cassette_request asked = {
        .spec = buf_cstr(&e->name), .method = "POST", .url = request.url, .body = body};
    bool missing = false;
    int code = e->settings.cassette ? cassette_send(e->settings.cassette, &asked, e->settings.http,
                                                    &request, reply, &missing, error)
                                    : http_send(e->settings.http, &request, reply, error);
    if (code == 0 && (reply->status < 200 || reply->status > 299))
        code = error_set(error, ERROR_REMOTE, "%s: it answers %d; check the address%s%s",
                         buf_cstr(&e->name), reply->status, e->key.variable ? " and " : "",
                         e->key.variable ? e->key.variable : "");
    if (bearer.data)
        explicit_bzero(bearer.data, bearer.cap);
    buf_free(&bearer);
    return code;
}

static int ask_child(struct embedder *e, struct span body, struct span *reply, double timeout,
                     struct error *error)
{
    struct child_exit ended = {0};
    switch (coproc_ask(e->child, body, timeout, reply, &ended, error)) {
    case COPROC_OK: return 0;
    case COPROC_TIMEOUT: return fail(e, error, "no vectors in time");
    case COPROC_DIED: return fail(e, error, "it ended before it replied");
    case COPROC_TOO_LONG: return fail(e, error, "its line is too long");
    default: return error->code;
    }
}

static int ask_batch(struct embedder *e, const struct span *texts, size_t n, struct embedding *out,
                     struct error *error)
{
    struct buf body = {0};
    struct http_reply reply = {0};
    struct span said = {0};
    double timeout = e->settings.timeout_s > 0 ? e->settings.timeout_s : EMBED_TIMEOUT_S;
    int code;
    write_texts(e, texts, n, &body);
    if (e->kind == EMBED_CMD) {
        code = ask_child(e, buf_span(&body), &said, timeout, error);
    } else {
        code = ask_http(e, buf_span(&body), timeout, 0, &reply, error);
        said = buf_span(&reply.body);
    }
    if (code == 0)
        code = take_reply(e, said, n, out, error);
    http_reply_free(&reply);
    buf_free(&body);
    return code;
}

static int look_up(struct embedder *e, struct span text, struct embedding *out, struct error *error)
{
    struct json_value vector;
    struct json_fault fault;
    size_t at = map_find(&e->texts, text);
    struct span shown = utf8_head(text, EMBED_SHOWN);
    if (at == MAP_NONE)
        return error_set(error, ERROR_INPUT,
                         "%s: no vector for \"%.*s\"; add a line with that text",
                         buf_cstr(&e->name), (int)shown.len, shown.ptr);
    json_scan(e->json[at], &vector, NULL, &fault);
    return take_vector(e, vector, out, error);
}

int embedder_embed(struct embedder *e, const struct span *texts, size_t n, struct embedding *out,
                   struct error *error)
{
    size_t done = 0;
    int code = 0;
    while (code == 0 && done < n) {
        size_t batch = n - done < EMBED_BATCH ? n - done : EMBED_BATCH;
        if (e->kind == EMBED_HASH) {
            out[done] = embed_hash(texts[done]);
            batch = 1;
        } else if (e->kind == EMBED_FILE) {
            code = look_up(e, texts[done], &out[done], error);
            batch = 1;
        } else if (e->kind == EMBED_KEY) {
            code = error_set(error, ERROR_USAGE, "%s: vectors of rows; this text has no row",
                             buf_cstr(&e->name));
        } else {
            code = ask_batch(e, texts + done, batch, out + done, error);
        }
        done += code == 0 ? batch : 0;
    }
    for (size_t i = 0; code < 0 && i < done; i++)
        embedding_free(&out[i]);
    return code;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int file_line(struct embedder *e, struct span line, size_t number, struct error *error)
{
    struct json_value row, text, vector;
    struct json_fault fault;
    struct buf words = {0};
    if (json_scan(line, &row, NULL, &fault) < 0 || !json_get(row, SPAN("text"), &text) ||
        text.type != JSON_VALUE_STRING || !json_get(row, SPAN("vector"), &vector))
        return error_set(error, ERROR_INPUT, "%s:%zu: no {\"text\": TEXT, \"vector\": [NUMBER, …]}",
                         buf_cstr(&e->rest), number);
    json_text_add(text, &words);
    size_t at = map_add(&e->texts, buf_span(&words), NULL);
    e->json = mem_grow(e->json, &e->json_cap, at + 1, sizeof *e->json);
    e->json[at] = vector.text;
    buf_free(&words);
    return 0;
}

static int open_file(struct embedder *e, struct error *error)
{
    size_t at = 0, number = 0;
    int code = file_read(buf_cstr(&e->rest), REPLAY_MAX, &e->text, error);
    while (code == 0 && at < e->text.len) {
        size_t end = span_find(buf_span(&e->text), SPAN("\n"), at);
        end = end == (size_t)-1 ? e->text.len : end;
        number++;
        if (end > at)
            code = file_line(e, span_slice(buf_span(&e->text), at, end), number, error);
        at = end + 1;
    }
    return code;
}

static int open_url(struct embedder *e, const char *base, struct error *error)
{
    struct url url;
    int code = url_parse(buf_span(&e->url), &url, error);
    if (code < 0)
        return error_prefix(error, "--embedder %s", buf_cstr(&e->name));
    if (e->kind == EMBED_OLLAMA || e->kind == EMBED_HOSTED || !e->settings.http)
        return 0;
    return key_for(&url, base, e->settings.key_env, &e->key, error);
}

static void set_model(struct embedder *e, const char *otherwise)
{
    if (e->rest.len)
        buf_span_add(&e->model, buf_span(&e->rest));
    else
        buf_text(&e->model, e->settings.model ? e->settings.model : otherwise);
}

/* The base of a model spec, which knows the variables. */
static int open_served(struct embedder *e, const char *spec, const char *cut, const char *path,
                       const char *model, const char *base, struct error *error)
{
    struct model_spec served = {0};
    struct span value;
    set_model(e, model);
    int code = model_spec_parse(spec, &served, error);
    if (code == 0) {
        model_spec_base(&served, &e->url);
        while (e->url.len && e->url.data[e->url.len - 1] == '/')
            e->url.len--;
        if (span_ends(buf_span(&e->url), span_text(cut)))
            e->url.len -= strlen(cut);
        buf_text(&e->url, path);
        code = open_url(e, base && environment_value(base, &value) ? base : NULL, error);
    }
    model_spec_free(&served);
    return code;
}

/* The hosted embedder, when it answers; the hash embedder when it does not, and it is said. */
static void open_hosted(struct embedder *e)
{
    struct http_reply reply = {0};
    struct span value, probe = SPAN("probe");
    struct buf body = {0};
    struct error unused = {0};
    if (e->rest.len)
        buf_span_add(&e->url, buf_span(&e->rest));
    else if (environment_value("WHILEAI_EMBED", &value))
        buf_span_add(&e->url, value);
    write_texts(e, &probe, 1, &body);
    if (!e->url.len || open_url(e, NULL, &unused) < 0 ||
        ask_http(e, buf_span(&body), EMBED_PROBE_S, -1, &reply, &unused) < 0) {
        e->kind = EMBED_HASH;
        e->fell_back = true;
        buf_clear(&e->name);
        buf_text(&e->name, EMBED_HASH_NAME);
    }
    http_reply_free(&reply);
    buf_free(&body);
}

static int open_kind(struct embedder *e, struct error *error)
{
    switch (e->kind) {
    case EMBED_OLLAMA:
        return open_served(e, "ollama:", "/v1", "/api/embed", EMBED_OLLAMA_MODEL, NULL, error);
    case EMBED_OPENAI:
        return open_served(e, "openai:", "/embeddings", "/embeddings", EMBED_OPENAI_MODEL,
                           "OPENAI_BASE_URL", error);
    case EMBED_URL:
        if (!e->settings.model || !*e->settings.model)
            return error_set(error, ERROR_USAGE,
                             "--embedder %s: which model? add --embed-model NAME",
                             buf_cstr(&e->name));
        buf_text(&e->model, e->settings.model);
        buf_span_add(&e->url, buf_span(&e->name));
        return open_url(e, NULL, error);
    case EMBED_HOSTED: open_hosted(e); return 0;
    case EMBED_CMD: e->child = coproc_open(buf_cstr(&e->rest), NULL); return 0;
    case EMBED_FILE: return open_file(e, error);
    default: return 0;
    }
}

static int kind_of(struct embedder *e, struct span spec, struct error *error)
{
    static const struct {
        const char *prefix;
        enum embed_kind kind;
        bool rest_needed;
    } KINDS[] = {{"ollama:", EMBED_OLLAMA, false}, {"openai:", EMBED_OPENAI, false},
                 {"modal:", EMBED_HOSTED, true},   {"cmd:", EMBED_CMD, true},
                 {"file:", EMBED_FILE, true},      {"key:", EMBED_KEY, true}};
    buf_span_add(&e->name, spec);
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        struct span prefix = span_text(KINDS[i].prefix);
        if (!span_starts(spec, prefix))
            continue;
        e->kind = KINDS[i].kind;
        buf_span_add(&e->rest, span_slice(spec, prefix.len, spec.len));
        if (KINDS[i].rest_needed && !e->rest.len)
            break;
        return 0;
    }
    if (span_is(spec, "hash") || span_is(spec, EMBED_HASH_NAME)) {
        buf_clear(&e->name);
        buf_text(&e->name, EMBED_HASH_NAME);
        return 0;
    }
    if (span_is(spec, "hosted") || span_is(spec, "modal")) {
        e->kind = EMBED_HOSTED;
        return 0;
    }
    if (span_starts(spec, SPAN("https://")) || span_starts(spec, SPAN("http://"))) {
        e->kind = EMBED_URL;
        return 0;
    }
    return error_set(error, ERROR_USAGE,
                     "--embedder %.*s: there are hash, ollama:MODEL, openai:MODEL, hosted, a URL, "
                     "cmd:COMMAND, file:FILE, key:KEY",
                     (int)spec.len, spec.ptr);
}

struct embedder *embedder_open(const char *spec, const struct embedder_settings *settings,
                               struct error *error)
{
    struct embedder *e = mem_zero(1, sizeof *e);
    e->settings = *settings;
    int code = kind_of(e, span_text(spec ? spec : "hash"), error);
    if (code == 0)
        code = open_kind(e, error);
    if (code < 0) {
        embedder_close(e);
        return NULL;
    }
    buf_cstr(&e->name);
    buf_cstr(&e->rest);
    return e;
}

void embedder_close(struct embedder *e)
{
    if (!e)
        return;
    if (e->child)
        coproc_close(e->child);
    key_free(&e->key);
    map_free(&e->texts);
    free(e->json);
    buf_free(&e->text);
    buf_free(&e->name);
    buf_free(&e->url);
    buf_free(&e->model);
    buf_free(&e->rest);
    free(e);
}

const char *embedder_name(const struct embedder *e)
{
    return e->name.data;
}

bool embedder_semantic(const struct embedder *e)
{
    return e->kind != EMBED_HASH;
}

bool embedder_fell_back(const struct embedder *e)
{
    return e->fell_back;
}

const char *embedder_key(const struct embedder *e)
{
    return e->kind == EMBED_KEY ? e->rest.data : NULL;
}
