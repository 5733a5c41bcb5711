/* side.c: see side.h. */
#include "scene/side.h"

#include <stdio.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/intent.h"
#include "scene/letters.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "json/write.h"

/* One call. What it says is in out (cleared); false: it failed. */
static bool ask(const struct side *s, const char *scope, struct span system, struct span user,
                int64_t tokens, double temperature, double seconds, struct buf *out,
                struct error *error)
{
    struct buf messages = {0}, scratch = {0};
    struct chat_reply reply = {0};
    buf_text(&messages, "[{\"role\":\"system\",\"content\":");
    json_quote(&messages, system);
    buf_text(&messages, "},{\"role\":\"user\",\"content\":");
    json_quote(&messages, user);
    buf_text(&messages, "}]");
    struct chat_request request = {
        .messages = {.type = JSON_VALUE_ARRAY, .text = buf_span(&messages)},
        .temperature = temperature,
        .max_tokens = tokens,
        .timeout_s = seconds,
        .scope = scope,
        .item = -1,
    };
    buf_clear(out);
    int code = model_chat(s->model, &request, &reply, error);
    if (!code && reply.choices[0].content.ptr)
        buf_span_add(out,
                     text_strip(text_split_reasoning(reply.choices[0].content, &scratch).spoken));
    if (!code && !out->len)
        error_set(error, ERROR_REMOTE, "the writer's reply is empty");
    chat_reply_free(&reply);
    buf_free(&messages);
    buf_free(&scratch);
    return !code && out->len;
}

/* The outermost object of a reply, repaired when it was cut off. false: none. */
static bool object_of(struct span reply, struct buf *mended, struct json_value *out)
{
    struct json_fault fault;
    struct span text = letters_unfence(reply);
    size_t from = 0, to = text.len;
    while (from < to && text.ptr[from] != '{')
        from++;
    while (to > from && text.ptr[to - 1] != '}')
        to--;
    buf_clear(mended);
    buf_span_add(mended, span_slice(text, from, to));
    if (mended->len && json_scan(buf_span(mended), out, NULL, &fault) == 0)
        return out->type == JSON_VALUE_OBJECT;
    for (size_t i = text.len; i > from + 1; i--) { /* what stands before the last whole member */
        if (text.ptr[i - 1] != ',' || text.ptr[i - 2] != '}')
            continue;
        buf_clear(mended);
        buf_span_add(mended, span_slice(text, from, i - 1));
        buf_byte(mended, '}');
        return json_scan(buf_span(mended), out, NULL, &fault) == 0 &&
               out->type == JSON_VALUE_OBJECT;
    }
    return false;
}

/* ---- the scene ------------------------------------------------------------------------------- */

static const char BRIEF[] =
    "You are told what an assistant can do and what it goes by. Say in a few words who writes to "
    "it, "
    "what they usually want, and what it can do for them, without quoting any rule. Reply with one "
    "JSON object: {\"who\": TEXT, \"usually_want\": TEXT, \"tools\": TEXT}.";

static void add_purposes(const struct side *s, struct buf *out)
{
    const struct tool_facts *facts = &s->grid->facts;
    for (size_t i = 0; i < facts->count && i < SIDE_TOOLS_SHOWN; i++) {
        buf_text(out, i ? "; " : "It can: ");
        intent_write(&facts->items[i], s->tools->items[i].description, (struct span){NULL, 0}, 0,
                     out);
    }
    buf_text(out, "\n");
}

/* Does the line hold a clause of the policy? */
static bool recites(const struct side *s, struct span line)
{
    const struct axis_values *rules = &s->grid->axes[AXIS_RULE];
    struct buf a = {0}, b = {0};
    bool yes = false;
    text_fold(line, &a);
    for (size_t i = 0; i < rules->count && !yes; i++) {
        if (utf8_length(rules->items[i]) <= SIDE_CLAUSE_LEAST)
            continue;
        buf_clear(&b);
        text_fold(rules->items[i], &b);
        yes = span_find(buf_span(&a), utf8_head(buf_span(&b), SIDE_CLAUSE_LEAST), 0) != (size_t)-1;
    }
    buf_free(&a);
    buf_free(&b);
    return yes;
}

