/* decontam_text.c: the texts of a row, and the words of a text, as both sides of decontamination read them. */
#include "row/key.h"
#include "row/value.h"
#include "select/decontam_index.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

static const struct span TASK_NAMES[] = {{"scenario_id", 11}, {"task_id", 7}};
static const struct row_key_list TASK_KEYS = {TASK_NAMES, 2};

static void add_content(struct json_value content, struct buf *out)
{
    struct json_cursor parts = json_enter(content);
    struct json_value part, text;
    if (content.type == JSON_VALUE_STRING)
        json_text_add(content, out);
    if (content.type != JSON_VALUE_ARRAY)
        return;
    while (json_next_item(&parts, &part)) {
        if (json_get(part, SPAN("text"), &text) && text.type == JSON_VALUE_STRING) {
            json_text_add(text, out);
            buf_byte(out, '\n');
        }
    }
}

/* What the user says in a list of messages; false when it is no such list. */
static bool user_words(struct json_value list, struct buf *out)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value item, role, content;
    size_t messages = 0;
    struct buf scratch = {0};
    buf_clear(out);
    for (; json_next_item(&cursor, &item); messages++) {
        if (!json_get(item, SPAN("role"), &role) || role.type != JSON_VALUE_STRING)
            break;
        if (span_is(json_text(role, &scratch), "user") &&
            json_get(item, SPAN("content"), &content)) {
            add_content(content, out);
            buf_byte(out, '\n');
        }
    }
    buf_free(&scratch);
    return messages && messages == json_count(list);
}

struct span decontam_row_text(const struct row *row, struct span key, struct buf *scratch)
{
    const struct json_value *value = row_get(row, key);
    if (!value || !json_truthy(*value))
        return SPAN("");
    if (value->type == JSON_VALUE_ARRAY && span_is(key, "prompt") && user_words(*value, scratch))
        return buf_span(scratch);
    return value_text(*value, scratch);
}

struct span decontam_row_task(const struct row *row, struct buf *scratch)
{
    return row_key(row, TASK_KEYS, scratch);
}

void decontam_fold(struct span text, struct buf *folded)
{
    buf_clear(folded);
    text_fold(text, folded);
}

/* ---- words ----------------------------------------------------------------------------------------- */

static bool word_byte(unsigned char c)
{
    return (unsigned char)(c - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

static bool next_ascii(struct span folded, size_t *at, struct span *word)
{
    size_t start = *at;
    while (start < folded.len && !word_byte((unsigned char)folded.ptr[start]))
        start++;
    size_t end = start;
    while (end < folded.len && word_byte((unsigned char)folded.ptr[end]))
        end++;
    *word = span_slice(folded, start, end);
    *at = end;
    return end > start;
}

static bool word_character(uint32_t c)
{
    return c != '_' && unicode_word(c);
}

/* A word runs over letters, digits and the marks on them; a character of a script without spaces is a
 * word of its own, with its marks. */
static bool next_unicode(struct span folded, size_t *at, struct span *word)
{
    size_t start = *at, next = *at, end;
    uint32_t c = 0;
    for (; start < folded.len; start = next) {
        c = utf8_next(folded, &next);
        if (word_character(c))
            break;
    }
    bool alone = start < folded.len && unicode_unspaced(c);
    for (end = start < folded.len ? next : start; end < folded.len; end = next) {
        next = end;
        c = utf8_next(folded, &next);
        if (!unicode_mark(c) && (alone || !word_character(c) || unicode_unspaced(c)))
            break;
    }
    *word = span_slice(folded, start, end);
    *at = end;
    return end > start;
}

bool decontam_next_word(enum decontam_tokens tokens, struct span folded, size_t *at,
                        struct span *word)
{
    return tokens == DECONTAM_UNICODE ? next_unicode(folded, at, word)
                                      : next_ascii(folded, at, word);
}
