/* verify_choice.c: the verifier multiple-choice: which letter a reply chooses (grade 5.4). */
#include <ctype.h>
#include <stdlib.h>

#include "grade/verify.h"
#include "text/fold.h"
#include "text/regex.h"
#include "text/utf8.h"

struct choice {
    struct regex *phrase, *standing;
    char last; /* letter */
};

/* "the answer is **B**", "option: (c)". What wraps the letter may be emphasis, quotes, a box. A
 * word that starts with the letter is none; "I" in front of a word is the pronoun. */
#define PHRASE                                                                         \
    "(?:answer|option|choice)\\s*(?:is\\s*)?(?:[:=]\\s*)?"                             \
    "(?:[*\"'`$(\\s]|\\\\(?:boxed|text|mathrm|mathbf)\\{|[\xe2\x80\x9c\xe2\x80\x98])*" \
    "(?!i\\s+\\pL)([a-%c])(?![)*.]*[\\pL\\pN])"

/* A letter on its own: a capital, or a small one in front of a closing parenthesis. */
#define STANDING                                                                                   \
    "(?<![\\pL\\pN_'\xe2\x80\x99])(?:(?!I\\s+\\pL)([A-%c])(?![\\pL\\pN_])(?!['\xe2\x80\x99]\\pL)|" \
    "([a-%c])(?=\\)))"

static int read_letters(const struct verifier *v, char *last, struct error *error)
{
    struct span letters = verify_arg_text(v, "letters");
    *last = 'J';
    if (!letters.ptr)
        return 0;
    if (letters.len != 3 || letters.ptr[0] != 'A' || letters.ptr[1] != '-' ||
        letters.ptr[2] < 'B' || letters.ptr[2] > 'Z')
        return error_set(error, ERROR_USAGE,
                         "multiple-choice: letters is %s; A-D or the like is wanted", letters.ptr);
    *last = letters.ptr[2];
    return 0;
}

static int choice_open(struct verifier *v, struct error *error)
{
    struct choice *c = mem_zero(1, sizeof *c);
    struct buf phrase = {0}, standing = {0};
    v->state = c;
    int rc = read_letters(v, &c->last, error);
    if (rc)
        return rc;
    buf_format(&phrase, PHRASE, tolower((unsigned char)c->last));
    buf_format(&standing, STANDING, c->last, tolower((unsigned char)c->last));
    c->phrase = regex_compile(buf_span(&phrase), REGEX_IGNORE_CASE, error);
    c->standing = c->phrase ? regex_compile(buf_span(&standing), 0, error) : NULL;
    buf_free(&phrase);
    buf_free(&standing);
    return c->standing ? 0 : ERROR_USAGE;
}

static void choice_close(struct verifier *v)
{
    struct choice *c = v->state;
    regex_free(c->phrase);
    regex_free(c->standing);
    free(c);
}

/* The letter as a capital, or 0. */
static char chosen(const struct choice *c, struct span text)
{
    struct span groups[3];
    char found = 0;
    if (regex_search(c->phrase, text, 0, groups, 2) == REGEX_MATCH)
        return (char)toupper((unsigned char)groups[1].ptr[0]);
    for (size_t at = 0;
         at <= text.len && regex_search(c->standing, text, at, groups, 3) == REGEX_MATCH;
         at = (size_t)(groups[0].ptr - text.ptr) + groups[0].len)
        found = (char)toupper((unsigned char)(groups[1].ptr ? groups[1] : groups[2]).ptr[0]);
    return found;
}

/* First character of a reference as a capital, parentheses taken off. */
static void wanted(struct span reference, struct buf *letter)
{
    reference = text_strip(reference);
    while (reference.len && reference.ptr[0] == '(')
        reference = span_slice(reference, 1, reference.len);
    while (reference.len && reference.ptr[reference.len - 1] == ')')
        reference.len--;
    buf_clear(letter);
    buf_span_add(letter, utf8_head(reference, 1));
    if (letter->len == 1)
        letter->data[0] = (char)toupper((unsigned char)letter->data[0]);
}

static int choice_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                      struct error *error)
{
    const struct choice *c = v->state;
    struct buf *text = &in->scratch[0], *letter = &in->scratch[1];
    size_t n = verify_reference_count(in->gold.value);
    char got = chosen(c, in->candidate);
    bool match = false;
    (void)error;
    for (size_t i = 0; i < n && !match; i++) {
        wanted(verify_reference(in->gold.value, i, text), letter);
        match = got && letter->len == 1 && letter->data[0] == got;
    }
    if (n == 0) {
        verdict_unjudged(out, "%s: the list of references is empty", v->name);
        return 0;
    }
    verdict_score(out, match);
    if (match)
        verdict_reason(out, "chose the reference");
    else if (got)
        verdict_reason(out, "chose %c", got);
    else
        verdict_reason(out, "no letter in the reply");
    return 0;
}

static const struct verify_key choice_keys[] = {{"letters", VERIFY_TEXT, NULL}, {0}};
const struct verify_kind VERIFY_MULTIPLE_CHOICE = {.name = "multiple-choice",
                                                   .recorded = "MultipleChoice",
                                                   .keys = choice_keys,
                                                   .needs_gold = true,
                                                   .open = choice_open,
                                                   .run = choice_run,
                                                   .close = choice_close};
