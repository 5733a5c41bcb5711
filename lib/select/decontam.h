/* decontam.h: which training rows repeat the test (select 12). Rules in this order, a row falls to the
 * first only:
 *
 *   same_task   its scenario_id or task_id is an evaluation row's
 *   exact       a field is an evaluation text, case and white space aside
 *   near        one evaluation text covers at least `overlap` of a field's words with shared n-grams
 *               (the rule of Llama 2, arXiv:2307.09288 A.6: 8-grams, 80 % of the tokens)
 *
 * Words are runs of a-z and 0-9 after lower-casing. A text without any (Chinese, say) is compared whole by
 * the exact rule, and counted as unreadable for the near rule.
 *
 * The evaluation side is an index, built once; the training side streams through decontam_check, from any
 * number of threads. A hash only proposes an n-gram: its words are compared before it counts, so nothing
 * is flagged by a collision. A row costs a look-up a word, and a probe for each window of n words that are
 * all known; lists of evaluation texts that many n-grams share (templates) are kept once. */
#ifndef WAI_SELECT_DECONTAM_H
#define WAI_SELECT_DECONTAM_H

#include "base/error.h"
#include "row/row.h"
#include "json/write.h"

enum decontam_rule { DECONTAM_CLEAN, DECONTAM_SAME_TASK, DECONTAM_EXACT, DECONTAM_NEAR };

extern const char *const DECONTAM_RULE_NAMES[]; /* by enum decontam_rule */

struct decontam_options {
    size_t ngram;              /* words, >= 1 */
    double overlap;            /* share of a text's words, 0..1; 0: any shared n-gram */
    const struct span *fields; /* keys of a training row, looked at in order */
    size_t n_fields;
};

/* ---- the evaluation side --------------------------------------------------------------------------- */

struct decontam_index;

struct decontam_index *decontam_index_new(size_t ngram);

/* Adds an evaluation row: its task id, and its prompt, answer and reference as texts. 0, or ERROR_INPUT
 * when the texts together have more than 2^32 - 2 words. */
int decontam_index_add(struct decontam_index *index, const struct row *row, struct error *error);

/* After the last row, before the first check; the index does not change from then on. */
void decontam_index_seal(struct decontam_index *index);

size_t decontam_index_rows(const struct decontam_index *index);  /* all rows added */
size_t decontam_index_tasks(const struct decontam_index *index); /* rows with a task id */
size_t decontam_index_texts(const struct decontam_index *index); /* distinct texts with words */
void decontam_index_free(struct decontam_index *index);

/* ---- one training row ------------------------------------------------------------------------------ */

struct decontam_scratch; /* what a thread needs from row to row */

struct decontam_scratch *decontam_scratch_new(const struct decontam_index *index);
void decontam_scratch_free(struct decontam_scratch *s);

struct decontam_finding {
    enum decontam_rule rule;
    size_t field;    /* exact, near: place in options->fields */
    bool has_task;   /* the row carries a task id */
    bool unreadable; /* a field that is not blank has no words */
    /* near, when details were asked for: */
    size_t covered, words; /* words of the field that the best evaluation text covers; all */
    size_t first_word;     /* where the first shared n-gram starts */
};

/* details: the finding of the near rule names the text that covers most (ties: the earliest), which
 * costs more than to know that one covers enough. */
struct decontam_finding decontam_check(const struct decontam_index *index,
                                       const struct decontam_options *options,
                                       const struct row *row, bool details,
                                       struct decontam_scratch *s);

/* The members of a finding (made with details) in an object that is open: field, match, coverage, task. */
void decontam_finding_write(const struct decontam_finding *finding,
                            const struct decontam_index *index,
                            const struct decontam_options *options, const struct row *row,
                            struct decontam_scratch *s, struct json_writer *w);

/* ---- the report ------------------------------------------------------------------------------------ */

struct decontam_counts {
    uint64_t rows, with_task, unreadable;
    uint64_t rules[4];   /* by enum decontam_rule */
    uint64_t *fields;    /* by place in options->fields: exact and near; owned */
    struct buf examples; /* JSON objects, a line each */
    size_t n_examples;
    bool same_file; /* a training file is an evaluation file */
};

void decontam_counts_free(struct decontam_counts *counts);

/* Adds a row's finding; true: it is among the first flagged, add an example. */
bool decontam_count(struct decontam_counts *counts, const struct decontam_options *options,
                    const struct decontam_finding *finding);
void decontam_example(struct decontam_counts *counts, const struct decontam_finding *finding,
                      const struct decontam_index *index, const struct decontam_options *options,
                      const struct row *row, struct decontam_scratch *s);

uint64_t decontam_flagged(const struct decontam_counts *counts);
double decontam_rate(
    const struct decontam_counts *counts); /* flagged rows of all; 0 without rows */
bool decontam_skipped(const struct decontam_counts *counts, const struct decontam_index *index);

void decontam_report(const struct decontam_counts *counts, const struct decontam_index *index,
                     const struct decontam_options *options, struct json_writer *w);

/* The same for people: counts on the first lines, then a line for each note. */
void decontam_text(const struct decontam_counts *counts, const struct decontam_index *index,
                   const struct decontam_options *options, struct buf *out);

#endif
