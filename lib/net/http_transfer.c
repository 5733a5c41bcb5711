/* http_transfer.c: one attempt of a call by libcurl: the easy handle's settings, what arrives, what
 * a failure means, where a redirect may lead. */
#include "net/http_inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

void http_fail(struct http_call *call, enum http_failure failure, const char *what)
{
    struct buf host = {0}, text = {0};
    if (call->url.host.len)
        url_host_add(&call->url, &host);
    buf_format(&text, "%s%s%s", buf_cstr(&host), host.len ? ": " : "", what);
    http_redact(&call->request, &text);
    call->reply.failure = failure;
    error_set(&call->reply.error, ERROR_REMOTE, "%s", buf_cstr(&text));
    buf_clear(&call->reply.body);
    buf_free(&host);
    buf_free(&text);
}

static void cut_out(struct buf *bytes, struct span secret)
{
    if (secret.len < SECRET_MIN)
        return;
    size_t at = 0;
    while ((at = span_find(buf_span(bytes), secret, at)) != (size_t)-1) {
        memset(bytes->data + at, '*', 3);
        memmove(bytes->data + at + 3, bytes->data + at + secret.len, bytes->len - at - secret.len);
        bytes->len -= secret.len - 3;
    }
}

void http_redact(const struct http_request *request, struct buf *bytes)
{
    static const struct span BEARER = {"Bearer ", 7};
    for (size_t i = 0; i < request->n_headers; i++) {
        struct span value = request->headers[i].value;
        if (!request->headers[i].secret)
            continue;
        if (span_starts(value, BEARER))
            value = span_slice(value, BEARER.len, value.len);
        cut_out(bytes, value);
    }
}

/* ---- what arrives ---------------------------------------------------------------------------- */

static size_t on_body(char *bytes, size_t one, size_t count, void *context)
{
    struct http_call *call = context;
    size_t max = call->request.response_max ? call->request.response_max : HTTP_RESPONSE_MAX;
    size_t len = one * count;
    if (len > max - call->reply.body.len) {
        call->too_large = true;
        return 0;
    }
    if (call->reply.first_ms == 0)
        call->reply.first_ms = (double)(http_now() - call->began) / 1000.0;
    buf_add(&call->reply.body, bytes, len);
    if (call->request.on_data && call->reply.status >= 200 && call->reply.status < 300)
        call->request.on_data(call->request.data, call->reply.attempts, span_make(bytes, len));
    return len;
}

static bool header_value(struct span line, const char *name, struct span *value)
{
    size_t n = strlen(name);
    if (line.len <= n || strncasecmp(line.ptr, name, n) != 0 || line.ptr[n] != ':')
        return false;
    *value = span_slice(line, n + 1, line.len);
    while (value->len && strchr(" \t\r\n", value->ptr[value->len - 1]))
        value->len--;
    while (value->len && strchr(" \t", value->ptr[0]))
        *value = span_slice(*value, 1, value->len);
    return true;
}

bool http_reply_header(const struct http_reply *reply, const char *name, struct span *value)
{
    struct span left = buf_span(&reply->headers);
    bool found = false;
    while (left.len) {
        size_t end = span_find(left, SPAN("\n"), 0);
        end = end == (size_t)-1 ? left.len : end + 1;
        found |= header_value(span_slice(left, 0, end), name, value);
        left = span_slice(left, end, left.len);
    }
    return found;
}

/* Seconds, or an HTTP date. */
static void read_wait(struct http_call *call, struct span value, double unit)
{
    char text[64], *end;
    if (value.len == 0 || value.len >= sizeof text)
        return;
    memcpy(text, value.ptr, value.len);
    text[value.len] = 0;
    double wait = strtod(text, &end) * unit;
    if (*end || end == text) {
        time_t when = curl_getdate(text, NULL);
        if (when < 0)
            return;
        wait = difftime(when, time(NULL));
    }
    if (wait == wait)
        call->asked_wait = wait < 0 ? 0 : wait > HTTP_RETRY_AFTER_CAP ? HTTP_RETRY_AFTER_CAP : wait;
}

