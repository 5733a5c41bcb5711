/* template.c: see template.h. Each pool of sentences counts how often each was used; a slot takes
 * the least used one, from the place that the hash of cell, slot and variant points to. */
#include "scene/template.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "scene/defaults.h"
#include "scene/intent.h"
#include "scene/typing.h"
#include "scene/wording.h"
#include "text/digest.h"
#include "text/fold.h"

struct usage {
    const char *const *pool;
    uint32_t *counts;
};

struct template_writer {
    const struct grid *grid;
    const struct row_tools *tools;
    struct map seen; /* masked messages */
    struct usage *usage;
    size_t n_usage, usage_cap;
    char prefix[8]; /* of invented references; empty: none are invented */
    struct buf masked, wish, second;
};

/* One message in the making. */
struct message {
    struct template_writer *t;
    const struct cell *cell;
    uint32_t variant;
    bool settle; /* count what is used */
    struct span reference;
    struct span rule_word;
    struct buf *out;
};

static void choose_prefix(struct template_writer *t)
{
    const struct tool_facts *facts = &t->grid->facts;
    for (size_t i = 0; i < facts->count; i++) {
        const struct tool_fact *f = &facts->items[i];
        if (f->kind != TOOL_READ || f->n_tokens < 2)
            continue;
        size_t n = f->tokens[1].len < 3 ? f->tokens[1].len : 3;
        for (size_t j = 0; j < n; j++) {
            char c = f->tokens[1].ptr[j];
            t->prefix[j] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
        }
        return;
    }
    if (facts->record_numbers)
        memcpy(t->prefix, "REF", 3);
}

struct template_writer *template_open(const struct grid *grid, const struct row_tools *tools)
{
    struct template_writer *t = mem_zero(1, sizeof *t);
    t->grid = grid;
    t->tools = tools;
    if (grid->facts.records)
        choose_prefix(t);
    return t;
}

void template_close(struct template_writer *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_usage; i++)
        free(t->usage[i].counts);
    free(t->usage);
    map_free(&t->seen);
    buf_free(&t->masked);
    buf_free(&t->wish);
    buf_free(&t->second);
    free(t);
}

const char *message_length_name(enum message_length length)
{
    return length == MESSAGE_SHORT ? "short" : length == MESSAGE_LONG ? "long" : "medium";
}

enum message_length message_length_of(struct span text)
{
    size_t words = text_word_count(text);
    return words <= SCENE_SHORT_WORDS  ? MESSAGE_SHORT
           : words >= SCENE_LONG_WORDS ? MESSAGE_LONG
                                       : MESSAGE_MEDIUM;
}

void message_masked(struct span text, struct buf *out)
{
    struct buf lower = {0};
    struct span word;
    text_lower(text, &lower);
    for (size_t at = 0; text_next_word(buf_span(&lower), &at, &word);) {
        bool digit = false;
        for (size_t i = 0; i < word.len; i++)
            digit = digit || (word.ptr[i] >= '0' && word.ptr[i] <= '9');
        if (out->len)
            buf_byte(out, ' ');
        if (digit)
            buf_byte(out, '#');
        else
            buf_span_add(out, word);
    }
    buf_free(&lower);
}

/* ---- draws ----------------------------------------------------------------------------------- */

static uint32_t draw(const struct message *m, const char *slot)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%s:%s:%u", m->cell->id, slot, (unsigned)m->variant);
    return digest_n32(span_make(text, (size_t)n));
}

static uint32_t *counts_of(struct template_writer *t, struct wording pool)
{
    for (size_t i = 0; i < t->n_usage; i++)
        if (t->usage[i].pool == pool.items)
            return t->usage[i].counts;
    t->usage = mem_grow(t->usage, &t->usage_cap, t->n_usage + 1, sizeof *t->usage);
    t->usage[t->n_usage] = (struct usage){pool.items, mem_zero(pool.count, sizeof(uint32_t))};
    return t->usage[t->n_usage++].counts;
}

