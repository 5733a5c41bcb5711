/* sql_text.c: finds the query in a reply, and what in it stands outside of quotes (grade 8). */
#include <ctype.h>
#include <stdint.h>
#include <strings.h>

#include "grade/extract.h"
#include "grade/sql.h"
#include "text/fold.h"
#include "text/reasoning.h"

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool word_at(struct span s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return s.len - at >= n && strncasecmp(s.ptr + at, word, n) == 0 &&
           (at == 0 || !word_byte(s.ptr[at - 1])) && (at + n == s.len || !word_byte(s.ptr[at + n]));
}

static bool starts_query(struct span s)
{
    return word_at(s, 0, "select") || word_at(s, 0, "with");
}

struct span sql_trim(struct span s)
{
    s = text_strip(s);
    while (s.len && s.ptr[s.len - 1] == ';')
        s = text_strip(span_slice(s, 0, s.len - 1));
    return s;
}

/* The fenced block that stands last, tagged sql or not at all. */
static struct span last_fence(struct span text)
{
    struct span tagged = extract_fence(text, SPAN("sql")), plain = extract_fence(text, SPAN(""));
    return !tagged.ptr || (plain.ptr && plain.ptr > tagged.ptr) ? plain : tagged;
}

struct span sql_query_of(struct span text, struct buf *scratch)
{
    struct span s = text_split_reasoning(text, scratch).spoken, fence = last_fence(s);
    if (!fence.ptr) {
        size_t at = 0;
        while (at < s.len && !word_at(s, at, "select") && !word_at(s, at, "with"))
            at++;
        fence = span_slice(s, at, s.len);
    }
    fence = sql_trim(fence);
    return starts_query(fence) ? fence : SPAN("");
}

/* Behind a quoted text that starts at `at`; a quote twice stands for itself. */
static size_t skip_quoted(struct span s, size_t at, char close)
{
    for (at++; at < s.len; at++) {
        if (s.ptr[at] != close)
            continue;
        if (close == ']' || at + 1 == s.len || s.ptr[at + 1] != close)
            return at + 1;
        at++;
    }
    return s.len;
}

/* Behind the quote or comment that starts at `at`; `at` itself when none does. */
static size_t skip_inert(struct span s, size_t at)
{
    char c = s.ptr[at], next = at + 1 < s.len ? s.ptr[at + 1] : '\0';
    size_t end;
    if (c == '\'' || c == '"' || c == '`')
        return skip_quoted(s, at, c);
    if (c == '[')
        return skip_quoted(s, at, ']');
    if (c == '-' && next == '-')
        end = span_find(s, SPAN("\n"), at);
    else if (c == '/' && next == '*')
        end = span_find(s, SPAN("*/"), at + 2);
    else
        return at;
    return end == SIZE_MAX ? s.len : end + (c == '-' ? 1 : 2);
}

bool sql_many(struct span s)
{
    for (size_t at = 0; at < s.len;) {
        size_t behind = skip_inert(s, at);
        if (behind == at && s.ptr[at] == ';')
            return true;
        at = behind == at ? at + 1 : behind;
    }
    return false;
}

/* Behind blanks and comments. */
static size_t skip_blank(struct span s, size_t at)
{
    while (at < s.len) {
        bool comment = s.ptr[at] == '-' || s.ptr[at] == '/';
        size_t behind = comment ? skip_inert(s, at) : at;
        if (behind == at && !isspace((unsigned char)s.ptr[at]))
            break;
        at = behind == at ? at + 1 : behind;
    }
    return at;
}

bool sql_ordered(struct span s)
{
    size_t depth = 0;
    for (size_t at = 0; at < s.len;) {
        size_t behind = skip_inert(s, at);
        if (behind != at) {
            at = behind;
            continue;
        }
        if (s.ptr[at] == '(')
            depth++;
        else if (s.ptr[at] == ')' && depth)
            depth--;
        else if (depth == 0 && word_at(s, at, "order")) {
            size_t by = skip_blank(s, at + 5);
            if (by < s.len && word_at(s, by, "by"))
                return true;
        }
        at++;
    }
    return false;
}
