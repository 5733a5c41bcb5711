/* verify_tool.c: the verifier tool-call: were the right tools called with the right arguments
 * (call_match.h has the rule). What is wanted stands in the reference, or in the arguments tool= and
 * arguments=. */
#include <math.h>
#include <stdlib.h>

#include "grade/call_match.h"
#include "grade/call_text.h"
#include "grade/defaults.h"
#include "grade/extract.h"
#include "grade/verify.h"
#include "model/markup.h"
#include "row/parse.h"
#include "row/tools.h"
#include "text/fold.h"
#include "text/reasoning.h"

struct tool_worker {
    struct row_calls calls;
    struct call_wish *wishes;
    size_t n, cap;
    struct arena arena;
    struct buf why;
};

struct tool_verifier {
    struct span tool;            /* ptr NULL: the reference says what is wanted */
    struct json_value arguments; /* of that tool; text.ptr NULL: any */
    bool exact, first, ordered, literals;
    double count; /* NaN: one or more */
    struct tool_worker *workers;
};

/* ---- opening ----------------------------------------------------------------------------------- */

static int check_keys(const struct tool_verifier *t, const struct verifier *v, struct error *error)
{
    bool more = t->arguments.text.ptr || t->exact || t->first || !isnan(t->count);
    (void)v;
    if (!t->tool.ptr && more)
        return error_set(error, ERROR_USAGE,
                         "tool-call: arguments, match, first and count go with tool=NAME; without "
                         "it the row's reference says what is wanted");
    if (!isnan(t->count) && t->count != floor(t->count))
        return error_set(error, ERROR_USAGE, "tool-call: count is %g, a whole number is wanted",
                         t->count);
    if (t->arguments.text.ptr && t->arguments.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_USAGE,
                         "tool-call: arguments is %.*s, a JSON object is wanted",
                         (int)(t->arguments.text.len < 100 ? t->arguments.text.len : 100),
                         t->arguments.text.ptr);
    return 0;
}

static int tool_open(struct verifier *v, struct error *error)
{
    struct tool_verifier *t = mem_zero(1, sizeof *t);
    const struct json_value *arguments = verify_arg(v, "arguments");
    v->state = t;
    t->workers = mem_zero((size_t)v->jobs, sizeof *t->workers);
    t->tool = verify_arg_text(v, "tool");
    t->exact = verify_arg_choice(v, "match", 0) == 1;
    t->first = verify_arg_bool(v, "first", false);
    t->ordered = verify_arg_bool(v, "ordered", false);
    t->literals = verify_arg_bool(v, "literals", false);
    t->count = verify_arg_number(v, "count", NAN);
    if (arguments) {
        t->arguments = *arguments;
        if (arguments->type == JSON_VALUE_STRING)
            row_parse_text(&v->arena, *arguments, &t->arguments);
    }
    return check_keys(t, v, error);
}

static void tool_close(struct verifier *v)
{
    struct tool_verifier *t = v->state;
    for (int i = 0; i < v->jobs; i++) {
        struct tool_worker *w = &t->workers[i];
        row_calls_free(&w->calls);
        arena_free(&w->arena);
        buf_free(&w->why);
        free(w->wishes);
    }
    free(t->workers);
    free(t);
}

/* ---- what was called --------------------------------------------------------------------------- */

static void add_call(struct row_calls *calls, struct span name, struct json_value arguments)
{
    calls->items = mem_grow(calls->items, &calls->cap, calls->count + 1, sizeof *calls->items);
    calls->items[calls->count++] =
        (struct row_call){.name = name, .arguments = arguments, .id = SPAN("")};
}

static bool text_member(struct arena *arena, struct json_value object, const char *key,
                        struct span *text)
{
    struct json_value value;
    struct buf scratch = {0};
    bool is = json_get(object, span_text(key), &value) && value.type == JSON_VALUE_STRING;
    if (is)
        *text = arena_span(arena, json_text(value, &scratch));
    buf_free(&scratch);
    return is;
}

