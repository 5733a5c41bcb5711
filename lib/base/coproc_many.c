/* coproc_many.c: see coproc_many.h. The requests stand in a list; the thread that leads runs turns
 * of the poll loop until its own request is done, then hands over to another that waits. */
#include "base/coproc_many.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/signals.h"

enum { CLOSE_GRACE_MS = 5000 }; /* from end of input to SIGTERM (world 13.1) */

enum stage { STAGE_WAITING, STAGE_SENT, STAGE_DONE };

struct request {
    int64_t number;
    struct span line;
    struct buf *reply;
    enum stage stage;
    bool alone; /* it was under way when the child died: nothing else goes with it */
    int64_t timeout_ms, deadline; /* 0: none */
    enum coproc_result result;
    struct child_exit ended;
    struct error error;
    struct request *next;
};

struct coproc_many {
    const char **environment;
    size_t n_inherited;
    char *command;
    coproc_number *number;
    int batch;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    bool led; /* a thread is in the poll loop */
    int wake; /* eventfd: a request has come while another thread leads */
    struct request *first, **last;
    int sent; /* requests under way */
    struct process process;
    struct buf out; /* what has still to be written */
    size_t written;
    struct buf in;
    struct ears ears;
};

struct coproc_many *coproc_many_open(const char *command, const char *const *environment, int batch,
                                     coproc_number *number)
{
    struct coproc_many *m = mem_zero(1, sizeof *m);
    m->command = mem_text(command);
    m->environment = process_environment(environment, &m->n_inherited);
    ears_open(&m->ears, environment);
    m->batch = batch > 0 ? batch : 1;
    m->number = number;
    m->process = (struct process){.watch = -1, .ticket = -1, .in = -1, .out = -1, .err = -1};
    m->last = &m->first;
    m->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->turn, NULL);
    return m;
}

/* ---- the list of requests -----------------------------------------------------------------------
 */

static void finish(struct coproc_many *m, struct request *r, enum coproc_result result)
{
    m->sent -= r->stage == STAGE_SENT;
    r->result = result;
    r->stage = STAGE_DONE;
}

static void finish_all(struct coproc_many *m, int code, const char *what)
{
    for (struct request *r = m->first; r; r = r->next) {
        if (r->stage == STAGE_DONE)
            continue;
        error_set(&r->error, code, "%s: %s", m->command, what);
        finish(m, r, COPROC_FAILED);
    }
}

/* The next request that may go now, or NULL. */
static struct request *next_to_send(const struct coproc_many *m)
{
    bool alone_sent = false;
    struct request *plain = NULL;
    for (struct request *r = m->first; r; r = r->next) {
        alone_sent = alone_sent || (r->stage == STAGE_SENT && r->alone);
        if (r->stage != STAGE_WAITING)
            continue;
        if (r->alone) /* before any other, and when nothing is under way */
            return m->sent == 0 ? r : NULL;
        plain = plain ? plain : r;
    }
    return alone_sent || m->sent >= m->batch ? NULL : plain;
}

static void queue_lines(struct coproc_many *m)
{
    struct request *r;
    while ((r = next_to_send(m))) {
        buf_span_add(&m->out, r->line);
        buf_byte(&m->out, '\n');
        r->stage = STAGE_SENT;
        r->deadline = r->timeout_ms ? process_clock() + r->timeout_ms : 0;
        m->sent++;
    }
}

/* ---- the child ----------------------------------------------------------------------------------
 */

static void end_child(struct coproc_many *m, int64_t wait_ms, struct child_exit *ended)
{
    process_close(&m->process.in);
    process_close(&m->process.out);
    process_finish(&m->process, wait_ms, ended);
    ears_end(&m->ears, &m->process.err);
    buf_clear(&m->in);
    buf_clear(&m->out);
    m->written = 0;
}

