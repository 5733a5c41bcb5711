/* findings.c: see findings.h. */
#include "guard/findings.h"

#include <stdarg.h>
#include <stdlib.h>

#include "text/term.h"

const char *const FINDING_LEVELS[] = {"red", "open", "warn", "note"};

void findings_add(struct findings *f, enum finding_level level, const char *code,
                  const char *format, ...)
{
    struct buf raw = {0}, safe = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&raw, format, args);
    va_end(args);
    term_add(&safe, buf_span(&raw));
    f->items = mem_grow(f->items, &f->cap, f->count + 1, sizeof *f->items);
    f->items[f->count++] = (struct finding){code, level, buf_take(&safe)};
    buf_free(&raw);
}

void findings_append(struct findings *f, const struct findings *more)
{
    for (size_t i = 0; i < more->count; i++) {
        f->items = mem_grow(f->items, &f->cap, f->count + 1, sizeof *f->items);
        f->items[f->count] = more->items[i];
        f->items[f->count++].text = mem_text(more->items[i].text);
    }
}

bool findings_have(const struct findings *f, const char *code)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].code, code) == 0)
            return true;
    return false;
}

bool findings_at_least(const struct findings *f, enum finding_level level)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].level <= level)
            return true;
    return false;
}

void findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->items[i].text);
    free(f->items);
    *f = (struct findings){0};
}

/* Texts, or codes, of the notes or of all others. */
static void write_list(const struct findings *f, const char *key, bool notes, bool codes,
                       struct json_writer *w)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < f->count; i++)
        if ((f->items[i].level == FINDING_NOTE) == notes)
            json_write_text(w, codes ? f->items[i].code : f->items[i].text);
    json_write_end_array(w);
}

void findings_write(const struct findings *f, struct json_writer *w)
{
    json_write_key(w, "findings");
    json_write_array(w);
    for (size_t i = 0; i < f->count; i++) {
        json_write_object(w);
        json_write_key(w, "code");
        json_write_text(w, f->items[i].code);
        json_write_key(w, "level");
        json_write_text(w, FINDING_LEVELS[f->items[i].level]);
        json_write_key(w, "text");
        json_write_text(w, f->items[i].text);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    write_list(f, "warnings", false, false, w);
    write_list(f, "warning_codes", false, true, w);
    write_list(f, "notes", true, false, w);
    write_list(f, "note_codes", true, true, w);
}

void findings_lines(const struct findings *f, struct buf *out)
{
    for (size_t i = 0; i < f->count; i++)
        buf_format(out, "%s %s %s\n", FINDING_LEVELS[f->items[i].level], f->items[i].code,
                   f->items[i].text);
}
