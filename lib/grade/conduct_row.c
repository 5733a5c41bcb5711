/* conduct_row.c: see conduct_row.h. */
#include "grade/conduct_row.h"

#include <stdlib.h>

#include "row/fault.h"
#include "row/gold.h"
#include "row/parse.h"
#include "row/step.h"
#include "row/value.h"
#include "text/fold.h"
#include "json/pyjson.h"

struct span conduct_keep(struct conduct_row *c, const struct buf *text)
{
    return arena_span(&c->arena, buf_span(text));
}

struct span conduct_lower(struct conduct_row *c, struct span text)
{
    buf_clear(&c->scratch);
    text_lower(text, &c->scratch);
    return conduct_keep(c, &c->scratch);
}

void conduct_add_json(struct conduct_row *c, struct json_value value, struct buf *out)
{
    struct buf json = {0};
    json_pyjson(value, &json);
    buf_clear(&c->scratch);
    text_lower(buf_span(&json), &c->scratch);
    buf_span_add(out, buf_span(&c->scratch));
    buf_free(&json);
}

/* Text of a truthy value; a string without escapes is not copied. */
static struct span text_of(struct conduct_row *c, struct json_value value)
{
    if (!value.text.ptr || !json_truthy(value))
        return SPAN("");
    struct span text = value_text(value, &c->scratch);
    return text.ptr == c->scratch.data ? arena_span(&c->arena, text) : text;
}

static struct span status_of(struct conduct_row *c, struct json_value object)
{
    struct json_value status;
    if (!json_get(object, SPAN("status"), &status) || !json_truthy(status))
        return SPAN("");
    return conduct_lower(c, text_strip(text_of(c, status)));
}

static void read_step(struct conduct_row *c, struct json_value value)
{
    struct row_step step;
    row_step_read(value, &step);
    c->steps = mem_grow(c->steps, &c->cap, c->count + 1, sizeof *c->steps);
    struct conduct_step *s = &c->steps[c->count++];
    *s = (struct conduct_step){.tool = text_of(c, step.tool),
                               .said = text_of(c, step.text),
                               .user = text_of(c, step.user)};
    if (!json_value_null(step.arguments))
        s->arguments = step.arguments;
    if (!step.result.text.ptr || json_value_null(step.result))
        return;
    s->result = step.result;
    if (row_parse_object(&c->arena, step.result, &s->object))
        s->status = status_of(c, s->object);
    s->faulted = s->tool.len && row_result_failed(step.result);
}

void conduct_row_read(struct conduct_row *c, const struct row *row)
{
    arena_clear(&c->arena);
    c->count = c->calls = 0;
    c->row = row;
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *faults = row_get(row, SPAN("faults"));
    const struct json_value *steps = row_get(row, SPAN("steps"));
    c->prompt = prompt ? text_of(c, *prompt) : SPAN("");
    c->asked = conduct_lower(c, c->prompt);
    struct span reply = row_candidate(row, &c->scratch);
    c->reply = reply.ptr == c->scratch.data ? arena_span(&c->arena, reply) : reply;
    c->planned = c->faults = faults && json_truthy(*faults);
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return;
    struct json_cursor cursor = json_enter(*steps);
    struct json_value step;
    while (json_next_item(&cursor, &step)) {
        if (step.type != JSON_VALUE_OBJECT)
            continue;
        read_step(c, step);
        c->calls += c->steps[c->count - 1].tool.len > 0;
        c->faults = c->faults || c->steps[c->count - 1].faulted;
    }
}

void conduct_row_free(struct conduct_row *c)
{
    free(c->steps);
    arena_free(&c->arena);
    buf_free(&c->scratch);
    *c = (struct conduct_row){0};
}
