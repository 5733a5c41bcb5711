/* math_text.c: the many spellings of LaTeX and plain text made one (grade 6.2): boxes opened, layout
 * and units dropped, names of one thing made the same. */
#include <ctype.h>
#include <stdint.h>
#include <strings.h>

#include "grade/defaults.h"
#include "grade/math_tree.h"
#include "text/fold.h"

static const size_t NONE = SIZE_MAX;

static bool starts(struct span s, size_t at, const char *word)
{
    size_t n = strlen(word);
    return s.len - at >= n && memcmp(s.ptr + at, word, n) == 0;
}

/* ---- boxes ------------------------------------------------------------------------------------- */

/* Last "\boxed{" that starts before `before`. */
static size_t last_box(struct span s, size_t before)
{
    static const char OPEN[] = "\\boxed{";
    for (size_t at = before; at-- > 0;)
        if (s.ptr[at] == '\\' && starts(s, at, OPEN))
            return at;
    return NONE;
}

/* Body of the box at `at`, and where it ends; without its closing brace it takes the rest. */
static struct span box_body(struct span s, size_t at, size_t *end)
{
    size_t from = at + 7;
    int depth = 1;
    for (size_t i = from; i < s.len; i++) {
        if (s.ptr[i] == '\\' && i + 1 < s.len) {
            i++;
            continue;
        }
        depth += (s.ptr[i] == '{') - (s.ptr[i] == '}');
        if (depth == 0) {
            *end = i + 1;
            return span_slice(s, from, i);
        }
    }
    *end = s.len;
    return span_slice(s, from, s.len);
}

/* What stands between two boxes makes them one list. */
static bool joins(struct span gap, bool same)
{
    enum { NEAR = 10, FAR = 70 }; /* characters (grade 6.1) */
    static const char *const words[] = {",", ";", "and", "or"};
    if (gap.len < NEAR)
        return true;
    if (gap.len >= FAR || same)
        return false;
    for (size_t i = 0; i < 4; i++)
        if (span_has(gap, span_text(words[i])))
            return true;
    return false;
}

bool math_boxed(struct span s, struct buf *out)
{
    struct span bodies[MATH_BOXES_MAX];
    size_t n = 0, left = 0, at = last_box(s, s.len), end;
    while (at != NONE && n < MATH_BOXES_MAX) {
        struct span body = box_body(s, at, &end);
        if (n) {
            bool around = end > left; /* the box that holds the one before */
            bool same = !around && span_equal(text_strip(body), text_strip(bodies[n - 1]));
            if (!around && !joins(span_slice(s, end, left), same))
                break;
            if (around || same) {
                left = at;
                at = last_box(s, at);
                continue;
            }
        }
        bodies[n++] = body;
        left = at;
        at = last_box(s, at);
    }
    for (size_t i = n; i-- > 0;) {
        buf_span_add(out, bodies[i]);
        if (i)
            buf_byte(out, ',');
    }
    return n > 0;
}

/* ---- replacements ------------------------------------------------------------------------------ */

