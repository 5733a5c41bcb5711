/* signals.h: one policy for every binary. SIGINT, SIGTERM and SIGHUP set a flag; the loop in hand
 * finishes its line, says what was kept, and exits 130 (143, 129). A second signal ends the process
 * at once. Registered temporary files and child processes are removed either way. SIGPIPE ends the
 * process quietly by that signal: a tool whose reader has gone has nothing left to do. */
#ifndef WAI_BASE_SIGNALS_H
#define WAI_BASE_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/* Call first in main. A standard descriptor that was closed is opened on nothing, so that no file
 * of the tool becomes standard output by accident. */
void signals_open(void);
int signals_caught(void);      /* 0, or the signal's number; cheap, call it in loops */
int signals_exit_status(void); /* 128 + the signal caught */

/* A descriptor that becomes readable when a signal is caught, for a poll loop; never read it. -1
 * when signals_open was not called. */
int signals_descriptor(void);

/* Blocks, in the calling thread, the signals that signals_open catches: worker threads call it so
 * that a blocking read in the main thread is the one that is interrupted. */
void signals_block_in_thread(void);

/* Async-signal-safe bookkeeping of files and folders to remove when the process ends early. Returns
 * a ticket. */
int signals_guard_path(const char *path); /* kept by copy; -1 when the table is full */
void signals_release_path(int ticket);    /* the path is kept from now on */
int signals_ticket(const char *path);     /* of a guarded path, or -1 */

/* Process groups to end (SIGTERM) when the process ends early. */
int signals_guard_group(pid_t group); /* -1 when the table is full */
void signals_release_group(int ticket);

#endif
