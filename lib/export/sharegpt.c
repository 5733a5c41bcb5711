/* sharegpt.c: see sharegpt.h. */
#include "export/sharegpt.h"

static const char BETWEEN_RESULTS[] = "\n</tool_response>\n<tool_response>\n";

static size_t after_system(const struct export_turns *t, size_t end)
{
    size_t i = 0;
    while (i < end && t->items[i].role == ROW_ROLE_SYSTEM)
        i++;
    return i;
}

static bool is_model(const struct export_turns *t, size_t i)
{
    return t->items[i].role == ROW_ROLE_ASSISTANT;
}

/* The turn behind i: results of calls stand together. */
static size_t next_turn(const struct export_turns *t, size_t i, size_t end)
{
    size_t next = i + 1;
    while (t->items[i].role == ROW_ROLE_TOOL && next < end && t->items[next].role == ROW_ROLE_TOOL)
        next++;
    return next;
}

bool export_sharegpt_fits(const struct export_turns *t, size_t end, bool answered, int64_t *texts)
{
    bool model = true; /* who spoke last */
    *texts = 0;
    for (size_t i = after_system(t, end); i < end; i = next_turn(t, i, end)) {
        const struct export_turn *turn = &t->items[i];
        if (turn->role == ROW_ROLE_SYSTEM || is_model(t, i) == model)
            return false;
        model = !model;
        *texts += turn->n_calls && turn->content.len;
    }
    return after_system(t, end) < end && model == answered;
}

static void write_text_of_calls(const struct export_turns *t, const struct export_turn *turn,
                                struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_SPACED);
    if (turn->n_calls > 1)
        json_write_array(&w);
    for (size_t i = 0; i < turn->n_calls; i++) {
        const struct export_call *call = &t->calls[turn->first_call + i];
        json_write_object(&w);
        json_write_key(&w, "name");
        json_write_span(&w, call->name);
        json_write_key(&w, "arguments");
        export_write_object_arguments(call, &w);
        json_write_end_object(&w);
    }
    if (turn->n_calls > 1)
        json_write_end_array(&w);
}

static void write_entry(const char *from, struct span value, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "from");
    json_write_text(w, from);
    json_write_key(w, "value");
    json_write_span(w, value);
    json_write_end_object(w);
}

static void write_turns(const struct export_turns *t, size_t i, size_t end, struct json_writer *w)
{
    const struct export_turn *turn = &t->items[i];
    struct buf text = {0};
    const char *from = "human";
    if (turn->n_calls) {
        from = "function_call";
        write_text_of_calls(t, turn, &text);
    } else if (turn->role == ROW_ROLE_TOOL) {
        from = "observation";
        for (size_t k = i; k < end; k++) {
            if (k > i)
                buf_text(&text, BETWEEN_RESULTS);
            buf_span_add(&text, t->items[k].content);
        }
    } else {
        from = turn->role == ROW_ROLE_ASSISTANT ? "gpt" : "human";
        buf_span_add(&text, turn->content);
    }
    write_entry(from, buf_span(&text), w);
    buf_free(&text);
}

void export_sharegpt_turn(const struct export_turns *t, size_t i, struct json_writer *w)
{
    write_turns(t, i, i + 1, w);
}

void export_sharegpt_write(const struct export_turns *t, size_t end, struct json_writer *w)
{
    size_t first = after_system(t, end);
    json_write_key(w, "conversations");
    json_write_array(w);
    for (size_t i = first; i < end;) {
        size_t next = next_turn(t, i, end);
        write_turns(t, i, next, w);
        i = next;
    }
    json_write_end_array(w);
    struct buf system = {0};
    for (size_t i = 0; i < first; i++) {
        if (i)
            buf_text(&system, "\n\n");
        buf_span_add(&system, t->items[i].content);
    }
    /* In every row, so that the column is one of texts. */
    json_write_key(w, "system");
    json_write_span(w, buf_span(&system));
    buf_free(&system);
}

static void write_column(const char *key, const char *column, struct json_writer *w)
{
    json_write_key(w, key);
    json_write_text(w, column);
}

void export_sharegpt_info(enum export_sharegpt_kind kind, const char *path, bool tools,
                          struct json_writer *w)
{
    json_write_object(w);
    write_column("file_name", path ? path : "FILE", w);
    write_column("formatting", "sharegpt", w);
    if (kind == SHAREGPT_PREFERENCE) {
        json_write_key(w, "ranking");
        json_write_bool(w, true);
    }
    json_write_key(w, "columns");
    json_write_object(w);
    write_column("messages", "conversations", w);
    write_column("system", "system", w);
    if (tools)
        write_column("tools", "tools", w);
    if (kind == SHAREGPT_PREFERENCE) {
        write_column("chosen", "chosen", w);
        write_column("rejected", "rejected", w);
    }
    if (kind == SHAREGPT_KTO)
        write_column("kto_tag", "label", w);
    json_write_end_object(w);
    json_write_end_object(w);
}
