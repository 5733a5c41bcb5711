/* math_find.c: finds answers in a text (grade 6.1): LaTeX spans, plain numbers and expressions, after
 * which words. Linear scans; no regular expression. */
#include "grade/math_find.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

#include "grade/defaults.h"
#include "text/fold.h"

static const size_t NONE = SIZE_MAX;

static bool starts(struct span s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return at <= s.len && s.len - at >= n && memcmp(s.ptr + at, word, n) == 0;
}

static bool starts_any_case(struct span s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return at <= s.len && s.len - at >= n && strncasecmp(s.ptr + at, word, n) == 0;
}

static bool digit(struct span s, size_t at)
{
    return at < s.len && isdigit((unsigned char)s.ptr[at]);
}

static bool blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static size_t skip_blank(struct span s, size_t at)
{
    while (at < s.len && blank(s.ptr[at]))
        at++;
    return at;
}

/* ---- LaTeX ------------------------------------------------------------------------------------- */

/* Where `close` stands behind `from`; on the same line when `line`. What was looked through in vain is
 * not looked through again. */
static size_t closing(struct span s, size_t from, const char *close, bool line, int mark,
                      struct math_matches *list)
{
    size_t n = strlen(close), at = from;
    if (from >= list->open[mark].from && from < list->open[mark].to)
        return NONE;
    for (; at + n <= s.len && !(line && s.ptr[at] == '\n'); at++)
        if (starts(s, at, close) && !(close[0] == '$' && at > from && s.ptr[at - 1] == '\\'))
            return at;
    list->open[mark].from = from;
    list->open[mark].to = at + 1;
    return NONE;
}

/* \frac{-1.5}{2} on its own. */
static size_t bare_fraction(struct span s, size_t at)
{
    if (!starts(s, at, "\\frac{"))
        return NONE;
    at += 5;
    for (int part = 0; part < 2; part++) {
        if (at >= s.len || s.ptr[at] != '{')
            return NONE;
        size_t from = ++at;
        while (at < s.len && (digit(s, at) || s.ptr[at] == '.' || s.ptr[at] == '-'))
            at++;
        if (at == from || at >= s.len || s.ptr[at] != '}')
            return NONE;
        at++;
    }
    return at;
}

/* A span that begins at `at`: its inside, and where it ends; NONE: none does. */
static size_t latex_at(struct span s, size_t at, struct math_matches *list, struct span *inside)
{
    static const struct {
        const char *open, *close;
        bool line;
    } marks[] = {
        {"$$", "$$", false}, {"\\[", "\\]", false}, {"\\(", "\\)", true}, {"$", "$", true}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t open = strlen(marks[i].open), close;
        if (!starts(s, at, marks[i].open))
            continue;
        if (i == 3 && at && (isdigit((unsigned char)s.ptr[at - 1]) || s.ptr[at - 1] == '\\'))
            continue;
        close = closing(s, at + open, marks[i].close, marks[i].line, (int)i, list);
        if (close == NONE || text_blank(span_slice(s, at + open, close)))
            continue;
        *inside = span_slice(s, at + open, close);
        return close + strlen(marks[i].close);
    }
    if (starts(s, at, "[ ") && (at == 0 || blank(s.ptr[at - 1]))) {
        size_t close = closing(s, at + 2, " ]", true, MATH_MARKS - 1, list);
        if (close != NONE) {
            *inside = span_slice(s, at + 2, close);
            return close + 2;
        }
    }
    size_t end = bare_fraction(s, at);
    if (end != NONE) {
        size_t from = at && s.ptr[at - 1] == '-' ? at - 1 : at;
        *inside = span_slice(s, from, end);
    }
    return end;
}

