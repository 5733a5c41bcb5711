/* sandbox.c: builds the namespaces and the root folder of a sandboxed program. All that runs
 * between fork and exec is system calls on texts prepared before: the grader has threads, so the
 * child may not allocate. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "grade/sandbox.h"

enum { STOP_WAITS = 400, STOP_WAIT_NS = 5000000 }; /* 2 s in all */
enum { NOBODY = 65534, SANDBOX_TROUBLE = SANDBOX_PID_NAMESPACE + 1 };

/* ---- the plan: every path as text, before the fork
 * ---------------------------------------------------- */

enum step_kind { STEP_FOLDER, STEP_FILE, STEP_BIND, STEP_DEVICE, STEP_LINK };

struct step {
    enum step_kind kind;
    const char *source; /* BIND, DEVICE: outside; LINK: what it points to */
    const char *target; /* relative to the new root */
    int fd;             /* of the source, opened while its path may still be walked */
};

struct plan {
    struct step *steps;
    size_t n, cap;
    const char
        *root; /* outside: where the new root is built; the scratch folder without namespaces */
    char **owned;
    size_t n_owned, cap_owned;
};

static const char *keep(struct plan *p, const char *text)
{
    p->owned = mem_grow(p->owned, &p->cap_owned, p->n_owned + 1, sizeof *p->owned);
    return p->owned[p->n_owned++] = mem_text(text);
}

static void add_step(struct plan *p, enum step_kind kind, const char *source, const char *path)
{
    p->steps = mem_grow(p->steps, &p->cap, p->n + 1, sizeof *p->steps);
    p->steps[p->n++] = (struct step){kind, source ? keep(p, source) : NULL, keep(p, path + 1), -1};
}

/* Folders above a path; making one twice does no harm. */
static void add_parents(struct plan *p, const char *path)
{
    char part[4096];
    for (size_t i = 1; i < sizeof part && path[i]; i++)
        if (path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            add_step(p, STEP_FOLDER, NULL, part);
        }
}

/* Shows an outside path inside: a link as a link, a folder or file by a bind mount. */
static void add_shown(struct plan *p, const char *path)
{
    struct stat st;
    char link[4096];
    if (lstat(path, &st))
        return;
    add_parents(p, path);
    if (S_ISLNK(st.st_mode)) {
        ssize_t n = readlink(path, link, sizeof link - 1);
        if (n > 0) {
            link[n] = '\0';
            add_step(p, STEP_LINK, link, path);
        }
    } else {
        add_step(p, S_ISDIR(st.st_mode) ? STEP_FOLDER : STEP_FILE, NULL, path);
        add_step(p, STEP_BIND, path, path);
    }
}

static void make_plan(struct plan *p, const struct sandbox_spec *spec)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                          "/dev/urandom"};
    static const char *const network[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/services"};
    for (size_t i = 0; spec->folders[i]; i++)
        add_shown(p, spec->folders[i]);
    for (size_t i = 0; spec->network && i < 3; i++)
        add_shown(p, network[i]);
    add_step(p, STEP_FOLDER, NULL, "/dev");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        add_step(p, STEP_FILE, NULL, devices[i]);
        add_step(p, STEP_DEVICE, devices[i], devices[i]);
    }
    add_step(p, STEP_LINK, spec->scratch, "/dev/shm");
    add_parents(p, spec->scratch);
    add_step(p, STEP_FOLDER, NULL, spec->scratch);
}

static void free_plan(struct plan *p)
{
    for (size_t i = 0; i < p->n_owned; i++)
        free(p->owned[i]);
    free(p->owned);
    free(p->steps);
}

/* ---- inside the child: system calls only
 * -------------------------------------------------------------- */

struct attributes { /* struct mount_attr of linux/mount.h, which clashes with sys/mount.h */
    uint64_t set, clear, propagation, user_namespace;
};
enum { ATTRIBUTE_READ_ONLY = 1, ATTRIBUTE_NO_SUID = 2, ATTRIBUTE_NO_DEVICES = 4 };

static int read_only(const char *path, bool devices)
{
    struct attributes a = {.set = ATTRIBUTE_READ_ONLY | ATTRIBUTE_NO_SUID |
                                  (devices ? 0 : ATTRIBUTE_NO_DEVICES)};
#ifdef SYS_mount_setattr
    if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &a, sizeof a) == 0)
        return 0;
    if (errno != ENOSYS)
        return -1;
