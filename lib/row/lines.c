/* lines.c: from bytes to blocks of whole lines. See lines.h. */
#include "row/lines.h"

#include <stdlib.h>

#include "base/signals.h"
#include "row/defaults.h"
#include "row/input.h"
#include "text/fold.h"

struct lines {
    const struct row_source *source;  /* borrow */
    struct row_source standard_input; /* when there is no operand */
    size_t next_path;
    struct input *input; /* of paths[next_path - 1]; NULL between operands */
    const char *file;
    bool ended;   /* input has no more bytes */
    bool begun;   /* a block of this operand was given */
    bool in_long; /* the bytes pending continue a line over max_line */
    struct buf pending;
    size_t whole;  /* pending[0 .. whole) is whole lines */
    bool lf_added; /* the last byte pending is not of the input */
    int failed;    /* reading broke off: said when the whole lines before are out */
    struct error failure;
};

enum {
    LARGE_BLOCK = 4 * ROW_BLOCK_BYTES,
    LONG_READ = 16 * ROW_BLOCK_BYTES, /* the most taken at once inside a long line */
};

static const char *const STANDARD_INPUT[] = {"-"};

struct lines *lines_open(const struct row_source *source, struct error *error)
{
    struct lines *l = mem_zero(1, sizeof *l);
    l->source = source;
    if (source->n_paths == 0) {
        l->standard_input = *source;
        l->standard_input.paths = STANDARD_INPUT;
        l->standard_input.n_paths = 1;
        l->source = &l->standard_input;
    }
    for (size_t i = 0; i < l->source->n_paths; i++) {
        if (input_probe(l->source->paths[i], error) < 0) {
            lines_close(l);
            return NULL;
        }
    }
    return l;
}

void lines_close(struct lines *l)
{
    if (!l)
        return;
    input_close(l->input);
    buf_free(&l->pending);
    free(l);
}

void line_block_free(struct line_block *block)
{
    buf_free(&block->bytes);
}

int lines_descriptor(const struct lines *l)
{
    return l->input ? input_descriptor(l->input) : -1;
}

/* Hands out pending[0 .. len); the rest is kept for the next block. */
static int emit(struct lines *l, struct line_block *block, size_t len)
{
    struct buf given = l->pending;
    l->pending = block->bytes;
    buf_clear(&l->pending);
    buf_add(&l->pending, given.data + len, given.len - len);
    given.len = len;
    block->bytes = given;
    block->start = 0;
    block->file = l->file;
    block->starts_file = !l->begun;
    block->size = len - (l->lf_added && !l->pending.len);
    block->long_piece = block->long_begin = block->long_end = false;
    if (!l->begun && span_starts(buf_span(&given), SPAN("\xef\xbb\xbf")))
        block->start = 3;
    l->begun = true;
    l->whole = 0;
    return LINES_BLOCK;
}

static int emit_piece(struct lines *l, struct line_block *block, size_t len, bool end)
{
    emit(l, block, len);
    block->long_piece = true;
    block->long_begin = !l->in_long;
    block->long_end = end;
    l->in_long = !end;
    /* What is left of pending may hold whole lines. */
    const char *last = l->pending.len ? memrchr(l->pending.data, '\n', l->pending.len) : NULL;
    l->whole = last ? (size_t)(last - l->pending.data) + 1 : 0;
    return LINES_BLOCK;
}

/* Is there a block to give out? LINES_BLOCK, or LINES_WAIT when more bytes are needed first. */
static int try_emit(struct lines *l, struct line_block *block)
{
    /* A last line without its LF; or the end of one over max_line, all of which is given out. */
    if (l->ended && (l->whole < l->pending.len || (l->in_long && !l->pending.len))) {
        buf_byte(&l->pending, '\n');
        l->lf_added = true;
        l->whole = l->pending.len;
    }
    if (l->in_long && l->pending.len) {
        const char *lf = memchr(l->pending.data, '\n', l->pending.len);
        return emit_piece(l, block, lf ? (size_t)(lf - l->pending.data) + 1 : l->pending.len, lf);
    }
    if (l->whole &&
        (l->ended || l->failed || l->pending.len >= ROW_BLOCK_BYTES || !input_ready(l->input)))
        return emit(l, block, l->whole);
    if (!l->whole && l->pending.len >= ROW_BLOCK_BYTES &&
        l->pending.len > l->source->options.max_line + 1)
        return emit_piece(l, block, l->pending.len, false);
    return LINES_WAIT;
}

