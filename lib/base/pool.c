/* pool.c: see pool.h. A ring of `window` slots: the caller submits at one end and takes at the
 * other, workers claim the slots in between in order. One lock: a job is a batch, not a row. */
#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/signals.h"

enum {
    WINDOW_PER_WORKER = 4
}; /* jobs under way for each worker, so that none waits for the caller */

struct slot {
    void *job;
    bool done;
};

struct worker {
    struct pool *pool;
    pthread_t thread;
    int number;
};

struct pool {
    pool_work *work;
    void *context;
    struct worker *workers;
    int n_workers; /* threads that run; 0: the caller works in pool_submit */
    bool shared;   /* the caller works in pool_take too */
    struct slot *slots;
    size_t window;
    pthread_mutex_t lock;
    pthread_cond_t job_ready, head_done;
    uint64_t submitted, claimed, taken; /* counts of jobs: taken <= claimed <= submitted */
    bool closing;
};

/* Does the next job that nobody has begun. The lock is held on entry and on return, not during work. */
static void do_next(struct pool *p, int worker)
{
    uint64_t number = p->claimed++;
    struct slot *slot = &p->slots[number % p->window];
    void *job = slot->job;
    pthread_mutex_unlock(&p->lock);
    p->work(p->context, worker, job);
    pthread_mutex_lock(&p->lock);
    slot->done = true;
    if (number == p->taken)
        pthread_cond_signal(&p->head_done);
}

static void *run_worker(void *data)
{
    struct worker *w = data;
    struct pool *p = w->pool;
    signals_block_in_thread();
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->closing && p->claimed == p->submitted)
            pthread_cond_wait(&p->job_ready, &p->lock);
        if (p->closing)
            break;
        do_next(p, w->number);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static struct pool *open_pool(int jobs, int threads, size_t window, size_t stack, pool_work *work,
                              void *context)
{
    pthread_attr_t attributes;
    struct pool *p = mem_zero(1, sizeof *p);
    p->work = work;
    p->context = context;
    p->window = window ? window : (size_t)jobs * WINDOW_PER_WORKER;
    p->slots = mem_zero(p->window, sizeof *p->slots);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->job_ready, NULL);
    pthread_cond_init(&p->head_done, NULL);
    if (jobs == 1)
        return p;
    p->shared = threads < jobs;
    p->workers = mem_zero((size_t)threads, sizeof *p->workers);
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstacksize(&attributes, stack);
    for (int i = 0; i < threads; i++) {
        struct worker *w = &p->workers[i];
        w->pool = p;
        w->number = i;
        /* Fewer threads than asked for change the speed, not the result. */
        if (pthread_create(&w->thread, &attributes, run_worker, w) != 0)
            break;
        p->n_workers++;
    }
    pthread_attr_destroy(&attributes);
    return p;
}

struct pool *pool_open(int jobs, size_t window, pool_work *work, void *context)
{
    jobs = jobs > 1 ? jobs : 1;
    return open_pool(jobs, jobs, window, 0, work, context);
}

struct pool *pool_open_shared(int jobs, size_t window, pool_work *work, void *context)
{
    jobs = jobs > 1 ? jobs : 1;
    return open_pool(jobs, jobs - 1, window, 0, work, context);
}

struct pool *pool_open_waiting(int jobs, size_t window, pool_work *work, void *context)
{
    jobs = jobs > 1 ? jobs : 1;
    return open_pool(jobs, jobs, window, POOL_WAITING_STACK, work, context);
}

int pool_full(const struct pool *p)
{
    return p->submitted - p->taken >= p->window; /* both are the caller's own counts */
}

void pool_submit(struct pool *p, void *job)
{
    assert(!pool_full(p));
    struct slot *slot = &p->slots[p->submitted % p->window];
    if (p->n_workers == 0) {
        p->work(p->context, 0, job);
        *slot = (struct slot){job, true};
        p->submitted++;
        return;
    }
    pthread_mutex_lock(&p->lock);
    *slot = (struct slot){job, false};
    p->submitted++;
    pthread_cond_signal(&p->job_ready);
    pthread_mutex_unlock(&p->lock);
}

void *pool_take(struct pool *p, enum pool_take_mode mode)
{
    if (p->taken == p->submitted)
        return NULL;
    struct slot *slot = &p->slots[p->taken % p->window];
    void *job = NULL;
    pthread_mutex_lock(&p->lock);
    while (!slot->done && mode == POOL_WAIT) {
        if (p->shared && p->claimed < p->submitted)
            do_next(p, p->n_workers); /* no thread has that number */
        else
            pthread_cond_wait(&p->head_done, &p->lock);
    }
    if (slot->done) {
        job = slot->job;
        p->taken++;
    }
    pthread_mutex_unlock(&p->lock);
    return job;
}

int pool_idle(const struct pool *p)
{
    return p->submitted == p->taken;
}

void *pool_take_within(struct pool *p, double seconds)
{
    struct timespec until;
    int late = 0;
    void *job = NULL;
    if (pool_idle(p))
        return NULL;
    struct slot *slot = &p->slots[p->taken % p->window];
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&p->lock);
    while (!slot->done && !late)
        late = pthread_cond_timedwait(&p->head_done, &p->lock, &until);
    if (slot->done) {
        job = slot->job;
        p->taken++;
    }
    pthread_mutex_unlock(&p->lock);
    return job;
}

void pool_close(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->job_ready);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->n_workers; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->head_done);
    pthread_cond_destroy(&p->job_ready);
    pthread_mutex_destroy(&p->lock);
    free(p->workers);
    free(p->slots);
    free(p);
}

int pool_cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a cpu_set_t holds */
    return online > 0 ? (int)online : 1;
}
