/* http_loop.c: the client's thread: takes calls in, gives each host its share, waits before
 * retries, drives libcurl by epoll, and ends calls. */
#include "net/http_inside.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/signals.h"

enum { EVENTS = 256 }; /* taken from epoll at once */

/* ---- waits: a binary heap, the earliest first ------------------------------------------------ */

static void heap_put(struct http_client *c, size_t at, struct http_call *call)
{
    c->heap[at] = call;
    call->heap_at = at;
}

static void heap_up(struct http_client *c, size_t at)
{
    struct http_call *call = c->heap[at];
    for (; at > 0 && c->heap[(at - 1) / 2]->due > call->due; at = (at - 1) / 2)
        heap_put(c, at, c->heap[(at - 1) / 2]);
    heap_put(c, at, call);
}

static void heap_down(struct http_client *c, size_t at)
{
    struct http_call *call = c->heap[at];
    for (size_t child; (child = 2 * at + 1) < c->heap_count; at = child) {
        if (child + 1 < c->heap_count && c->heap[child + 1]->due < c->heap[child]->due)
            child++;
        if (c->heap[child]->due >= call->due)
            break;
        heap_put(c, at, c->heap[child]);
    }
    heap_put(c, at, call);
}

static void heap_add(struct http_client *c, struct http_call *call)
{
    c->heap = mem_grow(c->heap, &c->heap_cap, c->heap_count + 1, sizeof *c->heap);
    heap_put(c, c->heap_count++, call);
    heap_up(c, call->heap_at);
    call->place = PLACE_WAITING;
}

static void heap_remove(struct http_client *c, struct http_call *call)
{
    size_t at = call->heap_at;
    struct http_call *last = c->heap[--c->heap_count];
    if (last == call)
        return;
    heap_put(c, at, last);
    heap_up(c, at);
    heap_down(c, last->heap_at);
}

/* ---- a call's end ---------------------------------------------------------------------------- */

static void call_end(struct http_client *c, struct http_call *call)
{
    http_transfer_free(call);
    call->place = PLACE_ENDED;
    if (call->before)
        call->before->after = call->after;
    else
        c->all = call->after;
    if (call->after)
        call->after->before = call->before;
    if (call->done)
        call->done(call->data, call);
    pthread_mutex_lock(&c->lock);
    call->finished = true;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&c->lock);
}

static void queue_remove(struct http_host *host, struct http_call *call)
{
    struct http_call *before = NULL;
    for (struct http_call *at = host->first; at; before = at, at = at->next) {
        if (at != call)
            continue;
        if (before)
            before->next = at->next;
        else
            host->first = at->next;
        if (host->last == at)
            host->last = before;
        return;
    }
}

static void call_cancel(struct http_client *c, struct http_call *call)
{
    switch (call->place) {
    case PLACE_ENDED: return;
    case PLACE_QUEUED: queue_remove(call->host, call); break;
    case PLACE_WAITING: heap_remove(c, call); break;
    case PLACE_RUNNING:
        curl_multi_remove_handle(c->multi, call->easy);
        call->host->in_flight--;
        break;
    case PLACE_NEW: break;
    }
    http_fail(call, HTTP_CANCELLED, c->interrupted ? "interrupted" : "given up");
    call_end(c, call);
}

/* ---- turns at a host ------------------------------------------------------------------------- */

static void host_queue(struct http_call *call, bool in_front)
{
    struct http_host *host = call->host;
    call->place = PLACE_QUEUED;
    call->queued = http_now();
    call->next = in_front ? host->first : NULL;
    if (in_front)
        host->first = call;
    else if (host->last)
        host->last->next = call;
    else
        host->first = call;
    if (!in_front || !host->last)
        host->last = call;
}

static bool call_run(struct http_client *c, struct http_call *call)
{
    int64_t now = http_now();
    double limit = call->request.timeout_s > 0 ? call->request.timeout_s : HTTP_TIMEOUT_S;
    if (!call->began) {
        call->began = now;
        call->deadline = now + (int64_t)(fmin(limit, 1e7) * 1e6);
    } else {
        call->deadline += now - call->queued; /* waiting for a turn is not the host's time */
    }
    call->attempt_began = now;
    call->reply.attempts++;
    if (http_transfer_begin(call) < 0 || curl_multi_add_handle(c->multi, call->easy) != CURLM_OK) {
        if (call->reply.failure == HTTP_OK)
            http_fail(call, HTTP_REFUSED, "the request cannot be made");
        call_end(c, call);
        return false;
    }
    call->place = PLACE_RUNNING;
    return true;
}

static void host_pump(struct http_client *c, struct http_host *host)
{
    while (host->first && host->in_flight < host->limit) {
        struct http_call *call = host->first;
        host->first = call->next;
        if (!host->first)
            host->last = NULL;
        call->next = NULL;
        if (call_run(c, call))
            host->in_flight++;
    }
}

