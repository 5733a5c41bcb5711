/* pool.h: worker threads behind a plain loop, results in the order of the work. One producer thread
 * (the caller) submits jobs and takes finished ones in order of submission. With jobs == 1 no
 * thread is started: the work is done inside pool_submit.
 *
 *     struct pool *pool = pool_open(jobs, window, work, context);
 *     while (have work) {
 *         pool_submit(pool, job);
 *         while ((job = pool_take(pool, POOL_READY)))   finished and next in order, else NULL
 *             use(job);
 *     }
 *     while ((job = pool_take(pool, POOL_WAIT)))        waits; NULL when nothing is under way
 *         use(job);
 *     pool_close(pool);
 */
#ifndef WAI_BASE_POOL_H
#define WAI_BASE_POOL_H

#include <stddef.h>

struct pool;

/* worker is 0 … jobs-1, for state that each thread keeps. */
typedef void pool_work(void *context, int worker, void *job);

enum pool_take_mode { POOL_READY, POOL_WAIT };

/* At most `window` jobs are under way (submitted and not taken); 0: four per worker. */
struct pool *pool_open(int jobs, size_t window, pool_work *work, void *context);

/* The same for short work, with the caller as one of the workers: jobs - 1 threads are started, and
 * pool_take(POOL_WAIT) does a job that nobody has begun instead of sleeping. Threads that sleep and wake
 * for every job are often put on one processor while another idles; these seldom sleep. */
struct pool *pool_open_shared(int jobs, size_t window, pool_work *work, void *context);

/* The same for work that waits for others: many threads, each with a small stack (POOL_WAITING_STACK). */
struct pool *pool_open_waiting(int jobs, size_t window, pool_work *work, void *context);
enum { POOL_WAITING_STACK = 1 << 20 }; /* bytes; only what is touched is ever there */

/* Adds a job. The caller takes jobs until pool_full is false before it submits another. */
void pool_submit(struct pool *pool, void *job);
int pool_full(const struct pool *pool);
void *pool_take(struct pool *pool, enum pool_take_mode mode);
/* Waits, but no longer than so; NULL: nothing is finished yet, or nothing is under way (pool_idle). Not for
 * pools whose caller works. */
void *pool_take_within(struct pool *pool, double seconds);
int pool_idle(const struct pool *pool);
void pool_close(struct pool *pool); /* waits for what is running; jobs not taken are dropped */

int pool_cpu_count(void); /* CPUs this process may use, at least 1 */

#endif
