/* verbs.h: what the verbs of wai-rows share. */
#ifndef WAI_ROWS_VERBS_H
#define WAI_ROWS_VERBS_H

#include "base/program.h"
#include "row/reader.h"
#include "row/writer.h"

program_verb run_bench, run_check, run_convert, run_split;
extern const struct option BENCH_OPTIONS[], CHECK_OPTIONS[], CONVERT_OPTIONS[], SPLIT_OPTIONS[];

/* What a pass over the rows leaves to say: nothing is dropped silently. */
void note_counts(const struct row_counts *counts);

struct row_source source_of(const struct operands *operands, const struct row_options *rows);

/* A writer for an option that names a file; NULL when the option is absent. */
int open_writer(const char *path, struct row_writer **writer, struct error *error);

/* Commits when all went well so far, leaves the old file alone otherwise. */
int close_writer(int rc, struct row_writer *writer, struct error *error);

/* What verbs that write rows have in common. */
struct output_options {
    const char *output, *report;
};

/* clang-format off */
#define OUTPUT_OPTIONS(type, field)                                                              \
    {.kind = OPTION_TEXT, .letter = 'o', .name = "output", .offset = offsetof(type, field.output), \
     .arg = "FILE", .help = "write the rows to FILE instead of standard output", .file = true},  \
    {.kind = OPTION_TEXT, .name = "report", .offset = offsetof(type, field.report), .arg = "FILE", \
     .help = "what was done, as one JSON object in FILE", .file = true}
/* clang-format on */

/* The report of such a verb: lines on standard error, an object in --report's file. Both are freed. */
int tell(const struct output_options *o, struct buf *text, struct buf *json, int rc,
         struct error *error);

#endif
