/* post.c: an agent behind a web service (world 14.2): the start line is posted, and the reply is a
 * done line, or calls with a state that comes back with their results in the next request. A key goes
 * along only when --agent-key-env names its variable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/answer.h"
#include "agent/defaults.h"
#include "agent/dialogue.h"
#include "agent/program.h"
#include "agent/protocol.h"
#include "agent/start_line.h"
#include "net/credentials.h"
#include "text/fold.h"
#include "text/term.h"

struct post_agent {
    struct agent agent;
    const struct agent_setting *setting;
    const char *url; /* borrowed */
    struct buf host; /* for messages */
    struct buf authorization;
    struct start_line start;
    struct dialogue_setting dialogue;
    double timeout_s;
    int64_t max_requests;
};

struct post_worker {
    struct answerer *world;
    struct dialogue dialogue;
    struct http_reply reply;
    struct arena arena;
    struct buf id, body, results, text, scratch, said;
};

/* ---- one exchange ---------------------------------------------------------------------------- */

/* The beginning of what the server said, in one line. */
static void add_words(const struct post_worker *w, struct buf *out)
{
    struct span body = text_strip(buf_span(&w->reply.body));
    if (!body.len)
        return;
    buf_text(out, ": ");
    term_add_head(out, body, AGENT_POST_WORDS);
}

static void lose_reply(const struct post_agent *a, const struct post_worker *w, const char *what,
                       struct rollout *out)
{
    struct buf words = {0};
    add_words(w, &words);
    rollout_fail(out, "%.*s %s%s", (int)a->host.len, a->host.data, what, buf_cstr(&words));
    buf_free(&words);
}

static void refuse_status(const struct post_agent *a, const struct post_worker *w,
                          struct rollout *out)
{
    int status = w->reply.status;
    char what[120];
    snprintf(what, sizeof what, "%s (%d)",
             status == 401 || status == 403
                 ? (a->authorization.len ? "refuses the key of --agent-key-env"
                                         : "asks for a key; name its variable with --agent-key-env")
             : http_status_passing(status) ? "is still failing after its retries"
                                           : "refuses the request",
             status);
    lose_reply(a, w, what, out);
    if (status == 401 || status == 403)
        out->failure = ROLLOUT_AUTH;
    else if (status == 404 || status == 405 || status == 410 || status == 501)
        out->failure = ROLLOUT_STRIKE;
}

/* Sends the body. false: the rollout is lost. */
static bool exchange(const struct post_agent *a, struct post_worker *w, double left_s,
                     struct rollout *out)
{
    struct error error = {0};
    const struct http_header headers[] = {
        {"Content-Type", SPAN("application/json"), false},
        {"Authorization", buf_span(&a->authorization), true},
    };
    const struct http_request request = {
        .url = span_text(a->url),
        .headers = headers,
        .n_headers = a->authorization.len ? 2 : 1,
        .has_body = true,
        .body = buf_span(&w->body),
        .timeout_s = left_s,
        .response_max = CHILD_LINE_MAX,
        .redirect = HTTP_REDIRECT_ORIGIN,
    };
    const struct model_settings *access = &a->setting->talk.access;
    const struct cassette_request recorded = {.spec = a->agent.version,
                                              .method = "POST",
                                              .scope = w->dialogue.scope.data,
                                              .url = request.url,
                                              .body = request.body};
    bool missing = false;
    if (access->cassette)
        cassette_send(access->cassette, &recorded, access->http, &request, &w->reply, &missing,
                      &error);
    else
        http_send(access->http, &request, &w->reply, &error);
    if (missing) {
        rollout_fail(out, "%s", error.text);
        out->failure = ROLLOUT_REPLAY;
        return false;
    }
    out->counts.agent.calls++;
    out->counts.agent.retries += w->reply.retries;
    switch (w->reply.failure) {
    case HTTP_OK:
        if (w->reply.status >= 200 && w->reply.status < 300)
            return true;
        refuse_status(a, w, out);
        return false;
    case HTTP_CANCELLED: out->fate = ROLLOUT_DROPPED; return false;
    default:
        rollout_fail(out, "%s", error.text);
        if (w->reply.failure == HTTP_TIMED_OUT) {
            rollout_fail(out, "no reply from %.*s in the %g s of a rollout", (int)a->host.len,
                         a->host.data, a->timeout_s);
            out->failure = ROLLOUT_TIMED_OUT;
        } else if (w->reply.failure == HTTP_UNTRUSTED || w->reply.failure == HTTP_REFUSED)
            out->failure = ROLLOUT_STRIKE;
        return false;
    }
}

