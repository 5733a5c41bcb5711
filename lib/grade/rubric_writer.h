/* rubric_writer.h: rubrics onto rows: one written by a model per distinct prompt (grade 13.3), or one
 * from a file for all of them. */
#ifndef WAI_GRADE_RUBRIC_WRITER_H
#define WAI_GRADE_RUBRIC_WRITER_H

#include "grade/defaults.h"
#include "grade/judge.h"
#include "row/reader.h"
#include "row/writer.h"

struct rubric_writer_options {
    const char *attach, *domain, *criteria;
    bool write, overwrite, no_overwrite, max_hard_given;
    int64_t max_hard;
};

/* clang-format off */
#define RUBRIC_WRITER_OPTIONS(type, field) \
    {.kind = OPTION_TEXT, .name = "attach-rubric", .offset = offsetof(type, field.attach), .arg = "FILE", .file = true, \
     .help = "put the criteria of FILE into privileged.rubric of every row"}, \
    {.kind = OPTION_FLAG, .name = "no-overwrite", .offset = offsetof(type, field.no_overwrite), \
     .help = "with --attach-rubric: rows that have a rubric keep it"}, \
    {.kind = OPTION_FLAG, .name = "write-rubrics", .offset = offsetof(type, field.write), \
     .help = "the judge's model writes a rubric for each prompt into privileged.rubric"}, \
    {.kind = OPTION_FLAG, .name = "overwrite", .offset = offsetof(type, field.overwrite), \
     .help = "with --write-rubrics: prompts that have a rubric get a new one"}, \
    {.kind = OPTION_TEXT, .name = "domain", .offset = offsetof(type, field.domain), .arg = "TEXT|@FILE", \
     .help = "guidance about the field for the writer of rubrics"}, \
    {.kind = OPTION_TEXT, .name = "criteria", .offset = offsetof(type, field.criteria), .arg = "LO,HI", \
     .help = "how many criteria the writer is asked for (3,8)"}, \
    {.kind = OPTION_INT, .name = "max-hard", .offset = offsetof(type, field.max_hard), .arg = "K", .min = 0, .max = 1e6, \
     .seen = offsetof(type, field.max_hard_given), \
     .help = "hard rules of a written rubric at most: the lightest become principles"}
/* clang-format on */

/* What a rubric is on a row: {criteria, source, domain, notes, version}. Appended. */
void rubric_object(const struct rubric *rubric, const char *source, struct span domain,
                   struct buf *out);

/* Runs --write-rubrics: rows in, rows out. report: the object as one line. ERROR_REMOTE: the model
 * wrote none. */
int rubric_writer_run(const struct rubric_writer_options *options,
                      const struct scorer_judge_options *judge, const struct scorer_setup *setup,
                      const struct row_source *source, const char *output, struct buf *report,
                      struct error *error);

#endif