/* Behind a sign or word of percent; `at` itself when none stands there. */
static size_t percent_at(struct span s, size_t at)
{
    static const char *const words[] = {"\\%", "%", "percentage", "percent", "pct"};
    size_t from = skip_blank(s, at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (starts_any_case(s, from, words[i]))
            return from + strlen(words[i]);
    return at;
}

/* Behind what joins two spans of one answer: a comma, and, or. */
static size_t joint_at(struct span s, size_t at)
{
    size_t from = skip_blank(s, at);
    bool comma = from < s.len && s.ptr[from] == ',';
    if (comma)
        from = skip_blank(s, from + 1);
    if (starts_any_case(s, from, "and"))
        return skip_blank(s, from + 3);
    if (starts_any_case(s, from, "or"))
        return skip_blank(s, from + 2);
    return comma ? from : NONE;
}

static void add(struct math_matches *list, size_t from, size_t to, struct span body, bool latex)
{
    list->items = mem_grow(list->items, &list->cap, list->n + 1, sizeof *list->items);
    list->items[list->n++] = (struct math_match){from, to, body, latex};
}

/* A span and up to five that are joined to it; where it ends, NONE for none. */
static size_t latex_match(struct span s, size_t at, struct arena *arena, struct math_matches *list,
                          struct span *body)
{
    enum { JOINED_MAX = 6 };
    struct span inside;
    struct buf text = {0};
    size_t end = latex_at(s, at, list, &inside);
    if (end == NONE)
        return NONE;
    size_t behind = percent_at(s, end);
    buf_span_add(&text, inside);
    for (int n = 1;; n++) {
        if (behind != end)
            buf_text(&text, "\\%");
        end = behind;
        size_t next = n < JOINED_MAX ? joint_at(s, end) : NONE;
        size_t close = next == NONE ? NONE : latex_at(s, next, list, &inside);
        if (close == NONE)
            break;
        buf_byte(&text, ',');
        buf_span_add(&text, inside);
        end = close;
        behind = percent_at(s, end);
    }
    *body = arena_span(arena, buf_span(&text));
    buf_free(&text);
    return end;
}

/* ---- plain numbers and expressions ------------------------------------------------------------- */

/* A currency sign: its bytes. */
static size_t currency_at(struct span s, size_t at)
{
    static const char *const signs[] = {"\\$", "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts(s, at, signs[i]))
            return strlen(signs[i]);
    return 0;
}

static size_t digits_from(struct span s, size_t at)
{
    while (digit(s, at))
        at++;
    return at;
}

/* A number from `at` on: plain spelling appended, its end; NONE for none. */
static size_t number_at(struct span s, size_t at, struct buf *text)
{
    size_t end = digits_from(s, at), groups = end;
    bool lead = end - at >= 1 && end - at <= 3 && s.ptr[at] != '0';
    while (lead && groups < s.len && strchr(", ", s.ptr[groups]) &&
           digits_from(s, groups + 1) == groups + 4)
        groups += 4;
    bool marked = groups > end;
    for (size_t i = at; i < groups; i++)
        if (digit(s, i))
            buf_byte(text, s.ptr[i]);
    end = groups;
    if (end < s.len && (s.ptr[end] == '.' || (!marked && s.ptr[end] == ',' && end > at)) &&
        digit(s, end + 1)) {
        buf_byte(text, '.');
        size_t to = digits_from(s, end + 1);
        buf_span_add(text, span_slice(s, end + 1, to));
        return to;
    }
    return end > at ? end : NONE;
}

/* Where a plain answer may begin: at the start, behind a blank or =, stars between; behind a word's
 * colon. */
static bool may_begin(struct span s, size_t at)
{
    if (at >= 2 && s.ptr[at - 1] == '*' && s.ptr[at - 2] == '*')
        at -= 2;
    bool colon = at >= 2 && s.ptr[at - 1] == ':' && isalpha((unsigned char)s.ptr[at - 2]);
    return at == 0 || blank(s.ptr[at - 1]) || s.ptr[at - 1] == '=' || colon ||
           (unsigned char)s.ptr[at - 1] == 0xA0; /* a blank that does not break */
}

static size_t plain_number(struct span s, size_t at, struct arena *arena, struct span *body)
{
    struct buf text = {0};
    size_t from = at, end = NONE;
    if (from < s.len && strchr("+-", s.ptr[from])) {
        if (s.ptr[from] == '-')
            buf_byte(&text, '-');
        from++;
    } else if (starts(s, from, "\xe2\x88\x92")) {
        buf_byte(&text, '-');
        from += 3;
    }
    from += currency_at(s, from);
    if (from < s.len && text.len == 0 && from > at && strchr("-", s.ptr[from])) {
        buf_byte(&text, '-');
        from++;
    }
    if (digit(s, from) || (from < s.len && s.ptr[from] == '.' && digit(s, from + 1)))
        end = number_at(s, from, &text);
    if (end != NONE) {
        if ((starts(s, end, "e") || starts(s, end, "E")) &&
            (digit(s, end + 1) ||
             (end + 1 < s.len && strchr("+-", s.ptr[end + 1]) && digit(s, end + 2)))) {
            size_t to = digits_from(s, end + 2);
            if (to == s.len || !isalnum((unsigned char)s.ptr[to])) {
                buf_span_add(&text, span_slice(s, end, to));
                end = to;
            }
        }
        size_t behind = percent_at(s, end);
        if (behind != end)
            buf_text(&text, "\\%");
        end = behind;
        *body = arena_span(arena, buf_span(&text));
    }
    buf_free(&text);
    return end;
}

/* A sign of arithmetic beyond ASCII: its bytes, and what it is. */
static size_t sign_at(struct span s, size_t at, const char **plain)
{
    static const struct {
        const char *sign, *plain;
    } signs[] = {{"\xc3\x97", "*"}, {"\xc3\xb7", "/"}, {"\xe2\x88\x92", "-"}, {"\xc2\xb7", "*"}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts(s, at, signs[i].sign)) {
            *plain = signs[i].plain;
            return strlen(signs[i].sign);
        }
    return 0;
}

/* Digits, brackets and signs of arithmetic, at least one between numbers; NONE: no expression. */
static size_t plain_expression(struct span s, size_t at, struct arena *arena,
                               struct math_matches *list, struct span *body)
{
    struct buf text = {0};
    size_t end = NONE, kept = 0, i = at;
    int depth = 0;
    bool number = false, operated = false;
    if (i < s.len && !digit(s, i) && !strchr("-+(.", s.ptr[i]))
        return NONE;
    while (i < s.len && i - at < MATH_TEXT_MAX && list->work++ < MATH_FIND_WORK) {
        const char *plain = NULL;
        size_t n = sign_at(s, i, &plain);
        char c = s.ptr[i];
        if (n) {
            buf_text(&text, plain);
        } else if (digit(s, i) || c == '.' || strchr("+-*/^() ", c)) {
            n = 1;
            buf_byte(&text, c);
        } else {
            break;
        }
        bool sign = plain || (c && strchr("+-*/^", c));
        operated = operated || (sign && number);
        number = number || digit(s, i);
        depth += (c == '(') - (c == ')');
        if (depth < 0)
            break;
        i += n;
        bool ends = (digit(s, i - 1) || s.ptr[i - 1] == ')') && depth == 0 && operated;
        if (ends && (i == s.len || strchr(".,: \n)$", s.ptr[i]))) {
            end = i;
            kept = text.len;
        }
    }
    /* The last sign must stand between numbers: "3 - " keeps "3". */
    if (end != NONE) {
        text.len = kept;
        *body = arena_span(arena, buf_span(&text));
    }
    buf_free(&text);
    return end;
}

/* The plain answers that begin at `at`. */
static void plain_matches(struct span s, size_t at, struct arena *arena, struct math_matches *list,
                          size_t *number_free, size_t *expression_free)
{
    struct span body;
    if (at >= *expression_free) {
        size_t end = plain_expression(s, at, arena, list, &body);
        if (end != NONE) {
            add(list, at, end, body, false);
            *expression_free = end;
        }
    }
    if (at >= *number_free) {
        size_t end = plain_number(s, at, arena, &body);
        if (end != NONE) {
            add(list, at, end, body, false);
            *number_free = end;
        }
    }
}

/* ---- tiers ------------------------------------------------------------------------------------- */

static bool candidate_start(char c)
{
    return isdigit((unsigned char)c) || (c && strchr("-+(.$\\", c)) || (unsigned char)c >= 0x80;
}

static void find_all(struct span s, struct arena *arena, struct math_matches *list)
{
    struct span body;
    size_t latex_free = 0, number_free = 0, expression_free = 0;
    for (size_t at = 0; at < s.len && list->n < MATH_MATCHES_MAX; at++) {
        char c = s.ptr[at];
        if (at >= latex_free && (c == '$' || c == '\\' || c == '[')) {
            size_t end = latex_match(s, at, arena, list, &body);
            if (end != NONE) {
                add(list, at, end, body, true);
                latex_free = end;
            }
        }
        if (candidate_start(c) && may_begin(s, at))
            plain_matches(s, at, arena, list, &number_free, &expression_free);
    }
}

/* The first span or plain answer that begins at exactly `at`. */
static bool at_place(struct span s, size_t at, struct arena *arena, struct math_matches *list)
{
    struct span body;
    size_t end = latex_match(s, at, arena, list, &body);
    if (end != NONE) {
        add(list, at, end, body, true);
        return true;
    }
    size_t before = list->n, none = 0, other = 0;
    plain_matches(s, at, arena, list, &none, &other);
    return list->n > before;
}

/* Behind blanks and stars. */
static size_t skip_marks(struct span s, size_t at)
{
    while (at < s.len && (blank(s.ptr[at]) || s.ptr[at] == '*' || s.ptr[at] == '"'))
        at++;
    return at;
}

static size_t skip_colon(struct span s, size_t at)
{
    at = skip_blank(s, at);
    return at < s.len && s.ptr[at] == ':' ? at + 1 : at;
}

/* "final answer is X. I hope" */
static void tier_hope(struct span s, struct arena *arena, struct math_matches *list)
{
    static const char PHRASE[] = "final answer is";
    for (size_t at = 0; at < s.len && list->n < MATH_MATCHES_MAX; at++) {
        if ((s.ptr[at] | 32) != 'f' || !starts_any_case(s, at, PHRASE))
            continue;
        size_t from = skip_marks(s, skip_colon(s, at + sizeof PHRASE - 1)), before = list->n;
        at_place(s, from, arena, list);
        size_t kept = before;
        for (size_t i = before; i < list->n; i++) {
            size_t end = skip_marks(s, list->items[i].to);
            if (end < s.len && s.ptr[end] == '.')
                end = skip_blank(s, end + 1);
            if (starts_any_case(s, end, "i hope"))
                list->items[kept++] = list->items[i];
        }
        list->n = kept;
    }
}

/* Boxes, and "final answer ... is X". */
static void tier_final(struct span s, struct arena *arena, struct math_matches *list)
{
    enum { REACH = 100 };
    static const char PHRASE[] = "final answer";
    struct span body;
    size_t last = NONE, free = 0;
    for (size_t at = 0; at < s.len && list->n < MATH_MATCHES_MAX; at++) {
        if (starts(s, at, "\\boxed{"))
            last = at;
        if (at >= free && (s.ptr[at] == '$' || s.ptr[at] == '\\')) {
            size_t end = latex_match(s, at, arena, list, &body);
            if (end != NONE) {
                if (span_has(body, SPAN("\\boxed{")))
                    add(list, at, end, body, true);
                free = end;
            }
        }
        if ((s.ptr[at] | 32) != 'f' || !starts_any_case(s, at, PHRASE))
            continue;
        size_t from = at + sizeof PHRASE - 1;
        for (size_t is = from; is < from + REACH && is < s.len; is++)
            if (starts_any_case(s, is, " is") &&
                at_place(s, skip_marks(s, skip_colon(s, is + 3)), arena, list))
                break;
    }
    if (last == NONE)
        return;
    size_t end = s.len;
    while (end > last && s.ptr[end - 1] != '}')
        end--;
    bool unclosed = end <= last + 7;
    add(list, 0, unclosed ? s.len : end, span_slice(s, 0, unclosed ? s.len : end), true);
}

/* The first span and the first plain answer behind a phrase. */
static void first_behind(struct span s, size_t from, struct arena *arena, struct math_matches *list)
{
    enum { NEAR = 50, FAR = 100 };
    struct span body;
    bool latex = false, plain = false, after_equals = false;
    for (size_t at = from; at < s.len && at <= from + FAR && !(latex && plain); at++) {
        bool near = at <= from + NEAR;
        after_equals = after_equals || s.ptr[at] == '=';
        if (!latex && near && strchr("$\\[", s.ptr[at])) {
            size_t end = latex_match(s, at, arena, list, &body);
            size_t next = end == NONE ? 0 : skip_blank(s, end);
            if (end != NONE && !(next < s.len && s.ptr[next] == '=')) {
                add(list, at, end, body, true);
                latex = true;
            }
        }
        if (!plain && (near || after_equals) && candidate_start(s.ptr[at]) && may_begin(s, at)) {
            size_t before = list->n, none = 0, other = 0, kept;
            plain_matches(s, at, arena, list, &none, &other);
            kept = before;
            for (size_t i = before; i < list->n; i++) {
                size_t next = skip_blank(s, list->items[i].to);
                if (!(next < s.len && s.ptr[next] == '='))
                    list->items[kept++] = list->items[i];
            }
            list->n = kept;
            plain = kept > before;
        }
    }
}

static void tier_answer(struct span s, bool colon, struct arena *arena, struct math_matches *list)
{
    static const char PHRASE[] = "answer";
    for (size_t at = 0; at < s.len && list->n < MATH_MATCHES_MAX; at++) {
        if ((s.ptr[at] | 32) != 'a' || !starts_any_case(s, at, PHRASE))
            continue;
        size_t from = at + sizeof PHRASE - 1;
        if (colon && !(from < s.len && s.ptr[from] == ':'))
            continue;
        first_behind(s, from + colon, arena, list);
    }
}

static int later_end_first(const void *a, const void *b)
{
    const struct math_match *x = a, *y = b;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

void math_find(struct span text, int tier, struct arena *arena, struct math_matches *list)
{
    list->n = list->work = 0;
    memset(list->open, 0, sizeof list->open);
    switch (tier) {
    case 0: tier_hope(text, arena, list); break;
    case 1: tier_final(text, arena, list); break;
    case 2: tier_answer(text, true, arena, list); break;
    case 3: tier_answer(text, false, arena, list); break;
    default: find_all(text, arena, list); break;
    }
    if (list->n)
        qsort(list->items, list->n, sizeof *list->items, later_end_first);
}

void math_matches_free(struct math_matches *list)
{
    free(list->items);
    *list = (struct math_matches){0};
}

struct span math_last_line(struct span text)
{
    struct span line, last = SPAN("");
    for (size_t at = 0; text_next_line(text, &at, &line);)
        if (!text_blank(line))
            last = text_strip(line);
    size_t from = 0;
    for (size_t at = 0; at < last.len; at++) {
        if (starts_any_case(last, at, "answer is"))
            from = at + 9;
        else if (starts_any_case(last, at, "answer:"))
            from = at + 7;
    }
    last = text_strip(span_slice(last, from, last.len));
    while (last.len && strchr("*\"'.`:", last.ptr[last.len - 1]))
        last = text_strip(span_slice(last, 0, last.len - 1));
    while (last.len && strchr("*\"'`:", last.ptr[0]))
        last = text_strip(span_slice(last, 1, last.len));
    return last;
}
