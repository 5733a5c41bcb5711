/* code_host.c: the grader's end of a warm interpreter (see code_exec.h, code_runner.c). */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/signals.h"
#include "grade/code_exec.h"
#include "grade/defaults.h"
#include "json/scan.h"
#include "json/write.h"

enum { TOKEN_BYTES = 16, STATUS_BYTES = 16, START_TIMEOUT_MS = 60000, READ_BYTES = 1 << 16 };

struct code_host {
    struct code_host_options options;
    struct sandbox sandbox;
    int channel;  /* -1: not started */
    bool useless; /* the interpreter cannot do it: *why says so, for every row */
    struct buf why;
};

struct code_host *code_host_open(const struct code_host_options *options)
{
    struct code_host *h = mem_zero(1, sizeof *h);
    h->options = *options;
    h->channel = -1;
    return h;
}

static void end(struct code_host *h)
{
    if (h->channel >= 0)
        close(h->channel);
    h->channel = -1;
    if (h->sandbox.holder > 0 || h->sandbox.root)
        sandbox_stop(&h->sandbox);
}

void code_host_close(struct code_host *h)
{
    if (!h)
        return;
    end(h);
    buf_free(&h->why);
    free(h);
}

void code_outcome_free(struct code_outcome *o)
{
    buf_free(&o->exception);
    buf_free(&o->output);
}

/* ---- frames
 * ------------------------------------------------------------------------------------------- */

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
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

static bool send_block(int fd, struct span block)
{
    unsigned char head[4];
    for (int i = 0; i < 4; i++)
        head[i] = (unsigned char)(block.len >> (8 * i));
    return send_all(fd, head, 4) && send_all(fd, block.ptr, block.len);
}

