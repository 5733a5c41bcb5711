/* play.c: the rollouts of one round, spread over threads; a lost one is played again at once. */
#include <stdlib.h>

#include "row/usable.h"
#include "scene/run.h"

static void count_call(void *data, struct span tool, bool fault, bool injected)
{
    struct run_worker *w = data;
    bool fresh;
    size_t n = map_add(&w->tools, tool, &fresh);
    w->counts = mem_grow(w->counts, &w->cap, n + 1, sizeof *w->counts);
    if (fresh)
        w->counts[n] = (struct tool_count){0};
    w->counts[n].n++;
    w->counts[n].faults += fault;
    w->counts[n].injected += injected;
}

static int64_t world_seed_of(const struct engine_setting *s, const struct scene_task *task)
{
    return task->has_world_seed && !s->world_seed_rules ? task->world_seed : s->world_seed;
}

/* The row is there; what the run decides by is read off it. */
static void read_job(struct run_worker *w, struct job *job)
{
    struct json_fault fault;
    struct row row;
    if (row_of_text(buf_span(&job->line), &row, &w->birth.members, &fault) == 0)
        birth_read(&w->birth, &job->group->task, &row, &job->born, count_call, w);
}

static void play_job(struct run *run, struct run_worker *w, struct job *job)
{
    const struct scene_task *task = &job->group->task;
    if (job->resumed) {
        read_job(w, job);
        return;
    }
    struct agent_task input = {
        .prompt = task->prompt,
        .rollout_index = job->index,
        .plan = task->plan,
        .state = world_state_of(task->world_state),
        .world_seed = world_seed_of(run->setting, task),
        .reference = task->reference,
        .hidden_state = task->hidden_state,
        .privileged = task->privileged.len > 0,
        .scenario_id = task->scenario_id,
        .dimensions = task->dimensions,
        .run_seed = run->setting->seed,
        .eval_run = run->eval_run,
        .mean_utterances = run->mean_utterances,
    };
    agent_play(run->setting->agent, w->agent, &input, &w->rollout);
    job->fate = w->rollout.fate;
    buf_clear(&job->error);
    if (job->fate == ROLLOUT_ERROR) {
        buf_span_add(&job->error, buf_span(&w->rollout.error));
        job->born.unusable = ROW_AGENT_ERROR;
        return;
    }
    birth_row(&w->birth, run->birth, task, &w->rollout, job->index, &job->line, &job->born,
              count_call, w);
    if (job->born.unusable == ROW_AGENT_ERROR)
        buf_span_add(&job->error, buf_span(&w->rollout.final_text));
}

static void work(void *context, int worker, void *job)
{
    struct run *run = context;
    struct chunk *chunk = job;
    if (run->judging) {
        chunk->code = run_judge_chunk(run, chunk, (int)(chunk - run->chunks));
        return;
    }
    for (size_t i = 0; i < chunk->count; i++)
        play_job(run, &run->workers[worker], &chunk->jobs[i]);
}

void run_start_workers(struct run *run)
{
    int cpus = pool_cpu_count();
    run->n_workers = run->setting->jobs < cpus ? (int)run->setting->jobs : cpus;
    run->workers = mem_zero((size_t)run->n_workers, sizeof *run->workers);
    run->chunks = mem_zero((size_t)run->n_workers, sizeof *run->chunks);
    run->judged = mem_zero((size_t)run->n_workers, sizeof *run->judged);
    for (int i = 0; i < run->n_workers; i++)
        run->workers[i].agent = agent_worker(run->setting->agent);
    run->pool = pool_open(run->n_workers, (size_t)run->n_workers + 1, work, run);
}

void run_stop_workers(struct run *run)
{
    pool_close(run->pool);
    for (int i = 0; i < run->n_workers; i++) {
        struct run_worker *w = &run->workers[i];
        agent_worker_free(run->setting->agent, w->agent);
        rollout_free(&w->rollout);
        birth_free(&w->birth);
        map_free(&w->tools);
        free(w->counts);
        buf_free(&run->judged[i]);
    }
    free(run->judged);
    free(run->workers);
    free(run->chunks);
}

static enum lost_reason lost_reason(const struct job *job)
{
    switch (job->born.unusable) {
    case ROW_EMPTY_REPLY: return LOST_EMPTY;
    case ROW_TOOL_MARKUP: return LOST_MARKUP;
    default: return LOST_ERROR;
    }
}

static void note_error(struct run *run, const struct job *job)
{
    struct engine_report *r = run->report;
    if (r->first_error || !job->error.len)
        return;
    r->first_error = mem_alloc(job->error.len + 1);
    memcpy(r->first_error, job->error.data, job->error.len);
    r->first_error[job->error.len] = '\0';
}

void run_play(struct run *run)
{
    if (run->landed)
        run->mean_utterances = (double)run->utterances / (double)run->landed;
    size_t per_chunk = (run->n_jobs + (size_t)run->n_workers - 1) / (size_t)run->n_workers, n = 0;
    for (size_t at = 0; at < run->n_jobs; at += per_chunk, n++) {
        size_t rest = run->n_jobs - at;
        run->chunks[n] =
            (struct chunk){.jobs = run->jobs + at, .count = rest < per_chunk ? rest : per_chunk};
        pool_submit(run->pool, &run->chunks[n]);
    }
    while (pool_take(run->pool, POOL_WAIT))
        ;
    for (size_t i = 0; i < run->n_jobs; i++) {
        struct job *job = &run->jobs[i];
        job->done = job->born.unusable == ROW_USABLE;
        while (!job->done) {
            enum lost_reason reason = lost_reason(job);
            note_error(run, job);
            run->lost_attempts++;
            if (job->group->rerolled >= run->setting->rerolls) {
                run->scheduled--;
                run->report->lost++;
                run->report->lost_by[reason]++;
                break;
            }
            job->group->rerolled++;
            run->report->rerolled++;
            run->report->rerolled_by[reason]++;
            play_job(run, &run->workers[0], job);
            job->done = job->born.unusable == ROW_USABLE;
        }
    }
}
