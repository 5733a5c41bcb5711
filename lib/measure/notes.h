/* notes.h: sentences for people, each with the stable code that programs read (measure 1.7). */
#ifndef WAI_MEASURE_NOTES_H
#define WAI_MEASURE_NOTES_H

#include "json/write.h"

struct note {
    const char *code; /* static */
    char *text;       /* owned; one line, safe to show */
};

/* `struct notes n = {0}` is empty. */
struct notes {
    struct note *items;
    size_t count, cap;
};

void notes_add(struct notes *notes, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool notes_have(const struct notes *notes, const char *code);
void notes_free(struct notes *notes);

/* The sentences joined by "; ". */
void notes_text(const struct notes *notes, struct buf *out);

/* `"note": "…", "note_codes": […]`, and `"warnings": […], "warning_codes": […]`, into an open
 * object. */
void notes_write_note(const struct notes *notes, struct json_writer *w);
void notes_write_warnings(const struct notes *notes, struct json_writer *w);

#endif
