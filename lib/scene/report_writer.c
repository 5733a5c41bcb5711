/* report_writer.c: see report_writer.h. */
#include "scene/report_writer.h"

#include "scene/defaults.h"
#include "scene/report_keys.h"

static void write_counts(struct json_writer *w, const struct engine_report *r)
{
    const struct writer_counts *c = &r->writing;
    json_write_object(w);
    key_int(w, "waves", c->waves);
    key_int(w, "waves_failed", c->failed_waves);
    key_int(w, "unreadable", c->unreadable);
    key_int(w, "cards", c->cards);
    key_int(w, "accepted", c->accepted);
    key_int(w, "duplicates", c->duplicates);
    key_int(w, "restyled", c->restyled);
    key_int(w, "given_up", c->given_up);
    json_write_key(w, "refused");
    json_write_object(w);
    for (int i = LETTER_FINE + 1; i < LETTER_FAULTS; i++)
        if (c->refused[i])
            key_int(w, letter_fault_name((enum letter_fault)i), c->refused[i]);
    json_write_end_object(w);
    key_int(w, "restarts", c->restarts);
    key_int(w, "unused", c->unused);
    json_write_key(w, "first_error");
    if (c->first_error.len)
        json_write_span(w, c->first_error);
    else
        json_write_null(w);
    json_write_end_object(w);
}

void report_write_writer(struct json_writer *w, const struct engine_setting *s,
                         const struct engine_report *r)
{
    json_write_key(w, "writer");
    if (s->writer)
        write_counts(w, r);
    else
        json_write_null(w);
}

void report_warn_writer(const struct engine_setting *s, const struct engine_report *r,
                        struct warnings *w)
{
    const struct writer_counts *c = &r->writing;
    if (!s->writer)
        return;
    if (r->fell_back)
        warnings_add(w, "generator_fallback",
                     "%s could write no more after %lld messages (%.*s); the template writer went "
                     "on, and its rows say writer_model template",
                     s->writer_name, (long long)c->accepted, (int)c->first_error.len,
                     c->first_error.ptr);
    else if (c->failed_waves || c->unreadable)
        warnings_add(
            w, "writer_errors",
            "%lld of %lld waves of the writer failed and %lld could not be read; the first "
            "one: %.*s",
            (long long)c->failed_waves, (long long)c->waves, (long long)c->unreadable,
            (int)c->first_error.len, c->first_error.ptr);
    if (c->unused > SCENE_ROUND)
        warnings_add(w, "writer_waves_abandoned",
                     "%lld messages were written and not played; ask for a smaller --round",
                     (long long)c->unused);
    if (r->stop == STOP_ASKS)
        warnings_add(w, NULL,
                     "%lld rows of the %lld asked for: %s writes nothing that is new any more; "
                     "bring --seeds, or a model with more ideas",
                     (long long)r->rows, (long long)s->budget, s->writer_name);
}
