/* Child processes and co-processes: what they are told, what they may do to us, how they end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/signals.h"

static struct child_exit ended;
static struct error error;

static int run(const char *command, struct span input, double timeout_s, size_t limit,
               struct buf *out, struct buf *err)
{
    struct child_run r = {
        .command = command, .input = input, .timeout_s = timeout_s, .out_limit = limit};
    error = (struct error){0};
    return child_run(&r, out, err, &ended, &error);
}

static void test_output_and_status(void **state)
{
    (void)state;
    struct buf out = {0}, err = {0};
    assert_int_equal(run("cat; echo oops >&2; exit 3", SPAN("hello"), 0, 0, &out, &err), 0);
    assert_true(span_is(buf_span(&out), "hello"));
    assert_true(span_is(buf_span(&err), "oops\n"));
    assert_int_equal(ended.status, 3);
    assert_int_equal(ended.signal, 0);
    assert_false(ended.timed_out);
    assert_false(ended.overflow);
    assert_int_equal(run("kill -9 $$", SPAN(""), 0, 0, &out, NULL), 0);
    assert_int_equal(ended.status, -1);
    assert_int_equal(ended.signal, SIGKILL);
    assert_int_equal(out.len, 0);
    buf_free(&out);
    buf_free(&err);
}

static void test_arguments_environment_folder(void **state)
{
    (void)state;
    const char *const argv[] = {"sh", "-c", "echo \"$1 $A $HOME\"; pwd", "name", "a b; rm", NULL};
    const char *const environment[] = {"A=1", "PATH=/usr/bin:/bin", NULL};
    struct child_run r = {.argv = argv, .environment = environment, .folder = "/"};
    struct buf out = {0};
    assert_int_equal(child_run(&r, &out, NULL, &ended, &error), 0);
    assert_true(span_is(buf_span(&out), "a b; rm 1 \n/\n"));
    buf_free(&out);
}

static void test_cannot_start(void **state)
{
    (void)state;
    const char *const argv[] = {"/no/such/program", NULL};
    struct child_run r = {.argv = argv};
    assert_int_equal(child_run(&r, NULL, NULL, &ended, &error), ERROR_SYSTEM);
    assert_string_equal(
        error.text, "/no/such/program: cannot be started (No such file or directory); check the "
                    "name and PATH");
    r = (struct child_run){.command = "true", .folder = "/no/such"};
    assert_int_equal(child_run(&r, NULL, NULL, &ended, &error), ERROR_SYSTEM);
}

/* Far more than a pipe holds, both ways at once, and to a child that reads nothing. */
static void test_no_deadlock(void **state)
{
    (void)state;
    size_t size = 3 << 20;
    char *big = malloc(size);
    memset(big, 'x', size);
    struct buf out = {0};
    assert_int_equal(run("cat", span_make(big, size), 60, 0, &out, NULL), 0);
    assert_int_equal(out.len, size);
    assert_int_equal(run("exec 0<&-; echo done", span_make(big, size), 60, 0, &out, NULL), 0);
    assert_true(span_is(buf_span(&out), "done\n"));
    assert_int_equal(run("true", span_make(big, size), 60, 0, &out, NULL), 0);
    assert_int_equal(ended.status, 0);
    buf_free(&out);
    free(big);
}

static void test_time_limit_takes_the_group(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(run("sleep 1000 & echo $!; sleep 1000", SPAN(""), 0.2, 0, &out, NULL), 0);
    assert_true(ended.timed_out);
    assert_int_equal(ended.signal, SIGTERM);
    pid_t grandchild = (pid_t)atoi(buf_cstr(&out));
    assert_true(grandchild > 1);
    for (int i = 0; i < 200 && kill(grandchild, 0) == 0; i++)
        usleep(10000); /* init reaps it */
    FILE *stat_file;
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", grandchild);
    if ((stat_file = fopen(path, "r"))) {
        assert_non_null(fgets(line, sizeof line, stat_file));
        fclose(stat_file);
        assert_non_null(strstr(line, ") Z")); /* where nobody reaps, it is dead at least */
    }
    buf_free(&out);
}