static size_t on_header(char *bytes, size_t one, size_t count, void *context)
{
    struct http_call *call = context;
    struct span line = span_make(bytes, one * count), value;
    call->header_bytes += line.len;
    if (call->header_bytes > HTTP_HEADERS_MAX) {
        call->too_large = true;
        return 0;
    }
    if (span_starts(line, SPAN("HTTP/"))) { /* 100 Continue comes before the one that counts */
        size_t space = span_find(line, SPAN(" "), 0);
        call->reply.status = space == (size_t)-1 ? 0 : atoi(bytes + space + 1);
        call->asked_wait = -1;
        buf_clear(&call->reply.type);
        buf_clear(&call->reply.headers);
    } else if (header_value(line, "Content-Type", &value)) {
        buf_clear(&call->reply.type);
        buf_span_add(&call->reply.type, value);
    } else if (header_value(line, "retry-after-ms", &value)) {
        read_wait(call, value, 1e-3);
    } else if (header_value(line, "Retry-After", &value) && call->asked_wait < 0) {
        read_wait(call, value, 1);
    }
    if (call->request.keep_headers)
        buf_span_add(&call->reply.headers, line);
    return line.len;
}

/* A child process must not inherit a connection. */
static curl_socket_t on_open_socket(void *context, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- an attempt ------------------------------------------------------------------------------ */

static bool header_good(const struct http_header *h)
{
    for (size_t i = 0; i < h->value.len; i++)
        if ((unsigned char)h->value.ptr[i] < ' ' && h->value.ptr[i] != '\t')
            return false;
    return true;
}

static bool secret_may_go(const struct http_call *call)
{
    if (url_same_origin(&call->url, &call->origin))
        return true;
    return call->request.secret_goes && (call->url.secure || url_loopback(&call->url)) &&
           call->request.secret_goes(&call->url);
}

static int headers_set(struct http_call *call)
{
    struct buf line = {0};
    bool secret = secret_may_go(call);
    /* No "Expect: 100-continue": a server that does not answer it costs a second. */
    call->headers = curl_slist_append(NULL, "Expect:");
    for (size_t i = 0; i < call->request.n_headers; i++) {
        const struct http_header *h = &call->request.headers[i];
        if (!header_good(h)) {
            buf_format(&line, "the header %s would hold a line break; mend the key's variable",
                       h->name);
            http_fail(call, HTTP_REFUSED, buf_cstr(&line));
            buf_free(&line);
            return -1;
        }
        if ((h->secret && !secret) || (call->by_get && strcasecmp(h->name, "Content-Type") == 0))
            continue;
        buf_clear(&line);
        buf_format(&line, h->value.len ? "%s: " : "%s;", h->name);
        buf_span_add(&line, h->value);
        call->headers = curl_slist_append(call->headers, buf_cstr(&line));
    }
    if (line.data)
        memset(line.data, 0, line.len);
    buf_free(&line);
    return 0;
}

static void method_set(struct http_call *call, CURL *e)
{
    const struct http_request *r = &call->request;
    bool body = r->has_body && !call->by_get;
    const char *method = call->by_get ? "GET" : r->method ? r->method : body ? "POST" : "GET";
    if (body) {
        curl_easy_setopt(e, CURLOPT_POST, 1L);
        curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        curl_easy_setopt(e, CURLOPT_POSTFIELDS, r->body.len ? r->body.ptr : "");
    }
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
    else if (strcmp(method, body ? "POST" : "GET") != 0)
        curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, method);
}

static void safety_set(struct http_call *call, CURL *e)
{
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L); /* http_redirected decides */
    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);     /* a signature covers the path as it is */
    curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    if (url_loopback(&call->url))
        curl_easy_setopt(e, CURLOPT_PROXY, ""); /* none */
    if (call->client->ca_file)
        curl_easy_setopt(e, CURLOPT_CAINFO, call->client->ca_file);
    if (call->client->ca_folder)
        curl_easy_setopt(e, CURLOPT_CAPATH, call->client->ca_folder);
}

static void times_set(struct http_call *call, CURL *e)
{
    long left = (long)((call->deadline - http_now()) / 1000);
    long connect = (long)(HTTP_CONNECT_S * 1000);
    curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, left < 1 ? 1L : left);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, connect);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
}

int http_transfer_begin(struct http_call *call)
{
    if (headers_set(call) < 0)
        return -1;
    CURL *e = call->easy = curl_easy_init();
    if (!e)
        mem_out_of_memory(sizeof *call);
    call->header_bytes = 0;
    call->asked_wait = -1;
    call->too_large = false;
    call->curl_says[0] = 0;
    call->reply.status = 0;
    buf_clear(&call->reply.body);
    buf_clear(&call->reply.type);
    curl_easy_setopt(e, CURLOPT_URL, buf_cstr(&call->url_text));
    curl_easy_setopt(e, CURLOPT_PRIVATE, call);
    curl_easy_setopt(e, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(e, CURLOPT_USERAGENT, "wai/" WAI_VERSION);
    curl_easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(e, CURLOPT_PIPEWAIT, call->url.secure ? 1L : 0L);
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, call->curl_says);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    /* libcurl repeats a request by itself when a kept connection turns out to be closed. */
    if (call->request.retry != HTTP_RETRY_ANY)
        curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
    method_set(call, e);
    safety_set(call, e);
    times_set(call, e);
    return 0;
}

