/* training_report.c: what a training file holds and what to know before training on it
 * (select 13.3). */
#include "export/defaults.h"
#include "export/sharegpt.h"
#include "export/training_set.h"
#include "text/number.h"

/* What a trainer does with the file, as a word for programs and a sentence for people. */
static const char *mask_effect(const struct export_training_options *o)
{
    if (o->format == EXPORT_TRL)
        return o->unroll || o->mask == EXPORT_MASK_FINAL ? "completion" : "every_token";
    if (o->unroll)
        return "final_unrolled";
    return o->mask == EXPORT_MASK_FINAL ? "final" : "assistant";
}

static const char *mask_sentence(const struct export_training_options *o)
{
    const char *effect = mask_effect(o);
    if (o->format == EXPORT_LLAMAFACTORY)
        return strcmp(effect, "assistant") == 0
                   ? "LLaMA-Factory trains on every turn of the model, its calls included"
                   : "LLaMA-Factory trains on every turn of the model unless mask_history: true "
                     "stands in its configuration: then on the last one alone";
    if (o->format == EXPORT_AXOLOTL)
        return strcmp(effect, "assistant") == 0
                   ? "Axolotl trains on every assistant turn, given message_field_training: "
                     "training"
                   : "Axolotl trains on the last assistant turn, given message_field_training: "
                     "training";
    if (strcmp(effect, "every_token") == 0)
        return "TRL trains on every token of these rows: it reads no mask; "
               "assistant_only_loss=True trains on the "
               "assistant's turns alone, given a chat template that marks them ({% generation %})";
    if (strcmp(effect, "completion") == 0)
        return "TRL trains on the completion, the last assistant turn, alone";
    if (strcmp(effect, "final_unrolled") == 0)
        return "the mask trains on the last assistant turn of each row; every assistant turn is "
               "one row's last";
    return strcmp(effect, "final") == 0 ? "the mask trains on the last assistant turn"
                                        : "the mask trains on every assistant turn";
}

static void write_roundtrip(const struct export_training *t, struct json_writer *w)
{
    bool trl = t->options->format == EXPORT_TRL;
    json_write_key(w, "tool_call_roundtrip");
    json_write_object(w);
    json_write_count(w, "checked", t->total[TALLY_CALLS]);
    json_write_count(w, "invalid", t->total[TALLY_BAD_CALLS]);
    json_write_key(w, "rows");
    json_write_array(w);
    for (size_t i = 0; i < t->n_bad_rows; i++)
        json_write_int(w, (int64_t)t->bad_rows[i]);
    json_write_end_array(w);
    json_write_key(w, "encoding");
    json_write_text(w, trl ? "dict" : "json_string");
    json_write_key(w, "checked_for");
    json_write_text(w, trl ? "arguments are objects, as chat templates read them"
                           : "arguments are JSON text of an object, as the OpenAI wire has them");
    json_write_end_object(w);
}

static void write_mask_facts(const struct export_training *t, struct json_writer *w)
{
    const struct export_training_options *o = t->options;
    json_write_key(w, "mask_mode");
    json_write_text(w, mask_sentence(o));
    json_write_key(w, "mask_effect");
    json_write_text(w, mask_effect(o));
    json_write_key(w, "unrolled");
    json_write_bool(w, o->unroll);
    json_write_key(w, "max_tool_output_chars");
    if (o->build.max_tool_output < 0)
        json_write_null(w);
    else
        json_write_int(w, o->build.max_tool_output);
    json_write_count(w, "tool_output_truncated", t->total[TALLY_CUT]);
    json_write_count(w, "tool_output_chars_cut", t->total[TALLY_CUT_CHARS]);
    json_write_count(w, "trained_messages", t->total[TALLY_TRAINED]);
    json_write_count(w, "masked_messages", t->total[TALLY_MASKED]);
}

static void write_warnings(const struct export_training *t, struct json_writer *w)
{
    struct buf lines = {0};
    export_training_notes(t, &lines);
    if (lines.len)
        export_write_lines("warnings", buf_span(&lines), w);
    buf_free(&lines);
}

/* KTO: how many completions to learn and to unlearn, and what had no label. */
static void write_labels(const struct export_training *t, struct json_writer *w)
{
    json_write_key(w, "labels");
    json_write_object(w);
    json_write_count(w, "desirable", t->n_pass);
    json_write_count(w, "undesirable", t->n_fail);
    json_write_key(w, "ratio");
    if (t->n_fail)
        json_write_real(w, number_round((double)t->n_pass / (double)t->n_fail, 4));
    else
        json_write_null(w);
    json_write_end_object(w);
    json_write_count(w, "ungraded_dropped", t->n_unlabelled);
    json_write_count(w, "half_dropped", t->n_half);
}

