/* gold.c: the text of a row that is judged and its reference (grade 2.2, 2.3). */
#include "row/gold.h"

#include "row/value.h"

static bool key_text_is(struct json_value object, struct span key, const char *text)
{
    struct json_value value;
    if (!json_get(object, key, &value) || value.type != JSON_VALUE_STRING)
        return false;
    struct buf scratch = {0};
    bool same = span_is(json_text(value, &scratch), text);
    buf_free(&scratch);
    return same;
}

/* The text parts of a content list, joined by newlines. */
static struct span parts_text(struct json_value list, struct buf *out)
{
    struct json_cursor c = json_enter(list);
    struct json_value part, text;
    bool first = true;
    while (json_next_item(&c, &part)) {
        bool plain = part.type == JSON_VALUE_STRING;
        if (plain)
            text = part;
        else if (!json_get(part, SPAN("text"), &text) || text.type != JSON_VALUE_STRING)
            continue;
        if (!first)
            buf_byte(out, '\n');
        first = false;
        json_text_add(text, out);
    }
    return buf_span(out);
}

struct span row_content_text(struct json_value content, struct buf *scratch)
{
    buf_clear(scratch);
    if (json_value_null(content))
        return SPAN("");
    if (content.type == JSON_VALUE_ARRAY)
        return parts_text(content, scratch);
    return value_text(content, scratch);
}

struct span row_candidate(const struct row *row, struct buf *scratch)
{
    buf_clear(scratch);
    if (row->value.type == JSON_VALUE_STRING)
        return json_text(row->value, scratch);
    const struct json_value *final = row_get(row, SPAN("final_text"));
    if (final && json_truthy(*final))
        return value_text(*final, scratch);
    const struct json_value *messages = row_get(row, SPAN("messages"));
    if (!messages || messages->type != JSON_VALUE_ARRAY)
        return SPAN("");
    struct json_cursor c = json_enter(*messages);
    struct json_value message, content, last = {0};
    while (json_next_item(&c, &message))
        if (key_text_is(message, SPAN("role"), "assistant") &&
            json_get(message, SPAN("content"), &content) && json_truthy(content))
            last = content;
    return row_content_text(last, scratch);
}

/* ---- gold ---------------------------------------------------------------------------------- */

static const struct span GOLD_KEYS[] = {
    {"reference", 9}, {"answer", 6}, {"target", 6}, {"solution", 8}, {"label", 5}, {"expected", 8},
};
enum { N_GOLD_KEYS = sizeof GOLD_KEYS / sizeof *GOLD_KEYS };

static bool set(struct json_value value, bool privileged, struct row_gold *gold)
{
    if (json_value_null(value))
        return false;
    gold->value = value;
    gold->privileged = privileged;
    return true;
}

/* The first of the gold keys, in their order, that is there and not null. `found` has a value per key. */
static bool first_found(const struct json_value *found, bool privileged, struct row_gold *gold)
{
    for (size_t i = 0; i < N_GOLD_KEYS; i++)
        if (found[i].text.ptr && set(found[i], privileged, gold))
            return true;
    return false;
}

static void note_gold_key(const struct json_member *m, struct json_value *found)
{
    for (size_t i = 0; i < N_GOLD_KEYS; i++)
        if (json_key_is(m, GOLD_KEYS[i]))
            found[i] = m->value;
}

static bool first_gold_key(struct json_value object, bool privileged, struct row_gold *gold)
{
    struct json_value found[N_GOLD_KEYS];
    json_get_many(object, GOLD_KEYS, N_GOLD_KEYS, found);
    return first_found(found, privileged, gold);
}

static struct row_gold gold_at(const struct row *row, struct span field)
{
    struct row_gold gold = {0};
    const char *dot = field.len ? memchr(field.ptr, '.', field.len) : NULL;
    struct span head = dot ? span_make(field.ptr, (size_t)(dot - field.ptr)) : field;
    bool privileged = span_is(head, "privileged");
    const struct json_value *literal = row_get(row, field);
    if (literal) {
        set(*literal, privileged, &gold);
        return gold;
    }
    const struct json_value *first = row_get(row, head);
    if (!dot || !first)
        return gold;
    struct json_value at = *first;
    for (size_t from = head.len + 1, to = 0; to != (size_t)-1; from = to + 1) {
        to = span_find(field, SPAN("."), from);
        struct span key = span_slice(field, from, to == (size_t)-1 ? field.len : to);
        if (at.type != JSON_VALUE_OBJECT || !json_get(at, key, &at))
            return gold;
    }
    set(at, privileged, &gold);
    return gold;
}

struct row_gold row_gold(const struct row *row, struct span field)
{
    if (field.len)
        return gold_at(row, field);
    struct row_gold gold = {0};
    struct json_value value;
    const struct json_value *privileged = row_get(row, SPAN("privileged"));
    if (privileged && json_get(*privileged, SPAN("reference"), &value) && set(value, true, &gold))
        return gold;
    struct json_value found[N_GOLD_KEYS] = {0};
    for (size_t i = 0; i < row->members.count; i++)
        note_gold_key(&row->members.items[i], found);
    if (first_found(found, false, &gold))
        return gold;
    static const struct span NESTS[] = {{"info", 4}, {"metadata", 8}, {"privileged", 10}};
    for (size_t i = 0; i < sizeof NESTS / sizeof *NESTS; i++) {
        const struct json_value *nest = row_get(row, NESTS[i]);
        if (nest && first_gold_key(*nest, span_is(NESTS[i], "privileged"), &gold))
            return gold;
    }
    return gold;
}