void http_transfer_free(struct http_call *call)
{
    if (call->easy)
        curl_easy_cleanup(call->easy);
    for (struct curl_slist *h = call->headers; h; h = h->next)
        memset(h->data, 0, strlen(h->data));
    curl_slist_free_all(call->headers);
    call->easy = NULL;
    call->headers = NULL;
}

static enum http_failure failure_of(const struct http_call *call, CURLcode code)
{
    if (call->too_large)
        return HTTP_TOO_LARGE;
    switch (code) {
    case CURLE_OK: return HTTP_OK;
    case CURLE_OPERATION_TIMEDOUT:
        return http_now() + 10000 >= call->deadline ? HTTP_TIMED_OUT : HTTP_UNREACHABLE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PROXY: return HTTP_UNREACHABLE;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return HTTP_UNTRUSTED;
    case CURLE_URL_MALFORMAT: return HTTP_REFUSED;
    default: return HTTP_DROPPED;
    }
}

void http_transfer_end(struct http_call *call, CURLcode code)
{
    enum http_failure failure = failure_of(call, code);
    const char *says = call->curl_says[0] ? call->curl_says : curl_easy_strerror(code);
    long version = 0;
    call->reply.failure = failure;
    call->reply.ms = (double)(http_now() - call->began) / 1000.0;
    curl_easy_getinfo(call->easy, CURLINFO_HTTP_VERSION, &version);
    snprintf(call->reply.http, sizeof call->reply.http, "%s",
             version >= CURL_HTTP_VERSION_3     ? "3"
             : version >= CURL_HTTP_VERSION_2_0 ? "2"
             : version == CURL_HTTP_VERSION_1_0 ? "1.0"
                                                : "1.1");
    struct buf text = {0};
    switch (failure) {
    case HTTP_OK: http_redact(&call->request, &call->reply.body); break;
    case HTTP_TIMED_OUT:
        buf_format(&text,
                   "no whole reply within %g s; a cold endpoint takes minutes, --timeout "
                   "gives it longer",
                   call->request.timeout_s > 0 ? call->request.timeout_s : HTTP_TIMEOUT_S);
        break;
    case HTTP_TOO_LARGE: buf_text(&text, "the reply is larger than a reply may be"); break;
    case HTTP_UNTRUSTED:
        buf_format(&text, "%s; SSL_CERT_FILE names certificates of your own", says);
        break;
    default: buf_text(&text, says);
    }
    if (failure != HTTP_OK)
        http_fail(call, failure, buf_cstr(&text));
    buf_free(&text);
}

/* ---- redirects ------------------------------------------------------------------------------- */

static const char *redirect_fault(const struct http_call *call, const struct url *to)
{
    if (call->request.redirect == HTTP_REDIRECT_ORIGIN && !url_same_origin(to, &call->origin))
        return "redirects to another place; name that address itself if you trust it";
    if (call->url.secure && !to->secure)
        return "redirects from https to http, which is not followed";
    if (url_loopback(to) && !url_loopback(&call->url))
        return "redirects to this machine, which is not followed";
    if (call->hops >= HTTP_REDIRECTS)
        return "redirects without end";
    return NULL;
}

int http_redirected(struct http_call *call)
{
    char *where = NULL;
    struct url to;
    int status = call->reply.status;
    if (call->request.redirect == HTTP_REDIRECT_NEVER || call->reply.failure != HTTP_OK ||
        !(status == 301 || status == 302 || status == 303 || status == 307 || status == 308))
        return 0;
    curl_easy_getinfo(call->easy, CURLINFO_REDIRECT_URL, &where);
    if (!where)
        return 0;
    const char *fault = "redirects to what is no address";
    if (url_parse(span_text(where), &to, NULL) == 0)
        fault = redirect_fault(call, &to);
    if (fault) {
        http_fail(call, HTTP_REFUSED, fault);
        return 0;
    }
    call->hops++;
    if (call->request.redirect == HTTP_REDIRECT_GET || status == 303 ||
        (status <= 302 && call->request.has_body))
        call->by_get = true;
    buf_clear(&call->url_text);
    buf_text(&call->url_text, where);
    buf_cstr(&call->url_text); /* the pieces borrow it: it must not move later */
    url_parse(buf_span(&call->url_text), &call->url, NULL);
    return 1;
}
