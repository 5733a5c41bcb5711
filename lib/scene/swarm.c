/* swarm.c: see swarm.h: the rounds of a problem, and many problems at a time. */
#include "scene/swarm.h"

#include <stdlib.h>

#include "base/pool.h"
#include "base/signals.h"
#include "scene/swarm_inside.h"

static const char *const TOPOLOGIES[] = {"solo", "ring", "star"};

const char *swarm_topology_name(enum swarm_topology topology)
{
    return TOPOLOGIES[topology];
}

bool swarm_topology_of(const char *word, enum swarm_topology *topology)
{
    for (int i = SWARM_SOLO; i <= SWARM_STAR; i++)
        if (strcmp(word, TOPOLOGIES[i]) == 0) {
            *topology = (enum swarm_topology)i;
            return true;
        }
    return false;
}

/* ---- one problem ----------------------------------------------------------------------------- */

static struct problem *problem_open(const struct swarm_setting *s, const struct scene_task *task,
                                    size_t number)
{
    struct problem *p = mem_zero(1, sizeof *p);
    size_t n = (size_t)(s->particles * s->rounds);
    p->task = task;
    p->number = number;
    p->first_right = -1;
    p->attempts = mem_zero(n, sizeof *p->attempts);
    p->best = mem_zero((size_t)s->particles, sizeof *p->best);
    rng_seed(&p->rng, s->seed);
    return p;
}

static void problem_close(const struct swarm_setting *s, struct problem *p)
{
    if (!p)
        return;
    for (int64_t i = 0; i < s->particles * s->rounds; i++) {
        buf_free(&p->attempts[i].text);
        buf_free(&p->attempts[i].feedback);
        buf_free(&p->attempts[i].why);
    }
    arena_free(&p->arena);
    free(p->attempts);
    free(p->best);
    free(p);
}

static struct attempt *attempts_of(const struct swarm_setting *s, const struct problem *p)
{
    return p->attempts + p->round * s->particles;
}

/* Is `other` a neighbour of `particle`, as the k-th in order? */
static int64_t neighbour(const struct swarm_setting *s, int64_t particle, int64_t k)
{
    int64_t n = s->particles;
    if (s->topology == SWARM_RING)
        return k == 0 ? (particle + n - 1) % n : (particle + 1) % n;
    return k < particle ? k : k + 1;
}

static int64_t neighbours(const struct swarm_setting *s)
{
    return s->topology == SWARM_SOLO ? 0 : s->topology == SWARM_RING ? 2 : s->particles - 1;
}

/* The fittest neighbour; among equals, one is drawn. */
static const struct attempt *teammate_of(const struct swarm_setting *s, struct problem *p,
                                         int64_t particle)
{
    int64_t n = neighbours(s), tied = 0;
    double top = -1;
    for (int64_t k = 0; k < n; k++) {
        const struct attempt *a = p->best[neighbour(s, particle, k)];
        if (!a || a->fitness < top)
            continue;
        tied = a->fitness > top ? 1 : tied + 1;
        top = a->fitness;
    }
    if (!tied)
        return NULL;
    int64_t pick = (int64_t)rng_below(&p->rng, (uint64_t)tied);
    for (int64_t k = 0; k < n; k++) {
        const struct attempt *a = p->best[neighbour(s, particle, k)];
        if (a && a->fitness == top && pick-- == 0)
            return a;
    }
    return NULL;
}

/* Draws of all particles first, then their requests. */
static void start_round(struct swarm *swarm, struct problem *p, struct pool *pool)
{
    const struct swarm_setting *s = swarm->setting;
    struct attempt *a = attempts_of(s, p);
    for (int64_t i = 0; i < s->particles; i++) {
        a[i].problem = p;
        a[i].round = p->round;
        a[i].particle = i;
        a[i].message =
            p->round ? swarm_message(swarm, p, i, teammate_of(s, p, i)) : p->task->prompt;
    }
    p->waiting = s->particles;
    for (int64_t i = 0; i < s->particles; i++)
        pool_submit(pool, &a[i]);
}

