/* signals.h: one policy for every binary. SIGINT, SIGTERM and SIGHUP set a flag; the loop in hand
 * finishes its line, says what was kept, and exits 130 (143, 129). A second signal ends the process
 * at once. Registered temporary files are removed either way. SIGPIPE keeps its default action:
 * a tool whose reader has gone ends quietly. */
#ifndef WAI_BASE_SIGNALS_H
#define WAI_BASE_SIGNALS_H

#include <stdbool.h>

void signals_open(void);          /* call first in main */
int signals_caught(void);         /* 0, or the signal's number; cheap, call it in loops */
int signals_exit_status(void);    /* 128 + the signal caught */

/* Async-signal-safe bookkeeping of files to remove when the process ends early. Returns a ticket. */
int signals_guard_path(const char *path); /* kept by copy; -1 when the table is full */
void signals_release_path(int ticket);    /* the path is kept from now on */

#endif
