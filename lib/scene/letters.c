/* letters.c: see letters.h. */
#include "scene/letters.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/person.h"
#include "agent/turns.h"
#include "scene/defaults.h"
#include "text/fold.h"
#include "text/regex.h"
#include "text/utf8.h"
#include "json/scan.h"

/* ---- finding the JSON ------------------------------------------------------------------------ */

static void add_turn(struct buf *text, struct json_value turn, struct buf *scratch)
{
    static const struct span keys[] = {{"text", 4}, {"user", 4}, {"message", 7}, {"content", 7}};
    struct json_value said = turn;
    for (size_t i = 0; turn.type == JSON_VALUE_OBJECT && i < sizeof keys / sizeof *keys; i++)
        if (json_get(turn, keys[i], &said) && said.type == JSON_VALUE_STRING)
            break;
    if (said.type != JSON_VALUE_STRING)
        return;
    struct span words = text_strip(json_text(said, scratch));
    if (!words.len)
        return;
    if (text->len)
        buf_text(text, USER_TURN_MARK);
    buf_span_add(text, words);
}

/* The message of an item, appended; turns are joined. */
static void item_text(struct json_value item, struct buf *text, struct buf *scratch)
{
    static const struct span keys[] = {{"message", 7}, {"request", 7}, {"turns", 5}};
    struct json_value said = item, turn;
    bool found = item.type != JSON_VALUE_OBJECT;
    for (size_t i = 0; !found && i < sizeof keys / sizeof *keys; i++)
        found = json_get(item, keys[i], &said) &&
                (said.type == JSON_VALUE_STRING || said.type == JSON_VALUE_ARRAY);
    if (!found)
        return;
    if (said.type != JSON_VALUE_ARRAY) {
        add_turn(text, said, scratch);
        return;
    }
    for (struct json_cursor at = json_enter(said); json_next_item(&at, &turn);)
        add_turn(text, turn, scratch);
}

static void add_item(struct letters *out, struct json_value item, struct arena *a)
{
    struct buf text = {0}, scratch = {0};
    struct json_value region;
    struct letter letter = {0};
    if (item.type == JSON_VALUE_OBJECT && json_get(item, SPAN("region_id"), &region) &&
        region.type == JSON_VALUE_STRING)
        letter.region = arena_span(a, text_strip(json_text(region, &scratch)));
    item_text(item, &text, &scratch);
    if (text.len && out->count < WRITER_OBJECTS) {
        letter.text = arena_span(a, buf_span(&text));
        out->items = mem_grow(out->items, &out->cap, out->count + 1, sizeof *out->items);
        out->items[out->count++] = letter;
    }
    buf_free(&text);
    buf_free(&scratch);
}

static void add_value(struct letters *out, struct json_value value, struct arena *a)
{
    struct json_value list, item;
    if (value.type == JSON_VALUE_OBJECT &&
        ((json_get(value, SPAN("messages"), &list) && list.type == JSON_VALUE_ARRAY) ||
         (json_get(value, SPAN("situations"), &list) && list.type == JSON_VALUE_ARRAY)))
        value = list;
    if (value.type == JSON_VALUE_OBJECT) {
        add_item(out, value, a);
        return;
    }
    if (value.type != JSON_VALUE_ARRAY)
        return;
    for (struct json_cursor at = json_enter(value); json_next_item(&at, &item);)
        add_item(out, item, a);
}

static bool scan(struct span text, struct json_value *value)
{
    struct json_fault fault;
    return text.len && json_scan(text, value, NULL, &fault) == 0 &&
           (value->type == JSON_VALUE_ARRAY || value->type == JSON_VALUE_OBJECT);
}

/* What is between the first code fence and the next one, without the language's name. */
struct span letters_unfence(struct span text)
{
    size_t open = span_find(text, SPAN("```"), 0);
    if (open == (size_t)-1)
        return text;
    size_t line = span_find(text, SPAN("\n"), open);
    if (line == (size_t)-1)
        return text;
    size_t close = span_find(text, SPAN("```"), line);
    return text_strip(span_slice(text, line + 1, close == (size_t)-1 ? text.len : close));
}

