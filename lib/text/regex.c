/* regex.c: see regex.h. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text/regex.h"

/* Python's white space (rows 2.6) and word characters; PCRE2's differ by a few and by version. */
#define SPACES                                                                                    \
    "\\x09-\\x0d\\x1c-\\x20\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}" \
    "\\x{205f}\\x{3000}"
#define WORDS "\\p{L}\\p{N}_"

struct regex {
    pcre2_code *code;
    pcre2_match_context *limits;
    _Atomic(pcre2_match_data *) spare; /* the memory of a match, while no thread uses it */
};

/* One thread finds the memory of the last match; others that match at the same time make their own. */
static pcre2_match_data *match_take(struct regex *r)
{
    pcre2_match_data *match = atomic_exchange(&r->spare, NULL);
    if (!match)
        match = pcre2_match_data_create_from_pattern(r->code, NULL);
    if (!match)
        mem_out_of_memory(sizeof(PCRE2_SIZE) * 2);
    return match;
}

static void match_give(struct regex *r, pcre2_match_data *match)
{
    pcre2_match_data_free(atomic_exchange(&r->spare, match));
}

/* What stands for an escape, inside a class or outside; NULL: the escape stays. */
static const char *escape_for(char c, bool in_class)
{
    switch (c) {
    case 's': return in_class ? SPACES : "[" SPACES "]";
    case 'w': return in_class ? WORDS : "[" WORDS "]";
    case 'S': return in_class ? NULL : "[^" SPACES "]";
    case 'W': return in_class ? NULL : "[^" WORDS "]";
    case 'Z': return in_class ? NULL : "\\z";
    default: return NULL;
    }
}

/* Rewrites the escapes that Python and PCRE2 read differently. A class begins at an unescaped '[';
 * a ']' that comes first in it is a member. */
static void translate(struct span pattern, struct buf *out)
{
    bool in_class = false;
    size_t class_start = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        char c = pattern.ptr[i];
        if (c == '\\' && i + 1 < pattern.len) {
            const char *stand_in = escape_for(pattern.ptr[i + 1], in_class);
            if (stand_in)
                buf_text(out, stand_in);
            else
                buf_add(out, pattern.ptr + i, 2);
            i++;
            continue;
        }
        if (!in_class && c == '[') {
            in_class = true;
            class_start = i + 1;
            if (class_start < pattern.len && pattern.ptr[class_start] == '^')
                class_start++;
        } else if (in_class && c == '[') {
            /* A plain member in Python; PCRE2 would take "[:" for a POSIX class. */
            buf_byte(out, '\\');
        } else if (in_class && c == ']' && i != class_start) {
            in_class = false;
        }
        buf_byte(out, c);
    }
}

struct regex *regex_compile(struct span pattern, int flags, struct error *error)
{
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_MATCH_INVALID_UTF;
    options |= flags & REGEX_IGNORE_CASE ? PCRE2_CASELESS : 0;
    options |= flags & REGEX_MULTILINE ? PCRE2_MULTILINE : 0;
    options |= flags & REGEX_DOT_ALL ? PCRE2_DOTALL : 0;
    options |= flags & REGEX_VERBOSE ? PCRE2_EXTENDED : 0;
    struct buf text = {0};
    translate(pattern, &text);
    int code;
    PCRE2_SIZE at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)buf_cstr(&text), text.len, options, &code, &at, context);
    pcre2_compile_context_free(context);
    buf_free(&text);
    if (!compiled) {
        unsigned char said[256];
        pcre2_get_error_message(code, said, sizeof said);
        error_set(error, ERROR_USAGE, "regex at character %zu: %s", (size_t)at, (char *)said);
        return NULL;
    }
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE); /* without it the interpreter serves */
    struct regex *r = mem_zero(1, sizeof *r);
    r->code = compiled;
    r->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(r->limits, REGEX_MATCH_LIMIT);
    pcre2_set_depth_limit(r->limits, REGEX_DEPTH_LIMIT);
    return r;
}

enum regex_result regex_search(const struct regex *regex, struct span text, size_t from,
                               struct span *groups, size_t n_groups)
{
    struct regex *r = (struct regex *)regex; /* its spare memory changes, and nothing else */
    if (from > text.len)
        return REGEX_NONE;
    pcre2_match_data *match = match_take(r);
    int got = pcre2_match(r->code, (PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len, from, 0, match,
                          r->limits);
    if (got > 0) {
        const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(match);
        for (size_t i = 0; i < n_groups; i++) {
            bool took_part =
                i < (size_t)got && ends[2 * i] != PCRE2_UNSET && ends[2 * i] <= ends[2 * i + 1];
            groups[i] =
                took_part ? span_slice(text, ends[2 * i], ends[2 * i + 1]) : (struct span){0};
        }
    }
    match_give(r, match);
    return got > 0 ? REGEX_MATCH : got == PCRE2_ERROR_NOMATCH ? REGEX_NONE : REGEX_LIMIT;
}

void regex_replace(const struct regex *r, struct buf *text, const char *with)
{
    struct buf out = {0};
    struct span s = buf_span(text), hit;
    size_t at = 0;
    while (at < s.len && regex_search(r, s, at, &hit, 1) == REGEX_MATCH && hit.len) {
        size_t start = (size_t)(hit.ptr - s.ptr);
        buf_span_add(&out, span_slice(s, at, start));
        buf_text(&out, with);
        at = start + hit.len;
    }
    buf_span_add(&out, span_slice(s, at, s.len));
    buf_free(text);
    *text = out;
}

size_t regex_group_count(const struct regex *r)
{
    uint32_t count = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &count);
    return count;
}

int regex_group_number(const struct regex *r, const char *name)
{
    int number = pcre2_substring_number_from_name(r->code, (PCRE2_SPTR)name);
    return number > 0 ? number : -1;
}

void regex_free(struct regex *r)
{
    if (!r)
        return;
    pcre2_match_data_free(r->spare);
    pcre2_match_context_free(r->limits);
    pcre2_code_free(r->code);
    free(r);
}
