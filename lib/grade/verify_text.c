/* verify_text.c: the verifiers that compare texts: exact-match, includes, regex, numeric
 * (grade 5.1-5.3, 5.6). Reasons never quote the reference. */
#include <stdint.h>
#include <stdlib.h>

#include "base/options.h"
#include "grade/defaults.h"
#include "grade/numeric.h"
#include "grade/verify.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/regex.h"
#include "text/utf8.h"

/* What the candidate said instead, at most SHOWN_CHARS of it. Only of a miss: what matches is the
 * gold. */
static void show_miss(struct verdict *out, const char *what, struct span text)
{
    verdict_reason(out, "%s: \"", what);
    buf_span_add(&out->reason, utf8_head(text, SHOWN_CHARS));
    buf_byte(&out->reason, '"');
}

/* ---- exact-match
 * --------------------------------------------------------------------------------------- */

struct exact {
    bool lower, strip_punct, whole, loose_numbers;
};

static int exact_open(struct verifier *v, struct error *error)
{
    struct exact *e = mem_zero(1, sizeof *e);
    (void)error;
    v->state = e;
    e->lower = verify_arg_bool(v, "lower", true);
    e->strip_punct = verify_arg_bool(v, "strip_punct", true);
    e->whole = verify_arg_bool(v, "whole", false);
    e->loose_numbers = verify_arg_choice(v, "numbers", 0) == 1;
    return 0;
}

static void state_free(struct verifier *v)
{
    free(v->state);
}

static bool ascii_punctuation(char c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* Lower case, without ASCII punctuation, runs of white space as one space, as the options say. */
static void normalise(const struct exact *e, struct span text, struct buf *work, struct buf *out)
{
    struct span word;
    buf_clear(work);
    buf_clear(out);
    if (e->strip_punct) {
        for (size_t i = 0; i < text.len; i++)
            if (!ascii_punctuation(text.ptr[i]))
                buf_byte(work, text.ptr[i]);
        text = buf_span(work);
    }
    if (e->lower) {
        text_fold(text, out);
        return;
    }
    for (size_t at = 0; text_next_word(text, &at, &word);) {
        if (out->len)
            buf_byte(out, ' ');
        buf_span_add(out, word);
    }
}

/* Both are plain numbers, and different ones: -5 and 5, 3.14 and 314. */
static bool numbers_differ(struct span a, struct span b)
{
    struct numeric x, y, zero;
    numeric_open(&x);
    numeric_open(&y);
    numeric_open(&zero);
    bool differ = numeric_decimal(&zero, SPAN("0")) && numeric_whole(&x, a) &&
                  numeric_whole(&y, b) && !numeric_close_to(&x, &y, &zero, NULL, false);
    numeric_close(&x);
    numeric_close(&y);
    numeric_close(&zero);
    return differ;
}

static struct span last_line(struct span text)
{
    struct span line, last = SPAN("");
    text = text_strip(text);
    for (size_t at = 0; text_next_line(text, &at, &line);)
        last = line;
    return last;
}

static int exact_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                     struct error *error)
{
    const struct exact *e = v->state;
    struct buf *work = &in->scratch[0], *got = &in->scratch[1], *full = &in->scratch[2];
    struct buf want = {0}, text = {0};
    size_t n = verify_reference_count(in->gold.value);
    struct span line = e->whole ? in->candidate : last_line(in->candidate);
    bool match = false;
    (void)error;
    normalise(e, line, work, got);
    normalise(e, in->candidate, work, full);
    for (size_t i = 0; i < n && !match; i++) {
        struct span reference = verify_reference(in->gold.value, i, &text);
        normalise(e, reference, work, &want);
        if (span_equal(buf_span(got), buf_span(&want)))
            match = e->loose_numbers || !numbers_differ(line, reference);
        else if (!e->whole && span_equal(buf_span(full), buf_span(&want)))
            match = e->loose_numbers || !numbers_differ(in->candidate, reference);
    }
    if (n == 0) {
        verdict_unjudged(out, "%s: the list of references is empty", v->name);
    } else {
        verdict_score(out, match);
        if (match)
            verdict_reason(out, "matches the reference");
        else
            show_miss(out, "does not match the reference", line);
    }
    buf_free(&want);
    buf_free(&text);
    return 0;
}

static const struct verify_key exact_keys[] = {
    {"lower", VERIFY_BOOL, NULL},
    {"strip_punct", VERIFY_BOOL, NULL},
    {"whole", VERIFY_BOOL, NULL},
    {"numbers", VERIFY_CHOICE, "strict|loose"},
    {0},
};
const struct verify_kind VERIFY_EXACT = {.name = "exact-match",
                                         .recorded = "ExactMatch",
                                         .keys = exact_keys,
                                         .needs_gold = true,
                                         .open = exact_open,
                                         .run = exact_run,
                                         .close = state_free};

/* ---- includes
 * ------------------------------------------------------------------------------------------ */

struct includes {
    bool lower, any;
};

