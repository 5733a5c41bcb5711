/* placeholder.c: the patterns of placeholder.h, matched against a whole trimmed text, ASCII case
 * aside. */
#include "world/placeholder.h"

#include <strings.h>

#include "base/buf.h"
#include "text/fold.h"

static bool equals(struct span s, const char *text)
{
    return s.len == strlen(text) && strncasecmp(s.ptr, text, s.len) == 0;
}

static bool is_one_of(struct span s, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (equals(s, words[i]))
            return true;
    return false;
}

#define ONE_OF(s, words) is_one_of(s, words, sizeof(words) / sizeof *(words))

/* <…>, […] or {…} with no closing bracket inside. */
static bool bracketed(struct span s)
{
    if (s.len < 2)
        return false;
    char close = s.ptr[0] == '<' ? '>' : s.ptr[0] == '[' ? ']' : s.ptr[0] == '{' ? '}' : 0;
    return close && memchr(s.ptr + 1, close, s.len - 1) == s.ptr + s.len - 1;
}

static bool determined(struct span s)
{
    static const char *const determiners[] = {"your", "the", "a", "an", "user", "customer", "my"};
    static const char *const fields[] = {"email", "phone", "name", "zip", "address", "id"};
    size_t space = span_find(s, SPAN(" "), 0);
    return space != (size_t)-1 && ONE_OF(span_slice(s, 0, space), determiners) &&
           ONE_OF(span_slice(s, space + 1, s.len), fields);
}

static bool filler(struct span s)
{
    if (equals(s, "string") || equals(s, "placeholder"))
        return true;
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != 'x' && s.ptr[i] != 'X')
            return false;
    return s.len >= 3;
}

/* [\w.+-]+@(example|test|email|domain).(com|org|net) */
static bool sample_mail(struct span s)
{
    static const char *const hosts[] = {"example", "test", "email", "domain"};
    static const char *const ends[] = {"com", "org", "net"};
    size_t at = span_find(s, SPAN("@"), 0);
    if (at == (size_t)-1 || at == 0)
        return false;
    for (size_t i = 0; i < at; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    c == '_' || c == '.' || c == '+' || c == '-' || c >= 0x80;
        if (!word)
            return false;
    }
    struct span host = span_slice(s, at + 1, s.len);
    size_t dot = span_find(host, SPAN("."), 0);
    return dot != (size_t)-1 && ONE_OF(span_slice(host, 0, dot), hosts) &&
           ONE_OF(span_slice(host, dot + 1, host.len), ends);
}

bool text_is_placeholder(struct span text)
{
    static const char *const phrases[] = {
        "email address", "first name",     "last name",    "full name", "zip code",
        "phone number",  "order id",       "order number", "user id",   "customer id",
        "account id",    "account number", "item id",      "product id"};
    struct span s = text_strip(text);
    return s.len &&
           (bracketed(s) || ONE_OF(s, phrases) || determined(s) || filler(s) || sample_mail(s));
}

static void walk(struct arena *a, const struct node *v, struct buf *path, struct node *fields)
{
    size_t length = path->len, index = 0;
    if (v->type == JSON_VALUE_STRING && text_is_placeholder(v->text))
        node_append(fields, node_text(a, buf_span(path)));
    for (const struct node *m = v->first; m; m = m->next, path->len = length) {
        if (v->type == JSON_VALUE_ARRAY)
            buf_format(path, "[%zu]", index++);
        else if (length)
            buf_byte(path, '.');
        if (v->type == JSON_VALUE_OBJECT)
            buf_span_add(path, m->key);
        walk(a, m, path, fields);
    }
}

void placeholder_fields(struct arena *a, const struct node *arguments, struct node *fields)
{
    struct buf path = {0};
    walk(a, arguments, &path, fields);
    buf_free(&path);
}
