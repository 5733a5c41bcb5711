/* intent.c: see intent.h. Names of real tools are of many makes: refund_order, sales_growth.calculate,
 * soil_composition_analyze, Movies_1_FindMovies, t_test. The verb is looked for where each of them
 * has it; a name without one leaves it to the first words of the description. */
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
    {"retrieve", {"look at", "see", "get"}},
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

/* Verbs wherever they stand in a name. */
static const char *const ALWAYS[] = {
    "accept",   "activate",    "add",       "adjust",   "analyze",   "apply",    "approve",
    "assign",   "attach",      "authorize", "buy",      "calculate", "cancel",   "compare",
    "compute",  "configure",   "confirm",   "connect",  "convert",   "create",   "deactivate",
    "delete",   "deploy",      "describe",  "detect",   "determine", "disable",  "download",
    "enable",   "encrypt",     "escalate",  "estimate", "evaluate",  "execute",  "extract",
    "fetch",    "find",        "generate",  "get",      "identify",  "install",  "modify",
    "notify",   "predict",     "purchase",  "refund",   "register",  "reject",   "remove",
    "rename",   "renew",       "replace",   "reserve",  "resolve",   "restart",  "resume",
    "retrieve", "revoke",      "save",      "sell",     "send",      "simulate", "solve",
    "submit",   "subscribe",   "suggest",   "suspend",  "translate", "unblock",  "unlock",
    "update",   "unsubscribe", "upload",    "validate", "verify",    "withdraw", NULL};

/* Nouns as well: verbs at the beginning of a name. */
static const char *const FIRST[] = {
    "block",     "book",     "browse",  "call",   "change", "charge",   "check",  "close",
    "copy",      "count",    "draw",    "edit",   "enter",  "exchange", "export", "file",
    "fill",      "filter",   "follow",  "format", "import", "inspect",  "issue",  "join",
    "list",      "load",     "lock",    "log",    "look",   "lookup",   "make",   "mark",
    "match",     "merge",    "message", "move",   "new",    "open",     "order",  "pause",
    "pay",       "perform",  "place",   "plan",   "play",   "plot",     "post",   "print",
    "process",   "query",    "rank",    "rate",   "read",   "record",   "refuel", "rent",
    "reply",     "report",   "request", "reset",  "return", "review",   "run",    "scan",
    "schedule",  "search",   "set",     "share",  "show",   "shuffle",  "sort",   "start",
    "stop",      "switch",   "sync",    "tag",    "test",   "track",    "trade",  "transfer",
    "turn",      "upgrade",  "view",    "write",  "check",  "align",    "bind",   "roll",
    "summarize", "truncate", "press",   "lower",  "raise",  "give",     "take",   NULL};

/* Of those, the ones that a name may end in: historic_leader_search. */
static const char *const LAST[] = {"book",   "check", "lookup", "open",     "play", "query",
                                   "search", "rent",  "sort",   "schedule", NULL};

static const char *const PREPOSITIONS[] = {"to", "for", "from", "by", "with", "in",
                                           "on", "of",  "at",   "up", NULL};

static bool among(struct span word, const char *const *words)
{
    for (; *words; words++)
        if (span_is(word, *words))
            return true;
    return false;
}

static bool begins(struct span token)
{
    return among(token, ALWAYS) || among(token, FIRST);
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

static const char *indefinite(struct span first)
{
    static const char *const sounds[] = {"uni", "use", "ur", "eu", "one"};
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++)
        if (span_starts(first, span_text(sounds[i])))
            return "a ";
    return first.len && strchr("aeiou", first.ptr[0]) ? "an " : "a ";
}

static const char *article(struct span first, struct span last)
{
    static const char *const definite[] = {
        "status", "details",   "info",    "information",  "history", "balance", "list",
        "stock",  "inventory", "weather", "availability", "usage",   NULL};
    static const char *const single[] = {"best",  "biggest", "cheapest", "closest", "current",
                                         "first", "highest", "largest",  "last",    "latest",
                                         "next",  "nearest", "total",    NULL};
    static const char *const mass[] = {"data",  "traffic", "music",  "education", "news",
                                       "money", "access",  "advice", "growth",    NULL};
    if (among(last, definite) || among(first, single))
        return "the ";
    bool alone = span_equal(first, last);
    if (plural(last) || among(last, mass) || span_is(first, "all") ||
        (alone && span_ends(last, SPAN("ing"))))
        return "";
    return indefinite(first);
}

