/* isolate.c: see isolate.h. Frames of four length bytes and a text, both ways. */
#include "grade/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"

struct isolate {
    isolate_work *work;
    void *data;
    pid_t pid; /* 0: none */
    int fd;
};

struct isolate *isolate_open(isolate_work *work, void *data)
{
    struct isolate *i = mem_zero(1, sizeof *i);
    i->work = work;
    i->data = data;
    i->fd = -1;
    return i;
}

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool send_frame(int fd, struct span s)
{
    uint32_t n = (uint32_t)s.len;
    return s.len <= UINT32_MAX && send_all(fd, &n, sizeof n) && send_all(fd, s.ptr, s.len);
}

static bool read_exact(int fd, void *bytes, size_t n)
{
    char *at = bytes;
    while (n) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* ---- the child
 * ---------------------------------------------------------------------------------------- */

_Noreturn static void serve(struct isolate *i, int fd)
{
    struct buf request = {0}, reply = {0};
    uint32_t n;
    sigset_t none;
    for (int s = 1; s < 32; s++)
        signal(s, s == SIGINT ? SIG_IGN : SIG_DFL); /* the parent decides what an interrupt ends */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* Other children's pipes must not stay open here. */
    fd = dup2(fd, 3);
#ifdef SYS_close_range
    syscall(SYS_close_range, 4, ~0U, 0);
#endif
    while (read_exact(fd, &n, sizeof n)) {
        buf_clear(&request);
        buf_clear(&reply);
        if (!read_exact(fd, buf_reserve(&request, n), n))
            break;
        request.len = n;
        i->work(i->data, buf_span(&request), &reply);
        if (!send_frame(fd, buf_span(&reply)))
            break;
    }
    _exit(0);
}

/* ---- the parent
 * --------------------------------------------------------------------------------------- */

static void end(struct isolate *i)
{
    int status;
    if (i->fd >= 0)
        close(i->fd);
    i->fd = -1;
    if (i->pid > 0) {
        kill(i->pid, SIGKILL);
        while (waitpid(i->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    i->pid = 0;
}

static int start(struct isolate *i, struct error *error)
{
    int pair[2];
    if (i->pid > 0)
        return 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return error_errno(error, ERROR_SYSTEM, "no channel for a worker process");
    i->pid = fork();
    if (i->pid == 0)
        serve(i, pair[1]);
    close(pair[1]);
    if (i->pid < 0) {
        close(pair[0]);
        i->pid = 0;
        return error_errno(error, ERROR_SYSTEM, "no worker process");
    }
    i->fd = pair[0];
    return 0;
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until a whole frame is in `reply` (with its length in front). */
static enum isolate_result await(struct isolate *i, int64_t deadline, struct buf *reply,
                                 struct error *error)
{
    for (;;) {
        uint32_t n = 0;
        if (reply->len >= sizeof n)
            memcpy(&n, reply->data, sizeof n);
        if (reply->len >= sizeof n && reply->len - sizeof n >= n)
            return ISOLATE_OK;
        int64_t left = deadline ? deadline - clock_ms() : 1000;
        if (left <= 0)
            return ISOLATE_TIMEOUT;
        struct pollfd fds[] = {{.fd = i->fd, .events = POLLIN},
                               {.fd = signals_descriptor(), .events = POLLIN}};
        poll(fds, 2, (int)(left < 1000 ? left : 1000));
        if (signals_caught()) {
            error_set(error, ERROR_INTERRUPTED, "interrupted");
            return ISOLATE_FAILED;
        }
        if (!fds[0].revents)
            continue;
        ssize_t got = read(i->fd, buf_reserve(reply, 65536), 65536);
        if (got == 0 || (got < 0 && errno != EINTR))
            return ISOLATE_DIED;
        reply->len += got > 0 ? (size_t)got : 0;
    }
}

enum isolate_result isolate_ask(struct isolate *i, struct span request, double timeout_s,
                                struct buf *reply, struct error *error)
{
    buf_clear(reply);
    if (start(i, error))
        return ISOLATE_FAILED;
    int64_t deadline = timeout_s > 0 ? clock_ms() + (int64_t)(timeout_s * 1000) + 1 : 0;
    enum isolate_result result =
        send_frame(i->fd, request) ? await(i, deadline, reply, error) : ISOLATE_DIED;
    if (result != ISOLATE_OK) {
        end(i);
    } else {
        memmove(reply->data, reply->data + 4, reply->len - 4);
        reply->len -= 4;
    }
    return result;
}

void isolate_close(struct isolate *i)
{
    if (i)
        end(i);
    free(i);
}
