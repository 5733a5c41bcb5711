/* self_check.c: checks the comparison by simulation, on scripted agents whose pass rates are known
 * (measure 9.7): how often it sees a change where there is none, how often its interval holds the
 * change that was planted, and how often it sees one that is there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "measure/compare.h"
#include "measure/plan.h"
#include "measure/plan_write.h"
#include "json/write.h"

enum hit { HIT_MOVED, HIT_COVERED, HIT_BETTER };
enum bad_side { BAD_ABOVE, BAD_BELOW, BAD_BOTH };

/* What a check plants, and what counts as a hit. */
struct planted {
    const char *name, *label;
    size_t n_tasks;
    double gain; /* of the after side */
    bool fixed;  /* every task at the base rate; else drawn between hard and easy */
    bool restated;
    enum hit hit;
    enum bad_side bad;
};

static const struct planted CHECKS[SELF_CHECKS] = {
    {.name = "false_alarm",
     .label = "says that identical agents differ, 30 tasks",
     .n_tasks = SELF_CHECK_TASKS,
     .hit = HIT_MOVED,
     .bad = BAD_ABOVE},
    {.name = "coverage_10",
     .label = "interval holds the planted gain, 10 tasks",
     .n_tasks = 10,
     .gain = SELF_CHECK_GAIN,
     .hit = HIT_COVERED,
     .bad = BAD_BELOW},
    {.name = "coverage_20",
     .label = "interval holds the planted gain, 20 tasks",
     .n_tasks = 20,
     .gain = SELF_CHECK_GAIN,
     .hit = HIT_COVERED,
     .bad = BAD_BELOW},
    {.name = "power_30_10",
     .label = "sees a gain of 10 points on 30 tasks",
     .n_tasks = 30,
     .gain = SELF_CHECK_GAIN,
     .fixed = true,
     .hit = HIT_BETTER,
     .bad = BAD_BOTH},
    {.name = "power_30_16",
     .label = "sees a gain of 16 points on 30 tasks",
     .n_tasks = 30,
     .gain = SELF_CHECK_GAIN_LARGE,
     .fixed = true,
     .hit = HIT_BETTER,
     .bad = BAD_BOTH},
    {.name = "power_60_10",
     .label = "sees a gain of 10 points on 60 tasks",
     .n_tasks = 60,
     .gain = SELF_CHECK_GAIN,
     .fixed = true,
     .hit = HIT_BETTER,
     .bad = BAD_BOTH},
    {.name = "power_60_16",
     .label = "sees a gain of 16 points on 60 tasks",
     .n_tasks = 60,
     .gain = SELF_CHECK_GAIN_LARGE,
     .fixed = true,
     .hit = HIT_BETTER,
     .bad = BAD_BOTH},
    {.name = "near_duplicates",
     .label = "says that identical agents differ, half of 30 tasks restated",
     .n_tasks = SELF_CHECK_TASKS,
     .restated = true,
     .hit = HIT_MOVED,
     .bad = BAD_ABOVE},
};

enum { TASKS_MAX = 60, KEY_MAX = 32 };

/* ---- one trial ----------------------------------------------------------------------------------
 */

struct trial {
    size_t n;
    char keys[TASKS_MAX][KEY_MAX];
    struct task_rate before[TASKS_MAX], after[TASKS_MAX];
    uint64_t seed; /* of the comparison */
};

static void name_tasks(const struct planted *planted, struct trial *t, size_t originals)
{
    t->n = planted->n_tasks;
    for (size_t i = 0; i < t->n; i++) {
        bool copy = i >= originals;
        snprintf(t->keys[i], KEY_MAX, "case-%03zu%s", copy ? i - originals : i,
                 copy ? "-restated" : "");
    }
}

static void play(struct rng *rng, const struct trial *t, const double *rates, double gain,
                 struct task_rate *side)
{
    for (size_t i = 0; i < t->n; i++) {
        double reward = rng_random(rng) < rates[i] + gain;
        side[i] = (struct task_rate){span_text(t->keys[i]), 1, reward, reward};
    }
}

/* Difficulties, then all rewards before, then all after, then the seed of the comparison, from one
 * stream that the seed, the check and the trial name. */
