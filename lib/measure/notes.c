/* notes.c: see notes.h. */
#include "measure/notes.h"

#include <stdarg.h>
#include <stdlib.h>

void notes_add(struct notes *notes, const char *code, const char *format, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&text, format, args);
    va_end(args);
    notes->items = mem_grow(notes->items, &notes->cap, notes->count + 1, sizeof *notes->items);
    notes->items[notes->count++] = (struct note){code, buf_take(&text)};
}

bool notes_have(const struct notes *notes, const char *code)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->items[i].code, code) == 0)
            return true;
    return false;
}

void notes_free(struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->items[i].text);
    free(notes->items);
    *notes = (struct notes){0};
}

void notes_text(const struct notes *notes, struct buf *out)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (i)
            buf_text(out, "; ");
        buf_text(out, notes->items[i].text);
    }
}

static void write_codes(const struct notes *notes, struct json_writer *w)
{
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].code);
    json_write_end_array(w);
}

void notes_write_note(const struct notes *notes, struct json_writer *w)
{
    struct buf text = {0};
    notes_text(notes, &text);
    json_write_key(w, "note");
    json_write_span(w, buf_span(&text));
    json_write_key(w, "note_codes");
    write_codes(notes, w);
    buf_free(&text);
}

void notes_write_warnings(const struct notes *notes, struct json_writer *w)
{
    json_write_key(w, "warnings");
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].text);
    json_write_end_array(w);
    json_write_key(w, "warning_codes");
    write_codes(notes, w);
}