static struct http_host *host_of(struct http_client *c, const struct url *url)
{
    struct buf name = {0};
    bool fresh;
    buf_format(&name, "%d:%u:", url->secure, url->port);
    for (size_t i = 0; i < url->host.len; i++) {
        char letter = url->host.ptr[i];
        buf_byte(&name, letter >= 'A' && letter <= 'Z' ? (char)(letter | 0x20) : letter);
    }
    size_t number = map_add(&c->host_names, buf_span(&name), &fresh);
    buf_free(&name);
    if (fresh) {
        c->hosts = mem_grow(c->hosts, &c->hosts_cap, number + 1, sizeof *c->hosts);
        c->hosts[number] = mem_zero(1, sizeof **c->hosts);
        c->hosts[number]->limit = c->per_host;
    }
    return c->hosts[number];
}

static void host_learns(struct http_client *c, const struct http_call *call)
{
    struct http_host *host = call->host;
    if (call->reply.failure != HTTP_OK)
        return;
    if (call->reply.status == 429 && call->attempt_began >= host->halved) {
        int half = host->in_flight / 2;
        int least = c->per_host < HTTP_PER_HOST_LEAST ? c->per_host : HTTP_PER_HOST_LEAST;
        host->limit = half > least ? half : least;
        host->halved = http_now();
        host->successes = 0;
    } else if (call->reply.status < 400 && host->limit < c->per_host &&
               ++host->successes % HTTP_REGAIN_SUCCESSES == 0) {
        host->limit++;
    }
}

/* ---- after an attempt ------------------------------------------------------------------------ */

/* Whether it may be tried again, and how long to wait first. */
static bool retry_wait(struct http_client *c, struct http_call *call, double *wait)
{
    const struct http_request *r = &call->request;
    const struct http_reply *reply = &call->reply;
    bool unsent = reply->failure == HTTP_UNREACHABLE;
    if (r->retry == HTTP_RETRY_NEVER || (r->retry == HTTP_RETRY_UNSENT && !unsent))
        return false;
    if (reply->failure == HTTP_OK) {
        if (reply->status >= 200 && reply->status < 300)
            return false;
        enum http_again again =
            r->again ? r->again(reply->status, buf_span(&reply->body)) : HTTP_AGAIN_BY_STATUS;
        if (again == HTTP_AGAIN_SLOWLY && call->slow_left > 0) {
            call->slow_left--;
            *wait = call->asked_wait >= 0 ? call->asked_wait : HTTP_SLOW_RETRY_S;
            return true;
        }
        if (again != HTTP_AGAIN_BY_STATUS || !http_status_passing(reply->status))
            return false;
    } else if (!unsent && reply->failure != HTTP_DROPPED) {
        return false;
    }
    if (call->retries_left <= 0)
        return false;
    double usual = HTTP_RETRY_FIRST_S * exp2(reply->retries) *
                   rng_uniform(&c->rng, 1 - HTTP_RETRY_JITTER, 1 + HTTP_RETRY_JITTER);
    call->retries_left--;
    call->reply.retries++;
    *wait = call->asked_wait >= 0 ? call->asked_wait : usual;
    return true;
}

static void trace(struct http_client *c, const struct http_call *call)
{
    if (!c->settings.trace)
        return;
    struct span url = buf_span(&call->url_text);
    url.len -= call->url.query.len;
    const char *method = call->request.method     ? call->request.method
                         : call->request.has_body ? "POST"
                                                  : "GET";
    c->settings.trace(c->settings.trace_data, call->by_get ? "GET" : method, url,
                      call->reply.status, call->reply.body.len,
                      (double)(http_now() - call->attempt_began) / 1000.0);
}

static void attempt_ended(struct http_client *c, struct http_call *call, CURLcode code)
{
    double wait = 0;
    struct http_host *host = call->host; /* a call that has ended may be freed */
    curl_multi_remove_handle(c->multi, call->easy);
    http_transfer_end(call, code);
    trace(c, call);
    int again = http_redirected(call);
    host_learns(c, call);
    host->in_flight--;
    if (again) {
        call->reply.attempts--; /* a hop is no attempt of its own */
        http_transfer_free(call);
        host_queue(call, true);
    } else if (retry_wait(c, call, &wait) && http_now() + (int64_t)(wait * 1e6) < call->deadline) {
        http_transfer_free(call);
        call->due = http_now() + (int64_t)(wait * 1e6);
        call->reply.failure = HTTP_OK;
        heap_add(c, call);
    } else {
        call_end(c, call);
    }
    host_pump(c, host);
}

static void take_ended(struct http_client *c)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(c->multi, &left))) {
        char *call = NULL;
        CURLcode code = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
        attempt_ended(c, (struct http_call *)(void *)call, code);
    }
}

