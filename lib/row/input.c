/* input.c: reading one operand, plain or zstd. See input.h. */
#include "row/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/signals.h"

enum input_kind { INPUT_UNKNOWN, INPUT_PLAIN, INPUT_ZSTD };

struct input {
    const char *path; /* borrow */
    int fd;
    bool close_fd;
    bool always_ready; /* a regular file: reads do not wait */
    enum input_kind kind;
    bool fd_ended;
    uint64_t offset; /* bytes taken from fd */

    /* Bytes taken from fd and not yet used: the first ones, or compressed ones. */
    char *raw;
    size_t raw_size, raw_at, raw_end;

    ZSTD_DCtx *zstd;
    bool frame_open; /* the frame in hand is not complete */
    bool more_out;   /* the decoder holds output that did not fit */
};

static bool is_stdin(const char *path)
{
    return strcmp(path, "-") == 0;
}

int input_probe(const char *path, struct error *error)
{
    struct stat status;
    if (is_stdin(path))
        return 0;
    if (stat(path, &status) != 0 || faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0)
        return error_errno(error, ERROR_INPUT, "%s: cannot be opened", path);
    if (S_ISDIR(status.st_mode))
        return error_set(error, ERROR_INPUT, "%s: is a folder; name the files in it", path);
    return 0;
}

struct input *input_open(const char *path, struct error *error)
{
    int fd = is_stdin(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        error_errno(error, ERROR_INPUT, "%s: cannot be opened", path);
        return NULL;
    }
    struct input *in = mem_zero(1, sizeof *in);
    struct stat status;
    in->path = path;
    in->fd = fd;
    in->close_fd = !is_stdin(path);
    in->always_ready = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    in->raw_size = ZSTD_DStreamInSize();
    in->raw = mem_alloc(in->raw_size);
    return in;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    if (in->close_fd)
        close(in->fd);
    ZSTD_freeDCtx(in->zstd);
    free(in->raw);
    free(in);
}

static bool poll_now(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int rc = poll(&p, 1, 0);
    /* After a signal the answer is no, so that the flag is looked at before a read that waits; any
     * other error is the read's to tell. */
    return rc > 0 || (rc < 0 && errno != EINTR);
}

bool input_ready(struct input *in)
{
    if (in->always_ready || in->fd_ended || in->more_out)
        return true;
    if (in->kind != INPUT_UNKNOWN && in->raw_at < in->raw_end)
        return true;
    return poll_now(in->fd);
}

int input_descriptor(const struct input *in)
{
    return in->fd;
}

int input_wait(int fd, int other_fd, struct error *error)
{
    /* The signals are held back between the look at the flag and the wait, so that one that arrives
     * there ends the wait instead of being missed until the next byte comes. */
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = other_fd, .events = POLLIN}};
    if (!signals_caught())
        ppoll(p, other_fd >= 0 ? 2 : 1, NULL, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (signals_caught())
        return error_set(error, ERROR_INTERRUPTED, "interrupted");
    return 0;
}

/* One read(2): 1, 0 at the end, negative. */
static int take(struct input *in, char *room, size_t size, size_t *got, struct error *error)
{
    *got = 0;
    for (;;) {
        ssize_t n = read(in->fd, room, size);
        if (n > 0) {
            *got = (size_t)n;
            in->offset += (uint64_t)n;
            return 1;
        }
        if (n == 0) {
            in->fd_ended = true;
            return 0;
        }
        if (errno == EINTR && signals_caught())
            return error_set(error, ERROR_INTERRUPTED, "interrupted");
        if (errno == EAGAIN) { /* somebody made the descriptor non-blocking */
            int rc = input_wait(in->fd, -1, error);
            if (rc < 0)
                return rc;
        } else if (errno != EINTR) {
            return error_errno(error, ERROR_SYSTEM, "%s: reading broke off behind byte %llu",
                               in->path, (unsigned long long)in->offset);
        }
    }
}

/* Do the first n bytes begin a zstd frame (or a skippable one, as pzstd writes)? 1 yes, 0 no, -1
 * not to be told yet. */
static int looks_zstd(const unsigned char *p, size_t n)
{
    static const unsigned char frame[4] = {0x28, 0xb5, 0x2f, 0xfd};
    static const unsigned char skippable[4] = {0x50, 0x2a, 0x4d, 0x18};
    bool may_frame = true, may_skip = true;
    for (size_t i = 0; i < n && i < 4; i++) {
        may_frame = may_frame && p[i] == frame[i];
        may_skip = may_skip && (i == 0 ? p[i] & 0xf0 : p[i]) == skippable[i];
    }
    if (!may_frame && !may_skip)
        return 0;
    return n < 4 ? -1 : 1;
}

/* Reads until the kind can be told. 1 or negative; at the end too, with fd_ended set. */
static int find_kind(struct input *in, struct error *error)
{
    size_t got;
    int rc = take(in, in->raw + in->raw_end, in->raw_size - in->raw_end, &got, error);
    if (rc < 0)
        return rc;
    in->raw_end += got;
    int zstd = looks_zstd((const unsigned char *)in->raw, in->raw_end);
    if (zstd == 1) {
        in->kind = INPUT_ZSTD;
        in->zstd = ZSTD_createDCtx();
        if (!in->zstd)
            mem_out_of_memory(ZSTD_DStreamOutSize());
    } else if (zstd == 0 || in->fd_ended) {
        in->kind = INPUT_PLAIN;
    }
    return 1;
}

static int read_plain(struct input *in, char *room, size_t size, size_t *got, struct error *error)
{
    size_t left = in->raw_end - in->raw_at;
    if (left) {
        *got = left < size ? left : size;
        memcpy(room, in->raw + in->raw_at, *got);
        in->raw_at += *got;
        return 1;
    }
    return in->fd_ended ? 0 : take(in, room, size, got, error);
}

static int read_zstd(struct input *in, char *room, size_t size, size_t *got, struct error *error)
{
    if (in->raw_at == in->raw_end && !in->more_out) {
        in->raw_at = in->raw_end = 0;
        int rc = in->fd_ended ? 0 : take(in, in->raw, in->raw_size, &in->raw_end, error);
        if (rc < 0)
            return rc;
        if (rc == 0)
            return !in->frame_open
                       ? 0
                       : error_set(error, ERROR_INPUT,
                                   "%s: the zstd data ends inside a frame, at byte %llu; "
                                   "the file is cut short: fetch or write it again",
                                   in->path, (unsigned long long)in->offset);
    }
    ZSTD_inBuffer from = {in->raw, in->raw_end, in->raw_at};
    ZSTD_outBuffer to = {room, size, 0};
    size_t rc = ZSTD_decompressStream(in->zstd, &to, &from);
    if (ZSTD_isError(rc))
        return error_set(
            error, ERROR_INPUT,
            "%s: the zstd data is damaged near byte %llu (%s); fetch or write the file "
            "again",
            in->path, (unsigned long long)(in->offset - (in->raw_end - from.pos)),
            ZSTD_getErrorName(rc));
    in->raw_at = from.pos;
    in->frame_open = rc != 0;
    in->more_out = rc != 0 && to.pos == to.size;
    *got = to.pos;
    return 1;
}

int input_read(struct input *in, char *room, size_t size, size_t *got, struct error *error)
{
    *got = 0;
    if (in->kind == INPUT_UNKNOWN)
        return find_kind(in, error);
    if (in->kind == INPUT_PLAIN)
        return read_plain(in, room, size, got, error);
    return read_zstd(in, room, size, got, error);
}
