/* judge.c: the grader beside the loop (situations 15): the rows of a round are judged when all of
 * them are there and before anything is decided from them. */
#include "row/value.h"
#include "scene/defaults.h"
#include "scene/run.h"
#include "json/scan.h"

/* A marker that is false, or a number under the threshold. */
static bool marker_failed(struct json_value markers)
{
    struct json_member member;
    if (markers.type != JSON_VALUE_OBJECT)
        return false;
    for (struct json_cursor at = json_enter(markers); json_next_member(&at, &member);)
        if (member.value.type == JSON_VALUE_FALSE ||
            (member.value.type == JSON_VALUE_NUMBER &&
             json_number(member.value) < SCENE_PASS_THRESHOLD))
            return true;
    return false;
}

/* What the judged row says of itself; true: it was judged before. */
static bool read_verdict(struct job *job)
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
        job->graded_failure = (job->graded && job->reward < SCENE_PASS_THRESHOLD) ||
                              (markers && marker_failed(*markers));
    }
    json_members_free(&members);
    return judged;
}

int run_judge_chunk(struct run *run, struct chunk *chunk, int worker)
{
    const struct engine_judge *judge = run->setting->judge;
    struct buf *line = &run->judged[worker];
    for (size_t i = 0; i < chunk->count; i++) {
        struct job *job = &chunk->jobs[i];
        if (!job->done || (job->resumed && read_verdict(job)))
            continue;
        buf_clear(line);
        job->judge_failed = false;
        int code = judge->verdict(judge->data, worker, buf_span(&job->line), job->born.truncated,
                                  line, &job->judge_failed, &chunk->error);
        if (code < 0)
            return code;
        struct buf swap = job->line;
        job->line = *line;
        *line = swap;
        read_verdict(job);
    }
    return 0;
}

int run_judge(struct run *run, struct error *error)
{
    const struct engine_judge *judge = run->setting->judge;
    if (!judge)
        return 0;
    size_t n = (size_t)(run->n_workers < judge->workers ? run->n_workers : judge->workers);
    size_t per_chunk = (run->n_jobs + n - 1) / n, chunks = 0;
    run->judging = true;
    for (size_t at = 0; at < run->n_jobs; at += per_chunk, chunks++) {
        size_t rest = run->n_jobs - at;
        run->chunks[chunks] =
            (struct chunk){.jobs = run->jobs + at, .count = rest < per_chunk ? rest : per_chunk};
        pool_submit(run->pool, &run->chunks[chunks]);
    }
    while (pool_take(run->pool, POOL_WAIT))
        ;
    run->judging = false;
    for (size_t i = 0; i < chunks; i++)
        if (run->chunks[i].code < 0) {
            *error = run->chunks[i].error;
            return run->chunks[i].code;
        }
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
