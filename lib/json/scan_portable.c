/* scan_portable.c: the scanner's portable path: one byte after the other, eight at a time inside
 * strings. It is the reference for the fast paths and words every fault. */
#include "json/scan_path.h"

#include <string.h>

enum state {
    STATE_VALUE,      /* a value must follow */
    STATE_FIRST_ITEM, /* behind '[' */
    STATE_FIRST_NAME, /* behind '{' */
    STATE_NAME,       /* behind ',' in an object */
    STATE_AFTER,      /* behind a value */
    STATE_DONE,
    STATE_FAULT,
};

struct scanner {
    const char *start, *at, *end;
    int depth;
    uint64_t stack[SCAN_STACK_WORDS];
    uint8_t flags;         /* of the scalar read last */
    const char *member_at; /* first byte of the value at depth 1 */
    struct json_value top;
    struct json_members *members; /* NULL: not wanted */
    struct json_fault fault;
};

#define TYPE(type) (JSON_VALUE_##type + 1)
const uint8_t scan_types[256] = {
    ['{'] = TYPE(OBJECT), ['['] = TYPE(ARRAY),          ['"'] = TYPE(STRING), ['t'] = TYPE(TRUE),
    ['f'] = TYPE(FALSE),  ['n'] = TYPE(NULL),           ['-'] = TYPE(NUMBER), ['N'] = TYPE(NUMBER),
    ['I'] = TYPE(NUMBER), ['0' ... '9'] = TYPE(NUMBER),
};

static enum state fault_at(struct scanner *s, const char *at, const char *what)
{
    s->fault = (struct json_fault){(size_t)(at - s->start), what};
    return STATE_FAULT;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

static const char *digits(const char *p, const char *end)
{
    while (digit(p, end))
        p++;
    return p;
}

static const char *word(const char *p, const char *end, const char *text, size_t len)
{
    return (size_t)(end - p) >= len && memcmp(p, text, len) == 0 ? p + len : NULL;
}

static bool name_byte(const char *p, const char *end)
{
    return p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                       (*p >= 'A' && *p <= 'Z') || *p == '_');
}

static const char *scan_word(const char *start, const char *end, uint8_t *flags,
                             struct json_fault *fault)
{
    const char *p = start < end && *start == '-' ? start + 1 : start;
    const char *after = NULL;
    *flags = 0;
    if (p == start) {
        switch (*p) {
        case 't': after = word(p, end, "true", 4); break;
        case 'f': after = word(p, end, "false", 5); break;
        case 'n': after = word(p, end, "null", 4); break;
        case 'N': after = word(p, end, "NaN", 3); break;
        }
    }
    if (p < end && *p == 'I')
        after = word(p, end, "Infinity", 8);
    if (!after || name_byte(after, end)) {
        *fault = (struct json_fault){0, "a word that JSON does not know"};
        return NULL;
    }
    if (*p == 'N' || *p == 'I')
        *flags = JSON_FLAG_NONFINITE;
    return after;
}

const char *scan_scalar(const char *start, const char *end, uint8_t *flags,
                        struct json_fault *fault)
{
    const char *p = *start == '-' ? start + 1 : start;
    const char *what = NULL;
    if (!digit(p, end)) {
        if (p == start || (p < end && *p == 'I'))
            return scan_word(start, end, flags, fault);
        what = "a number has no digit behind its minus sign";
        goto bad;
    }
    if (*p == '0' && digit(p + 1, end)) {
        p++;
        what = "a number starts with a zero that does not belong there";
        goto bad;
    }
    *flags = JSON_FLAG_INTEGER;
    p = digits(p, end);
    if (p < end && *p == '.') {
        *flags = 0;
        if (!digit(++p, end)) {
            what = "a number has no digit behind its decimal point";
            goto bad;
        }
        p = digits(p, end);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        *flags = 0;
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        if (!digit(p, end)) {
            what = "a number has no digit in its exponent";
            goto bad;
        }
        p = digits(p, end);
    }
    return p;
bad:
    *fault = (struct json_fault){(size_t)(p - start), what};
    return NULL;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Length of the UTF-8 sequence at p, whose first byte is not ASCII; 0 when it is none. */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
    unsigned char c = p[0];
    if (c >= 0xC2 && c <= 0xDF)
        return left >= 2 && (p[1] & 0xC0) == 0x80 ? 2 : 0;
    if (c >= 0xE0 && c <= 0xEF) {
        unsigned char low = c == 0xE0 ? 0xA0 : 0x80, high = c == 0xED ? 0x9F : 0xBF;
        return left >= 3 && p[1] >= low && p[1] <= high && (p[2] & 0xC0) == 0x80 ? 3 : 0;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        unsigned char low = c == 0xF0 ? 0x90 : 0x80, high = c == 0xF4 ? 0x8F : 0xBF;
        return left >= 4 && p[1] >= low && p[1] <= high && (p[2] & 0xC0) == 0x80 &&
                       (p[3] & 0xC0) == 0x80
                   ? 4
                   : 0;
    }
    return 0;
}

