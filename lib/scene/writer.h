/* writer.h: messages written by a model or a program (situations 18). Cards go out in waves, a few of
 * them at a time; what comes back is read in the order the waves went out, so what is written never
 * depends on which reply came first. Waves go out while rollouts are played and are read when the
 * next round is planned. */
#ifndef WAI_SCENE_WRITER_H
#define WAI_SCENE_WRITER_H

#include "model/chat.h"
#include "scene/cards.h"
#include "scene/knobs.h"
#include "scene/letters.h"

enum writer_trouble {
    WRITER_FINE,
    WRITER_FAILED,    /* round after round nothing usable came */
    WRITER_EXHAUSTED, /* nothing but what was written before */
    WRITER_AUTH,      /* the key is missing or refused */
    WRITER_QUOTA,
    WRITER_HOST,   /* nothing at the host, three times */
    WRITER_COST,   /* --max-cost is reached */
    WRITER_REPLAY, /* the recording has no such request */
};

/* Borrowed for the writer's life. */
struct writer_setting {
    struct model *model; /* NULL: a program */
    const char *command; /* of cmd:; NULL: a model */
    struct card_setting cards;
    struct span kind;           /* what the assistant is called; empty: not told */
    struct span brief;          /* the scene brief; empty: none */
    const struct span *failing; /* asks of failed rows */
    size_t n_failing;
    bool strict;           /* a message that misses its card's style is asked for again */
    int64_t round, budget; /* rollouts of a round; rows of the run */
    double timeout_s;      /* of a wave; 0: WRITER_TIMEOUT_S */
    const struct knobs *knobs;
};

/* A cell to write for. */
struct writer_cell {
    const struct cell *cell;
    bool fresh, steered; /* for the caller */
};

/* The ask of a row that failed, to be tried again by somebody else. */
struct writer_failure {
    struct span ask;
    size_t parent; /* the caller's */
};

/* Where cells come from, and who says whether a message is new. Called on the caller's thread. */
struct writer_source {
    bool (*next)(void *data, struct writer_cell *cell);          /* false: there is none */
    void (*give_up)(void *data, const struct writer_cell *cell); /* no message can be had for it */
    bool (*claim)(void *data, struct span text); /* false: it is like an earlier one */
    void (*reference)(void *data, const struct writer_cell *cell, struct buf *out);
    /* Is a failure to be tried again in this wave of so many cards? */
    bool (*failure)(void *data, int64_t wave, size_t n_cards, struct writer_failure *failure);
    void *data;
};

/* A message that can be played. Spans live as long as the writer. */
struct told {
    struct writer_cell from; /* cell NULL: off the grid, or a failure tried again */
    size_t parent;           /* of the failure */
    struct span text, members;
    const char *texture, *tone; /* that the text has; NULL: none */
    struct span chosen;         /* members that say why this one; empty: there was no choice */
    bool doubled;               /* chosen, and hardly new */
};

struct scene_writer;
struct scene_writer *scene_writer_open(const struct writer_setting *setting);
void scene_writer_close(struct scene_writer *w);

/* Writes until `need` messages for cells are there, or trouble, or no cell is left. ERROR_INTERRUPTED. */
int scene_writer_fill(struct scene_writer *w, const struct writer_source *source, size_t need,
                      struct error *error);

/* Nothing more will be written: the cells that wait for a message go back, by source->give_up. */
void scene_writer_end(struct scene_writer *w, const struct writer_source *source);

/* Sends waves for up to `most` further messages without waiting for them. */
void scene_writer_ahead(struct scene_writer *w, const struct writer_source *source, size_t most);

/* What a message is for. */
enum told_for { TOLD_CELL, TOLD_OUTSIDE, TOLD_FAILURE, TOLD_KINDS };

/* The next message of a kind. false: none is there. */
bool scene_writer_take(struct scene_writer *w, enum told_for kind, struct told *out);
size_t scene_writer_ready(const struct scene_writer *w);

/* The messages for cells that wait to be taken, in their order; the caller may put them in another one. */
struct told *scene_writer_waiting(struct scene_writer *w, size_t *n);

struct writer_counts {
    int64_t waves, failed_waves, unreadable; /* unreadable: of the waves that were answered */
    int64_t cards, accepted, duplicates, restyled, given_up;
    int64_t refused[LETTER_FAULTS];
    int64_t restarts, unused; /* unused: messages that were never asked for */
    struct span first_error;  /* empty: none */
};
const struct writer_counts *scene_writer_counts(const struct scene_writer *w);
enum writer_trouble scene_writer_trouble(const struct scene_writer *w);

/* Temperature of a wave. */
double writer_temperature(int64_t seed, int64_t wave);

#endif
