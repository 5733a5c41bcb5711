/* decontam.h: which training rows repeat the test (select 12). Rules in this order, a row falls to the
 * first only:
 *
 *   same_task   its scenario_id or task_id is an evaluation row's
 *   exact       a field is an evaluation text, case and white space aside
 *   near        one evaluation text covers at least `overlap` of a field's words with shared n-grams
 *               (the rule of Llama 2, arXiv:2307.09288 A.6: 8-grams, 80 % of the tokens)
 *
 *   semantic    (decontam_semantic.h) an evaluation prompt means the same, as vectors say
 *
 * Words are runs of a-z and 0-9 after lower-casing, as the Python package has them; a text without any
 * (Chinese, say) is compared whole by the exact rule, and counted as unreadable for the near rule. Under
 * DECONTAM_UNICODE words are of any script.
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

enum decontam_rule {
    DECONTAM_CLEAN,
    DECONTAM_SAME_TASK,
    DECONTAM_EXACT,
    DECONTAM_NEAR,
    DECONTAM_SEMANTIC,
    DECONTAM_RULES,
};

extern const char *const DECONTAM_RULE_NAMES[DECONTAM_RULES];

struct decontam_options {
    size_t ngram;              /* words, >= 1 */
    double overlap;            /* share of a text's words, 0..1; 0: any shared n-gram */
    const struct span *fields; /* keys of a training row, looked at in order */
    size_t n_fields;
};

/* ---- the evaluation side --------------------------------------------------------------------------- */

enum decontam_tokens {
    DECONTAM_ASCII, /* runs of a-z and 0-9 */
    DECONTAM_UNICODE, /* runs of letters, digits and their marks; one character in scripts without spaces */
};

extern const char *const DECONTAM_TOKEN_NAMES[]; /* by enum decontam_tokens */

struct decontam_index;

struct decontam_index *decontam_index_new(size_t ngram, enum decontam_tokens tokens);

/* Adds an evaluation row: its task id, and its prompt, answer and reference as texts. 0, or ERROR_INPUT
 * when the texts together have more than 2^32 - 2 words. */
int decontam_index_add(struct decontam_index *index, const struct row *row, struct error *error);

/* Adds all that another, sealed, index has of its rows; what is in both is there once. n-grams and words
 * are those of `index`. */
int decontam_index_join(struct decontam_index *index, const struct decontam_index *other,
                        struct error *error);

/* After the last row, before the first check; the index does not change from then on. The same rows give
 * the same bytes. */
void decontam_index_seal(struct decontam_index *index);

/* A sealed index to a file, and from one. The file is mapped, so that processes share it and nothing is
 * read that is not needed, but all of it is checked first: what it says is not trusted. ERROR_INPUT. */
int decontam_index_save(const struct decontam_index *index, const char *path, struct error *error);
struct decontam_index *decontam_index_open(const char *path, struct error *error);

/* The same from bytes in memory, which are copied. name: for the message. */
struct decontam_index *decontam_index_read(struct span bytes, const char *name,
                                           struct error *error);

size_t decontam_index_ngram(const struct decontam_index *index);
enum decontam_tokens decontam_index_tokens(const struct decontam_index *index);
size_t decontam_index_rows(const struct decontam_index *index);    /* all rows added */
size_t decontam_index_tasks(const struct decontam_index *index);   /* rows with a task id */
size_t decontam_index_texts(const struct decontam_index *index);   /* distinct texts with words */
size_t decontam_index_prompts(const struct decontam_index *index); /* distinct, not blank */
struct span decontam_index_prompt(const struct decontam_index *index,
                                  size_t i); /* as it came first */
/* Whose prompt: a number for each task, 0 without one. */
uint32_t decontam_index_prompt_task(const struct decontam_index *index, size_t i);
/* 128 bits that name what was indexed, and how. */
void decontam_index_name(const struct decontam_index *index, uint64_t name[2]);
void decontam_index_free(struct decontam_index *index);

/* ---- one training row ------------------------------------------------------------------------------ */

struct decontam_scratch; /* what a thread needs from row to row */

struct decontam_scratch *decontam_scratch_new(const struct decontam_index *index);
void decontam_scratch_free(struct decontam_scratch *s);

/* The text of a row's field, "" without one; borrowed until the scratch is used again. */
struct span decontam_field_text(const struct row *row, struct span field,
                                struct decontam_scratch *s);

struct decontam_finding {
    enum decontam_rule rule;
    size_t field;    /* exact, near: place in options->fields */
    bool has_task;   /* the row carries a task id */
    bool unreadable; /* a field that is not blank has no words */
    /* near, when details were asked for: */
    size_t covered, words; /* words of the field that the best evaluation text covers; all */
    size_t first_word;     /* where the first shared n-gram starts */
    /* semantic: */
    double similarity; /* with the evaluation prompt that is nearest */
    size_t prompt;     /* its number */
};

/* details: the finding of the near rule names the text that covers most (ties: the earliest), which
 * costs more than to know that one covers enough. */
struct decontam_finding decontam_check(const struct decontam_index *index,
                                       const struct decontam_options *options,
                                       const struct row *row, bool details,
                                       struct decontam_scratch *s);

/* The members of a finding (made with details) in an object that is open: field, match, and
 * coverage, task; or similarity, eval_prompt. */
void decontam_finding_write(const struct decontam_finding *finding,
                            const struct decontam_index *index,
                            const struct decontam_options *options, const struct row *row,
                            struct decontam_scratch *s, struct json_writer *w);

#endif
