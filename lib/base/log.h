/* log.h: what people read on standard error, one line at a time, "wai-passat: …" in front. Called
 * by cmd/; library code never prints. The program's name and the quiet flag are the only state. */
#ifndef WAI_BASE_LOG_H
#define WAI_BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"

/* The name without its folder; kept, not copied. What co-processes say on standard error is told
 * from now on as "wai-grade: child 0: …" (child.h), unless somebody else hears them. */
void log_open(const char *program);
void log_quiet(bool quiet); /* notes and progress off; warnings and errors stay */
bool log_is_quiet(void);
const char *log_program(void);

void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_error(const struct error *e);

/* Prints e and returns the exit status that belongs to it (128 + the signal when one interrupted
 * the run); for the end of main. */
int log_fail(const struct error *e);

#endif