/* Whole commands and characters; a command ends where letters end. */
static const struct pair {
    const char *from, *to;
} PLAIN[] = {
    {"\\left", ""},
    {"\\right", ""},
    {"\\bigl", ""},
    {"\\bigr", ""},
    {"\\Bigl", ""},
    {"\\Bigr", ""},
    {"\\big", ""},
    {"\\Big", ""},
    {"\\bigg", ""},
    {"\\Bigg", ""},
    {"\\biggl", ""},
    {"\\biggr", ""},
    {"\\displaystyle", ""},
    {"\\textstyle", ""},
    {"\\limits", ""},
    {"\\!", ""},
    {"\\,", " "},
    {"\\;", " "},
    {"\\:", " "},
    {"\\>", " "},
    {"\\quad", " "},
    {"\\qquad", " "},
    {"\\ ", " "},
    {"~", " "},
    {"\\thinspace", " "},
    {"\\hspace{0.5cm}", " "},
    {"\\$", ""},
    {"$", ""},
    {"\"", ""},
    {"\\dfrac", "\\frac"},
    {"\\tfrac", "\\frac"},
    {"\\cfrac", "\\frac"},
    {"\\mathrm", "\\text"},
    {"\\mathit", ""},
    {"\\mathbf", ""},
    {"\\mathsf", "\\text"},
    {"\\textbf", "\\text"},
    {"\\textit", "\\text"},
    {"\\textrm", "\\text"},
    {"\\textnormal", "\\text"},
    {"\\operatorname", "\\text"},
    {"\\mbox", "\\text"},
    {"\\texttt", "\\text"},
    {"\\textsf", "\\text"},
    {"\\emph", "\\text"},
    {"\\boldsymbol", ""},
    {"\\bm", ""},
    {"\\ldots", " "},
    {"\\dots", " "},
    {"\\cdots", " "},
    {"\\infin", "\\infty "},
    {"\\dbinom", "\\binom"},
    {"\\tbinom", "\\binom"},
    {"\\lt", "<"},
    {"\\gt", ">"},
    {"\\leq", "\\le "},
    {"\\leqslant", "\\le "},
    {"\\geq", "\\ge "},
    {"\\geqslant", "\\ge "},
    {"\\neq", "\\ne "},
    {"\\emptyset", "\\varnothing "},
    {"\\degree", "^\\circ "},
    {"\\lbrace", "\\{"},
    {"\\rbrace", "\\}"},
    {"\\lbrack", "["},
    {"\\rbrack", "]"},
    {"\\vert", "|"},
    {"\\lvert", "|"},
    {"\\rvert", "|"},
    {"\\mid", "|"},
    {"\\colon", ":"},
    {"\\ast", "*"},
    {"\\cdotp", "\\cdot "},
    {"\\percent", "\\%"},
    {"\\bar", "\\overline"},
    {"\\widehat", "\\hat"},
    {"\\overrightarrow", "\\vec"},
    {"\\smallsetminus", "\\setminus "},
    {"\\backslash", "\\setminus "},
    {"<=", "\\le "},
    {">=", "\\ge "},
    {"!=", "\\ne "},
    {"**", "^"},
    {"\n", " "},
    {"\r", " "},
    {"\t", " "},
};

/* Characters beyond ASCII. */
static const struct pair SIGNS[] = {
    {"\xe2\x88\x92", "-"},
    {"\xe2\x80\x93", "-"},
    {"\xc3\x97", "\\times "},
    {"\xc3\xb7", "\\div "},
    {"\xc2\xb7", "\\cdot "},
    {"\xe2\x8b\x85", "\\cdot "},
    {"\xe2\x89\xa4", "\\le "},
    {"\xe2\x89\xa5", "\\ge "},
    {"\xe2\x89\xa0", "\\ne "},
    {"\xe2\x88\x9e", "\\infty "},
    {"\xcf\x80", "\\pi "},
    {"\xe2\x88\x9a", "\\sqrt "},
    {"\xc2\xb0", "^\\circ "},
    {"\xe2\x88\xaa", "\\cup "},
    {"\xe2\x88\xa9", "\\cap "},
    {"\xe2\x88\x88", "\\in "},
    {"\xe2\x88\x85", "\\varnothing "},
    {"\xc2\xb1", "\\pm "},
    {"\xe2\x88\x93", "\\mp "},
    {"\xc2\xb2", "^2"},
    {"\xc2\xb3", "^3"},
    {"\xe2\x89\x88", "\\approx "},
    {"\xc2\xa0", " "},
    {"\xe2\x80\xaf", " "},
    {"\xe2\x80\x89", " "},
    {"\xe2\x84\x9d", "\\mathbb{R}"},
    {"\xce\xb8", "\\theta "},
    {"\xce\xb1", "\\alpha "},
    {"\xce\xb2", "\\beta "},
    {"\xce\xb3", "\\gamma "},
    {"\xce\xbb", "\\lambda "},
    {"\xce\xbc", "\\mu "},
    {"\xcf\x86", "\\phi "},
    {"\xcf\x89", "\\omega "},
    {"\xe2\x80\x9c", ""},
    {"\xe2\x80\x9d", ""},
    {"\xe2\x82\xac", ""},
    {"\xc2\xa3", ""},
    {"\xc2\xa5", ""},
};

static const struct pair *match(const struct pair *table, size_t n, struct span s, size_t at)
{
    const struct pair *best = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(table[i].from);
        bool command = table[i].from[0] == '\\' && isalpha((unsigned char)table[i].from[1]) &&
                       table[i].from[len - 1] != '}';
        if (starts(s, at, table[i].from) && (!best || len > strlen(best->from)) &&
            !(command && at + len < s.len && isalpha((unsigned char)s.ptr[at + len])))
            best = &table[i];
    }
    return best;
}

