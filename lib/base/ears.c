/* ears.c: what a co-process says on standard error, handed on line by line. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child_process.h"

enum { EARS_BLOCKS = 16 }; /* blocks read in one turn */

static child_heard *by_default;

void child_hear_by_default(child_heard *heard)
{
    by_default = heard;
}

void ears_open(struct ears *e, const char *const *environment)
{
    static const char NUMBER[] = "WAI_WORKER=";
    *e = (struct ears){.number = -1};
    for (; environment && *environment; environment++)
        if (strncmp(*environment, NUMBER, sizeof NUMBER - 1) == 0)
            e->number = atoi(*environment + sizeof NUMBER - 1);
}

bool ears_wanted(const struct ears *e)
{
    return e->heard || by_default;
}

static void tell(struct ears *e)
{
    if (e->heard)
        e->heard(e->data, buf_span(&e->line));
    else
        by_default(e->number, buf_span(&e->line));
    buf_clear(&e->line);
}

static void keep_said(struct ears *e, struct span piece)
{
    size_t keep = piece.len < CHILD_SAID_MAX ? CHILD_SAID_MAX - piece.len : 0;
    if (e->said.len > keep) {
        memmove(e->said.data, e->said.data + e->said.len - keep, keep);
        e->said.len = keep;
    }
    size_t from = piece.len > CHILD_SAID_MAX ? piece.len - CHILD_SAID_MAX : 0;
    buf_span_add(&e->said, span_slice(piece, from, piece.len));
}

static void hear(struct ears *e, struct span piece)
{
    keep_said(e, piece);
    while (piece.len) {
        const char *newline = memchr(piece.ptr, '\n', piece.len);
        size_t room = CHILD_HEARD_MAX - e->line.len;
        size_t n = newline ? (size_t)(newline - piece.ptr) : piece.len;
        bool whole = newline && n <= room;
        n = n < room ? n : room;
        buf_span_add(&e->line, span_slice(piece, 0, n));
        piece = span_slice(piece, n + whole, piece.len);
        if (whole || e->line.len == CHILD_HEARD_MAX)
            tell(e);
    }
}

void ears_listen(struct ears *e, int *fd)
{
    for (int i = 0; *fd >= 0 && i < EARS_BLOCKS; i++) {
        char block[CHILD_READ];
        ssize_t got = read(*fd, block, sizeof block);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            process_close(fd);
        if (got <= 0)
            return;
        hear(e, span_make(block, (size_t)got));
    }
}

void ears_end(struct ears *e, int *fd)
{
    ears_listen(e, fd);
    process_close(fd);
    if (e->line.len)
        tell(e);
}

void ears_free(struct ears *e)
{
    buf_free(&e->line);
    buf_free(&e->said);
}