static void test_kill_when_term_is_ignored(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(
        run("trap '' TERM; echo on; while :; do sleep 1; done", SPAN(""), 0.2, 0, &out, NULL), 0);
    assert_true(ended.timed_out);
    assert_int_equal(ended.signal, SIGKILL);
    assert_true(span_is(buf_span(&out), "on\n"));
    buf_free(&out);
}

static void test_output_limit(void **state)
{
    (void)state;
    struct buf out = {0}, err = {0};
    assert_int_equal(run("yes", SPAN(""), 60, 1000, &out, &err), 0);
    assert_true(ended.overflow);
    assert_false(ended.timed_out);
    assert_int_equal(out.len, 1000);
    assert_int_equal(
        run("trap '' TERM PIPE; while :; do echo y; done", SPAN(""), 60, 10, &out, &err), 0);
    assert_true(ended.overflow);
    assert_int_equal(ended.signal, SIGKILL);
    assert_int_equal(run("printf 1234567890", SPAN(""), 60, 10, &out, &err), 0);
    assert_false(ended.overflow);
    assert_int_equal(out.len, 10);
    buf_free(&out);
    buf_free(&err);
}

/* A grandchild that keeps the output open does not keep us. */
static void test_background_grandchild(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(run("sleep 1000 & echo here", SPAN(""), 60, 0, &out, NULL), 0);
    assert_true(span_is(buf_span(&out), "here\n"));
    assert_int_equal(ended.status, 0);
    assert_false(ended.timed_out);
    buf_free(&out);
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void test_nothing_is_left(void **state)
{
    (void)state;
    struct buf out = {0};
    int before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        struct coproc *c = coproc_open("cat", NULL);
        struct span reply;
        assert_int_equal(coproc_ask(c, SPAN("x"), 20, &reply, &ended, &error), COPROC_OK);
        assert_int_equal(run("true", SPAN("x"), 20, 0, &out, NULL), 0);
        coproc_close(c);
    }
    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie, no child */
    assert_int_equal(errno, ECHILD);
    /* A child sees nothing of another one's pipes. */
    assert_int_equal(run("ls /proc/self/fd | wc -l", SPAN(""), 20, 0, &out, NULL), 0);
    int alone = atoi(buf_cstr(&out));
    struct coproc *c = coproc_open("cat", NULL);
    struct span reply;
    assert_int_equal(coproc_ask(c, SPAN("x"), 20, &reply, &ended, &error), COPROC_OK);
    assert_int_equal(run("ls /proc/self/fd | wc -l", SPAN(""), 20, 0, &out, NULL), 0);
    assert_int_equal(atoi(buf_cstr(&out)), alone);
    coproc_close(c);
    buf_free(&out);
}

static void test_coproc(void **state)
{
    (void)state;
    const char *const environment[] = {"WHO=me", NULL};
    struct coproc *c = coproc_open(
        "n=0; while read -r line; do n=$((n+1)); echo \"$WHO $n $line\"; done", environment);
    struct span reply;
    assert_int_equal(coproc_ask(c, SPAN("a"), 20, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "me 1 a"));
    assert_int_equal(coproc_ask(c, SPAN("b"), 20, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "me 2 b"));
    coproc_close(c);
}

static void test_coproc_long_line(void **state)
{
    (void)state;
    size_t size = 2 << 20;
    char *big = malloc(size);
    memset(big, 'x', size);
    struct coproc *c = coproc_open("cat", NULL);
    struct span reply;
    assert_int_equal(coproc_ask(c, span_make(big, size), 60, &reply, &ended, &error), COPROC_OK);
    assert_int_equal(reply.len, size);
    coproc_close(c);
    /* It answers before it reads: the rest of the line still arrives, and the next answer fits. */
    c = coproc_open("while echo early && read -r x; do :; done", NULL);
    assert_int_equal(coproc_ask(c, span_make(big, size), 60, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "early"));
    coproc_close(c);
    c = coproc_open("head -c 17000000 /dev/zero; sleep 1000", NULL);
    assert_int_equal(coproc_ask(c, SPAN("x"), 60, &reply, &ended, &error), COPROC_TOO_LONG);
    assert_true(ended.overflow);
    coproc_close(c);
    free(big);
}

