/* normalise.c: legacy shapes as the converter reads them (rows 3). */
#include "row/converter.h"
#include "row/parse.h"

/* c->text as the row that comes after; the members are scanned again. */
static const struct row *take_text(struct row_converter *c, const struct row *row)
{
    struct json_fault fault;
    row_of_text(buf_span(&c->text), &c->row, &c->members, &fault);
    c->row.file = row->file;
    c->row.line_number = row->line_number;
    c->row.index = row->index;
    return &c->row;
}

/* A JSON text under NAME_json becomes the value under NAME when it is of the right type and NAME is
 * free; else it stays where it is: data is never dropped silently. */
static void decode_flat(struct row_converter *c, const struct row *row, const char *flat,
                        const char *name, enum json_type type)
{
    const struct json_value *text = row_get(row, span_text(flat));
    const struct json_value *there = row_get(row, span_text(name));
    struct json_value value;
    bool taken = there && (type == JSON_VALUE_OBJECT || json_truthy(*there));
    if (!text || taken || !row_parse_text(&c->arena, *text, &value) || value.type != type)
        return;
    json_edit_remove(&c->edit, span_text(flat));
    json_edit_set(&c->edit, span_text(name), value.text);
}

static const struct row *decode(struct row_converter *c, const struct row *row)
{
    json_edit_clear(&c->edit);
    arena_clear(&c->arena);
    decode_flat(c, row, "steps_json", "steps", JSON_VALUE_ARRAY);
    decode_flat(c, row, "messages_json", "messages", JSON_VALUE_ARRAY);
    decode_flat(c, row, "metadata_json", "metadata", JSON_VALUE_OBJECT);
    if (!c->edit.count)
        return row;
    buf_clear(&c->text);
    json_edit_apply(&c->edit, row->value.text, &row->members, &c->text);
    return take_text(c, row);
}

static const struct row *trace(struct row_converter *c, const struct row *row,
                               struct row_repairs *repairs, const char **what)
{
    uint64_t removed = c->tracer.rewards_removed, bad = c->tracer.bad_arguments;
    buf_clear(&c->text);
    enum row_trace_fate fate = row_trace(&c->tracer, row, &c->text, what);
    if (fate == ROW_TRACE_BAD)
        return NULL;
    if (fate == ROW_TRACE_EMPTY)
        return row;
    repairs->count[ROW_REPAIR_REWARD] += (uint32_t)(c->tracer.rewards_removed - removed);
    repairs->count[ROW_REPAIR_ARGUMENTS] += (uint32_t)(c->tracer.bad_arguments - bad);
    c->steps_from = c->tracer.source;
    return take_text(c, row);
}

const struct row *row_normalise(struct row_converter *c, const struct row *row,
                                struct row_repairs *repairs, const char **what)
{
    c->steps_from = ROW_TRACE_NONE;
    switch (row_shape(row)) {
    case ROW_SHAPE_HF_FLAT: return decode(c, row);
    case ROW_SHAPE_TRAINING:
    case ROW_SHAPE_PLATFORM_PULL:
    case ROW_SHAPE_LOOSE: return trace(c, row, repairs, what);
    default: return row;
    }
}
