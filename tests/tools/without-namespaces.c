/* without-namespaces.c: runs a command where the kernel gives no namespaces, so that what a sandbox
 * falls back to can be tested on any machine: without-namespaces COMMAND [ARG...]. Root stays root
 * over all users; others stay themselves. Exit status: the command's, 125 when this cannot be
 * arranged. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

static int put_for(pid_t pid, const char *file, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    return put(path, text);
}

static int child(char **argv, int ready, int mapped)
{
    char byte = 0;
    if (unshare(CLONE_NEWUSER) || write(ready, "x", 1) != 1 || read(mapped, &byte, 1) != 1 ||
        byte != 'y' || put("/proc/sys/user/max_user_namespaces", "0"))
        return 125;
    execvp(argv[1], argv + 1);
    return 125;
}

int main(int argc, char **argv)
{
    int ready[2], mapped[2], status;
    char byte, map[64];
    if (argc < 2 || pipe(ready) || pipe(mapped))
        return 125;
    pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        close(mapped[1]);
        _exit(child(argv, ready[1], mapped[0]));
    }
    close(ready[1]);
    close(mapped[0]);
    if (pid < 0 || read(ready[0], &byte, 1) != 1)
        return 125;
    int failed;
    if (geteuid() == 0) {
        failed = put_for(pid, "uid_map", "0 0 65535") | put_for(pid, "gid_map", "0 0 65535");
    } else {
        snprintf(map, sizeof map, "%u %u 1", geteuid(), geteuid());
        failed = put_for(pid, "uid_map", map) | put_for(pid, "setgroups", "deny");
        snprintf(map, sizeof map, "%u %u 1", getegid(), getegid());
        failed |= put_for(pid, "gid_map", map);
    }
    if (write(mapped[1], failed ? "n" : "y", 1) != 1 || waitpid(pid, &status, 0) != pid)
        return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
