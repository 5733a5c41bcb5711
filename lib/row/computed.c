/* computed.c: the keys of `convert --add` and `--strip-reasoning`. */
#include "row/computed.h"

#include "row/fault.h"
#include "row/key.h"
#include "row/signature.h"
#include "row/usable.h"
#include "row/value.h"
#include "text/reasoning.h"
#include "json/write.h"

struct computed {
    const char *word;
    void (*add)(const struct row *row, struct json_edit *edit);
};

static void add_fault(const struct row *row, struct json_edit *edit)
{
    struct buf name = {0};
    row_fault(row, &name);
    json_edit_text(edit, SPAN("trace_fault"), buf_span(&name));
    buf_free(&name);
}

static void add_signature(const struct row *row, struct json_edit *edit)
{
    char signature[ROW_SIGNATURE_LENGTH + 1];
    row_signature(row, signature);
    json_edit_text(edit, SPAN("behavior_signature"), span_text(signature));
}

static void add_usable(const struct row *row, struct json_edit *edit)
{
    const char *why = row_unusable_name(row_unusable(row));
    if (why)
        json_edit_text(edit, SPAN("unusable_reason"), span_text(why));
    else
        json_edit_set(edit, SPAN("unusable_reason"), SPAN("null"));
}

static void add_criteria(const struct row *row, struct json_edit *edit)
{
    struct buf out = {0};
    struct json_writer w;
    json_write_start(&w, &out, JSON_STYLE_SPACED);
    row_failed_criteria(row, &w);
    json_edit_set(edit, SPAN("failed_criteria"), buf_span(&out));
    buf_free(&out);
}

static void add_aim(const struct row *row, struct json_edit *edit)
{
    json_edit_set(edit, SPAN("mutation_worthy"),
                  row_mutation_worthy(row) ? SPAN("true") : SPAN("false"));
}

static void set_reasoning(const struct text_reasoning *r, struct json_edit *edit)
{
    struct buf out = {0};
    buf_format(&out, "{\"closed\": %zu, \"unclosed\": %s}", r->closed,
               r->unclosed ? "true" : "false");
    json_edit_set(edit, SPAN("reasoning"), buf_span(&out));
    buf_free(&out);
}

static struct span final_text(const struct row *row, struct buf *scratch)
{
    const struct json_value *final = row_get_set(row, SPAN("final_text"));
    return final ? value_text(*final, scratch) : SPAN("");
}

static void add_reasoning(const struct row *row, struct json_edit *edit)
{
    struct buf text = {0}, scratch = {0};
    struct text_reasoning r = text_split_reasoning(final_text(row, &text), &scratch);
    json_edit_text(edit, SPAN("spoken_text"), r.spoken);
    set_reasoning(&r, edit);
    buf_free(&text);
    buf_free(&scratch);
}

void row_rollout_id(const struct row *row, struct buf *out)
{
    struct buf task = {0}, index = {0}, model = {0};
    const struct json_value *value = row_get(row, SPAN("scenario_id"));
    if (!value || !json_truthy(*value))
        value = row_get(row, SPAN("task_id"));
    if (value && json_truthy(*value)) {
        buf_span_add(&task, value_text(*value, &model));
    } else {
        value = row_get(row, SPAN("prompt"));
        row_task_id_of(value && json_truthy(*value) ? value_text(*value, &model) : SPAN(""), &task);
    }
    value = row_get_set(row, SPAN("rollout_index"));
    buf_format(&index, "%lld", (long long)(value ? value_int(*value) : 0));
    value = row_get(row, SPAN("model_version"));
    struct span parts[] = {buf_span(&task), buf_span(&index),
                           value && json_truthy(*value) ? value_text(*value, &model) : SPAN("")};
    char hash[ROW_SHORT_HASH + 1];
    row_short_hash(parts, 3, hash);
    buf_text(out, hash);
    buf_free(&task);
    buf_free(&index);
    buf_free(&model);
}

static void add_id(const struct row *row, struct json_edit *edit)
{
    struct buf id = {0};
    if (row_get(row, SPAN("rollout_id")))
        return;
    row_rollout_id(row, &id);
    json_edit_text(edit, SPAN("rollout_id"), buf_span(&id));
    buf_free(&id);
}

static void add_task(const struct row *row, struct json_edit *edit)
{
    struct buf scratch = {0};
    if (!row_get(row, SPAN("task_id")))
        json_edit_text(edit, SPAN("task_id"), row_task_key(row, &scratch));
    buf_free(&scratch);
}

