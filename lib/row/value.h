/* value.h: one reader for each way a number is read from a row. Statistics use the strict readers
 * (measure 1.2: booleans never count as rewards); ingest uses the lenient ones (rows 2.1-2.3). */
#ifndef WAI_ROW_VALUE_H
#define WAI_ROW_VALUE_H

#include "row/row.h"

/* Python's float(v): numbers, numeric text ("1e0", " .5 ", "inf", "1_0"), booleans as 0/1. false:
 * fails. */
bool value_float(struct json_value v, double *out);

/* label: first of reward, qwen_reward that equals 0 or 1 and is no boolean. */
enum row_label { ROW_LABEL_NONE = -1, ROW_LABEL_FAIL = 0, ROW_LABEL_PASS = 1 };
enum row_label row_label(const struct row *row);

/* graded: first finite number of the two keys, any value. */
bool row_graded(const struct row *row, double *out);

/* partial: at least one of the two keys holds a non-boolean number and none of them is 0 or 1. */
bool row_partial(const struct row *row);

/* What label, graded and partial say of one row in one look, over any list of reward keys.
 * values[i] is the value of key i or NULL. booleans_count: true and false count as 1 and 0
 * (`--bool-rewards`). */
struct reward_reading {
    enum row_label label;
    size_t label_key; /* which key the label comes from */
    bool graded;
    double value; /* graded */
    bool partial;
    bool boolean; /* a key holds a boolean that does not count */
};
void value_reward(const struct json_value *const *values, size_t count, bool booleans_count,
                  struct reward_reading *out);

/* binary: reward alone, 0/1, no boolean. */
enum row_label row_binary(const struct row *row);

/* marker m: markers[m] as value_float; booleans count; false: not applicable to the row. */
bool row_marker(const struct row *row, struct span name, double *out);

/* Lenient readers (rows 2.1-2.3): booleans count as 0/1. num: finite or fails. */
bool value_num(struct json_value v, double *out);
void value_num_text(struct json_value v,
                    struct buf *out);   /* num as JSON: a number keeps its text */
int64_t value_int(struct json_value v); /* toward zero, held to 64 bits; 0 on failure */
int value_binary(struct json_value v);  /* 0, 1 or -1 */

/* Text of a value: a string itself, else Python's str (rows 2.4). borrows v or scratch. */
struct span value_text(struct json_value v, struct buf *scratch);

#endif