/* Requests under way wait again. */
static void send_again(struct coproc_many *m, bool alone)
{
    for (struct request *r = m->first; r; r = r->next)
        if (r->stage == STAGE_SENT) {
            r->stage = STAGE_WAITING;
            r->alone = alone;
        }
    m->sent = 0;
}

static void child_died(struct coproc_many *m)
{
    struct child_exit ended = {.status = -1};
    end_child(m, CHILD_GRACE_MS, &ended);
    for (struct request *r = m->first; m->sent == 1 && r; r = r->next)
        if (r->stage == STAGE_SENT) {
            r->ended = ended;
            finish(m, r, COPROC_DIED);
        }
    send_again(m, true);
}

/* Ends the child when a request has waited too long. It may have waited behind another: of several
 * under way each gets a second try, alone. */
static void check_deadlines(struct coproc_many *m)
{
    int64_t now = process_clock();
    struct request *late = NULL;
    for (struct request *r = m->first; r && !late; r = r->next)
        if (r->stage == STAGE_SENT && r->deadline && now >= r->deadline)
            late = r;
    if (!late)
        return;
    struct child_exit ended;
    end_child(m, 0, &ended);
    if (m->sent == 1) {
        late->ended.timed_out = true;
        finish(m, late, COPROC_TIMEOUT);
    }
    send_again(m, true);
}

static int64_t nearest_deadline(const struct coproc_many *m)
{
    int64_t nearest = 0;
    for (struct request *r = m->first; r; r = r->next)
        if (r->stage == STAGE_SENT && r->deadline && (!nearest || r->deadline < nearest))
            nearest = r->deadline;
    return nearest;
}

/* ---- replies ------------------------------------------------------------------------------------
 */

static struct request *find_sent(const struct coproc_many *m, struct span line)
{
    int64_t number;
    bool has_number = m->number(line, &number);
    for (struct request *r = m->first; r; r = r->next) {
        if (r->stage != STAGE_SENT)
            continue;
        /* A line without a number answers the only request there is. */
        if (has_number ? r->number == number : m->sent == 1)
            return r;
    }
    return NULL;
}

static void take_lines(struct coproc_many *m)
{
    size_t at = 0;
    const char *newline;
    while (at < m->in.len && (newline = memchr(m->in.data + at, '\n', m->in.len - at))) {
        struct span line = span_make(m->in.data + at, (size_t)(newline - m->in.data) - at);
        struct request *r = find_sent(m, line);
        at += line.len + 1;
        if (!r) {
            struct child_exit ended;
            end_child(m, 0, &ended);
            finish_all(m, ERROR_REMOTE,
                       "it wrote a line that answers no request; a reply carries the number of its "
                       "request, once");
            return;
        }
        buf_span_add(r->reply, line);
        finish(m, r, COPROC_OK);
    }
    memmove(m->in.data, m->in.data + at, m->in.len - at);
    m->in.len -= at;
    if (m->in.len > CHILD_LINE_MAX) {
        struct child_exit ended;
        end_child(m, 0, &ended);
        for (struct request *r = m->first; r; r = r->next)
            if (r->stage == STAGE_SENT)
                finish(m, r, COPROC_TOO_LONG);
    }
}

/* false: end of its output. */
static bool receive(struct coproc_many *m)
{
    for (;;) {
        ssize_t got = read(m->process.out, buf_reserve(&m->in, CHILD_READ), CHILD_READ);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got < 0)
            return true;
        m->in.len += (size_t)got;
        if (m->in.len > CHILD_LINE_MAX)
            return true;
    }
}

static void send_some(struct coproc_many *m)
{
    struct span left = span_slice(buf_span(&m->out), m->written, m->out.len);
    if (!left.len)
        return;
    ssize_t n = process_write(m->process.in, left);
    m->written =
        n < 0 ? m->out.len : m->written + (size_t)n; /* who reads no more may have answered */
    if (m->written == m->out.len) {
        buf_clear(&m->out);
        m->written = 0;
    }
}