static const char *choose(const struct message *m, const char *slot, struct wording pool)
{
    uint32_t *counts = counts_of(m->t, pool);
    size_t start = draw(m, slot) % pool.count, best = start;
    for (size_t i = 1; i < pool.count; i++) {
        size_t at = (start + i) % pool.count;
        if (counts[at] < counts[best])
            best = at;
    }
    if (m->settle)
        counts[best]++;
    return pool.items[best];
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void add_sentence(const struct message *m, const char *sentence)
{
    struct buf *out = m->out;
    if (out->len)
        buf_byte(out, ' ');
    for (const char *p = sentence; *p; p++) {
        if (p[0] != '%') {
            buf_byte(out, *p);
            continue;
        }
        switch (*++p) {
        case 'a': buf_span_add(out, buf_span(&m->t->wish)); break;
        case 'b': buf_span_add(out, buf_span(&m->t->second)); break;
        case 'r': buf_span_add(out, m->reference); break;
        default: buf_span_add(out, m->rule_word);
        }
    }
}

static void add_slot(const struct message *m, const char *slot, struct wording pool)
{
    if (pool.count)
        add_sentence(m, choose(m, slot, pool));
}

static void make_reference(const struct template_writer *t, const struct cell *cell,
                           uint32_t variant, char out[64])
{
    const struct tool_facts *facts = &t->grid->facts;
    uint64_t n = (uint64_t)digest_n32(span_text(cell->id)) + 17 * (uint64_t)variant;
    bool missing = span_is(cell->value[AXIS_WORLD], "entity missing");
    out[0] = '\0';
    if (facts->n_ids && !missing) {
        struct span id = facts->ids[n % facts->n_ids];
        snprintf(out, 64, "%.*s", (int)id.len, id.ptr);
    } else if (t->prefix[0] && facts->records) {
        snprintf(out, 64, "%s-%u", t->prefix, (unsigned)(1000 + n % 9000));
        for (size_t i = 0; i < facts->n_ids && missing; i++)
            if (span_is(facts->ids[i], out)) { /* on file: an id with five digits is not */
                snprintf(out, 64, "%s-%u", t->prefix, (unsigned)(10000 + n % 9000));
                break;
            }
    }
}

void template_reference(const struct template_writer *t, const struct cell *cell, uint32_t variant,
                        struct buf *out)
{
    char text[64];
    make_reference(t, cell, variant, text);
    buf_text(out, text);
}

static void tool_wish(const struct message *m, size_t tool, struct span reference, struct buf *out)
{
    buf_clear(out);
    intent_write(&m->t->grid->facts.items[tool], m->t->tools->items[tool].description, reference,
                 draw(m, "verb"), out);
}

/* One long word of the rule that is no label and no tool's name. */
static struct span rule_word(const struct message *m)
{
    static const char *const dull[] = {
        "never",  "always",   "before",  "after",  "above", "below", "should", "their",
        "there",  "which",    "where",   "while",  "about", "other", "every",  "without",
        "within", "anything", "unless",  "until",  "these", "those", "could",  "would",
        "shall",  "being",    "because", "please", "than",  "only",  "first",  "order"};
    struct span word, best = {NULL, 0};
    for (size_t at = 0; text_next_word(m->cell->value[AXIS_RULE], &at, &word);) {
        while (word.len &&
               !((word.ptr[word.len - 1] | 0x20) >= 'a' && (word.ptr[word.len - 1] | 0x20) <= 'z'))
            word.len--;
        bool fine = word.len >= 5 && word.len > best.len;
        for (size_t i = 0; i < word.len && fine; i++)
            fine = word.ptr[i] >= 'a' && word.ptr[i] <= 'z';
        for (size_t i = 0; i < sizeof dull / sizeof *dull && fine; i++)
            fine = !span_is(word, dull[i]);
        fine = fine && !tool_facts_find(&m->t->grid->facts, word) &&
               tier_of_stance(word) == TIER_ORDINARY;
        if (fine)
            best = word;
    }
    return span_is(m->cell->value[AXIS_RULE], "unspecified") ? (struct span){NULL, 0} : best;
}

static void add_ask(const struct message *m, bool reference_inside)
{
    struct span tool = m->cell->value[AXIS_TOOL];
    const struct tool_facts *facts = &m->t->grid->facts;
    struct span inside = reference_inside ? m->reference : (struct span){NULL, 0};
    const struct tool_fact *fact = tool_facts_find(facts, tool);
    if (span_is(tool, "unrelated") || facts->count == 0) {
        add_slot(m, "unrelated", wording_slot(SLOT_UNRELATED));
    } else if (fact && !span_is(tool, "multi_tool")) {
        tool_wish(m, (size_t)(fact - facts->items), inside, &m->t->wish);
        add_slot(m, "ask", wording_slot(SLOT_ASK));
    } else if (facts->count == 1) {
        tool_wish(m, 0, inside, &m->t->wish);
        buf_clear(&m->t->second);
        buf_text(&m->t->second, "hear what comes after that");
        add_slot(m, "multi", wording_slot(SLOT_MULTI));
    } else {
        size_t first = draw(m, "first") % facts->count;
        size_t second = (first + 1 + draw(m, "second") % (facts->count - 1)) % facts->count;
        tool_wish(m, first, inside, &m->t->wish);
        tool_wish(m, second, (struct span){NULL, 0}, &m->t->second);
        add_slot(m, "multi", wording_slot(SLOT_MULTI));
    }
}

static void compose(struct message *m)
{
    const struct span *value = m->cell->value;
    bool unrelated = span_is(value[AXIS_TOOL], "unrelated");
    bool fresh = span_is(value[AXIS_HISTORY], "fresh");
    bool early_history = draw(m, "order") % 3 == 0;
    bool inside = draw(m, "inside") % 2 == 0;
    char reference[64];
    buf_clear(m->out);
    make_reference(m->t, m->cell, m->variant, reference);
    m->reference = unrelated ? (struct span){NULL, 0} : span_text(reference);
    m->rule_word = unrelated ? (struct span){NULL, 0} : rule_word(m);
    if (draw(m, "opening?") % 5 < 3)
        add_slot(m, "opening", wording_slot(SLOT_OPENING));
    if (early_history)
        add_slot(m, "history", wording_history(value[AXIS_HISTORY]));
    add_ask(m, inside);
    if (m->reference.len && !inside)
        add_slot(m, "reference", wording_slot(SLOT_REFERENCE));
    if (!unrelated)
        add_slot(m, "world", wording_world(value[AXIS_WORLD]));
    if (!early_history)
        add_slot(m, "history", wording_history(value[AXIS_HISTORY]));
    enum tier tier = m->cell->tier;
    if (m->rule_word.len)
        add_slot(m, "rule",
                 wording_slot(tier == TIER_BOUNDARY || tier == TIER_ADVERSARIAL ? SLOT_RULE_HARD
                                                                                : SLOT_RULE));
    add_slot(m, "stance", wording_stance(value[AXIS_STANCE], fresh));
    if (draw(m, "condition?") % 3 == 0)
        add_slot(m, "condition", wording_condition(value[AXIS_CONDITION]));
    if (draw(m, "closing?") % 5 < 3)
        add_slot(m, "closing", wording_slot(SLOT_CLOSING));
}

/* How the message is typed; NULL: in no way that shows. */
static const char *type(const struct message *m)
{
    const char *texture = message_texture(draw(m, "texture"));
    return message_type(texture, m->out) ? texture : NULL;
}

bool template_write(struct template_writer *t, const struct cell *cell, uint32_t *variant,
                    struct buf *out, const char **texture)
{
    for (int tries = 0; tries < SCENE_TRIES; tries++) {
        struct message m = {.t = t, .cell = cell, .variant = (*variant)++, .out = out};
        bool fresh;
        compose(&m);
        buf_clear(&t->masked);
        message_masked(buf_span(out), &t->masked);
        map_add(&t->seen, buf_span(&t->masked), &fresh);
        if (!fresh)
            continue;
        m.settle = true; /* the same choices again, counted */
        compose(&m);
        *texture = type(&m);
        return true;
    }
    return false;
}
