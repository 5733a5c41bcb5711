/* run.c: rows through a scorer (see run.h). */
#include "grade/run.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/signals.h"
#include "grade/resume.h"
#include "grade/tally.h"
#include "row/calls.h"
#include "row/key.h"
#include "row/value.h"
#include "text/number.h"

/* What happened to a row; tally[0] of its result. */
enum outcome { OUTCOME_SKIPPED, OUTCOME_RESUMED, OUTCOME_SCORED };

/* What a worker keeps from row to row. */
struct grade_worker {
    struct verdict verdict;
    struct verdict_landing landing;
    struct buf scored; /* the row with its verdict, on which marks are put */
    struct json_members members;
};

struct grade_run {
    struct grade_options options;
    struct resume *resume;
    struct grade_worker *workers;
    struct grade_counts counts;
    struct tally tally;
    /* Rows are chosen in their order when there is a limit. */
    pthread_mutex_t lock;
    pthread_cond_t turn;
    uint64_t next;
    int64_t left;
    bool stopped;
};

struct grade_run *grade_run_open(const struct grade_options *options, struct error *error)
{
    struct grade_run *run = mem_zero(1, sizeof *run);
    run->options = *options;
    run->left = options->limit;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->turn, NULL);
    if (options->resume && !(run->resume = resume_open(options->resume, error))) {
        grade_run_close(run);
        return NULL;
    }
    run->workers = mem_zero((size_t)options->threads, sizeof *run->workers);
    tally_open(&run->tally, options->tools);
    return run;
}

void grade_run_close(struct grade_run *run)
{
    if (!run)
        return;
    for (int i = 0; run->workers && i < run->options.threads; i++) {
        verdict_free(&run->workers[i].verdict);
        verdict_landing_free(&run->workers[i].landing);
        buf_free(&run->workers[i].scored);
        json_members_free(&run->workers[i].members);
    }
    free(run->workers);
    resume_close(run->resume);
    tally_close(&run->tally);
    pthread_cond_destroy(&run->turn);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

/* ---- which rows
 * --------------------------------------------------------------------------------------- */

/* A rollout that the token cap cut says nothing of what its agent can do (grade 3.4). */
static bool length_capped(const struct row *row)
{
    const struct json_value *name = row_get(row, SPAN("judge_name"));
    return name && span_is(name->text, "\"length_cap\"");
}

static bool wanted(const struct grade_run *run, const struct row *row)
{
    const struct json_value *reward = row_get(row, SPAN("reward"));
    bool number = reward && reward->type == JSON_VALUE_NUMBER;
    switch (run->options.regrade) {
    case GRADE_UNJUDGED: return !number || !isfinite(json_number(*reward));
    case GRADE_FAILED: return number && json_number(*reward) == 0;
    case GRADE_ALL: break;
    }
    return true;
}

/* With a limit the rows take their turn, so that the choice does not depend on the threads. */
static bool within_limit(struct grade_run *run, uint64_t index, bool want)
{
    bool taken = false;
    if (run->options.limit < 0)
        return want;
    pthread_mutex_lock(&run->lock);
    while (run->left > 0 && run->next < index && !run->stopped && !signals_caught()) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&run->turn, &run->lock, &soon);
    }
    if (want && run->left > 0 && run->next >= index) {
        taken = true;
        run->left--;
    }
    if (run->next <= index)
        run->next = index + 1;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->lock);
    return taken;
}

static void stop(struct grade_run *run)
{
    pthread_mutex_lock(&run->lock);
    run->stopped = true;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->lock);
}

/* ---- work and account
 * --------------------------------------------------------------------------------- */

/* The row with its verdict, or as it was, into the result: fate and tally. */
static int score(struct grade_run *run, int worker, const struct row *row,
                 struct row_result *result, struct error *error)
{
    struct grade_worker *w = &run->workers[worker];
    struct verdict *v = &w->verdict;
    bool capped = run->options.scorer && run->options.scorer->judge && length_capped(row);
    bool want = run->options.scorer && !capped && wanted(run, row);
    bool resumed = want && run->resume && resume_find(run->resume, row, &result->out);
    bool take = within_limit(run, row->index, want && !resumed);
    result->fate = resumed ? ROW_CHANGED : ROW_KEEP;
    result->tally[0] = resumed ? OUTCOME_RESUMED : OUTCOME_SKIPPED;
    result->tally[3] = capped;
    if (resumed) {
        struct json_fault fault;
        struct row found;
        buf_reserve(&result->out, 1); /* the newline */
        row_of_text(buf_span(&result->out), &found, &result->written, &fault);
    }
    if (resumed || !take)
        return 0;
    int rc = scorer_verdict(run->options.scorer, worker, row, v, error);
    if (rc < 0) {
        stop(run);
        return rc;
    }
    if (run->options.scorer->advisory)
        verdict_land_advice(&w->landing, v, row, &result->out, &result->written);
    else
        verdict_land_row(&w->landing, v, &run->options.stamp, row, &result->out, &result->written);
    result->fate = ROW_CHANGED;
    result->tally[0] = OUTCOME_SCORED;
    result->tally[1] = v->status;
    result->tally[2] = v->judged;
    result->tally[4] = (int64_t)v->reward.len;
    buf_span_add(&result->note, buf_span(&v->reward));
    if (run->options.judge_log)
        buf_span_add(&result->note, buf_span(&v->log));
    return 0;
}

