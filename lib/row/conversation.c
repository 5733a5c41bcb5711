/* conversation.c: the messages of a row, its own or built from prompt and steps (rows 5). */
#include "row/conversation.h"

#include <stdlib.h>

#include "row/gold.h"
#include "row/step.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "json/pyjson.h"

static const struct span AGENT_ERROR = {"<agent error", 12};

static const struct {
    const char *name;
    enum row_role role;
} ROLES[] = {
    {"assistant", ROW_ROLE_ASSISTANT},
    {"user", ROW_ROLE_USER},
    {"tool", ROW_ROLE_TOOL},
    {"system", ROW_ROLE_SYSTEM},
};
enum { N_ROLES = sizeof ROLES / sizeof *ROLES };

const char *row_role_name(enum row_role role)
{
    for (size_t i = 0; i < N_ROLES; i++)
        if (ROLES[i].role == role)
            return ROLES[i].name;
    return "";
}

static enum row_role role_of(struct json_value role, struct buf *scratch)
{
    if (!role.text.ptr || role.type != JSON_VALUE_STRING)
        return ROW_ROLE_OTHER;
    struct span text = json_text(role, scratch);
    for (size_t i = 0; i < N_ROLES; i++)
        if (span_is(text, ROLES[i].name))
            return ROLES[i].role;
    return ROW_ROLE_OTHER;
}

static struct row_message *add(struct row_conversation *c, enum row_role role)
{
    c->items = mem_grow(c->items, &c->cap, c->count + 1, sizeof *c->items);
    struct row_message *message = &c->items[c->count++];
    *message = (struct row_message){.role = role};
    return message;
}

static void clear(struct row_conversation *c)
{
    c->count = 0;
    c->built = false;
    arena_clear(&c->arena);
}

void row_conversation_free(struct row_conversation *c)
{
    free(c->items);
    arena_free(&c->arena);
    buf_free(&c->scratch);
    *c = (struct row_conversation){0};
}

/* A text that lives as long as the conversation. */
static struct span keep(struct row_conversation *c, struct span text)
{
    const char *scratch = c->scratch.data;
    if (text.ptr && scratch && text.ptr >= scratch && text.ptr <= scratch + c->scratch.cap)
        text = arena_span(&c->arena, text);
    return text.ptr ? text : SPAN("");
}

struct span row_message_text(struct row_conversation *c, struct row_message *m)
{
    if (m->text.ptr)
        return m->text;
    struct span text;
    if (m->own.text.ptr) {
        text = row_content_text(m->content, &c->scratch);
    } else if (m->role == ROW_ROLE_TOOL && m->content.type != JSON_VALUE_STRING) {
        buf_clear(&c->scratch);
        if (m->content.text.ptr)
            json_pyjson(m->content, &c->scratch);
        else
            buf_text(&c->scratch, "null");
        text = buf_span(&c->scratch);
    } else {
        text = json_truthy(m->content) ? value_text(m->content, &c->scratch) : SPAN("");
    }
    m->text = keep(c, text);
    return m->text;
}

/* ---- building ------------------------------------------------------------------------------ */

static struct json_value truthy_of(const struct row *row, struct span key)
{
    const struct json_value *value = row_get(row, key);
    return value && json_truthy(*value) ? *value : (struct json_value){0};
}

static bool truthy(struct json_value value)
{
    return value.text.ptr && json_truthy(value);
}

static void add_step(struct row_conversation *c, const struct row_step *step)
{
    if (truthy(step->user)) {
        add(c, ROW_ROLE_USER)->content = step->user;
    } else if (truthy(step->tool)) {
        struct row_message *call = add(c, ROW_ROLE_ASSISTANT);
        if (truthy(step->text))
            call->content = step->text;
        call->tool = step->tool;
        if (truthy(step->arguments))
            call->arguments = step->arguments;
        struct row_message *answer = add(c, ROW_ROLE_TOOL);
        answer->tool = step->tool;
        answer->content = step->result;
    } else if (truthy(step->text)) {
        add(c, ROW_ROLE_ASSISTANT)->content = step->text;
    }
}

static void add_steps(struct row_conversation *c, struct json_value steps, bool asked)
{
    struct json_cursor cursor = json_enter(steps);
    struct json_value object;
    bool first = true;
    while (json_next_item(&cursor, &object)) {
        if (object.type != JSON_VALUE_OBJECT)
            continue;
        struct row_step step;
        row_step_read(object, &step);
        bool repeats = false;
        if (first && asked && truthy(step.user)) {
            /* A loaded row keeps the ask as its first step too. */
            size_t ask = c->count - 1;
            struct row_message turn = {.role = ROW_ROLE_USER, .content = step.user};
            repeats = span_equal(row_message_text(c, &turn), row_message_text(c, &c->items[ask]));
        }
        first = false;
        if (!repeats)
            add_step(c, &step);
    }
}

