/* coproc.c: co-processes (child.h): a line in, a line out. Writing and reading share one poll loop:
 * a child may answer before it has read its whole line, and a long line does not fit into a pipe.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/signals.h"

enum {
    CLOSE_GRACE_MS = 5000, /* from end of input to SIGTERM (world 13.1) */
};

struct coproc {
    char *command;
    const char *
        *environment; /* whole, NULL-terminated; owned array, own texts from n_inherited on */
    size_t n_inherited;
    struct process process;
    struct buf sent;  /* the line under way, with its newline */
    struct buf input; /* what it has written */
    size_t used;      /* bytes of input that belong to the last reply */
};

struct coproc *coproc_open(const char *command, const char *const *environment)
{
    struct coproc *c = mem_zero(1, sizeof *c);
    c->process = (struct process){.watch = -1, .ticket = -1, .in = -1, .out = -1, .err = -1};
    c->command = mem_text(command);
    c->environment = process_environment(environment, &c->n_inherited);
    return c;
}

static void close_pipes(struct coproc *c)
{
    process_close(&c->process.in);
    process_close(&c->process.out);
    buf_clear(&c->input);
    c->used = 0;
}

/* Ends the process; the next ask starts a new one. */
static void end(struct coproc *c, int64_t wait_ms, struct child_exit *ended)
{
    close_pipes(c);
    process_finish(&c->process, wait_ms, ended);
}

enum turn { TURN_ON, TURN_LINE, TURN_EOF, TURN_TOO_LONG, TURN_TIMEOUT, TURN_INTERRUPTED };

/* Reads what is there. TURN_LINE as soon as there is a whole line. */
static enum turn receive(struct coproc *c)
{
    for (;;) {
        size_t from = c->input.len;
        ssize_t got = read(c->process.out, buf_reserve(&c->input, CHILD_READ), CHILD_READ);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return TURN_EOF;
        if (got < 0)
            return TURN_ON;
        c->input.len += (size_t)got;
        const char *newline = memchr(c->input.data + from, '\n', (size_t)got);
        size_t line = newline ? (size_t)(newline - c->input.data) : c->input.len;
        if (line > CHILD_LINE_MAX)
            return TURN_TOO_LONG;
        if (newline) {
            c->used = line + 1;
            return TURN_LINE;
        }
    }
}

/* One turn of the loop: writes what the pipe takes, reads what is there. A child that answers
 * before it has read the whole line still gets the rest of it. */
static enum turn turn(struct coproc *c, struct span *left, int64_t deadline)
{
    struct process *p = &c->process;
    struct pollfd fds[] = {
        {.fd = left->len ? p->in : -1, .events = POLLOUT},
        {.fd = c->used ? -1 : p->out, .events = POLLIN},
        {.fd = p->watch, .events = POLLIN},
        {.fd = signals_descriptor(), .events = POLLIN},
    };
    poll(fds, sizeof fds / sizeof *fds, process_poll_ms(p, deadline));
    if (fds[0].revents && left->len) {
        ssize_t written = process_write(p->in, *left);
        if (written < 0)
            left->len = 0; /* it reads no more, but may have answered */
        else
            *left = span_slice(*left, (size_t)written, left->len);
    }
    enum turn got = c->used ? TURN_LINE : receive(c);
    if (got == TURN_LINE && left->len && !fds[2].revents)
        got = TURN_ON;
    if (got != TURN_ON)
        return got;
    if (signals_caught())
        return TURN_INTERRUPTED;
    /* It is gone, yet something that it started holds its output open. */
    if (fds[2].revents)
        return TURN_EOF;
    return deadline && process_clock() >= deadline ? TURN_TIMEOUT : TURN_ON;
}

static int ensure_started(struct coproc *c, struct error *error)
{
    const struct child_run run = {.command = c->command, .environment = c->environment};
    if (c->process.pid)
        return 0;
    close_pipes(c);
    return process_start(&c->process, &run, true, false, error);
}

static enum coproc_result fail(struct coproc *c, struct child_exit *ended, struct error *error,
                               int code, const char *what)
{
    end(c, 0, ended);
    error_set(error, code, "%s: %s", c->command, what);
    return COPROC_FAILED;
}

/* What came behind the last reply answers nothing that was asked: the two sides are out of step. */
static bool out_of_step(struct coproc *c)
{
    bool surplus = c->input.len > c->used;
    buf_clear(&c->input);
    c->used = 0;
    if (!surplus && c->process.pid) {
        receive(c);
        surplus = c->input.len > 0;
    }
    return surplus;
}

enum coproc_result coproc_ask(struct coproc *c, struct span line, double timeout_s,
                              struct span *reply, struct child_exit *ended, struct error *error)
{
    struct child_exit unused = {0};
    ended = ended ? ended : &unused;
    *ended = (struct child_exit){.status = -1};
    *reply = (struct span){0};
    if (out_of_step(c))
        return fail(
            c, ended, error, ERROR_REMOTE,
            "it wrote a line that nobody asked for; it must write one line for each line it reads");
    if (ensure_started(c, error) != 0)
        return COPROC_FAILED;
    buf_clear(&c->sent);
    buf_span_add(&c->sent, line);
    buf_byte(&c->sent, '\n');
    struct span left = buf_span(&c->sent);
    int64_t deadline = timeout_s > 0 ? process_clock() + (int64_t)(timeout_s * 1000) + 1 : 0;
    enum turn got;
    do
        got = turn(c, &left, deadline);
    while (got == TURN_ON);
    switch (got) {
    case TURN_LINE: *reply = span_make(c->input.data, c->used - 1); return COPROC_OK;
    case TURN_TIMEOUT:
        end(c, 0, ended);
        ended->timed_out = true;
        return COPROC_TIMEOUT;
    case TURN_TOO_LONG:
        end(c, 0, ended);
        ended->overflow = true;
        return COPROC_TOO_LONG;
    case TURN_INTERRUPTED: return fail(c, ended, error, ERROR_INTERRUPTED, "interrupted");
    default: end(c, CHILD_GRACE_MS, ended); return COPROC_DIED;
    }
}

void coproc_close(struct coproc *c)
{
    if (!c)
        return;
    struct child_exit ended;
    end(c, signals_caught() ? 0 : CLOSE_GRACE_MS, &ended);
    process_environment_free(c->environment, c->n_inherited);
    free(c->command);
    buf_free(&c->sent);
    buf_free(&c->input);
    free(c);
}
