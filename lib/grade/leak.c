/* leak.c: see leak.h. */
#include "grade/leak.h"

#include "row/conversation.h"
#include "row/reply.h"
#include "text/fold.h"
#include "text/utf8.h"

struct search {
    struct span hay; /* what the assistant said, folded */
    bool checked;
    struct buf path, text, folded;
    struct buf *field, *needle;
};

static bool search_string(struct search *s, struct json_value string)
{
    buf_clear(&s->text);
    buf_clear(&s->folded);
    json_text_add(string, &s->text);
    text_fold(buf_span(&s->text), &s->folded);
    struct span needle = buf_span(&s->folded);
    if (utf8_length(needle) < LEAK_MIN_LENGTH)
        return false;
    s->checked = true;
    if (!span_has(s->hay, needle))
        return false;
    buf_span_add(s->field, buf_span(&s->path));
    buf_span_add(s->needle, utf8_head(needle, LEAK_SHOWN));
    return true;
}

/* Walks to every string; members lengthen the path, items do not. Depth is the scanner's. */
static bool search_value(struct search *s, struct json_value value)
{
    struct json_cursor cursor = json_enter(value);
    if (value.type == JSON_VALUE_STRING)
        return search_string(s, value);
    if (value.type == JSON_VALUE_ARRAY) {
        struct json_value item;
        while (json_next_item(&cursor, &item))
            if (search_value(s, item))
                return true;
    } else if (value.type == JSON_VALUE_OBJECT) {
        struct json_member member;
        struct buf key = {0};
        bool found = false;
        while (!found && json_next_member(&cursor, &member)) {
            size_t length = s->path.len;
            buf_byte(&s->path, '.');
            buf_span_add(&s->path, json_key(&member, &key));
            found = search_value(s, member.value);
            s->path.len = length;
        }
        buf_free(&key);
        return found;
    }
    return false;
}

enum leak_result leak_find(const struct row *row, struct buf *field, struct buf *needle)
{
    const struct json_value *block = row_get(row, SPAN("privileged"));
    if (!block || block->type != JSON_VALUE_OBJECT)
        return LEAK_UNCHECKED;

    struct row_conversation conversation = {0};
    struct buf said = {0}, hay = {0};
    row_conversation_read(&conversation, row);
    row_assistant_text(row, &conversation, &said);
    text_fold(buf_span(&said), &hay);

    static const char *const keys[] = {"reference", "principle", "hidden_state"};
    struct search s = {.hay = buf_span(&hay), .field = field, .needle = needle};
    bool found = false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !found; i++) {
        struct json_value value;
        if (!json_get(*block, span_text(keys[i]), &value) || !json_truthy(value))
            continue;
        buf_clear(&s.path);
        buf_text(&s.path, keys[i]);
        found = search_value(&s, value);
    }
    buf_free(&s.path);
    buf_free(&s.text);
    buf_free(&s.folded);
    buf_free(&said);
    buf_free(&hay);
    row_conversation_free(&conversation);
    return found ? LEAK_FOUND : s.checked ? LEAK_NONE : LEAK_UNCHECKED;
}
