/* measure: runs a command with nothing on standard input and its output thrown away, and prints
 * what it took: seconds, seconds of processor, peak memory in KiB. From a small process, because a
 * peak is never below that of the one that started it.
 *
 *     measure COMMAND [ARGUMENT ...]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    int status;
    struct rusage used;
    if (argc < 2)
        return 2;
    double began = now();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) < 0) {
        perror("measure");
        return 5;
    }
    printf("%.6f %.6f %ld\n", now() - began, seconds(used.ru_utime) + seconds(used.ru_stime),
           used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
