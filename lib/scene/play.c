/* play.c: the rollouts of one round, spread over threads. A lost one is played again by the thread that lost it, once
 * the earlier ones of its prompt are settled: they share the prompt's re-rolls, and who gets one must not depend on
 * who is fast. Rows land in the order of the jobs, each as soon as all before it are there. */
#include <stdlib.h>
#include <string.h>

#include "row/usable.h"
#include "scene/defaults.h"
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

/* What the row is told apart by, beside what was born with it. */
static void take_facts(struct run_worker *w, struct job *job)
{
    struct buf cell = job->cell, shape = job->shape;
    job->cell = w->birth->cell;
    job->shape = w->birth->shape;
    w->birth->cell = cell;
    w->birth->shape = shape;
    if (job->group->written && job->index == 0 && !job->vector.at)
        job->vector = embed_hash(job->group->task.prompt);
}

static void take_birth(struct run *run, struct run_worker *w)
{
    struct halt *h = &run->halt;
    pthread_mutex_lock(&h->lock);
    w->birth = h->n_births ? h->births[--h->n_births] : NULL;
    pthread_mutex_unlock(&h->lock);
    if (w->birth)
        return;
    w->birth = mem_zero(1, sizeof *w->birth);
    if (run->shapes.keys) {
        w->birth->shapes = &run->shapes;
        w->birth->tools = run->setting->tools;
    }
}

static void give_birth(struct run *run, struct run_worker *w)
{
    struct halt *h = &run->halt;
    pthread_mutex_lock(&h->lock);
    h->births = mem_grow(h->births, &h->births_cap, h->n_births + 1, sizeof *h->births);
    h->births[h->n_births++] = w->birth;
    pthread_mutex_unlock(&h->lock);
    w->birth = NULL;
}

/* The row is there; what the run decides by is read off it. */
static void read_job(struct run *run, struct run_worker *w, struct job *job)
{
    struct json_fault fault;
    struct row row;
    take_birth(run, w);
    if (row_of_text(buf_span(&job->line), &row, &w->birth->members, &fault) == 0)
        birth_read(w->birth, &job->group->task, &row, &job->born, count_call, w);
    take_facts(w, job);
    give_birth(run, w);
}

static void make_row(struct run *run, struct run_worker *w, struct job *job)
{
    take_birth(run, w);
    birth_row(w->birth, run->birth, &job->group->task, &w->rollout, job->index, &job->line,
              &job->born, count_call, w);
    take_facts(w, job);
    give_birth(run, w);
}

/* One attempt. */
static void play_job(struct run *run, struct run_worker *w, struct job *job)
{
    const struct scene_task *task = &job->group->task;
    struct rollout *rollout = &w->rollout;
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
        .manner = task->manner,
        .run_seed = run->setting->seed,
        .eval_run = run->eval_run,
        .ordinal = job->ordinal,
        .mean_utterances = run->mean_utterances,
        .stop = &run->halt.stop,
    };
    double before = run->setting->time_budget > 0 ? run_now(run) : 0;
    agent_play(run->setting->agent, w->agent, &input, rollout);
    job->seconds = run->setting->time_budget > 0 ? run_now(run) - before : 0;
    rollout_counts_add(&w->talk, &rollout->counts);
    job->dropped = rollout->fate == ROLLOUT_DROPPED ||
                   (rollout->fate == ROLLOUT_ERROR &&
                    (rollout->failure == ROLLOUT_COST || rollout->failure == ROLLOUT_REPLAY));
    job->timeout = rollout->fate == ROLLOUT_ERROR && rollout->failure == ROLLOUT_TIMED_OUT;
    job->timed_out += job->timeout;
    job->born.unusable = ROW_AGENT_ERROR;
    if (rollout->fate == ROLLOUT_DONE)
        make_row(run, w, job);
    if (job->born.unusable == ROW_AGENT_ERROR && !job->error.len)
        buf_span_add(&job->error, buf_span(rollout->fate == ROLLOUT_DONE ? &rollout->final_text
                                                                         : &rollout->error));
}

/* ---- the end of a run ------------------------------------------------------------------------ */

static void halt(struct run *run, enum stop_reason reason, struct span why)
{
    struct halt *h = &run->halt;
    pthread_mutex_lock(&h->lock);
    if (!h->caught) {
        h->caught = true;
        h->reason = reason;
        error_set(&h->error, ERROR_REMOTE, "%.*s", (int)(why.len < 500 ? why.len : 500), why.ptr);
    }
    atomic_store(&h->stop, true);
    pthread_cond_broadcast(&h->settled);
    pthread_mutex_unlock(&h->lock);
}