/* {name, arguments}, the same inside `function`, `parameters` for `arguments`. */
static bool plain_call(struct arena *arena, struct json_value v, struct span *name,
                       struct json_value *arguments)
{
    struct json_value inner, value;
    if (json_get(v, SPAN("function"), &inner) && inner.type == JSON_VALUE_OBJECT)
        v = inner;
    if (!text_member(arena, v, "name", name))
        return false;
    *arguments = (struct json_value){0};
    if (json_get(v, SPAN("arguments"), &value) || json_get(v, SPAN("parameters"), &value))
        row_parse_object(arena, value, arguments);
    return true;
}

/* {NAME: {…}} with one member. */
static bool single(struct arena *arena, struct json_value v, struct span *name,
                   struct json_value *arguments)
{
    struct json_cursor c = json_enter(v);
    struct json_member member;
    struct buf scratch = {0};
    if (v.type != JSON_VALUE_OBJECT || json_count(v) != 1 || !json_next_member(&c, &member) ||
        member.value.type != JSON_VALUE_OBJECT)
        return false;
    *name = arena_span(arena, json_key(&member, &scratch));
    *arguments = member.value;
    buf_free(&scratch);
    return true;
}

static bool add_json_calls(struct row_calls *calls, struct json_value value)
{
    struct json_cursor c = json_enter(value);
    struct json_value item = value, arguments;
    struct span name;
    bool list = value.type == JSON_VALUE_ARRAY;
    if (list && !json_next_item(&c, &item))
        return true; /* no call, said in so many words */
    do {
        if (!plain_call(&calls->arena, item, &name, &arguments) &&
            !single(&calls->arena, item, &name, &arguments)) {
            calls->count = 0;
            return false;
        }
        add_call(calls, name, arguments);
    } while (list && json_next_item(&c, &item));
    return true;
}

/* Calls that the reply writes out: <tool_call> blocks, JSON, or a program's text. */
static void read_written(struct tool_worker *w, struct span candidate, struct buf *scratch)
{
    struct row_calls *calls = &w->calls;
    struct chat_call *blocks;
    struct json_value value;
    struct buf json = {0}, thought = {0};
    struct span text = text_split_reasoning(candidate, &thought).spoken;
    size_t n = markup_calls(&calls->arena, text, &blocks);
    for (size_t i = 0; i < n; i++)
        if (row_parse_span(&calls->arena, blocks[i].arguments, &value))
            add_call(calls, blocks[i].name, value);
    if (!n && call_text_json(text, &json) && row_parse_span(&calls->arena, buf_span(&json), &value))
        add_json_calls(calls, value);
    else if (!n && extract_json(text, scratch, &value))
        add_json_calls(calls, value);
    buf_free(&json);
    buf_free(&thought);
}

/* ---- what was wanted --------------------------------------------------------------------------- */

static struct call_wish *add_wish(struct tool_worker *w)
{
    w->wishes = mem_grow(w->wishes, &w->cap, w->n + 1, sizeof *w->wishes);
    w->wishes[w->n] = (struct call_wish){0};
    return &w->wishes[w->n++];
}

static bool all_lists(struct json_value arguments)
{
    struct json_cursor c = json_enter(arguments);
    struct json_member member;
    while (json_next_member(&c, &member))
        if (member.value.type != JSON_VALUE_ARRAY)
            return false;
    return true;
}

/* One wanted call of the reference: allowed values, a plain call, or a program's text. */
static bool add_wanted(struct tool_worker *w, struct json_value item)
{
    struct span name;
    struct json_value arguments, value;
    struct buf text = {0}, json = {0};
    bool ok = false, plain = plain_call(&w->arena, item, &name, &arguments);
    if (plain || single(&w->arena, item, &name, &arguments)) {
        struct call_wish *wish = add_wish(w);
        wish->name = name;
        wish->arguments = arguments;
        wish->plain = plain || !all_lists(arguments);
        ok = true;
    } else if (item.type == JSON_VALUE_STRING && call_text_json(json_text(item, &text), &json) &&
               row_parse_span(&w->arena, buf_span(&json), &value)) {
        struct json_cursor c = json_enter(value);
        for (ok = true; ok && json_next_item(&c, &item);)
            ok = add_wanted(w, item);
    }
    buf_free(&text);
    buf_free(&json);
    return ok;
}