/* What a text says once its thoughts are gone; kept in the arena when it had any. */
static struct span spoken(struct row_conversation *c, struct span text)
{
    struct text_reasoning r = text_split_reasoning(text, &c->scratch);
    return keep(c, text_strip(r.spoken));
}

static bool is_said(struct row_conversation *c, struct span final, struct span final_spoken)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        struct span text = row_message_text(c, &c->items[i]);
        if (span_equal(text, final))
            return true;
        if (final_spoken.len && text.len && span_equal(spoken(c, text), final_spoken))
            return true;
    }
    return false;
}

static void add_final(struct row_conversation *c, struct json_value final)
{
    struct row_message m = {.role = ROW_ROLE_ASSISTANT, .content = final};
    struct span text = row_message_text(c, &m);
    struct span words = spoken(c, text);
    struct row_message *last = c->count ? &c->items[c->count - 1] : NULL;
    bool missing = text.len && !is_said(c, text, words);
    if (missing && last && last->role == ROW_ROLE_ASSISTANT) {
        if (text_blank(row_message_text(c, last))) {
            last->content = final;
            last->text = text;
            return;
        }
        if (!words.len)
            return; /* nothing to add to a turn that has words */
    }
    if (missing) {
        *add(c, ROW_ROLE_ASSISTANT) = m;
        return;
    }
    if (span_starts(text, AGENT_ERROR))
        return;
    while (c->count > 1 && c->items[c->count - 1].role == ROW_ROLE_USER)
        c->count--; /* nobody answered it */
}

static void build(struct row_conversation *c, const struct row *row)
{
    c->built = true;
    struct json_value opener = truthy_of(row, SPAN("opener"));
    if (opener.text.ptr)
        add(c, ROW_ROLE_ASSISTANT)->content = opener;
    struct json_value prompt = truthy_of(row, SPAN("prompt"));
    if (prompt.text.ptr)
        add(c, ROW_ROLE_USER)->content = prompt;
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (steps && steps->type == JSON_VALUE_ARRAY)
        add_steps(c, *steps, prompt.text.ptr != NULL);
    add_final(c, truthy_of(row, SPAN("final_text")));
}

void row_conversation_build(struct row_conversation *c, const struct row *row)
{
    clear(c);
    build(c, row);
}

void row_conversation_read(struct row_conversation *c, const struct row *row)
{
    clear(c);
    const struct json_value *messages = row_get(row, SPAN("messages"));
    if (!messages || messages->type != JSON_VALUE_ARRAY || !json_truthy(*messages)) {
        build(c, row);
        return;
    }
    struct json_cursor cursor = json_enter(*messages);
    static const struct span NAMES[] = {{"role", 4}, {"content", 7}, {"tool_calls", 10}};
    struct json_value object, found[3];
    while (json_next_item(&cursor, &object)) {
        if (object.type != JSON_VALUE_OBJECT)
            continue;
        json_get_many(object, NAMES, 3, found);
        struct row_message *m = add(c, role_of(found[0], &c->scratch));
        m->own = object;
        m->content = found[1];
        m->calls = found[2];
    }
}

/* ---- writing ------------------------------------------------------------------------------- */

static void write_content(struct row_conversation *c, struct row_message *m, struct json_writer *w)
{
    json_write_key(w, "content");
    if (m->content.type == JSON_VALUE_STRING)
        json_write_raw(w, m->content.text);
    else
        json_write_span(w, row_message_text(c, m));
}

static void write_built(struct row_conversation *c, struct row_message *m, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "role");
    json_write_text(w, row_role_name(m->role));
    if (m->role == ROW_ROLE_TOOL) {
        json_write_key(w, "name");
        json_write_raw(w, m->tool.text);
    }
    write_content(c, m, w);
    if (m->role == ROW_ROLE_ASSISTANT && m->tool.text.ptr) {
        json_write_key(w, "tool_calls");
        json_write_array(w);
        json_write_object(w);
        json_write_key(w, "name");
        json_write_raw(w, m->tool.text);
        json_write_key(w, "arguments");
        json_write_raw(w, m->arguments.text.ptr ? m->arguments.text : SPAN("{}"));
        json_write_end_object(w);
        json_write_end_array(w);
    }
    json_write_end_object(w);
}

void row_conversation_write(struct row_conversation *c, struct json_writer *w)
{
    json_write_array(w);
    for (size_t i = 0; i < c->count; i++) {
        if (c->items[i].own.text.ptr)
            json_write_raw(w, c->items[i].own.text);
        else
            write_built(c, &c->items[i], w);
    }
    json_write_end_array(w);
}
