/* passat_metric.c: the numbers of a report of pass rates by the names that gates and CI outputs
 * use. */
#include <math.h>

#include "measure/measure.h"
#include "text/term.h"

const char *const PASSAT_METRICS[] = {
    "pass_at_1",       "pass_pow_k",
    "pass_at_k",       "headroom",
    "graded_share",    "answered_share",
    "truncated_share", "unclosed_think_share",
    "n_partial",       NULL,
};

static void resampled(struct metric_value *out, double value, struct interval interval)
{
    out->value = value;
    out->interval = interval;
    out->resampled = true;
}

static bool marker_metric(const struct passat_report *report, struct span name,
                          struct metric_value *out)
{
    for (size_t i = 0; i < report->n_markers; i++) {
        const struct marker_report *m = &report->markers[i];
        if (span_equal(m->name, name)) {
            resampled(out, m->mean, m->ci95);
            out->n_tasks = m->n_tasks;
            out->judged = m->n_tasks > 0;
            return true;
        }
    }
    out->value = NAN; /* a marker that no row carries is not measured */
    out->judged = false;
    return true;
}

bool passat_metric(const struct passat_report *report, struct span name, struct metric_value *out)
{
    const struct pass_rates *rates = &report->rates;
    *out = (struct metric_value){NAN, INTERVAL_NONE, false, rates->n_groups, rates->n_groups > 0};
    if (span_starts(name, SPAN("marker:")))
        return marker_metric(report, span_slice(name, strlen("marker:"), name.len), out);
    if (span_is(name, "pass_at_1"))
        resampled(out, rates->pass_at_1,
                  report->has_anytime ? report->anytime.interval : rates->ci95);
    else if (span_is(name, "pass_pow_k"))
        resampled(out, rates->pass_pow_k, rates->pass_pow_k_ci95);
    else if (span_is(name, "pass_at_k"))
        resampled(out, rates->pass_at_k, rates->pass_at_k_ci95);
    else if (span_is(name, "headroom"))
        resampled(out, rates->headroom, INTERVAL_NONE);
    else if (span_is(name, "graded_share"))
        out->value = report->graded_share;
    else if (span_is(name, "answered_share"))
        out->value = report->answered_share;
    else if (span_is(name, "truncated_share"))
        out->value = report->truncated_share;
    else if (span_is(name, "unclosed_think_share"))
        out->value = report->unclosed_think_share;
    else if (span_is(name, "n_partial"))
        out->value = (double)report->n_partial;
    else
        return false;
    return true;
}

/* ---- of a run with slices -----------------------------------------------------------------------
 */

static bool is_metric(struct span name)
{
    bool known = span_starts(name, SPAN("marker:")) && name.len > strlen("marker:");
    for (size_t i = 0; !known && PASSAT_METRICS[i]; i++)
        known = span_is(name, PASSAT_METRICS[i]);
    return known;
}

/* Where the metric begins in SLICE/METRIC (a slice may hold '/', a marker too), or 0. */
static size_t after_slice(struct span name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '/' && is_metric(span_slice(name, i + 1, name.len)))
            return i + 1;
    return 0;
}

int passat_metric_check(struct span name, bool sliced, struct error *error)
{
    if (is_metric(name))
        return 0;
    size_t at = after_slice(name);
    if (at && sliced)
        return 0;
    struct buf shown = {0}, known = {0};
    term_add_head(&shown, name, MEASURE_REASON_MAX);
    for (size_t i = 0; PASSAT_METRICS[i]; i++)
        buf_format(&known, "%s, ", PASSAT_METRICS[i]);
    if (at)
        error_set(error, ERROR_USAGE, "%s is a metric of a slice; name the slices' key with --by",
                  buf_cstr(&shown));
    else
        error_set(error, ERROR_USAGE, "%s is no metric; one of %smarker:NAME", buf_cstr(&shown),
                  buf_cstr(&known));
    buf_free(&shown);
    buf_free(&known);
    return ERROR_USAGE;
}

struct span passat_metric_marker(struct span name)
{
    size_t at = after_slice(name);
    struct span metric = span_slice(name, is_metric(name) ? 0 : at, name.len);
    size_t prefix = strlen("marker:");
    return span_starts(metric, SPAN("marker:")) ? span_slice(metric, prefix, metric.len)
                                                : (struct span){NULL, 0};
}

void passat_view_metric(void *context, struct span name, struct metric_value *out)
{
    const struct passat_view *view = context;
    size_t at = is_metric(name) ? 0 : after_slice(name);
    *out = (struct metric_value){.value = NAN, .interval = INTERVAL_NONE};
    if (at == 0) {
        passat_metric(view->report, name, out);
        return;
    }
    struct span slice = span_slice(name, 0, at - 1);
    for (size_t i = 0; i < view->n_slices; i++)
        if (span_equal(view->slices[i].name, slice))
            passat_metric(&view->slices[i].report, span_slice(name, at, name.len), out);
}
