/* answer.c: see answer.h. */
#include "agent/answer.h"

#include <stdlib.h>

#include "agent/defaults.h"
#include "agent/protocol.h"
#include "text/digest.h"
#include "text/fold.h"
#include "json/write.h"

struct answers {
    struct answers_setting setting;
    struct crew *crew; /* NULL: no command */
    char *command;     /* what messages call it */
    bool by_tool;      /* each tool by its own command */
};

struct answerer {
    struct answers *answers;
    struct world *world;
    const struct agent_task *task;
    struct buf id;
    struct crew_hand *hand; /* kept from the first call to the end of the rollout */
    bool failed;            /* it is out of step: it has ended */
    int64_t calls;
    struct arena arena; /* of the result in hand */
    struct buf line, json;
};

/* ---- opening --------------------------------------------------------------------------------- */

struct answers *answers_new(const struct answers_setting *setting, struct error *error)
{
    const char *what = setting->execute;
    struct answers *s = mem_zero(1, sizeof *s);
    s->setting = *setting;
    if (s->setting.timeout_s <= 0)
        s->setting.timeout_s = EXECUTE_TIMEOUT_S;
    if (!what)
        return s;
    if (strcmp(what, "tools") == 0) {
        s->by_tool = true;
        return s;
    }
    if (strncmp(what, "cmd:", 4) == 0 && text_strip(span_text(what + 4)).len) {
        s->command = mem_text(what + 4);
        s->crew = crew_open(s->command, (int)(setting->workers > 0 ? setting->workers : 1),
                            setting->heard, setting->heard_data);
        return s;
    }
    error_set(error, ERROR_USAGE,
              "--execute is \"%s\"; write cmd:COMMAND, or tools to run each tool's own command",
              what);
    free(s);
    return NULL;
}

void answers_free(struct answers *s)
{
    if (!s)
        return;
    crew_close(s->crew);
    free(s->command);
    free(s);
}

int64_t answers_most(const struct answers *s)
{
    return s && s->crew ? crew_size(s->crew) : 0;
}

struct answerer *answerer_new(const struct agent_setting *setting)
{
    struct answerer *a = mem_zero(1, sizeof *a);
    a->answers = setting->answers;
    a->world = world_new(setting->world_tools, setting->world_options);
    return a;
}

void answerer_free(struct answerer *a)
{
    if (!a)
        return;
    answerer_end(a);
    world_free(a->world);
    arena_free(&a->arena);
    buf_free(&a->id);
    buf_free(&a->line);
    buf_free(&a->json);
    free(a);
}

