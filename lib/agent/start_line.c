/* start_line.c: see start_line.h. */
#include "agent/start_line.h"

#include "model/wire.h"
#include "json/write.h"

void start_line_open(struct start_line *s, const struct agent_setting *setting)
{
    struct json_writer w;
    struct json_value array;
    struct json_fault fault;
    struct buf entries = {0}, wire = {0};
    buf_text(&s->shared, ",\"system_prompt\":");
    json_quote(&s->shared, setting->policy);
    row_tools_join(setting->tools, &entries);
    json_write_start(&w, &wire, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (setting->tools->count && json_scan(buf_span(&entries), &array, NULL, &fault) == 0)
        wire_openai_tools(array, false, &w);
    json_write_end_object(&w);
    struct span members = span_slice(buf_span(&wire), 1, wire.len - 1); /* without the braces */
    buf_byte(&s->shared, ',');
    buf_span_add(&s->shared, members.len ? members : SPAN("\"tools\":[]"));
    buf_free(&entries);
    buf_free(&wire);
}

void start_line_free(struct start_line *s)
{
    buf_free(&s->shared);
}

void start_line_message(const struct span *turns, size_t n_turns, struct buf *out)
{
    for (size_t i = 0; i < n_turns; i++) {
        if (i)
            buf_text(out, "\n\n");
        buf_span_add(out, turns[i]);
    }
}

void start_line_write(const struct start_line *s, const struct agent_task *task, struct span id,
                      const struct span *turns, size_t n_turns, struct buf *out)
{
    struct buf message = {0};
    start_line_message(turns, n_turns, &message);
    buf_text(out, "{\"id\":");
    json_quote(out, id);
    buf_text(out, ",\"message\":");
    json_quote(out, buf_span(&message));
    buf_text(out, ",\"turns\":");
    for (size_t i = 0; i < n_turns; i++) {
        buf_byte(out, i ? ',' : '[');
        json_quote(out, turns[i]);
    }
    buf_byte(out, ']');
    buf_span_add(out, buf_span(&s->shared));
    buf_format(out, ",\"rollout_index\":%lld,\"seed\":%lld,\"scenario_id\":",
               (long long)task->rollout_index, (long long)task->run_seed);
    json_quote(out, task->scenario_id);
    buf_byte(out, '}');
    buf_free(&message);
}