/* A comma in braces, blanks in and around: the mark of thousands. Its bytes. */
static size_t braced_comma(struct span s, size_t at)
{
    size_t i = at;
    for (const char *part = " { , } "; *part; part++) {
        if (*part != ' ' && (i >= s.len || s.ptr[i++] != *part))
            return 0;
        while (*part == ' ' && i < s.len && s.ptr[i] == ' ')
            i++;
    }
    return i - at;
}

static void replace_all(struct span s, struct buf *out)
{
    for (size_t at = 0; at < s.len;) {
        const struct pair *p = NULL;
        unsigned char c = (unsigned char)s.ptr[at];
        if (c >= 0x80)
            p = match(SIGNS, sizeof SIGNS / sizeof *SIGNS, s, at);
        else if (strchr("\\~$\"<>!*\n\r\t", c) && c)
            p = match(PLAIN, sizeof PLAIN / sizeof *PLAIN, s, at);
        size_t comma = c == '{' || c == ' ' ? braced_comma(s, at) : 0;
        if (comma) {
            buf_byte(out, ',');
            at += comma;
        } else if (p) {
            buf_text(out, p->to);
            at += strlen(p->from);
            if (strcmp(p->from, "\\!") == 0 && at < s.len && s.ptr[at] == ' ')
                at++; /* 12,\! 000 */
            /* the invisible delimiter: \right. */
            if (at < s.len && s.ptr[at] == '.' &&
                (strcmp(p->from, "\\left") == 0 || strcmp(p->from, "\\right") == 0))
                at++;
        } else if (c == '\\' && at + 1 < s.len) {
            buf_add(out, s.ptr + at, 2);
            at += 2;
        } else {
            buf_byte(out, (char)c);
            at++;
        }
    }
}

/* "\\frac" where "\frac" is meant: escaped once too often, when no row of a matrix ends so. */
static void single_backslashes(struct span s, struct buf *out)
{
    bool rows = span_has(s, SPAN("\\begin"));
    for (size_t at = 0; at < s.len; at++) {
        if (!rows && starts(s, at, "\\\\") && at + 2 < s.len &&
            (isalpha((unsigned char)s.ptr[at + 2]) || strchr("{}%$!,", s.ptr[at + 2])))
            at++;
        buf_byte(out, s.ptr[at]);
    }
}

/* ---- words ------------------------------------------------------------------------------------- */

static bool letter(char c)
{
    return isalpha((unsigned char)c);
}

/* "and", "or" on their own at `at`: their length. */
static size_t joining_word(struct span s, size_t at)
{
    static const char *const words[] = {"and", "or"};
    if (at && (letter(s.ptr[at - 1]) || s.ptr[at - 1] == '\\'))
        return 0;
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(words[i]);
        if (starts(s, at, words[i]) && (at + n == s.len || !islower((unsigned char)s.ptr[at + n])))
            return n;
    }
    return 0;
}

/* The body of the group that opens at `at` ('{'), and where it ends. */
static struct span group(struct span s, size_t at, size_t *end)
{
    int depth = 0;
    for (size_t i = at; i < s.len; i++) {
        depth += (s.ptr[i] == '{') - (s.ptr[i] == '}');
        if (depth == 0) {
            *end = i + 1;
            return span_slice(s, at + 1, i);
        }
    }
    *end = s.len;
    return span_slice(s, at + 1, s.len);
}

static bool is_joining(struct span body)
{
    body = text_strip(body);
    while (body.len && strchr(",;", body.ptr[0]))
        body = text_strip(span_slice(body, 1, body.len));
    return body.len && joining_word(body, 0) == body.len;
}

