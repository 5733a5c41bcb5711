/* run_rl.c: wai-select --mode rl: what was asked, chosen, measured beside, and told. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "row/conversation.h"
#include "row/key.h"
#include "select/job.h"
#include "select/next_round.h"
#include "text/number.h"
#include "json/tree.h"

/* Place of a word in a list of names; the options table knows it is there. */
static int choice(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return 0;
}

struct rl_run {
    struct select_job *job;
    struct rl_options o;
    struct rl_result r;
    struct next_round prior;
    size_t prior_dropped; /* rows */
    struct buf prior_text, audit_text;
    struct correlation_report correlations;
    struct hack_report hacks;
    struct signal_report signal, before;
    struct rl_beside beside;
    const char **endorsed; /* owned array */
    size_t n_endorsed;
};

/* ---- the last round, and the audit --------------------------------------------------------------
 */

static int read_prior(struct rl_run *run, struct error *error)
{
    const char *path = run->job->q->prior;
    struct row_source source = {.paths = &path, .n_paths = 1, .options = run->job->q->rows};
    struct row_reader *reader = path ? row_reader_open(&source, error) : NULL;
    struct row row;
    int got;
    if (!path)
        return 0;
    if (!reader)
        return error->code;
    while ((got = row_reader_next(reader, &row, error)) > 0)
        next_round_add(&run->prior, &row);
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    return got < 0 ? got : closed;
}

/* Rates are compared rounded here, unrounded in next-round: the reference does (select 19 row 5). */
static bool prior_wants(void *data, const struct row *row)
{
    struct rl_run *run = data;
    struct buf scratch = {0};
    size_t task = map_find(&run->prior.keys, row_task_key(row, &scratch));
    double n, rate = task == MAP_NONE ? NAN : next_round_rate(&run->prior, task, &n);
    buf_free(&scratch);
    rate = isnan(rate) ? rate : number_round(rate, SELECT_RATE_DIGITS);
    bool wanted = isnan(rate) || (rate >= run->o.low && rate <= run->o.high);
    run->prior_dropped += !wanted;
    return wanted;
}

static double real_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* fn_rate, fn_ci95, n_checked and verifier of an audit's report. */
static int read_audit(struct rl_run *run, struct error *error)
{
    static const char *const KEYS[] = {"fn_rate", "fn_ci95", "n_checked", "verifier"};
    const char *path = run->job->q->audit;
    json_t *tree = path ? json_tree_file(path, error) : NULL;
    if (!path)
        return 0;
    if (!tree)
        return error->code;
    int code = 0;
    if (!json_is_object(tree)) {
        code = error_set(error, ERROR_INPUT, "%s: an audit's report, one JSON object, is wanted",
                         path);
    } else {
        const json_t *range = json_object_get(tree, "fn_ci95");
        run->beside.misses = real_of(tree, "fn_rate");
        run->beside.misses_low =
            json_is_array(range) ? json_number_value(json_array_get(range, 0)) : NAN;
        run->beside.misses_high =
            json_is_array(range) ? json_number_value(json_array_get(range, 1)) : NAN;
        run->beside.audited = real_of(tree, "n_checked");
        for (size_t i = 0; i < 4; i++) {
            const json_t *value = json_object_get(tree, KEYS[i]);
            buf_format(&run->audit_text, "%s\"%s\":", i ? "," : "{", KEYS[i]);
            if (value)
                json_tree_write(value, &run->audit_text);
            else
                buf_text(&run->audit_text, "null");
        }
        buf_byte(&run->audit_text, '}');
        run->beside.audit = buf_span(&run->audit_text);
    }
    json_decref(tree);
    return code;
}

/* ---- what is measured of the rows that leave ----------------------------------------------------
 */

struct measuring {
    struct correlator *correlator;
    struct hack_scan *scan; /* NULL: --no-scan */
    struct row_conversation conversation;
};

static void measure_row(void *data, const struct row *row)
{
    struct measuring *m = data;
    row_conversation_read(&m->conversation, row);
    correlator_add(m->correlator, row, &m->conversation);
    if (m->scan)
        hack_scan_add(m->scan, row);
}

static void stamp(void *data, const struct row *row, size_t number, struct buf *out)
{
    struct rl_run *run = data;
    select_rl_stamp(&run->job->facts, &run->o, &run->r, row, number, out);
}

static int measure(struct rl_run *run, struct error *error)
{
    struct hack_options options = HACK_OPTIONS_DEFAULT;
    struct measuring m = {.correlator = correlator_new()};
    int code = 0;
    options.group_by = run->job->q->group_by;
    options.endorsed = run->endorsed;
    options.n_endorsed = run->n_endorsed;
    if (!run->job->q->no_scan && !(m.scan = hack_scan_new(&options, error)))
        code = error->code;
    if (!code)
        code = job_each(run->job, &run->r.picked, stamp, run, measure_row, &m, error);
    if (!code) {
        correlator_measure(m.correlator, SELECT_CORRELATION, &run->correlations);
        run->beside.correlations = &run->correlations;
        if (m.scan) {
            hack_scan_measure(m.scan, &run->hacks);
            run->hacks.endorsed = run->endorsed;
            run->beside.hacks = &run->hacks;
        }
    }
    correlator_free(m.correlator);
    hack_scan_free(m.scan);
    row_conversation_free(&m.conversation);
    return code;
}

