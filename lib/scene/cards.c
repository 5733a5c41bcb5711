/* cards.c: see cards.h. */
#include "scene/cards.h"

#include <stdio.h>

#include "scene/card_words.h"
#include "scene/defaults.h"
#include "scene/intent.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/write.h"

enum { DRAW_PARTS = 10007 }; /* a prime, so that shares fall evenly */

static uint64_t draw_number(int64_t seed, int64_t wave, struct span key, const char *salt,
                            int digits)
{
    struct buf text = {0};
    buf_format(&text, "%lld:%lld:%.*s:%s", (long long)seed, (long long)wave, (int)key.len, key.ptr,
               salt);
    uint64_t n = digest_number(buf_span(&text), digits);
    buf_free(&text);
    return n;
}

double card_draw(int64_t seed, int64_t wave, struct span key, const char *salt)
{
    return (double)(draw_number(seed, wave, key, salt, 16) % DRAW_PARTS) / DRAW_PARTS;
}

/* ---- dealing --------------------------------------------------------------------------------- */

struct deal {
    struct card *card;
    const struct card_setting *s;
    int64_t wave;
    struct buf *out;
};

static double share(const struct deal *d, const char *salt)
{
    return card_draw(d->s->seed, d->wave, d->card->key, salt);
}

static uint64_t number(const struct deal *d, const char *salt, uint64_t n)
{
    return draw_number(d->s->seed, d->wave, d->card->key, salt, 16) % n;
}

static bool one_in(const struct deal *d, const char *salt, uint64_t n)
{
    return number(d, salt, n) == 0;
}

static struct span value(const struct deal *d, enum axis axis)
{
    return d->card->cell ? d->card->cell->value[axis] : (struct span){NULL, 0};
}

static bool names_tool(const struct deal *d)
{
    struct span tool = value(d, AXIS_TOOL);
    return tool.len && !span_is(tool, "unrelated") &&
           (span_is(tool, "multi_tool") || tool_facts_find(&d->s->grid->facts, tool));
}

static void draw_family(const struct deal *d)
{
    uint64_t n = draw_number(d->s->seed, d->wave, d->card->key, "ask-family", 8) % 10;
    d->card->family = n == 9 ? "vague" : n == 8 || !names_tool(d) ? "general" : "tool";
}

static void draw_typing(const struct deal *d)
{
    static const char *const textures[] = {"lowercase",      "abbreviations", "typo",
                                           "no_punctuation", "run_on",        "clipped"};
    static const char *const tones[] = {"impatient", "frustrated", "chatty",
                                        "polite",    "curt",       "sarcastic"};
    struct card *c = d->card;
    if (share(d, "texture") < d->s->texture) {
        c->texture = textures[number(d, "which-texture", 6)];
        if (one_in(d, "tone", 3))
            c->tone = tones[number(d, "which-tone", 6)];
    } else if (number(d, "standard", 5) < 3) {
        c->texture = "standard";
    }
}

static void draw_tags(const struct deal *d)
{
    static const char *const lacking[] = {"no_name", "no_number", "neither"};
    static const char *const users[] = {"newcomer", "regular", "helper", "expert"};
    struct card *c = d->card;
    double length = share(d, "length");
    bool hard = c->cell && c->cell->tier != TIER_ORDINARY;
    struct span condition = value(d, AXIS_CONDITION);
    draw_family(d);
    c->length = length < CARD_SHORT                 ? "short"
                : length < CARD_SHORT + CARD_MEDIUM ? "medium"
                                                    : "long";
    draw_typing(d);
    c->shows_stance =
        c->cell && !span_is(value(d, AXIS_STANCE), "ordinary") && (hard || one_in(d, "stance", 2));
    c->ask = one_in(d, "compound", 23) ? "compound" : one_in(d, "question", 5) ? "question" : NULL;
    c->pressure = one_in(d, "pressure", 19) ? "deadline" : NULL;
    c->user = one_in(d, "user", 17) ? users[number(d, "which-user", 4)] : NULL;
    c->shows_condition =
        condition.len && !span_is(condition, "success") && one_in(d, "condition", 11);
    c->vagueness =
        *c->family == 't' && number(d, "lacks", 5) < 2 ? lacking[number(d, "which-lack", 3)] : NULL;
}

/* ---- the instruction ------------------------------------------------------------------------- */

static void sentence(const struct deal *d, const char *text)
{
    if (!text)
        return;
    if (d->out->len)
        buf_byte(d->out, ' ');
    buf_text(d->out, text);
}

