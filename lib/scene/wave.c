/* wave.c: one wave of the writer: what it says, its reply, and what of the reply can be played. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene/intent.h"
#include "scene/typing.h"
#include "scene/writer_inside.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/reasoning.h"
#include "text/utf8.h"
#include "json/write.h"

static const char SYSTEM[] =
    "You write the messages that people send to an assistant. For every card you are the person on "
    "it: make up who they are and why they write today, and write what they type, in the first "
    "person, and nothing else.\n"
    "- Never speak of tools, functions, rules, policies, cards, labels or tests, and never answer "
    "as the assistant would.\n"
    "- What a card says of mood, length and typing is how to write; none of it is to be said.\n"
    "- Begin no two messages alike. Use concrete things, and vary them: objects, places, names, "
    "dates, numbers.\n"
    "- No dash longer than a hyphen.\n"
    "Reply with a JSON array and nothing around it, one object for each card: "
    "{\"region_id\": the card's, unchanged, \"message\": the text}.";

double writer_temperature(int64_t seed, int64_t wave)
{
    double u = card_draw(seed, wave, SPAN("batch"), "temp");
    return number_round(WRITER_TEMPERATURE_LO + u * (WRITER_TEMPERATURE_HI - WRITER_TEMPERATURE_LO),
                        3);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void add_list(struct buf *out, const char *heading, const struct span *items, size_t n,
                     size_t characters)
{
    if (!n)
        return;
    buf_text(out, heading);
    for (size_t i = 0; i < n; i++) {
        buf_text(out, "\n- ");
        buf_span_add(out, utf8_head(items[i], characters));
    }
    buf_text(out, "\n\n");
}

/* Clauses from all over the policy, as far as the room goes. */
static void add_clauses(const struct scene_writer *w, struct buf *out)
{
    const struct axis_values *rules = &w->setting.cards.grid->axes[AXIS_RULE];
    size_t room = WRITER_CLAUSES_SHOWN, all = 0, stride;
    if (!rules->count || span_is(rules->items[0], "unspecified"))
        return;
    for (size_t i = 0; i < rules->count; i++)
        all += utf8_length(rules->items[i]);
    stride = all / room + 1;
    buf_text(out, "What the house goes by (the person may know it or not):");
    for (size_t i = 0; i < rules->count; i += stride) {
        size_t n = utf8_length(rules->items[i]);
        if (n > room)
            break;
        room -= n;
        buf_text(out, "\n- ");
        buf_span_add(out, rules->items[i]);
    }
    buf_text(out, "\n\n");
}

/* Up to eight purposes that no message has had yet. */
static size_t underexplored(const struct scene_writer *w, struct span out[WRITER_CONTEXT],
                            struct arena *a)
{
    const struct card_setting *s = &w->setting.cards;
    const struct tool_facts *facts = &s->grid->facts;
    size_t n = 0;
    for (size_t i = 0; w->written && i < facts->count && n < writer_context(w); i++) {
        struct buf wish = {0};
        if (w->by_tool[i])
            continue;
        intent_write(&facts->items[i], s->tools->items[i].description, (struct span){NULL, 0}, 0,
                     &wish);
        out[n++] = arena_span(a, utf8_head(buf_span(&wish), CARD_PURPOSE));
        buf_free(&wish);
    }
    return n;
}

static void add_card(const struct dealt *d, struct buf *out)
{
    buf_text(out, "{\"region_id\":");
    json_quote(out, d->card.key);
    buf_text(out, ",\"instruction\":");
    json_quote(out, d->card.instruction);
    buf_text(out, "}\n");
}

