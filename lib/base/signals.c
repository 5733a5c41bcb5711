/* signals.c: see signals.h. The signal handler reads the tables of guarded paths and groups, so an
 * entry is published and withdrawn by one atomic store. */
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scratch.h"

enum {
    PATHS_MAX = 1024,  /* temporary files and folders at one time */
    GROUPS_MAX = 1024, /* child processes at one time */
};

static const int STOPS[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_STOPS = sizeof STOPS / sizeof *STOPS };

static atomic_int caught; /* lock-free: written in the handler, read by every thread */
static _Atomic(char *) paths[PATHS_MAX];
static _Atomic(pid_t)
    owners[PATHS_MAX]; /* who guards it: a forked child removes nothing of its parent's */
static _Atomic(pid_t) groups[GROUPS_MAX];
static _Atomic(pid_t) parents[GROUPS_MAX];
static atomic_bool removing; /* the handler is reading `paths`: their texts stay */
static pthread_mutex_t tables_lock =
    PTHREAD_MUTEX_INITIALIZER; /* between threads that add and release */
static pthread_once_t at_exit_once = PTHREAD_ONCE_INIT;
static int wake_pipe[2] = {-1, -1};

static void end_groups(void)
{
    for (size_t i = 0; i < GROUPS_MAX; i++) {
        pid_t group = atomic_load(&groups[i]);
        if (group > 1 && atomic_load(&parents[i]) == getpid())
            kill(-group, SIGTERM);
    }
}

static const char *own_path(size_t i)
{
    return atomic_load(&owners[i]) == getpid() ? atomic_load(&paths[i]) : NULL;
}

/* In a signal handler: nothing that allocates or locks. A folder is removed by rm(1). */
static void remove_in_handler(void)
{
    atomic_store(&removing, true);
    end_groups();
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *path = own_path(i);
        if (!path || unlink(path) == 0 || (errno != EISDIR && errno != EPERM))
            continue;
        pid_t child = _Fork();
        if (child == 0) {
            execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
            _exit(1);
        }
        if (child > 0)
            waitpid(child, NULL, 0);
    }
}

static void remove_at_exit(void)
{
    end_groups();
    for (size_t i = 0; i < PATHS_MAX; i++) {
        const char *path = own_path(i);
        if (path && unlink(path) != 0 && (errno == EISDIR || errno == EPERM))
            scratch_remove_tree(path);
    }
}

static void die_of(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;
    remove_in_handler();
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void on_stop(int number)
{
    int saved = errno;
    if (caught)
        die_of(number);
    caught = number;
    ssize_t written = write(wake_pipe[1], "", 1);
    (void)written;
    errno = saved;
}

/* Descriptors 0, 1, 2 are always open, closed ones so that using them fails with EBADF. */
static void open_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        int got = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
        if (got > 2)
            close(got);
    }
}

void signals_open(void)
{
    struct sigaction action = {.sa_handler = on_stop}, old;
    open_standard_descriptors();
    if (wake_pipe[0] < 0 && pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        wake_pipe[0] = wake_pipe[1] = -1;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_STOPS; i++)
        sigaddset(&action.sa_mask, STOPS[i]);
    /* No SA_RESTART: a read that waits for input returns, so that the loop sees the flag. */
    for (size_t i = 0; i < N_STOPS; i++) {
        /* nohup and a shell's background jobs ignore a signal on purpose: keep that. */
        if (sigaction(STOPS[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(STOPS[i], &action, NULL);
    }
    /* Even where the parent ignores SIGPIPE (some CI runners do): a closed pipe ends a filter. */
    action.sa_handler = die_of;
    sigaction(SIGPIPE, &action, NULL);
}

int signals_caught(void)
{
    return caught;
}

int signals_exit_status(void)
{
    return 128 + caught;
}

int signals_descriptor(void)
{
    return wake_pipe[0];
}

void signals_block_in_thread(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < N_STOPS; i++)
        sigaddset(&set, STOPS[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void at_exit_register(void)
{
    atexit(remove_at_exit);
}

int signals_guard_path(const char *path)
{
    pthread_once(&at_exit_once, at_exit_register);
    int ticket = -1;
    pthread_mutex_lock(&tables_lock);
    for (int i = 0; i < PATHS_MAX && ticket < 0; i++) {
        if (!atomic_load(&paths[i])) {
            atomic_store(&owners[i], getpid());
            atomic_store(&paths[i], mem_text(path));
            ticket = i;
        }
    }
    pthread_mutex_unlock(&tables_lock);
    return ticket;
}

void signals_release_path(int ticket)
{
    if (ticket < 0 || ticket >= PATHS_MAX)
        return;
    pthread_mutex_lock(&tables_lock);
    char *path = atomic_exchange(&paths[ticket], NULL);
    /* The handler sets `removing` before it reads an entry; not set here means that it will find
     * the entry empty, so that the text is ours to free. */
    if (!atomic_load(&removing))
        free(path);
    pthread_mutex_unlock(&tables_lock);
}

int signals_ticket(const char *path)
{
    int ticket = -1;
    pthread_mutex_lock(&tables_lock);
    for (int i = 0; i < PATHS_MAX && ticket < 0; i++) {
        const char *guarded = atomic_load(&paths[i]);
        if (guarded && strcmp(guarded, path) == 0)
            ticket = i;
    }
    pthread_mutex_unlock(&tables_lock);
    return ticket;
}

int signals_guard_group(pid_t group)
{
    pthread_once(&at_exit_once, at_exit_register);
    for (int i = 0; i < GROUPS_MAX; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&groups[i], &none, group)) {
            atomic_store(&parents[i], getpid());
            return i;
        }
    }
    return -1;
}

void signals_release_group(int ticket)
{
    if (ticket >= 0 && ticket < GROUPS_MAX)
        atomic_store(&groups[ticket], 0);
}
