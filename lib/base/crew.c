/* crew.c: see crew.h. */
#include "base/crew.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/signals.h"

enum {
    CREW_QUICK_RESTARTS = 3,  /* in a row without a pause (world 13.4) */
    CREW_PAUSE_MS = 1000,     /* the first pause; each is twice the one before … */
    CREW_PAUSE_DOUBLINGS = 2, /* … this often */
    CREW_WAKE_MS = 100,       /* between looks for a caught signal */
};

struct member {
    struct crew_hand hand; /* first: a hand is its member */
    struct crew *crew;
};

struct crew {
    struct member *members;
    int size;
    struct member **idle; /* a stack */
    int n_idle;
    crew_heard *heard;
    const void *data;
    pthread_mutex_t lock;
    pthread_cond_t freed;
};

static void hand_on(void *data, struct span line)
{
    const struct member *m = data;
    m->crew->heard(m->crew->data, m->hand.number, line);
}

struct crew *crew_open(const char *command, int size, crew_heard *heard, const void *data)
{
    struct crew *crew = mem_zero(1, sizeof *crew);
    pthread_condattr_t monotonic;
    crew->size = size < 1 ? 1 : size;
    crew->members = mem_zero((size_t)crew->size, sizeof *crew->members);
    crew->idle = mem_zero((size_t)crew->size, sizeof(struct member *));
    crew->heard = heard;
    crew->data = data;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&crew->freed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (int i = crew->size - 1; i >= 0; i--) { /* number 0 on top */
        struct member *m = &crew->members[i];
        char number[32];
        const char *const environment[] = {"WAI_PROTOCOL=1", number, NULL};
        snprintf(number, sizeof number, "WAI_WORKER=%d", i);
        m->crew = crew;
        m->hand = (struct crew_hand){.process = coproc_open(command, environment), .number = i};
        if (heard)
            coproc_hear(m->hand.process, hand_on, m);
        crew->idle[crew->n_idle++] = m;
    }
    return crew;
}

int crew_size(const struct crew *crew)
{
    return crew->size;
}

static void pause_before_restart(int failures)
{
    int doublings = failures - CREW_QUICK_RESTARTS - 1;
    if (doublings < 0)
        return;
    if (doublings > CREW_PAUSE_DOUBLINGS)
        doublings = CREW_PAUSE_DOUBLINGS;
    struct pollfd fd = {.fd = signals_descriptor(), .events = POLLIN};
    poll(&fd, 1, CREW_PAUSE_MS << doublings);
}

struct crew_hand *crew_take(struct crew *crew)
{
    struct member *m = NULL;
    pthread_mutex_lock(&crew->lock);
    while (!crew->n_idle && !signals_caught()) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += CREW_WAKE_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&crew->freed, &crew->lock, &until);
    }
    if (!signals_caught())
        m = crew->idle[--crew->n_idle];
    pthread_mutex_unlock(&crew->lock);
    if (m)
        pause_before_restart(m->hand.failures);
    return m ? &m->hand : NULL;
}

void crew_give(struct crew *crew, struct crew_hand *hand, bool failed)
{
    coproc_stop_when(hand->process, NULL);
    if (failed)
        coproc_discard(hand->process);
    hand->failures = failed ? hand->failures + 1 : 0;
    hand->used = !failed;
    pthread_mutex_lock(&crew->lock);
    int at = crew->n_idle++;
    for (; failed && at > 0; at--) /* the last to be taken */
        crew->idle[at] = crew->idle[at - 1];
    crew->idle[at] = (struct member *)hand;
    pthread_cond_signal(&crew->freed);
    pthread_mutex_unlock(&crew->lock);
}

static void *close_one(void *process)
{
    signals_block_in_thread();
    coproc_close(process);
    return NULL;
}

/* Each may take its time to end, so all are asked at once. */
void crew_close(struct crew *crew)
{
    if (!crew)
        return;
    pthread_t *threads = mem_zero((size_t)crew->size, sizeof *threads);
    bool *started = mem_zero((size_t)crew->size, sizeof *started);
    for (int i = 1; i < crew->size; i++)
        started[i] =
            pthread_create(&threads[i], NULL, close_one, crew->members[i].hand.process) == 0;
    for (int i = 0; i < crew->size; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            coproc_close(crew->members[i].hand.process);
    }
    free(started);
    free(threads);
    pthread_cond_destroy(&crew->freed);
    pthread_mutex_destroy(&crew->lock);
    free(crew->idle);
    free(crew->members);
    free(crew);
}