static void write_user(const struct scene_writer *w, struct wave *wave, size_t n_cards,
                       struct buf *out)
{
    const struct writer_setting *s = &w->setting;
    struct span open[WRITER_CONTEXT];
    size_t n_open = underexplored(w, open, &wave->arena);
    size_t n_failing = (size_t)knob_int(s->knobs, KNOB_AVOID_ITEMS);
    if (n_failing > s->n_failing)
        n_failing = s->n_failing;
    buf_clear(out);
    if (s->kind.len && wave->number % WRITER_NAMELESS_WAVE != WRITER_NAMELESS_WAVE - 1) {
        buf_text(out, "The assistant they write to: ");
        buf_span_add(out, utf8_head(s->kind, CARD_PURPOSE));
        buf_text(out, "\n\n");
    }
    if (s->brief.len) {
        buf_text(out, "The scene: ");
        buf_span_add(out, s->brief);
        buf_text(out, "\n\n");
    }
    add_clauses(w, out);
    add_list(out, "Nobody has come yet to:", open, n_open, CARD_PURPOSE);
    add_list(out, "Sent before; write nothing like these:", w->recent, w->n_recent,
             WRITER_AVOID_SHOWN);
    add_list(out,
             "Asks that went wrong before; where a card allows, come at one from another side:",
             s->failing, n_failing, WRITER_AVOID_SHOWN);
    buf_text(out, "Cards:\n");
    for (size_t i = 0; i < n_cards; i++)
        add_card(&wave->cards[i], out);
}

static int64_t reply_tokens(const struct scene_writer *w, const struct wave *wave, size_t n_cards)
{
    const double *value = w->setting.knobs->value;
    double tokens = value[KNOB_TOKENS_PER_CARD] * (double)n_cards + value[KNOB_TOKENS_BASE];
    if (wave->number < knob_int(w->setting.knobs, KNOB_FIRST_WRITERS))
        tokens = value[KNOB_FIRST_TOKENS];
    else if (tokens < value[KNOB_TOKENS_FLOOR])
        tokens = value[KNOB_TOKENS_FLOOR];
    else if (tokens > value[KNOB_TOKENS_CAP])
        tokens = value[KNOB_TOKENS_CAP];
    return tokens < WRITER_REPLY_MAX ? (int64_t)tokens : WRITER_REPLY_MAX;
}

static void write_line(const struct scene_writer *w, struct wave *wave, struct buf *out)
{
    struct span open[WRITER_CONTEXT];
    size_t n_open = underexplored(w, open, &wave->arena);
    buf_text(out, "{\"cards\":[");
    for (size_t i = 0; i < wave->n_cards; i++) {
        const struct dealt *d = &wave->cards[i];
        buf_text(out, i ? ",{\"region_id\":" : "{\"region_id\":");
        json_quote(out, d->card.key);
        buf_text(out, ",\"assignment\":");
        if (d->from.cell)
            cell_write(d->from.cell, out);
        else
            buf_text(out, "null");
        buf_text(out, ",\"instruction\":");
        json_quote(out, d->card.instruction);
        buf_byte(out, '}');
    }
    buf_text(out, "],\"avoid\":[");
    for (size_t i = 0; i < w->n_recent; i++) {
        buf_text(out, i ? "," : "");
        json_quote(out, utf8_head(w->recent[i], WRITER_AVOID_SHOWN));
    }
    buf_text(out, "],\"underexplored\":[");
    for (size_t i = 0; i < n_open; i++) {
        buf_text(out, i ? "," : "");
        json_quote(out, open[i]);
    }
    buf_text(out, "]}");
}