/* All attempts of the round are there. true: another round follows. */
static bool end_round(const struct swarm_setting *s, struct problem *p)
{
    struct attempt *a = attempts_of(s, p);
    for (int64_t i = 0; i < s->particles; i++) {
        if (!a[i].done)
            continue;
        if (a[i].correct && p->first_right < 0)
            p->first_right = p->round;
        if (!p->best[i] || a[i].fitness >= p->best[i]->fitness)
            p->best[i] = &a[i];
    }
    bool right = s->stop_on_correct && p->first_right == p->round;
    return ++p->round < s->rounds && !right;
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct field { /* the problems under way */
    struct swarm *swarm;
    struct pool *pool;
    const struct task_list *problems;
    const struct swarm_events *events;
    struct swarm_counts *counts;
    struct problem **ring;   /* by number modulo width */
    size_t width, next, out; /* problems begun; written */
    struct buf line;
};

static void count(struct field *f, const struct problem *p)
{
    const struct swarm_setting *s = f->swarm->setting;
    struct swarm_counts *c = f->counts;
    c->problems++;
    c->rescued += p->first_right >= 0;
    for (int64_t i = 0; i < p->round * s->particles; i++) {
        const struct attempt *a = &p->attempts[i];
        c->attempts += a->done;
        c->lost += !a->done;
        if (!a->done && !c->first_error[0]) {
            size_t n = a->why.len < SWARM_WHY - 1 ? a->why.len : SWARM_WHY - 1;
            memcpy(c->first_error, a->why.data, n);
            c->first_error[n] = '\0';
        }
    }
}

static int write_problem(struct field *f, const struct problem *p, struct error *error)
{
    const struct swarm_setting *s = f->swarm->setting;
    int code = 0;
    if (f->events->result) {
        buf_clear(&f->line);
        swarm_write_result(f->swarm, p, &f->line);
        code = f->events->result(f->events->data, buf_span(&f->line), error);
    }
    for (int64_t i = 0; f->events->row && !code && i < p->round * s->particles; i++) {
        if (!p->attempts[i].done)
            continue;
        buf_clear(&f->line);
        swarm_write_row(f->swarm, &p->attempts[i], &f->line);
        code = f->events->row(f->events->data, buf_span(&f->line), error);
    }
    return code;
}

/* Those that are finished and next in order leave. */
static int release(struct field *f, struct error *error)
{
    int code = 0;
    while (!code && f->out < f->next) {
        struct problem **slot = &f->ring[f->out % f->width];
        if (!*slot || !(*slot)->finished)
            break;
        count(f, *slot);
        code = write_problem(f, *slot, error);
        problem_close(f->swarm->setting, *slot);
        *slot = NULL;
        f->out++;
    }
    return code;
}

static int play(struct field *f, struct error *error)
{
    const struct swarm_setting *s = f->swarm->setting;
    const struct task_list *list = f->problems;
    struct swarm_end *end = &f->swarm->end;
    int code = 0;
    while (!code) {
        if (s->interrupted && s->interrupted())
            atomic_store(&end->stop, true);
        bool over = atomic_load(&end->stop);
        while (!over && f->next < list->count && f->next - f->out < f->width) {
            struct problem *p = problem_open(s, &list->items[f->next], f->next);
            f->ring[f->next++ % f->width] = p;
            start_round(f->swarm, p, f->pool);
        }
        struct attempt *a = pool_take(f->pool, POOL_WAIT);
        if (!a)
            break;
        struct problem *p = a->problem;
        if (--p->waiting || atomic_load(&end->stop))
            continue;
        if (end_round(s, p))
            start_round(f->swarm, p, f->pool);
        else
            p->finished = true;
        code = release(f, error);
    }
    atomic_store(&end->stop, true);
    while (pool_take(f->pool, POOL_WAIT))
        ;
    if (!code && end->caught) {
        *error = end->error;
        code = error->code;
    } else if (!code && s->interrupted && s->interrupted()) {
        code = error_set(error, ERROR_INTERRUPTED,
                         "interrupted; %zu of %zu problems were finished and written", f->out,
                         list->count);
    }
    return code;
}

static void work(void *context, int worker, void *job)
{
    (void)worker;
    swarm_attempt(context, job);
}

int swarm_run(const struct swarm_setting *s, const struct task_list *problems,
              const struct swarm_events *events, struct swarm_counts *counts, struct error *error)
{
    struct swarm swarm = {.setting = s};
    struct field f = {&swarm, NULL, problems, events, counts, NULL, 0, 0, 0, {0}};
    *counts = (struct swarm_counts){0};
    pthread_mutex_init(&swarm.end.lock, NULL);
    scorers_open(&swarm.scorers, s->fitness, s->fitness_seconds, s->jobs);
    /* As many problems as keep all calls busy, and one more while a round's last reply is awaited. */
    f.width = (size_t)((s->jobs + s->particles - 1) / s->particles) + 1;
    f.ring = mem_zero(f.width, sizeof *f.ring);
    f.pool = pool_open_waiting((int)s->jobs, f.width * (size_t)s->particles, work, &swarm);
    int code = play(&f, error);
    pool_close(f.pool);
    for (size_t i = 0; i < f.width; i++)
        problem_close(s, f.ring[i]);
    free(f.ring);
    buf_free(&f.line);
    scorers_close(&swarm.scorers);
    pthread_mutex_destroy(&swarm.end.lock);
    return code;
}