static int includes_open(struct verifier *v, struct error *error)
{
    struct includes *s = mem_zero(1, sizeof *s);
    (void)error;
    v->state = s;
    s->lower = verify_arg_bool(v, "lower", true);
    s->any = verify_arg_choice(v, "mode", 0) == 1;
    return 0;
}

static int includes_run(const struct verifier *v, const struct verify_input *in,
                        struct verdict *out, struct error *error)
{
    const struct includes *s = v->state;
    struct buf *low = &in->scratch[0], *needle_low = &in->scratch[1], *text = &in->scratch[2];
    struct span hay = in->candidate;
    size_t n = verify_reference_count(in->gold.value), hits = 0;
    bool blank = n == 0;
    (void)error;
    if (s->lower) {
        buf_clear(low);
        text_lower(hay, low);
        hay = buf_span(low);
    }
    for (size_t i = 0; i < n; i++) {
        struct span needle = verify_reference(in->gold.value, i, text);
        blank = blank || text_blank(needle);
        if (s->lower) {
            buf_clear(needle_low);
            text_lower(needle, needle_low);
            needle = buf_span(needle_low);
        }
        hits += span_has(hay, needle);
    }
    if (blank) {
        verdict_unjudged(out,
                         n ? "%s: a reference is blank, so nothing can be checked"
                           : "%s: the list of references is empty",
                         v->name);
        return 0;
    }
    verdict_score(out, s->any ? hits > 0 : hits == n);
    verdict_reason(out, "%zu of %zu present", hits, n);
    return 0;
}

static const struct verify_key includes_keys[] = {
    {"lower", VERIFY_BOOL, NULL}, {"mode", VERIFY_CHOICE, "all|any"}, {0}};
const struct verify_kind VERIFY_INCLUDES = {.name = "includes",
                                            .recorded = "Includes",
                                            .keys = includes_keys,
                                            .needs_gold = true,
                                            .open = includes_open,
                                            .run = includes_run,
                                            .close = state_free};

/* ---- regex
 * --------------------------------------------------------------------------------------------- */

struct pattern {
    struct regex *regex;
    int group; /* -1: none */
    bool lower;
};

static int read_flags(struct span letters, int *flags, struct error *error)
{
    static const struct {
        char letter;
        int flag;
    } known[] = {{'i', REGEX_IGNORE_CASE},
                 {'m', REGEX_MULTILINE},
                 {'s', REGEX_DOT_ALL},
                 {'x', REGEX_VERBOSE}};
    *flags = 0;
    for (size_t i = 0; i < letters.len; i++) {
        int flag = 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (known[k].letter == letters.ptr[i])
                flag = known[k].flag;
        if (!flag)
            return error_set(error, ERROR_USAGE, "regex: flags are the letters i m s x, not %s",
                             letters.ptr);
        *flags |= flag;
    }
    return 0;
}

/* group: a number or a name of the pattern's. */
static int read_group(struct pattern *p, struct span group, struct error *error)
{
    int64_t number;
    p->group = -1;
    if (!group.ptr)
        return 0;
    if (option_read_int(group.ptr, &number) == 0) {
        if (number >= 0 && (uint64_t)number <= regex_group_count(p->regex))
            p->group = (int)number;
    } else {
        p->group = regex_group_number(p->regex, group.ptr);
    }
    if (p->group < 0)
        return error_set(error, ERROR_USAGE, "regex: the pattern has no group %s; it has %zu",
                         group.ptr, regex_group_count(p->regex));
    return 0;
}

static int regex_open(struct verifier *v, struct error *error)
{
    struct pattern *p = mem_zero(1, sizeof *p);
    struct span pattern = verify_arg_text(v, "pattern"), flags = verify_arg_text(v, "flags");
    int bits = 0;
    v->state = p;
    p->lower = verify_arg_bool(v, "lower", true);
    if (!pattern.ptr)
        return error_set(error, ERROR_USAGE, "regex: no pattern; write regex:pattern=…");
    int rc = read_flags(flags.ptr ? flags : SPAN("i"), &bits, error);
    if (rc)
        return rc;
    p->regex = regex_compile(pattern, bits, error);
    if (!p->regex)
        return ERROR_USAGE;
    return read_group(p, verify_arg_text(v, "group"), error);
}

static bool same_text(struct span a, struct span b, bool lower, struct buf *x, struct buf *y)
{
    if (!lower)
        return span_equal(a, b);
    buf_clear(x);
    buf_clear(y);
    text_lower(text_strip(a), x);
    text_lower(text_strip(b), y);
    return span_equal(buf_span(x), buf_span(y));
}

/* Python's str may hold lone surrogates, PCRE2's text may not: they become U+FFFD. */
static struct span matchable(struct span text, struct buf *scratch)
{
    if (utf8_valid(text))
        return text;
    buf_clear(scratch);
    for (size_t at = 0; at < text.len;) {
        uint32_t c = utf8_next(text, &at);
        utf8_add(scratch, c >= 0xd800 && c <= 0xdfff ? 0xfffd : c);
    }
    return buf_span(scratch);
}