/* Markers and stamps on the row as it leaves. */
static void mark(struct grade_run *run, int worker, const struct row *row,
                 struct row_result *result)
{
    struct grade_worker *w = &run->workers[worker];
    struct row scored = *row;
    if (result->fate == ROW_CHANGED) {
        /* The result's text and members, which the marks are about to replace, change places with
         * the worker's. */
        struct buf text = w->scored;
        struct json_members members = w->members;
        w->scored = result->out;
        w->members = result->written;
        result->out = text;
        result->written = members;
        scored.line = scored.value.text = buf_span(&w->scored);
        scored.members = w->members;
    }
    buf_clear(&result->out);
    marks_apply(run->options.marks, worker, &scored, &result->out, &result->written);
    result->fate = ROW_CHANGED;
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct grade_run *run = context;
    int rc = score(run, worker, row, result, error);
    if (rc < 0)
        return rc;
    if (run->options.marks)
        mark(run, worker, row, result);
    if (result->fate == ROW_CHANGED)
        buf_byte(&result->out, '\n');
    return 0;
}

/* The judge's model made the row. */
static bool self_judged(const struct grade_run *run, const struct row *row)
{
    const struct json_value *made_by = row_get(row, SPAN("model_version"));
    struct buf scratch = {0};
    bool same = run->options.scorer->model && made_by && made_by->type == JSON_VALUE_STRING &&
                span_is(json_text(*made_by, &scratch), run->options.scorer->model);
    buf_free(&scratch);
    return same;
}

static void count_scored(struct grade_run *run, const struct row *row,
                         const struct row_result *result)
{
    struct grade_counts *c = &run->counts;
    struct span reward_text = span_slice(buf_span(&result->note), 0, (size_t)result->tally[4]);
    c->scored++;
    c->statuses[result->tally[1]]++;
    if (!result->tally[2])
        return;
    double reward = number_of_json(reward_text);
    c->graded++;
    c->self_judged += self_judged(run, row);
    if (run->options.scorer->advisory) /* rewards are not touched */
        return;
    c->sum += reward;
    c->passes += reward == 1;
    c->failures += reward == 0;
    c->partials += reward != 0 && reward != 1;
    tally_reward(&run->tally, reward_text);
}

static int log_judge(struct grade_run *run, const struct row_result *result, struct error *error)
{
    struct span log =
        span_slice(buf_span(&result->note), (size_t)result->tally[4], result->note.len);
    return log.len && run->options.judge_log ? row_writer_line(run->options.judge_log, log, error)
                                             : 0;
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct grade_run *run = context;
    int rc = 0;
    run->counts.rows++;
    run->counts.skipped += result->tally[0] == OUTCOME_SKIPPED;
    run->counts.resumed += result->tally[0] == OUTCOME_RESUMED;
    run->counts.skipped_truncated += (uint64_t)result->tally[3];
    if (result->tally[0] == OUTCOME_SCORED) {
        count_scored(run, row, result);
        rc = log_judge(run, result, error);
    }
    tally_row(&run->tally, row);
    if (run->options.eval_set)
        eval_set_row(run->options.eval_set, row);
    if (run->options.left)
        run->options.left(run->options.data, row);
    return rc;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int grade_run_rows(struct grade_run *run, const struct row_source *source,
                   struct row_writer *writer, struct error *error)
{
    const struct scorer *s = run->options.scorer;
    const struct row_filter filter = {.source = *source,
                                      .writer = writer,
                                      .jobs = run->options.threads,
                                      .batch = (s && s->slow) || run->options.limit >= 0 ? 1 : 0,
                                      .work = work,
                                      .done = done,
                                      .context = run};
    struct row_counts counts = {0};
    double start = now();
    int rc = row_filter_run(&filter, &counts, error);
    run->counts.seconds = now() - start;
    run->counts.bad = counts.bad;
    const struct grade_counts *c = &run->counts;
    if (rc == 0 && c->scored > 0 && c->statuses[VERDICT_ERROR] == c->scored)
        return error_set(
            error, ERROR_REMOTE,
            "each of the %llu rows came back as an error; judge_meta.error of the rows "
            "says why",
            (unsigned long long)c->scored);
    return rc;
}

const struct grade_counts *grade_run_counts(const struct grade_run *run)
{
    return &run->counts;
}

double grade_unjudged_share(const struct grade_run *run)
{
    const struct grade_counts *c = &run->counts;
    return c->scored ? (double)(c->scored - c->graded) / (double)c->scored : 0;
}

void grade_run_warnings(const struct grade_run *run, void (*out)(void *data, const char *text),
                        void *data)
{
    tally_warnings(&run->tally, &run->counts, &run->options, out, data);
}

void grade_run_reasons(const struct grade_run *run, size_t n,
                       void (*out)(void *data, const char *text), void *data)
{
    tally_reasons(&run->tally, n, out, data);
}

uint64_t grade_run_marker(const struct grade_run *run, struct span name, double *sum)
{
    size_t at = map_find(&run->tally.markers, name);
    *sum = at == MAP_NONE ? 0 : run->tally.marker_counts[at].sum;
    return at == MAP_NONE ? 0 : run->tally.marker_counts[at].n;
}

void grade_run_report(const struct grade_run *run, struct buf *out)
{
    tally_report(&run->tally, &run->counts, &run->options, out);
}