/* and, or become commas (one, whatever stands around); percent and infinity in words their signs. */
static void replace_words(struct span s, struct buf *out)
{
    static const struct pair words[] = {
        {"percentage", "\\%"},    {"percent", "\\%"},  {"pct", "\\%"},
        {"infinity", "\\infty "}, {"inf", "\\infty "},
    };
    for (size_t at = 0; at < s.len;) {
        size_t n = joining_word(s, at), end;
        if (starts(s, at, "\\text{") || starts(s, at, "\\text {")) {
            struct span body = group(s, span_find(s, SPAN("{"), at), &end);
            struct span bare = text_strip(body);
            if (is_joining(body)) {
                buf_byte(out, ',');
            } else if (bare.len && !span_is(bare, "th")) {
                buf_text(out, "\\text{");
                buf_span_add(out, body);
                buf_byte(out, '}');
            }
            at = end;
            continue;
        }
        if (n) {
            buf_byte(out, ',');
            at += n;
            continue;
        }
        const struct pair *p = NULL;
        if (letter(s.ptr[at]) && !(at && (letter(s.ptr[at - 1]) || s.ptr[at - 1] == '\\')))
            for (size_t i = 0; !p && i < sizeof words / sizeof *words; i++) {
                size_t len = strlen(words[i].from);
                if (s.len - at >= len && strncasecmp(s.ptr + at, words[i].from, len) == 0 &&
                    (at + len == s.len || !letter(s.ptr[at + len])))
                    p = &words[i];
            }
        if (p) {
            buf_text(out, p->to);
            at += strlen(p->from);
        } else {
            buf_byte(out, s.ptr[at++]);
        }
    }
}

/* ---- units ------------------------------------------------------------------------------------- */

/* Words that say what a number counts: lengths, areas, volumes, masses, times, temperatures, angles,
 * money, speeds, things; sorted, for the reader's sake. */
static const char *const UNITS[] = {
    "am",
    "acre",
    "apple",
    "ball",
    "bag",
    "bean",
    "book",
    "bottle",
    "box",
    "boy",
    "bushel",
    "candy",
    "card",
    "cat",
    "cell",
    "cent",
    "centimeter",
    "centimetre",
    "child",
    "children",
    "choice",
    "chair",
    "cm",
    "coin",
    "cookie",
    "cow",
    "cube",
    "cubic centimeter",
    "cubic cm",
    "cubic feet",
    "cubic inch",
    "cubic meter",
    "cubic unit",
    "cubic yard",
    "cup",
    "day",
    "deg",
    "degree",
    "degC",
    "degF",
    "dime",
    "dm",
    "dog",
    "dollar",
    "dozen",
    "edge",
    "egg",
    "euro",
    "face",
    "feet",
    "flower",
    "fluid ounce",
    "foot",
    "ft",
    "gal",
    "gallon",
    "game",
    "girl",
    "gram",
    "grade",
    "hectare",
    "hour",
    "hr",
    "in",
    "inch",
    "integer",
    "item",
    "joule",
    "kg",
    "kilogram",
    "kilometer",
    "kilometre",
    "km",
    "kph",
    "lb",
    "lbs",
    "liter",
    "litre",
    "lemon",
    "marble",
    "member",
    "men",
    "meter",
    "meters per second",
    "metre",
    "mg",
    "mile",
    "miles per hour",
    "milliliter",
    "millimeter",
    "min",
    "minute",
    "ml",
    "mL",
    "mm",
    "month",
    "mph",
    "mpg",
    "newton",
    "nickel",
    "noon",
    "orange",
    "ounce",
    "outcome",
    "oz",
    "page",
    "pair",
    "path",
    "peach",
    "pen",
    "pencil",
    "penny",
    "pence",
    "pennies",
    "people",
    "person",
    "piece",
    "pint",
    "player",
    "pm",
    "point",
    "pound",
    "problem",
    "quart",
    "quarter",
    "question",
    "rad",
    "radian",
    "revolution",
    "round",
    "rpm",
    "second",
    "sec",
    "segment",
    "seat",
    "shirt",
    "side",
    "slice",
    "solution",
    "sq",
    "sq cm",
    "sq ft",
    "square",
    "square centimeter",
    "square cm",
    "square feet",
    "square foot",
    "square inch",
    "square kilometer",
    "square meter",
    "square mile",
    "square unit",
    "square yard",
    "student",
    "team",
    "ticket",
    "tile",
    "time",
    "ton",
    "tree",
    "triangle",
    "unit",
    "vertices",
    "vote",
    "volt",
    "watt",
    "way",
    "week",
    "women",
    "word",
    "yard",
    "yd",
    "year",
    "years old",
    "yuan",
    "north",
    "south",
    "east",
    "west",
    "th",
    "st",
    "nd",
    "rd",
    "hop",
    "bird",
    "car",
    "fish",
    "worker",
    "toy",
    "sheep",
    "zero",
};