/* Passes over bytes that are only themselves inside a string, eight at a time. */
static const char *skip_plain(const char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    while (end - p >= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        uint64_t quote = w ^ (ones * '"'), slash = w ^ (ones * '\\');
        /* The top bit of a byte is set where it is a quote, a backslash, a control or not ASCII;
         * where a borrow sets one too many, the byte loop looks again. */
        if (((quote - ones) | (slash - ones) | (w - ones * 0x20) | w) & tops)
            break;
        p += 8;
    }
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
           *p != '\\')
        p++;
    return p;
}

static bool hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The escape at p (a backslash): its end, or NULL. */
static const char *scan_escape(const char *p, const char *end)
{
    if (end - p < 2)
        return NULL;
    if (p[1] != 'u')
        return p[1] && strchr("\"\\/bfnrt", p[1]) ? p + 2 : NULL;
    if (end - p < 6)
        return NULL;
    for (int i = 2; i < 6; i++)
        if (!hex_digit(p[i]))
            return NULL;
    return p + 6;
}

/* The string at s->at: moves behind its closing quote. */
static bool scan_string(struct scanner *s)
{
    const char *open = s->at, *p = open + 1, *end = s->end;
    s->flags = 0;
    for (;;) {
        p = skip_plain(p, end);
        if (p == end) {
            fault_at(s, open, "a string has no closing quote");
            return false;
        }
        unsigned char c = (unsigned char)*p;
        if (c == '"') {
            s->at = p + 1;
            return true;
        }
        if (c == '\\') {
            s->flags = JSON_FLAG_ESCAPED;
            const char *after = scan_escape(p, end);
            if (!after) {
                fault_at(s, p, "a string holds a backslash that starts no escape");
                return false;
            }
            p = after;
        } else if (c < 0x20) {
            fault_at(s, p, "a string holds a raw control character");
            return false;
        } else {
            size_t len = utf8_sequence((const unsigned char *)p, (size_t)(end - p));
            if (len == 0) {
                fault_at(s, p, "a string holds bytes that are not UTF-8");
                return false;
            }
            p += len;
        }
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

static void skip_space(struct scanner *s)
{
    while (s->at < s->end && scan_space(*s->at))
        s->at++;
}

static bool in_object(const struct scanner *s)
{
    int level = s->depth - 1;
    return s->stack[level / 64] >> (level % 64) & 1;
}

static enum state open_container(struct scanner *s, bool object)
{
    if (s->depth == JSON_DEPTH_MAX)
        return fault_at(s, s->at, "the value is nested deeper than 512 levels");
    int level = s->depth++;
    uint64_t bit = (uint64_t)1 << (level % 64);
    s->stack[level / 64] = object ? s->stack[level / 64] | bit : s->stack[level / 64] & ~bit;
    s->at++;
    return object ? STATE_FIRST_NAME : STATE_FIRST_ITEM;
}

static enum state no_value(struct scanner *s)
{
    switch (*s->at) {
    case ']':
    case '}':
    case ',':
    case ':': return fault_at(s, s->at, "a value is missing");
    case '\'': return fault_at(s, s->at, "a text stands in single quotes, not double ones");
    default:
        if (word(s->at, s->end, "\xEF\xBB\xBF", 3))
            return fault_at(s, s->at, "a byte order mark stands before a value");
        if (name_byte(s->at, s->end))
            return fault_at(s, s->at, "a word that JSON does not know");
        return fault_at(s, s->at, "a character that starts no value");
    }
}

static enum state read_value(struct scanner *s)
{
    const char *start = s->at;
    uint8_t type = scan_type(*start);
    if (s->depth == 0)
        s->top = (struct json_value){{start, 0}, type, 0};
    else if (s->depth == 1)
        s->member_at = start;
    switch (type) {
    case SCAN_NO_VALUE: return no_value(s);
    case JSON_VALUE_OBJECT: return open_container(s, true);
    case JSON_VALUE_ARRAY: return open_container(s, false);
    case JSON_VALUE_STRING: return scan_string(s) ? STATE_AFTER : STATE_FAULT;
    default: {
        struct json_fault fault;
        const char *after = scan_scalar(start, s->end, &s->flags, &fault);
        if (!after)
            return fault_at(s, start + fault.offset, fault.what);
        s->at = after;
        return STATE_AFTER;
    }
    }
}

struct json_member *scan_member_add(struct json_members *members)
{
    if (members->count == members->cap)
        members->items =
            mem_grow(members->items, &members->cap, members->count + 1, sizeof *members->items);
    return &members->items[members->count++];
}

static enum state read_name(struct scanner *s)
{
    const char *start = s->at;
    if (*start == '\'')
        return fault_at(s, start, "a text stands in single quotes, not double ones");
    if (*start != '"')
        return fault_at(s, start, "a member's name in double quotes is missing");
    if (!scan_string(s))
        return STATE_FAULT;
    if (s->depth == 1 && s->members) {
        struct json_member *member = scan_member_add(s->members);
        member->key = span_make(start + 1, (size_t)(s->at - start - 2));
        member->key_escaped = s->flags & JSON_FLAG_ESCAPED;
    }
    skip_space(s);
    if (s->at == s->end)
        return fault_at(s, s->at, "the text ends inside an object");
    if (*s->at != ':')
        return fault_at(s, s->at, "a colon is missing behind a member's name");
    s->at++;
    return STATE_VALUE;
}

/* Notes the end of the value that was just read, when it is the top one or a member of it. */
static void note_value(struct scanner *s)
{
    if (s->depth > 1)
        return;
    if (s->depth == 0) {
        s->top.text.len = (size_t)(s->at - s->top.text.ptr);
        s->top.flags = s->flags;
    } else if (s->members && in_object(s)) {
        struct json_value *value = &s->members->items[s->members->count - 1].value;
        value->text = span_make(s->member_at, (size_t)(s->at - s->member_at));
        value->type = scan_type(*s->member_at);
        value->flags = s->flags;
    }
}

static enum state close_container(struct scanner *s)
{
    s->depth--;
    s->at++;
    s->flags = 0;
    return STATE_AFTER;
}

static enum state read_after(struct scanner *s)
{
    note_value(s);
    skip_space(s);
    if (s->depth == 0)
        return s->at == s->end ? STATE_DONE
                               : fault_at(s, s->at, "more text follows behind the value");
    bool object = in_object(s);
    if (s->at == s->end)
        return fault_at(
            s, s->at, object ? "the text ends inside an object" : "the text ends inside an array");
    if (*s->at == (object ? '}' : ']'))
        return close_container(s);
    if (*s->at != ',')
        return fault_at(s, s->at,
                        object ? "a comma or } is missing behind a member"
                               : "a comma or ] is missing behind an item");
    s->at++;
    return object ? STATE_NAME : STATE_VALUE;
}

static enum state text_ends(struct scanner *s)
{
    if (s->depth == 0)
        return fault_at(s, s->at, "the text is empty");
    return fault_at(s, s->at,
                    in_object(s) ? "the text ends inside an object"
                                 : "the text ends inside an array");
}

static enum state step(struct scanner *s, enum state state)
{
    if (state == STATE_AFTER)
        return read_after(s);
    skip_space(s);
    if (s->at == s->end)
        return text_ends(s);
    switch (state) {
    case STATE_FIRST_ITEM: return *s->at == ']' ? close_container(s) : read_value(s);
    case STATE_FIRST_NAME: return *s->at == '}' ? close_container(s) : read_name(s);
    case STATE_NAME: return read_name(s);
    default: return read_value(s);
    }
}

int scan_portable(struct span text, struct json_value *value, struct json_members *members,
                  struct json_fault *fault)
{
    struct scanner s = {
        .start = text.ptr, .at = text.ptr, .end = text.ptr + text.len, .members = members};
    enum state state = STATE_VALUE;
    if (members)
        members->count = 0;
    while (state < STATE_DONE)
        state = step(&s, state);
    if (state == STATE_FAULT) {
        *fault = s.fault;
        return -1;
    }
    *value = s.top;
    return 0;
}
