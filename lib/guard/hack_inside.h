/* hack_inside.h: how the pieces of the hack scan use each other. Inside room `guard`. */
#ifndef WAI_GUARD_HACK_INSIDE_H
#define WAI_GUARD_HACK_INSIDE_H

#include "guard/hack_rows.h"
#include "guard/path.h"

struct hack_reader *hack_reader_new(const struct hack_options *options, struct error *error);
void hack_reader_free(struct hack_reader *reader);
void hack_rows_add(struct hack_rows *rows, struct hack_reader *reader, const struct row *row);
void hack_rows_free(struct hack_rows *rows);

/* The regime of a ranked report, and the findings that go with it (guard 10.2). */
void hack_judge(struct hack_report *report);

#endif
