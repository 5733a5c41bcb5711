/* turns.c: see turns.h. */
#include "agent/turns.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "agent/defaults.h"
#include "base/options.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/regex.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- the user's turns ------------------------------------------------------------------------ */

size_t turn_scripted(struct span prompt, struct arena *arena, struct span **turns)
{
    const struct span mark = SPAN(USER_TURN_MARK);
    size_t n = 1, at = 0, end;
    for (; (end = span_find(prompt, mark, at)) != (size_t)-1; at = end + mark.len)
        n++;
    *turns = arena_alloc(arena, n * sizeof **turns);
    size_t kept = 0;
    for (at = 0; at <= prompt.len; at = end + mark.len) {
        end = span_find(prompt, mark, at);
        struct span turn = text_strip(span_slice(prompt, at, end == (size_t)-1 ? prompt.len : end));
        if (turn.len)
            (*turns)[kept++] = turn;
        if (end == (size_t)-1)
            break;
    }
    if (!kept)
        (*turns)[kept++] = prompt;
    return kept;
}

/* ---- budgets --------------------------------------------------------------------------------- */

static int64_t turn_draw(struct span prompt)
{
    struct buf text = {0};
    buf_text(&text, "0:0:");
    buf_span_add(&text, prompt);
    buf_text(&text, ":turns");
    int64_t u = (int64_t)(digest_number(buf_span(&text), 16) % 1000);
    buf_free(&text);
    return u;
}

static int64_t wanted_turns(int64_t u, int64_t cap, double target, double mean)
{
    if (target <= TURN_SHORT_TARGET) {
        if (u < 600)
            return 2 + u % 3;
        return u < 900 ? 5 + u % 4 : 9 + u % most(1, cap - 8);
    }
    double aim = isnan(mean) ? target : target + 0.5 * (target - mean);
    int64_t center = (int64_t)number_round_even(fmin(fmax(aim, 2), (double)cap));
    int64_t mid_low = most(2, center - 2);
    int64_t mid_high = least(cap, most(mid_low, center + 2));
    int64_t short_high = mid_low - 1, tail_low = least(cap, mid_high + 1);
    if (u < 150 && short_high >= 2)
        return 2 + u % (short_high - 1);
    if (u < 900)
        return mid_low + u % (mid_high - mid_low + 1);
    return tail_low + u % most(1, cap - tail_low + 1);
}

int64_t turn_budget(struct span prompt, int64_t cap, double target, double mean)
{
    if (target <= 1)
        return 1;
    cap = most(2, cap);
    int64_t want = wanted_turns(turn_draw(prompt), cap, target, mean);
    if (want % 2)
        want += isnan(mean) || mean <= target ? 1 : -1;
    int64_t even = cap % 2 == 0 || cap - 1 < 2 ? cap : cap - 1;
    return least(most(want, 2), even);
}

int64_t turn_cap(int64_t context, int64_t n_tools)
{
    int64_t reserved = TURN_RESERVED + least(TURN_RESERVED_TOOLS, TURN_RESERVED_TOOL * n_tools);
    int64_t ceiling = context <= TURN_SMALL_WINDOW ? TURN_CEILING_SMALL : TURN_CEILING;
    return most(TURN_CAP_LEAST, least(ceiling, most(1, context - reserved) / TURN_TOKENS));
}

bool turn_agent_opens(struct span prompt, double rate)
{
    enum { MILLION = 1000000 };
    uint8_t digest[SHA256_BYTES];
    struct buf text = {0};
    uint32_t rest = 0;
    if (!(rate > 0))
        return false;
    buf_text(&text, "opening:");
    buf_span_add(&text, prompt);
    digest_sha256(buf_span(&text), digest);
    buf_free(&text);
    for (size_t i = 0; i < SHA256_BYTES; i++)
        rest = (rest * 256 + digest[i]) % MILLION;
    return rest < rate * MILLION;
}

/* ---- patience -------------------------------------------------------------------------------- */

