/* style.c: the phrase lists of the style markers, see style.h. */
#include "grade/style.h"

#include "row/reply.h"

static const char *const BOILERPLATE[] = {
    "certainly!",          "certainly,",        "of course!",
    "absolutely!",         "great question",    "as an ai",
    "as a language model", "i hope this helps", "let me know if there's anything else",
    "feel free to ask",    "happy to help",     NULL,
};

static const char *const HEDGING[] = {
    "it depends",
    "i'm not sure",
    "i am not sure",
    "may or may not",
    "it's worth noting",
    "it is worth noting",
    "it's important to note",
    "it is important to note",
    "keep in mind that",
    "generally speaking",
    NULL,
};

static const char *const APOLOGY[] = {
    "i apologize", "i'm sorry", "i am sorry", "sorry for the", "apologies for", NULL,
};

static const char *const SYCOPHANCY[] = {
    "you're absolutely right",
    "you are absolutely right",
    "you're right",
    "great point",
    "excellent point",
    "excellent question",
    "what a great",
    "i completely agree",
    NULL,
};

static const char *const REFUSAL[] = {
    "i can't help with", "i cannot help with", "i can't assist",     "i cannot assist",
    "i can't do that",   "i cannot do that",   "i'm unable to",      "i am unable to",
    "i'm not able to",   "i am not able to",   "i won't be able to", NULL,
};

const struct style_list STYLE_LISTS[STYLE_KINDS] = {
    [STYLE_BOILERPLATE] = {"no_boilerplate", "boilerplate", BOILERPLATE},
    [STYLE_HEDGING] = {"no_hedging", "hedging", HEDGING},
    [STYLE_APOLOGY] = {"no_apology", "apology", APOLOGY},
    [STYLE_SYCOPHANCY] = {"no_sycophancy", "sycophancy", SYCOPHANCY},
    [STYLE_REFUSAL] = {"answered", "refusal", REFUSAL},
};

void style_text(const struct row *row, struct row_conversation *c, struct buf *out)
{
    struct buf said = {0};
    row_assistant_text(row, c, &said);
    struct span text = buf_span(&said), curly = SPAN("\xe2\x80\x99");
    buf_clear(out);
    for (size_t at = 0, hit; at < text.len; at = hit + curly.len) {
        hit = span_find(text, curly, at);
        if (hit == (size_t)-1) {
            buf_span_add(out, span_slice(text, at, text.len));
            break;
        }
        buf_span_add(out, span_slice(text, at, hit));
        buf_byte(out, '\'');
    }
    buf_free(&said);
}

const char *style_phrase(enum style_kind kind, struct span text)
{
    for (const char *const *p = STYLE_LISTS[kind].phrases; *p; p++)
        if (span_has(text, span_text(*p)))
            return *p;
    return NULL;
}