void agent_task_id(const struct agent_task *task, struct buf *out)
{
    uint8_t digest[SHA256_BYTES];
    char hex[AGENT_ID_HEX + 1];
    struct buf text = {0};
    buf_span_add(&text, task->scenario_id);
    buf_byte(&text, '\0');
    buf_span_add(&text, task->prompt);
    digest_sha256(buf_span(&text), digest);
    digest_hex(digest, AGENT_ID_HEX / 2, hex);
    buf_format(out, "%s-%lld", hex, (long long)task->rollout_index);
    if (task->eval_run > 0)
        buf_format(out, "-%lld", (long long)task->eval_run);
    buf_free(&text);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void write_error(struct buf *result, struct span reason)
{
    buf_text(result, "{\"status\":\"error\",\"reason\":");
    json_quote(result, reason);
    buf_byte(result, '}');
}

bool execute_reply_read(struct span line, struct buf *result)
{
    struct json_value value, inner;
    struct json_fault fault;
    if (json_scan(line, &value, NULL, &fault) || agent_json_deep(line))
        return false;
    if (value.type != JSON_VALUE_OBJECT) {
        buf_text(result, "{\"status\":\"ok\",\"result\":");
        buf_span_add(result, value.text);
        buf_byte(result, '}');
    } else if (json_get(value, SPAN("result"), &inner)) {
        buf_span_add(result, inner.text);
    } else if (json_count(value) == 1 && json_get(value, SPAN("error"), &inner) &&
               inner.type == JSON_VALUE_STRING) {
        struct buf scratch = {0};
        write_error(result, json_text(inner, &scratch));
        buf_free(&scratch);
    } else {
        buf_span_add(result, value.text);
    }
    return true;
}

/* Sends a line and waits for its answer. NULL, or why there is none; the process has then ended. */
static const char *exchange(struct answerer *a, struct span *reply)
{
    struct child_exit ended;
    struct error error;
    switch (coproc_ask(a->hand->process, buf_span(&a->line), a->answers->setting.timeout_s, reply,
                       &ended, &error)) {
    case COPROC_OK: return NULL;
    case COPROC_TIMEOUT: return "no answer in time";
    case COPROC_DIED: return "the command that answers ended";
    case COPROC_TOO_LONG: return "the answer is too long";
    case COPROC_FAILED: break;
    }
    return error.code == ERROR_REMOTE ? "the command that answers is out of step"
                                      : "the command that answers cannot be asked";
}

static void begin_line(struct answerer *a)
{
    buf_clear(&a->line);
    buf_text(&a->line, "{\"id\":");
    json_quote(&a->line, buf_span(&a->id));
}

static void rest_of_line(struct answerer *a)
{
    buf_text(&a->line, ",\"prompt\":");
    json_quote(&a->line, a->task->prompt);
    buf_format(&a->line, ",\"rollout_index\":%lld,\"seed\":%lld}",
               (long long)a->task->rollout_index, (long long)a->task->world_seed);
}

/* Gives a failed process back and takes one anew, whose first line is the session's begin. */
static const char *ready(struct answerer *a)
{
    struct span reply;
    if (a->hand && a->failed) {
        crew_give(a->answers->crew, a->hand, true);
        a->hand = NULL;
    }
    if (a->hand)
        return NULL;
    a->hand = crew_take(a->answers->crew);
    a->failed = false;
    if (!a->hand)
        return "interrupted";
    if (!a->answers->setting.sessions)
        return NULL;
    begin_line(a);
    buf_text(&a->line, ",\"begin\":true");
    rest_of_line(a);
    const char *what = exchange(a, &reply);
    a->failed = what != NULL;
    return what;
}

static void ask_command(struct answerer *a, struct span tool, const struct node *arguments,
                        struct rollout *out)
{
    struct span reply;
    const char *what = ready(a);
    if (!what) {
        begin_line(a);
        buf_format(&a->line, ",\"n\":%lld,\"tool\":", (long long)a->calls);
        json_quote(&a->line, tool);
        buf_text(&a->line, ",\"arguments\":");
        if (arguments)
            node_json(arguments, false, &a->line);
        else
            buf_text(&a->line, "{}");
        rest_of_line(a);
        what = exchange(a, &reply);
        if (!what && !execute_reply_read(reply, &a->json))
            what = "the answer is no JSON";
        a->failed = what != NULL;
    }
    if (what) {
        write_error(&a->json, span_text(what));
        out->counts.execute_failed++;
    }
}

void answerer_end(struct answerer *a)
{
    struct span reply;
    if (!a->hand)
        return;
    if (!a->failed && a->answers->setting.sessions) {
        begin_line(a);
        buf_text(&a->line, ",\"end\":true}");
        a->failed = exchange(a, &reply) != NULL;
    }
    crew_give(a->answers->crew, a->hand, a->failed);
    a->hand = NULL;
    a->failed = false;
}

/* ---- a tool's own command -------------------------------------------------------------------- */

/* The command of a tool, in scratch; empty: it has none. */
static struct span command_of(const struct answers *s, struct span tool, struct buf *scratch)
{
    const struct row_tool *t = s && s->by_tool ? row_tools_find(s->setting.tools, tool) : NULL;
    struct json_value command;
    if (!t || (!json_get(t->function, SPAN("command"), &command) &&
               !json_get(t->entry, SPAN("command"), &command)))
        return (struct span){0};
    return command.type == JSON_VALUE_STRING ? text_strip(json_text(command, scratch))
                                             : (struct span){0};
}

/* {"status": "error", "error": …}: as the reference's dispatch says it. */
static void tool_failed(struct answerer *a, const struct child_exit *ended, struct span said)
{
    struct buf text = {0};
    said = text_strip(said);
    if (ended->timed_out)
        buf_text(&text, "no answer in time");
    else if (ended->overflow)
        buf_text(&text, "the answer is too long");
    else if (said.len)
        buf_span_add(&text, said.len > CHILD_SAID_MAX
                                ? span_slice(said, said.len - CHILD_SAID_MAX, said.len)
                                : said);
    else
        buf_format(&text, "exit status %d", ended->status);
    buf_text(&a->json, "{\"status\":\"error\",\"error\":");
    json_quote(&a->json, buf_span(&text));
    buf_byte(&a->json, '}');
    buf_free(&text);
}

static void run_tool(struct answerer *a, struct span command, const struct node *arguments)
{
    struct buf input = {0}, out = {0}, err = {0}, text = {0};
    struct child_exit ended;
    struct error error;
    buf_span_add(&text, command);
    if (arguments)
        node_json(arguments, false, &input);
    else
        buf_text(&input, "{}");
    buf_byte(&input, '\n');
    const struct child_run run = {.command = buf_cstr(&text),
                                  .input = buf_span(&input),
                                  .timeout_s = a->answers->setting.timeout_s};
    if (child_run(&run, &out, &err, &ended, &error) != 0) {
        write_error(&a->json, span_text(error.text));
    } else if (ended.status != 0 || ended.timed_out || ended.overflow) {
        tool_failed(a, &ended, buf_span(&err));
    } else if (!execute_reply_read(buf_span(&out), &a->json)) {
        buf_text(&a->json, "{\"status\":\"ok\",\"result\":");
        json_quote(&a->json, text_strip(buf_span(&out)));
        buf_byte(&a->json, '}');
    }
    buf_free(&input);
    buf_free(&out);
    buf_free(&err);
    buf_free(&text);
}

/* ---- answering ------------------------------------------------------------------------------- */

void answerer_start(struct answerer *a, const struct agent_task *task, struct span id)
{
    answerer_end(a);
    a->task = task;
    a->calls = 0;
    buf_clear(&a->id);
    if (id.ptr)
        buf_span_add(&a->id, id);
    else if (a->answers && a->answers->crew)
        agent_task_id(task, &a->id);
    world_start(a->world, task->world_seed, task->plan, task->state);
}

/* The JSON text that a command gave, as a value. */
static struct answer own_answer(struct answerer *a)
{
    struct json_value value = {0};
    struct json_fault fault;
    if (memchr(a->json.data, '\n', a->json.len)) { /* a tool's command may write many lines */
        buf_clear(&a->line);
        json_compact(buf_span(&a->json), &a->line);
        buf_clear(&a->json);
        buf_span_add(&a->json, buf_span(&a->line));
    }
    json_scan(buf_span(&a->json), &value, NULL, &fault); /* read once already */
    arena_clear(&a->arena);
    return (struct answer){node_parse(&a->arena, value), value.text};
}

struct answer answerer_call(struct answerer *a, struct span tool, const struct node *arguments,
                            struct rollout *out)
{
    struct buf scratch = {0};
    struct span command = command_of(a->answers, tool, &scratch);
    bool own = (a->answers && a->answers->crew) || command.len;
    const struct node *node =
        own ? world_call_refused(a->world, tool, arguments) : world_call(a->world, tool, arguments);
    buf_clear(&a->json);
    if (own && !node) {
        if (command.len)
            run_tool(a, command, arguments);
        else
            ask_command(a, tool, arguments, out);
        buf_free(&scratch);
        a->calls++;
        return own_answer(a);
    }
    a->calls++;
    buf_free(&scratch);
    node_json(node, false, &a->json);
    return (struct answer){node, buf_span(&a->json)};
}