bool side_brief(const struct side *s, struct buf *out, struct error *error)
{
    static const struct span keys[] = {{"who", 3}, {"usually_want", 12}, {"tools", 5}};
    struct buf user = {0}, reply = {0}, mended = {0}, scratch = {0};
    struct json_value object, value;
    if (s->kind.len) {
        buf_span_add(&user, s->kind);
        buf_byte(&user, '\n');
    }
    add_purposes(s, &user);
    buf_text(&user, "It goes by:\n");
    buf_span_add(&user, utf8_head(s->policy, WRITER_CLAUSES_SHOWN));
    buf_clear(out);
    bool told =
        ask(s, "brief", span_text(BRIEF), buf_span(&user), SIDE_BRIEF_TOKENS, SIDE_TEMPERATURE,
            s->brief_s > 0 ? s->brief_s : SIDE_BRIEF_SECONDS, &reply, error);
    if (told && !object_of(buf_span(&reply), &mended, &object)) {
        error_set(error, ERROR_REMOTE, "the writer's brief is no JSON object");
        told = false;
    }
    for (size_t i = 0; told && i < sizeof keys / sizeof *keys; i++) {
        if (!json_get(object, keys[i], &value) || value.type != JSON_VALUE_STRING)
            continue;
        struct span line = text_strip(json_text(value, &scratch));
        if (!line.len || recites(s, line))
            continue;
        if (out->len)
            buf_byte(out, ' ');
        buf_span_add(out, line);
    }
    out->len = utf8_head(buf_span(out), SIDE_BRIEF_MOST).len;
    buf_free(&user);
    buf_free(&reply);
    buf_free(&mended);
    buf_free(&scratch);
    return told && out->len;
}

/* ---- result shapes --------------------------------------------------------------------------- */

static const char SHAPES[] =
    "For each tool you are given, make up one result that it would return when all goes well, as "
    "its real counterpart would: the right keys, plausible values, two entries in a list, file "
    "text "
    "for a file, exit code and output for a shell. Reply with one JSON object that has each tool's "
    "name as a key and its result, an object, as the value.";

static void add_tool(const struct row_tool *tool, struct buf *out)
{
    buf_text(out, "{\"name\":");
    json_quote(out, tool->name);
    buf_text(out, ",\"description\":");
    json_quote(out, utf8_head(tool->description, SIDE_DESCRIPTION_SHOWN));
    if (tool->parameters.text.ptr && tool->parameters.text.len <= SIDE_SCHEMA_BYTES) {
        buf_text(out, ",\"parameters\":");
        buf_span_add(out, tool->parameters.text);
    }
    buf_text(out, "}\n");
}

/* A result as the world takes it: an object; a list of objects becomes one. */
static struct node *shape_of(struct json_value value, struct arena *a)
{
    struct node *shape = node_parse(a, value);
    if (shape->type == JSON_VALUE_ARRAY && shape->first &&
        shape->first->type == JSON_VALUE_OBJECT) {
        struct node *results = node_array(a), *object = node_object(a);
        node_append(results, node_copy(a, shape->first));
        node_add(object, "results", results);
        return object;
    }
    return shape->type == JSON_VALUE_OBJECT && shape->count ? shape : NULL;
}

static void read_shapes(const struct side *s, struct span reply, const struct node *known,
                        struct node *out, struct arena *a)
{
    struct buf mended = {0}, scratch = {0};
    struct json_value object;
    struct json_member member;
    if (object_of(reply, &mended, &object)) {
        for (struct json_cursor at = json_enter(object); json_next_member(&at, &member);) {
            struct span name = json_key(&member, &scratch);
            const struct row_tool *tool = row_tools_find(s->tools, name);
            struct node *shape = tool && !node_get(known, name) ? shape_of(member.value, a) : NULL;
            if (shape)
                node_set(out, tool->name, shape);
        }
    }
    buf_free(&mended);
    buf_free(&scratch);
}

