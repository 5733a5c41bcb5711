/* coproc.c: co-processes (child.h): lines in, lines out. Writing and reading share one poll loop: a
 * child may answer before it has read its whole line, and a long line does not fit into a pipe.
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
    STOP_LOOK_MS = 300,    /* between looks at a stop flag */
};

struct coproc {
    char *command;
    const char *
        *environment; /* whole, NULL-terminated; owned array, own texts from n_inherited on */
    size_t n_inherited;
    struct process process;
    struct buf sent;         /* the line under way, with its newline */
    size_t written;          /* bytes of it */
    struct buf input;        /* what it has written */
    size_t taken;            /* bytes of input that were given out */
    size_t looked;           /* no newline between taken and here */
    bool eof;                /* nothing more will come */
    const atomic_bool *stop; /* or NULL */
    struct ears ears;
};

struct coproc *coproc_open(const char *command, const char *const *environment)
{
    struct coproc *c = mem_zero(1, sizeof *c);
    c->process = (struct process){.watch = -1, .ticket = -1, .in = -1, .out = -1, .err = -1};
    c->command = mem_text(command);
    c->environment = process_environment(environment, &c->n_inherited);
    ears_open(&c->ears, environment);
    return c;
}

/* ---- standard error -------------------------------------------------------------------------- */

void coproc_hear(struct coproc *c, coproc_heard *heard, void *data)
{
    c->ears.heard = heard;
    c->ears.data = data;
}

void coproc_stop_when(struct coproc *c, const atomic_bool *stop)
{
    c->stop = stop;
}

struct span coproc_said(const struct coproc *c)
{
    return buf_span(&c->ears.said);
}

/* ---- starting and ending --------------------------------------------------------------------- */

static void close_pipes(struct coproc *c)
{
    process_close(&c->process.in);
    process_close(&c->process.out);
    buf_clear(&c->input);
    buf_clear(&c->sent);
    c->taken = c->looked = c->written = 0;
    c->eof = false;
}

/* Ends the process; the next line sent starts a new one. */
static void end(struct coproc *c, int64_t wait_ms, struct child_exit *ended)
{
    close_pipes(c);
    process_finish(&c->process, wait_ms, ended);
    ears_end(&c->ears, &c->process.err);
}

void coproc_discard(struct coproc *c)
{
    struct child_exit unused;
    end(c, 0, &unused);
}

static int ensure_started(struct coproc *c, struct error *error)
{
    const struct child_run run = {.command = c->command, .environment = c->environment};
    if (c->process.pid)
        return 0;
    close_pipes(c);
    buf_clear(&c->ears.said);
    return process_start(&c->process, &run, true, ears_wanted(&c->ears), error);
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
    ears_free(&c->ears);
    free(c);
}

/* ---- one turn of the loop -------------------------------------------------------------------- */

static bool sending(const struct coproc *c)
{
    return c->written < c->sent.len;
}

/* Where the first line that was not taken ends; false: it is not whole yet. */
static bool line_there(struct coproc *c, size_t *line_end)
{
    const char *newline = c->input.len > c->looked
                              ? memchr(c->input.data + c->looked, '\n', c->input.len - c->looked)
                              : NULL;
    c->looked = newline ? (size_t)(newline - c->input.data) : c->input.len;
    *line_end = c->looked;
    return newline != NULL;
}

/* Lets go of the line that was given out last. */
static void forget_taken(struct coproc *c)
{
    size_t rest = c->input.len - c->taken;
    if (c->taken && rest)
        memmove(c->input.data, c->input.data + c->taken, rest);
    c->input.len = rest;
    c->looked -= c->looked < c->taken ? c->looked : c->taken;
    c->taken = 0;
}

static bool wants_more(struct coproc *c)
{
    size_t line_end;
    return !c->eof && c->process.out >= 0 &&
           (!line_there(c, &line_end) ? c->input.len <= CHILD_LINE_MAX
                                      : sending(c) && c->input.len < 2 * (size_t)CHILD_LINE_MAX);
}

static void receive(struct coproc *c)
{
    while (wants_more(c)) {
        ssize_t got = read(c->process.out, buf_reserve(&c->input, CHILD_READ), CHILD_READ);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            c->eof = true;
        if (got <= 0)
            return;
        c->input.len += (size_t)got;
    }
}

static void write_some(struct coproc *c)
{
    struct span left = span_slice(buf_span(&c->sent), c->written, c->sent.len);
    ssize_t n = process_write(c->process.in, left);
    if (n < 0)
        c->written = c->sent.len; /* it reads no more, but may have answered */
    else
        c->written += (size_t)n;
}

enum turn { TURN_ON, TURN_TIMEOUT, TURN_INTERRUPTED, TURN_GONE };

