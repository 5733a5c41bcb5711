/* writer_inside.h: what the files of the writer share. Inside the room. */
#ifndef WAI_SCENE_WRITER_INSIDE_H
#define WAI_SCENE_WRITER_INSIDE_H

#include "base/child.h"
#include "base/pool.h"
#include "scene/defaults.h"
#include "scene/writer.h"

/* A card with the cell it is for. */
struct dealt {
    struct writer_cell from;
    size_t parent; /* of a failure that is tried again */
    struct card card;
};

struct dealt_list {
    struct dealt *items;
    size_t first, count, cap;
};

struct told_list {
    struct told *items;
    size_t first, count, cap;
};

/* One request. What it holds is the wave's own until it is read. */
struct wave {
    struct arena arena;
    int64_t number;
    struct dealt *cards;
    size_t n_cards;
    struct span system, user; /* of a model */
    struct span line;         /* of a program */
    int64_t tokens;
    double temperature;
    enum chat_failure failure; /* of a program: CHAT_OK, CHAT_BAD_REPLY, CHAT_TIMED_OUT */
    struct buf reply, why;
};

struct scene_writer {
    struct writer_setting setting;
    struct arena arena;
    struct pool *pool;
    struct coproc *programs[WRITER_IN_FLIGHT];
    size_t in_flight;
    int64_t wave, epoch;     /* waves sent; added to their number in draws, after a restart */
    struct dealt_list again; /* cards whose message was refused */
    struct told_list told[TOLD_KINDS];
    struct span recent[WRITER_CONTEXT]; /* messages, the newest last */
    size_t n_recent;
    int64_t *by_tool; /* messages of each tool */
    int64_t strikes, empty_rounds, idle_rounds;
    bool written; /* it has ever written something */
    bool dry;     /* the source has no cell left */
    enum writer_trouble trouble;
    struct writer_counts counts;
};

/* Messages to keep away from, and purposes to come to, in a wave. */
size_t writer_context(const struct scene_writer *w);

/* Words and lines of a wave whose cards are dealt; cards that do not fit the window are cut off the
 * end: how many stay. */
size_t wave_write(const struct scene_writer *w, struct wave *wave);

/* Asks. On a thread of the pool. */
void wave_ask(struct scene_writer *w, int worker, struct wave *wave);

/* Reads the reply: messages that are fine become ready, the cards of the others go out again. Returns
 * how many were accepted; *new: of those that came, how many were no copy of an earlier one. */
size_t wave_read(struct scene_writer *w, const struct writer_source *source, struct wave *wave);

#endif