/* ---- one turn of the loop -----------------------------------------------------------------------
 */

static bool ensure_started(struct coproc_many *m)
{
    const struct child_run run = {.command = m->command, .environment = m->environment};
    struct error error;
    if (m->process.pid ||
        process_start(&m->process, &run, true, ears_wanted(&m->ears), &error) == 0)
        return true;
    for (struct request *r = m->first; r; r = r->next)
        if (r->stage != STAGE_DONE) {
            r->error = error;
            finish(m, r, COPROC_FAILED);
        }
    return false;
}

/* Called with the lock held; it is free while the poll sleeps. */
static void turn(struct coproc_many *m)
{
    uint64_t woken;
    if (!ensure_started(m))
        return;
    queue_lines(m);
    struct process *p = &m->process;
    struct pollfd fds[] = {
        {.fd = m->out.len ? p->in : -1, .events = POLLOUT},
        {.fd = p->out, .events = POLLIN},
        {.fd = p->watch, .events = POLLIN},
        {.fd = m->wake, .events = POLLIN},
        {.fd = p->err, .events = POLLIN},
        {.fd = signals_descriptor(), .events = POLLIN},
    };
    int ms = process_poll_ms(p, nearest_deadline(m));
    pthread_mutex_unlock(&m->lock);
    poll(fds, sizeof fds / sizeof *fds, ms);
    pthread_mutex_lock(&m->lock);
    while (read(m->wake, &woken, sizeof woken) > 0)
        ;
    if (fds[0].revents)
        send_some(m);
    bool open = receive(m);
    ears_listen(&m->ears, &p->err);
    take_lines(m);
    if (signals_caught()) {
        struct child_exit ended;
        end_child(m, 0, &ended);
        finish_all(m, ERROR_INTERRUPTED, "interrupted");
    } else if (m->process.pid && (!open || fds[2].revents)) {
        child_died(m);
    }
    check_deadlines(m);
}

enum coproc_result coproc_many_ask(struct coproc_many *m, int64_t number, struct span line,
                                   double timeout_s, struct buf *reply, struct child_exit *ended,
                                   struct error *error)
{
    const uint64_t one = 1;
    struct request r = {.number = number, .line = line, .reply = reply};
    r.timeout_ms = timeout_s > 0 ? (int64_t)(timeout_s * 1000) + 1 : 0;
    r.ended.status = -1;
    pthread_mutex_lock(&m->lock);
    /* r is taken off the list before this function returns. */
    *m->last = &r;
    m->last = &r.next; /* cppcheck-suppress autoVariables */
    if (m->led && write(m->wake, &one, sizeof one) < 0)
        pthread_cond_broadcast(&m->turn); /* the counter is full: it wakes anyway */
    while (r.stage != STAGE_DONE) {
        if (m->led) {
            pthread_cond_wait(&m->turn, &m->lock);
            continue;
        }
        m->led = true;
        while (r.stage != STAGE_DONE) {
            turn(m);
            pthread_cond_broadcast(&m->turn); /* others may be done */
        }
        m->led = false;
    }
    struct request **at = &m->first;
    while (*at != &r)
        at = &(*at)->next;
    *at = r.next;
    if (m->last == &r.next)
        m->last = at;
    pthread_cond_broadcast(&m->turn);
    pthread_mutex_unlock(&m->lock);
    *ended = r.ended;
    if (r.result == COPROC_FAILED && error)
        *error = r.error;
    return r.result;
}

void coproc_many_close(struct coproc_many *m)
{
    if (!m)
        return;
    struct child_exit ended;
    end_child(m, signals_caught() ? 0 : CLOSE_GRACE_MS, &ended);
    process_environment_free(m->environment, m->n_inherited);
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->turn);
    if (m->wake >= 0)
        close(m->wake);
    buf_free(&m->out);
    buf_free(&m->in);
    ears_free(&m->ears);
    free(m->command);
    free(m);
}
