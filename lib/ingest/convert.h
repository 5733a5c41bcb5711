/* convert.h: rows from one form into another (rows 14): what `wai-rows convert` does with its
 * input. */
#ifndef WAI_INGEST_CONVERT_H
#define WAI_INGEST_CONVERT_H

#include "row/convert.h"
#include "row/counts.h"
#include "row/reader.h"
#include "row/writer.h"

enum convert_form {
    CONVERT_V1,
    CONVERT_WIRE,
    CONVERT_KEEP,
    CONVERT_TASKS,
    CONVERT_OBJECTS,
    CONVERT_CORRECTIONS,
    CONVERT_MESSAGES,
};
#define CONVERT_FORMS "v1|wire|keep|tasks|objects|corrections|messages"
enum convert_form convert_form_of(const char *name); /* one of CONVERT_FORMS */

struct convert {
    struct row_source source;
    struct row_writer *writer; /* borrow */
    enum convert_form form;
    bool from_objects;    /* the input is what CONVERT_OBJECTS wrote */
    unsigned add;         /* computed keys, row_computed_parse's set */
    bool task_key;        /* v1: task_id = task_key too */
    bool strip_reasoning; /* the agent's texts without thoughts */
    bool hide_privileged; /* tasks, objects: no teacher's block */
    bool all;             /* corrections: every row */
};

struct convert_report {
    struct row_counts read;
    uint64_t rows, rows_out;
    struct name_counts shapes;   /* of the rows as they came */
    struct name_counts problems; /* what was repaired or kept aside, what a wire row lacks */
    struct map tasks;
};

/* Fills *report (zero on entry; free it in any case). 0 or a negative code. */
int convert_run(const struct convert *convert, struct convert_report *report, struct error *error);
void convert_report_json(const struct convert_report *report, struct buf *out);
void convert_report_text(const struct convert_report *report, struct buf *out);
void convert_report_free(struct convert_report *report);

#endif