/* ---- what comes back ------------------------------------------------------------------------- */

/* One call: answered, recorded, its result among those of the next request. */
static const char *do_call(struct post_worker *w, struct json_value call, struct rollout *out)
{
    struct json_value tool, arguments = {0}, id = {0}, text = {0};
    if (!json_get(call, SPAN("tool"), &tool) || tool.type != JSON_VALUE_STRING)
        return "sent a call without the name of a tool";
    json_get(call, SPAN("arguments"), &arguments);
    json_get(call, SPAN("call"), &id);
    json_get(call, SPAN("text"), &text);
    arena_clear(&w->arena);
    struct span name = json_text(tool, &w->scratch);
    struct answer answer = answerer_call(
        w->world, name, arguments.text.ptr ? node_parse(&w->arena, arguments) : NULL, out);
    const struct dialogue_step step = {
        .tool = name,
        .arguments = arguments.text.ptr ? arguments.text : SPAN("{}"),
        .result = answer.json,
        .text = text.type == JSON_VALUE_STRING ? json_text(text, &w->said) : SPAN(""),
    };
    buf_text(&w->results, w->results.len ? ",{\"call\":" : "{\"call\":");
    if (id.text.ptr)
        buf_span_add(&w->results, id.text);
    else
        buf_format(&w->results, "%zu", w->dialogue.n_steps);
    buf_text(&w->results, ",\"result\":");
    buf_span_add(&w->results, answer.json);
    buf_byte(&w->results, '}');
    dialogue_call(&w->dialogue, &step);
    return NULL;
}

static void next_body(struct post_worker *w, struct json_value state)
{
    buf_clear(&w->body);
    buf_text(&w->body, "{\"id\":");
    json_quote(&w->body, buf_span(&w->id));
    buf_text(&w->body, ",\"results\":[");
    buf_span_add(&w->body, buf_span(&w->results));
    buf_text(&w->body, "],\"state\":");
    buf_span_add(&w->body, state.text.ptr ? state.text : SPAN("null"));
    buf_byte(&w->body, '}');
}

/* Calls to answer; true: there is another request to send. */
static bool do_calls(const struct post_agent *a, struct post_worker *w, struct json_value reply,
                     struct json_value calls, struct rollout *out)
{
    struct json_cursor c = json_enter(calls);
    struct json_value call, state = {0};
    const char *what = NULL;
    buf_clear(&w->results);
    json_get(reply, SPAN("state"), &state);
    while (!what && json_next_item(&c, &call))
        what =
            out->steps.len > AGENT_ROLLOUT_MAX ? "sends calls without end" : do_call(w, call, out);
    if (what)
        lose_reply(a, w, what, out);
    else
        next_body(w, state);
    return !what;
}

static void done(struct post_worker *w, const struct agent_line *line, struct rollout *out)
{
    bool ignored, recorded = w->dialogue.n_steps > 0;
    if (line->says == AGENT_SAYS_ERROR) {
        rollout_fail_by_word(out, line->text);
        return;
    }
    if (agent_done_read(line->done, recorded, out, &ignored))
        out->counts.steps_ignored += ignored;
    if (recorded)
        dialogue_close(&w->dialogue);
}

/* One reply. true: there is another request to send. */
static bool handle(const struct post_agent *a, struct post_worker *w, struct rollout *out)
{
    struct agent_line line;
    struct json_value calls;
    buf_clear(&w->text);
    agent_line_read(buf_span(&w->reply.body), &line);
    if (line.says == AGENT_SAYS_NOTHING && !line.done.text.ptr) {
        lose_reply(a, w, "sent what is no JSON", out);
        return false;
    }
    json_compact(line.done.text, &w->text); /* it may stand on many lines */
    agent_line_read(buf_span(&w->text), &line);
    bool words = line.says == AGENT_SAYS_DONE && json_get(line.done, SPAN("final_text"), &calls);
    if (!words && json_get(line.done, SPAN("calls"), &calls) && calls.type == JSON_VALUE_ARRAY &&
        json_count(calls))
        return do_calls(a, w, line.done, calls, out);
    if (line.says == AGENT_SAYS_NOTHING)
        lose_reply(a, w, "sent neither a done line nor calls", out);
    else
        done(w, &line, out);
    return false;
}