/* ---- libcurl's wishes ------------------------------------------------------------------------ */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
    (void)easy;
    struct http_client *c = context;
    struct epoll_event event = {.data.fd = fd};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, fd, &event);
        return 0;
    }
    event.events = ((what & CURL_POLL_IN) ? EPOLLIN : 0) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0);
    if (epoll_ctl(c->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) < 0)
        epoll_ctl(c->epoll, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
    if (!known)
        curl_multi_assign(c->multi, fd, c);
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *context)
{
    (void)multi;
    struct http_client *c = context;
    c->curl_due = ms < 0 ? -1 : http_now() + (int64_t)ms * 1000;
    return 0;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static void call_enter(struct http_client *c, struct http_call *call)
{
    call->next = NULL;
    call->after = c->all;
    call->before = NULL;
    if (c->all)
        c->all->before = call;
    c->all = call;
    struct error fault = {0};
    buf_cstr(&call->url_text); /* the pieces borrow it: it must not move later */
    if (url_parse(buf_span(&call->url_text), &call->url, &fault) < 0) {
        call->url = (struct url){0};
        http_fail(call, HTTP_REFUSED, fault.text);
        call_end(c, call);
    } else if (c->interrupted || call->cancelled) {
        call_cancel(c, call);
    } else {
        buf_span_add(&call->origin_text, buf_span(&call->url_text));
        buf_cstr(&call->origin_text);
        url_parse(buf_span(&call->origin_text), &call->origin, NULL);
        call->host = host_of(c, &call->url);
        host_queue(call, false);
        host_pump(c, call->host);
    }
}

/* Calls and cancellations that came in. true: the client closes. */
static bool take_incoming(struct http_client *c)
{
    pthread_mutex_lock(&c->lock);
    struct http_call *call = c->incoming;
    bool stop = c->stop;
    c->incoming = c->incoming_last = NULL;
    pthread_mutex_unlock(&c->lock);
    while (call) {
        struct http_call *next = call->next;
        call_enter(c, call);
        call = next;
    }
    for (;;) {
        pthread_mutex_lock(&c->lock);
        call = c->cancels;
        if (call) {
            c->cancels = call->next_cancel;
            if (call->finished) {
                call = NULL; /* its owner may free it from here on */
            } else if (call->place == PLACE_NEW) {
                call->cancelled = true; /* came in since; taken in next time */
                call = NULL;
            }
        }
        bool more = c->cancels != NULL;
        pthread_mutex_unlock(&c->lock);
        if (call) {
            struct http_host *host = call->host;
            call_cancel(c, call);
            if (host)
                host_pump(c, host);
        } else if (!more) {
            return stop;
        }
    }
}

static void cancel_all(struct http_client *c)
{
    while (c->all)
        call_cancel(c, c->all);
}

static void wake_waits(struct http_client *c)
{
    int64_t now = http_now();
    while (c->heap_count && c->heap[0]->due <= now) {
        struct http_call *call = c->heap[0];
        heap_remove(c, call);
        host_queue(call, true);
        host_pump(c, call->host);
    }
}

static int sleep_ms(const struct http_client *c)
{
    int64_t due = c->curl_due;
    if (c->heap_count && (due < 0 || c->heap[0]->due < due))
        due = c->heap[0]->due;
    if (due < 0)
        return -1;
    int64_t ms = (due - http_now() + 999) / 1000;
    return ms < 0 ? 0 : ms > 3600000 ? 3600000 : (int)ms;
}

static void one_event(struct http_client *c, const struct epoll_event *event)
{
    int running, flags = 0;
    if (event->data.fd == c->wake) {
        uint64_t count;
        ssize_t got = read(c->wake, &count, sizeof count);
        (void)got;
        return;
    }
    if (event->data.fd == signals_descriptor()) {
        epoll_ctl(c->epoll, EPOLL_CTL_DEL, event->data.fd, NULL);
        c->interrupted = true;
        cancel_all(c);
        return;
    }
    if (event->events & EPOLLIN)
        flags |= CURL_CSELECT_IN;
    if (event->events & EPOLLOUT)
        flags |= CURL_CSELECT_OUT;
    if (event->events & (EPOLLERR | EPOLLHUP))
        flags |= CURL_CSELECT_ERR;
    curl_multi_socket_action(c->multi, event->data.fd, flags, &running);
}

static void loop_open(struct http_client *c)
{
    sigset_t all;
    sigfillset(&all); /* SIGPIPE too: a connection that closes under TLS is an error, not the end */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)c->per_host);
}

void *http_loop(void *client)
{
    struct http_client *c = client;
    struct epoll_event events[EVENTS];
    int running;
    loop_open(c);
    while (!take_incoming(c)) {
        int n = epoll_wait(c->epoll, events, EVENTS, sleep_ms(c));
        for (int i = 0; i < n; i++)
            one_event(c, &events[i]);
        if (c->curl_due >= 0 && c->curl_due <= http_now()) {
            c->curl_due = -1;
            curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        take_ended(c);
        wake_waits(c);
    }
    cancel_all(c);
    return NULL;
}