static void test_coproc_dies_and_comes_back(void **state)
{
    (void)state;
    struct coproc *c =
        coproc_open("read -r x; case $x in ok) echo fine; cat;; *) exit 7;; esac", NULL);
    struct span reply;
    assert_int_equal(coproc_ask(c, SPAN("bad"), 20, &reply, &ended, &error), COPROC_DIED);
    assert_int_equal(ended.status, 7);
    assert_int_equal(coproc_ask(c, SPAN("ok"), 20, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "fine"));
    assert_int_equal(coproc_ask(c, SPAN("again"), 20, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "again"));
    coproc_close(c);
    c = coproc_open("exit 0", NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(coproc_ask(c, SPAN("x"), 20, &reply, &ended, &error), COPROC_DIED);
    coproc_close(c);
    c = coproc_open("printf 'half a line'", NULL);
    assert_int_equal(coproc_ask(c, SPAN("x"), 20, &reply, &ended, &error), COPROC_DIED);
    coproc_close(c);
}

static void test_coproc_timeout(void **state)
{
    (void)state;
    struct coproc *c = coproc_open(
        "while read -r x; do if [ $x = slow ]; then sleep 1000; fi; echo $x; done", NULL);
    struct span reply;
    assert_int_equal(coproc_ask(c, SPAN("slow"), 0.2, &reply, &ended, &error), COPROC_TIMEOUT);
    assert_true(ended.timed_out);
    assert_int_equal(coproc_ask(c, SPAN("quick"), 20, &reply, &ended, &error), COPROC_OK);
    assert_true(span_is(reply, "quick"));
    coproc_close(c);
}

static void test_coproc_out_of_step(void **state)
{
    (void)state;
    struct coproc *c = coproc_open("while read -r x; do echo $x; echo more; done", NULL);
    struct span reply;
    enum coproc_result got = coproc_ask(c, SPAN("1"), 20, &reply, &ended, &error);
    assert_int_equal(got, COPROC_OK);
    usleep(
        300000); /* the second line is on its way; early or late, it may not be the next answer */
    got = coproc_ask(c, SPAN("2"), 20, &reply, &ended, &error);
    assert_int_equal(got, COPROC_FAILED);
    assert_int_equal(error.code, ERROR_REMOTE);
    assert_non_null(strstr(error.text, "nobody asked for"));
    coproc_close(c);
}

/* Several lines either way; what is written while a line is sent is kept. */
static void test_coproc_talk(void **state)
{
    (void)state;
    struct coproc *c =
        coproc_open("read -r a; echo \"1 $a\"; echo two; printf '%s' th; sleep 0.05; "
                    "echo ree; read -r b; echo \"4 $b\"",
                    NULL);
    struct span line;
    static const char *const WANT[] = {"1 start", "two", "three"};
    assert_int_equal(coproc_next(c, 20, &line, &ended, &error), COPROC_DIED); /* not begun */
    assert_int_equal(coproc_send(c, SPAN("start"), 20, &ended, &error), COPROC_OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(coproc_next(c, 20, &line, &ended, &error), COPROC_OK);
        assert_true(span_is(line, WANT[i]));
    }
    assert_false(coproc_pending(c));
    assert_int_equal(coproc_send(c, SPAN("more"), 20, &ended, &error), COPROC_OK);
    assert_int_equal(coproc_next(c, 20, &line, &ended, &error), COPROC_OK);
    assert_true(span_is(line, "4 more"));
    assert_int_equal(coproc_next(c, 20, &line, &ended, &error), COPROC_DIED);
    assert_int_equal(ended.status, 0);
    assert_int_equal(coproc_next(c, 20, &line, &ended, &error), COPROC_DIED); /* and stays so */
    coproc_close(c);
}

/* Both sides have more to say than a pipe holds before either reads. */
static void test_coproc_talk_no_deadlock(void **state)
{
    (void)state;
    size_t size = 2 << 20;
    char *big = malloc(size);
    memset(big, 'x', size);
    struct coproc *c =
        coproc_open("head -c 1000000 /dev/zero | tr '\\0' y | fold -w 1000; echo; echo; "
                    "head -c 2097152 | wc -c",
                    NULL);
    struct span line;
    size_t lines = 0;
    assert_int_equal(coproc_send(c, span_make(big, size - 1), 60, &ended, &error), COPROC_OK);
    while (coproc_next(c, 60, &line, &ended, &error) == COPROC_OK && line.len)
        lines += line.len == 1000;
    assert_int_equal(lines, 1000);
    assert_int_equal(coproc_next(c, 60, &line, &ended, &error), COPROC_OK);
    assert_true(span_is(line, "2097152"));
    coproc_close(c);
    /* One that floods and never reads is kept waiting, and ends with its time. */
    c = coproc_open("yes", NULL);
    assert_int_equal(coproc_send(c, span_make(big, size), 0.3, &ended, &error), COPROC_TIMEOUT);
    coproc_close(c);
    free(big);
}

static void test_coproc_stop(void **state)
{
    (void)state;
    atomic_bool stop = false;
    struct span line;
    struct coproc *c = coproc_open("while read -r x; do echo $x; read -r y; done", NULL);
    coproc_stop_when(c, &stop);
    assert_int_equal(coproc_ask(c, SPAN("a"), 20, &line, &ended, &error), COPROC_OK);
    stop = true;
    assert_int_equal(coproc_ask(c, SPAN("b"), 0, &line, &ended, &error), COPROC_FAILED);
    assert_int_equal(error.code, ERROR_INTERRUPTED);
    coproc_stop_when(c, NULL);
    assert_int_equal(coproc_ask(c, SPAN("c"), 20, &line, &ended, &error), COPROC_OK);
    assert_true(span_is(line, "c")); /* another process */
    coproc_close(c);
}

struct ears {
    struct buf text;
    size_t lines, longest;
};

static void overhear(void *data, struct span line)
{
    struct ears *e = data;
    buf_span_add(&e->text, line);
    buf_byte(&e->text, '|');
    e->lines++;
    e->longest = line.len > e->longest ? line.len : e->longest;
}

static void test_coproc_standard_error(void **state)
{
    (void)state;
    struct ears ears = {0};
    struct span line;
    struct coproc *c = coproc_open("echo one >&2; read -r x; printf 'tw' >&2; echo $x; read -r x; "
                                   "echo o >&2; printf last >&2; exit 3",
                                   NULL);
    coproc_hear(c, overhear, &ears);
    assert_int_equal(coproc_ask(c, SPAN("a"), 20, &line, &ended, &error), COPROC_OK);
    assert_true(span_is(line, "a"));
    assert_int_equal(coproc_ask(c, SPAN("b"), 20, &line, &ended, &error), COPROC_DIED);
    assert_int_equal(ended.status, 3);
    assert_true(span_is(buf_span(&ears.text), "one|two|last|"));
    assert_true(span_is(coproc_said(c), "one\ntwo\nlast"));
    coproc_close(c);
    /* Much of it stops nobody; of a long line the end is remembered. */
    buf_clear(&ears.text);
    ears.longest = 0;
    c = coproc_open("head -c 1000000 /dev/zero | tr '\\0' z >&2; echo end >&2; cat", NULL);
    coproc_hear(c, overhear, &ears);
    assert_int_equal(coproc_ask(c, SPAN("c"), 20, &line, &ended, &error), COPROC_OK);
    coproc_close(c);
    assert_int_equal(ears.longest, CHILD_HEARD_MAX);
    assert_true(span_ends(buf_span(&ears.text), SPAN("zend|")) ||
                span_ends(buf_span(&ears.text), SPAN("|end|")));
    buf_free(&ears.text);
}

/* A caught signal ends the wait and the child; nothing is started after it. */
static void test_interrupted(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct buf out = {0};
        struct span reply;
        signals_open();
        struct coproc *c = coproc_open("while read -r x; do sleep 1000; done", NULL);
        raise(SIGTERM);
        bool ran = run("sleep 1000", SPAN(""), 0, 0, &out, NULL) == ERROR_INTERRUPTED &&
                   error.code == ERROR_INTERRUPTED && ended.signal == SIGTERM;
        bool asked = coproc_ask(c, SPAN("x"), 0, &reply, &ended, &error) == COPROC_FAILED &&
                     error.code == ERROR_INTERRUPTED;
        coproc_close(c);
        _exit(ran && asked ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* A second signal ends us at once, and the children with us. */
static void test_second_signal_takes_children(void **state)
{
    (void)state;
    int ends[2], status;
    pid_t grandchild = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct span reply;
        signals_open();
        struct coproc *c = coproc_open("echo $$; exec sleep 1000", NULL);
        if (coproc_ask(c, SPAN("x"), 20, &reply, &ended, &error) != COPROC_OK)
            _exit(1);
        grandchild = (pid_t)strtol(reply.ptr, NULL, 10);
        if (write(ends[1], &grandchild, sizeof grandchild) < 0)
            _exit(2);
        raise(SIGINT);
        raise(SIGINT);
        _exit(3);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(ends[0], &grandchild, sizeof grandchild), sizeof grandchild);
    char path[64], line[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", grandchild);
    for (int i = 0; i < 500; i++) {
        FILE *f = fopen(path, "r");
        bool there = f && fgets(line, sizeof line, f);
        if (f)
            fclose(f);
        if (!there || strstr(line, ") Z"))
            break; /* gone, or a zombie where nobody reaps orphans */
        line[0] = '\0';
        usleep(10000);
    }
    assert_true(line[0] == '\0' || strstr(line, ") Z") || access(path, F_OK) != 0);
    close(ends[0]);
    close(ends[1]);
}

static void *ask_many(void *data)
{
    struct coproc *c = coproc_open("while read -r x; do echo \"$x\"; done", NULL);
    long wrong = 0;
    for (int i = 0; i < 100; i++) {
        char line[32];
        struct span reply;
        struct child_exit how;
        struct error e;
        snprintf(line, sizeof line, "%p %d", data, i);
        if (coproc_ask(c, span_text(line), 60, &reply, &how, &e) != COPROC_OK ||
            !span_is(reply, line))
            wrong++;
    }
    coproc_close(c);
    return (void *)wrong;
}

static void test_coprocs_in_threads(void **state)
{
    (void)state;
    pthread_t threads[6];
    int names[6];
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &names[i]), 0);
    for (size_t i = 0; i < 6; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_status),
        cmocka_unit_test(test_arguments_environment_folder),
        cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_no_deadlock),
        cmocka_unit_test(test_time_limit_takes_the_group),
        cmocka_unit_test(test_kill_when_term_is_ignored),
        cmocka_unit_test(test_output_limit),
        cmocka_unit_test(test_background_grandchild),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_coproc),
        cmocka_unit_test(test_coproc_long_line),
        cmocka_unit_test(test_coproc_dies_and_comes_back),
        cmocka_unit_test(test_coproc_timeout),
        cmocka_unit_test(test_coproc_out_of_step),
        cmocka_unit_test(test_coproc_talk),
        cmocka_unit_test(test_coproc_talk_no_deadlock),
        cmocka_unit_test(test_coproc_stop),
        cmocka_unit_test(test_coproc_standard_error),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_second_signal_takes_children),
        cmocka_unit_test(test_coprocs_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
