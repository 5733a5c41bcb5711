/* converter.h: the inside of the converter, shared by its files. Internal to the room. */
#ifndef WAI_ROW_CONVERTER_H
#define WAI_ROW_CONVERTER_H

#include "row/conversation.h"
#include "row/convert.h"
#include "row/known.h"
#include "row/trace.h"
#include "json/edit.h"

struct row_converter {
    struct row_conversation conversation;
    struct row_tracer tracer;
    struct json_edit edit;
    enum row_trace_source steps_from; /* what the row's steps were built from by the trace rules */
    struct row row;                   /* the normalised row */
    struct json_members members;
    struct arena arena;
    struct buf text, scratch, task;
    struct member_list rest, step_rest;
};

/* One conversion to v1. */
struct v1 {
    struct row_converter *c;
    const struct row *row;
    struct row_known known;
    struct json_writer w;
    bool verdict; /* a primary judgment exists */
    struct row_repairs *repairs;
};

void v1_write_steps(struct v1 *v);

#endif