/* One read into pending. 1, 0 at the end, negative. */
static int fill(struct lines *l, struct error *error)
{
    /* A line that outgrows the block doubles it, so that long lines are not read in small bits. */
    size_t room =
        l->pending.len < ROW_BLOCK_BYTES ? ROW_BLOCK_BYTES - l->pending.len : l->pending.len;
    if (room > LONG_READ)
        room = LONG_READ;
    char *at = buf_reserve(&l->pending, room + 1);
    size_t got;
    int rc = input_read(l->input, at, room, &got, error);
    if (rc < 0)
        return rc;
    const char *last = got ? memrchr(at, '\n', got) : NULL;
    l->pending.len += got;
    if (last)
        l->whole = (size_t)(last - l->pending.data) + 1;
    if (rc == 0)
        l->ended = true;
    return rc;
}

static int next_operand(struct lines *l, struct error *error)
{
    if (l->next_path == l->source->n_paths)
        return 0;
    l->file = l->source->paths[l->next_path++];
    l->input = input_open(l->file, error);
    l->ended = l->begun = l->in_long = l->lf_added = false;
    return l->input ? 1 : error ? error->code : ERROR_INPUT;
}

int lines_next(struct lines *l, struct line_block *block, bool may_wait, struct error *error)
{
    if (block->bytes.cap > LARGE_BLOCK)
        buf_free(&block->bytes); /* a long line's memory is not kept while the next one is read */
    for (;;) {
        int rc;
        if (signals_caught())
            return error_set(error, ERROR_INTERRUPTED, "interrupted");
        if (!l->input && (rc = next_operand(l, error)) <= 0)
            return rc;
        if (try_emit(l, block) == LINES_BLOCK)
            return LINES_BLOCK;
        if (l->failed) {
            if (error)
                *error = l->failure;
            return l->failed;
        }
        if (l->ended) {
            input_close(l->input);
            l->input = NULL;
            continue;
        }
        if (!input_ready(l->input)) {
            if (!may_wait)
                return LINES_WAIT;
            if (l->source->before_wait)
                l->source->before_wait(l->source->before_wait_data);
            rc = input_wait(input_descriptor(l->input), -1, error);
            if (rc < 0)
                return rc;
        }
        if ((rc = fill(l, &l->failure)) < 0)
            l->failed = rc;
    }
}

void line_cursor_start(struct line_cursor *c, const struct line_block *block)
{
    c->at = block->bytes.data + block->start;
    c->end = block->bytes.data + block->bytes.len;
    if (block->starts_file)
        c->number = 0;
    if (block->long_piece) {
        c->at = c->end;
        c->number += block->long_begin;
        c->index += block->long_begin;
    }
}

/* Most lines begin with '{'; only others are looked at closely. */
static bool blank(struct span line)
{
    if (line.len == 0)
        return true;
    unsigned char first = (unsigned char)line.ptr[0];
    return (first <= ' ' || first >= 0x80) && text_blank(line);
}

bool line_next(struct line_cursor *c, struct span *line)
{
    while (c->at < c->end) {
        const char *lf = memchr(c->at, '\n', (size_t)(c->end - c->at));
        struct span found = span_make(c->at, (size_t)(lf - c->at));
        c->at = lf + 1;
        c->number++;
        if (found.len && found.ptr[found.len - 1] == '\r')
            found.len--;
        if (!blank(found)) {
            c->index++;
            *line = found;
            return true;
        }
        c->blank++;
    }
    return false;
}

struct span line_raw(struct span line)
{
    return span_make(line.ptr, line.len + (line.ptr[line.len] == '\r' ? 2 : 1));
}
