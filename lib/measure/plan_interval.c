/* plan_interval.c: how far two means lie apart by chance (measure 9.5), and the interval of a rate
 * or of a column of numbers (9.6). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/plan.h"
#include "measure/plan_write.h"
#include "text/number.h"

/* ---- noise-band ---------------------------------------------------------------------------------
 */

static double band_of(const struct band_options *o)
{
    double band = stat_noise_band(o->run_std, o->n_a, o->n_b, o->df, o->level);
    return o->points ? number_round(100.0 * band, MEASURE_POINT_DIGITS) : band;
}

static double quantile_of(const struct band_options *o)
{
    return isnan(o->df) ? stat_z(o->level) : stat_t_quantile(o->df, o->level);
}

void band_json(const struct band_options *o, struct json_writer *w)
{
    plan_write_report(w, "noise-band");
    plan_write_real(w, "noise_band", band_of(o));
    plan_write_text(w, "unit", o->points ? "points" : "rate");
    plan_write_real(w, "quantile", quantile_of(o));
    plan_write_real(w, "run_std", o->run_std);
    plan_write_whole(w, "n_a", o->n_a);
    plan_write_whole(w, "n_b", o->n_b);
    plan_write_whole(w, "df", o->df);
    plan_write_real(w, "level", o->level);
    json_write_end_object(w);
}

void band_text(const struct band_options *o, struct buf *out)
{
    buf_text(out, "noise band ");
    number_add(out, band_of(o));
    buf_format(out,
               "%s: by re-running alone, %.0f against %.0f %s differ by less in %g%% of cases\n",
               o->points ? " points" : "", o->n_a, o->n_b,
               o->n_a == 1.0 && o->n_b == 1.0 ? "run" : "runs", 100.0 * o->level);
    if (isnan(o->df))
        buf_format(out, "quantile %.4g: the spread is taken as exact\n", quantile_of(o));
    else
        buf_format(out, "quantile %.4g: of Student's t with %.0f %s of freedom\n", quantile_of(o),
                   o->df, o->df == 1.0 ? "degree" : "degrees");
}

/* ---- interval -----------------------------------------------------------------------------------
 */

static const char *method_name(enum interval_kind kind)
{
    return kind == INTERVAL_T ? "t" : kind == INTERVAL_BCA ? "bca" : "percentile";
}

void interval_of_rate(double successes, double n, double level, struct interval_report *r)
{
    *r = (struct interval_report){.method = "wilson",
                                  .value = n > 0.0 ? successes / n : NAN,
                                  .n = n,
                                  .level = level,
                                  .interval = stat_wilson(successes, n, stat_z(level))};
    if (!(n > 0.0))
        notes_add(&r->notes, "no_interval", "nothing was counted, so there is no rate");
}

struct numbers {
    double *items;
    size_t count, cap;
};

static int read_numbers(const struct row_source *source, struct numbers *numbers,
                        struct error *error)
{
    struct row_source any = *source;
    any.any_value = true;
    struct row_reader *reader = row_reader_open(&any, error);
    if (!reader)
        return error->code;
    struct row row;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0) {
        double x = json_number(row.value);
        if (row.value.type != JSON_VALUE_NUMBER || !isfinite(x)) {
            code = row_reader_reject(reader, &row, "not a number; write one JSON number a line",
                                     error);
            if (code < 0)
                break;
            continue;
        }
        numbers->items =
            mem_grow(numbers->items, &numbers->cap, numbers->count + 1, sizeof *numbers->items);
        numbers->items[numbers->count++] = x;
    }
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    return code < 0 ? code : closed;
}

int interval_of_numbers(const struct row_source *source, const struct boot_options *boot,
                        struct interval_report *r, struct error *error)
{
    struct numbers numbers = {0};
    *r = (struct interval_report){.method = method_name(boot->kind),
                                  .level = boot->level,
                                  .draws = boot->kind == INTERVAL_T ? 0 : boot->draws,
                                  .interval = INTERVAL_NONE};
    int code = read_numbers(source, &numbers, error);
    if (code == 0) {
        r->n = (double)numbers.count;
        r->value = stat_mean(numbers.items, numbers.count);
        r->interval = boot_interval(numbers.items, numbers.count, boot);
        if (!interval_known(r->interval))
            notes_add(&r->notes, "no_interval", "%zu %s, and an interval needs %d", numbers.count,
                      numbers.count == 1 ? "number" : "numbers", STAT_INTERVAL_VALUES);
    }
    free(numbers.items);
    return code;
}

void interval_free(struct interval_report *report)
{
    notes_free(&report->notes);
}

void interval_json(const struct interval_report *r, struct json_writer *w)
{
    struct notes none = {0};
    bool rate = strcmp(r->method, "wilson") == 0;
    plan_write_report(w, "interval");
    plan_write_real(w, rate ? "rate" : "mean", r->value);
    plan_write_interval(w, "interval", r->interval);
    plan_write_whole(w, "n", r->n);
    plan_write_real(w, "level", r->level);
    plan_write_text(w, "method", r->method);
    if (!rate) {
        json_write_key(w, "n_boot");
        if (r->draws)
            json_write_int(w, r->draws);
        else
            json_write_null(w);
        json_write_key(w, "seed");
        json_write_raw(w, span_text(r->seed));
    }
    plan_write_notes(w, &r->notes, &none);
    json_write_end_object(w);
}

void interval_text(const struct interval_report *r, struct buf *out)
{
    struct notes none = {0};
    if (isnan(r->value))
        buf_text(out, "n/a");
    else
        number_add(out, r->value);
    if (interval_known(r->interval)) {
        buf_text(out, " [");
        number_add(out, r->interval.low);
        buf_text(out, "..");
        number_add(out, r->interval.high);
        buf_byte(out, ']');
    }
    buf_format(out, "  n %.0f, %s, %g%%\n", r->n, r->method, 100.0 * r->level);
    plan_note_lines(out, &r->notes, &none);
}
