/* gate.c: may this set leave (select 7.2)? Stamped rows, or a refusal that says why. */
#include <math.h>
#include <stdlib.h>

#include "guard/hack_scan.h"
#include "guard/hygiene.h"
#include "measure/gate.h"
#include "row/value.h"
#include "select/calibrate.h"

struct gating {
    struct select_job *job;
    struct calibrator calibrator;
    struct hygiene *hygiene;
    struct hygiene_options hygiene_options;
    struct hack_scan *scan; /* NULL: --no-scan */
    struct hack_options scan_options;
    struct hack_report hacks;
    bool scanned, rl;
    struct hygiene_report found;
    struct signal_report signal;
    struct span trust; /* JSON, or empty */
    struct arena arena;
    size_t carried;
    double low, high;
    struct buf refusal, warnings; /* lines */
};

static bool take_row(void *data, const struct row *row)
{
    struct gating *g = data;
    struct json_value trust;
    const struct json_value *meta = row_get(row, SPAN("judge_meta"));
    if (!g->trust.len && meta && json_get(*meta, SPAN("trust"), &trust) && json_truthy(trust))
        g->trust = arena_span(&g->arena, trust.text);
    calibrator_add(&g->calibrator, row);
    hygiene_add(g->hygiene, row);
    if (g->scan)
        hack_scan_add(g->scan, row);
    return true;
}

static void count_carried(void *data, const struct row *row)
{
    struct gating *g = data;
    g->carried += calibrator_carries(&g->calibrator, row, (size_t)row->index);
}

/* Some task comes twice: rows of a grouped update. */
static bool is_rl(const struct gating *g)
{
    const char *mode = g->job->q->gate_mode;
    return (mode && strcmp(mode, "rl") == 0) || g->calibrator.n_rows > g->calibrator.tasks.count;
}

static void refuse(struct gating *g, size_t labelled)
{
    if (!g->rl)
        return;
    if (!labelled)
        buf_text(&g->refusal, "ungraded_rl_rows: rows for a grouped update carry no 0/1 reward; "
                              "grade them first");
    else if (!g->signal.n_mixed)
        buf_text(&g->refusal, "no_mixed_groups: in no task do some rollouts pass and some fail, so "
                              "every advantage would be 0; grade more strictly or ask for more");
    else if (g->job->q->strict_hacks && g->scanned && g->hacks.regime == HACK_REWARD_HACK)
        buf_text(&g->refusal, "reward_hack: the reward follows what nobody endorsed; mend the "
                              "grader");
}

static void list_warnings(struct gating *g, size_t labelled)
{
    const struct signal_report *s = &g->signal;
    struct buf *out = &g->warnings;
    if (!g->refusal.len && g->rl) {
        if (s->n_mixed > s->n_in_band)
            buf_format(out, "%zu mixed asks lie outside the band\n", s->n_mixed - s->n_in_band);
        if (s->n_all_zero + s->n_all_one)
            buf_format(out, "%zu asks are unanimous and teach nothing\n",
                       s->n_all_zero + s->n_all_one);
        if (g->calibrator.n_rows > labelled)
            buf_format(out, "%zu rows carry no 0/1 reward\n", g->calibrator.n_rows - labelled);
        if (g->carried)
            buf_format(out, "%zu rows keep a stamp that rests on more tries than this set has\n",
                       g->carried);
    }
    for (size_t i = 0; i < g->found.findings.count; i++)
        if (g->found.findings.items[i].level != FINDING_NOTE)
            buf_format(out, "%s\n", g->found.findings.items[i].text);
    for (size_t i = 0; g->scanned && i < g->hacks.findings.count; i++)
        if (g->hacks.findings.items[i].level != FINDING_NOTE)
            buf_format(out, "hack scan: %s\n", g->hacks.findings.items[i].text);
}

static void write_lines(struct json_writer *w, struct span lines)
{
    json_write_array(w);
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(lines, SPAN("\n"), at);
        json_write_span(w, span_slice(lines, at, end));
        at = end + 1;
    }
    json_write_end_array(w);
}

static void write_found(struct gating *g, struct json_writer *w)
{
    json_write_key(w, "duplicates");
    duplicate_write(&g->found.duplicates, w);
    json_write_key(w, "near_duplicate_prompts");
    hygiene_near_write(g->hygiene, &g->found, w);
    json_write_key(w, "length");
    length_write(&g->found.lengths, w);
    json_write_key(w, "correlations");
    correlation_write(&g->found.correlations, w);
    job_text(w, "group_key", g->job->q->group_by);
    json_write_key(w, "hack_scan");
    if (g->scanned) {
        json_write_object(w);
        hack_report_write(&g->hacks, w);
        json_write_end_object(w);
    } else {
        json_write_null(w);
    }
}