/* Length of the unit at the end of s, its plural and a dot in front of the end counted; 0: none. */
static size_t unit_length(struct span s)
{
    size_t best = 0;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        size_t n = strlen(UNITS[i]);
        for (size_t tail = 0; tail <= 2; tail++) {
            if (s.len < n + tail + 1 ||
                (tail && memcmp(s.ptr + s.len - tail, tail == 1 ? "s" : "es", tail) != 0))
                continue;
            size_t at = s.len - n - tail;
            char before = s.ptr[at - 1];
            if (memcmp(s.ptr + at, UNITS[i], n) == 0 &&
                (isdigit((unsigned char)before) || before == '}' || before == ' ') &&
                n + tail > best)
                best = n + tail;
        }
    }
    return best;
}

/* Without ^2, ^{3} at its end. */
static struct span without_exponent(struct span s)
{
    static const char *const ends[] = {"^2", "^3", "^{2}", "^{3}"};
    for (size_t i = 0; i < 4; i++)
        if (span_ends(s, span_text(ends[i])))
            return text_strip(span_slice(s, 0, s.len - strlen(ends[i])));
    return s;
}

/* Where the \text{…} that ends s begins; NONE when s does not end so. */
static size_t last_text(struct span s)
{
    if (!s.len || s.ptr[s.len - 1] != '}')
        return NONE;
    int depth = 0;
    size_t at = s.len;
    while (at-- > 0) {
        depth += (s.ptr[at] == '}') - (s.ptr[at] == '{');
        if (depth == 0)
            break;
    }
    if (depth || at < 5 || !starts(s, at - 5, "\\text"))
        return NONE;
    return at - 5;
}

/* Something that a unit can belong to: a number, a closed group. */
static bool measured(struct span s)
{
    return s.len &&
           (isalnum((unsigned char)s.ptr[s.len - 1]) || strchr("})]%!|", s.ptr[s.len - 1]));
}

static struct span without_units(struct span s)
{
    struct span head = without_exponent(s);
    size_t at = last_text(head);
    if (at != NONE && measured(text_strip(span_slice(s, 0, at))))
        s = text_strip(span_slice(s, 0, at));
    for (int round = 0; round < 2; round++) {
        head = without_exponent(s);
        size_t n = unit_length(head);
        struct span rest = text_strip(span_slice(head, 0, head.len - n));
        if (n && measured(rest))
            s = rest;
    }
    return s;
}

/* Each member of a bare list without its unit. */
static void drop_units(struct span s, struct buf *out)
{
    int depth = 0;
    size_t from = 0;
    for (size_t at = 0; at <= s.len; at++) {
        char c = at < s.len ? s.ptr[at] : ',';
        depth += (strchr("([{", c) != NULL && c) - (strchr(")]}", c) != NULL && c);
        if ((at < s.len && (depth > 0 || !strchr(",;", c))) || (at < s.len && !c))
            continue;
        if (from && from < s.len && s.ptr[from] == ' ')
            buf_byte(out, ' '); /* "1, 234" is no number */
        buf_span_add(out, without_units(text_strip(span_slice(s, from, at))));
        if (at < s.len)
            buf_byte(out, c);
        from = at + 1;
    }
}

/* ---- all of it --------------------------------------------------------------------------------- */

static struct span trimmed(struct span s)
{
    size_t end;
    s = text_strip(s);
    if (s.len && s.ptr[0] == '{') { /* braces around all of it */
        struct span inside = group(s, 0, &end);
        if (end == s.len && !span_has(inside, SPAN("\\choose")))
            s = text_strip(inside);
    }
    while (s.len && strchr(".,;:", s.ptr[s.len - 1]) && !(s.len > 1 && s.ptr[s.len - 2] == '\\'))
        s = text_strip(span_slice(s, 0, s.len - 1));
    while (s.len && strchr(",;:", s.ptr[0]))
        s = text_strip(span_slice(s, 1, s.len));
    return s;
}

void math_normalise(struct span text, struct buf *out)
{
    struct buf a = {0}, b = {0};
    single_backslashes(text, &a);
    if (math_boxed(buf_span(&a), &b)) {
        buf_clear(&a);
        buf_span_add(&a, buf_span(&b));
        buf_clear(&b);
        if (math_boxed(buf_span(&a), &b)) { /* a box in a box */
            buf_clear(&a);
            buf_span_add(&a, buf_span(&b));
        }
    }
    buf_clear(&b);
    replace_all(buf_span(&a), &b);
    buf_clear(&a);
    replace_words(buf_span(&b), &a);
    buf_clear(&b);
    drop_units(trimmed(buf_span(&a)), &b);
    buf_span_add(out, trimmed(buf_span(&b)));
    buf_free(&a);
    buf_free(&b);
}
