/* program.h: what every binary with verbs does around them. */
#ifndef WAI_BASE_PROGRAM_H
#define WAI_BASE_PROGRAM_H

#include "base/options.h"

/* Parses a verb's own words and does its work: 0, a positive exit status, or a negative code with *error. */
typedef int program_verb(const struct command *verb, int argc, char **argv, struct error *error);

/* A main: signals, the log, the verb that argv names; a failure is said. Returns the exit status. */
int program_run(const struct command *command, int argc, char **argv, program_verb *run);

/* A report: what people or programs see, on standard output (ptr NULL: nothing), and the object in
 * --report's file (NULL: none). 0 or ERROR_SYSTEM. */
int program_report(struct span shown, const char *path, struct span json, struct error *error);

#endif
