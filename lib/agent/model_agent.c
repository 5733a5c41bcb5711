/* model_agent.c: a model plays (world 8): a fresh conversation for each rollout, a world answers its
 * calls, the simulated person speaks. A bare address plays the same way as a service that is
 * deployed (world 14.1): scripted turns only, and every reply without a call is one to the person. */
#include <math.h>
#include <stdlib.h>

#include "agent/answer.h"
#include "agent/defaults.h"
#include "agent/dialogue.h"
#include "agent/fate.h"
#include "model/defaults.h"
#include "model/markup.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "text/utf8.h"

struct model_agent {
    struct agent agent;
    const struct agent_setting *setting;
    struct model *model, *person_model; /* the same, or one of its own */
    bool deployed; /* a service as it is: nobody plays the person (world 14.1) */
    struct simuser person;
    struct dialogue_setting dialogue;
    struct buf system; /* policy and scaffold */
    struct buf tools;  /* a JSON array of them; empty: none */
    struct json_value tool_list;
    double temperature, timeout_s;
    int64_t reply_tokens;
};

/* What one thread keeps. */
struct talker {
    struct answerer *world;
    struct arena arena; /* of one turn */
    struct dialogue dialogue;
    struct chat_reply reply;
    struct buf messages; /* the array, its end open */
    struct buf facts, content, scratch, spoken, arguments, result;
    int64_t replies; /* asked for, when the person has a model of its own */
    int64_t max_tokens_sent;
};

/* ---- opening --------------------------------------------------------------------------------- */

static void write_tools(struct model_agent *a)
{
    const struct row_tools *tools = a->setting->tools;
    struct json_fault fault;
    if (!tools->count)
        return;
    row_tools_join(tools, &a->tools);
    json_scan(buf_span(&a->tools), &a->tool_list, NULL, &fault);
}

static void write_system(struct model_agent *a)
{
    buf_span_add(&a->system, a->setting->policy);
    if (!a->setting->scaffold.len)
        return;
    buf_text(&a->system, a->system.len ? "\n\n" : "");
    buf_span_add(&a->system, a->setting->scaffold);
}

static void resolve(struct model_agent *a)
{
    const struct agent_talk *t = &a->setting->talk;
    int64_t window = model_context(a->model, NULL);
    a->temperature = !isnan(t->temperature) ? t->temperature
                     : a->deployed          ? TALK_DEPLOYED_TEMPERATURE
                                            : TALK_TEMPERATURE;
    a->reply_tokens = t->reply_tokens              ? t->reply_tokens
                      : a->deployed                ? TALK_REPLY_DEPLOYED
                      : window > TALK_WINDOW_LARGE ? TALK_REPLY_LARGE
                                                   : TALK_REPLY;
    a->timeout_s = t->timeout_s > 0
                       ? t->timeout_s
                       : fmax(CHAT_TIMEOUT_S, (double)a->reply_tokens * CHAT_SECONDS_PER_TOKEN);
    a->dialogue = (struct dialogue_setting){
        .max_turns =
            t->max_turns > 0 ? t->max_turns : turn_cap(window, (int64_t)a->setting->tools->count),
        .min_user_turns = t->min_user_turns,
        .avg_turns = t->avg_turns,
        .patience = t->patience,
        .person = a->deployed ? NULL : &a->person,
        .speaks_up = a->deployed,
        .all_turns = a->deployed,
    };
}

static void close_model(struct agent *agent)
{
    struct model_agent *a = (struct model_agent *)agent;
    simuser_free(&a->person);
    if (a->person_model != a->model)
        model_close(a->person_model);
    model_close(a->model);
    buf_free(&a->system);
    buf_free(&a->tools);
    free(a);
}

struct agent *agent_model_open(const char *spec, const struct agent_setting *setting,
                               struct error *error)
{
    const char *user = setting->talk.user_model;
    bool deployed = agent_is_service(spec);
    if (deployed && !setting->tools->count) {
        error_set(error, ERROR_USAGE,
                  "a deployed agent needs tools to be played with; give --tools FILE");
        return NULL;
    }
    struct model_agent *a = mem_zero(1, sizeof *a);
    a->setting = setting;
    a->deployed = deployed;
    a->model = a->person_model = model_open(spec, &setting->talk.access, error);
    if (a->model && user && !deployed && strcmp(user, spec) != 0)
        a->person_model = simuser_model(&setting->talk, error);
    if (!a->model || !a->person_model) {
        close_model(&a->agent);
        return NULL;
    }
    resolve(a);
    write_tools(a);
    write_system(a);
    simuser_open(&a->person, a->person_model, setting, a->timeout_s);
    a->agent = (struct agent){
        .kind = &AGENT_MODEL,
        .version = model_name(a->model),
        .user_model = deployed ? NULL : model_name(a->person_model),
        .uses_world = true,
        .waits = true,
        .scaffolded = true,
        .max_turns = a->dialogue.max_turns,
        .temperature = a->temperature,
        .timeout_s = a->timeout_s,
    };
    return &a->agent;
}

