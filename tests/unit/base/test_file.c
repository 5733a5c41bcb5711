/* Files that appear whole or not at all, reads, scratch folders, and what signals and exits leave
 * behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"
#include "base/signals.h"

static struct buf folder; /* each test's own; the working folder while it runs */
static struct error error;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(scratch_make(&folder, &error), 0);
    return chdir(folder.data);
}

static int tear_down(void **state)
{
    (void)state;
    if (chdir("/") != 0)
        return -1;
    scratch_remove(folder.data);
    return access(folder.data, F_OK) == 0 ? -1 : 0;
}

static size_t entries(const char *path)
{
    size_t count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void put(const char *path, const char *text)
{
    struct file *f = file_create(path, &error);
    assert_non_null(f);
    assert_int_equal(file_write(f, span_text(text), &error), 0);
    assert_int_equal(file_commit(f, &error), 0);
}

static void holds(const char *path, const char *text)
{
    struct buf out = {0};
    assert_int_equal(file_read(path, 1000, &out, &error), 0);
    assert_string_equal(buf_cstr(&out), text);
    buf_free(&out);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_whole_or_not(void **state)
{
    (void)state;
    put("a", "old");
    struct file *f = file_create("a", &error);
    assert_non_null(f);
    assert_int_equal(entries("."), 2); /* the temporary one lies beside it */
    assert_int_equal(file_write(f, SPAN("new"), &error), 0);
    holds("a", "old");
    file_abandon(f);
    holds("a", "old");
    assert_int_equal(entries("."), 1);
    put("a", "new");
    holds("a", "new");
    assert_int_equal(entries("."), 1);
    file_abandon(NULL);
}

static void test_name_of_the_temporary(void **state)
{
    (void)state;
    struct file *f = file_create("rows.jsonl", &error);
    assert_non_null(f);
    DIR *dir = opendir(".");
    bool found = false;
    for (struct dirent *entry; (entry = readdir(dir));)
        found |= strncmp(entry->d_name, ".rows.jsonl.", 12) == 0 && strlen(entry->d_name) == 18;
    closedir(dir);
    assert_true(found);
    assert_true(fcntl(file_descriptor(f), F_GETFD) & FD_CLOEXEC);
    file_abandon(f);
    /* The longest name there is still works. */
    char name[256];
    memset(name, 'x', 255);
    name[255] = '\0';
    put(name, "long");
    holds(name, "long");
}

static void test_modes(void **state)
{
    (void)state;
    mode_t before = umask(027);
    put("fresh", "x");
    assert_int_equal(mode_of("fresh"), 0640);
    chmod("fresh", 0604);
    put("fresh", "y");
    assert_int_equal(mode_of("fresh"), 0604);
    umask(before);
}

static void test_links(void **state)
{
    (void)state;
    mkdir("sub", 0777);
    put("sub/real", "old");
    assert_int_equal(symlink("sub/real", "link"), 0);
    assert_int_equal(symlink("link", "second"), 0);
    assert_int_equal(symlink("sub/not-yet", "dangling"), 0);
    put("second", "new");
    holds("sub/real", "new");
    struct stat info;
    assert_int_equal(lstat("second", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    put("dangling", "made");
    holds("sub/not-yet", "made");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_null(file_create("loop", &error));
    assert_int_equal(error.code, ERROR_SYSTEM);
}

static void test_not_regular(void **state)
{
    (void)state;
    put("/dev/null", "x");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        struct buf out = {0};
        int code = file_read("pipe", 100, &out, NULL);
        _exit(code == 0 && span_is(buf_span(&out), "through") ? 0 : 1);
    }
    put("pipe", "through");
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void refused(const char *path, const char *text)
{
    assert_null(file_create(path, &error));
    assert_int_equal(error.code, ERROR_SYSTEM);
    assert_string_equal(error.text, text);
}

static void test_cannot_create(void **state)
{
    (void)state;
    mkdir("sub", 0777);
    put("file", "x");
    refused("none/a",
            "none/a: cannot be created (No such file or directory); make its folder first");
    refused("file/a", "file/a: cannot be created (Not a directory); make its folder first");
    refused("sub", "sub: cannot be created (Is a directory); name a file in it");
    refused("", "\"\": cannot be created (No such file or directory); make its folder first");
    assert_int_equal(entries("."), 2);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct file *f = file_create("/dev/full", &error);
    assert_non_null(f);
    assert_int_equal(file_write(f, SPAN("x"), &error), ERROR_SYSTEM);
    assert_string_equal(
        error.text,
        "/dev/full: could not be written (No space left on device); free some space and run again");
    file_abandon(f);
}

static void test_read(void **state)
{
    (void)state;
    struct buf out = {0};
    put("five", "12345");
    assert_int_equal(file_read("five", 5, &out, &error), 0);
    assert_int_equal(file_read("five", 4, &out, &error), ERROR_INPUT);
    assert_string_equal(error.text, "five: is longer than 4 bytes; give a shorter file");
    assert_int_equal(file_read("none", 5, &out, &error), ERROR_INPUT);
    assert_string_equal(error.text,
                        "none: cannot be opened (No such file or directory); check the name");
    assert_int_equal(file_read(".", 5, &out, &error), ERROR_INPUT);
    assert_string_equal(error.text, ".: is a folder; name a file in it");
    assert_int_equal(file_text_or_at("@five", 9, &out, &error), 0);
    assert_true(span_is(buf_span(&out), "12345"));
    assert_int_equal(file_text_or_at("five", 9, &out, &error), 0);
    assert_true(span_is(buf_span(&out), "five"));
    assert_int_equal(file_text_or_at("@none", 9, &out, &error), ERROR_INPUT);
    buf_free(&out);
}

/* What a candidate's program may leave: depth beyond PATH_MAX, no permissions, links out. */
static void test_scratch_is_removed_whatever_is_in_it(void **state)
{
    (void)state;
    struct buf path = {0};
    put("outside", "stays");
    assert_int_equal(scratch_make(&path, &error), 0);
    assert_int_equal(mode_of(path.data), 0700);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(path.data) != 0)
            _exit(1);
        for (int i = 0; i < 2000; i++)
            if (mkdir("deeper-and-deeper", 0700) != 0 || chdir("deeper-and-deeper") != 0)
                _exit(2);
        int fd = open("file", O_CREAT | O_WRONLY, 0);
        _exit(fd < 0 || chmod(".", 0) != 0 ? 3 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    struct buf inside = {0};
    buf_format(&inside, "%s/link", buf_cstr(&path));
    assert_int_equal(symlink(buf_cstr(&folder), buf_cstr(&inside)), 0);
    scratch_remove(path.data);
    assert_int_equal(access(path.data, F_OK), -1);
    holds("outside", "stays");
    assert_int_equal(scratch_remove_tree(path.data), 0); /* already gone */
    buf_free(&path);
    buf_free(&inside);
}

static void test_scratch_elsewhere(void **state)
{
    (void)state;
    struct buf path = {0};
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(scratch_make(&path, &error), ERROR_SYSTEM);
    unsetenv("TMPDIR");
    assert_non_null(strstr(error.text, "/no/such/folder"));
    buf_free(&path);
}

/* ---- how a process ends -------------------------------------------------------------------------
 */

/* A child that has a file and a scratch folder under way; the folder's name goes to `report`. */
static void start_work(int report)
{
    static struct buf path; /* never released: the process ends on the way */
    static struct file *volatile unfinished;
    signals_open();
    unfinished = file_create("unfinished", &error);
    if (!unfinished || scratch_make(&path, &error) != 0)
        _exit(100);
    int fd = open(path.data, O_DIRECTORY | O_RDONLY);
    if (mkdirat(fd, "in", 0700) != 0 || write(report, path.data, path.len + 1) < 0)
        _exit(101);
}

static void check_gone(int from)
{
    char path[512] = "";
    assert_true(read(from, path, sizeof path) > 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(entries("."), 0);
    close(from);
}

static pid_t fork_with_pipe(int ends[2])
{
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child > 0)
        close(ends[1]);
    return child;
}

static void test_exit_removes(void **state)
{
    (void)state;
    int ends[2], status;
    pid_t child = fork_with_pipe(ends);
    if (child == 0) {
        start_work(ends[1]);
        exit(5);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 5);
    check_gone(ends[0]);
}

static void test_second_signal_ends_at_once(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++) {
        int ends[2], status;
        pid_t child = fork_with_pipe(ends);
        if (child == 0) {
            signal(SIGHUP, SIG_DFL); /* nohup's doing would be respected */
            start_work(ends[1]);
            raise(signals[i]);
            if (signals_caught() != signals[i] || signals_exit_status() != 128 + signals[i])
                _exit(102);
            raise(signals[i]);
            _exit(103);
        }
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        check_gone(ends[0]);
    }
}

static void test_closed_pipe_ends_quietly(void **state)
{
    (void)state;
    int ends[2], status;
    pid_t child = fork_with_pipe(ends);
    if (child == 0) {
        int broken[2];
        start_work(ends[1]);
        if (pipe(broken) != 0)
            _exit(104);
        close(broken[0]);
        file_write_all(broken[1], "pipe", SPAN("x"), &error);
        _exit(105);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGPIPE);
    check_gone(ends[0]);
}

static void test_ignored_signals_stay_ignored(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGHUP, SIG_IGN);
        signals_open();
        raise(SIGHUP);
        _exit(signals_caught() == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void test_closed_standard_descriptors(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        close(0);
        close(1);
        signals_open();
        int fd = open("victim", O_CREAT | O_WRONLY, 0600);
        bool safe =
            fd > 2 && file_write_all(1, "standard output", SPAN("x"), &error) == ERROR_SYSTEM;
        _exit(safe ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    holds("victim", "");
}

static void test_descriptor_of_signals(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        char byte;
        int before = signals_descriptor();
        signals_open();
        int fd = signals_descriptor();
        bool empty = read(fd, &byte, 1) == -1;
        raise(SIGTERM);
        _exit(before == -1 && empty && read(fd, &byte, 1) == 1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void test_a_forked_child_removes_nothing(void **state)
{
    (void)state;
    int status;
    struct file *f = file_create("ours", &error);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, &status, 0);
    assert_int_equal(entries("."), 1);
    assert_int_equal(file_commit(f, &error), 0);
    assert_int_equal(access("ours", F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_whole_or_not),
        TEST(test_name_of_the_temporary),
        TEST(test_modes),
        TEST(test_links),
        TEST(test_not_regular),
        TEST(test_cannot_create),
        TEST(test_full_disk),
        TEST(test_read),
        TEST(test_scratch_is_removed_whatever_is_in_it),
        TEST(test_scratch_elsewhere),
        TEST(test_exit_removes),
        TEST(test_second_signal_ends_at_once),
        TEST(test_closed_pipe_ends_quietly),
        TEST(test_ignored_signals_stay_ignored),
        TEST(test_closed_standard_descriptors),
        TEST(test_descriptor_of_signals),
        TEST(test_a_forked_child_removes_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_free(&folder);
    return failed;
}
