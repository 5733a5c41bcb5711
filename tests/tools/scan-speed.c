/* scan-speed.c: how fast each path of the JSON scanner is on the lines of a file held in memory;
 * the best of some rounds, on one core:
 *
 *     scan-speed FILE [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "json/scan.h"

enum { ROUNDS = 7 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct counts {
    size_t lines, bad, members;
};

static struct counts scan_lines(struct span text, struct json_members *members)
{
    struct counts counts = {0};
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct json_value value;
        struct json_fault fault;
        if (json_scan(span_make(at, (size_t)(stop - at)), &value, members, &fault) < 0)
            counts.bad++;
        else
            counts.members += members->count;
        counts.lines++;
        at = stop + 1;
    }
    return counts;
}

int main(int argc, char **argv)
{
    static const char *const paths[] = {"portable", "avx2", "avx512"};
    struct buf text = {0};
    struct error error;
    if (argc < 2 || file_read(argv[1], SIZE_MAX / 2, &text, &error) < 0) {
        fprintf(stderr, "%s\n", argc < 2 ? "usage: scan-speed FILE [ROUNDS]" : error.text);
        return 2;
    }
    struct json_members members = {0};
    const int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        if (json_scan_use(paths[p]) < 0)
            continue;
        double best = 1e9;
        struct counts counts = {0};
        for (int round = 0; round < rounds; round++) {
            double start = seconds();
            counts = scan_lines(buf_span(&text), &members);
            double took = seconds() - start;
            best = took < best ? took : best;
        }
        printf("%-9s %6.3f GB/s  %zu lines, %zu bad, %zu members, %zu bytes\n", paths[p],
               (double)text.len / best / 1e9, counts.lines, counts.bad, counts.members, text.len);
    }
    json_members_free(&members);
    buf_free(&text);
    return 0;
}
