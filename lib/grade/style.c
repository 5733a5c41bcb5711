/* style.c: the phrase lists of the style markers, see style.h. */
#include "grade/style.h"

#include <stdlib.h>

#include "row/reply.h"
#include "text/fold.h"
#include "text/phrases.h"

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

/* ---- finding them ---------------------------------------------------------------------------- */

struct style_bank {
    struct phrases *phrases; /* a set is a kind */
};

static struct phrase *add(struct phrase *items, size_t *count, size_t *cap, const char *text,
                          unsigned kind)
{
    items = mem_grow(items, cap, *count + 1, sizeof *items);
    items[(*count)++] = (struct phrase){text, kind};
    return items;
}

const char *style_curly(struct arena *arena, const char *phrase)
{
    struct buf text = {0};
    for (; *phrase; phrase++) {
        if (*phrase == '\'')
            buf_text(&text, "\xe2\x80\x99");
        else
            buf_byte(&text, *phrase);
    }
    buf_byte(&text, '\0');
    const char *kept = arena_span(arena, buf_span(&text)).ptr;
    buf_free(&text);
    return kept;
}

struct style_bank *style_bank_new(void)
{
    struct style_bank *bank = mem_zero(1, sizeof *bank);
    struct phrase *items = NULL;
    struct arena arena = {0};
    size_t count = 0, cap = 0;
    for (unsigned kind = 0; kind < STYLE_KINDS; kind++)
        for (const char *const *p = STYLE_LISTS[kind].phrases; *p; p++) {
            items = add(items, &count, &cap, *p, kind);
            if (strchr(*p, '\''))
                items = add(items, &count, &cap, style_curly(&arena, *p), kind);
        }
    bank->phrases = phrases_new(items, count, PHRASES_EXACT);
    free(items);
    arena_free(&arena);
    return bank;
}

void style_bank_free(struct style_bank *bank)
{
    if (bank)
        phrases_free(bank->phrases);
    free(bank);
}

unsigned style_found(const struct style_bank *bank, const struct row *row,
                     struct row_conversation *c, struct buf *text)
{
    struct buf said = {0};
    row_said(row, c, &said);
    buf_clear(text);
    text_lower(buf_span(&said), text);
    buf_free(&said);
    return (unsigned)phrases_find(bank->phrases, buf_span(text));
}
