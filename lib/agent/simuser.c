/* simuser.c: see simuser.h. The requests are worded here; what is made of the replies is in person.c
 * and simuser_words.c. */
#include "agent/simuser.h"

#include <math.h>

#include "agent/defaults.h"
#include "agent/fate.h"
#include "agent/person.h"
#include "base/map.h"
#include "model/markup.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "text/regex.h"
#include "text/utf8.h"

/* ---- what the tools say of the person's world ------------------------------------------------ */

/* The name of a property as a person would say it; false: too long, or said already. */
static bool add_hint(struct simuser *u, struct map *seen, struct span name)
{
    struct buf hint = {0};
    bool fresh = false;
    text_lower(name, &hint);
    for (size_t i = 0; i < hint.len; i++)
        if (hint.data[i] == '_' || hint.data[i] == '-')
            hint.data[i] = ' ';
    struct span words = text_strip(buf_span(&hint));
    if (words.len && utf8_length(words) <= SIMUSER_HINT)
        map_add(seen, words, &fresh);
    if (fresh) {
        buf_text(&u->hints, u->hints.len ? ", " : "");
        buf_span_add(&u->hints, words);
    }
    buf_free(&hint);
    return fresh;
}

static void read_tools(struct simuser *u, const struct row_tools *tools)
{
    struct map seen = {0};
    struct json_value properties;
    struct json_member m;
    struct buf scratch = {0}, all = {0};
    for (size_t i = 0; i < tools->count; i++) {
        const struct row_tool *t = &tools->items[i];
        if (i < SIMUSER_TOOLS) {
            buf_text(&u->tools, i ? ", " : "");
            buf_span_add(&u->tools, t->name);
        }
        buf_span_add(&all, t->name);
        buf_byte(&all, ' ');
        if (!t->parameters.text.ptr || !json_get(t->parameters, SPAN("properties"), &properties))
            continue;
        struct json_cursor at = json_enter(properties);
        while (properties.type == JSON_VALUE_OBJECT && seen.count < SIMUSER_HINTS &&
               json_next_member(&at, &m))
            add_hint(u, &seen, json_key(&m, &scratch));
    }
    struct regex *code = regex_compile(SPAN("repo|pull_?request|merge_?request|branch|commit|"
                                            "github|gitlab|(^|_| )(git|pr|issue)(s|_| |$)"),
                                       REGEX_IGNORE_CASE, NULL);
    u->about_code = code && regex_search(code, buf_span(&all), 0, NULL, 0) == REGEX_MATCH;
    regex_free(code);
    map_free(&seen);
    buf_free(&scratch);
    buf_free(&all);
}

struct model *simuser_model(const struct agent_talk *talk, struct error *error)
{
    struct model_settings settings = talk->access;
    settings.key_env = settings.model = NULL;
    settings.context_tokens = 0;
    settings.thinking = CHAT_THINKING_DEFAULT;
    settings.extra = (struct span){NULL, 0};
    struct model *model = model_open(talk->user_model, &settings, error);
    if (!model)
        error_prefix(error, "--user-model");
    return model;
}

void simuser_open(struct simuser *u, struct model *model, const struct agent_setting *setting,
                  double timeout_s)
{
    *u = (struct simuser){.model = model,
                          .patience = setting->talk.patience,
                          .temperature = setting->talk.user_temperature,
                          .timeout_s = timeout_s};
    read_tools(u, setting->tools);
}

void simuser_free(struct simuser *u)
{
    buf_free(&u->hints);
    buf_free(&u->tools);
}

/* ---- the request for a line (world 9.1) ------------------------------------------------------ */

static const char LINE_RULES[] =
    "You are the human in the conversation below, and you write what this human says next: that "
    "one line and nothing else, no name in front, no quotes around it. Stay on the human's side: "
    "never answer as the assistant, never offer help, never comment on the conversation. No "
    "emojis, no em dashes, no thanking. Keep to the matter of the first line and to what the "
    "assistant's tools are about.";

static void write_rules(const struct simuser *u, const struct simuser_ask *ask, struct buf *out)
{
    buf_text(out, LINE_RULES);
    if (span_has(ask->agent_text, SPAN("?")))
        buf_text(out, " The assistant asked for something: give a concrete detail, made up if "
                      "need be and in keeping with what was said.");
    if (u->hints.len) {
        buf_text(out, " Details of this kind may come up: ");
        buf_span_add(out, buf_span(&u->hints));
        buf_byte(out, '.');
    }
    if (u->about_code)
        buf_text(out, " Do not make up repositories, pull requests, issues or branches that "
                      "nobody has mentioned.");
    if (patience_may_end(u->patience))
        buf_text(out, " If the question is one this human could not know the answer to, or has "
                      "answered already, the human may give up: then write exactly [leaves].");
}

