/* presence.c: see presence.h. */
#include "grade/presence.h"

#include <stdlib.h>

#include "grade/style.h"
#include "text/regex.h"

const char *const PRESENCE_NAMES[PRESENCE_COUNT] = {"presence:boilerplate",
                                                    "presence:self_reference", "presence:hedging",
                                                    "presence:refusal", "presence:sycophancy"};

static const char *const SELF_REFERENCE[] = {
    "as an ai",
    "as a language model",
    "as an assistant",
    "i am an ai",
    "i'm an ai",
    "i am just an ai",
    "my training data",
    "i was trained",
    "i'm a language model",
    NULL,
};

struct presence {
    struct regex *patterns[PRESENCE_COUNT];
};

/* The phrases as whole words; an apostrophe is straight or curly. */
static struct regex *words(const char *const *phrases)
{
    struct buf pattern = {0};
    buf_text(&pattern, "(?<!\\w)(?:");
    for (size_t i = 0; phrases[i]; i++) {
        if (i)
            buf_byte(&pattern, '|');
        for (const char *p = phrases[i]; *p; p++) {
            if (*p == '\'')
                buf_text(&pattern, "['\xe2\x80\x99]");
            else if (*p == ' ')
                buf_text(&pattern, "\\s+");
            else
                buf_format(&pattern, strchr("!,.?", *p) ? "\\%c" : "%c", *p);
        }
    }
    buf_text(&pattern, ")(?!\\w)");
    struct regex *r = regex_compile(buf_span(&pattern), REGEX_IGNORE_CASE, NULL);
    buf_free(&pattern);
    return r;
}

struct presence *presence_new(void)
{
    struct presence *p = mem_zero(1, sizeof *p);
    p->patterns[0] = words(STYLE_LISTS[STYLE_BOILERPLATE].phrases);
    p->patterns[1] = words(SELF_REFERENCE);
    p->patterns[2] = words(STYLE_LISTS[STYLE_HEDGING].phrases);
    p->patterns[3] = words(STYLE_LISTS[STYLE_REFUSAL].phrases);
    p->patterns[4] = words(STYLE_LISTS[STYLE_SYCOPHANCY].phrases);
    return p;
}

void presence_free(struct presence *p)
{
    for (size_t i = 0; p && i < PRESENCE_COUNT; i++)
        regex_free(p->patterns[i]);
    free(p);
}

unsigned presence_found(const struct presence *p, struct span text)
{
    unsigned found = 0;
    for (size_t i = 0; i < PRESENCE_COUNT; i++)
        if (regex_search(p->patterns[i], text, 0, NULL, 0) == REGEX_MATCH)
            found |= 1U << i;
    return found;
}
