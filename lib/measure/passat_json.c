/* passat_json.c: the report of pass rates as one JSON object (measure 4.3). */
#include "measure/gate.h"
#include "measure/measure.h"

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_interval(struct json_writer *w, const char *key, struct interval interval)
{
    json_write_key(w, key);
    interval_write(interval, w);
}

static void write_scheme(struct json_writer *w, const struct boot_options *boot,
                         enum boot_scheme scheme)
{
    json_write_key(w, "interval_scheme");
    if (boot->kind == INTERVAL_T)
        json_write_null(w); /* nothing is drawn */
    else
        json_write_text(w, boot_scheme_name(scheme));
}

void config_write(const struct passat_report *report, size_t n_tasks, int64_t k,
                  struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "n_tasks", n_tasks);
    json_write_count(w, "k", (uint64_t)k);
    for (size_t i = 0; i < SETTINGS; i++) {
        json_write_key(w, SETTING_NAMES[i]);
        if (report->settings[i].json.ptr)
            json_write_raw(w, report->settings[i].json);
        else
            json_write_null(w);
    }
    json_write_key(w, "mixed");
    json_write_array(w);
    for (size_t i = 0; i < SETTINGS; i++)
        if (report->settings[i].mixed)
            json_write_text(w, SETTING_NAMES[i]);
    json_write_end_array(w);
    write_real(w, "truncated_share", report->truncated_share);
    write_real(w, "answered_share", report->answered_share);
    write_real(w, "unclosed_think_share", report->unclosed_think_share);
    write_real(w, "graded_share", report->graded_share);
    json_write_end_object(w);
}

static void write_markers(struct json_writer *w, const struct passat_report *report,
                          const struct boot_options *boot)
{
    json_write_key(w, "markers");
    json_write_object(w);
    for (size_t i = 0; i < report->n_markers; i++) {
        const struct marker_report *m = &report->markers[i];
        struct buf metric = {0};
        buf_text(&metric, "marker:");
        buf_span_add(&metric, m->name);
        json_write_key_span(w, m->name);
        json_write_object(w);
        json_write_key(w, "metric");
        json_write_span(w, buf_span(&metric));
        json_write_count(w, "n_tasks", m->n_tasks);
        json_write_count(w, "n_rows", m->n_rows);
        json_write_count(w, "n_rows_at_1", m->n_rows_at_1);
        json_write_count(w, "n_rows_at_0", m->n_rows_at_0);
        json_write_count(w, "n_nonfinite", m->n_nonfinite);
        json_write_count(w, "split_marker_tasks", m->n_split);
        write_real(w, "mean", m->mean);
        write_interval(w, "ci95", m->ci95);
        write_scheme(w, boot, m->scheme);
        json_write_key(w, "degenerate");
        json_write_bool(w, m->degenerate);
        notes_write_note(&m->notes, w);
        json_write_end_object(w);
        buf_free(&metric);
    }
    json_write_end_object(w);
}

void signal_write(const struct signal_report *signal, struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "n_groups", signal->n_groups);
    json_write_count(w, "n_single", signal->n_single);
    json_write_count(w, "n_mixed", signal->n_mixed);
    json_write_count(w, "n_all_zero", signal->n_all_zero);
    json_write_count(w, "n_all_one", signal->n_all_one);
    json_write_count(w, "n_in_band", signal->n_in_band);
    write_real(w, "mixed_rate", signal->mixed_rate);
    json_write_count(w, "k", (uint64_t)signal->rates.k);
    write_real(w, "pass_at_1", signal->rates.pass_at_1);
    write_real(w, "pass_pow_k", signal->rates.pass_pow_k);
    write_real(w, "pass_at_k", signal->rates.pass_at_k);
    write_real(w, "headroom", signal->rates.headroom);
    json_write_end_object(w);
}

static void write_tasks(struct json_writer *w, const struct passat_report *report)
{
    json_write_key(w, "per_task");
    json_write_object(w);
    for (size_t i = 0; i < report->n_tasks; i++) {
        json_write_key_span(w, report->tasks[i].key);
        json_write_real(w, report->tasks[i].mean);
    }
    json_write_end_object(w);
}