/* The newest part of a thread, from a line's start when one is near. */
static struct span newest(struct span transcript)
{
    size_t length = utf8_length(transcript);
    if (length <= TALK_TRANSCRIPT)
        return transcript;
    struct span tail =
        span_slice(transcript, utf8_offset(transcript, length - TALK_TRANSCRIPT), transcript.len);
    size_t feed = span_find(tail, SPAN("\n"), 0);
    if (feed < tail.len / 4)
        tail = span_slice(tail, feed + 1, tail.len);
    return tail;
}

static void write_situation(const struct simuser *u, const struct simuser_ask *ask, bool retry,
                            struct buf *out)
{
    bool asked = span_has(ask->agent_text, SPAN("?"));
    buf_text(out, "The conversation so far:\n");
    buf_span_add(out, newest(ask->transcript));
    if (retry) {
        buf_text(out, "\nWrite the human's next line, one or two short sentences in the human's "
                      "own words.");
        if (asked)
            buf_text(out, " Answer the assistant's question.");
        return;
    }
    buf_text(out, "\nThe human came with this: ");
    buf_span_add(out, utf8_head(ask->need, SIMUSER_NEED));
    buf_byte(out, '\n');
    simuser_notes(ask->task, ask->need, out);
    if (u->tools.len) {
        buf_text(out, "\nThe assistant works with: ");
        buf_span_add(out, buf_span(&u->tools));
    }
    buf_byte(out, '\n');
    if (asked)
        buf_text(out, "Answer the question with one detail; a yes or no will do when the "
                      "assistant wants a confirmation. ");
    if (ask->forced)
        buf_text(out, "The matter is still open: add one fact that is new. ");
    buf_text(out, "What does the human say next?");
}

static void write_message(struct json_writer *w, const char *role, struct span content)
{
    json_write_object(w);
    json_write_key(w, "role");
    json_write_text(w, role);
    json_write_key(w, "content");
    json_write_span(w, content);
    json_write_end_object(w);
}

/* One request with a system and a user message. */
static int ask_model(const struct simuser *u, const struct simuser_ask *ask, struct buf *rules,
                     struct buf *situation, struct chat_request *request, struct chat_reply *reply,
                     struct rollout *out, struct error *error)
{
    struct buf messages = {0};
    struct json_writer w;
    struct json_fault fault;
    json_write_start(&w, &messages, JSON_STYLE_COMPACT);
    json_write_array(&w);
    if (rules->len)
        write_message(&w, "system", buf_span(rules));
    write_message(&w, "user", buf_span(situation));
    json_write_end_array(&w);
    json_scan(buf_span(&messages), &request->messages, NULL, &fault);
    request->scope = ask->scope;
    request->item = ask->task->ordinal;
    request->call = (*ask->call)++;
    int code = model_chat(u->model, request, reply, error);
    rollout_count_call(&out->counts.user, reply);
    buf_free(&messages);
    return code;
}

/* ---- the reply ------------------------------------------------------------------------------- */

/* What was said, thoughts aside; counts them. */
static struct span spoken_of(const struct chat_reply *reply, struct rollout *out, bool *thought,
                             struct buf *scratch)
{
    const struct chat_choice *choice = &reply->choices[0];
    struct span said = choice->content;
    struct text_reasoning r = text_split_reasoning(said.ptr ? said : SPAN(""), scratch);
    *thought = r.closed > 0 || r.unclosed;
    out->counts.user_turns++;
    out->counts.stripped += *thought;
    out->counts.unclosed += r.unclosed;
    struct span spoken = text_strip(r.spoken);
    bool cut = choice->finish.ptr && span_is(choice->finish, "length");
    return cut ? markup_trim_cut(spoken) : spoken;
}

static bool usable(const struct simuser_ask *ask, struct span spoken, struct buf *line)
{
    buf_clear(line);
    person_scrub(spoken, line);
    simuser_texture(simuser_typing(ask->task, ask->need), line);
    return line->len && person_accepts(buf_span(line), ask->prior, ask->agent_text) &&
           !person_repeats(buf_span(line), ask->said, ask->n_said);
}

