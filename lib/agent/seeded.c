/* seeded.c: the agent that plays the whole loop offline (world 7): one call of the tool that the
 * prompt names, an honest report, and on a drawn share of rollouts one planted misbehaviour that
 * the row confesses. */
#include <math.h>
#include <stdlib.h>

#include "agent/answer.h"
#include "agent/phrases.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/pyjson.h"
#include "json/write.h"

/* Words of a tool's name shorter than this say nothing (characters). */
enum { NAME_WORD_MIN = 3, NUMBER_MIN = 3 };

struct seeded_tool {
    struct span name;
    struct span *words; /* of the lower-cased name, long enough */
    size_t n_words;
    struct span *parameters; /* filled by a call */
    size_t n_parameters;
};

struct seeded {
    struct agent agent;
    const struct agent_setting *setting;
    double rate;
    enum behavior behaviors[BEHAVIOR_COUNT];
    size_t n_behaviors;
    struct seeded_tool *tools;
    size_t n_tools;
    struct arena arena;
};

struct seeded_worker {
    struct answerer *world;
    struct arena arena; /* the arguments */
    struct buf lower, draw;
};

/* ---- opening --------------------------------------------------------------------------------- */

static void read_words(struct seeded *s, struct seeded_tool *t)
{
    struct buf lower = {0};
    text_lower(t->name, &lower);
    struct span name = arena_span(&s->arena, buf_span(&lower));
    t->words = arena_alloc(&s->arena, (name.len + 1) * sizeof *t->words);
    size_t from = 0;
    for (size_t i = 0; i <= name.len; i++)
        if (i == name.len || name.ptr[i] == '_') {
            struct span word = span_slice(name, from, i);
            if (utf8_length(word) >= NAME_WORD_MIN)
                t->words[t->n_words++] = word;
            from = i + 1;
        }
    buf_free(&lower);
}

static void read_parameters(struct seeded *s, struct seeded_tool *t, struct json_value schema)
{
    struct json_value required = {0}, properties = {0}, item;
    struct json_member member;
    struct buf scratch = {0};
    if (!schema.text.ptr || schema.type != JSON_VALUE_OBJECT)
        return;
    if (json_get(schema, SPAN("required"), &required) && required.type == JSON_VALUE_ARRAY) {
        t->parameters = arena_alloc(&s->arena, (json_count(required) + 1) * sizeof *t->parameters);
        struct json_cursor at = json_enter(required);
        while (json_next_item(&at, &item))
            if (item.type == JSON_VALUE_STRING)
                t->parameters[t->n_parameters++] = arena_span(&s->arena, json_text(item, &scratch));
    }
    if (t->n_parameters == 0 && json_get(schema, SPAN("properties"), &properties)) {
        struct json_cursor at = json_enter(properties);
        if (properties.type == JSON_VALUE_OBJECT && json_next_member(&at, &member)) {
            t->parameters = arena_alloc(&s->arena, sizeof *t->parameters);
            t->parameters[t->n_parameters++] = arena_span(&s->arena, json_key(&member, &scratch));
        }
    }
    buf_free(&scratch);
}

static int read_behaviors(struct seeded *s, const char *list, struct error *error)
{
    if (!list) {
        for (; s->n_behaviors < BEHAVIOR_COUNT; s->n_behaviors++)
            s->behaviors[s->n_behaviors] = (enum behavior)s->n_behaviors;
        return 0;
    }
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, ",");
        struct span name = text_strip(span_make(at, n));
        int b = behavior_of(name);
        if (b < 0)
            return error_set(
                error, ERROR_USAGE,
                "--behaviors: no behaviour \"%.*s\"; known: hedging, sycophancy, apology, "
                "boilerplate, ignore_fault, leak",
                (int)(name.len < 60 ? name.len : 60), name.ptr);
        for (size_t i = 0; i < s->n_behaviors; i++)
            if (s->behaviors[i] == (enum behavior)b)
                return error_set(error, ERROR_USAGE, "--behaviors names %s twice",
                                 behavior_name(b));
        s->behaviors[s->n_behaviors++] = (enum behavior)b;
        at += n + (at[n] == ',');
    }
    if (s->n_behaviors == 0)
        return error_set(error, ERROR_USAGE,
                         "--behaviors is empty; to plant nothing say --seeded-rate 0");
    return 0;
}

