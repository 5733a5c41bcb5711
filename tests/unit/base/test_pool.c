/* The ordered pool: order, the window, no thread at one job, nothing lost when it is closed early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/mem.h"
#include "base/pool.h"

struct job {
    long number, square;
    int worker;
};

struct shared {
    atomic_long running, most, done;
    long per_worker[64]; /* each worker its own: a race here is one of the pool */
    pthread_mutex_t gate;
};

static void work(void *context, int worker, void *data)
{
    struct shared *s = context;
    struct job *job = data;
    long now = atomic_fetch_add(&s->running, 1) + 1;
    long most = atomic_load(&s->most);
    while (now > most && !atomic_compare_exchange_weak(&s->most, &most, now))
        continue;
    for (volatile long i = 0; i < (job->number * 7919) % 3000;
         i++) /* uneven, so that jobs overtake */
        continue;
    job->square = job->number * job->number;
    job->worker = worker;
    s->per_worker[worker]++;
    atomic_fetch_sub(&s->running, 1);
    atomic_fetch_add(&s->done, 1);
}

static void take(struct job *job, long *expected)
{
    assert_int_equal(job->number, *expected);
    assert_int_equal(job->square, *expected * *expected);
    ++*expected;
    free(job);
}

typedef struct pool *opener(int jobs, size_t window, pool_work *work, void *context);

static void run_with(opener *open, int jobs, size_t window, long count)
{
    struct shared s = {.gate = PTHREAD_MUTEX_INITIALIZER};
    struct pool *pool = open(jobs, window, work, &s);
    struct job *job;
    long expected = 0;
    for (long i = 0; i < count; i++) {
        while (pool_full(pool))
            take(pool_take(pool, POOL_WAIT), &expected);
        job = mem_zero(1, sizeof *job);
        job->number = i;
        pool_submit(pool, job);
        while ((job = pool_take(pool, POOL_READY)))
            take(job, &expected);
    }
    while ((job = pool_take(pool, POOL_WAIT)))
        take(job, &expected);
    assert_int_equal(expected, count);
    assert_null(pool_take(pool, POOL_READY));
    pool_close(pool);
    long total = 0;
    for (int i = 0; i < 64; i++)
        total += s.per_worker[i];
    assert_int_equal(total, count);
    int workers = jobs < 1 ? 1 : jobs;
    assert_true(s.most <= workers);
    for (int i = workers; i < 64; i++)
        assert_int_equal(s.per_worker[i], 0);
}

static void run(int jobs, size_t window, long count)
{
    run_with(pool_open, jobs, window, count);
    run_with(pool_open_shared, jobs, window, count);
}

static void test_order(void **state)
{
    (void)state;
    run(1, 0, 1000);
    run(2, 0, 5000);
    run(8, 0, 5000);
    run(8, 1, 500);
    run(3, 2, 2000);
    run(4, 100, 50);
    run(4, 0, 0);
    run(0, 0, 3);
}

static void hold(void *context, int worker, void *data)
{
    struct shared *s = context;
    (void)worker;
    (void)data;
    pthread_mutex_lock(&s->gate);
    pthread_mutex_unlock(&s->gate);
    atomic_fetch_add(&s->done, 1);
}

static void test_ready_never_blocks_and_the_window_holds(void **state)
{
    (void)state;
    struct shared s = {.gate = PTHREAD_MUTEX_INITIALIZER};
    int jobs[3] = {0};
    struct pool *pool = pool_open(2, 3, hold, &s);
    pthread_mutex_lock(&s.gate);
    for (int i = 0; i < 3; i++) {
        assert_false(pool_full(pool));
        pool_submit(pool, &jobs[i]);
    }
    assert_true(pool_full(pool));
    assert_null(pool_take(pool, POOL_READY)); /* nothing can be finished, and it returns */
    pthread_mutex_unlock(&s.gate);
    for (int i = 0; i < 3; i++)
        assert_ptr_equal(pool_take(pool, POOL_WAIT), &jobs[i]);
    assert_null(pool_take(pool, POOL_WAIT));
    pool_close(pool);
}