static void *new_talker(struct agent *agent)
{
    struct model_agent *a = (struct model_agent *)agent;
    struct talker *t = mem_zero(1, sizeof *t);
    t->world = answerer_new(a->setting);
    return t;
}

static void free_talker(void *worker)
{
    struct talker *t = worker;
    struct buf *all[] = {&t->messages, &t->facts,     &t->content, &t->scratch,
                         &t->spoken,   &t->arguments, &t->result};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
    answerer_free(t->world);
    dialogue_free(&t->dialogue);
    chat_reply_free(&t->reply);
    arena_free(&t->arena);
    free(t);
}

/* ---- the conversation ------------------------------------------------------------------------ */

static void add_message(struct talker *t, const char *role, struct span content)
{
    struct buf *b = &t->messages;
    buf_text(b, b->len > 1 ? ",{\"role\":\"" : "{\"role\":\"");
    buf_text(b, role);
    buf_text(b, "\",\"content\":");
    json_quote(b, content);
    buf_byte(b, '}');
}

static void add_tool_message(struct talker *t, struct span id, struct span result)
{
    struct buf *b = &t->messages;
    buf_text(b, ",{\"role\":\"tool\",\"tool_call_id\":");
    json_quote(b, id);
    buf_text(b, ",\"content\":");
    json_quote(b, result);
    buf_byte(b, '}');
}

static void add_calls_message(struct talker *t, const struct chat_choice *choice,
                              const struct span *content)
{
    struct json_writer w;
    buf_byte(&t->messages, ',');
    json_write_start(&w, &t->messages, JSON_STYLE_COMPACT);
    chat_message_write(choice, content, &w);
}

/* One reply to the messages so far. false: the rollout has failed. */
static bool complete(struct model_agent *a, struct talker *t, int64_t max_tokens, bool tools,
                     struct rollout *out)
{
    struct error error = {0};
    struct json_fault fault;
    bool shared = a->model == a->person_model;
    struct chat_request request = {
        .temperature = a->temperature,
        .max_tokens = max_tokens,
        .logprobs = tools ? a->setting->talk.logprobs : CHAT_LOGPROBS_NONE,
        .timeout_s = a->timeout_s,
        .has_seed = true,
        .seed = t->dialogue.task->run_seed,
        .stream = a->setting->talk.stream,
        .scope = t->dialogue.scope.data,
        .item = t->dialogue.task->ordinal,
        .call = shared ? t->dialogue.replies++ : t->replies++,
    };
    if (tools)
        request.tools = a->tool_list;
    buf_byte(&t->messages, ']');
    json_scan(buf_span(&t->messages), &request.messages, NULL, &fault);
    int code = model_chat(a->model, &request, &t->reply, &error);
    t->messages.len--;
    rollout_count_call(&out->counts.agent, &t->reply);
    out->counts.logprobs_dropped +=
        code == 0 && request.logprobs != CHAT_LOGPROBS_NONE && !t->reply.choices[0].has_logprobs;
    if (code < 0)
        rollout_call_failed(out, t->reply.failure, &error);
    else if (!t->max_tokens_sent)
        t->max_tokens_sent = t->reply.max_tokens_sent ? t->reply.max_tokens_sent : max_tokens;
    return code == 0;
}

static struct span choice_content(const struct chat_choice *choice)
{
    return choice->content.ptr ? choice->content : SPAN("");
}

/* Words without thoughts and call markup, trimmed, in t->spoken. */
static struct span spoken_of(struct talker *t, struct span content)
{
    struct span spoken = text_split_reasoning(content, &t->content).spoken;
    spoken = markup_strip(spoken, &t->scratch);
    buf_clear(&t->spoken);
    buf_span_add(&t->spoken, text_strip(spoken));
    return buf_span(&t->spoken);
}

/* ---- facts of a turn (world 8.7) ------------------------------------------------------------- */