static void close_seeded(struct agent *agent)
{
    struct seeded *s = (struct seeded *)agent;
    arena_free(&s->arena);
    free(s->tools);
    free(s);
}

struct agent *agent_seeded_open(const struct agent_setting *setting, struct error *error)
{
    struct seeded *s = mem_zero(1, sizeof *s);
    s->agent = (struct agent){.kind = &AGENT_SEEDED, .version = "seeded_agent", .uses_world = true};
    s->agent.most = answers_most(setting->answers);
    s->agent.waits = s->agent.most > 0;
    s->setting = setting;
    s->rate = setting->seeded_rate < 0 ? 0 : setting->seeded_rate > 1 ? 1 : setting->seeded_rate;
    s->n_tools = setting->tools->count;
    s->tools = mem_zero(s->n_tools ? s->n_tools : 1, sizeof *s->tools);
    if (read_behaviors(s, setting->behaviors, error)) {
        close_seeded(&s->agent);
        return NULL;
    }
    if (s->n_tools == 0) {
        error_set(error, ERROR_USAGE, "the seeded agent needs a tool to call; give --tools FILE");
        close_seeded(&s->agent);
        return NULL;
    }
    for (size_t i = 0; i < s->n_tools; i++) {
        const struct row_tool *tool = &setting->tools->items[i];
        s->tools[i].name = tool->name;
        read_words(s, &s->tools[i]);
        read_parameters(s, &s->tools[i], tool->parameters);
    }
    return &s->agent;
}

static void *seeded_worker(struct agent *agent)
{
    struct seeded *s = (struct seeded *)agent;
    struct seeded_worker *w = mem_zero(1, sizeof *w);
    w->world = answerer_new(s->setting);
    return w;
}

static void seeded_worker_free(void *worker)
{
    struct seeded_worker *w = worker;
    answerer_free(w->world);
    arena_free(&w->arena);
    buf_free(&w->lower);
    buf_free(&w->draw);
    free(w);
}

/* ---- reading the prompt ---------------------------------------------------------------------- */

static const struct seeded_tool *named_tool(const struct seeded *s, struct span lower)
{
    for (size_t i = 0; i < s->n_tools; i++) {
        const struct seeded_tool *t = &s->tools[i];
        size_t hits = 0;
        while (hits < t->n_words && span_has(lower, t->words[hits]))
            hits++;
        if (t->n_words && hits == t->n_words)
            return t;
    }
    return &s->tools[0];
}

static bool ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Bytes of the digit that starts at `at`, 0 when none does. */
static size_t digit_at(struct span s, size_t at)
{
    if (at >= s.len)
        return 0;
    if (!(s.ptr[at] & 0x80))
        return s.ptr[at] >= '0' && s.ptr[at] <= '9';
    size_t next = at;
    return unicode_digit(utf8_next(s, &next)) ? next - at : 0;
}

static bool word_at(struct span s, size_t at)
{
    return at < s.len && unicode_word(utf8_next(s, &at));
}

/* Digits from `at` on; how many in *count. */
static size_t skip_digits(struct span s, size_t at, size_t *count)
{
    *count = 0;
    for (size_t n; (n = digit_at(s, at)); (*count)++)
        at += n;
    return at;
}

/* End of an identifier that starts at `at` (a word's beginning), or 0: letters, an optional - or _,
 * digits; or three digits and more. */
static size_t identifier_end(struct span s, size_t at)
{
    size_t letters = at, end, count;
    while (letters < s.len && ascii_letter(s.ptr[letters]))
        letters++;
    if (letters > at) {
        size_t digits = letters < s.len && (s.ptr[letters] == '-' || s.ptr[letters] == '_')
                            ? letters + 1
                            : letters;
        end = skip_digits(s, digits, &count);
        return count && !word_at(s, end) ? end : 0;
    }
    end = skip_digits(s, at, &count);
    return count >= NUMBER_MIN && !word_at(s, end) ? end : 0;
}

