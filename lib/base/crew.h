/* crew.h: the processes of one command, for as many threads as like: a thread takes one, talks with
 * it alone, and gives it back. Each is told WAI_PROTOCOL=1 and WAI_WORKER=its number, and what it
 * says on standard error is handed on with that number. One that keeps failing waits a while before
 * it is started again (world 13.1, 13.4). */
#ifndef WAI_BASE_CREW_H
#define WAI_BASE_CREW_H

#include "base/child.h"

struct crew;

/* One process while a thread has it. */
struct crew_hand {
    struct coproc *process;
    int number;
    int failures; /* in a row; crew_give counts */
    bool used;    /* this process has served before */
};

/* A line of standard error, on the thread that has the process; may be told by several at once. */
typedef void crew_heard(const void *data, int number, struct span line);

/* heard NULL: standard error is inherited. Processes start when they are first sent a line. */
struct crew *crew_open(const char *command, int size, crew_heard *heard, const void *data);

/* Waits until one is free, and for the pause of one that failed CREW_QUICK_RESTARTS times in a row
 * (1, 2, then 4 s). The one that was busy last comes first, so that a few rollouts start few
 * processes. NULL: a signal was caught. */
struct crew_hand *crew_take(struct crew *crew);

/* failed: it is ended, and started anew for the next who takes it. */
void crew_give(struct crew *crew, struct crew_hand *hand, bool failed);

/* Nobody may have one. As coproc_close, all at once. */
void crew_close(struct crew *crew);

int crew_size(const struct crew *crew);

#endif