/* From an opening brace to the one that closes it; texts are passed over. 0: it is never closed. */
static size_t balanced(struct span text, size_t from)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = from; i < text.len; i++) {
        char c = text.ptr[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"' || i >= text.len;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Objects in the middle of other text, and what is left of a list that was cut off. */
static void add_objects(struct letters *out, struct span text, struct arena *a)
{
    struct json_value value;
    size_t tries = 0;
    for (size_t at = 0; at < text.len && tries < WRITER_OBJECTS;) {
        const char *brace = memchr(text.ptr + at, '{', text.len - at);
        if (!brace)
            return;
        at = (size_t)(brace - text.ptr);
        size_t end = balanced(text, at);
        tries++;
        if (end && scan(span_slice(text, at, end), &value)) {
            add_value(out, value, a);
            at = end;
        } else {
            at++;
        }
    }
}

bool letters_read(struct letters *out, struct span reply, struct arena *a)
{
    struct json_value value;
    if (reply.len > WRITER_REPLY_MAX)
        reply = span_slice(reply, 0, WRITER_REPLY_MAX);
    reply = text_strip(reply);
    struct span text = letters_unfence(reply);
    out->count = 0;
    if (scan(text, &value) && value.type == JSON_VALUE_ARRAY) {
        add_value(out, value, a);
        return true;
    }
    if (scan(text, &value)) {
        add_value(out, value, a);
        return out->count > 0;
    }
    if (!text.len)
        return !reply.len;
    const char *open = memchr(text.ptr, '[', text.len), *close = NULL;
    for (size_t i = text.len; i > 0 && !close; i--)
        if (text.ptr[i - 1] == ']')
            close = text.ptr + i;
    if (open && close && close > open && scan(span_make(open, (size_t)(close - open)), &value))
        add_value(out, value, a);
    if (!out->count)
        add_objects(out, text, a);
    return out->count > 0 || !reply.len;
}

void letters_free(struct letters *l)
{
    free(l->items);
    *l = (struct letters){0};
}

/* ---- cleaning and refusing ------------------------------------------------------------------- */

enum pattern { P_USE, P_CAPTION, P_EMPTY, P_COMMA, P_SPACES, P_COUNT };

static const char *const TEXTS[P_COUNT] = {
    [P_USE] = "[(\\[]\\s*(use|call|calls|using|via|tool:?)\\s+[\\w.]+\\s*[)\\]]",
    [P_CAPTION] =
        "\\b((short|medium|long|curt|polite|lower ?case|clipped|run[- ]on) (prompt|message|request|"
        "style|version|reply)|no punctuation|without punctuation|ordinary (behaviou?r|stance|user)|"
        "adversarial|boundary (case|stance)|entity (missing|exists|already acted on)|duplicate "
        "entity|partially completed state|tool condition|tool_condition|world_state|world state|"
        "region[ _]id|scene brief|house rule|test (case|prompt|scenario)|persona|role-?play "
        "as|seed "
        "?= ?\\d|as an? (ai|language model)|the assistant (should|must|will)|the (user|customer) "
        "(asks|wants|is asking)|in character|card \\d)\\b",
    [P_EMPTY] =
        "^\\W*((please )?(help( me)?|fix it|do it|do that|do something|go on|next|continue|hi|"
        "hello|hey|ok(ay)?|yes|no|sure|thanks?( you)?|thank you( very much| so much)?|got "
        "it|understood|noted|great|perfect|asap|now|sounds good|cool|nice|awesome|alright|"
        "fine|good|excellent|wonderful|cheers|bye)\\W*)+$",
    [P_COMMA] = "[ \\t]+,[ \\t]*", /* what a dash between words has become */
    [P_SPACES] = "[ \\t]{2,}",
};
static struct regex *patterns[P_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    for (int i = 0; i < P_COUNT; i++)
        patterns[i] = regex_compile(span_text(TEXTS[i]), REGEX_IGNORE_CASE, NULL);
}

static bool has(enum pattern p, struct span text)
{
    pthread_once(&once, compile);
    return patterns[p] && regex_search(patterns[p], text, 0, NULL, 0) == REGEX_MATCH;
}

static void take_out(enum pattern p, const char *instead, struct buf *text)
{
    pthread_once(&once, compile);
    if (patterns[p])
        regex_replace(patterns[p], text, instead);
}

static void clean_turn(struct span turn, struct buf *out)
{
    struct buf text = {0};
    person_scrub(turn, &text);
    take_out(P_USE, "", &text);
    take_out(P_COMMA, ", ", &text);
    take_out(P_SPACES, " ", &text);
    struct span words = text_strip(buf_span(&text));
    if (words.len && out->len)
        buf_text(out, USER_TURN_MARK);
    buf_span_add(out, words);
    buf_free(&text);
}

void letter_clean(struct span text, struct buf *out)
{
    buf_clear(out);
    if (!utf8_valid(text) || memchr(text.ptr, '\0', text.len))
        return;
    for (size_t at = 0; at <= text.len;) {
        size_t end = span_find(text, SPAN(USER_TURN_MARK), at);
        end = end == (size_t)-1 ? text.len : end;
        clean_turn(span_slice(text, at, end), out);
        at = end + sizeof USER_TURN_MARK - 1;
    }
}

static bool names_tool(struct span text, const struct letter_rules *rules)
{
    for (size_t i = 0; i < rules->n_tools; i++) {
        struct span name = rules->tools[i];
        bool plain = true; /* "refund" is a word, "get_order" is not */
        for (size_t j = 0; j < name.len; j++)
            plain = plain && name.ptr[j] >= 'a' && name.ptr[j] <= 'z';
        if (!plain && span_find(text, name, 0) != (size_t)-1)
            return true;
    }
    return false;
}

/* Does the text hold so many characters of the brief in a row? */
static bool copies(struct span text, struct span brief)
{
    struct buf a = {0}, b = {0};
    bool copied = false;
    text_fold(text, &a);
    text_fold(brief, &b);
    for (size_t i = 0; !copied && i + WRITER_BRIEF_COPIED <= b.len; i++)
        copied =
            ((unsigned char)b.data[i] & 0xc0) != 0x80 &&
            span_find(buf_span(&a), span_make(b.data + i, WRITER_BRIEF_COPIED), 0) != (size_t)-1;
    buf_free(&a);
    buf_free(&b);
    return copied;
}

enum letter_fault letter_check(struct span text, const struct letter_rules *rules)
{
    size_t n = utf8_length(text);
    if (n < WRITER_MESSAGE_LEAST || n > WRITER_MESSAGE_MOST)
        return LETTER_LENGTH;
    if (person_speaks_as_assistant(text))
        return LETTER_VOICE;
    if (has(P_CAPTION, text))
        return LETTER_CAPTION;
    if (has(P_EMPTY, text))
        return LETTER_EMPTY;
    if (names_tool(text, rules))
        return LETTER_TOOL;
    return copies(text, rules->brief) ? LETTER_BRIEF : LETTER_FINE;
}

const char *letter_fault_name(enum letter_fault fault)
{
    static const char *const names[LETTER_FAULTS] = {"fine",  "length", "voice", "caption",
                                                     "empty", "tool",   "brief"};
    return names[fault];
}
