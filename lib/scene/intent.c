/* intent.c: see intent.h. */
#include "scene/intent.h"

#include "text/fold.h"

struct verbs {
    const char *token;
    const char *words[3]; /* wordings; NULL: the token itself */
};

/* What people say instead of a tool's verb. */
static const struct verbs VERBS[] = {
    {"get", {"look at", "get", "check"}},
    {"fetch", {"look at", "fetch", "get"}},
    {"read", {"read", "look at", "see"}},
    {"show", {"see", "look at", "show"}},
    {"view", {"view", "see", "look at"}},
    {"check", {"check", "look at", "verify"}},
    {"describe", {"understand", "see", "describe"}},
    {"inspect", {"inspect", "look at", "check"}},
    {"list", {"list", "see", "go through"}},
    {"search", {"search for", "find", "look for"}},
    {"find", {"find", "look for", "track down"}},
    {"lookup", {"look up", "find", "check"}},
    {"query", {"look up", "ask about", "find"}},
    {"browse", {"browse", "go through", "see"}},
    {"create", {"create", "ask for", "set up"}},
    {"add", {"add", "put in", "ask for"}},
    {"make", {"make", "ask for", "set up"}},
    {"open", {"open", "ask for", "start"}},
    {"new", {"start", "ask for", "open"}},
    {"generate", {"generate", "ask for", "get"}},
    {"cancel", {"cancel", "call off", "end"}},
    {"close", {"close", "shut", "end"}},
    {"delete", {"delete", "get rid of", "remove"}},
    {"remove", {"remove", "take out", "get rid of"}},
    {"update", {"update", "change", "correct"}},
    {"edit", {"edit", "change", "correct"}},
    {"set", {"set", "change", "fix"}},
    {"modify", {"modify", "change", "adjust"}},
    {"send", {"send", "pass on", "get out"}},
    {"book", {"book", "reserve", "arrange"}},
    {"pay", {"pay", "settle", "cover"}},
    {"refund", {"refund", "get back the money for", "return the money for"}},
};

static bool among(struct span word, const char *const *words)
{
    for (; *words; words++)
        if (span_is(word, *words))
            return true;
    return false;
}

static void add_verb(struct span token, uint32_t variant, struct buf *out)
{
    for (size_t i = 0; i < sizeof VERBS / sizeof *VERBS; i++)
        if (span_is(token, VERBS[i].token)) {
            buf_text(out, VERBS[i].words[variant % 3]);
            return;
        }
    buf_span_add(out, token);
}

static bool plural(struct span word)
{
    return word.len > 3 && span_ends(word, SPAN("s")) && !span_ends(word, SPAN("ss")) &&
           !span_ends(word, SPAN("us")) && !span_ends(word, SPAN("is"));
}

static const char *article(struct span first, struct span last)
{
    static const char *const definite[] = {"status",    "details", "info",         "information",
                                           "history",   "balance", "list",         "stock",
                                           "inventory", "weather", "availability", NULL};
    static const char *const sounds[] = {"uni", "use", "ur", "eu", "one"};
    if (among(last, definite))
        return "the ";
    if (plural(last))
        return "";
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++)
        if (span_starts(first, span_text(sounds[i])))
            return "a ";
    return first.len && strchr("aeiou", first.ptr[0]) ? "an " : "a ";
}

/* The last long word of a description's first clause. */
static struct span topic(struct span description)
{
    struct span word, found = {NULL, 0};
    size_t end = 0;
    while (end < description.len && !strchr(".,;:(", description.ptr[end]))
        end++;
    for (size_t at = 0; text_next_word(span_slice(description, 0, end), &at, &word);) {
        bool letters = word.len >= 4;
        for (size_t i = 0; i < word.len && letters; i++)
            letters = (word.ptr[i] >= 'a' && word.ptr[i] <= 'z') || (word.ptr[i] & 0x80);
        if (letters)
            found = word;
    }
    return found;
}

/* A name of one word, or one that is no English, says too little: a vague wish about what the
 * description is about. */
static void vague(const struct tool_fact *fact, struct span description, struct span reference,
                  uint32_t variant, struct buf *out)
{
    static const char *const looks[] = {"have something looked up", "find something out",
                                        "get a piece of information"};
    static const char *const acts[] = {"have something taken care of", "get something done",
                                       "get something sorted"};
    struct span about = topic(description);
    buf_text(out, (fact->kind == TOOL_READ ? looks : acts)[variant % 3]);
    if (about.len && !span_equal(about, fact->name)) {
        buf_text(out, " about ");
        buf_span_add(out, about);
    }
    if (reference.len) {
        buf_text(out, about.len ? " " : " about ");
        buf_span_add(out, reference);
    }
}

void intent_write(const struct tool_fact *fact, struct span description, struct span reference,
                  uint32_t variant, struct buf *out)
{
    static const char *const prepositions[] = {"to", "for", "from", "by", "with", "in",
                                               "on", "of",  "at",   "up", NULL};
    bool readable = fact->n_tokens >= 2;
    for (size_t i = 0; i < fact->name.len; i++)
        readable = readable && !(fact->name.ptr[i] & 0x80);
    if (!readable) {
        vague(fact, description, reference, variant, out);
        return;
    }
    size_t at = 1;
    bool preposition = among(fact->tokens[1], prepositions) && fact->n_tokens > 2;
    if (preposition)
        buf_span_add(out, fact->tokens[0]);
    else
        add_verb(fact->tokens[0], variant, out);
    for (; at + 1 < fact->n_tokens && among(fact->tokens[at], prepositions); at++) {
        buf_byte(out, ' ');
        buf_span_add(out, fact->tokens[at]);
    }
    struct span last = fact->tokens[fact->n_tokens - 1];
    buf_byte(out, ' ');
    if (!reference.len || plural(last))
        buf_text(out, article(fact->tokens[at], last));
    for (size_t i = at; i < fact->n_tokens; i++) {
        if (i > at)
            buf_byte(out, ' ');
        buf_span_add(out, fact->tokens[i]);
    }
    if (reference.len) {
        buf_text(out, plural(last) ? " for " : " ");
        buf_span_add(out, reference);
    }
}
