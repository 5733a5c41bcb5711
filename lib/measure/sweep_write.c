/* sweep_write.c: the ranking as one JSON object and as lines for people (measure 8). */
#include <math.h>

#include "measure/sweep.h"
#include "text/term.h"

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_span(struct json_writer *w, const char *key, struct span text)
{
    json_write_key(w, key);
    json_write_span(w, text);
}

static void write_null(struct json_writer *w, const char *key)
{
    json_write_key(w, key);
    json_write_null(w);
}

static void write_variant(struct json_writer *w, const struct sweep_variant *v)
{
    json_write_object(w);
    write_span(w, "label", v->label);
    const char *at = memchr(v->label.ptr, '@', v->label.len);
    if (at)
        write_span(w, "model", span_slice(v->label, (size_t)(at - v->label.ptr) + 1, v->label.len));
    else
        write_null(w, "model");
    write_null(w, "harness"); /* the hosted service's, when the sweep is posted */
    write_null(w, "run");
    json_write_count(w, "graded_rows", v->graded_rows);
    json_write_key(w, "scores");
    json_write_object(w);
    for (size_t i = 0; i < v->n_scores; i++) {
        json_write_key_span(w, v->scores[i].name);
        json_write_array(w);
        json_write_real(w, v->scores[i].points);
        json_write_real(w, v->scores[i].half_width);
        json_write_int(w, (int64_t)v->scores[i].n_tasks);
        json_write_end_array(w);
    }
    json_write_end_object(w);
    json_write_end_object(w);
}

static void write_paired(struct json_writer *w, const struct sweep_report *r)
{
    json_write_key(w, "paired");
    json_write_array(w);
    for (size_t i = 1; i < r->n_variants; i++) {
        const struct sweep_variant *v = &r->variants[i];
        json_write_object(w);
        write_span(w, "before", v->label);
        write_span(w, "after", r->variants[0].label);
        metric_change_write(&v->against, SPAN("pass_at_1"), w);
        write_real(w, "p_adjusted", v->p_adjusted);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void sweep_json(const struct sweep_report *r, struct json_writer *w)
{
    json_write_object(w);
    write_span(w, "wai_report", SPAN("wai-compare sweep"));
    write_span(w, "behavior", span_text(r->asked->behavior));
    write_span(w, "test_version", buf_span(&r->test_version));
    json_write_count(w, "n_asks", r->n_asks);
    json_write_count(w, "k", (uint64_t)r->asked->k);
    write_real(w, "noise_floor", r->noise_floor);
    write_real(w, "run_std", r->run_std);
    if (r->noise_runs)
        json_write_count(w, "noise_runs", r->noise_runs);
    else
        write_null(w, "noise_runs");
    if (isnan(r->judge_agreement)) {
        write_null(w, "judge");
    } else {
        json_write_key(w, "judge");
        json_write_object(w);
        write_real(w, "agreement", r->judge_agreement);
        json_write_count(w, "n", (uint64_t)r->judge_n);
        json_write_end_object(w);
    }
    if (r->has_best)
        write_span(w, "best", r->variants[0].label);
    else
        write_null(w, "best");
    json_write_key(w, "variants");
    json_write_array(w);
    for (size_t i = 0; i < r->n_variants; i++)
        write_variant(w, &r->variants[i]);
    json_write_end_array(w);
    write_paired(w, r);
    json_write_count(w, "n_boot", (uint64_t)r->asked->draws);
    json_write_key(w, "seed");
    json_write_raw(w, buf_span(&r->seed));
    json_write_end_object(w);
}

/* ---- for people ---------------------------------------------------------------------------------
 */

static void variant_line(struct buf *out, const struct sweep_variant *v, bool top)
{
    term_add_head(out, v->label, SWEEP_LABEL_MAX);
    for (size_t i = 0; i < v->n_scores; i++) {
        buf_text(out, "  ");
        term_add_head(out, v->scores[i].name, SWEEP_NAME_MAX);
        buf_format(out, " %.1f +-%.1f (%zu asks)", v->scores[i].points, v->scores[i].half_width,
                   v->scores[i].n_tasks);
    }
    const struct metric_change *c = &v->against;
    if (!top && !isnan(c->delta)) {
        buf_format(out, "  the best is %+.1f", 100.0 * c->delta);
        if (interval_known(c->ci95))
            buf_format(out, " [%+.1f..%+.1f]", 100.0 * c->ci95.low, 100.0 * c->ci95.high);
        if (!isnan(v->p_adjusted))
            buf_format(out, " paired, p %.3g adjusted", v->p_adjusted);
    }
    buf_byte(out, '\n');
}

void sweep_text(const struct sweep_report *r, struct buf *out)
{
    for (size_t i = 0; i < r->n_variants; i++)
        variant_line(out, &r->variants[i], i == 0);
    if (isnan(r->noise_floor))
        buf_text(out, "no noise floor: run the first arm again and give the rows as --rerun\n");
    else
        buf_format(out, "noise floor %.2f points, from %zu runs of the first arm%s\n",
                   r->noise_floor, r->noise_runs,
                   r->noise_runs < MEASURE_MIN_RERUNS ? " (two make a wide one)" : "");
    if ((int64_t)r->n_asks < r->asked->min_asks)
        buf_format(out, "%zu asks, under %lld: small differences do not show\n", r->n_asks,
                   (long long)r->asked->min_asks);
    if (r->has_best) {
        buf_text(out, "winner: ");
        term_add_head(out, r->variants[0].label, SWEEP_LABEL_MAX);
        buf_byte(out, '\n');
    } else {
        buf_format(out, "no winner: %s\n", r->why);
    }
}