static void measure_signal(struct rl_run *run)
{
    const struct select_facts *facts = &run->job->facts;
    int8_t *labels = select_rl_labels(facts, &run->o, &run->r);
    size_t *all = mem_zero(facts->count, sizeof *all);
    for (size_t i = 0; i < facts->count; i++)
        all[i] = i;
    select_signal(facts, run->r.picked.rows, run->r.picked.count, labels, run->o.low, run->o.high,
                  &run->signal);
    select_signal(facts, all, facts->count, labels, run->o.low, run->o.high, &run->before);
    run->beside.signal = &run->signal;
    run->beside.before = &run->before;
    free(all);
    free(labels);
}

/* ---- the mode -----------------------------------------------------------------------------------
 */

static void say(struct rl_run *run)
{
    const struct rl_result *r = &run->r;
    struct buf *notes = &run->job->out->notes;
    if (!run->job->facts.count && !run->prior_dropped) {
        buf_text(notes, "no row arrived\n");
        return;
    }
    buf_format(notes, "%zu of %zu rows in %zu groups kept, band %g..%g\n", r->picked.count, r->n,
               r->groups_selected, run->o.low, run->o.high);
    buf_format(notes,
               "dropped rows: %zu incomplete, %zu without a tool call, %zu without a 0/1 label, "
               "%zu duplicates, %zu truncated (%s), %zu leaks\n",
               r->n_junk, r->n_do_nothing, r->n_unusable, r->n_duplicates, r->truncated_dropped,
               RL_TRUNCATED_NAMES[run->o.truncated], r->n_leaks);
    buf_format(notes, "dropped tasks: %zu unanimous, %zu too easy, %zu too hard\n", r->unanimous,
               r->too_easy, r->too_hard);
    if (r->n_leaks && !run->o.calibration_excludes_leaks)
        buf_format(notes,
                   "%zu rows that leaked count in the tasks' pass rates "
                   "(--calibration-excludes-leaks)\n",
                   r->n_leaks);
    if (run->job->q->prior)
        buf_format(notes, "the last round's rates dropped %zu rows before that\n",
                   run->prior_dropped);
    if (run->beside.hacks)
        buf_format(notes, "hack scan: %s\n", HACK_REGIME_NAMES[run->hacks.regime]);
    struct buf lines = {0};
    select_rl_notes(&run->job->facts, &run->o, r, &run->beside, &lines);
    select_say_lines(notes, buf_span(&lines));
    buf_free(&lines);
}

static int tell(struct rl_run *run, struct error *error)
{
    struct json_writer w;
    int code = 0;
    if (run->job->q->prior) {
        next_round_summary(&run->prior, run->o.low, run->o.high, run->prior_dropped,
                           &run->prior_text);
        run->beside.prior = buf_span(&run->prior_text);
    }
    run->beside.group_key = run->job->q->group_by;
    run->beside.quota_key = run->o.quota.limit ? run->job->facts.wants.quota_key : NULL;
    json_write_start(&w, &run->job->out->report, JSON_STYLE_INDENTED);
    select_rl_report(&run->job->facts, &run->o, &run->r, &run->beside, &w);
    if (run->job->q->explain) {
        struct buf lines = {0};
        select_rl_explain(&run->job->facts, &run->r, &lines);
        code = file_save(run->job->q->explain, buf_span(&lines), error);
        buf_free(&lines);
    }
    say(run);
    return code;
}

static int ask(struct rl_run *run, struct error *error)
{
    static const char *const ORDERS[] = {"spread", "middle"};
    const struct select_request *q = run->job->q;
    run->o = (struct rl_options){
        .target = q->target < 1 ? 1 : (size_t)q->target,
        .enforce_band = !q->no_enforce_band,
        .dedupe = !q->no_dedupe,
        .has_tools = !q->no_tools,
        .calibration_excludes_leaks = q->calibration_excludes_leaks,
        .truncated = (enum rl_truncated)choice(q->truncated, RL_TRUNCATED_NAMES, 3),
        .order = (enum rl_order)choice(q->order, ORDERS, 2),
        .text_gates = (enum rl_text_gates)choice(q->text_gates, RL_TEXT_NAMES, 3),
    };
    run->beside.misses = NAN;
    run->endorsed = q->endorsed.items;
    run->n_endorsed = q->endorsed.count;
    int code = job_band_read(q, false, &run->o.low, &run->o.high, error);
    if (!code)
        code = select_quota_read(q->max_per, &run->job->facts, &run->o.quota, error);
    if (!code)
        code = read_audit(run, error);
    return code ? code : read_prior(run, error);
}

static void run_free(struct rl_run *run)
{
    if (run->beside.hacks)
        hack_report_free(&run->hacks);
    select_rl_free(&run->r);
    next_round_free(&run->prior);
    buf_free(&run->prior_text);
    buf_free(&run->audit_text);
}

int select_mode_rl(struct select_job *job, struct error *error)
{
    struct rl_run run = {.job = job};
    int code = ask(&run, error);
    if (!code)
        code = job_read(job, true, job->q->prior ? prior_wants : NULL, &run, error);
    if (!code) {
        select_rl(&job->facts, &run.o, &run.r);
        measure_signal(&run);
        code = measure(&run, error);
    }
    if (!code)
        code = job_write(job, &run.r.picked, stamp, &run, error);
    if (!code)
        code = tell(&run, error);
    if (!code)
        code = job_fail_under(job, run.r.picked.count, "rows", error);
    run_free(&run);
    return code;
}