static void fact(struct talker *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fact(struct talker *t, const char *format, ...)
{
    va_list args;
    if (t->facts.len)
        buf_byte(&t->facts, ',');
    va_start(args, format);
    buf_vformat(&t->facts, format, args);
    va_end(args);
}

static void logprob_facts(struct talker *t, const struct chat_choice *choice)
{
    struct json_writer w;
    json_write_start(&w, &t->facts, JSON_STYLE_COMPACT);
    if (!choice->has_logprobs)
        return;
    fact(t, "\"logprob\":");
    json_write_real(&w, choice->logprob_sum);
    fact(t, "\"n_tokens\":%zu", choice->n_logprobs);
    if (!choice->logprobs)
        return;
    fact(t, "\"token_logprobs\":");
    json_write_start(&w, &t->facts, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < choice->n_logprobs; i++)
        json_write_real(&w, choice->logprobs[i]);
    json_write_end_array(&w);
}

/* What the step shows of how the reply ended, when it is neither the usual end nor a cut. */
static void finish_fact(struct talker *t, struct span finish)
{
    static const char *const USUAL[] = {"stop",   "tool_calls", "function_call",
                                        "length", "eos_token",  ""};
    for (size_t i = 0; i < sizeof USUAL / sizeof *USUAL; i++)
        if (!finish.ptr || span_is(finish, USUAL[i]))
            return;
    fact(t, "\"finish_reason\":");
    json_quote(&t->facts, finish);
}

static void turn_facts(struct talker *t, const struct chat_choice *choice, size_t trimmed)
{
    const struct chat_reply *r = &t->reply;
    buf_clear(&t->facts);
    logprob_facts(t, choice);
    if (choice->finish.ptr && span_is(choice->finish, "length"))
        fact(t, "\"truncated\":true");
    if (trimmed)
        fact(t, "\"trimmed_chars\":%zu", trimmed);
    if (r->cut)
        fact(t,
             "\"prompt_truncated\":{\"context_tokens\":%lld,\"prompt_chars\":%lld,"
             "\"prompt_chars_sent\":%lld,\"max_tokens_asked\":%lld,\"max_tokens_sent\":%lld}",
             (long long)r->what_cut.context_tokens, (long long)r->what_cut.prompt_chars,
             (long long)r->what_cut.prompt_chars_sent, (long long)r->what_cut.max_tokens_asked,
             (long long)r->what_cut.max_tokens_sent);
    if (r->has_usage && r->input_tokens >= 0)
        fact(t, "\"input_tokens\":%lld", (long long)r->input_tokens);
    if (r->has_usage && r->output_tokens >= 0)
        fact(t, "\"output_tokens\":%lld", (long long)r->output_tokens);
    finish_fact(t, choice->finish);
}

/* A reply cut by its budget ends with its last whole sentence, unless its tokens are kept (D7). */
static struct span trim_cut(struct talker *t, const struct chat_choice *choice, struct span spoken,
                            size_t *trimmed)
{
    *trimmed = 0;
    if (choice->has_logprobs || !choice->finish.ptr || !span_is(choice->finish, "length"))
        return spoken;
    struct span kept = markup_trim_cut(spoken);
    *trimmed = utf8_length(spoken) - utf8_length(kept);
    (void)t;
    return kept;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The arguments as a value; NULL: they are no JSON, and count as {}. */
static const struct node *read_arguments(struct talker *t, struct span text)
{
    struct json_value value;
    struct json_fault fault;
    return json_scan(text, &value, NULL, &fault) == 0 ? node_parse(&t->arena, value) : NULL;
}

/* One call: answered, recorded, told to the model. */
static bool do_call(struct model_agent *a, struct talker *t, const struct chat_call *call,
                    struct span text, struct span facts)
{
    const struct node *arguments = read_arguments(t, call->arguments);
    struct buf own = {0};
    buf_span_add(&own, facts);
    buf_clear(&t->arguments);
    buf_clear(&t->result);
    buf_clear(&t->content);
    if (arguments) {
        node_json(arguments, false, &t->arguments);
    } else {
        buf_text(&t->arguments, "{}");
        if (text_strip(call->arguments).len) {
            buf_text(&own, own.len ? ",\"arguments_raw\":" : "\"arguments_raw\":");
            json_quote(&own, call->arguments);
        }
    }
    bool good = true;
    if (dialogue_is_human(&t->dialogue, a->setting->tools, call->name)) {
        const struct node *result = dialogue_ask(&t->dialogue, arguments, &t->arena);
        if ((good = result != NULL)) {
            node_json(result, false, &t->result);
            node_json(result, true, &t->content);
        }
    } else {
        struct answer answer = answerer_call(t->world, call->name, arguments, t->dialogue.out);
        buf_span_add(&t->result, answer.json);
        node_json(answer.node, true, &t->content);
    }
    if (good) {
        struct dialogue_step step = {call->name, buf_span(&t->arguments), buf_span(&t->result),
                                     text, buf_span(&own)};
        dialogue_call(&t->dialogue, &step);
        add_tool_message(t, call->id, buf_span(&t->content));
    }
    buf_free(&own);
    return good;
}

static bool do_calls(struct model_agent *a, struct talker *t, struct chat_choice *choice,
                     bool in_text, struct span spoken, struct rollout *out)
{
    struct span content = {NULL, 0}, *own = NULL;
    if (in_text) { /* the content without the calls' markup; null when nothing is left */
        struct span rest = markup_strip(choice_content(choice), &t->scratch);
        content = rest.len ? rest : content;
        own = &content;
    }
    add_calls_message(t, choice, own);
    out->counts.many_calls += choice->n_calls > TALK_MANY_CALLS;
    for (size_t i = 0; i < choice->n_calls; i++)
        if (!do_call(a, t, &choice->calls[i], i ? SPAN("") : spoken,
                     i ? SPAN("") : buf_span(&t->facts)))
            return false;
    dialogue_called(&t->dialogue);
    return true;
}

/* ---- a rollout ------------------------------------------------------------------------------- */

static const char GREET[] =
    "(The conversation opens. Greet the person in one short line and ask what they need.)";

/* The agent speaks first (world 8.1). */
static bool greet(struct model_agent *a, struct talker *t, struct rollout *out)
{
    size_t before = t->messages.len;
    add_message(t, "user", span_text(GREET));
    bool good = complete(a, t, TALK_OPENER, false, out);
    t->messages.len = before;
    t->max_tokens_sent = 0;
    if (!good)
        return false;
    struct span spoken = spoken_of(t, choice_content(&t->reply.choices[0]));
    if (spoken.len) {
        buf_span_add(&out->opener, spoken);
        add_message(t, "assistant", spoken);
    }
    return true;
}

static bool begin(struct model_agent *a, struct talker *t, const struct agent_task *task,
                  struct rollout *out)
{
    struct dialogue *d = &t->dialogue;
    dialogue_start(d, &a->dialogue, task, out);
    answerer_start(t->world, task, (struct span){0});
    t->replies = t->max_tokens_sent = 0;
    buf_clear(&t->messages);
    buf_byte(&t->messages, '[');
    if (a->system.len)
        add_message(t, "system", buf_span(&a->system));
    if (!a->deployed && turn_agent_opens(task->prompt, a->setting->talk.opening) &&
        !greet(a, t, out))
        return false;
    add_message(t, "user", d->turns[0]);
    return true;
}

/* The agent's turn. false: the talk is over, or has failed. */
static bool turn(struct model_agent *a, struct talker *t, struct rollout *out)
{
    struct dialogue *d = &t->dialogue;
    size_t trimmed;
    if (!complete(a, t, a->reply_tokens, true, out))
        return false;
    arena_clear(&t->arena);
    struct chat_choice choice = t->reply.choices[0];
    struct span content = choice_content(&choice), spoken = spoken_of(t, content);
    bool in_text = choice.n_calls == 0;
    if (in_text)
        choice.n_calls = markup_calls(&t->arena, content, &choice.calls);
    if (choice.n_calls) {
        turn_facts(t, &choice, 0);
        dialogue_heard(d, spoken);
        return do_calls(a, t, &choice, in_text, spoken, out);
    }
    spoken = trim_cut(t, &choice, spoken, &trimmed);
    turn_facts(t, &choice, trimmed);
    dialogue_heard(d, spoken);
    if (!spoken.len)
        return !a->deployed; /* it is asked again while turns are left */
    enum dialogue_next next = dialogue_said(d, spoken, buf_span(&t->facts));
    if (next == DIALOGUE_AGAIN || next == DIALOGUE_USER)
        add_message(t, "assistant", spoken);
    if (next == DIALOGUE_USER)
        add_message(t, "user", buf_span(&d->line));
    return next == DIALOGUE_AGAIN || next == DIALOGUE_USER;
}

static void write_sampling(const struct model_agent *a, const struct talker *t, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "temperature");
    json_write_real(&w, a->temperature);
    json_write_key(&w, "max_tokens");
    json_write_int(&w, t->max_tokens_sent);
    json_write_key(&w, "model");
    json_write_text(&w, model_name(a->model));
    json_write_end_object(&w);
}

static void play_model(struct agent *agent, void *worker, const struct agent_task *task,
                       struct rollout *out)
{
    struct model_agent *a = (struct model_agent *)agent;
    struct talker *t = worker;
    arena_clear(&t->arena);
    bool going = begin(a, t, task, out);
    while (going && dialogue_turn(&t->dialogue))
        going = turn(a, t, out);
    answerer_end(t->world);
    if (out->fate != ROLLOUT_DONE)
        return;
    if (a->deployed) { /* whatever was said last */
        buf_span_add(&out->final_text, buf_span(&t->dialogue.final));
        dialogue_close(&t->dialogue);
    } else {
        dialogue_finish(&t->dialogue);
    }
    write_sampling(a, t, &out->sampling);
}

const struct agent_kind AGENT_MODEL = {
    .prefix = "",
    .help = "a model (openai:NAME, anthropic:NAME, vllm:NAME@URL, …)",
    .worker = new_talker,
    .worker_free = free_talker,
    .play = play_model,
    .close = close_model,
};
