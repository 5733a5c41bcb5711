/* carried.c: see carried.h. */
#include "export/carried.h"

#include "export/turns.h"
#include "row/wire.h"

#define NAME(text)               \
    {                            \
        (text), sizeof(text) - 1 \
    }

static const struct span TRAINING[] = {
    NAME("reward"),
    NAME("qwen_reward"),
    NAME("reason"),
    NAME("prompt"),
    NAME("scenario_id"),
    NAME("task_id"),
    NAME("world_state"),
    NAME("faults"),
    NAME("fault_detected"),
    NAME("label_source"),
    NAME("failure_class"),
    NAME("judge_status"),
    NAME("judge_name"),
    NAME("lineage"),
    NAME("logprob"),
    NAME("n_tokens"),
    NAME("token_logprobs"),
    NAME("sampling"),
    NAME("policy_version"),
    NAME("writer_model"),
    NAME("user_model"),
    NAME("usage"),
    NAME("tier"),
    NAME("ask_family"),
    NAME("ask"),
    NAME("stance"),
    NAME("tone"),
    NAME("texture"),
    NAME("vagueness"),
    NAME("phrasing"),
    NAME("pressure"),
    NAME("user"),
    NAME("history"),
    NAME("length"),
    NAME("intent_known"),
    NAME("tool_known"),
};

static const struct span PREFERENCE[] = {
    NAME("tie"),
    NAME("pairwise"),
    NAME("first_turn_differs"),
    NAME("chosen_score"),
    NAME("rejected_score"),
    NAME("margin"),
    NAME("chosen_model"),
    NAME("rejected_model"),
    NAME("same_policy"),
    NAME("length_delta"),
    NAME("chosen_reason"),
    NAME("rejected_reason"),
    NAME("rejected_failure_class"),
    NAME("lineage"),
};

const struct export_carried EXPORT_TRAINING_KEYS = {TRAINING, sizeof TRAINING / sizeof *TRAINING};
const struct export_carried EXPORT_PREFERENCE_KEYS = {PREFERENCE,
                                                      sizeof PREFERENCE / sizeof *PREFERENCE};

void export_write_carried(const struct row *row, struct span name, struct arena *arena,
                          struct json_writer *w)
{
    const struct json_value *value = row_get_set(row, name);
    if (!value)
        return;
    struct json_value clean = export_finite(arena, *value);
    if (clean.type == JSON_VALUE_NULL)
        return;
    json_write_key_span(w, name);
    json_write_raw(w, clean.text);
}

struct row export_scrubbed(const struct row *row, struct buf *text, struct json_members *members)
{
    struct row clean = *row;
    struct json_fault fault;
    buf_clear(text);
    row_scrub(row, text);
    if (text->len == row->value.text.len)
        return *row; /* scrubbing only takes away */
    row_of_text(buf_span(text), &clean, members, &fault);
    clean.file = row->file;
    clean.line_number = row->line_number;
    clean.index = row->index;
    return clean;
}