/* Writes what the pipe takes, reads what is there. */
static enum turn turn(struct coproc *c, int64_t deadline)
{
    struct process *p = &c->process;
    struct pollfd fds[] = {
        {.fd = sending(c) ? p->in : -1, .events = POLLOUT},
        {.fd = wants_more(c) ? p->out : -1, .events = POLLIN},
        {.fd = p->err, .events = POLLIN},
        {.fd = p->watch, .events = POLLIN},
        {.fd = signals_descriptor(), .events = POLLIN},
    };
    int ms = process_poll_ms(p, deadline);
    poll(fds, sizeof fds / sizeof *fds,
         c->stop && (ms < 0 || ms > STOP_LOOK_MS) ? STOP_LOOK_MS : ms);
    if (fds[0].revents && sending(c))
        write_some(c);
    receive(c);
    ears_listen(&c->ears, &c->process.err);
    if (signals_caught() || (c->stop && atomic_load(c->stop)))
        return TURN_INTERRUPTED;
    /* It is gone, yet something that it started may hold its output open. */
    if (fds[3].revents)
        return TURN_GONE;
    return deadline && process_clock() >= deadline ? TURN_TIMEOUT : TURN_ON;
}

static int64_t deadline_of(double timeout_s)
{
    return timeout_s > 0 ? process_clock() + (int64_t)(timeout_s * 1000) + 1 : 0;
}

static enum coproc_result fail(struct coproc *c, struct child_exit *ended, struct error *error,
                               int code, const char *what)
{
    end(c, 0, ended);
    error_set(error, code, "%s: %s", c->command, what);
    return COPROC_FAILED;
}

/* Why a wait ended without a line. */
static enum coproc_result give_up(struct coproc *c, enum turn why, struct child_exit *ended,
                                  struct error *error)
{
    switch (why) {
    case TURN_TIMEOUT:
        end(c, 0, ended);
        ended->timed_out = true;
        return COPROC_TIMEOUT;
    case TURN_INTERRUPTED: return fail(c, ended, error, ERROR_INTERRUPTED, "interrupted");
    default: end(c, CHILD_GRACE_MS, ended); return COPROC_DIED;
    }
}

/* ---- a talk ---------------------------------------------------------------------------------- */

static int begin_line(struct coproc *c, struct span line, struct error *error)
{
    if (ensure_started(c, error) != 0)
        return error->code;
    buf_clear(&c->sent);
    buf_span_add(&c->sent, line);
    buf_byte(&c->sent, '\n');
    c->written = 0;
    return 0;
}

enum coproc_result coproc_send(struct coproc *c, struct span line, double timeout_s,
                               struct child_exit *ended, struct error *error)
{
    int64_t deadline = deadline_of(timeout_s);
    enum turn got = TURN_ON;
    *ended = (struct child_exit){.status = -1};
    if (begin_line(c, line, error) != 0)
        return COPROC_FAILED;
    forget_taken(c);
    write_some(c);
    while (sending(c) && got == TURN_ON)
        got = turn(c, deadline);
    if (got == TURN_GONE)
        return COPROC_OK; /* it may have answered: the next line, or its absence, tells */
    return got == TURN_ON || !sending(c) ? COPROC_OK : give_up(c, got, ended, error);
}

enum coproc_result coproc_next(struct coproc *c, double timeout_s, struct span *line,
                               struct child_exit *ended, struct error *error)
{
    int64_t deadline = deadline_of(timeout_s);
    size_t line_end;
    *ended = (struct child_exit){.status = -1};
    *line = (struct span){0};
    forget_taken(c);
    if (!c->process.pid)
        return COPROC_DIED;
    for (enum turn got = TURN_ON;; got = turn(c, deadline)) {
        bool there = line_there(c, &line_end);
        if (line_end > CHILD_LINE_MAX) {
            end(c, 0, ended);
            ended->overflow = true;
            return COPROC_TOO_LONG;
        }
        if (there && got != TURN_INTERRUPTED && (!sending(c) || got == TURN_GONE)) {
            *line = span_slice(buf_span(&c->input), 0, line_end);
            c->taken = c->looked = line_end + 1;
            return COPROC_OK;
        }
        if (got != TURN_ON || (c->eof && !there))
            return give_up(c, got, ended, error);
    }
}

bool coproc_pending(struct coproc *c)
{
    forget_taken(c);
    if (!c->input.len && c->process.pid)
        receive(c);
    return c->input.len > 0;
}

enum coproc_result coproc_ask(struct coproc *c, struct span line, double timeout_s,
                              struct span *reply, struct child_exit *ended, struct error *error)
{
    struct child_exit unused = {0};
    ended = ended ? ended : &unused;
    *ended = (struct child_exit){.status = -1};
    *reply = (struct span){0};
    /* What came behind the last reply answers nothing that was asked. */
    if (coproc_pending(c))
        return fail(
            c, ended, error, ERROR_REMOTE,
            "it wrote a line that nobody asked for; it must write one line for each line it reads");
    if (begin_line(c, line, error) != 0)
        return COPROC_FAILED;
    return coproc_next(c, timeout_s, reply, ended, error);
}
