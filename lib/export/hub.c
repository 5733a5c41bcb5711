/* hub.c: who and where, and one request to the Hub: addresses, the token, what its refusals mean. */
#include "export/hub.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/signals.h"
#include "export/defaults.h"
#include "export/hub_inside.h"
#include "net/credentials.h"
#include "net/defaults.h"
#include "text/fold.h"

/* ---- who and where ----------------------------------------------------------------------------- */

/* The file that a login left; a missing one is no error. */
static int read_login(struct buf *token, struct error *error)
{
    struct buf path = {0}, text = {0};
    struct span value;
    int code = 0;
    if (environment_value("HF_TOKEN_PATH", &value)) {
        buf_span_add(&path, value);
    } else if (environment_value("HF_HOME", &value)) {
        buf_span_add(&path, value);
        buf_text(&path, "/token");
    } else if (environment_value("HOME", &value)) {
        buf_span_add(&path, value);
        buf_text(&path, "/.cache/huggingface/token");
    }
    FILE *there = path.len ? fopen(buf_cstr(&path), "re") : NULL;
    if (there) {
        fclose(there);
        code = file_read(buf_cstr(&path), HUB_TOKEN_MAX, &text, error);
        buf_span_add(token, text_strip(buf_span(&text)));
    }
    if (text.data)
        explicit_bzero(text.data, text.cap);
    buf_free(&text);
    buf_free(&path);
    return code;
}

static int read_token(struct hub *hub, bool needed, struct error *error)
{
    struct buf token = {0};
    struct span value;
    int code = 0;
    if (environment_value("HF_TOKEN", &value))
        buf_span_add(&token, value);
    else
        code = read_login(&token, error);
    if (code == 0 && token.len && !hub->place.secure && !url_loopback(&hub->place))
        code = error_set(error, ERROR_REMOTE,
                         "HF_ENDPOINT is plain http on another machine, and the token does not go "
                         "there; use https");
    if (code == 0 && !token.len && needed)
        code = error_set(error, ERROR_REMOTE,
                         "the Hub asks for a token to write; set HF_TOKEN to one that may write");
    if (code == 0 && token.len) {
        buf_text(&hub->bearer, "Bearer ");
        buf_span_add(&hub->bearer, buf_span(&token));
    }
    if (token.data)
        explicit_bzero(token.data, token.cap);
    buf_free(&token);
    return code;
}

struct hub *hub_open(bool need_token, struct error *error)
{
    struct hub *hub = mem_zero(1, sizeof *hub);
    struct http_settings settings = {0};
    struct span value;
    if (!environment_value("HF_ENDPOINT", &value))
        value = SPAN(HUB_ENDPOINT);
    while (value.len && value.ptr[value.len - 1] == '/')
        value.len--;
    buf_span_add(&hub->endpoint, value);
    buf_cstr(&hub->endpoint);
    int code = url_parse(buf_span(&hub->endpoint), &hub->place, error);
    if (code == 0 && hub->place.query.len)
        code = error_set(error, ERROR_USAGE, "the address has a query; leave it out");
    if (code < 0)
        error_prefix(error, "HF_ENDPOINT");
    else
        code = read_token(hub, need_token, error);
    if (code == 0) {
        hub->http = http_open(&settings, error);
        code = hub->http ? 0 : error->code;
    }
    if (code == 0)
        return hub;
    hub_close(hub);
    return NULL;
}

void hub_close(struct hub *hub)
{
    if (!hub)
        return;
    if (hub->http)
        http_close(hub->http);
    if (hub->bearer.data)
        explicit_bzero(hub->bearer.data, hub->bearer.cap);
    buf_free(&hub->bearer);
    buf_free(&hub->endpoint);
    free(hub);
}

static bool is_half(const char *text, size_t len)
{
    static const char MARKS[] = "-_.";
    if (len == 0 || len > HUB_NAME_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool mark = strchr(MARKS, c) != NULL;
        if (!letter && !(mark && i > 0 && i + 1 < len) && !(c == '_' && i + 1 < len))
            return false;
        if (i && mark && c != '_' && text[i - 1] == c)
            return false; /* neither .. nor -- */
    }
    return true;
}

int hub_check_name(const char *name, struct error *error)
{
    const char *slash = strchr(name, '/');
    if (!slash || !is_half(name, (size_t)(slash - name)) || !is_half(slash + 1, strlen(slash + 1)))
        return error_set(
            error, ERROR_USAGE,
            "\"%s\" is no name of a repository; it is NS/NAME, of letters, digits, - _ "
            ". (no -- and no ..)",
            name);
    return 0;
}

/* ---- one request --------------------------------------------------------------------------------
 */

struct span hub_url(const struct hub *hub, struct buf *url, const char *path)
{
    buf_clear(url);
    buf_span_add(url, buf_span(&hub->endpoint));
    buf_text(url, path);
    return buf_span(url);
}

void hub_escape_path(struct span path, struct buf *url)
{
    while (path.len) {
        size_t end = span_find(path, SPAN("/"), 0);
        bool more = end != (size_t)-1;
        url_escape_add(span_slice(path, 0, more ? end : path.len), url);
        if (more)
            buf_byte(url, '/');
        path = span_slice(path, more ? end + 1 : path.len, path.len);
    }
}

