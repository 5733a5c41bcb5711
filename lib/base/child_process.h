/* child_process.h: what child.c, coproc.c and coproc_many.c share: starting a process in a group of its own,
 * waiting for it, ending it. Not for other rooms: they use child.h. */
#ifndef WAI_BASE_CHILD_PROCESS_H
#define WAI_BASE_CHILD_PROCESS_H

#include "base/child.h"

enum {
    CHILD_GRACE_MS = 2000, /* from SIGTERM to SIGKILL (world 13.1) */
    CHILD_READ = 1 << 16,  /* bytes read at once */
};

struct process {
    pid_t pid;  /* and its process group; 0: none */
    int watch;  /* descriptor that is readable when it has ended, or -1: poll with a time limit */
    int ticket; /* of signals_guard_group */
    int in;     /* our ends of its pipes, -1 when there is none */
    int out, err;
};

/* Pipes are made for standard input always, for output and errors as asked. 0 or ERROR_SYSTEM. */
int process_start(struct process *p, const struct child_run *run, bool want_out, bool want_err,
                  struct error *error);

/* This process's environment with the NAME=VALUE texts of `extra` over it, NULL-terminated. The entries
 * from *n_inherited on are its own. */
const char **process_environment(const char *const *extra, size_t *n_inherited);
void process_environment_free(const char **environment, size_t n_inherited);

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t process_clock(void);

/* How long a poll may sleep: until the deadline (ms, 0: none), shorter when there is no `watch`. */
int process_poll_ms(const struct process *p, int64_t deadline);

/* True when it has ended: reaped, its group killed, *ended filled. */
bool process_reap(struct process *p, struct child_exit *ended);

/* Waits up to ms for its end, then SIGTERM to the group, CHILD_GRACE_MS, SIGKILL. Reaps. */
void process_finish(struct process *p, int64_t wait_ms, struct child_exit *ended);

/* Writes what a pipe takes now. Bytes written, 0 when it is full, -1 when nobody reads it any more.
 * SIGPIPE is held back. */
ssize_t process_write(int fd, struct span bytes);

void process_close(int *fd);

/* ---- standard error of a co-process (ears.c) -------------------------------------------------- */

struct ears {
    coproc_heard *heard; /* NULL: the one that hears by default, if any */
    void *data;
    int number;      /* WAI_WORKER of its environment, -1: it has none */
    struct buf line; /* not yet whole */
    struct buf said; /* the last CHILD_SAID_MAX bytes */
};

void ears_open(struct ears *e, const char *const *environment); /* the extra texts, or NULL */
bool ears_wanted(const struct ears *e);                         /* false: it is inherited */
void ears_listen(struct ears *e, int *fd); /* takes what is there; closes at its end */
void ears_end(struct ears *e, int *fd);    /* the process is gone: the rest of it */
void ears_free(struct ears *e);

#endif
