/* isolate.h: work in a child process that can be killed: how a time limit bounds code that cannot
 * be stopped from inside (an expression, a pattern). One per worker; the child is a fork of the
 * worker's thread, started at the first request and again after it was killed. */
#ifndef WAI_GRADE_ISOLATE_H
#define WAI_GRADE_ISOLATE_H

#include "base/buf.h"
#include "base/error.h"

enum isolate_result { ISOLATE_OK, ISOLATE_TIMEOUT, ISOLATE_DIED, ISOLATE_FAILED };

/* Runs in the child: answers request in reply. */
typedef void isolate_work(void *data, struct span request, struct buf *reply);

struct isolate;
struct isolate *isolate_open(isolate_work *work, void *data);

/* reply is cleared first. ISOLATE_FAILED: *error (ERROR_SYSTEM, ERROR_INTERRUPTED). */
enum isolate_result isolate_ask(struct isolate *i, struct span request, double timeout_s,
                                struct buf *reply, struct error *error);
void isolate_close(struct isolate *i);

#endif
