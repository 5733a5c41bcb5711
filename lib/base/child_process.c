/* child_process.c: see child_process.h. Between fork and exec only async-signal-safe calls are
 * made, since other threads may hold any lock. */
#include "base/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"

enum {
    POLL_WITHOUT_WATCH_MS = 20, /* between looks at a child on a kernel without pidfd_open */
};

extern char **environ;

static bool names_variable(const char *const *extra, const char *entry)
{
    size_t len = strcspn(entry, "=");
    for (; extra && *extra; extra++)
        if (strncmp(*extra, entry, len) == 0 && (*extra)[len] == '=')
            return true;
    return false;
}

const char **process_environment(const char *const *extra, size_t *n_inherited)
{
    const char **list = NULL;
    size_t count = 0, cap = 0;
    for (char **entry = environ; entry && *entry; entry++) {
        if (names_variable(extra, *entry))
            continue;
        list = mem_grow(list, &cap, count + 1, sizeof *list);
        list[count++] = *entry;
    }
    *n_inherited = count;
    for (; extra && *extra; extra++) {
        list = mem_grow(list, &cap, count + 1, sizeof *list);
        list[count++] = mem_text(*extra);
    }
    list = mem_grow(list, &cap, count + 1, sizeof *list);
    list[count] = NULL;
    return list;
}

void process_environment_free(const char **environment, size_t n_inherited)
{
    for (size_t i = n_inherited; environment[i]; i++)
        free((char *)environment[i]);
    free(environment);
}

int64_t process_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void process_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int process_poll_ms(const struct process *p, int64_t deadline)
{
    int64_t ms = deadline ? deadline - process_clock() : -1;
    if (deadline && ms < 0)
        ms = 0;
    if (p->watch < 0 && (ms < 0 || ms > POLL_WITHOUT_WATCH_MS))
        ms = POLL_WITHOUT_WATCH_MS;
    return ms > 1000000 ? 1000000 : (int)ms;
}

/* ---- starting -----------------------------------------------------------------------------------
 */

/* The ends of the pipes that the child takes; -1: inherited. */
struct child_ends {
    int in, out, err, report;
};

/* Above the standard descriptors, so that no dup2 overwrites one that is still needed. */
static int lift(int fd)
{
    return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static void put_descriptor(int from, int to)
{
    if (from >= 0)
        dup2(from, to);
}

/* In the child, after fork. Never returns; an errno goes through `report`. */
static _Noreturn void become(const struct child_run *run, const char *const *argv,
                             struct child_ends ends)
{
    sigset_t none;
    const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    setpgid(0, 0);
    /* The parent's handlers must not run here, and its blocked signals are its own affair. */
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    ends = (struct child_ends){lift(ends.in), lift(ends.out), lift(ends.err), lift(ends.report)};
    put_descriptor(ends.in, STDIN_FILENO);
    put_descriptor(ends.out, STDOUT_FILENO);
    put_descriptor(ends.err, STDERR_FILENO);
    if (!run->folder || chdir(run->folder) == 0) {
        if (run->prepare)
            run->prepare(run->prepare_data);
        execvpe(argv[0], (char *const *)argv,
                run->environment ? (char *const *)run->environment : environ);
    }
    int number = errno;
    ssize_t written = write(ends.report, &number, sizeof number);
    (void)written;
    _exit(127);
}

static bool make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) == 0)
        return true;
    ends[0] = ends[1] = -1;
    return false;
}

static int watch_of(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself; -1 on an old kernel */
#else
    (void)pid;
    return -1;
#endif
}

