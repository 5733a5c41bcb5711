/* pairwise.h: --pairwise of wai-grade: which of two rows helped more, asked twice with their places
 * changed, because judges prefer a place (grade 14.8). */
#ifndef WAI_GRADE_PAIRWISE_H
#define WAI_GRADE_PAIRWISE_H

#include "grade/defaults.h"
#include "grade/judge.h"
#include "row/reader.h"
#include "row/writer.h"

struct pairwise_options {
    bool asked, no_swap;
    int64_t examples, request_chars;
    double flip_flag, rejected_flag;
};

#define PAIRWISE_OPTIONS_DEFAULT                                                 \
    {                                                                            \
        .examples = PAIRWISE_EXAMPLES, .request_chars = PAIRWISE_REQUEST_CHARS,  \
        .flip_flag = PAIRWISE_FLIP_FLAG, .rejected_flag = PAIRWISE_REJECTED_FLAG \
    }

/* clang-format off */
#define PAIRWISE_OPTIONS(type, field) \
    {.kind = OPTION_FLAG, .name = "pairwise", .offset = offsetof(type, field.asked), \
     .help = "rows are pairs {chosen, rejected}; the scorer says which is better: pairwise, tie"}, \
    {.kind = OPTION_FLAG, .name = "no-swap", .offset = offsetof(type, field.no_swap), \
     .help = "ask about a pair once, not in both orders"}, \
    {.kind = OPTION_INT, .name = "examples", .offset = offsetof(type, field.examples), .arg = "N", .min = 0, .max = 1e6, \
     .help = "disagreements that the report of --pairwise shows (10)"}, \
    {.kind = OPTION_INT, .name = "request-chars", .offset = offsetof(type, field.request_chars), .arg = "N", .min = 1, .max = 1e7, \
     .help = "characters of the request that the pair judge is shown (4000)"}, \
    {.kind = OPTION_REAL, .name = "position-flip-flag", .offset = offsetof(type, field.flip_flag), .arg = "P", .max = 1, \
     .help = "share of answers that change with the order from which a warning is given (0.2)"}, \
    {.kind = OPTION_REAL, .name = "prefers-rejected-flag", .offset = offsetof(type, field.rejected_flag), .arg = "P", .max = 1, \
     .help = "share of rejected sides that win from which a warning is given (0.2)"}
/* clang-format on */

struct pairwise_setup {
    const struct scorer_judge_options *judge; /* a model; NULL: the program */
    struct scorer *program;                   /* reads {request, A, B}, answers {winner, reason} */
    const struct scorer_setup *setup;
    struct row_writer *judge_log; /* or NULL */
};

struct pairwise_counts {
    uint64_t n, judged, failed, flips, both, ties, agrees, prefers_rejected;
};

/* Runs it. report: the object as one line. ERROR_REMOTE also when every pair failed because of a call.
 * Warnings are given one by one. */
int pairwise_run(const struct pairwise_options *options, const struct pairwise_setup *setup,
                 const struct row_source *source, const char *output, struct buf *report,
                 void (*tell)(void *data, const char *text), void *data,
                 struct pairwise_counts *counts, struct error *error);

#endif
