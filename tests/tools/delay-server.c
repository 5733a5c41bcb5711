/* delay-server.c: a chat server that answers every request with the same words after a fixed delay, thousands
 * at a time: the peer for measuring how many calls one client keeps in flight.
 *
 *     delay-server MILLISECONDS [TEXT]     prints its port on 127.0.0.1, serves until standard input ends */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "json/write.h"

enum { CONNECTIONS = 65536, EVENTS = 512, READ = 65536 };

static struct buf inputs[CONNECTIONS]; /* by descriptor */
static struct due {
    long long at; /* microseconds */
    int fd;
} * queue; /* the delay is the same for all, so it is in order */
static size_t first, count, cap;

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

/* Bytes of the first whole request, or 0. */
static size_t request_length(struct buf *in)
{
    const char *text = buf_cstr(in);
    const char *end = strstr(text, "\r\n\r\n");
    if (!end)
        return 0;
    const char *length = strcasestr(text, "content-length:");
    size_t body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
    size_t whole = (size_t)(end - text) + 4 + body;
    return in->len >= whole ? whole : 0;
}

static void take(int fd, long long delay)
{
    struct buf *in = &inputs[fd];
    ssize_t got = read(fd, buf_reserve(in, READ), READ);
    if (got == 0 || (got < 0 && errno != EAGAIN)) {
        close(fd);
        buf_free(in);
        return;
    }
    in->len += got > 0 ? (size_t)got : 0;
    size_t length;
    while ((length = request_length(in))) {
        memmove(in->data, in->data + length, in->len - length);
        in->len -= length;
        queue = mem_grow(queue, &cap, count + 1, sizeof *queue);
        queue[count++] = (struct due){now() + delay, fd};
    }
}

static void answer_due(const char *reply, size_t length)
{
    long long t = now();
    while (first < count && queue[first].at <= t) {
        ssize_t sent = send(queue[first++].fd, reply, length, MSG_NOSIGNAL);
        (void)sent;
    }
    if (first == count)
        first = count = 0;
}

/* The same reply to all: a chat completion that says these words. */
static void write_reply(const char *words, struct buf *out)
{
    struct buf body = {0};
    buf_text(&body, "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":");
    json_quote(&body, span_text(words));
    buf_text(&body, "},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,"
                    "\"completion_tokens\":8}}");
    buf_format(out,
               "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
               body.len);
    buf_span_add(out, buf_span(&body));
    buf_free(&body);
}

int main(int argc, char **argv)
{
    long long delay = argc > 1 ? atoll(argv[1]) * 1000 : 0;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    struct rlimit files = {CONNECTIONS, CONNECTIONS};
    struct epoll_event events[EVENTS];
    struct buf reply = {0};
    write_reply(argc > 2 ? argv[2] : "Done, the order is on its way.", &reply);
    if (setrlimit(RLIMIT_NOFILE, &files) < 0) {
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 8192) < 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) < 0)
        return 1;
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &(struct epoll_event){EPOLLIN, {.fd = listener}});
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &(struct epoll_event){EPOLLIN, {.fd = 0}});
    for (;;) {
        long long left = first < count ? queue[first].at - now() : -1;
        int wait = first == count ? -1 : left > 0 ? (int)((left + 999) / 1000) : 0;
        int n = epoll_wait(poll, events, EVENTS, wait);
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd, made;
            if (fd == 0) {
                buf_free(&reply);
                return 0;
            }
            if (fd != listener) {
                take(fd, delay);
                continue;
            }
            while ((made = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0 && made < CONNECTIONS)
                epoll_ctl(poll, EPOLL_CTL_ADD, made, &(struct epoll_event){EPOLLIN, {.fd = made}});
        }
        answer_due(reply.data, reply.len);
    }
}
