/* environment.c: see environment.h. Options, the folder, the report. */
#include "export/environment.h"

#include <stdlib.h>

#include "export/defaults.h"
#include "export/environment_inside.h"
#include "export/wire.h"
#include "text/fold.h"
#include "world/world.h"

const char *environment_reward(const struct export_environment *e)
{
    return e->options->reward ? e->options->reward : "checklist";
}

/* ---- options ----------------------------------------------------------------------------------- */

/* MODULE:NAME of Python. */
static bool is_reference(const char *text)
{
    static const char WORD[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || strchr("0123456789.", text[0]) || strchr("0123456789", colon[1]))
        return false;
    for (const char *p = text; p < colon; p++)
        if (!strchr(WORD, *p) && *p != '.')
            return false;
    return colon[1] && colon[1 + strspn(colon + 1, WORD)] == '\0';
}

/* Kinds of scorers and verifiers, whose name before a colon wins over a module of that name. */
static bool is_known_kind(const char *text)
{
    static const char *const KNOWN[] = {
        "expr",       "cmd", "verify",     "exact-match",     "includes",   "regex",
        "numeric",    "sql", "json-valid", "json-schema",     "json-field", "code-exec",
        "math-equal", "jq",  "tool-call",  "multiple-choice",
    };
    size_t len = strcspn(text, ":");
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strlen(KNOWN[i]) == len && strncmp(KNOWN[i], text, len) == 0)
            return true;
    return false;
}

static int read_reward(struct export_environment *e, struct error *error)
{
    const char *reward = environment_reward(e), *execute = e->options->execute;
    bool word = strcmp(reward, "checklist") == 0 || strcmp(reward, "conduct") == 0;
    e->function = !word && !is_known_kind(reward) && is_reference(reward);
    if (!word && !e->function && !is_known_kind(reward))
        return error_set(error, ERROR_USAGE,
                         "--reward is \"%s\"; it is checklist, conduct, expr:PROG, cmd:COMMAND, a "
                         "verifier's NAME[:ARGS], or MODULE:NAME of a Python function",
                         reward);
    if (execute && strncmp(execute, "cmd:", 4) != 0 && !is_reference(execute))
        return error_set(error, ERROR_USAGE,
                         "--execute is \"%s\"; it is cmd:COMMAND or MODULE:NAME of a Python "
                         "function",
                         execute);
    return 0;
}

static int read_pair(const char *text, double *low, double *high)
{
    const char *comma = strchr(text, ',');
    struct buf first = {0};
    if (!comma)
        return -1;
    buf_add(&first, text, (size_t)(comma - text));
    int bad = option_read_real(buf_cstr(&first), low) != 0 ||
              option_read_real(comma + 1, high) != 0 || *low < 0 || *high > 1 || *low > *high;
    buf_free(&first);
    return bad ? -1 : 0;
}

static int read_limits(struct export_environment *e, struct error *error)
{
    const struct export_environment_options *o = e->options;
    struct export_tasks_options *t = &e->tasks_options;
    t->band = !o->band || strcmp(o->band, "none") != 0;
    t->low = EXPORT_BAND_LOW;
    t->high = EXPORT_BAND_HIGH;
    if (o->band && t->band && read_pair(o->band, &t->low, &t->high) != 0)
        return error_set(error, ERROR_USAGE,
                         "--band is \"%s\"; it is LO,HI with 0 <= LO <= HI <= 1, or none", o->band);
    t->holdout = o->package ? EXPORT_HELD_OUT : 0;
    if (o->holdout && o->holdout[0] == '@')
        t->prompts = o->holdout + 1;
    else if (o->holdout &&
             (option_read_real(o->holdout, &t->holdout) != 0 || t->holdout < 0 || t->holdout >= 1))
        return error_set(error, ERROR_USAGE,
                         "--holdout is \"%s\"; it is a share from 0 to below 1, or @FILE with the "
                         "prompts, one a line",
                         o->holdout);
    t->ngram = o->ngram < 0 ? EXPORT_NGRAM : o->ngram;
    t->answers = o->package;
    t->one_phrasing = o->one_phrasing;
    t->conduct_alone = o->package && strcmp(environment_reward(e), "checklist") == 0;
    return 0;
}