/* ---- the description ------------------------------------------------------------------------- */

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

/* "Calculates" is "calculate": the word as the imperative it stands for. */
static struct span imperative(struct span word, char *scratch, size_t room)
{
    size_t n = 0;
    for (; n < word.len && n < room; n++) {
        char c = word.ptr[n];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c + 32);
        if (c < 'a' || c > 'z')
            return (struct span){NULL, 0};
        scratch[n] = c;
    }
    struct span s = {scratch, n};
    static const char *const hissing[] = {"ches", "shes", "sses", "xes", "zes"};
    if (n < word.len || n < 3 || !plural(s))
        return n < word.len || n < 2 ? (struct span){NULL, 0} : s;
    for (size_t i = 0; i < sizeof hissing / sizeof *hissing; i++)
        if (span_ends(s, span_text(hissing[i])))
            return span_slice(s, 0, n - 2);
    if (n > 4 && span_ends(s, SPAN("ies"))) {
        scratch[n - 3] = 'y';
        return span_slice(s, 0, n - 2);
    }
    return span_slice(s, 0, n - 1);
}

/* The word without the mark behind it; *ends: a mark was there. false: it is no plain word. */
static bool plain_word(struct span *word, bool *ends)
{
    size_t n = word->len;
    while (n && strchr(".,;:", word->ptr[n - 1]))
        n--;
    *ends = n < word->len;
    word->len = n;
    for (size_t i = 0; i < n; i++)
        if (!((word->ptr[i] | 0x20) >= 'a' && (word->ptr[i] | 0x20) <= 'z') &&
            !(i && i + 1 < n && word->ptr[i] == '-'))
            return false;
    return n > 0;
}

enum { PHRASE_WORDS = 4 }; /* of a description, at most: it is not quoted */

/* Up to four words of what the verb is about, without "given" and the like. */
static size_t add_object(struct span text, size_t at, struct buf *out)
{
    static const char *const idle[] = {"given",    "specified", "specific",   "provided",
                                       "detailed", "certain",   "particular", NULL};
    static const char *const stops[] = {
        "to",      "for",     "from", "by",    "with",   "in",    "on",    "at",   "as",
        "that",    "which",   "and",  "or",    "its",    "using", "based", "it",   "is",
        "are",     "whether", "if",   "whose", "into",   "used",  "their", "when", "only",
        "between", "about",   "near", "after", "within", NULL};
    struct span word, held = {NULL, 0};
    size_t words = 0;
    bool of = false; /* held, like an article, until the word that it belongs to */
    for (bool ends = false; words < PHRASE_WORDS && !ends && text_next_word(text, &at, &word);) {
        if (!plain_word(&word, &ends) || among(word, stops))
            break;
        if (among(word, idle))
            continue;
        if (span_is(word, "of") && words) {
            of = true;
            continue;
        }
        if (span_is(word, "a") || span_is(word, "an") || span_is(word, "the")) {
            held = word;
            continue;
        }
        buf_text(out, of ? " of " : " ");
        if (span_is(held, "the"))
            buf_text(out, "the ");
        else if (held.len)
            buf_text(out, indefinite(word));
        of = false;
        held.len = 0;
        buf_span_add(out, word);
        words++;
    }
    return words;
}

/* The first verb phrase of the description: "Sorts a given list in ascending order" is "sort a
 * list". false: it does not begin with a verb. */
static bool described(struct span description, uint32_t variant, struct buf *out)
{
    static const char *const lead[] = {"this", "the",   "function", "tool", "method", "api",
                                       "is",   "can",   "be",       "used", "allows", "you",
                                       "will", "users", "to",       "user", NULL};
    static const char *const gives[] = {"return", "provide", "give", "output", NULL};
    char scratch[32], first[32];
    struct span word, verb = {NULL, 0}, next;
    size_t at = 0;
    while (text_next_word(description, &at, &word)) {
        struct span lower = imperative(word, first, sizeof first);
        if (!among(lower, lead) && !span_is(lower, "allow")) {
            verb = imperative(word, scratch, sizeof scratch);
            break;
        }
    }
    size_t after = at;
    bool before_noun =
        text_next_word(description, &after, &next) &&
        (span_is(next, "the") || span_is(next, "a") || span_is(next, "an") || span_is(next, "all"));
    bool gets = verb.len && among(verb, gives);
    if (!verb.len || (!begins(verb) && !gets && !before_noun))
        return false;
    size_t start = out->len;
    add_verb(gets ? SPAN("retrieve") : verb, variant, out);
    if (add_object(description, at, out))
        return true;
    out->len = start;
    return false;
}