static const struct computed TABLE[] = {
    {"fault", add_fault},   {"signature", add_signature},
    {"usable", add_usable}, {"criteria", add_criteria},
    {"aim", add_aim},       {"reasoning", add_reasoning},
    {"id", add_id},         {"task", add_task},
};
enum { N_COMPUTED = sizeof TABLE / sizeof *TABLE };

int row_computed_parse(const char *list, unsigned *set, struct error *error)
{
    struct span rest = span_text(list);
    *set = 0;
    for (size_t at = 0; at <= rest.len;) {
        size_t comma = span_find(rest, SPAN(","), at);
        struct span word = span_slice(rest, at, comma == (size_t)-1 ? rest.len : comma);
        size_t i = 0;
        while (i < N_COMPUTED && !span_is(word, TABLE[i].word))
            i++;
        if (i == N_COMPUTED)
            return error_set(
                error, ERROR_USAGE,
                "--add: \"%.*s\" is no computed key; the words are " ROW_COMPUTED_WORDS,
                (int)word.len, word.ptr);
        *set |= 1u << i;
        at += word.len + 1;
    }
    return 0;
}

void row_computed(const struct row *row, unsigned set, struct json_edit *edit)
{
    for (size_t i = 0; i < N_COMPUTED; i++)
        if (set & 1u << i)
            TABLE[i].add(row, edit);
}

/* ---- without thoughts ---------------------------------------------------------------------- */

/* A text member of an object as its spoken part; false when nothing is to be taken out. */
static bool strip_text(struct json_value text, struct buf *out)
{
    struct buf decoded = {0}, scratch = {0};
    bool stripped = false;
    if (text.type == JSON_VALUE_STRING) {
        struct span whole = json_text(text, &decoded);
        struct text_reasoning r = text_split_reasoning(whole, &scratch);
        stripped = r.spoken.len != whole.len;
        if (stripped)
            buf_span_add(out, r.spoken);
    }
    buf_free(&decoded);
    buf_free(&scratch);
    return stripped;
}

/* Writes an object of a list with one text member stripped; false when it stays as it is. */
static bool strip_member(struct json_value object, struct span key, struct buf *out)
{
    struct json_value value;
    struct buf text = {0};
    bool changed = json_get(object, key, &value) && strip_text(value, &text);
    if (changed) {
        struct json_edit edit = {0};
        struct json_members members = {0};
        json_members_of(object, &members);
        json_edit_text(&edit, key, buf_span(&text));
        json_edit_apply(&edit, object.text, &members, out);
        json_edit_free(&edit);
        json_members_free(&members);
    }
    buf_free(&text);
    return changed;
}

static bool is_assistant(struct json_value message)
{
    struct json_value role;
    struct buf scratch = {0};
    bool yes = json_get(message, SPAN("role"), &role) && role.type == JSON_VALUE_STRING &&
               span_is(json_text(role, &scratch), "assistant");
    buf_free(&scratch);
    return yes;
}

/* The list with the texts of its objects stripped, every other byte as it was. */
static void strip_list(const struct row *row, struct span list_key, struct span key,
                       bool assistants, struct json_edit *edit)
{
    const struct json_value *list = row_get(row, list_key);
    if (!list || list->type != JSON_VALUE_ARRAY)
        return;
    struct buf out = {0};
    const char *at = list->text.ptr;
    struct json_cursor c = json_enter(*list);
    struct json_value item;
    bool changed = false;
    while (json_next_item(&c, &item)) {
        if (item.type != JSON_VALUE_OBJECT || (assistants && !is_assistant(item)))
            continue;
        size_t before = out.len;
        buf_add(&out, at, (size_t)(item.text.ptr - at));
        if (strip_member(item, key, &out)) {
            at = item.text.ptr + item.text.len;
            changed = true;
        } else {
            out.len = before;
        }
    }
    if (changed) {
        buf_add(&out, at, (size_t)(list->text.ptr + list->text.len - at));
        json_edit_set(edit, list_key, buf_span(&out));
    }
    buf_free(&out);
}

void row_strip_reasoning(const struct row *row, struct json_edit *edit)
{
    struct buf text = {0}, scratch = {0};
    struct span final = final_text(row, &text);
    struct text_reasoning r = text_split_reasoning(final, &scratch);
    if (r.spoken.len != final.len)
        json_edit_text(edit, SPAN("final_text"), r.spoken);
    strip_list(row, SPAN("steps"), SPAN("text"), false, edit);
    strip_list(row, SPAN("messages"), SPAN("content"), true, edit);
    if (r.spoken.len != final.len || !row_get(row, SPAN("reasoning")))
        set_reasoning(&r, edit);
    buf_free(&text);
    buf_free(&scratch);
}