/* ---- the kind -------------------------------------------------------------------------------- */

static void play_post(struct agent *agent, void *worker, const struct agent_task *task,
                      struct rollout *out)
{
    struct post_agent *a = (struct post_agent *)agent;
    struct post_worker *w = worker;
    double left_s = a->timeout_s;
    bool more = true;
    buf_clear(&w->id);
    buf_clear(&w->body);
    agent_task_id(task, &w->id);
    dialogue_start(&w->dialogue, &a->dialogue, task, out);
    answerer_start(w->world, task, buf_span(&w->id));
    start_line_write(&a->start, task, buf_span(&w->id), w->dialogue.turns, w->dialogue.n_turns,
                     &w->body);
    for (int64_t n = 0; more && n < a->max_requests; n++) {
        more = exchange(a, w, fmax(left_s, AGENT_LEAST_S), out) && handle(a, w, out);
        left_s -= w->reply.ms / 1000;
    }
    if (more)
        rollout_fail(out, "%.*s still calls tools after %lld requests; raise --max-turns",
                     (int)a->host.len, a->host.data, (long long)a->max_requests);
    out->turns_played = false;
    answerer_end(w->world);
}

static void *post_worker(struct agent *agent)
{
    struct post_agent *a = (struct post_agent *)agent;
    struct post_worker *w = mem_zero(1, sizeof *w);
    w->world = answerer_new(a->setting);
    return w;
}

static void post_worker_free(void *worker)
{
    struct post_worker *w = worker;
    struct buf *all[] = {&w->id, &w->body, &w->results, &w->text, &w->scratch, &w->said};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
    answerer_free(w->world);
    dialogue_free(&w->dialogue);
    http_reply_free(&w->reply);
    arena_free(&w->arena);
    free(w);
}

static void close_post(struct agent *agent)
{
    struct post_agent *a = (struct post_agent *)agent;
    start_line_free(&a->start);
    if (a->authorization.data)
        explicit_bzero(a->authorization.data, a->authorization.len);
    buf_free(&a->authorization);
    buf_free(&a->host);
    free(a);
}

static int read_key(struct post_agent *a, struct error *error)
{
    const char *name = a->setting->talk.access.key_env;
    struct span value;
    if (!name || !*name)
        return 0;
    if (!environment_value(name, &value))
        return error_set(
            error, ERROR_REMOTE,
            "--agent-key-env: the variable %s is not set; export it with the key of %.*s", name,
            (int)a->host.len, a->host.data);
    buf_text(&a->authorization, "Bearer ");
    buf_span_add(&a->authorization, value);
    return 0;
}

struct agent *agent_post_open(const char *url, const struct agent_setting *setting,
                              struct error *error)
{
    const struct agent_program *p = &setting->program;
    const struct agent_talk *talk = &setting->talk;
    struct url parsed;
    if (url_parse(span_text(url), &parsed, error)) {
        error_prefix(error, "--agent post:");
        return NULL;
    }
    struct post_agent *a = mem_zero(1, sizeof *a);
    a->setting = setting;
    a->url = url;
    url_host_add(&parsed, &a->host);
    a->timeout_s = p->timeout_s > 0 ? p->timeout_s : AGENT_TIMEOUT_S;
    a->max_requests = talk->max_turns > 0 ? talk->max_turns
                                          : turn_cap(AGENT_WINDOW, (int64_t)setting->tools->count);
    a->dialogue = (struct dialogue_setting){.max_turns = a->max_requests, .all_turns = true};
    a->agent = (struct agent){.kind = &AGENT_POST,
                              .version = "post",
                              .uses_world = true,
                              .waits = true,
                              .most = answers_most(setting->answers),
                              .max_turns = a->max_requests,
                              .temperature = NAN,
                              .timeout_s = a->timeout_s,
                              .own_clock = true};
    start_line_open(&a->start, setting);
    if (read_key(a, error) == 0) {
        a->agent.version = buf_cstr(&a->host);
        return &a->agent;
    }
    close_post(&a->agent);
    return NULL;
}

const struct agent_kind AGENT_POST = {
    .prefix = "post:",
    .help = "post:URL",
    .worker = post_worker,
    .worker_free = post_worker_free,
    .play = play_post,
    .close = close_post,
};
