/* row.c: facts of a row that no tool prints by themselves, for the comparison with the reference package. */
#include "unit.h"

#include "row/calls.h"
#include "row/gold.h"
#include "row/reply.h"

static void write_calls(const struct row *row, struct json_writer *out)
{
    struct row_calls calls = {0};
    row_calls_read(&calls, row);
    json_write_array(out);
    for (size_t i = 0; i < calls.count; i++) {
        const struct row_call *call = &calls.items[i];
        json_write_array(out);
        json_write_span(out, call->name);
        json_write_raw(out, call->arguments.text.ptr ? call->arguments.text : SPAN("{}"));
        json_write_span(out, call->id);
        json_write_end_array(out);
    }
    json_write_end_array(out);
    row_calls_free(&calls);
}

static void write_gold(const struct row *row, struct json_writer *out)
{
    struct row_gold gold = row_gold(row, SPAN(""));
    json_write_key(out, "gold");
    json_write_raw(out, gold.value.text.ptr ? gold.value.text : SPAN("null"));
    json_write_key(out, "privileged");
    json_write_bool(out, gold.privileged);
}

/* A row in, its facts out. */
static int run_facts(struct json_value in, struct json_writer *out, struct error *error)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct row_conversation conversation = {0};
    struct buf text = {0};
    if (row_of_text(in.text, &row, &members, &fault))
        return error_set(error, ERROR_INPUT, "%s", fault.what);
    row_conversation_read(&conversation, &row);
    json_write_object(out);
    json_write_key(out, "reply_length");
    json_write_int(out, (int64_t)row_reply_length(&row, &conversation));
    json_write_key(out, "assistant_turns");
    json_write_int(out, (int64_t)row_assistant_turns(&conversation));
    json_write_key(out, "n_tool_calls");
    json_write_int(out, (int64_t)row_tool_calls(&row));
    json_write_key(out, "is_truncated");
    json_write_bool(out, row_is_truncated(&row));
    json_write_key(out, "assistant_text");
    row_assistant_text(&row, &conversation, &text);
    json_write_span(out, buf_span(&text));
    json_write_key(out, "candidate");
    json_write_span(out, row_candidate(&row, &text));
    write_gold(&row, out);
    json_write_key(out, "tool_calls");
    write_calls(&row, out);
    json_write_end_object(out);
    json_members_free(&members);
    row_conversation_free(&conversation);
    buf_free(&text);
    return 0;
}

const struct unit_function UNIT_ROW[] = {{"row_facts", run_facts}, {0}};