static void test_waiting_threads_and_a_bounded_wait(void **state)
{
    (void)state;
    struct shared s = {.gate = PTHREAD_MUTEX_INITIALIZER};
    int job = 0;
    run_with(pool_open_waiting, 32, 0, 3000);
    struct pool *pool = pool_open_waiting(2, 0, hold, &s);
    assert_true(pool_idle(pool));
    assert_null(pool_take_within(pool, 10)); /* nothing is under way: at once */
    pthread_mutex_lock(&s.gate);
    pool_submit(pool, &job);
    assert_null(pool_take_within(pool, 0.01));
    assert_false(pool_idle(pool));
    pthread_mutex_unlock(&s.gate);
    assert_ptr_equal(pool_take_within(pool, 60), &job);
    assert_true(pool_idle(pool));
    pool_close(pool);
}

static void test_closed_with_jobs_under_way(void **state)
{
    (void)state;
    struct shared s = {.gate = PTHREAD_MUTEX_INITIALIZER};
    int jobs[40] = {0};
    struct pool *pool = pool_open(2, 40, hold, &s);
    for (int i = 0; i < 40; i++)
        pool_submit(pool, &jobs[i]);
    pool_close(pool);
    assert_true(s.done <= 40);
    pool_close(NULL);
}

static void who(void *context, int worker, void *data)
{
    (void)context;
    (void)worker;
    *(pthread_t *)data = pthread_self();
}

static void test_one_job_is_no_thread(void **state)
{
    (void)state;
    pthread_t thread;
    struct pool *pool = pool_open(1, 0, who, NULL);
    pool_submit(pool, &thread);
    assert_ptr_equal(pool_take(pool, POOL_READY), &thread);
    assert_true(pthread_equal(thread, pthread_self()));
    pool_close(pool);
}

static void meet(void *context, int worker, void *data)
{
    struct shared *s = context;
    *(int *)data = worker;
    atomic_fetch_add(&s->running, 1);
    while (atomic_load(&s->running) < 2)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Two jobs that wait for each other: with two workers, one a thread and one the caller, both are done. */
static void test_the_caller_shares_the_work(void **state)
{
    (void)state;
    struct shared s = {.gate = PTHREAD_MUTEX_INITIALIZER};
    int jobs[2] = {-1, -1};
    struct pool *pool = pool_open_shared(2, 0, meet, &s);
    pool_submit(pool, &jobs[0]);
    pool_submit(pool, &jobs[1]);
    assert_ptr_equal(pool_take(pool, POOL_WAIT), &jobs[0]);
    assert_ptr_equal(pool_take(pool, POOL_WAIT), &jobs[1]);
    assert_int_equal(jobs[0] + jobs[1], 1);
    pool_close(pool);
}

static void slow(void *context, int worker, void *data)
{
    (void)context;
    (void)worker;
    (void)data;
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* Waiting costs no processor time: less than a tenth of the time slept. */
static void test_no_busy_waiting(void **state)
{
    (void)state;
    int job;
    struct pool *pool = pool_open(4, 0, slow, NULL);
    clock_t before = clock();
    pool_submit(pool, &job);
    assert_ptr_equal(pool_take(pool, POOL_WAIT), &job);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 0.02);
    pool_close(pool);
}

static void test_cpu_count(void **state)
{
    (void)state;
    assert_true(pool_cpu_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ready_never_blocks_and_the_window_holds),
        cmocka_unit_test(test_waiting_threads_and_a_bounded_wait),
        cmocka_unit_test(test_closed_with_jobs_under_way),
        cmocka_unit_test(test_one_job_is_no_thread),
        cmocka_unit_test(test_the_caller_shares_the_work),
        cmocka_unit_test(test_no_busy_waiting),
        cmocka_unit_test(test_cpu_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
