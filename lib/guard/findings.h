/* findings.h: what a scan found, each with a stable code and a level (guard 1.2). Texts are for
 * people and free to change; programs read codes and levels. */
#ifndef WAI_GUARD_FINDINGS_H
#define WAI_GUARD_FINDINGS_H

#include "json/write.h"

enum finding_level {
    FINDING_RED,  /* a check failed */
    FINDING_OPEN, /* not known, for want of evidence */
    FINDING_WARN, /* act on it */
    FINDING_NOTE, /* for reading */
};

extern const char *const FINDING_LEVELS[]; /* by enum finding_level */

struct finding {
    const char *code; /* static */
    enum finding_level level;
    char *text; /* owned; one line, safe to show */
};

/* `struct findings f = {0}` is empty. */
struct findings {
    struct finding *items;
    size_t count, cap;
};

/* Control characters in the arguments are shown escaped. */
void findings_add(struct findings *f, enum finding_level level, const char *code,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void findings_append(struct findings *f, const struct findings *more); /* copies */
bool findings_have(const struct findings *f, const char *code);
bool findings_at_least(const struct findings *f, enum finding_level level); /* warn or worse, say */
void findings_free(struct findings *f);

/* "findings", "warnings", "warning_codes", "notes", "note_codes" into an open object. */
void findings_write(const struct findings *f, struct json_writer *w);

/* "LEVEL CODE TEXT", a line each. */
void findings_lines(const struct findings *f, struct buf *out);

#endif
