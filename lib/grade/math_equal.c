/* math_equal.c: a reference and a candidate, from texts to a verdict (grade 6). */
#include "grade/math_equal.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include <mpfr.h>

#include "grade/defaults.h"
#include "grade/math_find.h"
#include "grade/math_tree.h"
#include "text/fold.h"

struct math_side {
    struct math m;
    struct math_node *tree; /* NULL: only its text is known */
    struct buf text;        /* normalised source of the tree */
    struct buf first;       /* of the place that came first, be it a tree or not */
    bool marked;            /* found between LaTeX's marks */
};

static void side_clear(struct math_side *s)
{
    math_close(&s->m);
    buf_free(&s->text);
    buf_free(&s->first);
    *s = (struct math_side){0};
}

/* Parses one normalised text. */
static struct math_node *read_text(struct math *m, struct span source, struct buf *text)
{
    buf_clear(text);
    if (source.len > MATH_TEXT_MAX)
        return NULL;
    math_normalise(source, text);
    return text->len ? math_parse(m, buf_span(text)) : NULL;
}

/* The first match of the first tier that can be read; the text of the first match when none can. */
static bool extract(struct math_side *s, struct span source)
{
    struct arena arena = {0};
    struct math_matches list = {0};
    struct buf text = {0};
    bool found = false;
    for (int tier = 0; tier < MATH_TIERS && !s->tree && !s->m.over; tier++) {
        math_find(source, tier, &arena, &list);
        for (size_t i = 0; i < list.n && !s->tree && !s->m.over; i++) {
            struct math_node *tree = read_text(&s->m, list.items[i].body, &text);
            if (!found && text.len)
                buf_span_add(&s->first, buf_span(&text));
            if (!tree && (found || !text.len))
                continue;
            found = true;
            s->tree = tree;
            s->marked = list.items[i].latex;
            buf_clear(&s->text);
            buf_span_add(&s->text, buf_span(&text));
        }
    }
    math_matches_free(&list);
    arena_free(&arena);
    buf_free(&text);
    return found;
}

/* ---- references -------------------------------------------------------------------------------- */

/* It holds a span of LaTeX; "\$5" and "$5" are money. */
static bool has_marks(struct span s)
{
    static const char *const marks[] = {"\\(", "\\[", "\\boxed"};
    size_t dollars = 0;
    for (size_t i = 0; i < s.len; i++)
        dollars += s.ptr[i] == '$' && !(i && s.ptr[i - 1] == '\\');
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (span_has(s, span_text(marks[i])))
            return true;
    return dollars >= 2;
}

/* Three words or more, of letters only: a sentence, not a formula. */
static bool is_prose(struct span s)
{
    struct span word;
    size_t at = 0, words = 0;
    while (text_next_word(s, &at, &word)) {
        size_t letters = 0;
        while (letters < word.len && isalpha((unsigned char)word.ptr[letters]))
            letters++;
        words += letters >= 2 && (letters == word.len || strchr(".,:;", word.ptr[letters]));
    }
    return words >= 3;
}

struct math_side *math_gold(struct span text)
{
    struct math_side *s = mem_zero(1, sizeof *s);
    math_open(&s->m, MATH_TIMEOUT_S);
    text = text_strip(text);
    bool found = text.len > 0 && (has_marks(text) || is_prose(text)) && extract(s, text);
    if (text.len && !s->tree) {
        struct buf whole = {0};
        struct math_node *tree = read_text(&s->m, text, &whole);
        if (tree || !found) {
            s->tree = tree;
            buf_clear(&s->text);
            buf_span_add(&s->text, buf_span(&whole));
        }
        buf_free(&whole);
        if (!s->tree && !found && !s->text.len)
            extract(s, text);
    }
    if (s->text.len && !s->m.over)
        return s;
    math_side_free(s);
    return NULL;
}

void math_side_free(struct math_side *side)
{
    if (side)
        side_clear(side);
    free(side);
}

/* ---- comparison -------------------------------------------------------------------------------- */

/* The same but for case and blanks. */
static bool same_words(struct span a, struct span b)
{
    struct buf x = {0}, y = {0};
    text_fold(a, &x);
    text_fold(b, &y);
    bool same = x.len > 0 && span_equal(buf_span(&x), buf_span(&y));
    buf_free(&x);
    buf_free(&y);
    return same;
}

static bool only_words(struct span s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!isalpha((unsigned char)s.ptr[i]) && s.ptr[i] != ' ')
            return false;
    return s.len > 1;
}

/* Readings that Math-Verify lacks (D20): a bare word, a list or a formula without marks, on the last
 * line. */
static bool last_line_equal(struct math_side *gold, struct math_side *c, struct span candidate)
{
    struct span line = math_last_line(candidate);
    struct buf text = {0};
    bool same = false;
    if (!line.len || line.len > MATH_LINE_MAX)
        return false;
    if (only_words(buf_span(&gold->text))) {
        same = same_words(buf_span(&gold->text), line);
    } else if (gold->tree && gold->tree->kind != MATH_NUMBER && !is_prose(line)) {
        struct math_node *tree = read_text(&c->m, line, &text);
        same = tree && tree->kind != MATH_NUMBER && math_trees_equal(&c->m, gold->tree, tree);
    }
    buf_free(&text);
    return same;
}

enum math_verdict math_compare(struct math_side *gold, struct span candidate, double timeout_s,
                               struct buf *answer)
{
    struct math_side c = {0};
    enum math_verdict verdict = MATH_DIFFERENT;
    math_open(&c.m, timeout_s);
    if (candidate.len > MATH_SOURCE_MAX)
        candidate = span_slice(candidate, candidate.len - MATH_SOURCE_MAX, candidate.len);
    bool found = extract(&c, candidate);
    struct span a = text_strip(buf_span(&gold->text)), b = text_strip(buf_span(&c.text));
    struct span first = text_strip(buf_span(&c.first));
    if (found && a.len && (span_equal(a, b) || span_equal(a, first)))
        verdict = MATH_EQUAL;
    else if (gold->tree && c.tree && math_trees_equal(&c.m, gold->tree, c.tree))
        verdict = MATH_EQUAL;
    else if (!(found && c.marked) && !c.m.over && last_line_equal(gold, &c, candidate))
        verdict = MATH_EQUAL;
    else if (c.m.over)
        verdict = MATH_BUDGET;
    else if (!found)
        verdict = MATH_NO_ANSWER;
    if (answer) {
        buf_clear(answer);
        buf_span_add(answer, b);
    }
    side_clear(&c);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
    return verdict;
}