static bool send_descriptors(int channel, char what, const int *fds, size_t n)
{
    union {
        char bytes[CMSG_SPACE(2 * sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec part = {&what, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(head), fds, n * sizeof(int));
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/* Length of the block at the head of b (its four bytes not counted) when it is whole. */
static bool whole_block(struct span b, struct span *block)
{
    size_t n = 0;
    if (b.len < 4)
        return false;
    for (int i = 0; i < 4; i++)
        n |= (size_t)(unsigned char)b.ptr[i] << (8 * i);
    if (b.len - 4 < n)
        return false;
    *block = span_slice(b, 4, 4 + n);
    return true;
}

/* Appends what is there. 1: more may come, 0: end of the stream, -1: nothing now. */
static int receive(int fd, struct buf *in)
{
    ssize_t n = read(fd, buf_reserve(in, READ_BYTES), READ_BYTES);
    if (n > 0)
        in->len += (size_t)n;
    return n > 0 ? 1 : n == 0 || (errno != EAGAIN && errno != EINTR) ? 0 : -1;
}

/* The same on a socket, never waiting. */
static int receive_now(int fd, struct buf *in)
{
    ssize_t n = recv(fd, buf_reserve(in, READ_BYTES), READ_BYTES, MSG_DONTWAIT);
    if (n > 0)
        in->len += (size_t)n;
    return n > 0 ? 1 : n == 0 || (errno != EAGAIN && errno != EINTR) ? 0 : -1;
}

static void set_send_limit(int fd, double seconds)
{
    struct timeval limit = {.tv_sec = (time_t)seconds + 1};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* ---- start
 * -------------------------------------------------------------------------------------------- */

static void write_config(const struct code_host *h, struct buf *out)
{
    const struct code_limits *l = &h->options.limits;
    struct json_writer w;
    struct buf filter = {0};
    const pid_t protect[] = {getpid(), h->sandbox.holder, h->sandbox.program};
    if (h->options.wish != SANDBOX_NONE)
        sandbox_filter(h->options.namespaces, l->network, protect, 3, &filter);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "filter");
    struct buf hex = {0};
    for (size_t i = 0; i < filter.len; i++)
        buf_format(&hex, "%02x", (unsigned char)filter.data[i]);
    json_write_span(&w, buf_span(&hex));
    json_write_key(&w, "cpu");
    json_write_int(&w, (int64_t)ceil(l->cpu_s));
    json_write_key(&w, "memory");
    json_write_int(&w, (int64_t)(l->memory_mb * (1 << 20)));
    json_write_key(&w, "file");
    json_write_int(&w, (int64_t)(l->file_mb * (1 << 20)));
    json_write_key(&w, "procs");
    json_write_int(&w, l->procs + 1); /* the one that forks counts too */
    json_write_key(&w, "files");
    json_write_int(&w, l->files);
    json_write_key(&w, "timeout");
    json_write_real(&w, l->timeout_s);
    json_write_key(&w, "namespaces");
    json_write_bool(&w, h->options.namespaces);
    json_write_key(&w, "isolate");
    json_write_bool(&w, h->options.wish != SANDBOX_NONE);
    json_write_key(&w, "scratch");
    json_write_text(&w, h->options.python->scratch);
    json_write_key(&w, "setup");
    json_write_span(&w, h->options.setup);
    json_write_end_object(&w);
    buf_free(&filter);
    buf_free(&hex);
}

static int lost(struct code_host *h, struct error *error, const char *what)
{
    end(h);
    return error_set(error, ERROR_SYSTEM, "the sandbox %s", what);
}

/* The interpreter's answer to its configuration. */
static int read_welcome(struct code_host *h, struct error *error)
{
    struct buf in = {0}, text = {0};
    struct span block;
    struct json_value value, wrong;
    struct json_fault fault;
    int64_t deadline = clock_ms() + START_TIMEOUT_MS;
    int rc = 0;
    while (!whole_block(buf_span(&in), &block)) {
        struct pollfd fds[] = {{.fd = h->channel, .events = POLLIN},
                               {.fd = signals_descriptor(), .events = POLLIN}};
        poll(fds, 2, 1000);
        if (signals_caught()) {
            buf_free(&in);
            end(h);
            return error_set(error, ERROR_INTERRUPTED, "interrupted");
        }
        if ((fds[0].revents && receive(h->channel, &in) == 0) || clock_ms() > deadline) {
            buf_free(&in);
            return lost(h, error, "ended while it started");
        }
    }
    if (json_scan(block, &value, NULL, &fault) == 0 && json_get(value, SPAN("wrong"), &wrong) &&
        wrong.type == JSON_VALUE_STRING) {
        struct span said = json_text(wrong, &text);
        if (!span_is(said, "ctypes")) { /* told of before, by code_python_find */
            h->useless = true;
            buf_span_add(&h->why, said);
            rc = error_set(error, ERROR_SYSTEM, "%s", buf_cstr(&h->why));
            end(h);
        }
    }
    buf_free(&in);
    buf_free(&text);
    return rc;
}

static int start(struct code_host *h, struct error *error)
{
    if (h->useless)
        return error_set(error, ERROR_SYSTEM, "%s", buf_cstr(&h->why));
    if (h->channel >= 0)
        return 0;
    const struct code_python *python = h->options.python;
    const char *argv[] = {python->executable, "-I", "-B", "-c", CODE_RUNNER, NULL};
    struct buf path = {0}, config = {0};
    const char *search = getenv("PATH");
    buf_format(&path, "PATH=%s", search ? search : "/usr/bin:/bin");
    const char *environment[] = {buf_cstr(&path), "PYTHONDONTWRITEBYTECODE=1", NULL};
    int pair[2], rc;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        buf_free(&path);
        return error_errno(error, ERROR_SYSTEM, "no channel for the sandbox");
    }
    const struct sandbox_spec spec = {.argv = argv,
                                      .environment = environment,
                                      .folders = (const char *const *)python->folders,
                                      .scratch = python->scratch,
                                      .channel = pair[1],
                                      .network = h->options.limits.network,
                                      .namespaces = h->options.namespaces,
                                      .wish = h->options.wish};
    rc = sandbox_start(&h->sandbox, &spec, error);
    close(pair[1]);
    if (rc) {
        close(pair[0]);
    } else {
        h->channel = pair[0];
        set_send_limit(h->channel, START_TIMEOUT_MS / 1000);
        write_config(h, &config);
        rc = send_block(h->channel, buf_span(&config)) ? read_welcome(h, error)
                                                       : lost(h, error, "took no configuration");
    }
    buf_free(&path);
    buf_free(&config);
    return rc;
}

/* ---- one run
 * ------------------------------------------------------------------------------------------ */

struct run {
    int row, out; /* our ends; out -1: none */
    struct buf in, status, *tail;
    size_t tail_max;
    bool row_open, out_open;
    struct span blob; /* sent when the candidate has run */
    char token[TOKEN_BYTES];
    bool sent, proved;
};

static void keep_tail(struct run *r)
{
    if (r->tail->len > 2 * r->tail_max) {
        memmove(r->tail->data, r->tail->data + r->tail->len - r->tail_max, r->tail_max);
        r->tail->len = r->tail_max;
    }
}

/* What the program says on its channel: D (its module has run), P and the token, F and a name. */
static void hear(struct run *r, struct code_outcome *o)
{
    struct span in = buf_span(&r->in), block;
    if (in.len && in.ptr[0] == 'D' && !r->sent) {
        r->sent = true;
        if (getrandom(r->token, sizeof r->token, 0) != (ssize_t)sizeof r->token ||
            !send_block(r->row, r->blob) ||
            !send_block(r->row, span_make(r->token, sizeof r->token)))
            r->row_open = false;
        memmove(r->in.data, r->in.data + 1, r->in.len - 1);
        r->in.len--;
        in = buf_span(&r->in);
    }
    if (in.len == 1 + TOKEN_BYTES && in.ptr[0] == 'P')
        r->proved = r->sent && memcmp(in.ptr + 1, r->token, TOKEN_BYTES) == 0;
    else if (in.len && in.ptr[0] == 'F' && whole_block(span_slice(in, 1, in.len), &block)) {
        buf_clear(&o->exception);
        buf_span_add(&o->exception, block);
    } else if (in.len > READ_BYTES) {
        r->row_open = false; /* noise */
    }
}

/* Until the status is here. 0, or a negative code. */
static int attend(struct code_host *h, struct run *r, struct code_outcome *o, struct error *error)
{
    int64_t deadline = clock_ms() + (int64_t)((h->options.limits.timeout_s + CODE_GRACE_S) * 1000);
    while (r->status.len < STATUS_BYTES) {
        struct pollfd fds[] = {{.fd = r->row_open ? r->row : -1, .events = POLLIN},
                               {.fd = r->out_open ? r->out : -1, .events = POLLIN},
                               {.fd = h->channel, .events = POLLIN},
                               {.fd = signals_descriptor(), .events = POLLIN}};
        int64_t left = deadline - clock_ms();
        if (left <= 0)
            return lost(h, error, "gave no answer in time");
        poll(fds, 4, (int)(left < 1000 ? left : 1000));
        if (signals_caught()) {
            end(h);
            return error_set(error, ERROR_INTERRUPTED, "interrupted");
        }
        if (fds[0].revents) {
            r->row_open = receive_now(r->row, &r->in) != 0;
            hear(r, o);
        }
        if (fds[1].revents) {
            r->out_open = receive(r->out, r->tail) != 0;
            keep_tail(r);
        }
        if (fds[2].revents && receive(h->channel, &r->status) == 0)
            return lost(h, error, "ended");
    }
    while (r->row_open && receive_now(r->row, &r->in) == 1)
        hear(r, o);
    hear(r, o);
    for (int i = 0; r->out_open && i < 64 && receive(r->out, r->tail) == 1; i++)
        keep_tail(r);
    return 0;
}

static void read_status(const struct code_host *h, const struct run *r, struct code_outcome *o)
{
    int32_t code, late;
    double cpu;
    memcpy(&code, r->status.data, 4);
    memcpy(&late, r->status.data + 4, 4);
    memcpy(&cpu, r->status.data + 8, 8);
    o->exit_code = code;
    if (late)
        o->end = CODE_TIMED_OUT;
    else if (r->proved && code == 0)
        o->end = CODE_COMPLETED;
    else if (code < 0 && cpu >= ceil(h->options.limits.cpu_s) - 0.5)
        o->end = CODE_CPU_OUT;
    else
        o->end = CODE_FAILED;
}

static void close_run(struct run *r)
{
    if (r->row >= 0)
        close(r->row);
    if (r->out >= 0)
        close(r->out);
    buf_free(&r->in);
    buf_free(&r->status);
}

/* Opens the run's channel (and output) and hands the other ends in. */
static int open_run(struct code_host *h, struct run *r, char what, struct error *error)
{
    int row[2] = {-1, -1}, out[2] = {-1, -1};
    bool output = what == 'R', ok;
    r->row = r->out = -1;
    int rc = start(h, error);
    if (rc)
        return rc;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, row) ||
        (output && pipe2(out, O_CLOEXEC))) {
        rc = error_errno(error, ERROR_SYSTEM, "no channel for a program");
    } else {
        const int fds[] = {row[1], out[1]};
        ok = send_descriptors(h->channel, what, fds, output ? 2 : 1);
        rc = ok ? 0 : lost(h, error, "took no program");
    }
    if (row[1] >= 0)
        close(row[1]);
    if (out[1] >= 0)
        close(out[1]);
    r->row = row[0];
    r->out = out[0];
    if (rc)
        return rc;
    set_send_limit(r->row, h->options.limits.timeout_s + CODE_GRACE_S);
    r->row_open = true;
    if ((r->out_open = output))
        fcntl(r->out, F_SETFL, O_NONBLOCK);
    return 0;
}

void code_host_run(struct code_host *h, struct span candidate, struct span blob,
                   struct code_outcome *o, struct error *error)
{
    struct run r = {.blob = blob, .tail = &o->output, .tail_max = h->options.limits.out_bytes};
    buf_clear(&o->exception);
    buf_clear(&o->output);
    o->end = CODE_LOST;
    int rc = open_run(h, &r, 'R', error);
    if (!rc) {
        /* A program that does not take its text has ended; its status tells. */
        send_block(r.row, candidate);
        rc = attend(h, &r, o, error);
    }
    if (!rc)
        read_status(h, &r, o);
    if (o->output.len > r.tail_max) {
        memmove(o->output.data, o->output.data + o->output.len - r.tail_max, r.tail_max);
        o->output.len = r.tail_max;
    }
    close_run(&r);
}

enum code_end code_host_build(struct code_host *h, struct span tests, struct buf *real,
                              struct buf *control, struct code_outcome *o, struct error *error)
{
    struct run r = {.tail = &o->output};
    struct span block, rest;
    buf_clear(&o->exception);
    o->end = CODE_LOST;
    int rc = open_run(h, &r, 'T', error);
    if (!rc) {
        struct timeval limit = {.tv_sec = (time_t)h->options.limits.timeout_s + CODE_GRACE_S};
        setsockopt(r.row, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        send_block(r.row, tests);
        while (receive(r.row, &r.in) == 1)
            ;
        rc = signals_caught() ? error_set(error, ERROR_INTERRUPTED, "interrupted") : 0;
    }
    struct span in = buf_span(&r.in);
    if (!rc && in.len && in.ptr[0] == 'B' && whole_block(span_slice(in, 1, in.len), &block)) {
        rest = span_make(block.ptr + block.len, in.len - 1 - 4 - block.len);
        buf_clear(real);
        buf_clear(control);
        buf_span_add(real, block);
        if (whole_block(rest, &block)) {
            buf_span_add(control, block);
            o->end = CODE_COMPLETED;
        }
    } else if (!rc) {
        o->end = CODE_FAILED;
        if (in.len && in.ptr[0] == 'E' && whole_block(span_slice(in, 1, in.len), &block))
            buf_span_add(&o->exception, block);
    }
    close_run(&r);
    return o->end;
}
