/* decontam_run.h: what was asked of wai-decontam, as its options table fills it, and the calls that do it. */
#ifndef WAI_SELECT_DECONTAM_RUN_H
#define WAI_SELECT_DECONTAM_RUN_H

#include "base/options.h"
#include "model/embedder_options.h"
#include "row/reader.h"
#include "select/defaults.h"

struct decontam_request {
    struct row_options rows;
    struct option_list against, index;
    struct embedder_options embedder;
    const char *fields, *output, *report, *flagged, *tokens, *index_out;
    int64_t ngram, index_base;
    double overlap, similarity, fail_over;
    bool ngram_given, tokens_given, similarity_given, fail_over_given, index_base_given;
    bool dry_run, json, fail_on_skipped, partial, merge;
};

#define DECONTAM_REQUEST_DEFAULT                                                          \
    {                                                                                     \
        .rows = ROW_OPTIONS_DEFAULT, .fields = "prompt", .ngram = DECONTAM_NGRAM,         \
        .overlap = DECONTAM_OVERLAP, .similarity = DECONTAM_SIMILARITY, .tokens = "ascii" \
    }

/* What is told beside the rows. {0} is empty. */
struct decontam_output {
    struct buf report;   /* the report, or the summary under --partial, with its newline */
    struct buf text;     /* for people, a line each */
    struct buf warnings; /* for standard error, a line each */
};
void decontam_output_free(struct decontam_output *output);

/* 0; ERROR_CHECK (all is written, and a check that was asked for is red); another negative code. Fills in
 * what the request leaves open (jobs). */
int decontam_run(struct decontam_request *request, const struct operands *operands,
                 struct decontam_output *output, struct error *error);

#endif
