/* call_text.c: reads calls in the form of a program's text and writes them as JSON. */
#include "grade/call_text.h"

#include <ctype.h>

#include "grade/defaults.h"
#include "grade/extract.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/write.h"

struct reader {
    struct span s;
    size_t at;
    int depth;
    struct buf *out;
};

static void skip_blank(struct reader *r)
{
    while (r->at < r->s.len && isspace((unsigned char)r->s.ptr[r->at]))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    skip_blank(r);
    if (r->at == r->s.len || r->s.ptr[r->at] != c)
        return false;
    r->at++;
    return true;
}

static bool name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A name, with dots in it when `dotted`; empty when none stands there. */
static struct span take_name(struct reader *r, bool dotted)
{
    skip_blank(r);
    size_t from = r->at;
    if (from < r->s.len && isdigit((unsigned char)r->s.ptr[from]))
        return SPAN("");
    while (r->at < r->s.len &&
           (name_byte(r->s.ptr[r->at]) || (dotted && strchr(".-", r->s.ptr[r->at]))))
        r->at++;
    return span_slice(r->s, from, r->at);
}

/* ---- literals ---------------------------------------------------------------------------------- */

static bool read_value(struct reader *r);

static void add_escape(struct reader *r, struct buf *text)
{
    static const char from[] = "ntrbfav0", to[] = "\n\t\r\b\f\a\v";
    char c = r->s.ptr[r->at++];
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (digits) {
        uint32_t code = 0;
        for (; digits > 0 && r->at < r->s.len && isxdigit((unsigned char)r->s.ptr[r->at]);
             digits--) {
            char h = (char)tolower((unsigned char)r->s.ptr[r->at++]);
            code = code * 16 + (uint32_t)(h <= '9' ? h - '0' : h - 'a' + 10);
        }
        utf8_add(text, code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF) ? code : 0xFFFD);
    } else if (known) {
        buf_byte(text, to[known - from]);
    } else if (c != '\n') {
        if (!strchr("\\'\"", c))
            buf_byte(text, '\\');
        buf_byte(text, c);
    }
}

/* A quoted text, one quote or three; texts side by side are one. */
static bool read_text(struct reader *r)
{
    struct buf text = {0};
    bool closed = true;
    for (skip_blank(r); closed && r->at < r->s.len && strchr("'\"", r->s.ptr[r->at]);
         skip_blank(r)) {
        char quote = r->s.ptr[r->at];
        const char three[] = {quote, quote, quote};
        bool tripled = span_starts(span_slice(r->s, r->at, r->s.len), span_make(three, 3));
        struct span end = span_make(three, tripled ? 3 : 1);
        closed = false;
        for (r->at += end.len; r->at < r->s.len && !closed;) {
            if (span_starts(span_slice(r->s, r->at, r->s.len), end)) {
                r->at += end.len;
                closed = true;
            } else if (r->s.ptr[r->at] == '\\' && r->at + 1 < r->s.len) {
                r->at++;
                add_escape(r, &text);
            } else {
                buf_byte(&text, r->s.ptr[r->at++]);
            }
        }
    }
    json_quote(r->out, buf_span(&text));
    buf_free(&text);
    return closed;
}

/* A number as JSON spells it; false (and nothing moved) when none stands there alone. */
static bool read_number(struct reader *r)
{
    size_t at = r->at, digits = 0;
    struct buf text = {0};
    for (; at < r->s.len && strchr("+-", r->s.ptr[at]); at++)
        if (r->s.ptr[at] == '-')
            buf_byte(&text, '-');
    size_t sign = text.len;
    for (; at < r->s.len &&
           (isdigit((unsigned char)r->s.ptr[at]) || (digits && strchr("_.", r->s.ptr[at])) ||
            r->s.ptr[at] == '.' || (digits && strchr("eE", r->s.ptr[at])));
         at++) {
        if (r->s.ptr[at] == '.' && text.len == sign)
            buf_byte(&text, '0');
        if (r->s.ptr[at] != '_')
            buf_byte(&text, r->s.ptr[at]);
        digits += isdigit((unsigned char)r->s.ptr[at]) != 0;
        if (strchr("eE", r->s.ptr[at]) && at + 1 < r->s.len && strchr("+-", r->s.ptr[at + 1]))
            buf_byte(&text, r->s.ptr[++at]);
    }
    struct json_value value;
    struct json_fault fault;
    if (text.len && text.data[text.len - 1] == '.')
        buf_byte(&text, '0');
    bool ok = digits && (at == r->s.len || strchr(",)]}: \t\r\n", r->s.ptr[at])) &&
              !json_scan(buf_span(&text), &value, NULL, &fault);
    if (ok) {
        buf_span_add(r->out, buf_span(&text));
        r->at = at;
    }
    buf_free(&text);
    return ok;
}

/* [a, b], (a, b): an array. */
static bool read_list(struct reader *r, char close)
{
    r->at++;
    buf_byte(r->out, '[');
    for (bool first = true; !take(r, close); first = false) {
        if (!first && !take(r, ','))
            return false;
        if (take(r, close))
            break;
        if (!first)
            buf_byte(r->out, ',');
        if (!read_value(r))
            return false;
    }
    buf_byte(r->out, ']');
    return true;
}