static void make_trial(const struct planted *planted, const char *seed, int64_t number,
                       struct trial *t)
{
    struct rng rng;
    struct buf name = {0};
    buf_format(&name, "%s/%s/%lld", seed, planted->name, (long long)number);
    rng_seed_text(&rng, buf_span(&name));
    buf_free(&name);
    size_t originals = planted->n_tasks;
    if (planted->restated)
        originals -= (size_t)((double)originals * SELF_CHECK_RESTATED);
    double rates[TASKS_MAX];
    for (size_t i = 0; i < originals; i++)
        rates[i] = planted->fixed ? MEASURE_BASE_RATE
                                  : rng_uniform(&rng, SELF_CHECK_HARD, SELF_CHECK_EASY);
    for (size_t i = originals; i < planted->n_tasks; i++)
        rates[i] = rates[i - originals];
    name_tasks(planted, t, originals);
    play(&rng, t, rates, 0.0, t->before);
    play(&rng, t, rates, planted->gain, t->after);
    t->seed = rng_below(&rng, (uint64_t)1 << 31);
}

static void compare(const struct self_check_options *o, const struct trial *t,
                    enum interval_kind interval, struct metric_change *change)
{
    struct rng rng;
    rng_seed(&rng, (int64_t)t->seed);
    struct change_options options = {
        .boot = {.start = &rng, .draws = o->draws, .level = 1.0 - o->alpha, .kind = interval},
        .min_paired = MEASURE_MIN_PAIRED};
    compare_metric(t->before, t->n, t->after, t->n, &options, change);
}

static bool is_hit(const struct planted *planted, const struct metric_change *change)
{
    switch (planted->hit) {
    case HIT_MOVED: return change->verdict == CHANGE_A_BETTER || change->verdict == CHANGE_B_BETTER;
    case HIT_COVERED:
        return change->ci95.low <= planted->gain && planted->gain <= change->ci95.high;
    default: return change->verdict == CHANGE_B_BETTER;
    }
}

/* ---- the same trial as rows ---------------------------------------------------------------------
 */

