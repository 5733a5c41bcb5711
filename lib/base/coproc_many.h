/* coproc_many.h: a co-process with several requests under way. Each request and each reply is a
 * line that carries a number; replies come in any order. Asked from several threads, each waits for
 * its own reply; whichever waits does the reading and writing for all.
 *
 * When the child dies or a request takes too long, the requests under way are sent again to a new
 * child one at a time, so that the one at fault is told apart from those that waited behind it. */
#ifndef WAI_BASE_COPROC_MANY_H
#define WAI_BASE_COPROC_MANY_H

#include "base/child.h"

struct coproc_many;

/* Number of the request that a reply's line answers; false: it carries none. */
typedef bool coproc_number(struct span line, int64_t *number);

/* batch: requests under way at once. environment as in coproc_open. */
struct coproc_many *coproc_many_open(const char *command, const char *const *environment, int batch,
                                     coproc_number *number);

/* Sends line (a newline is added), whose number is `number`, and waits for its reply: appended to
 * reply. Results as of coproc_ask; COPROC_FAILED with ERROR_REMOTE: a reply that answers no
 * request. */
enum coproc_result coproc_many_ask(struct coproc_many *m, int64_t number, struct span line,
                                   double timeout_s, struct buf *reply, struct child_exit *ended,
                                   struct error *error);

/* No request may be under way. As coproc_close. */
void coproc_many_close(struct coproc_many *m);

#endif