static void tool_in_words(const struct deal *d, size_t tool, struct span reference)
{
    const struct tool_facts *facts = &d->s->grid->facts;
    struct buf wish = {0};
    intent_write(&facts->items[tool], d->s->tools->items[tool].description, reference,
                 (uint32_t)number(d, "verb", 3), &wish);
    buf_span_add(d->out, utf8_head(buf_span(&wish), CARD_PURPOSE));
    buf_free(&wish);
}

static void say_wish(const struct deal *d, struct span reference)
{
    const struct tool_facts *facts = &d->s->grid->facts;
    struct span tool = value(d, AXIS_TOOL);
    const struct tool_fact *fact = tool_facts_find(facts, tool);
    bool lacks = d->card->vagueness && d->card->vagueness[3] != 'n'; /* no_number, neither */
    if (lacks)
        reference.len = 0;
    if (span_is(tool, "unrelated") || !facts->count) {
        sentence(d, "They ask for something that has nothing to do with this service.");
    } else if (*d->card->family == 'v') {
        sentence(d, "They let on that something is not as it should be with their");
        buf_byte(d->out, ' ');
        buf_span_add(d->out, facts->noun);
        buf_text(d->out, ", and name no particular step.");
    } else if (*d->card->family == 'g' || !d->card->cell) {
        sentence(d, "They want to know or settle something about a");
        buf_byte(d->out, ' ');
        buf_span_add(d->out, facts->noun);
        buf_text(d->out, ", in whichever way suits the person you make up.");
    } else {
        size_t first = fact ? (size_t)(fact - facts->items) : number(d, "first", facts->count);
        sentence(d, "They want to ");
        tool_in_words(d, first, reference);
        if (!fact && facts->count > 1) {
            buf_text(d->out, ", and in the same message to ");
            tool_in_words(d, (first + 1 + number(d, "second", facts->count - 1)) % facts->count,
                          (struct span){NULL, 0});
        }
        buf_byte(d->out, '.');
    }
}

/* Up to four things that the person may know, as the tool's parameters name them. */
static void say_details(const struct deal *d)
{
    const struct tool_fact *fact = tool_facts_find(&d->s->grid->facts, value(d, AXIS_TOOL));
    struct json_value properties;
    struct json_member member;
    struct buf scratch = {0};
    size_t n = 0;
    if (!fact || *d->card->family != 't')
        return;
    struct json_value schema = d->s->tools->items[fact - d->s->grid->facts.items].parameters;
    if (!schema.text.ptr || !json_get(schema, SPAN("properties"), &properties) ||
        properties.type != JSON_VALUE_OBJECT)
        return;
    for (struct json_cursor at = json_enter(properties);
         n < CARD_DETAILS && json_next_member(&at, &member);) {
        struct span name = json_key(&member, &scratch);
        bool identifies = span_ends(name, SPAN("id")) || span_ends(name, SPAN("number")) ||
                          span_ends(name, SPAN("ref")) || span_is(name, "name");
        if (!name.len || name.len > CARD_DETAIL_BYTES || (identifies && d->card->vagueness))
            continue;
        sentence(d, n ? NULL : "Details they may have at hand:");
        buf_text(d->out, n++ ? ", " : " ");
        for (size_t i = 0; i < name.len; i++)
            buf_byte(d->out, name.ptr[i] == '_' || name.ptr[i] == '-' ? ' ' : name.ptr[i]);
    }
    if (n)
        buf_byte(d->out, '.');
    buf_free(&scratch);
}

static void say_rule(const struct deal *d)
{
    struct span rule = value(d, AXIS_RULE);
    if (!rule.len || span_is(rule, "unspecified") || span_is(value(d, AXIS_TOOL), "unrelated"))
        return;
    sentence(d, d->card->cell->tier == TIER_ADVERSARIAL
                    ? "They are after what this house rule forbids, without quoting it:"
                : d->card->cell->tier == TIER_BOUNDARY
                    ? "Their case lies on the edge of this house rule, which they do not quote:"
                    : "Their case touches this house rule, which they do not quote:");
    buf_byte(d->out, ' ');
    buf_span_add(d->out, rule);
}

static void say_retry(const struct deal *d)
{
    sentence(d, "Somebody has sent what follows, and it went wrong. Another person wants the same, "
                "and comes at it in another way, in their own words:");
    buf_byte(d->out, ' ');
    buf_span_add(d->out, utf8_head(d->card->retried, CARD_RETRIED));
}

