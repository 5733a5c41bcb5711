/* One row through everything that reads a row's meaning: conversion to v1 must give one line that
 * scans and that a second conversion leaves alone; the wire form, the scrubs, the forms and the
 * facts must scan. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "row/calls.h"
#include "row/computed.h"
#include "row/convert.h"
#include "row/forms.h"
#include "row/gold.h"
#include "row/key.h"
#include "row/reply.h"
#include "row/tools.h"
#include "row/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct scanned {
    struct row row;
    struct json_members members;
    struct buf text;
};

/* A line that our own code wrote. */
static const struct row *scan_own(struct scanned *s)
{
    struct json_fault fault;
    if (memchr(s->text.data, '\n', s->text.len) ||
        row_of_text(buf_span(&s->text), &s->row, &s->members, &fault))
        abort();
    return &s->row;
}

static void scanned_free(struct scanned *s)
{
    json_members_free(&s->members);
    buf_free(&s->text);
}

static bool convert(struct row_converter *c, const struct row *row, struct buf *out)
{
    struct row_repairs repairs = {0};
    const char *what = NULL;
    const struct row *normal = row_normalise(c, row, &repairs, &what);
    buf_clear(out);
    return normal && row_convert_v1(c, normal, true, out, &repairs, &what) == 0;
}

static void try_forms(const struct row *v1)
{
    struct scanned made = {0}, back = {0};
    const char *what;
    row_form_task(v1, true, &made.text);
    scan_own(&made);
    buf_clear(&made.text);
    row_form_messages(v1, &made.text);
    scan_own(&made);
    buf_clear(&made.text);
    row_form_correction(v1, true, &made.text);
    scan_own(&made);
    buf_clear(&made.text);
    row_form_objects(v1, false, &made.text);
    if (row_from_objects(scan_own(&made), &back.text, &what))
        abort();
    scan_own(&back);
    scanned_free(&made);
    scanned_free(&back);
}

static void try_facts(const struct row *row)
{
    struct json_edit edit = {0};
    struct scanned made = {0};
    struct row_conversation conversation = {0};
    struct row_calls calls = {0};
    struct row_tools tools = {0};
    struct buf out = {0};
    row_computed(row, 0xff, &edit);
    row_strip_reasoning(row, &edit);
    json_edit_apply(&edit, row->value.text, &row->members, &made.text);
    scan_own(&made);
    row_conversation_read(&conversation, row);
    row_said(row, &conversation, &out);
    row_assistant_text(row, &conversation, &out);
    row_reply_length(row, &conversation);
    row_is_truncated(row);
    row_calls_read(&calls, row);
    row_gold(row, SPAN("a.b"));
    row_gold(row, SPAN(""));
    row_candidate(row, &out);
    row_identity(row, &out);
    const struct json_value *list = row_get(row, SPAN("tools"));
    if (list)
        row_tools_of(&tools, *list);
    json_edit_free(&edit);
    scanned_free(&made);
    row_conversation_free(&conversation);
    row_calls_free(&calls);
    row_tools_free(&tools);
    buf_free(&out);
}

static void try_wire(const struct row *row)
{
    struct scanned made = {0};
    row_scrub(row, &made.text);
    scan_own(&made);
    buf_clear(&made.text);
    row_scrub_deep(row, &made.text);
    scan_own(&made);
    buf_clear(&made.text);
    row_wire(row, &made.text);
    scan_own(&made);
    scanned_free(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    struct span line = span_make((const char *)data, size);
    if (size && memchr(data, '\n', size))
        return 0;
    if (row_of_text(line, &row, &members, &fault) == 0 && row.value.type == JSON_VALUE_OBJECT) {
        struct row_converter *c = row_converter_new();
        struct scanned once = {0};
        struct buf twice = {0};
        try_facts(&row);
        try_wire(&row);
        if (convert(c, &row, &once.text)) {
            const struct row *v1 = scan_own(&once);
            if (!convert(c, v1, &twice) || !span_equal(buf_span(&once.text), buf_span(&twice)))
                abort();
            try_forms(v1);
            try_facts(v1);
        }
        scanned_free(&once);
        buf_free(&twice);
        row_converter_free(c);
    }
    json_members_free(&members);
    return 0;
}
