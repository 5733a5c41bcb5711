/* child.c: one command run to its end (child.h): input goes in and output comes out in one poll
 * loop, so that neither side waits for the other. */
#include "base/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/signals.h"

enum { BLOCKS_A_TURN = 16 };

char *child_command_name(const char *command)
{
    command += strspn(command, " \t");
    if (strncmp(command, "exec ", 5) == 0)
        command += 5 + strspn(command + 5, " \t");
    size_t n = strcspn(command, " \t;|&<>");
    struct span word = span_make(command, n);
    for (size_t i = 0; i < n; i++)
        if (command[i] == '/' && i + 1 < n)
            word = span_make(command + i + 1, n - i - 1);
    struct buf name = {0};
    buf_span_add(&name, word.len ? word : SPAN("cmd"));
    return buf_take(&name);
}

struct running {
    struct process process;
    struct span input; /* not yet written */
    struct buf *out, *err;
    size_t limit;
    int64_t deadline; /* of the run, then of the grace after SIGTERM; ms, 0: none */
    bool terminated;  /* SIGTERM was sent */
    bool interrupted;
    struct child_exit *ended;
};

static void terminate(struct running *r)
{
    if (r->terminated)
        return;
    r->terminated = true;
    kill(-r->process.pid, SIGTERM);
    r->deadline = process_clock() + CHILD_GRACE_MS;
}

/* Takes what is there, up to the limit; what is over it is read and thrown away. While the child
 * lives only so much at once that the clock is looked at too. */
static void drain(struct running *r, int *fd, struct buf *into)
{
    for (int i = 0; *fd >= 0 && (i < BLOCKS_A_TURN || !r->process.pid); i++) {
        char block[CHILD_READ];
        ssize_t got = read(*fd, block, sizeof block);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            process_close(fd);
        if (got <= 0)
            return;
        size_t room = r->limit - into->len;
        if ((size_t)got > room) {
            r->ended->overflow = true;
            got = (ssize_t)room;
            if (r->process.pid)
                terminate(r);
        }
        buf_add(into, block, (size_t)got);
        if (r->ended->overflow && !r->process.pid)
            return; /* a grandchild that is gone filled the pipe; there is no more to learn */
    }
}

static void feed(struct running *r)
{
    if (r->process.in < 0)
        return;
    if (r->input.len) {
        ssize_t written = process_write(r->process.in, r->input);
        if (written < 0)
            r->input.len = 0; /* it does not read its input: its right */
        else
            r->input = span_slice(r->input, (size_t)written, r->input.len);
    }
    if (!r->input.len)
        process_close(&r->process.in);
}

static void look_at_the_clock(struct running *r)
{
    if (!r->deadline || process_clock() < r->deadline)
        return;
    if (r->terminated) {
        kill(-r->process.pid, SIGKILL);
        r->deadline = 0;
        return;
    }
    r->ended->timed_out = true;
    terminate(r);
}

static void turn(struct running *r)
{
    struct process *p = &r->process;
    struct pollfd fds[] = {
        {.fd = p->in, .events = POLLOUT}, /* poll skips negative descriptors */
        {.fd = p->out, .events = POLLIN},
        {.fd = p->err, .events = POLLIN},
        {.fd = p->watch, .events = POLLIN},
        {.fd = r->interrupted ? -1 : signals_descriptor(), .events = POLLIN},
    };
    poll(fds, sizeof fds / sizeof *fds, process_poll_ms(p, r->deadline));
    if (signals_caught() && !r->interrupted) {
        r->interrupted = true;
        terminate(r);
    }
    if (fds[0].revents)
        feed(r);
    if (r->out)
        drain(r, &p->out, r->out);
    if (r->err)
        drain(r, &p->err, r->err);
    look_at_the_clock(r);
}

int child_run(const struct child_run *run, struct buf *out, struct buf *err,
              struct child_exit *ended, struct error *error)
{
    struct child_exit unused = {0};
    struct running r = {.input = run->input,
                        .out = out,
                        .err = err,
                        .limit = run->out_limit ? run->out_limit : CHILD_LINE_MAX,
                        .ended = ended ? ended : &unused};
    *r.ended = (struct child_exit){.status = -1};
    if (out)
        buf_clear(out);
    if (err)
        buf_clear(err);
    if (process_start(&r.process, run, out != NULL, err != NULL, error) != 0)
        return ERROR_SYSTEM;
    if (run->timeout_s > 0)
        r.deadline = process_clock() + (int64_t)(run->timeout_s * 1000) + 1;
    feed(&r);
    do
        turn(&r);
    while (!process_reap(&r.process, r.ended));
    /* What it wrote before it ended is still in the pipes. */
    if (out)
        drain(&r, &r.process.out, out);
    if (err)
        drain(&r, &r.process.err, err);
    process_close(&r.process.in);
    process_close(&r.process.out);
    process_close(&r.process.err);
    if (r.interrupted)
        return error_set(error, ERROR_INTERRUPTED, "%s: interrupted",
                         run->argv ? run->argv[0] : run->command);
    return 0;
}