static void nonblocking(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* 0 when exec succeeded, else its errno. */
static int exec_result(int report)
{
    int number = 0;
    ssize_t got;
    do
        got = read(report, &number, sizeof number);
    while (got < 0 && errno == EINTR);
    return got == sizeof number ? number : 0;
}

static int start(struct process *p, const struct child_run *run, const char *const *argv,
                 int pipes[4][2])
{
    struct child_ends ends = {pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1]};
    pid_t pid = fork();
    if (pid < 0)
        return errno;
    if (pid == 0)
        become(run, argv, ends);
    setpgid(pid,
            pid); /* here too: whoever comes first. Fails harmlessly once the child has exec'd */
    process_close(&pipes[3][1]);
    int number = exec_result(pipes[3][0]);
    if (number) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return number;
    }
    p->pid = pid;
    p->ticket = signals_guard_group(pid);
    p->watch = watch_of(pid);
    p->in = pipes[0][1];
    p->out = pipes[1][0];
    p->err = pipes[2][0];
    pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
    nonblocking(p->in);
    nonblocking(p->out);
    nonblocking(p->err);
    return 0;
}

int process_start(struct process *p, const struct child_run *run, bool want_out, bool want_err,
                  struct error *error)
{
    const char *const shell[] = {"/bin/sh", "-c", run->command, NULL};
    const char *const *argv = run->argv ? run->argv : shell;
    int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}}; /* in, out, err, report of exec */
    *p = (struct process){.watch = -1, .ticket = -1, .in = -1, .out = -1, .err = -1};
    bool made = make_pipe(pipes[0]) && (!want_out || make_pipe(pipes[1])) &&
                (!want_err || make_pipe(pipes[2])) && make_pipe(pipes[3]);
    int number = made ? start(p, run, argv, pipes) : errno;
    for (int i = 0; i < 4; i++) {
        process_close(&pipes[i][0]);
        process_close(&pipes[i][1]);
    }
    if (number == 0)
        return 0;
    const char *what = run->argv ? run->argv[0] : run->command;
    return error_set(error, ERROR_SYSTEM, "%s: cannot be started (%s)%s", what, strerror(number),
                     number == ENOENT   ? "; check the name and PATH"
                     : number == EACCES ? "; make it executable"
                     : number == EAGAIN ? "; end some processes or raise `ulimit -u`"
                     : number == EMFILE ? "; lower --jobs or raise `ulimit -n`"
                                        : "");
}

/* ---- ending -------------------------------------------------------------------------------------
 */

static void gone(struct process *p)
{
    signals_release_group(p->ticket);
    process_close(&p->watch);
    p->pid = 0;
    p->ticket = -1;
}

bool process_reap(struct process *p, struct child_exit *ended)
{
    siginfo_t info = {0};
    int status = 0;
    /* Look first: while the child is a zombie its number, and so its group's, is not given away. */
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
        return false;
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    ended->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    gone(p);
    return true;
}

static bool wait_until(struct process *p, int64_t deadline, struct child_exit *ended)
{
    while (!process_reap(p, ended)) {
        struct pollfd fd = {.fd = p->watch, .events = POLLIN};
        if (deadline && process_clock() >= deadline)
            return false;
        poll(&fd, 1, process_poll_ms(p, deadline));
    }
    return true;
}

void process_finish(struct process *p, int64_t wait_ms, struct child_exit *ended)
{
    if (!p->pid)
        return;
    if (wait_ms > 0 && wait_until(p, process_clock() + wait_ms, ended))
        return;
    kill(-p->pid, SIGTERM);
    if (wait_until(p, process_clock() + CHILD_GRACE_MS, ended))
        return;
    kill(-p->pid, SIGKILL);
    wait_until(p, 0, ended);
}

/* ---- writing ------------------------------------------------------------------------------------
 */

/* write() to a pipe whose reader has gone raises SIGPIPE in this thread. It is blocked around the
 * call and, when the call raised it, taken away before it is unblocked. */
ssize_t process_write(int fd, struct span bytes)
{
    sigset_t pipe_set, before, pending;
    struct timespec now = {0};
    sigemptyset(&pipe_set);
    sigaddset(&pipe_set, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_set, &before);
    ssize_t written = write(fd, bytes.ptr, bytes.len);
    int number = written < 0 ? errno : 0;
    if (number == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (written >= 0)
        return written;
    return number == EAGAIN || number == EINTR ? 0 : -1;
}