size_t wave_write(const struct scene_writer *w, struct wave *wave)
{
    struct buf out = {0};
    size_t n = wave->n_cards;
    bool known;
    wave->temperature = writer_temperature(w->setting.cards.seed, wave->number + w->epoch);
    if (w->setting.command) {
        write_line(w, wave, &out);
        wave->line = arena_span(&wave->arena, buf_span(&out));
        buf_free(&out);
        return n;
    }
    for (;; n = (n + 1) / 2) {
        wave->tokens = reply_tokens(w, wave, n);
        write_user(w, wave, n, &out);
        int64_t room =
            (model_context(w->setting.model, &known) - wave->tokens - CHAT_MARGIN_TOKENS) * 3;
        if (n == 1 || (int64_t)(utf8_length(buf_span(&out)) + sizeof SYSTEM) <= room)
            break;
    }
    wave->system = span_text(SYSTEM);
    wave->user = arena_span(&wave->arena, buf_span(&out));
    buf_free(&out);
    return n;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void ask_model(struct scene_writer *w, struct wave *wave)
{
    struct buf messages = {0};
    struct chat_reply reply = {0};
    struct error error = {0};
    char scope[32];
    snprintf(scope, sizeof scope, "writer:%lld", (long long)wave->number);
    buf_text(&messages, "[{\"role\":\"system\",\"content\":");
    json_quote(&messages, wave->system);
    buf_text(&messages, "},{\"role\":\"user\",\"content\":");
    json_quote(&messages, wave->user);
    buf_text(&messages, "}]");
    struct chat_request request = {
        .messages = {.type = JSON_VALUE_ARRAY, .text = buf_span(&messages)},
        .temperature = wave->temperature,
        .max_tokens = wave->tokens,
        .timeout_s = w->setting.timeout_s > 0 ? w->setting.timeout_s : WRITER_TIMEOUT_S,
        .scope = scope,
        .item = wave->number,
    };
    int code = model_chat(w->setting.model, &request, &reply, &error);
    wave->failure = code ? reply.failure : CHAT_OK;
    if (code)
        buf_text(&wave->why, error.text);
    else if (reply.choices[0].content.ptr)
        buf_span_add(&wave->reply, reply.choices[0].content);
    chat_reply_free(&reply);
    buf_free(&messages);
}

static void ask_program(struct scene_writer *w, int worker, struct wave *wave)
{
    struct child_exit ended = {0};
    struct error error = {0};
    struct span reply;
    double seconds = w->setting.timeout_s > 0 ? w->setting.timeout_s : WRITER_TIMEOUT_S;
    if (!w->programs[worker])
        w->programs[worker] = coproc_open(w->setting.command, NULL);
    enum coproc_result result =
        coproc_ask(w->programs[worker], wave->line, seconds, &reply, &ended, &error);
    wave->failure = result == COPROC_OK        ? CHAT_OK
                    : result == COPROC_TIMEOUT ? CHAT_TIMED_OUT
                                               : CHAT_BAD_REPLY;
    switch (result) {
    case COPROC_OK: buf_span_add(&wave->reply, reply); break;
    case COPROC_TIMEOUT:
        buf_format(&wave->why, "%s: no reply within %g s", w->setting.command, seconds);
        break;
    case COPROC_DIED:
        buf_format(&wave->why, "%s ended (%s %d) before it replied", w->setting.command,
                   ended.signal ? "signal" : "exit status",
                   ended.signal ? ended.signal : ended.status);
        break;
    case COPROC_TOO_LONG: buf_format(&wave->why, "%s: reply too long", w->setting.command); break;
    case COPROC_FAILED: buf_text(&wave->why, error.text); break;
    }
}

void wave_ask(struct scene_writer *w, int worker, struct wave *wave)
{
    if (w->setting.command)
        ask_program(w, worker, wave);
    else
        ask_model(w, wave);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void refused(struct scene_writer *w, const struct writer_source *source, struct dealt *d)
{
    if (++d->card.tries >= CARD_TRIES || !d->from.cell) {
        w->counts.given_up += d->from.cell != NULL;
        if (d->from.cell)
            source->give_up(source->data, &d->from);
        return;
    }
    struct dealt_list *l = &w->again;
    l->items = mem_grow(l->items, &l->cap, l->first + l->count + 1, sizeof *l->items);
    l->items[l->first + l->count++] = *d;
}

static void remember(struct scene_writer *w, const struct dealt *d, struct span text)
{
    if (w->n_recent && w->n_recent == writer_context(w))
        memmove(w->recent, w->recent + 1, --w->n_recent * sizeof *w->recent);
    if (writer_context(w))
        w->recent[w->n_recent++] = text;
    const struct tool_facts *facts = &w->setting.cards.grid->facts;
    const struct tool_fact *fact =
        d->from.cell ? tool_facts_find(facts, d->from.cell->value[AXIS_TOOL]) : NULL;
    if (fact)
        w->by_tool[fact - facts->items]++;
}

static void accept(struct scene_writer *w, const struct dealt *d, struct span text, bool kept)
{
    struct buf members = {0};
    struct told_list *l = &w->told[d->from.cell          ? TOLD_CELL
                                   : d->card.retried.len ? TOLD_FAILURE
                                                         : TOLD_OUTSIDE];
    struct told told = {.from = d->from,
                        .parent = d->parent,
                        .text = arena_span(&w->arena, text),
                        .texture = kept ? d->card.texture : NULL,
                        .tone = kept ? d->card.tone : NULL};
    card_members(&d->card, &members);
    told.members = arena_span(&w->arena, buf_span(&members));
    buf_free(&members);
    remember(w, d, told.text);
    w->written = true;
    w->counts.accepted++;
    l->items = mem_grow(l->items, &l->cap, l->first + l->count + 1, sizeof *l->items);
    l->items[l->first + l->count++] = told;
}

static bool usable(struct scene_writer *w, const struct writer_source *source, struct dealt *d,
                   struct span raw, struct buf *text, bool *kept)
{
    struct span names[WRITER_TOOLS];
    const struct row_tools *tools = w->setting.cards.tools;
    struct letter_rules rules = {.tools = names, .brief = w->setting.brief};
    for (size_t i = 0; i < tools->count && rules.n_tools < WRITER_TOOLS; i++)
        names[rules.n_tools++] = tools->items[i].name;
    letter_clean(raw, text);
    enum letter_fault fault = letter_check(buf_span(text), &rules);
    if (fault != LETTER_FINE) {
        w->counts.refused[fault]++;
        return false;
    }
    bool typed = !d->card.texture || message_type(d->card.texture, text);
    *kept = typed && card_kept(&d->card, buf_span(text));
    if (!*kept && w->setting.strict && d->card.tries < CARD_STRICT_TRIES && d->from.cell) {
        w->counts.restyled++;
        return false;
    }
    if (source->claim(source->data, buf_span(text)))
        return true;
    w->counts.duplicates++;
    return false;
}

/* The card that a letter answers; NULL: none, or one that has its message. */
static size_t card_of(const struct wave *wave, const struct letters *letters, size_t letter,
                      const bool *had)
{
    struct span region = letters->items[letter].region;
    size_t n = wave->n_cards;
    if (!region.len && letters->count == wave->n_cards)
        n = letter; /* not named, but one for each: by its place */
    for (size_t i = 0; region.len && n == wave->n_cards && i < wave->n_cards; i++)
        if (!had[i] && span_equal(wave->cards[i].card.key, region))
            n = i;
    return n < wave->n_cards && had[n] ? wave->n_cards : n;
}

size_t wave_read(struct scene_writer *w, const struct writer_source *source, struct wave *wave)
{
    struct letters letters = {0};
    struct buf text = {0}, scratch = {0};
    bool *had = mem_zero(wave->n_cards + 1, sizeof *had), kept;
    size_t accepted = 0;
    struct span spoken = text_split_reasoning(buf_span(&wave->reply), &scratch).spoken;
    if (wave->failure == CHAT_OK && !letters_read(&letters, spoken, &wave->arena))
        w->counts.unreadable++;
    for (size_t i = 0; i < letters.count; i++) {
        size_t n = card_of(wave, &letters, i, had);
        if (n == wave->n_cards ||
            !usable(w, source, &wave->cards[n], letters.items[i].text, &text, &kept))
            continue;
        had[n] = true;
        accept(w, &wave->cards[n], buf_span(&text), kept);
        accepted++;
    }
    for (size_t i = 0; i < wave->n_cards; i++) {
        wave->cards[i].card.tries -= wave->failure != CHAT_OK; /* it was never asked */
        if (!had[i])
            refused(w, source, &wave->cards[i]);
    }
    letters_free(&letters);
    buf_free(&text);
    buf_free(&scratch);
    free(had);
    return accepted;
}
