/* child.h: child processes. Two uses: one command run to its end with its output captured, and a
 * co-process that answers a line with a line. Children run `/bin/sh -c COMMAND` (or an argv) in
 * a process group of their own, so that a time limit ends grandchildren too. */
#ifndef WAI_BASE_CHILD_H
#define WAI_BASE_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

enum { CHILD_LINE_MAX = 16 << 20 }; /* bytes; longest line taken from a child */

struct child_exit {
    int status;     /* exit status, or -1 */
    int signal;     /* the signal that ended it, or 0 */
    bool timed_out; /* ended by us after its time */
    bool overflow;  /* ended by us after too much output */
};

/* Runs argv (NULL-terminated; argv[0] searched on PATH) or, when argv is NULL, `/bin/sh -c
 * command`. input is written to its standard input. out and err may be NULL (then inherited) and
 * hold at most out_limit bytes each (0: CHILD_LINE_MAX); more ends it. timeout_s <= 0: none.
 * environment NULL: inherited. folder NULL: this one. When the command itself has ended, what it
 * left running in its group is killed. Returns 0 when the child ran (see *ended), ERROR_SYSTEM when
 * it could not be started, ERROR_INTERRUPTED when a caught signal (signals.h) ended the wait and
 * the child. */
struct child_run {
    const char *const *argv;
    const char *command;
    struct span input;
    double timeout_s;
    size_t out_limit;
    const char *const *environment;
    const char *folder;
    void (*prepare)(
        void *); /* called in the child before exec: limits; must be async-signal-safe */
    void *prepare_data;
};
int child_run(const struct child_run *run, struct buf *out, struct buf *err,
              struct child_exit *ended, struct error *error);

/* What people call a command: the base name of its first word (behind `exec`), "cmd" when it has
 * none. The caller frees. */
char *child_command_name(const char *command);

/* A co-process: lines in, lines out. Not shared between threads; one per worker. */
struct coproc;

enum coproc_result {
    COPROC_OK = 0,
    COPROC_TIMEOUT,  /* nothing in time: it was ended (SIGTERM, SIGKILL 2 s later) and will be
                        started anew */
    COPROC_DIED,     /* ended before it replied; *ended says how; will be started anew */
    COPROC_TOO_LONG, /* a line over CHILD_LINE_MAX: ended, will be started anew */
    COPROC_FAILED,   /* *error says why: it could not be started (ERROR_SYSTEM), a signal was caught
                      * (ERROR_INTERRUPTED), it wrote a line that nobody asked for (ERROR_REMOTE) */
};

/* environment: extra NAME=VALUE texts, NULL-terminated, or NULL. Starts at the first line sent. */
struct coproc *coproc_open(const char *command, const char *const *environment);

/* Before the first line: takes its standard error, which is inherited else. heard gets it line by
 * line (without the newline; a long one in pieces of CHILD_HEARD_MAX bytes), on the thread that
 * asks, sends or waits. What it says while nobody does any of that waits in the pipe. */
enum { CHILD_HEARD_MAX = 8 << 10, CHILD_SAID_MAX = 300 /* bytes */ };
typedef void coproc_heard(void *data, struct span line);
void coproc_hear(struct coproc *c, coproc_heard *heard, void *data);

/* Who hears co-processes that nobody else does: the log, once it is open. number: WAI_WORKER of the
 * environment it was given, -1: none. May be called by several threads at once. */
typedef void child_heard(int number, struct span line);
void child_hear_by_default(child_heard *heard);

/* A wait also ends (COPROC_FAILED, ERROR_INTERRUPTED) soon after *stop has become true. NULL: no
 * more. */
void coproc_stop_when(struct coproc *c, const atomic_bool *stop);

/* The last CHILD_SAID_MAX bytes of the standard error of the process in hand, or of the one that
 * ended last. Borrowed until the next call; empty when it is inherited. */
struct span coproc_said(const struct coproc *c);

/* Sends one line (a newline is added) and waits for one line. The reply is borrowed until the next
 * call. timeout_s <= 0: none. */
enum coproc_result coproc_ask(struct coproc *c, struct span line, double timeout_s,
                              struct span *reply, struct child_exit *ended, struct error *error);

/* The same in halves, for a talk of several lines. send returns when the line is written, next when
 * a line is there; what it writes meanwhile is kept (up to 2 * CHILD_LINE_MAX: then it waits). */
enum coproc_result coproc_send(struct coproc *c, struct span line, double timeout_s,
                               struct child_exit *ended, struct error *error);
enum coproc_result coproc_next(struct coproc *c, double timeout_s, struct span *line,
                               struct child_exit *ended, struct error *error);

/* It has written something that was not taken yet: between two talks it is out of step. */
bool coproc_pending(struct coproc *c);

/* Ends the process; the next line sent starts another. */
void coproc_discard(struct coproc *c);

/* Closes its standard input, waits 5 s for it to end, then ends its group. */
void coproc_close(struct coproc *c);

#endif