/* Judging or writing has failed. */
static void fail(struct run *run, int code, const struct error *error)
{
    struct halt *h = &run->halt;
    pthread_mutex_lock(&h->lock);
    if (!h->code) {
        h->code = code;
        h->error = *error;
    }
    atomic_store(&h->stop, true);
    pthread_cond_broadcast(&h->settled);
    pthread_mutex_unlock(&h->lock);
}

static bool over(struct run *run)
{
    const struct engine_events *e = &run->setting->events;
    if (e->interrupted && e->interrupted())
        halt(run, STOP_INTERRUPTED, SPAN(""));
    return atomic_load(&run->halt.stop);
}

/* What an attempt means for the whole run (world 12). */
static void learn_fate(struct run *run, const struct job *job, const struct rollout *rollout)
{
    static const enum stop_reason ENDS[] = {
        [ROLLOUT_AUTH] = STOP_AUTH,         [ROLLOUT_QUOTA] = STOP_QUOTA,
        [ROLLOUT_COST] = STOP_COST,         [ROLLOUT_REPLAY] = STOP_REPLAY,
        [ROLLOUT_DEAD] = STOP_AGENT_FAILED,
    };
    struct halt *h = &run->halt;
    bool strike = rollout->fate == ROLLOUT_ERROR && rollout->failure == ROLLOUT_STRIKE;
    int64_t strikes = 0;
    if (rollout->fate == ROLLOUT_ERROR && rollout->failure >= ROLLOUT_AUTH) {
        halt(run, ENDS[rollout->failure], buf_span(&rollout->error));
    } else if (strike || job->born.unusable == ROW_USABLE) {
        pthread_mutex_lock(&h->lock);
        strikes = h->strikes = strike ? h->strikes + 1 : 0;
        pthread_mutex_unlock(&h->lock);
    }
    if (strikes >= SCENE_DEAD_HOST_STRIKES)
        halt(run, STOP_HOST, buf_span(&rollout->error));
}

/* ---- the threads ----------------------------------------------------------------------------- */

static enum lost_reason lost_reason(const struct job *job)
{
    switch (job->born.unusable) {
    case ROW_EMPTY_REPLY: return LOST_EMPTY;
    case ROW_TOOL_MARKUP: return LOST_MARKUP;
    default: return LOST_ERROR;
    }
}

static bool earlier_open(const struct job *job)
{
    for (const struct job *b = job->before; b; b = b->before)
        if (!b->settled)
            return true;
    return false;
}

/* Waits for its turn; false: the prompt has no re-roll left, or the run is over. */
static bool take_reroll(struct run *run, struct job *job)
{
    struct halt *h = &run->halt;
    pthread_mutex_lock(&h->lock);
    while (earlier_open(job) && !atomic_load(&h->stop))
        pthread_cond_wait(&h->settled, &h->lock);
    bool again = !atomic_load(&h->stop) && job->group->rerolled < run->setting->rerolls;
    job->group->rerolled += again;
    pthread_mutex_unlock(&h->lock);
    if (again)
        job->rerolled_by[lost_reason(job)]++;
    return again;
}

static void settle(struct run *run, struct job *job)
{
    pthread_mutex_lock(&run->halt.lock);
    job->settled = true;
    pthread_cond_broadcast(&run->halt.settled);
    pthread_mutex_unlock(&run->halt.lock);
}

/* The row is on file as soon as it is there: it may have been paid for. */
static int keep_row(struct run *run, const struct job *job, struct error *error)
{
    if (!run->setting->checkpoint || !run->setting->agent->waits || job->resumed)
        return 0;
    pthread_mutex_lock(&run->halt.lock);
    int code = checkpoint_add(run->setting->checkpoint, buf_span(&job->line), error);
    pthread_mutex_unlock(&run->halt.lock);
    return code;
}

static void finish_job(struct run *run, struct run_worker *w, int worker, struct job *job)
{
    struct error error = {0};
    int code = run_judge(run, w, worker, job, &error);
    if (!code)
        code = keep_row(run, job, &error);
    if (code < 0)
        fail(run, code, &error);
    job->done = code == 0;
    job->dropped = code != 0;
}