struct node *side_shapes(const struct side *s, const struct node *known, struct arena *a,
                         struct error *error)
{
    struct node *out = node_object(a);
    struct buf user = {0}, reply = {0};
    size_t missing = 0, batches, asked = 0, at = 0;
    char scope[32];
    for (size_t i = 0; i < s->tools->count; i++)
        missing += !node_get(known, s->tools->items[i].name);
    batches = (missing + SIDE_TOOLS_BATCH - 1) / SIDE_TOOLS_BATCH;
    for (size_t b = 0; b < batches; b++) {
        size_t n = (missing - asked + batches - b - 1) / (batches - b);
        asked += n;
        buf_clear(&user);
        for (; n && at < s->tools->count; at++) {
            if (node_get(known, s->tools->items[at].name))
                continue;
            add_tool(&s->tools->items[at], &user);
            n--;
        }
        snprintf(scope, sizeof scope, "shapes:%zu", b);
        if (ask(s, scope, span_text(SHAPES), buf_span(&user), SIDE_SHAPES_TOKENS, SIDE_TEMPERATURE,
                SIDE_SHAPES_SECONDS, &reply, error))
            read_shapes(s, buf_span(&reply), known, out, a);
    }
    buf_free(&user);
    buf_free(&reply);
    return out->count ? out : NULL;
}

/* ---- tools ----------------------------------------------------------------------------------- */

static const char TOOLS[] =
    "You are given the policy of an assistant whose tools are not known. Draft the 4 to 8 tools "
    "that "
    "it would need for that work: reads and writes, with the ids that its records go by. Reply "
    "with "
    "a JSON array of {\"name\", \"description\", \"parameters\"}: names in lower case with "
    "underscores, a one-line description, a JSON Schema object with its required keys.";

/* A name in snake_case of 3 to 41 characters. */
static bool fine_name(struct span name)
{
    if (name.len < SIDE_NAME_LEAST || name.len > SIDE_NAME_MOST || name.ptr[0] < 'a' ||
        name.ptr[0] > 'z')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

/* The array of a reply: bare, in a fence, in other text, or under "tools". */
static bool tools_of(struct span reply, struct row_tools *tools)
{
    struct json_value value, list;
    struct json_fault fault;
    struct span text = letters_unfence(reply);
    size_t from = 0, to = text.len;
    while (from < to && text.ptr[from] != '[' && text.ptr[from] != '{')
        from++;
    while (to > from && text.ptr[to - 1] != ']' && text.ptr[to - 1] != '}')
        to--;
    if (from == to || json_scan(span_slice(text, from, to), &value, NULL, &fault))
        return false;
    if (value.type == JSON_VALUE_OBJECT && json_get(value, SPAN("tools"), &list))
        value = list;
    row_tools_of(tools, value);
    return true;
}

bool side_tools(const struct side *s, struct buf *out, struct error *error)
{
    struct buf reply = {0};
    struct row_tools tools = {0};
    struct json_writer w;
    size_t n = 0;
    bool told = ask(s, "tools", span_text(TOOLS), utf8_head(s->policy, SIDE_POLICY_SHOWN),
                    SIDE_TOOLS_TOKENS, SIDE_TOOLS_TEMPERATURE, SIDE_TOOLS_SECONDS, &reply, error);
    if (told && !tools_of(buf_span(&reply), &tools))
        error_set(error, ERROR_REMOTE, "the writer's reply holds no tools");
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < tools.count && n < SIDE_TOOLS_DRAFTED; i++) {
        const struct row_tool *t = &tools.items[i];
        if (!fine_name(t->name))
            continue;
        n++;
        json_write_object(&w);
        json_write_key(&w, "name");
        json_write_span(&w, t->name);
        json_write_key(&w, "description");
        json_write_span(&w, utf8_head(t->description, SIDE_DESCRIPTION_SHOWN));
        if (t->parameters.text.ptr) {
            json_write_key(&w, "parameters");
            json_write_raw(&w, t->parameters.text);
        }
        json_write_key(&w, "drafted");
        json_write_bool(&w, true);
        json_write_end_object(&w);
    }
    json_write_end_array(&w);
    if (told && n < SIDE_TOOLS_LEAST && !error->code)
        error_set(error, ERROR_REMOTE, "the writer drafted %zu tools that can be used", n);
    row_tools_free(&tools);
    buf_free(&reply);
    return n >= SIDE_TOOLS_LEAST;
}

/* ---- more seeds ------------------------------------------------------------------------------ */

static const char SEEDS[] =
    "You are given asks that people sent to an assistant. Write 25 more with the same intent by "
    "other people: other words, other objects, other details. Reply with one ask a line and "
    "nothing "
    "else: no numbers, no bullets, no quotes.";