static void write_anytime(struct json_writer *w, const struct passat_view *view,
                          const struct passat_report *report)
{
    const struct anytime_report *a = &report->anytime;
    json_write_key(w, "anytime");
    json_write_object(w);
    write_real(w, "low", a->interval.low);
    write_real(w, "high", a->interval.high);
    write_real(w, "level", view->settings->boot.level);
    json_write_count(w, "n_tasks", report->n_tasks);
    json_write_key(w, "decided");
    if (a->decided < 0)
        json_write_null(w);
    else
        json_write_bool(w, a->decided);
    json_write_key(w, "decided_at");
    if (a->decided > 0)
        json_write_int(w, (int64_t)a->decided_at);
    else
        json_write_null(w);
    json_write_end_object(w);
}

static void write_cluster(struct json_writer *w, const struct passat_view *view,
                          const struct passat_report *report)
{
    const struct cluster_report *c = &report->cluster;
    json_write_key(w, "cluster");
    json_write_object(w);
    json_write_key(w, "key");
    json_write_text(w, view->settings->cluster);
    json_write_count(w, "n_clusters", c->n_clusters);
    json_write_count(w, "n_alone", c->n_alone);
    write_real(w, "se", c->error.se);
    write_interval(w, "ci95", c->error.ci95);
    json_write_end_object(w);
}

/* The members of one report, of all rows or of a slice. */
static void write_report(struct json_writer *w, const struct passat_view *view,
                         const struct passat_report *report)
{
    const struct pass_rates *rates = &report->rates;
    json_write_count(w, "k", (uint64_t)rates->k);
    write_real(w, "pass_at_1", rates->pass_at_1);
    write_real(w, "pass_pow_k", rates->pass_pow_k);
    write_real(w, "pass_at_k", rates->pass_at_k);
    write_real(w, "headroom", rates->headroom);
    json_write_count(w, "n_groups", rates->n_groups);
    json_write_count(w, "n_groups_at_k", rates->n_groups_at_k);
    json_write_count(w, "n_groups_imputed", rates->n_groups_imputed);
    json_write_count(w, "n_partial", report->n_partial);
    json_write_count(w, "n_rows", report->n_rows);
    notes_write_note(&report->notes, w);
    notes_write_warnings(&report->warnings, w);
    write_interval(w, "ci95", rates->ci95);
    write_interval(w, "pass_pow_k_ci95", rates->pass_pow_k_ci95);
    write_interval(w, "pass_at_k_ci95", rates->pass_at_k_ci95);
    write_interval(w, "ci95_rule", report->ci95_rule);
    if (report->checked) {
        write_real(w, "se", rates->normal.se);
        write_interval(w, "ci95_normal", rates->normal.ci95);
    }
    if (report->has_anytime)
        write_anytime(w, view, report);
    if (report->has_cluster)
        write_cluster(w, view, report);
    json_write_key(w, "config");
    config_write(report, rates->n_groups, rates->k, w);
    json_write_count(w, "n_input", report->n_input);
    json_write_count(w, "n_bad", report->n_bad);
    json_write_count(w, "n_boolean", report->n_boolean);
    json_write_count(w, "n_unjudged", report->n_unjudged);
    json_write_count(w, "n_fallback", report->n_fallback);
    if (view->markers)
        write_markers(w, report, &view->settings->boot);
    if (report->has_signal) {
        json_write_key(w, "signal");
        signal_write(&report->signal, w);
    }
    if (view->per_task)
        write_tasks(w, report);
}

void passat_json(const struct passat_view *view, struct json_writer *w)
{
    const struct boot_options *boot = &view->settings->boot;
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-passat");
    write_report(w, view, view->report);
    write_real(w, "level", boot->level);
    json_write_key(w, "interval");
    json_write_text(w, interval_kind_name(boot->kind));
    write_scheme(w, boot, view->report->scheme);
    json_write_count(w, "n_boot", (uint64_t)boot->draws);
    json_write_key(w, "seed");
    json_write_raw(w, span_text(view->seed));
    if (view->sliced) {
        json_write_key(w, "slices");
        json_write_object(w);
        for (size_t i = 0; i < view->n_slices; i++) {
            json_write_key_span(w, view->slices[i].name);
            json_write_object(w);
            write_report(w, view, &view->slices[i].report);
            write_scheme(w, boot, view->slices[i].report.scheme);
            json_write_end_object(w);
        }
        json_write_end_object(w);
    }
    if (view->change) {
        json_write_key(w, "baseline");
        json_write_object(w);
        metric_change_write(view->change, SPAN("pass_at_1"), w);
        json_write_end_object(w);
    }
    gates_write(view->gates, w);
    json_write_end_object(w);
}
