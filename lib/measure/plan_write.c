/* plan_write.c: see plan_write.h. */
#include "measure/plan_write.h"

#include <math.h>

#include "measure/measure.h"
#include "text/number.h"

void plan_write_report(struct json_writer *w, const char *verb)
{
    struct buf name = {0};
    buf_format(&name, "wai-plan %s", verb);
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_span(w, buf_span(&name));
    buf_free(&name);
}

void plan_write_text(struct json_writer *w, const char *key, const char *value)
{
    json_write_key(w, key);
    if (value)
        json_write_text(w, value);
    else
        json_write_null(w);
}

void plan_write_bool(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

void plan_write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

void plan_write_rounded(struct json_writer *w, const char *key, double value, int digits)
{
    plan_write_real(w, key, isfinite(value) ? number_round(value, digits) : NAN);
}

void plan_write_whole(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    if (!isfinite(value)) {
        json_write_null(w);
        return;
    }
    struct buf digits = {0};
    buf_format(&digits, "%.0f", value);
    json_write_raw(w, buf_span(&digits));
    buf_free(&digits);
}

void plan_write_interval(struct json_writer *w, const char *key, struct interval interval)
{
    json_write_key(w, key);
    interval_write(interval, w);
}

static void sentences(struct json_writer *w, const char *key, const char *codes_key,
                      const struct notes *notes)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].text);
    json_write_end_array(w);
    json_write_key(w, codes_key);
    json_write_array(w);
    for (size_t i = 0; i < notes->count; i++)
        json_write_text(w, notes->items[i].code);
    json_write_end_array(w);
}

void plan_write_notes(struct json_writer *w, const struct notes *notes,
                      const struct notes *warnings)
{
    sentences(w, "notes", "note_codes", notes);
    sentences(w, "warnings", "warning_codes", warnings);
}

void plan_note_lines(struct buf *out, const struct notes *notes, const struct notes *warnings)
{
    for (size_t i = 0; i < notes->count; i++)
        buf_format(out, "note: %s\n", notes->items[i].text);
    for (size_t i = 0; i < warnings->count; i++)
        buf_format(out, "warning: %s\n", warnings->items[i].text);
}

void plan_rate(struct buf *out, double value, struct interval interval)
{
    if (isnan(value))
        buf_text(out, "n/a");
    else
        buf_format(out, "%.2f", value);
    if (interval_known(interval))
        buf_format(out, " [%.2f..%.2f]", interval.low, interval.high);
}

struct interval plan_ci95(const double *rates, size_t n)
{
    struct rng rng;
    rng_seed(&rng, 0);
    struct boot_options boot = {.start = &rng, .draws = STAT_BOOT_DRAWS, .level = STAT_LEVEL};
    return boot_interval(rates, n, &boot);
}