static int add_row(struct facts_reader *reader, const struct task_rate *task, struct passat *side,
                   struct error *error)
{
    struct buf line = {0};
    struct json_writer w;
    json_write_start(&w, &line, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "task_id");
    json_write_span(&w, task->key);
    json_write_key(&w, "reward");
    json_write_int(&w, task->mean > 0.0);
    json_write_end_object(&w);
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct row_facts facts;
    int code = row_of_text(buf_span(&line), &row, &members, &fault);
    if (code < 0) {
        error_set(error, ERROR_SYSTEM, "a row of our own does not read: %s", fault.what);
    } else {
        facts_read(reader, &row, &facts);
        passat_add(side, &facts);
    }
    json_members_free(&members);
    buf_free(&line);
    return code < 0 ? ERROR_SYSTEM : 0;
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_change(const struct metric_change *a, const struct metric_change *b)
{
    return same_number(a->delta, b->delta) && same_number(a->ci95.low, b->ci95.low) &&
           same_number(a->ci95.high, b->ci95.high) && same_number(a->p_value, b->p_value) &&
           a->verdict == b->verdict && a->n_paired == b->n_paired;
}

static int add_rows(struct facts_reader *reader, const struct task_rate *tasks, size_t n,
                    struct compare_side *side, struct error *error)
{
    static const struct passat_options KEEP = {.markers = true};
    int code = 0;
    side->rows = passat_new(&KEEP);
    side->fallback = passat_new(&KEEP);
    side->joined = passat_new(&KEEP);
    for (size_t i = 0; code == 0 && i < n; i++)
        code = add_row(reader, &tasks[i], side->rows, error);
    return code;
}

/* What wai-compare is asked for such a trial. */
static int ask(const struct self_check_options *o, const char *seed,
               struct compare_request *request, struct compare_options *options,
               struct error *error)
{
    *request = (struct compare_request){.before = "before",
                                        .after = "after",
                                        .target = "pass_at_1",
                                        .seed = seed,
                                        .adjust = "none",
                                        .no_by = true,
                                        .draws = o->draws,
                                        .min_paired = MEASURE_MIN_PAIRED,
                                        .alpha = o->alpha,
                                        .power = STAT_POWER,
                                        .ceiling = MEASURE_CEILING,
                                        .answered_gap = MEASURE_ANSWERED_GAP,
                                        .answered_alpha = MEASURE_ANSWERED_ALPHA,
                                        .rows = {.jobs = 1}};
    return compare_options_read(request, options, error);
}

static int check_report(const struct planted *planted, const struct compare_options *options,
                        const struct compare_rows *rows, const struct metric_change *direct,
                        struct error *error)
{
    struct compare_report report;
    int code = compare_report_make(options, rows, &report, error);
    if (code == 0 && !same_change(&report.target->change, direct))
        code = error_set(error, ERROR_SYSTEM,
                         "%s: the report on a trial's rows differs from its comparison, which is a "
                         "fault of this program; please report it",
                         planted->name);
    compare_report_free(&report);
    return code;
}

/* A trial written as rows, read back as graded files are and put through the whole report must
 * compare alike. */
static int check_rows(const struct self_check_options *o, const struct planted *planted,
                      const struct trial *t, struct error *error)
{
    struct compare_request request;
    struct compare_options options;
    struct compare_rows rows = {0};
    struct metric_change direct;
    struct buf seed = {0};
    buf_format(&seed, "%llu", (unsigned long long)t->seed);
    struct facts_reader *reader = facts_open(&(struct facts_options){0});
    compare(o, t, INTERVAL_PERCENTILE, &direct); /* the report's */
    int code = ask(o, buf_cstr(&seed), &request, &options, error);
    if (code == 0)
        code = add_rows(reader, t->before, t->n, &rows.sides[BEFORE], error);
    if (code == 0)
        code = add_rows(reader, t->after, t->n, &rows.sides[AFTER], error);
    if (code == 0)
        code = check_report(planted, &options, &rows, &direct, error);
    notes_free(&direct.notes);
    compare_rows_free(&rows);
    compare_options_free(&options);
    facts_close(reader);
    buf_free(&seed);
    return code;
}

/* ---- all trials ---------------------------------------------------------------------------------
 */

struct job {
    size_t check;
    int64_t number;
    bool hit;
    int code;
    struct error error;
};

static void run_trial(void *context, int worker, void *item)
{
    const struct self_check_options *o = context;
    struct job *job = item;
    (void)worker;
    const struct planted *planted = &CHECKS[job->check];
    struct trial *t = mem_alloc(sizeof *t);
    struct metric_change change;
    make_trial(planted, o->seed, job->number, t);
    compare(o, t, o->interval, &change);
    job->hit = is_hit(planted, &change);
    job->code = job->number == 0 ? check_rows(o, planted, t, &job->error) : 0;
    notes_free(&change.notes);
    free(t);
}

static void take(struct job *job, struct self_check_report *report, struct error *error, int *code)
{
    report->checks[job->check].hits += job->hit;
    if (job->code < 0 && *code == 0) {
        *code = job->code;
        *error = job->error;
    }
    free(job);
}

static int run_trials(struct self_check_report *report, struct error *error)
{
    struct pool *pool = pool_open(report->options.jobs, 0, run_trial, &report->options);
    int code = 0;
    void *done;
    for (size_t check = 0; check < SELF_CHECKS; check++)
        for (int64_t number = 0; number < report->options.trials; number++) {
            while (pool_full(pool))
                take(pool_take(pool, POOL_WAIT), report, error, &code);
            struct job *job = mem_zero(1, sizeof *job);
            job->check = check;
            job->number = number;
            pool_submit(pool, job);
            while ((done = pool_take(pool, POOL_READY)))
                take(done, report, error, &code);
        }
    while ((done = pool_take(pool, POOL_WAIT)))
        take(done, report, error, &code);
    pool_close(pool);
    return code;
}

/* ---- the report ---------------------------------------------------------------------------------
 */

static double target(const struct planted *planted, double alpha)
{
    switch (planted->hit) {
    case HIT_MOVED: return alpha;
    case HIT_COVERED: return 1.0 - alpha;
    default:
        return stat_normal_cdf(planted->gain * sqrt((double)planted->n_tasks) /
                                   stat_sd_uniform(MEASURE_BASE_RATE, planted->gain, 1.0) -
                               stat_normal_inverse(1.0 - alpha / 2.0));
    }
}

static void judge(const struct self_check_options *o, const struct planted *planted,
                  struct self_check_result *r)
{
    static const char *const BAD_SIDES[] = {"above", "below", "both"};
    r->check = planted->name;
    r->label = planted->label;
    r->bad_side = BAD_SIDES[planted->bad];
    r->measured = (double)r->hits / (double)o->trials;
    r->target = target(planted, o->alpha);
    r->mc_error = sqrt(r->target * (1.0 - r->target) / (double)o->trials);
    r->errors_off = r->mc_error > 0.0 ? (r->measured - r->target) / r->mc_error : 0.0;
    bool above = r->errors_off > o->flag_at, below = r->errors_off < -o->flag_at;
    r->ok = !((above && planted->bad != BAD_BELOW) || (below && planted->bad != BAD_ABOVE));
}

int self_check(const struct self_check_options *options, struct self_check_report *report,
               struct error *error)
{
    *report = (struct self_check_report){.options = *options, .ok = true};
    if (!(options->alpha > 0.0 && options->alpha < 1.0) || 1.0 - options->alpha / 2.0 == 1.0)
        return error_set(error, ERROR_USAGE, "--alpha %g lies between 0 and 1, both left out",
                         options->alpha);
    if (!(options->flag_at > 0.0))
        return error_set(error, ERROR_USAGE, "--flag-at %g: a number of standard errors above 0",
                         options->flag_at);
    int code = run_trials(report, error);
    for (size_t i = 0; i < SELF_CHECKS; i++) {
        judge(options, &CHECKS[i], &report->checks[i]);
        report->ok &= report->checks[i].ok;
    }
    return code;
}

void self_check_json(const struct self_check_report *report, struct json_writer *w)
{
    const struct self_check_options *o = &report->options;
    plan_write_report(w, "self-check");
    plan_write_bool(w, "ok", report->ok);
    json_write_key(w, "seed");
    json_write_raw(w, span_text(o->seed));
    plan_write_whole(w, "trials", (double)o->trials);
    plan_write_whole(w, "n_boot", (double)o->draws);
    plan_write_real(w, "alpha", o->alpha);
    plan_write_real(w, "flag_at", o->flag_at);
    plan_write_bool(w, "same_path", true); /* else there is an error instead of a report */
    json_write_key(w, "checks");
    json_write_array(w);
    for (size_t i = 0; i < SELF_CHECKS; i++) {
        const struct self_check_result *r = &report->checks[i];
        json_write_object(w);
        plan_write_text(w, "check", r->check);
        plan_write_text(w, "label", r->label);
        plan_write_whole(w, "hits", (double)r->hits);
        plan_write_whole(w, "trials", (double)o->trials);
        plan_write_real(w, "measured", r->measured);
        plan_write_real(w, "target", r->target);
        plan_write_real(w, "mc_error", r->mc_error);
        plan_write_real(w, "errors_off", r->errors_off);
        plan_write_text(w, "bad_side", r->bad_side);
        plan_write_bool(w, "ok", r->ok);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_end_object(w);
}

void self_check_text(const struct self_check_report *report, struct buf *out)
{
    const struct self_check_options *o = &report->options;
    for (size_t i = 0; i < SELF_CHECKS; i++) {
        const struct self_check_result *r = &report->checks[i];
        buf_format(out, "%-4s  %-15s  %5.1f%%  expected %5.1f%% +- %.1f  %lld of %lld  %s\n",
                   r->ok ? "ok" : "FLAG", r->check, 100.0 * r->measured, 100.0 * r->target,
                   100.0 * r->mc_error, (long long)r->hits, (long long)o->trials, r->label);
    }
    buf_format(out,
               "a check is flagged when it is more than %g standard errors off on its bad side\n",
               o->flag_at);
    if (o->trials < SELF_CHECK_TRIALS_FULL)
        buf_format(out,
                   "note: %lld trials are few: before a flag is believed, run it with --full\n",
                   (long long)o->trials);
}