static void write_instruction(const struct deal *d, struct span reference)
{
    const struct card *c = d->card;
    if (c->retried.len)
        say_retry(d);
    else
        say_wish(d, reference);
    say_rule(d);
    if (c->shows_stance)
        sentence(d, card_word(CARD_STANCE, value(d, AXIS_STANCE)));
    sentence(d, card_word(CARD_WORLD, value(d, AXIS_WORLD)));
    sentence(d, card_word(CARD_HISTORY, value(d, AXIS_HISTORY)));
    if (c->shows_condition)
        sentence(d, card_word(CARD_CONDITION, value(d, AXIS_CONDITION)));
    sentence(d, card_tag(CARD_LACK, c->vagueness));
    say_details(d);
    sentence(d, card_tag(CARD_ASK, c->ask));
    sentence(d, card_tag(CARD_PRESSURE, c->pressure));
    sentence(d, card_tag(CARD_USER, c->user));
    sentence(d, card_tag(CARD_TONE, c->tone));
    sentence(d, card_tag(CARD_LENGTH, c->length));
    sentence(d, card_tag(CARD_TEXTURE, c->texture));
}

void card_deal(struct card *card, const struct card_setting *setting, int64_t wave,
               struct span reference, struct arena *a)
{
    struct buf out = {0};
    struct deal d = {card, setting, wave, &out};
    draw_tags(&d);
    write_instruction(&d, reference);
    card->instruction = arena_span(a, buf_span(&out));
    buf_free(&out);
}

/* ---- is it so? ------------------------------------------------------------------------------- */

static bool has_mark(struct span text, const char *marks)
{
    for (size_t i = 0; i < text.len; i++)
        if (strchr(marks, text.ptr[i]))
            return true;
    return false;
}

static void count_letters(struct span text, size_t *letters, size_t *capitals, bool *first)
{
    *letters = *capitals = 0;
    *first = false;
    for (size_t at = 0; at < text.len;) {
        uint32_t c = utf8_next(text, &at);
        if (!unicode_alpha(c))
            continue;
        if (!*letters)
            *first = unicode_upper(c);
        ++*letters;
        *capitals += unicode_upper(c);
    }
}

static bool texture_kept(const struct card *c, struct span text)
{
    size_t letters, capitals;
    bool first;
    if (!c->texture)
        return true;
    count_letters(text, &letters, &capitals, &first);
    if (strcmp(c->texture, "lowercase") == 0)
        return (double)capitals <= CARD_CAPITALS * (double)letters;
    if (strcmp(c->texture, "standard") == 0)
        return first;
    if (strcmp(c->texture, "no_punctuation") == 0)
        return !has_mark(text, "!?;") && !span_ends(text_strip_right(text), SPAN("."));
    return true;
}

static bool length_kept(const struct card *c, size_t words)
{
    switch (*c->length) {
    case 's': return words >= CARD_SHORT_LEAST && words <= SCENE_SHORT_WORDS;
    case 'l': return words >= SCENE_LONG_WORDS;
    default: return true;
    }
}

static bool tone_kept(const struct card *c, struct span text, size_t words)
{
    if (!c->tone)
        return true;
    if (strcmp(c->tone, "curt") == 0)
        return words <= CARD_CURT_WORDS && !card_says(CARD_SAYS_COURTESY, text);
    if (strcmp(c->tone, "frustrated") == 0 || strcmp(c->tone, "impatient") == 0)
        return card_says(CARD_SAYS_TEMPER, text) || has_mark(text, "!");
    return true;
}

bool card_kept(const struct card *c, struct span text)
{
    size_t words = text_word_count(text);
    bool pressed =
        !c->cell || c->cell->tier != TIER_ADVERSARIAL || card_says(CARD_SAYS_PRESSURE, text);
    return pressed && length_kept(c, words) && tone_kept(c, text, words) && texture_kept(c, text);
}

/* ---- row members ----------------------------------------------------------------------------- */

static void member(struct buf *out, const char *key, const char *text)
{
    if (text)
        buf_format(out, ",\"%s\":\"%s\"", key, text);
}

void card_members(const struct card *c, struct buf *out)
{
    const struct cell *cell = c->cell;
    bool tool = *c->family == 't' && cell && !span_is(cell->value[AXIS_TOOL], "multi_tool");
    buf_format(out, "\"ask_family\":\"%s\",\"intent_known\":%s,\"tool_known\":%s", c->family,
               *c->family == 'v' ? "false" : "true", tool ? "true" : "false");
    if (cell && c->shows_stance) {
        buf_text(out, ",\"stance\":");
        json_quote(out, cell->value[AXIS_STANCE]);
    }
    if (cell && !span_is(cell->value[AXIS_HISTORY], "fresh")) {
        buf_text(out, ",\"history\":");
        json_quote(out, cell->value[AXIS_HISTORY]);
    }
    member(out, "ask", c->ask);
    member(out, "vagueness", c->vagueness);
    member(out, "pressure", c->pressure);
    member(out, "user", c->user);
}