/* A name that is no English says too little: a vague wish about what the description is about. */
static void vague(const struct tool_fact *fact, struct span description, uint32_t variant,
                  struct buf *out)
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
}

/* ---- the name -------------------------------------------------------------------------------- */

/* A name taken apart: the verb, and the tokens that say what it is about. */
struct wish {
    struct span verb;
    size_t from, to;
};

static bool is_number(struct span token)
{
    for (size_t i = token.len > 1 && token.ptr[0] == 'v'; i < token.len; i++)
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
    return true;
}

static bool take_apart(const struct tool_fact *fact, struct wish *w)
{
    size_t tail = fact->tail, n = fact->n_tokens;
    const struct span *t = fact->tokens;
    for (size_t i = 0; i < fact->name.len; i++)
        if (fact->name.ptr[i] & 0x80)
            return false;
    while (n > tail + 1 && is_number(t[n - 1]))
        n--;
    *w = (struct wish){.from = tail + 1, .to = n};
    if (n == tail)
        return false;
    w->verb = t[tail];
    if (n == tail + 1) { /* museum_working_hours.get */
        w->from = 0;
        w->to = tail;
        return tail && begins(w->verb);
    }
    if (begins(w->verb))
        return true;
    w->verb = t[n - 1];
    if (among(w->verb, ALWAYS) || among(w->verb, LAST)) {
        w->from = tail;
        w->to = n - 1;
        return true;
    }
    for (size_t i = n - 2; i > tail; i--)
        if (among(t[i], ALWAYS)) {
            w->verb = t[i];
            w->from = i + 1;
            w->to = n;
            return true;
        }
    return false;
}

/* What is found by an id is wanted, the id is not: find_user_by_email. A second verb is left out. */
static size_t before_by(const struct tool_fact *fact, size_t from, size_t to)
{
    static const char *const ends[] = {"by", "using", "and", "or", NULL};
    for (size_t i = from; i < to; i++)
        if (among(fact->tokens[i], ends))
            return i;
    return from + 1 == to && among(fact->tokens[from], ALWAYS) ? from : to;
}

/* The words from..to with an article, and one behind a preposition: "bills for a customer". */
static void add_nouns(const struct tool_fact *fact, size_t from, size_t to, bool named,
                      struct buf *out)
{
    size_t end = from;
    while (end < to && !(end > from && end + 1 < to && among(fact->tokens[end], PREPOSITIONS)))
        end++;
    struct span last = fact->tokens[end - 1];
    buf_byte(out, ' ');
    if (!named || plural(last) || end < to)
        buf_text(out, article(fact->tokens[from], last));
    for (size_t i = from; i < end; i++) {
        if (i > from)
            buf_byte(out, ' ');
        buf_span_add(out, fact->tokens[i]);
    }
    if (end < to) {
        buf_byte(out, ' ');
        buf_span_add(out, fact->tokens[end]);
        add_nouns(fact, end + 1, to, named, out);
    }
}

void intent_write(const struct tool_fact *fact, struct span description, struct span reference,
                  uint32_t variant, struct buf *out)
{
    struct wish w;
    bool counted = true; /* the reference is behind "for" */
    bool whole = take_apart(fact, &w);
    size_t from = w.from, to = whole ? before_by(fact, w.from, w.to) : 0;
    bool preposition = whole && from + 1 < to && among(fact->tokens[from], PREPOSITIONS);
    if (!whole || from >= to || (from + 1 == to && among(fact->tokens[from], PREPOSITIONS))) {
        if (!described(description, variant, out))
            vague(fact, description, variant, out);
    } else {
        if (preposition)
            buf_span_add(out, w.verb);
        else
            add_verb(w.verb, variant, out);
        for (; from + 1 < to && among(fact->tokens[from], PREPOSITIONS); from++) {
            buf_byte(out, ' ');
            buf_span_add(out, fact->tokens[from]);
        }
        counted = plural(fact->tokens[to - 1]);
        add_nouns(fact, from, to, reference.len > 0, out);
    }
    if (reference.len) {
        buf_text(out, counted ? " for " : " ");
        buf_span_add(out, reference);
    }
}