void export_training_report(struct export_training *t, const char *path, bool written,
                            struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-export");
    json_write_key(w, "kind");
    json_write_text(w, t->options->kto ? "kto" : "training");
    json_write_count(w, "n", t->n_samples);
    json_write_key(w, "format");
    json_write_text(w, EXPORT_FORMAT_NAMES[t->options->format]);
    json_write_count(w, "with_system", t->total[TALLY_WITH_SYSTEM]);
    json_write_count(w, "with_tools", t->options->tools.len ? t->n_samples : 0);
    json_write_count(w, "groups", t->grouped ? t->keys.count : 0);
    write_roundtrip(t, w);
    write_mask_facts(t, w);
    json_write_key(w, "privileged_leaks");
    export_leaks_report(&t->leaks, w);
    json_write_key(w, "rewards");
    json_write_object(w);
    json_write_count(w, "n_pass", t->n_pass);
    json_write_count(w, "n_fail", t->n_fail);
    json_write_count(w, "n_ungraded", t->n_ungraded);
    json_write_end_object(w);
    if (t->options->kto)
        write_labels(t, w);
    if (t->n_dropped)
        json_write_count(w, "no_completion_dropped", t->n_dropped);
    if (t->n_not_alternating)
        json_write_count(w, "not_alternating_dropped", t->n_not_alternating);
    if (t->total[TALLY_CALL_TEXTS])
        json_write_count(w, "call_texts_dropped", t->total[TALLY_CALL_TEXTS]);
    if (t->options->format == EXPORT_LLAMAFACTORY) {
        json_write_key(w, "dataset_info");
        export_sharegpt_info(t->options->kto ? SHAREGPT_KTO : SHAREGPT_TRAINING, path,
                             t->options->tools.len > 0, w);
    }
    if (t->total[TALLY_ROLES])
        json_write_count(w, "roles_dropped", t->total[TALLY_ROLES]);
    if (t->total[TALLY_PARTS])
        json_write_count(w, "parts_dropped", t->total[TALLY_PARTS]);
    write_warnings(t, w);
    json_write_key(w, "path");
    if (path && written)
        json_write_text(w, path);
    else
        json_write_null(w);
    json_write_count(w, "n_written", written ? t->n_samples : 0);
    json_write_end_object(w);
}

static void note(struct buf *lines, uint64_t count, uint64_t of, const char *sentence)
{
    if (count)
        buf_format(lines, "%llu of %llu %s\n", (unsigned long long)count, (unsigned long long)of,
                   sentence);
}

/* What KTO (arXiv:2402.01306) needs of its labels. */
static void note_labels(const struct export_training *t, struct buf *lines)
{
    if (!t->options->kto)
        return;
    note(lines, t->n_unlabelled, t->n_rows,
         "rows have no reward and were left out: KTO needs a label; grade them first");
    note(lines, t->n_half, t->n_rows,
         "rows have a reward of exactly 0.5 and were left out: it is neither a pass nor a failure");
    if (t->n_samples && (!t->n_pass || !t->n_fail))
        buf_format(lines,
                   "all %zu completions are %s; KTO compares the two kinds, so add rows of the "
                   "other\n",
                   t->n_samples, t->n_pass ? "desirable" : "undesirable");
}

void export_training_notes(const struct export_training *t, struct buf *lines)
{
    note(lines, t->leaks.n_leaked, t->n_rows, "rows quote their privileged block in a reply");
    note(lines, t->total[TALLY_BAD_CALLS], t->total[TALLY_CALLS],
         "tool calls have arguments that are no JSON object");
    note(lines, t->n_length, t->n_rows,
         "rows were cut by the reply's token cap (finish_reason length); a model trained on them "
         "learns to stop "
         "in mid-sentence");
    if (!t->options->kto)
        note(lines, t->n_fail, t->n_samples,
             "rows have a reward below 0.5; supervised training copies what it is given, so select "
             "the "
             "passing ones "
             "first (wai-select --mode sft)");
    note_labels(t, lines);
    note(lines, t->n_dropped, t->n_rows,
         "rows have no assistant turn behind a first message and were left out: a completion needs "
         "a prompt");
    note(lines, t->n_not_alternating, t->n_rows,
         "rows do not alternate between people and the model, which LLaMA-Factory passes over, and "
         "were left out; --format openai or axolotl takes them");
    note(
        lines, t->total[TALLY_CALL_TEXTS], t->total[TALLY_CALL_TEXTS],
        "turns have words beside their tool calls, which LLaMA-Factory has no place for; the words "
        "were left out");
    if (!t->options->tools.len)
        note(lines, t->n_calling, t->n_rows,
             "rows call tools, but no schemas were given; name them with --tools");
    if (!t->options->build.system_prompt.len)
        note(lines, t->n_sha, t->n_rows,
             "rows were made under a system prompt (lineage.system_prompt_sha), but none was "
             "given; name it with "
             "--system-prompt or --policy");
    note(lines, t->n_systems_differ, t->n_rows,
         "rows bring a system turn of their own beside the one given; --replace-system drops "
         "theirs");
    note(lines, t->total[TALLY_ROLES], t->total[TALLY_ROLES],
         "messages of a role that is not system, user, assistant or tool were left out");
    note(lines, t->total[TALLY_PARTS], t->total[TALLY_PARTS],
         "parts of messages that are no text were left out");
}

void export_training_summary(const struct export_training *t, struct buf *line)
{
    buf_format(line,
               "%zu rows (%s) of %llu: %llu pass, %llu fail, %llu ungraded; %llu messages trained "
               "on, %llu not",
               t->n_samples, EXPORT_FORMAT_NAMES[t->options->format], (unsigned long long)t->n_rows,
               (unsigned long long)t->n_pass, (unsigned long long)t->n_fail,
               (unsigned long long)t->n_ungraded, (unsigned long long)t->total[TALLY_TRAINED],
               (unsigned long long)t->total[TALLY_MASKED]);
}