#endif
    return mount(NULL, path, NULL,
                 MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | (devices ? 0 : MS_NODEV), NULL);
}

static int bind_source(const struct step *s)
{
    char source[32];
    snprintf(source, sizeof source, "/proc/self/fd/%d", s->fd);
    if (s->fd < 0)
        return s->kind == STEP_DEVICE ? 0 : -1;
    if (mount(source, s->target, NULL, MS_BIND | MS_REC, NULL))
        return s->kind == STEP_DEVICE ? 0 : -1;
    return read_only(s->target, s->kind == STEP_DEVICE);
}

static int make_step(const struct step *s)
{
    int fd;
    switch (s->kind) {
    case STEP_FOLDER: return mkdir(s->target, 0755) && errno != EEXIST ? -1 : 0;
    case STEP_FILE:
        fd = open(s->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd >= 0)
            close(fd);
        return fd >= 0 || errno == EEXIST ? 0 : -1;
    case STEP_LINK: return symlink(s->source, s->target) && errno != EEXIST ? -1 : 0;
    case STEP_BIND:
    case STEP_DEVICE: return bind_source(s);
    }
    return -1;
}

/* A file system of our own at the root's place, and the way there; sources are opened. */
static int open_root(const struct plan *p)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", p->root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,uid=0,gid=0,size=4m") ||
        chdir(p->root))
        return -1;
    for (size_t i = 0; i < p->n; i++)
        if (p->steps[i].kind == STEP_BIND || p->steps[i].kind == STEP_DEVICE)
            p->steps[i].fd = open(p->steps[i].source, O_PATH | O_CLOEXEC);
    return 0;
}

