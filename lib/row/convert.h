/* convert.h: a row of any known shape as a stamped v1 row (rows 3, 4). Number texts and unknown
 * members survive byte for byte, and converting a converted row changes no byte. */
#ifndef WAI_ROW_CONVERT_H
#define WAI_ROW_CONVERT_H

#include "row/shape.h"
#include "json/write.h"

/* State that is reused from row to row; one per thread. */
struct row_converter;

struct row_converter *row_converter_new(void);
void row_converter_free(struct row_converter *c);

/* What a conversion had to repair or keep aside, counted. */
enum row_repair {
    ROW_REPAIR_REWARD,      /* an unreadable reward moved to judge_meta.raw_reward */
    ROW_REPAIR_MARKER,      /* a marker that is no number, kept as it was */
    ROW_REPAIR_CALIBRATION, /* a calibration that is invalid, kept as it was */
    ROW_REPAIR_STEP,        /* a step that is no object, left out */
    ROW_REPAIR_FAULT,       /* a fault that is no object, left out */
    ROW_REPAIR_ARGUMENTS,   /* arguments of a call that do not parse, read as {} */
    ROW_REPAIR_COUNT,
};
const char *row_repair_name(enum row_repair repair);

struct row_repairs {
    uint32_t count[ROW_REPAIR_COUNT];
};

/* The row as the converter reads it: hf_flat decoded, training, platform_pull and loose rows
 * through the trace rules, others as they are (rows 3). Borrowed until the converter's next call.
 * NULL: *what says why it cannot be read, with the mend. */
const struct row *row_normalise(struct row_converter *c, const struct row *row,
                                struct row_repairs *repairs, const char **what);

/* Appends the v1 row, without a newline, to out. row: what row_normalise returned. task_key: write
 * task_id = task_key too. 0, or -1 with *what. */
int row_convert_v1(struct row_converter *c, const struct row *row, bool task_key, struct buf *out,
                   struct row_repairs *repairs, const char **what);

/* The scenario_id of the row that row_convert_v1 wrote last; borrowed until its next call. */
struct span row_converter_task(const struct row_converter *c);

/* Writes a calibration in its full form; valid ones only (rows 4.3). task: the row's own task id.
 */
void row_calibration_write(struct json_value calibration, struct span task, struct json_writer *w);

#endif