/* Measures all of it and writes the report; true: refused. */
static bool judge(struct gating *g)
{
    struct json_writer w;
    struct buf calibration = {0};
    size_t labelled = 0;
    for (size_t i = 0; i < g->calibrator.n_rows; i++)
        labelled += g->calibrator.labels[i] >= 0;
    g->rl = is_rl(g);
    hygiene_measure(g->hygiene, &g->found);
    if (g->scan && g->rl) {
        hack_scan_measure(g->scan, &g->hacks);
        g->scanned = true;
    }
    json_write_start(&w, &calibration, JSON_STYLE_COMPACT);
    calibrator_write(&g->calibrator, g->carried, g->low, g->high, &g->signal, &w);
    refuse(g, labelled);
    list_warnings(g, labelled);
    job_open_report(g->job, &w);
    job_bool(&w, "ok", g->refusal.len == 0);
    json_write_key(&w, "judge_trust");
    json_write_raw(&w, g->trust.len ? g->trust : SPAN("null"));
    job_bool(&w, "rl_shaped", g->rl);
    job_text(&w, "mode", g->job->q->gate_mode);
    job_band(&w, "band", g->low, g->high);
    json_write_key(&w, "signal");
    signal_write(&g->signal, &w);
    json_write_key(&w, "calibration");
    json_write_raw(&w, buf_span(&calibration));
    write_found(g, &w);
    json_write_key(&w, "warnings");
    write_lines(&w, buf_span(&g->warnings));
    json_write_key(&w, "refusal");
    if (g->refusal.len)
        json_write_span(&w, buf_span(&g->refusal));
    else
        json_write_null(&w);
    json_write_end_object(&w);
    buf_free(&calibration);
    return g->refusal.len > 0;
}

static int leave(struct gating *g, const struct select_picked *all, struct error *error)
{
    struct select_picked none = {0}, copy = *all;
    bool refused = judge(g), withheld = refused && !g->job->q->no_strict;
    select_say_lines(&g->job->out->notes, buf_span(&g->warnings));
    int code = 0;
    if (!withheld)
        code = job_write(g->job, &copy, calibrator_stamp, &g->calibrator, error);
    else if (!g->job->q->output)
        code = job_write(g->job, &none, NULL, NULL, error);
    if (!code && withheld)
        code = error_set(error, ERROR_CHECK, "%s", buf_cstr(&g->refusal));
    return code;
}

int select_mode_gate(struct select_job *job, struct error *error)
{
    struct gating g = {.job = job};
    struct select_picked all = {0};
    g.hygiene_options = (struct hygiene_options){.near = SELECT_NEAR,
                                                 .max_spread = SELECT_MAX_SPREAD,
                                                 .threshold = SELECT_CORRELATION,
                                                 .group_by = job->q->group_by,
                                                 .max_duplicates = (double)NAN,
                                                 .max_truncated = (double)NAN};
    g.scan_options = HACK_OPTIONS_DEFAULT;
    g.scan_options.group_by = job->q->group_by;
    g.scan_options.endorsed = job->q->endorsed.items;
    g.scan_options.n_endorsed = job->q->endorsed.count;
    g.hygiene = hygiene_new(&g.hygiene_options);
    g.scan = job->q->no_scan ? NULL : hack_scan_new(&g.scan_options, error);
    int code = job_band_read(job->q, false, &g.low, &g.high, error);
    int opened = calibrator_open(&g.calibrator, job, code ? NULL : error);
    code = code ? code : opened;
    if (!code)
        code = job_read(job, false, take_row, &g, error);
    for (size_t i = 0; i < g.calibrator.n_rows; i++)
        select_picked_add(&all, i);
    if (!code)
        code = job_each(job, &all, NULL, NULL, count_carried, &g, error);
    if (!code)
        code = leave(&g, &all, error);
    if (g.scanned)
        hack_report_free(&g.hacks);
    hack_scan_free(g.scan);
    hygiene_report_free(&g.found);
    hygiene_free(g.hygiene);
    calibrator_free(&g.calibrator);
    select_picked_free(&all);
    arena_free(&g.arena);
    buf_free(&g.refusal);
    buf_free(&g.warnings);
    return code;
}
