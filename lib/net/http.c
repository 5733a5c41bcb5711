/* http.c: what callers of the HTTP client see; http_loop.c does the work. See http.h. */
#include "net/http_inside.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"

int64_t http_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* As many requests at a time as there may be sockets. */
static int within_files(int per_host)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return per_host;
    rlim_t wanted = (rlim_t)per_host + HTTP_FILES_SPARE;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < wanted) {
        rlim_t cap =
            limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
        struct rlimit raised = {cap, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit.rlim_cur = cap;
    }
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return per_host;
    return limit.rlim_cur > 2 * HTTP_FILES_SPARE ? (int)limit.rlim_cur - HTTP_FILES_SPARE
                                                 : HTTP_FILES_SPARE;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static int client_start(struct http_client *c, struct error *error)
{
    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    c->multi = curl_multi_init();
    if (c->epoll < 0 || c->wake < 0 || !c->multi)
        return error_errno(error, ERROR_SYSTEM, "the HTTP client cannot start");
    struct epoll_event wake = {.events = EPOLLIN, .data.fd = c->wake};
    struct epoll_event signal = {.events = EPOLLIN, .data.fd = signals_descriptor()};
    if (epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->wake, &wake) < 0 ||
        (signal.data.fd >= 0 && epoll_ctl(c->epoll, EPOLL_CTL_ADD, signal.data.fd, &signal) < 0))
        return error_errno(error, ERROR_SYSTEM, "the HTTP client cannot start");
    int code = pthread_create(&c->thread, NULL, http_loop, c);
    return code == 0 ? 0
                     : error_set(error, ERROR_SYSTEM, "the HTTP client cannot start a thread: %s",
                                 strerror(code));
}

static void client_free(struct http_client *c)
{
    if (c->multi)
        curl_multi_cleanup(c->multi);
    if (c->epoll >= 0)
        close(c->epoll);
    if (c->wake >= 0)
        close(c->wake);
    for (size_t i = 0; i < c->host_names.count; i++)
        free(c->hosts[i]);
    free(c->hosts);
    map_free(&c->host_names);
    free(c->heap);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

struct http_client *http_open(const struct http_settings *settings, struct error *error)
{
    if (curl_late_open(error) < 0)
        return NULL;
    struct http_client *c = mem_zero(1, sizeof *c);
    c->settings = *settings;
    c->per_host = within_files(settings->per_host > 0 ? settings->per_host : HTTP_PER_HOST);
    c->curl_due = -1;
    c->epoll = c->wake = -1;
    c->ca_file = variable("SSL_CERT_FILE");
    c->ca_folder = variable("SSL_CERT_DIR");
    rng_seed(&c->rng, (int64_t)settings->seed);
    pthread_mutex_init(&c->lock, NULL);
    if (client_start(c, error) < 0) {
        client_free(c);
        return NULL;
    }
    return c;
}

static void wake(struct http_client *c)
{
    uint64_t one = 1;
    ssize_t written = write(c->wake, &one, sizeof one); /* full: it is awake already */
    (void)written;
}

void http_close(struct http_client *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_mutex_unlock(&c->lock);
    wake(c);
    pthread_join(c->thread, NULL);
    client_free(c);
}

struct http_call *http_start(struct http_client *c, const struct http_request *request,
                             void (*done)(void *data, struct http_call *call), void *data)
{
    struct http_call *call = mem_zero(1, sizeof *call);
    call->client = c;
    call->request = *request;
    call->done = done;
    call->data = data;
    call->retries_left = request->retries == 0 ? HTTP_RETRIES : request->retries;
    call->slow_left = HTTP_SLOW_RETRIES;
    call->asked_wait = -1;
    buf_span_add(&call->url_text, request->url);
    pthread_cond_init(&call->ended, NULL);
    pthread_mutex_lock(&c->lock);
    if (c->incoming_last)
        c->incoming_last->next = call;
    else
        c->incoming = call;
    c->incoming_last = call;
    pthread_mutex_unlock(&c->lock);
    wake(c);
    return call;
}

static int code_of(enum http_failure failure)
{
    switch (failure) {
    case HTTP_OK: return 0;
    case HTTP_REFUSED: return ERROR_USAGE;
    case HTTP_CANCELLED: return signals_caught() ? ERROR_INTERRUPTED : ERROR_REMOTE;
    default: return ERROR_REMOTE;
    }
}

static void forget_cancel(struct http_client *c, struct http_call *call)
{
    for (struct http_call **at = &c->cancels; *at; at = &(*at)->next_cancel) {
        if (*at == call) {
            *at = call->next_cancel;
            return;
        }
    }
}

int http_wait(struct http_call *call, struct http_reply *reply, struct error *error)
{
    struct http_client *c = call->client;
    pthread_mutex_lock(&c->lock);
    while (!call->finished)
        pthread_cond_wait(&call->ended, &c->lock);
    forget_cancel(c, call);
    pthread_mutex_unlock(&c->lock);
    http_reply_free(reply);
    *reply = call->reply;
    pthread_cond_destroy(&call->ended);
    buf_free(&call->url_text);
    buf_free(&call->origin_text);
    free(call);
    int code = code_of(reply->failure);
    if (code < 0) {
        reply->error.code = code;
        if (error)
            *error = reply->error;
    }
    return code;
}

void http_cancel(struct http_call *call)
{
    struct http_client *c = call->client;
    pthread_mutex_lock(&c->lock);
    if (!call->in_cancels && !call->finished) {
        call->in_cancels = true;
        call->next_cancel = c->cancels;
        c->cancels = call;
    }
    pthread_mutex_unlock(&c->lock);
    wake(c);
}

int http_send(struct http_client *c, const struct http_request *request, struct http_reply *reply,
              struct error *error)
{
    return http_wait(http_start(c, request, NULL, NULL), reply, error);
}

void http_reply_free(struct http_reply *reply)
{
    buf_free(&reply->body);
    buf_free(&reply->type);
    buf_free(&reply->headers);
    *reply = (struct http_reply){0};
}

const char *http_failure_name(enum http_failure failure)
{
    static const char *const NAMES[] = {"ok",        "unreachable", "untrusted", "dropped",
                                        "timed_out", "too_large",   "refused",   "cancelled"};
    return NAMES[failure];
}

bool http_status_passing(int status)
{
    switch (status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
    case 529: return true;
    default: return false;
    }
}