static void do_job(struct run *run, struct run_worker *w, int worker, struct job *job)
{
    if (run->setting->agent->waits) {
        pthread_mutex_lock(&run->halt.lock);
        job->begun = run_now(run);
        pthread_mutex_unlock(&run->halt.lock);
    }
    if (job->resumed) {
        read_job(run, w, job);
        finish_job(run, w, worker, job);
        settle(run, job);
        return;
    }
    do {
        if (over(run)) {
            job->dropped = true;
            break;
        }
        play_job(run, w, job);
        learn_fate(run, job, &w->rollout);
        if (job->born.unusable == ROW_USABLE) {
            finish_job(run, w, worker, job);
            break;
        }
    } while (!job->dropped && take_reroll(run, job));
    settle(run, job);
}

static void work(void *context, int worker, void *data)
{
    struct run *run = context;
    struct chunk *chunk = data;
    for (size_t i = 0; i < chunk->count; i++)
        do_job(run, &run->workers[worker], worker, &chunk->jobs[i]);
}

/* As many threads as there are CPUs, or as rollouts may be in flight when they wait for others. */
static int threads_of(const struct engine_setting *s)
{
    int64_t n = s->jobs, cpus = pool_cpu_count();
    if (!s->agent->waits)
        return (int)(n < cpus ? n : cpus);
    if (s->agent->most && s->agent->most < n)
        n = s->agent->most;
    if (s->round < n)
        n = s->round;
    return (int)(n > 1 ? n : 1);
}

void run_start_workers(struct run *run)
{
    const struct engine_judge *judge = run->setting->judge;
    struct halt *h = &run->halt;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->settled, NULL);
    pthread_cond_init(&h->judge_free, NULL);
    h->judge_taken = mem_zero(judge ? (size_t)judge->workers : 1, sizeof *h->judge_taken);
    run->n_workers = threads_of(run->setting);
    run->workers = mem_zero((size_t)run->n_workers, sizeof *run->workers);
    for (int i = 0; i < run->n_workers; i++)
        run->workers[i].agent = agent_worker(run->setting->agent);
    run->pool = run->setting->agent->waits
                    ? pool_open_waiting(run->n_workers, 0, work, run)
                    : pool_open(run->n_workers, (size_t)run->n_workers + 1, work, run);
}

void run_stop_workers(struct run *run)
{
    pool_close(run->pool);
    for (int i = 0; i < run->n_workers; i++) {
        struct run_worker *w = &run->workers[i];
        agent_worker_free(run->setting->agent, w->agent);
        rollout_free(&w->rollout);
        buf_free(&w->judged);
        map_free(&w->tools);
        free(w->counts);
    }
    for (size_t i = 0; i < run->halt.n_births; i++) {
        birth_free(run->halt.births[i]);
        free(run->halt.births[i]);
    }
    free(run->halt.births);
    pthread_cond_destroy(&run->halt.judge_free);
    pthread_cond_destroy(&run->halt.settled);
    pthread_mutex_destroy(&run->halt.lock);
    free(run->halt.judge_taken);
    free(run->workers);
    free(run->chunks);
}

/* ---- a round --------------------------------------------------------------------------------- */

static void note_error(struct run *run, const struct job *job)
{
    struct engine_report *r = run->report;
    if (r->first_error || !job->error.len)
        return;
    r->first_error = mem_alloc(job->error.len + 1);
    memcpy(r->first_error, job->error.data, job->error.len);
    r->first_error[job->error.len] = '\0';
}

static void list_lost(struct run *run, const struct job *job, enum lost_reason reason)
{
    struct engine_report *r = run->report;
    if (r->n_lost_listed == SCENE_LOST_LISTED)
        return;
    struct span why = buf_span(&job->error);
    r->lost_list = mem_grow(r->lost_list, &r->lost_cap, r->n_lost_listed + 1, sizeof *r->lost_list);
    r->lost_list[r->n_lost_listed++] = (struct lost_rollout){
        .scenario_id = arena_span(&r->arena, job->group->task.scenario_id),
        .index = job->index,
        .eval_run = run->eval_run,
        .reason = reason,
        .timed_out = job->timeout,
        .error = arena_span(
            &r->arena,
            span_slice(why, 0, why.len < SCENE_ERROR_SHOWN ? why.len : SCENE_ERROR_SHOWN)),
    };
}

/* Counts a settled job, and lands its row. */
static int count_job(struct run *run, struct job *job, struct error *error)
{
    struct engine_report *r = run->report;
    run->n_taken++;
    note_error(run, job);
    for (int i = 0; i < LOST_COUNT; i++) {
        r->rerolled += job->rerolled_by[i];
        r->rerolled_by[i] += job->rerolled_by[i];
        run->lost_attempts += job->rerolled_by[i];
    }
    r->timed_out += job->timed_out;
    if (job->done)
        return run_land(run, job, error);
    run->scheduled--;
    if (job->dropped) {
        r->dropped++;
        return 0;
    }
    enum lost_reason reason = lost_reason(job);
    run->lost_attempts++;
    r->lost++;
    r->lost_by[reason]++;
    list_lost(run, job, reason);
    return 0;
}