void hub_start(struct hub *hub, const struct hub_ask *ask, struct hub_sent *sent)
{
    struct http_request request = {
        .method = ask->method,
        .url = ask->url,
        .headers = sent->headers,
        .has_body = ask->body.ptr != NULL,
        .body = ask->body,
        .timeout_s = HTTP_TIMEOUT_S + (double)ask->body.len / HUB_SLOWEST,
        .response_max = ask->response_max,
        .retry = ask->once ? HTTP_RETRY_UNSENT : HTTP_RETRY_ANY,
        .retries = HUB_RETRIES,
        .redirect = ask->redirect ? HTTP_REDIRECT_GET : HTTP_REDIRECT_NEVER,
        .keep_headers = ask->keep_headers,
    };
    if (request.has_body)
        sent->headers[request.n_headers++] = (struct http_header){
            "Content-Type", span_text(ask->type ? ask->type : "application/json"), false};
    if (ask->range) {
        /* The bytes of the file, not of its compressed form. */
        sent->headers[request.n_headers++] =
            (struct http_header){"Range", span_text(ask->range), false};
        sent->headers[request.n_headers++] =
            (struct http_header){"Accept-Encoding", SPAN("identity"), false};
    }
    if (hub->bearer.len && !ask->anonymous)
        sent->headers[request.n_headers++] =
            (struct http_header){"Authorization", buf_span(&hub->bearer), true};
    sent->call = http_start(hub->http, &request, NULL, NULL);
}

int hub_send(struct hub *hub, const struct hub_ask *ask, struct http_reply *reply,
             struct error *error)
{
    struct hub_sent sent;
    hub_start(hub, ask, &sent);
    return http_wait(sent.call, reply, error);
}

/* {"error": "…"}, {"message": "…"}, or the text as it is. */
static void add_words(const struct http_reply *reply, struct buf *out)
{
    struct json_value value, words;
    struct json_fault fault;
    struct span text = text_strip(buf_span(&reply->body));
    struct buf scratch = {0};
    if (json_scan(text, &value, NULL, &fault) == 0) {
        bool named =
            json_get(value, SPAN("error"), &words) || json_get(value, SPAN("message"), &words);
        text = named && words.type == JSON_VALUE_STRING ? json_text(words, &scratch) : SPAN("");
    } else if (text.len && text.ptr[0] == '<') {
        text = SPAN(""); /* a page of a proxy */
    }
    if (text.len) {
        buf_text(out, " (");
        buf_span_add(out,
                     span_slice(text, 0, text.len < HUB_ERROR_SHOWN ? text.len : HUB_ERROR_SHOWN));
        buf_byte(out, ')');
    }
    buf_free(&scratch);
}

int hub_check(struct hub *hub, const struct http_reply *reply, const char *what,
              struct error *error)
{
    struct buf host = {0}, words = {0};
    int status = reply->status;
    const char *mend = status == 401   ? "; check HF_TOKEN"
                       : status == 403 ? "; the token may not do that: take one with write access"
                       : status == 404 ? "; check the name, and HF_TOKEN when it is private"
                       : status == 413 ? "; it is too large for the Hub"
                       : status == 429 ? "; it asks for patience: try again later"
                                       : "; try again later";
    if (status >= 200 && status < 300)
        return 0;
    url_host_add(&hub->place, &host);
    add_words(reply, &words);
    error_set(error, ERROR_REMOTE, "%s: %s: it answers %d%s%s", buf_cstr(&host), what, status,
              buf_cstr(&words), mend);
    buf_free(&host);
    buf_free(&words);
    return ERROR_REMOTE;
}

int hub_ask(struct hub *hub, const struct hub_ask *ask, const char *what, struct http_reply *reply,
            struct json_value *value, struct error *error)
{
    struct json_fault fault;
    int code = hub_send(hub, ask, reply, error);
    if (code == 0)
        code = hub_check(hub, reply, what, error);
    if (code == 0 && json_scan(buf_span(&reply->body), value, NULL, &fault) < 0)
        code = error_set(error, ERROR_REMOTE, "%s: %s: its reply is not JSON; check HF_ENDPOINT",
                         buf_cstr(&hub->endpoint), what);
    return code;
}

struct span hub_text(struct json_value object, const char *key, struct arena *arena)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text = SPAN("");
    if (json_get(object, span_text(key), &value) && value.type == JSON_VALUE_STRING)
        text = arena_span(arena, json_text(value, &scratch));
    buf_free(&scratch);
    return text;
}

bool hub_wait(double seconds)
{
    struct pollfd signal = {.fd = signals_descriptor(), .events = POLLIN};
    if (signals_caught())
        return false;
    poll(&signal, signal.fd >= 0 ? 1 : 0, (int)(seconds * 1000));
    return !signals_caught();
}

void hub_say(const struct hub_events *events, bool warning, const char *format, ...)
{
    struct buf line = {0};
    va_list args;
    if (!events->say)
        return;
    va_start(args, format);
    buf_vformat(&line, format, args);
    va_end(args);
    events->say(events->data, warning, buf_cstr(&line));
    buf_free(&line);
}