/* Lower case, whatever is no letter, digit or _ replaced: a name that Python can import. */
static void read_name(struct export_environment *e)
{
    struct span given = span_text(e->options->name ? e->options->name : e->options->out);
    struct buf lower = {0};
    while (!e->options->name && given.len > 1 && given.ptr[given.len - 1] == '/')
        given.len--;
    for (size_t i = given.len; !e->options->name && i > 0; i--) {
        if (given.ptr[i - 1] == '/') {
            given = span_slice(given, i, given.len);
            break;
        }
    }
    text_lower(given, &lower);
    for (size_t i = 0; i < lower.len; i++) {
        char c = lower.data[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (good)
            buf_byte(&e->name, c);
        else if (e->name.len && e->name.data[e->name.len - 1] != '_')
            buf_byte(&e->name, '_');
    }
    while (e->name.len && e->name.data[e->name.len - 1] == '_')
        e->name.len--;
    size_t lead = 0;
    while (lead < e->name.len && e->name.data[lead] == '_')
        lead++;
    if (lead)
        memmove(e->name.data, e->name.data + lead, e->name.len - lead);
    e->name.len -= lead;
    if (!e->name.len)
        buf_text(&e->name, "whileai_env");
    buf_free(&lower);
}

bool environment_next_tool(struct json_cursor *cursor, struct environment_tool *tool)
{
    struct json_value item, function;
    if (!json_next_item(cursor, &item))
        return false;
    if (!json_get(item, SPAN("function"), &function))
        function = item;
    *tool = (struct environment_tool){0};
    json_get(function, SPAN("name"), &tool->name);
    json_get(function, SPAN("description"), &tool->description);
    json_get(function, SPAN("parameters"), &tool->parameters);
    return true;
}

static struct json_value tools_value(const struct export_environment *e)
{
    struct json_value value = {0};
    struct json_fault fault;
    json_scan(e->options->tools, &value, NULL, &fault);
    return value;
}

/* A parameter that Python cannot name still gets through (by its alias); a tool that a client of an
 * OpenEnv episode could take for one of its own verbs does not. */
static int check_tools(struct export_environment *e, struct error *error)
{
    static const char *const VERBS[] = {"reset", "step", "state", "close", "submit"};
    struct json_cursor cursor = json_enter(tools_value(e));
    struct environment_tool tool;
    struct buf scratch = {0};
    const char *taken = NULL;
    while (environment_next_tool(&cursor, &tool)) {
        struct span name = tool.name.text.ptr ? json_text(tool.name, &scratch) : SPAN("");
        e->n_tools++;
        for (size_t i = 0; e->openenv && i < sizeof VERBS / sizeof *VERBS; i++)
            if (span_is(name, VERBS[i]))
                taken = VERBS[i];
    }
    buf_free(&scratch);
    if (taken)
        return error_set(
            error, ERROR_INPUT,
            "a tool is called %s, which is a verb of every OpenEnv episode; rename it, "
            "or write --runtime verifiers",
            taken);
    if (!e->n_tools)
        return error_set(error, ERROR_INPUT,
                         "an environment without a tool has no world; name the schemas with "
                         "--tools, or write --kind prompts");
    return 0;
}

static int64_t turns_of(const struct export_environment *e)
{
    int64_t context = e->options->context_tokens > 0 ? e->options->context_tokens : EXPORT_CONTEXT;
    int64_t schemas = EXPORT_TOOL_TOKENS * (int64_t)e->n_tools;
    int64_t most = context > EXPORT_CONTEXT_LARGE ? EXPORT_TURNS_LARGE : EXPORT_TURNS_MOST;
    if (schemas > EXPORT_TOOLS_TOKENS)
        schemas = EXPORT_TOOLS_TOKENS;
    int64_t left = context - EXPORT_REPLY_TOKENS - schemas;
    int64_t turns = (left < 1 ? 1 : left) / EXPORT_TURN_TOKENS;
    turns = turns > most ? most : turns;
    return turns < EXPORT_TURNS_LEAST ? EXPORT_TURNS_LEAST : turns;
}

static int read_world(struct export_environment *e, struct error *error)
{
    if (!e->options->world)
        return 0;
    struct node *given = node_of_option(&e->arena, "--world", e->options->world, error);
    if (!given)
        return error->code;
    struct world_options *check = world_options_new();
    node_json(given, false, &e->world);
    int code = world_options_read(check, buf_span(&e->world), "--world", error);
    world_options_free(check);
    return code;
}

static int read_package(struct export_environment *e, struct error *error)
{
    if (!e->options->out)
        return error_set(error, ERROR_USAGE, "an environment is a folder; name it with --out DIR");
    e->openenv = e->options->runtime && strcmp(e->options->runtime, "openenv") == 0;
    int code = read_reward(e, error);
    if (code == 0)
        code = check_tools(e, error);
    if (code == 0)
        code = read_world(e, error);
    read_name(e);
    e->max_turns = e->options->max_turns < 0 ? turns_of(e) : e->options->max_turns;
    return code;
}

struct export_environment *export_environment_new(const struct export_environment_options *options,
                                                  struct error *error)
{
    struct export_environment *e = mem_zero(1, sizeof *e);
    e->options = options;
    int code = options->package ? read_package(e, error) : 0;
    if (code == 0)
        code = read_limits(e, error);
    if (code != 0) {
        export_environment_free(e);
        return NULL;
    }
    e->tasks = export_tasks_new(&e->tasks_options);
    return e;
}

void export_environment_free(struct export_environment *e)
{
    if (!e)
        return;
    export_tasks_free(e->tasks);
    buf_free(&e->name);
    buf_free(&e->world);
    arena_free(&e->arena);
    free(e);
}

void export_environment_row(struct export_environment *e, const struct row *row)
{
    export_tasks_row(e->tasks, row);
}

int export_environment_close(struct export_environment *e, struct error *error)
{
    return export_tasks_close(e->tasks, error);
}

void export_environment_lines(const struct export_environment *e, struct buf *lines)
{
    export_tasks_write(e->tasks, EXPORT_TRAIN, lines);
    export_tasks_write(e->tasks, EXPORT_HOLDOUT, lines);
}

/* ---- report --------------------------------------------------------------------------------------- */

static void write_text_or_null(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    if (text)
        json_write_text(w, text);
    else
        json_write_null(w);
}

static void write_warnings(const struct export_environment *e, struct json_writer *w)
{
    struct buf lines = {0};
    export_environment_notes(e, &lines);
    export_write_lines("warnings", buf_span(&lines), w);
    buf_free(&lines);
}

void export_environment_report(const struct export_environment *e, const char *path,
                               struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-export");
    json_write_key(w, "kind");
    json_write_text(w, e->options->package ? "environment" : "prompts");
    export_tasks_report(e->tasks, w);
    if (e->options->package) {
        json_write_key(w, "name");
        json_write_span(w, buf_span(&e->name));
        json_write_key(w, "reward");
        json_write_text(w, environment_reward(e));
        write_text_or_null(w, "execute", e->options->execute);
        json_write_key(w, "runtime");
        json_write_text(w, e->openenv ? "openenv" : "verifiers");
        json_write_key(w, "tools");
        json_write_int(w, (int64_t)e->n_tools);
        json_write_key(w, "max_turns");
        json_write_int(w, e->max_turns);
    }
    write_warnings(e, w);
    write_text_or_null(w, "path", path);
    json_write_end_object(w);
}

void export_environment_notes(const struct export_environment *e, struct buf *lines)
{
    export_tasks_notes(e->tasks, lines);
    if (!e->options->package && export_tasks_count(e->tasks, EXPORT_HOLDOUT))
        buf_format(lines, "%zu tasks of the file are held out (info.split): do not train on them\n",
                   export_tasks_count(e->tasks, EXPORT_HOLDOUT));
}

void export_environment_summary(const struct export_environment *e, struct buf *line)
{
    buf_format(line, "%zu training tasks, %zu held out", export_tasks_count(e->tasks, EXPORT_TRAIN),
               export_tasks_count(e->tasks, EXPORT_HOLDOUT));
    if (e->options->package)
        buf_format(line, "; %zu tools, at most %lld turns; install it with pip install %s",
                   e->n_tools, (long long)e->max_turns, e->options->out);
}