/* {k: v}: an object; its keys are texts, or the text of what they are. */
static bool read_object(struct reader *r)
{
    r->at++;
    buf_byte(r->out, '{');
    for (bool first = true; !take(r, '}'); first = false) {
        if (!first && !take(r, ','))
            return false;
        if (take(r, '}'))
            break;
        if (!first)
            buf_byte(r->out, ',');
        size_t key = r->out->len;
        if (!read_value(r) || !take(r, ':'))
            return false;
        if (r->out->data[key] != '"') { /* a number or word as a key */
            struct buf text = {0};
            buf_add(&text, r->out->data + key, r->out->len - key);
            r->out->len = key;
            json_quote(r->out, buf_span(&text));
            buf_free(&text);
        }
        buf_byte(r->out, ':');
        if (!read_value(r))
            return false;
    }
    buf_byte(r->out, '}');
    return true;
}

/* Up to the comma or bracket that ends an argument, quotes and brackets inside passed over. */
static struct span take_expression(struct reader *r)
{
    size_t from = r->at;
    int depth = 0;
    for (; r->at < r->s.len; r->at++) {
        char c = r->s.ptr[r->at];
        if (depth == 0 && strchr(",)]}:", c))
            break;
        if (strchr("([{", c))
            depth++;
        else if (strchr(")]}", c))
            depth--;
        else if (strchr("'\"", c)) {
            size_t close = r->at + 1;
            while (close < r->s.len && r->s.ptr[close] != c)
                close += r->s.ptr[close] == '\\' ? 2 : 1;
            r->at = close < r->s.len ? close : r->s.len - 1;
        }
    }
    return text_strip(span_slice(r->s, from, r->at));
}

static bool read_word(struct reader *r)
{
    static const struct {
        const char *word, *json;
    } constants[] = {{"True", "true"},   {"true", "true"}, {"False", "false"},
                     {"false", "false"}, {"None", "null"}, {"null", "null"}};
    struct span text = take_expression(r);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (span_is(text, constants[i].word)) {
            buf_text(r->out, constants[i].json);
            return true;
        }
    json_quote(r->out, text);
    return text.len > 0;
}

static bool read_value(struct reader *r)
{
    if (r->depth == CALL_DEPTH)
        return false;
    skip_blank(r);
    if (r->at == r->s.len)
        return false;
    r->depth++;
    bool ok;
    switch (r->s.ptr[r->at]) {
    case '[': ok = read_list(r, ']'); break;
    case '(': ok = read_list(r, ')'); break;
    case '{': ok = read_object(r); break;
    case '\'':
    case '"': ok = read_text(r); break;
    default: ok = read_number(r) || read_word(r);
    }
    r->depth--;
    return ok;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* name= in front of a value; empty when the value has no name. */
static struct span take_keyword(struct reader *r)
{
    size_t from = r->at;
    struct span name = take_name(r, false);
    if (name.len && take(r, '=') && (r->at == r->s.len || r->s.ptr[r->at] != '='))
        return name;
    r->at = from;
    return SPAN("");
}

static bool read_call(struct reader *r)
{
    struct span name = take_name(r, true);
    if (!name.len || !take(r, '('))
        return false;
    buf_text(r->out, "{\"name\":");
    json_quote(r->out, name);
    buf_text(r->out, ",\"arguments\":{");
    for (size_t n = 0; !take(r, ')'); n++) {
        if (n && !take(r, ','))
            return false;
        if (take(r, ')'))
            break;
        if (n)
            buf_byte(r->out, ',');
        struct span keyword = take_keyword(r);
        if (keyword.len)
            json_quote(r->out, keyword);
        else
            buf_format(r->out, "\"%zu\"", n);
        buf_byte(r->out, ':');
        if (!read_value(r))
            return false;
    }
    buf_text(r->out, "}}");
    return true;
}

static bool read_calls(struct span text, struct buf *out)
{
    struct reader r = {.s = text_strip(text), .out = out};
    size_t start = out->len;
    bool list = take(&r, '['), closed = !list, ok = r.s.len > 0;
    buf_byte(out, '[');
    for (bool first = true; ok && r.at < r.s.len; first = false) {
        if (list && take(&r, ']')) {
            closed = true;
            break;
        }
        if (!first) {
            take(&r, ',');
            buf_byte(out, ',');
        }
        ok = read_call(&r);
        skip_blank(&r);
    }
    buf_byte(out, ']');
    skip_blank(&r);
    if (!ok || !closed || r.at < r.s.len) {
        out->len = start;
        return false;
    }
    return true;
}

bool call_text_json(struct span text, struct buf *out)
{
    static const struct span tags[] = {{"python", 6}, {"", 0}, {"py", 2}, {"tool_code", 9}};
    if (read_calls(text, out))
        return true;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        struct span inside = extract_fence(text, tags[i]);
        if (inside.ptr && read_calls(inside, out))
            return true;
    }
    return false;
}
