/* judge.c: the grader beside the loop (situations 15): a row is judged where it was played, before
 * anything is decided from it. */
#include "row/value.h"
#include "scene/defaults.h"
#include "scene/run.h"
#include "json/scan.h"

/* Of a verdict: false, or a number under the threshold. */
bool run_marker_failed(const struct run *run, struct json_value marker)
{
    return marker.type == JSON_VALUE_FALSE ||
           (marker.type == JSON_VALUE_NUMBER &&
            json_number(marker) < run->knobs->value[KNOB_PASS_THRESHOLD]);
}

static bool any_failed(const struct run *run, struct json_value markers)
{
    struct json_member member;
    if (markers.type != JSON_VALUE_OBJECT)
        return false;
    for (struct json_cursor at = json_enter(markers); json_next_member(&at, &member);)
        if (run_marker_failed(run, member.value))
            return true;
    return false;
}

/* What the judged row says of itself; true: it was judged before. */
static bool read_verdict(const struct run *run, struct job *job)
{
    bool judged = false;
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    job->graded = job->graded_failure = false;
    if (row_of_text(buf_span(&job->line), &row, &members, &fault) == 0) {
        const struct json_value *reward = row_get(&row, SPAN("reward"));
        const struct json_value *markers = row_get(&row, SPAN("markers"));
        judged = row_get_set(&row, SPAN("judge_status")) != NULL;
        job->graded = reward && reward->type == JSON_VALUE_NUMBER;
        job->reward = job->graded ? json_number(*reward) : 0;
        job->graded_failure =
            (job->graded && job->reward < run->knobs->value[KNOB_PASS_THRESHOLD]) ||
            (markers && any_failed(run, *markers));
    }
    json_members_free(&members);
    return judged;
}

/* More threads play than can judge: a number among the judges' own. */
static int take_judge(struct run *run)
{
    int workers = run->setting->judge->workers, n = 0;
    pthread_mutex_lock(&run->halt.lock);
    for (;;) {
        for (n = 0; n < workers && run->halt.judge_taken[n]; n++)
            ;
        if (n < workers)
            break;
        pthread_cond_wait(&run->halt.judge_free, &run->halt.lock);
    }
    run->halt.judge_taken[n] = true;
    pthread_mutex_unlock(&run->halt.lock);
    return n;
}

static void free_judge(struct run *run, int n)
{
    pthread_mutex_lock(&run->halt.lock);
    run->halt.judge_taken[n] = false;
    pthread_cond_signal(&run->halt.judge_free);
    pthread_mutex_unlock(&run->halt.lock);
}

int run_judge(struct run *run, struct run_worker *w, int worker, struct job *job,
              struct error *error)
{
    const struct engine_judge *judge = run->setting->judge;
    if (!judge || (job->resumed && read_verdict(run, job)))
        return 0;
    bool shared = run->n_workers > judge->workers;
    if (shared)
        worker = take_judge(run);
    buf_clear(&w->judged);
    job->judge_failed = false;
    double before = run_now(run);
    int code = judge->verdict(judge->data, worker, buf_span(&job->line), job->born.truncated,
                              &w->judged, &job->judge_failed, error);
    job->judging += run_now(run) - before;
    if (shared)
        free_judge(run, worker);
    if (code < 0)
        return code;
    struct buf swap = job->line;
    job->line = w->judged;
    w->judged = swap;
    read_verdict(run, job);
    return 0;
}

void run_count_verdict(struct run *run, const struct job *job)
{
    struct grader_counts *g = &run->report->grader;
    if (!run->setting->judge)
        return;
    g->scored++;
    g->errors += job->judge_failed;
    g->unjudged += !job->graded;
    if (job->graded) {
        g->passes += job->reward == 1;
        g->failures += job->reward == 0;
        g->partials += job->reward != 0 && job->reward != 1;
    }
}