/* One attempt. thought: the reply was thoughts with hardly a word behind them. */
static enum simuser_result attempt(const struct simuser *u, const struct simuser_ask *ask,
                                   bool retry, struct chat_reply *reply, struct buf *line,
                                   bool *thought, struct rollout *out)
{
    bool asked = span_has(ask->agent_text, SPAN("?"));
    struct buf rules = {0}, situation = {0};
    struct error error = {0};
    struct chat_request request = {
        .temperature = isnan(u->temperature) ? SIMUSER_LINE_TEMPERATURE : u->temperature,
        .max_tokens = retry ? SIMUSER_RETRY_TOKENS : SIMUSER_LINE_TOKENS,
        .timeout_s =
            fmax(asked ? SIMUSER_ASKED_S : SIMUSER_LEAST_S, fmin(SIMUSER_MOST_S, u->timeout_s / 2)),
    };
    write_rules(u, ask, &rules);
    write_situation(u, ask, retry, &situation);
    int code = ask_model(u, ask, &rules, &situation, &request, reply, out, &error);
    buf_free(&rules);
    buf_free(&situation);
    *thought = false;
    if (code < 0 && chat_failure_is_final(reply->failure)) {
        rollout_call_failed(out, reply->failure, &error);
        return SIMUSER_FAILED;
    }
    if (code < 0)
        return SIMUSER_NOTHING;
    struct span content = reply->choices[0].content;
    struct buf scratch = {0};
    struct span spoken = spoken_of(reply, out, thought, &scratch);
    *thought = *thought && utf8_length(spoken) < SIMUSER_SPOKEN;
    enum simuser_result result = SIMUSER_NOTHING;
    if (content.ptr && person_left(content))
        result = SIMUSER_LEFT;
    else if (!*thought && usable(ask, spoken, line))
        result = SIMUSER_LINE;
    buf_free(&scratch);
    return result;
}

enum simuser_result simuser_next(const struct simuser *u, const struct simuser_ask *ask,
                                 struct chat_reply *reply, struct buf *line, struct rollout *out)
{
    bool asked = span_has(ask->agent_text, SPAN("?")), thought, thoughtful = false;
    int tries = ask->forced ? 3 : asked ? 2 : 1;
    for (int i = 0; i < tries; i++) {
        enum simuser_result result = attempt(u, ask, i > 0, reply, line, &thought, out);
        if (result != SIMUSER_NOTHING)
            return result;
        if (thought && !thoughtful) {
            thoughtful = true;
            tries++;
        }
    }
    return SIMUSER_NOTHING;
}

/* ---- a tool that is a person (world 9.6) ----------------------------------------------------- */

static const struct {
    const char *stance, *posture;
} POSTURES[] = {
    {"mistaken", "You are wrong about one fact and do not know it."},
    {"unsure", "You are not sure and say so."},
    {"hurried", "You are in a hurry."},
    {"retry", "You have asked for this before and it did not work."},
    {"contradicts_earlier", "What you say now differs from what you said first."},
    {"ambiguous", "You leave open which of two things you mean."},
    {"exploratory", "You are only finding out what is possible."},
    {"adversarial", "You try to get more than you are entitled to."},
};

static void write_posture(const struct simuser_ask *ask, struct buf *out)
{
    struct span stance = simuser_tag(ask->task, "stance");
    buf_text(out, "You are the person whom an assistant works for, and it turns to you with a "
                  "question. Answer in one or two short lines: approve, refuse, correct, or give "
                  "the detail that is asked for. Never say or hint that you are simulated.");
    for (size_t i = 0; i < sizeof POSTURES / sizeof *POSTURES; i++)
        if (span_is(stance, POSTURES[i].stance))
            buf_format(out, " %s", POSTURES[i].posture);
}

bool simuser_answer(const struct simuser *u, const struct simuser_ask *ask, struct span question,
                    struct chat_reply *reply, struct buf *answer, struct rollout *out)
{
    struct buf rules = {0}, situation = {0}, scratch = {0}, plain = {0};
    struct error error = {0};
    bool thought;
    struct chat_request request = {
        .temperature = isnan(u->temperature) ? SIMUSER_ANSWER_TEMPERATURE : u->temperature,
        .max_tokens = SIMUSER_ANSWER_TOKENS,
        .timeout_s = u->timeout_s,
    };
    buf_clear(answer);
    write_posture(ask, &rules);
    buf_text(&situation, "You had asked: ");
    buf_span_add(&situation, ask->need);
    buf_text(&situation, "\nThe assistant's question: ");
    buf_span_add(&situation, question);
    int code = ask_model(u, ask, &rules, &situation, &request, reply, out, &error);
    if (code < 0) {
        rollout_call_failed(out, reply->failure, &error);
    } else {
        struct span spoken = spoken_of(reply, out, &thought, &scratch);
        if (!thought || utf8_length(spoken) >= SIMUSER_SPOKEN)
            buf_span_add(answer, markup_strip(spoken, &plain));
    }
    buf_free(&rules);
    buf_free(&situation);
    buf_free(&scratch);
    buf_free(&plain);
    return code == 0;
}