static int enter_root(const struct plan *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (make_step(&p->steps[i]))
            return -1;
    for (size_t i = 0; i < p->n; i++)
        if (p->steps[i].fd >= 0)
            close(p->steps[i].fd);
    if (syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
        return -1;
    return mount(NULL, "/", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}

static int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* Descriptors inside: 0-2 on nothing, the channel, its own process namespace, and where trouble is
 * told until exec. */
static int set_descriptors(int channel, int trouble)
{
    int nothing = open("/dev/null", O_RDWR);
    int self = open("/proc/self/ns/pid", O_RDONLY);
    int places[] = {nothing, nothing, nothing, channel, self, trouble};
    enum { PLACES = sizeof places / sizeof *places };
    for (int fd = 0; fd < PLACES; fd++)
        if (places[fd] >= 0 && (places[fd] = fcntl(places[fd], F_DUPFD, 20)) < 0)
            return -1;
    for (int fd = 0; fd < PLACES; fd++) {
        if (places[fd] < 0)
            close(fd);
        else if (dup2(places[fd], fd) < 0)
            return -1;
    }
    fcntl(SANDBOX_TROUBLE, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, PLACES, ~0U, 0) == 0)
        return 0;
#endif
    for (int fd = PLACES; fd < 4096; fd++)
        close(fd);
    return 0;
}

static void reset_signals(void)
{
    sigset_t none;
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Landlock (landlock(7)): below the namespaces, what a program without them may still touch. */
#ifdef LANDLOCK_CREATE_RULESET_VERSION
static void allow_below(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access,
                                              .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return;
    struct stat st;
    if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.allowed_access &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                               LANDLOCK_ACCESS_FS_READ_FILE;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void restrict_files(const struct sandbox_spec *spec)
{
    const uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    const uint64_t look =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    struct landlock_ruleset_attr attr = {.handled_access_fs = all};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (rules < 0)
        return;
    for (size_t i = 0; spec->folders[i]; i++)
        allow_below(rules, spec->folders[i], look);
    allow_below(rules, "/dev/null", look | LANDLOCK_ACCESS_FS_WRITE_FILE);
    allow_below(rules, "/dev/zero", look);
    allow_below(rules, "/dev/urandom", look);
    allow_below(rules, "/dev/random", look);
    allow_below(rules, "/proc", look);
    allow_below(rules, ".", all);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}
#else
static void restrict_files(const struct sandbox_spec *spec)
{
    (void)spec;
}
#endif

struct report { /* from the holder and from the program until it is one */
    pid_t pid;  /* the program's; 0: trouble */
    int number;
    char step[24];
};

struct start {
    const struct sandbox_spec *spec;
    const struct plan *plan;
    int sync[2];    /* the holder writes a byte when the identity maps stand */
    int trouble[2]; /* struct report */
    bool root;      /* we are root */
    bool isolate;   /* SANDBOX_NONE asks for nothing */
    char uid_map[48], gid_map[48];
};

static const char STARTING[] = "starting it";

_Noreturn static void give_up(int fd, const char *step)
{
    struct report report = {.number = errno};
    memcpy(report.step, step, strlen(step) < 23 ? strlen(step) : 23);
    ssize_t n = write(fd, &report, sizeof report);
    _exit(n < 0 ? 126 : 127);
}

/* Becomes another user inside: 0, which outside is nobody (or, when we are not root, ourselves). */
static int enter_user(const struct start *s)
{
    if (s->root && setgroups(0, NULL))
        return -1;
    return setgid(0) || setuid(0) ? -1 : 0;
}

static int leave_root_user(const struct start *s)
{
    if (!s->root)
        return 0;
    return setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY) ? -1 : 0;
}

_Noreturn static void become_program(const struct start *s)
{
    const struct sandbox_spec *spec = s->spec;
    char byte;
    close(s->sync[1]);
    if (read(s->sync[0], &byte, 1) != 1)
        _exit(127); /* the holder has said why */
    write_text("/proc/self/oom_score_adj", "1000");
    if (set_descriptors(spec->channel, s->trouble[1]))
        give_up(s->trouble[1], "descriptors");
    if (spec->namespaces) {
        if (open_root(s->plan))
            give_up(SANDBOX_TROUBLE, "mounting its root");
        if (enter_user(s))
            give_up(SANDBOX_TROUBLE, "changing user");
        if (enter_root(s->plan))
            give_up(SANDBOX_TROUBLE, "building its root");
        if (sethostname("sandbox", 7))
            give_up(SANDBOX_TROUBLE, "naming its host");
    } else if (s->isolate) {
        if (chdir(s->plan->root)) /* while the way there may still be walked */
            give_up(SANDBOX_TROUBLE, "entering its folder");
        if (leave_root_user(s))
            give_up(SANDBOX_TROUBLE, "becoming nobody");
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which clears it */
    if (s->isolate)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (s->isolate && !spec->namespaces)
        restrict_files(spec);
    execve(spec->argv[0], (char *const *)spec->argv, (char *const *)spec->environment);
    give_up(SANDBOX_TROUBLE, STARTING);
}

static int write_maps(const struct start *s, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
    if (write_text(path, s->uid_map))
        return -1;
    if (!s->root) {
        snprintf(path, sizeof path, "/proc/%d/setgroups", (int)pid);
        write_text(path, "deny");
    }
    snprintf(path, sizeof path, "/proc/%d/gid_map", (int)pid);
    return write_text(path, s->gid_map);
}

/* Starts the program in its namespaces and waits for its end. */
_Noreturn static void hold(const struct start *s)
{
    unsigned long flags = SIGCHLD;
    setsid();
    reset_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (s->spec->namespaces)
        flags |= CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS |
                 (s->spec->network ? 0 : CLONE_NEWNET);
    pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (pid < 0)
        give_up(s->trouble[1], "making namespaces");
    if (pid == 0)
        become_program(s);
    struct report report = {.pid = pid};
    if (s->spec->namespaces && write_maps(s, pid))
        give_up(s->trouble[1], "mapping users");
    if (write(s->trouble[1], &report, sizeof report) < 0 || write(s->sync[1], "x", 1) < 0)
        _exit(127);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 0, ~0U, 0))
#endif
        for (int fd = 0; fd < 4096; fd++)
            close(fd);
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* ---- outside
 * ------------------------------------------------------------------------------------------ */

/* Reports until exec closes the pipe. 0: the program runs. */
static int await_start(int fd, struct sandbox *s, const char *program, struct error *error)
{
    struct report report;
    ssize_t n;
    int rc = error_set(error, ERROR_SYSTEM, "the sandbox did not start");
    while ((n = read(fd, &report, sizeof report)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof report)
            break;
        if (report.pid > 0) {
            s->program = report.pid;
            rc = 0;
            continue;
        }
        errno = report.number;
        report.step[sizeof report.step - 1] = '\0';
        if (strcmp(report.step, STARTING) == 0)
            return error_errno(error, ERROR_SYSTEM,
                               "%s cannot be started as the user nobody; name an interpreter that "
                               "everybody may run",
                               program);
        return error_errno(error, ERROR_SYSTEM, "the sandbox failed at %s", report.step);
    }
    return rc;
}

static void prepare(struct start *start, const struct sandbox_spec *spec, const struct plan *plan)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    *start = (struct start){.spec = spec, .plan = plan, .root = uid == 0};
    start->isolate = spec->wish != SANDBOX_NONE;
    snprintf(start->uid_map, sizeof start->uid_map, "0 %u 1", uid ? uid : NOBODY);
    snprintf(start->gid_map, sizeof start->gid_map, "0 %u 1", uid ? gid : NOBODY);
}

static int launch(struct sandbox *s, const struct sandbox_spec *spec, const struct plan *plan,
                  struct error *error)
{
    struct start start;
    prepare(&start, spec, plan);
    if (pipe2(start.sync, O_CLOEXEC))
        return error_errno(error, ERROR_SYSTEM, "no pipe for the sandbox");
    if (pipe2(start.trouble, O_CLOEXEC)) {
        close(start.sync[0]);
        close(start.sync[1]);
        return error_errno(error, ERROR_SYSTEM, "no pipe for the sandbox");
    }
    s->holder = fork();
    if (s->holder == 0)
        hold(&start);
    close(start.sync[0]);
    close(start.sync[1]);
    close(start.trouble[1]);
    int rc = s->holder < 0 ? error_errno(error, ERROR_SYSTEM, "no process for the sandbox")
                           : await_start(start.trouble[0], s, spec->argv[0], error);
    close(start.trouble[0]);
    return rc;
}

int sandbox_start(struct sandbox *s, const struct sandbox_spec *spec, struct error *error)
{
    struct buf root = {0};
    struct plan plan = {0};
    *s = (struct sandbox){0};
    int rc = scratch_make(&root, error);
    if (rc)
        return rc;
    s->root = buf_take(&root);
    plan.root = s->root;
    if (spec->namespaces)
        make_plan(&plan, spec);
    else if (spec->wish != SANDBOX_NONE && geteuid() == 0 && chown(s->root, NOBODY, NOBODY))
        rc = error_errno(error, ERROR_SYSTEM, "%s cannot be given to nobody", s->root);
    if (!rc)
        rc = launch(s, spec, &plan, error);
    free_plan(&plan);
    if (rc)
        sandbox_stop(s);
    return rc;
}

void sandbox_stop(struct sandbox *s)
{
    int status;
    if (s->holder > 0) {
        /* The program ends by itself when its channel closes; one that does not is killed. */
        for (int i = 0; i < STOP_WAITS && waitpid(s->holder, &status, WNOHANG) == 0; i++) {
            if (i == STOP_WAITS / 2) {
                if (s->program > 0)
                    kill(s->program, SIGKILL);
            } else if (i == STOP_WAITS - 1) {
                kill(s->holder, SIGKILL);
                while (waitpid(s->holder, &status, 0) < 0 && errno == EINTR)
                    ;
                break;
            }
            nanosleep(&(struct timespec){.tv_nsec = STOP_WAIT_NS}, NULL);
        }
    }
    if (s->root)
        scratch_remove(s->root);
    free(s->root);
    *s = (struct sandbox){0};
}

bool sandbox_namespaces(void)
{
    static const char *const argv[] = {"/bin/true", NULL}, *const environment[] = {NULL};
    static const char *const folders[] = {"/bin", "/usr", "/lib", "/lib64", NULL};
    struct sandbox_spec spec = {.argv = argv,
                                .environment = environment,
                                .folders = folders,
                                .scratch = "/tmp",
                                .channel = -1,
                                .namespaces = true};
    struct sandbox s;
    spec.channel = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool works = sandbox_start(&s, &spec, NULL) == 0;
    if (works)
        sandbox_stop(&s);
    if (spec.channel >= 0)
        close(spec.channel);
    return works;
}