static bool read_wanted(struct tool_worker *w, struct json_value gold)
{
    struct json_value item;
    w->n = 0;
    arena_clear(&w->arena);
    if (gold.type == JSON_VALUE_STRING)
        row_parse_text(&w->arena, gold, &gold);
    if (gold.type != JSON_VALUE_ARRAY)
        return add_wanted(w, gold);
    struct json_cursor c = json_enter(gold);
    while (json_next_item(&c, &item))
        if (!add_wanted(w, item))
            return false;
    return true;
}

/* Declarations of the row's tools, for the types of arguments. */
static void read_schemas(struct tool_worker *w, const struct row *row)
{
    const struct json_value *list = row_get_set(row, SPAN("tools"));
    struct row_tools tools = {0};
    if (!list)
        list = row_get_set(row, SPAN("function"));
    if (!list || list->type != JSON_VALUE_ARRAY)
        return;
    row_tools_of(&tools, *list);
    for (size_t i = 0; i < w->n; i++) {
        const struct row_tool *tool = row_tools_find(&tools, w->wishes[i].name);
        if (tool) {
            w->wishes[i].schema = tool->parameters;
            w->wishes[i].schema.text = arena_span(&w->arena, tool->parameters.text);
        }
    }
    row_tools_free(&tools);
}

/* ---- verdict ----------------------------------------------------------------------------------- */

/* tool=NAME: a call of it, the first one, so many of them. */
static bool named_called(const struct tool_verifier *t, struct tool_worker *w)
{
    struct call_wish wish = {
        .name = t->tool, .arguments = t->arguments, .plain = true, .subset = !t->exact};
    size_t found = 0;
    const struct row_calls *calls = &w->calls;
    if (t->exact && !t->arguments.text.ptr)
        wish.subset = false;
    for (size_t i = 0; i < calls->count && !(t->first && i > 0); i++)
        found += call_matches(&wish, &calls->items[i], t->literals, &w->why);
    if (!calls->count) {
        buf_clear(&w->why);
        buf_text(&w->why, "no tool is called");
    }
    if (isnan(t->count))
        return found > 0;
    if ((double)found != t->count) {
        buf_clear(&w->why);
        buf_format(&w->why, "%zu calls instead of %g", found, t->count);
    }
    return (double)found == t->count;
}

static int tool_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                    struct error *error)
{
    const struct tool_verifier *t = v->state;
    struct tool_worker *w = &t->workers[in->worker];
    (void)error;
    if (!t->tool.ptr && !in->gold.value.text.ptr) {
        verdict_unjudged(out, "%s: the row has no reference to check against", v->name);
        return 0;
    }
    if (!t->tool.ptr && !read_wanted(w, in->gold.value)) {
        verdict_unjudged(out, "%s: the reference is no list of calls", v->name);
        return 0;
    }
    row_calls_read(&w->calls, in->row);
    if (!w->calls.count)
        read_written(w, in->candidate, &in->scratch[0]);
    bool ok;
    if (t->tool.ptr) {
        ok = named_called(t, w);
    } else {
        read_schemas(w, in->row);
        ok = calls_match(w->wishes, w->n, &w->calls, t->ordered, t->literals, &w->why);
    }
    verdict_score(out, ok);
    if (ok)
        verdict_reason(out, "the calls wanted");
    else
        verdict_reason(out, "%.*s", (int)w->why.len, w->why.data);
    return 0;
}

static const struct verify_key tool_keys[] = {
    {"tool", VERIFY_TEXT, NULL},
    {"arguments", VERIFY_JSON, NULL},
    {"match", VERIFY_CHOICE, "subset|exact"},
    {"first", VERIFY_BOOL, NULL},
    {"count", VERIFY_NUMBER, NULL},
    {"ordered", VERIFY_BOOL, NULL},
    {"literals", VERIFY_BOOL, NULL},
    {0},
};
const struct verify_kind VERIFY_TOOL_CALL = {.name = "tool-call",
                                             .recorded = "ToolCall",
                                             .keys = tool_keys,
                                             .open = tool_open,
                                             .run = tool_run,
                                             .close = tool_close};
