/* verdict.h: what a scorer may answer, read by one function, and where the answer lands on the row
 * (grade 3). Every scorer goes through here, so that a broken checker shows as an unjudged row with
 * its reason and never as a reward of 0. */
#ifndef WAI_GRADE_VERDICT_H
#define WAI_GRADE_VERDICT_H

#include "base/arena.h"
#include "row/row.h"
#include "json/edit.h"

enum verdict_status {
    VERDICT_OK,
    VERDICT_INVALID_RESULT,
    VERDICT_MISSING_REWARD,
    VERDICT_ERROR,
    VERDICT_TIMEOUT,
    VERDICT_STATUS_COUNT,
};

const char *verdict_status_name(enum verdict_status status); /* "ok", "invalid_result", … */

struct verdict_item {
    struct span key, json;
};

/* What a verdict says of the tools: nothing, all well, a fault was detected (row key
 * `fault_detected`, grade 10). */
enum verdict_fault { VERDICT_FAULT_UNSAID, VERDICT_FAULT_NONE, VERDICT_FAULT_DETECTED };

/* One verdict. `struct verdict v = {0}` is an empty one; verdict_clear makes it so again and keeps
 * the memory. Not shared between threads. */
struct verdict {
    enum verdict_status status;
    bool judged;  /* reward holds a number in [0, 1] */
    double value; /* that number */
    struct buf
        reward; /* its JSON text: 0 and 1 as integers, other numbers as the scorer spelled them */
    struct buf reason; /* text, not JSON */
    enum verdict_fault fault;
    struct verdict_item *meta; /* judge_meta, in the order in which the keys came */
    size_t n_meta, cap_meta;
    struct arena arena; /* keys and values of meta */
    struct buf log;     /* what a model judge said, an entry of a replay: file; "" otherwise */
};

void verdict_clear(struct verdict *v);
void verdict_free(struct verdict *v);

/* A number outside [0, 1] is read as a rating on a scale (grade 3.3) when `set`. */
struct verdict_scale {
    bool set;
    double low, high;
};

/* The answer `value` of a scorer, by the table of grade 3.1 (3.3 with a scale). */
void verdict_read(struct verdict *v, struct json_value value, const struct verdict_scale *scale);

/* An answer that is a graded row (an object with final_text beside reward; grade 4.2) gives its
 * verdict keys and nothing else; any other value is verdict_read. */
void verdict_read_row(struct verdict *v, struct json_value value,
                      const struct verdict_scale *scale);

void verdict_none(struct verdict *v);                           /* no answer at all */
void verdict_failed(struct verdict *v, const char *format, ...) /* the scorer failed */
    __attribute__((format(printf, 2, 3)));
void verdict_timed_out(struct verdict *v, double seconds);

/* A reward from our own code: a score in [0, 1] (0 and 1 become integers); NaN is an invalid
 * result. */
void verdict_score(struct verdict *v, double score);

/* No score, and the reason why (a verifier without a reference): invalid_result. */
void verdict_unjudged(struct verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void verdict_reason(struct verdict *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void verdict_meta(struct verdict *v, struct span key, struct span json); /* copies both */
void verdict_meta_text(struct verdict *v, struct span key, const char *text);
void verdict_meta_remove(struct verdict *v, struct span key);
struct span verdict_meta_find(const struct verdict *v, const char *key); /* {NULL, 0}: not there */

/* Copies a validated value with NaN and infinities as strings, so that the output is JSON. */
void verdict_copy_json(struct json_value value, struct buf *out);

/* The verdict as one JSON object that verdict_load reads back (between processes). */
void verdict_store(const struct verdict *v, struct buf *out);
bool verdict_load(struct verdict *v, struct span text);

/* ---- landing on the row (grade 3.2, 3.4, 3.5)
 * ------------------------------------------------------- */

struct verdict_stamp {
    struct span judge_name, run_id, source; /* required */
    struct span model, judge_version;       /* len 0: not given */
    bool
        keep_prior; /* a model judge: an old reward of 0 or 1 goes to qwen_reward when that is null */
};

/* The row's line with the verdict spliced in, newline not included, appended to out. */
void verdict_land(const struct verdict *v, const struct verdict_stamp *stamp, const struct row *row,
                  struct buf *out);

/* The same for many rows: memory that is kept from one to the next ({0} is empty), and the members
 * of the row in out. */
struct verdict_landing {
    struct json_edit row, inner;
    struct json_members members;
    struct buf json;
};
void verdict_land_row(struct verdict_landing *l, const struct verdict *v,
                      const struct verdict_stamp *stamp, const struct row *row, struct buf *out,
                      struct json_members *written);

/* The same with the verdict as a second opinion: llm_reward and llm_reason alone (grade 14.6). */
void verdict_land_advice(struct verdict_landing *l, const struct verdict *v, const struct row *row,
                         struct buf *out, struct json_members *written);
void verdict_landing_free(struct verdict_landing *l);

#endif