static int regex_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                     struct error *error)
{
    const struct pattern *p = v->state;
    size_t wanted = p->group < 0 ? 1 : (size_t)p->group + 1;
    struct span few[16], *groups = wanted <= 16 ? few : mem_zero(wanted, sizeof *groups);
    struct span text = matchable(in->candidate, &in->scratch[0]);
    enum regex_result found = regex_search(p->regex, text, 0, groups, wanted);
    (void)error;
    if (found == REGEX_LIMIT) {
        verdict_failed(out, "%s: the pattern backtracks without end on this text; make it simpler",
                       v->name);
    } else if (found == REGEX_NONE) {
        verdict_score(out, 0);
        verdict_reason(out, "the pattern does not match");
    } else if (p->group < 0 || !in->gold.value.text.ptr) {
        verdict_score(out, 1);
        verdict_reason(out, "the pattern matches");
    } else {
        struct span got = groups[p->group].ptr ? groups[p->group] : SPAN("");
        bool same = false;
        size_t n = verify_reference_count(in->gold.value);
        for (size_t i = 0; i < n && !same; i++)
            same = same_text(got, verify_reference(in->gold.value, i, &in->scratch[1]), p->lower,
                             &in->scratch[2], &in->scratch[3]);
        if (n == 0) {
            verdict_unjudged(out, "%s: the list of references is empty", v->name);
        } else {
            verdict_score(out, same);
            if (same)
                verdict_reason(out, "captured the reference");
            else
                show_miss(out, "captured something else", got);
        }
    }
    if (groups != few)
        free(groups);
    return 0;
}

static void regex_close(struct verifier *v)
{
    struct pattern *p = v->state;
    regex_free(p->regex);
    free(p);
}

static const struct verify_key regex_keys[] = {
    {"pattern", VERIFY_TEXT, NULL},
    {"group", VERIFY_TEXT, NULL},
    {"flags", VERIFY_TEXT, NULL},
    {"lower", VERIFY_BOOL, NULL},
    {0},
};
const struct verify_kind VERIFY_REGEX = {.name = "regex",
                                         .recorded = "Regex",
                                         .keys = regex_keys,
                                         .open = regex_open,
                                         .run = regex_run,
                                         .close = regex_close};

/* ---- numeric
 * ------------------------------------------------------------------------------------------- */

struct tolerance {
    struct numeric absolute, relative;
    bool has_relative, percent_value;
};

static int numeric_open_keys(struct verifier *v, struct error *error)
{
    struct tolerance *t = mem_zero(1, sizeof *t);
    struct span tol = verify_arg_text(v, "tol"), rel = verify_arg_text(v, "rel");
    v->state = t;
    numeric_open(&t->absolute);
    numeric_open(&t->relative);
    if (!numeric_decimal(&t->absolute, tol.ptr ? tol : SPAN("1e-6")))
        return error_set(error, ERROR_USAGE, "numeric: tol is %s, a number is wanted", tol.ptr);
    t->has_relative = rel.ptr != NULL;
    if (rel.ptr && !numeric_decimal(&t->relative, rel))
        return error_set(error, ERROR_USAGE, "numeric: rel is %s, a number is wanted", rel.ptr);
    t->percent_value = verify_arg_choice(v, "percent", 0) == 1;
    return 0;
}

static int numeric_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                       struct error *error)
{
    const struct tolerance *t = v->state;
    struct numeric want, got;
    numeric_open(&want);
    numeric_open(&got);
    (void)error;
    /* Of a list or object the last number counts, as it does in a text. */
    if (!numeric_find(&want, in->gold.value.type == JSON_VALUE_NUMBER
                                 ? in->gold.value.text
                                 : value_text(in->gold.value, &in->scratch[0]))) {
        verdict_unjudged(out, "%s: the reference holds no number", v->name);
    } else if (!numeric_find(&got, numeric_span(in->candidate))) {
        verdict_score(out, 0);
        verdict_reason(out, "no number in the answer");
    } else {
        bool near = numeric_close_to(&got, &want, &t->absolute,
                                     t->has_relative ? &t->relative : NULL, t->percent_value);
        char text[NUMBER_TEXT_MAX];
        number_text(numeric_double(&got), text);
        verdict_score(out, near);
        if (near)
            verdict_reason(out, "the reference within the tolerance");
        else
            verdict_reason(out, "got %s, not the reference", text);
    }
    numeric_close(&want);
    numeric_close(&got);
    return 0;
}

static void numeric_close_keys(struct verifier *v)
{
    struct tolerance *t = v->state;
    numeric_close(&t->absolute);
    numeric_close(&t->relative);
    free(t);
}

static const struct verify_key numeric_keys[] = {{"tol", VERIFY_NUMBER, NULL},
                                                 {"rel", VERIFY_NUMBER, NULL},
                                                 {"percent", VERIFY_CHOICE, "same|value"},
                                                 {0}};
const struct verify_kind VERIFY_NUMERIC = {.name = "numeric",
                                           .recorded = "Numeric",
                                           .keys = numeric_keys,
                                           .needs_gold = true,
                                           .open = numeric_open_keys,
                                           .run = numeric_run,
                                           .close = numeric_close_keys};
