/* decontam_report.h: what decontamination counted, as a report, as sentences, and as a summary that others
 * are merged with (select 12.3, 12.4). Summaries of the parts of a file merge to the bytes of one pass. */
#ifndef WAI_SELECT_DECONTAM_REPORT_H
#define WAI_SELECT_DECONTAM_REPORT_H

#include "select/decontam.h"

/* What the rows were held against, and how: the same for every part of a run that is merged. */
struct decontam_side {
    char holdout[33]; /* 128 bits of the index, in hexadecimal */
    uint64_t rows, with_task, texts, prompts;
    size_t ngram;
    double overlap;
    enum decontam_tokens tokens;
    struct span *fields; /* owned; their bytes in `names` */
    size_t n_fields;
    struct buf names;
    /* The semantic rule; */
    struct buf embedder; /* its name; empty: the rule was not asked for */
    double similarity;
    bool fell_back; /* hash vectors stood in for a service that did not answer */
    double alike;   /* decontam_semantic_alike; NaN: not known */
    bool alike_sampled;
};

void decontam_side_fields(struct decontam_side *side, const struct span *fields, size_t n);
void decontam_side_index(struct decontam_side *side, const struct decontam_index *index);
void decontam_side_free(struct decontam_side *side);

struct decontam_shard {
    uint64_t first, lines; /* rows [first, first + lines) of the whole, bad ones too */
};

struct decontam_example {
    uint64_t index;
    struct buf json; /* one object */
};

struct decontam_counts {
    uint64_t rows, with_task, unreadable;
    uint64_t rules[DECONTAM_RULES];
    uint64_t *fields;                  /* by place in the side's fields: all but same_task; owned */
    struct decontam_example *examples; /* the first flagged, by index; owned */
    size_t n_examples, cap_examples;
    bool same_file;                /* a training file is an evaluation file */
    struct decontam_shard *shards; /* by first */
    size_t n_shards, cap_shards;
};

void decontam_counts_free(struct decontam_counts *counts);

/* Adds a row's finding; true: it is among the first flagged, add an example. */
bool decontam_count(struct decontam_counts *counts, size_t n_fields,
                    const struct decontam_finding *finding);

/* index: of the row, in all parts together. */
void decontam_example(struct decontam_counts *counts, uint64_t number,
                      const struct decontam_finding *finding, const struct decontam_index *index,
                      const struct decontam_options *options, const struct row *row,
                      struct decontam_scratch *s);

uint64_t decontam_flagged(const struct decontam_counts *counts);
double decontam_rate(
    const struct decontam_counts *counts); /* flagged rows of all; 0 without rows */

/* Of the rule that could not run and is asked for first, or NULL. */
const char *decontam_skipped(const struct decontam_counts *counts,
                             const struct decontam_side *side);

void decontam_report(const struct decontam_counts *counts, const struct decontam_side *side,
                     struct json_writer *w);

/* The same for people: counts on the first lines, then a line for each note. */
void decontam_text(const struct decontam_counts *counts, const struct decontam_side *side,
                   struct buf *out);

/* ---- summaries ------------------------------------------------------------------------------------- */

void decontam_partial_write(const struct decontam_counts *counts, const struct decontam_side *side,
                            struct json_writer *w);

/* Adds a summary to what was merged so far (side and counts {0} before the first one). What it says is
 * checked; ERROR_INPUT, without the place: it is no summary, not of the same run, or a part comes twice. */
int decontam_partial_merge(struct json_value partial, struct decontam_counts *counts,
                           struct decontam_side *side, struct error *error);

#endif