static struct span identifier(struct span s)
{
    bool inside = false; /* the character before is part of a word */
    for (size_t at = 0; at < s.len;) {
        size_t next = at;
        bool word = unicode_word(utf8_next(s, &next));
        size_t end = word && !inside ? identifier_end(s, at) : 0;
        if (end)
            return span_slice(s, at, end);
        inside = word;
        at = next;
    }
    return (struct span){NULL, 0};
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* U(PYJSON([seed, salt, prompt, rollout index])) */
static double draw(const struct seeded *s, struct seeded_worker *w, const struct agent_task *task,
                   const char *salt)
{
    buf_clear(&w->draw);
    buf_format(&w->draw, "[%lld, \"%s\", ", (long long)s->setting->agent_seed, salt);
    py_json_quote(task->prompt, &w->draw);
    buf_format(&w->draw, ", %lld]", (long long)task->rollout_index);
    return digest_u(buf_span(&w->draw));
}

/* trunc(u * count) mod count: u can be exactly 1. */
static size_t pick(double u, size_t count)
{
    return (size_t)(u * (double)count) % count;
}

static bool admissible(enum behavior b, const struct agent_task *task, const struct node *result)
{
    if (b == BEHAVIOR_IGNORE_FAULT)
        return !status_is_success(world_status(result)) || node_truthy(node_find(result, "stale"));
    return b != BEHAVIOR_LEAK || task->privileged;
}

/* The behaviour planted in this rollout, or -1. */
static int planted(const struct seeded *s, struct seeded_worker *w, const struct agent_task *task,
                   const struct node *result)
{
    if (!(s->rate > 0) || !(draw(s, w, task, "draw") < s->rate))
        return -1;
    size_t first = pick(draw(s, w, task, "which"), s->n_behaviors);
    for (size_t i = 0; i < s->n_behaviors; i++) {
        enum behavior b = s->behaviors[(first + i) % s->n_behaviors];
        if (admissible(b, task, result))
            return (int)b;
    }
    return -1;
}

/* ---- playing --------------------------------------------------------------------------------- */

static void say(const struct seeded *s, struct seeded_worker *w, const struct agent_task *task,
                const struct seeded_tool *tool, struct span subject, const struct node *result,
                struct rollout *out)
{
    int b = planted(s, w, task, result);
    buf_text(&out->seeded, "[");
    if (b >= 0)
        buf_format(&out->seeded, "\"%s\"", behavior_name((enum behavior)b));
    buf_text(&out->seeded, "]");
    if (b == BEHAVIOR_IGNORE_FAULT) {
        buf_text(&out->final_text, PHRASE_FALSE_CLAIM);
        return;
    }
    if (b >= 0 && b != BEHAVIOR_LEAK) {
        struct phrase_bank bank = behavior_bank((enum behavior)b);
        buf_text(&out->final_text, bank.phrases[pick(draw(s, w, task, "phrase"), bank.count)]);
        buf_byte(&out->final_text, ' ');
    }
    honest_sentence(tool->name, subject, result, &out->final_text);
    if (b == BEHAVIOR_LEAK) {
        if (task->reference.len) {
            buf_byte(&out->final_text, ' ');
            buf_span_add(&out->final_text, task->reference);
        }
        if (task->hidden_state.len) {
            buf_byte(&out->final_text, ' ');
            buf_span_add(&out->final_text, task->hidden_state);
        }
    }
}

static void play_seeded(struct agent *agent, void *worker, const struct agent_task *task,
                        struct rollout *out)
{
    struct seeded *s = (struct seeded *)agent;
    struct seeded_worker *w = worker;
    buf_clear(&w->lower);
    text_lower(task->prompt, &w->lower);
    const struct seeded_tool *tool = named_tool(s, buf_span(&w->lower));
    struct span subject = identifier(task->prompt);
    arena_clear(&w->arena);
    struct node *arguments = node_object(&w->arena);
    for (size_t i = 0; i < tool->n_parameters; i++)
        node_set(arguments, tool->parameters[i],
                 node_borrow(&w->arena, subject.len ? subject : SPAN("the record")));
    answerer_start(w->world, task, (struct span){0});
    struct answer result = answerer_call(w->world, tool->name, arguments, out);
    buf_text(&out->steps, "[{\"tool\":");
    json_quote(&out->steps, tool->name);
    buf_text(&out->steps, ",\"arguments\":");
    node_json(arguments, false, &out->steps);
    buf_text(&out->steps, ",\"result\":");
    buf_span_add(&out->steps, result.json);
    buf_text(&out->steps, "}]");
    say(s, w, task, tool, subject, result.node, out);
    answerer_end(w->world);
}

const struct agent_kind AGENT_SEEDED = {
    .prefix = "seeded",
    .help = "seeded",
    .worker = seeded_worker,
    .worker_free = seeded_worker_free,
    .play = play_seeded,
    .close = close_seeded,
};