static int take_job(struct run *run, struct job *job, struct error *error)
{
    int code = count_job(run, job, error);
    run_tell(run, false);
    return code;
}

/* Jobs of threads that compute come in one slice each; those that wait, one by one. */
static void slice(struct run *run)
{
    size_t size = 1, n = 0;
    if (!run->setting->agent->waits)
        size = (run->n_jobs + (size_t)run->n_workers - 1) / (size_t)run->n_workers;
    run->chunks =
        mem_grow(run->chunks, &run->chunks_cap, run->n_jobs / size + 1, sizeof *run->chunks);
    for (size_t at = 0; at < run->n_jobs; at += size, n++) {
        size_t rest = run->n_jobs - at;
        run->chunks[n] = (struct chunk){run->jobs + at, rest < size ? rest : size};
    }
    run->n_chunks = n;
}

static void prepare(struct run *run)
{
    run->n_taken = 0;
    for (size_t i = 0; i < run->n_jobs; i++) {
        struct job *job = &run->jobs[i];
        job->before = job->group->last_job;
        job->group->last_job = job;
        job->done = job->dropped = job->settled = job->timeout = job->named = false;
        job->begun = 0;
        job->timed_out = 0;
        job->seconds = job->judging = 0;
        embedding_free(&job->vector);
        job->vector = (struct embedding){0};
        memset(job->rerolled_by, 0, sizeof job->rerolled_by);
        buf_clear(&job->error);
    }
    for (size_t i = 0; i < run->n_jobs; i++)
        run->jobs[i].group->last_job = NULL;
    slice(run);
}

static void name_slow(struct run *run)
{
    const struct engine_events *e = &run->setting->events;
    for (size_t i = 0; i < run->n_jobs && e->slow; i++) {
        struct job *job = &run->jobs[i];
        pthread_mutex_lock(&run->halt.lock);
        double seconds = job->begun > 0 && !job->settled ? run_now(run) - job->begun : 0;
        pthread_mutex_unlock(&run->halt.lock);
        if (job->named || seconds < SCENE_SLOW_S)
            continue;
        job->named = true;
        e->slow(e->data, job->group->task.scenario_id, job->index, seconds);
    }
}

/* Waits for the next slice, and looks after rollouts that take long. */
static struct chunk *await_chunk(struct run *run)
{
    struct chunk *chunk;
    if (!run->setting->agent->waits)
        return pool_take(run->pool, POOL_WAIT);
    while (!(chunk = pool_take_within(run->pool, SCENE_SLOW_LOOK_S)) && !pool_idle(run->pool))
        name_slow(run);
    return chunk;
}

/* The next settled slice in order; NULL: another one may be handed out, or all are taken. Rows that
 * are there leave before anything is waited for. */
static struct chunk *next_chunk(struct run *run, bool wait, struct error *error, int *code)
{
    const struct engine_events *e = &run->setting->events;
    struct chunk *chunk = pool_take(run->pool, POOL_READY);
    if (chunk || !wait)
        return chunk;
    if (run->setting->agent->waits && !*code && e->flush)
        *code = e->flush(e->data, error);
    return await_chunk(run);
}

int run_play(struct run *run, struct error *error)
{
    size_t sent = 0;
    int code = 0;
    struct chunk *chunk;
    if (run->landed)
        run->mean_utterances = (double)run->utterances / (double)run->landed;
    prepare(run);
    for (;;) {
        bool more = sent < run->n_chunks && !pool_full(run->pool);
        chunk = next_chunk(run, !more, error, &code);
        for (size_t i = 0; chunk && i < chunk->count; i++) {
            if (!code)
                code = take_job(run, &chunk->jobs[i], error);
            if (run->setting->agent->waits)
                buf_free(&chunk->jobs[i].line); /* a round may be long, and its rows too */
        }
        if (code)
            atomic_store(&run->halt.stop, true);
        if (!chunk && !more)
            break;
        if (!chunk)
            pool_submit(run->pool, &run->chunks[sent++]);
    }
    if (!code && run->halt.code) {
        *error = run->halt.error;
        code = run->halt.code;
    }
    return code;
}