static const char *const STYLES[] = {
    "Say it straight out.",
    "Come at it in a roundabout way.",
    "Sound a little suspicious.",
    "Sound casual.",
    "Sound formal.",
    "Write in another language than English.",
    "Be playful.",
    "Ask for several things at once.",
};

/* What two asks are compared by: their words, else the folded text. */
static void key_of(struct span text, struct buf *out)
{
    struct buf folded = {0};
    text_casefold(text, &folded);
    buf_clear(out);
    bool gap = false;
    for (size_t i = 0; i < folded.len; i++) {
        char c = folded.data[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (word && gap && out->len)
            buf_byte(out, ' ');
        if (word)
            buf_byte(out, c);
        gap = !word;
    }
    if (!out->len)
        buf_span_add(out, buf_span(&folded));
    buf_free(&folded);
}

/* A line without its bullet or number. */
static struct span bare_line(struct span line)
{
    line = text_strip(line);
    size_t at = 0;
    while (at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '9')
        at++;
    if (at && at < line.len && (line.ptr[at] == '.' || line.ptr[at] == ')'))
        line = text_strip(span_slice(line, at + 1, line.len));
    else if (line.len > 2 && (line.ptr[0] == '-' || line.ptr[0] == '*') && line.ptr[1] == ' ')
        line = text_strip(span_slice(line, 2, line.len));
    if (line.len > 2 && line.ptr[0] == '"' && line.ptr[line.len - 1] == '"')
        line = span_slice(line, 1, line.len - 1);
    return line;
}

static size_t add_lines(struct task_list *seeds, struct map *known, struct span reply,
                        size_t target, const char *writer)
{
    struct buf key = {0}, quoted = {0};
    struct span line;
    struct error error;
    size_t before = seeds->count;
    bool fresh;
    for (size_t at = 0; seeds->count < target && text_next_line(reply, &at, &line);) {
        line = bare_line(line);
        size_t n = utf8_length(line);
        if (n < SIDE_SEED_LEAST || n > SIDE_SEED_MOST || !utf8_valid(line))
            continue;
        key_of(line, &key);
        map_add(known, buf_span(&key), &fresh);
        if (!fresh)
            continue;
        buf_clear(&quoted);
        json_quote(&quoted, line);
        size_t count = seeds->count;
        if (seeds_parse(seeds, buf_span(&quoted), "seeds", &error) == 0 && seeds->count > count)
            seeds->items[count].writer_model = arena_span(&seeds->arena, span_text(writer));
    }
    buf_free(&key);
    buf_free(&quoted);
    return seeds->count - before;
}

size_t side_seeds(const struct side *s, struct task_list *seeds, const struct span *asks,
                  size_t n_asks, size_t target, const char *writer, struct error *error)
{
    struct buf user = {0}, reply = {0}, key = {0};
    struct map known = {0};
    size_t given = seeds->count, n = given + n_asks;
    char scope[32];
    for (size_t i = 0; i < n; i++) {
        key_of(i < given ? seeds->items[i].prompt : asks[i - given], &key);
        map_add(&known, buf_span(&key), NULL);
    }
    for (size_t call = 0; n && call < SIDE_SEED_CALLS && seeds->count < target; call++) {
        buf_clear(&user);
        buf_text(&user, STYLES[call % (sizeof STYLES / sizeof *STYLES)]);
        for (size_t i = 0; i < n && i < SIDE_SEED_EXAMPLES; i++) {
            size_t at = (call * SIDE_SEED_EXAMPLES + i) % n;
            buf_text(&user, "\n- ");
            buf_span_add(&user, utf8_head(at < given ? seeds->items[at].prompt : asks[at - given],
                                          SIDE_SEED_MOST));
        }
        snprintf(scope, sizeof scope, "seeds:%zu", call);
        if (!ask(s, scope, span_text(SEEDS), buf_span(&user), SIDE_SEED_TOKENS,
                 SIDE_SEED_TEMPERATURE, WRITER_TIMEOUT_S, &reply, error))
            break;
        add_lines(seeds, &known, buf_span(&reply), target, writer);
    }
    map_free(&known);
    buf_free(&user);
    buf_free(&reply);
    buf_free(&key);
    return seeds->count - given;
}