int patience_read(const char *text, struct patience *p, struct error *error)
{
    static const struct {
        const char *name;
        struct patience level;
    } LEVELS[] = {{"normal", {0.35, 0.60}}, {"short", {0.60, 0.90}}, {"endless", {0, 0}}};
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++) {
        if (strcmp(text, LEVELS[i].name) == 0) {
            *p = LEVELS[i].level;
            return 0;
        }
    }
    if (option_read_pair(text, &p->second, &p->later) == 0 && p->second >= 0 && p->second <= 1 &&
        p->later >= 0 && p->later <= 1)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "--patience is \"%s\"; write normal, short, endless, or two chances of 0 to 1 "
                     "as 0.35,0.6",
                     text);
}

/* V(salt): a draw of this turn, below 1. */
static double turn_chance(const struct turn_state *s, const char *salt)
{
    struct buf text = {0};
    buf_span_add(&text, s->prompt);
    buf_format(&text, ":%lld:%s", (long long)s->turn, salt);
    double v = digest_n32(buf_span(&text)) / 4294967296.0;
    buf_free(&text);
    return v;
}

bool turn_walks_away(const struct turn_state *s)
{
    double hazard = s->questions <= 0   ? 0
                    : s->questions == 1 ? s->patience.second
                                        : s->patience.later;
    return hazard > 0 && turn_chance(s, "abandon") < hazard;
}

/* ---- what the agent's words are --------------------------------------------------------------- */

static struct regex *refusal, *preamble;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    refusal = regex_compile(SPAN("\\b(can't|can’t|cannot|can not|won't|won’t|unable|not "
                                 "allowed|against (the |our )?(policy|policies|rules))\\b"),
                            REGEX_IGNORE_CASE, NULL);
    preamble = regex_compile(SPAN("^(sure|ok|okay|got it|let me|i will|i'll|i’ll|one "
                                  "sec|one moment|hang on)\\b"),
                             REGEX_IGNORE_CASE, NULL);
}

static bool matches(struct regex *const *r, struct span text)
{
    pthread_once(&once, compile);
    return *r && regex_search(*r, text, 0, NULL, 0) == REGEX_MATCH;
}

bool turn_wants_followup(const struct turn_state *s)
{
    int64_t cap = most(2, s->budget / 2);
    if (s->budget <= 1 || s->user_turns >= cap)
        return false;
    if (span_has(s->agent_text, SPAN("?")))
        return !turn_walks_away(s);
    if (matches(&refusal, s->agent_text))
        return true;
    return s->budget >= 4 && turn_chance(s, "react") < 1 - 1.0 / (double)cap;
}

bool turn_looks_unfinished(struct span spoken)
{
    spoken = text_strip(spoken);
    return spoken.len == 0 ||
           (text_word_count(spoken) <= TURN_PREAMBLE_WORDS && matches(&preamble, spoken));
}

/* ---- the end --------------------------------------------------------------------------------- */

/* A step's member when it is a text that is not empty. */
static bool step_text(struct json_value step, const char *key, struct json_value *text)
{
    return json_get(step, span_text(key), text) && text->type == JSON_VALUE_STRING &&
           json_truthy(*text);
}

struct span turn_finish(struct json_value steps, struct span carried, size_t *keep,
                        struct buf *scratch)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step, value, last = {0}, unused;
    struct buf own = {0};
    size_t at = 0;
    bool tool = false, said_before = false;
    *keep = 0;
    while (steps.type == JSON_VALUE_ARRAY && json_next_item(&c, &step)) {
        bool has_tool = json_get(step, SPAN("tool"), &unused) && json_truthy(unused);
        bool has_text = step_text(step, "text", &value);
        at++;
        bool has_user = json_get(step, SPAN("user"), &unused) && json_truthy(unused);
        if (has_tool || has_text || !has_user)
            *keep = at;
        if (has_text)
            said_before |= span_equal(json_text(value, &own), carried);
        if (has_tool && !tool) { /* what was said before the first call is no outcome */
            tool = true;
            last = (struct json_value){0};
        } else if (has_text && !has_tool) {
            last = value;
        }
    }
    buf_free(&own);
    if (last.text.ptr)
        return json_text(last, scratch);
    return tool && said_before ? SPAN("") : carried;
}
