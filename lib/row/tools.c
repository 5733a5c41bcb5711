/* tools.c: reads tool files in all the shapes their makers use (world 20.1). */
#include "row/tools.h"

#include <stdlib.h>

#include "base/file.h"
#include "row/defaults.h"
#include "text/fold.h"
#include "json/write.h"

enum entry { ENTRY_TOOL, ENTRY_NAMELESS, ENTRY_BAD };

static struct json_value member(struct json_value object, struct span key)
{
    struct json_value value;
    return json_get(object, key, &value) ? value : (struct json_value){0};
}

static struct span keep_text(struct row_tools *tools, struct json_value value)
{
    struct buf decoded = {0};
    if (value.type != JSON_VALUE_STRING)
        return SPAN("");
    struct span text = arena_span(&tools->arena, json_text(value, &decoded));
    buf_free(&decoded);
    return text;
}

static struct json_value schema_of(struct json_value function)
{
    static const struct span KEYS[] = {
        {"parameters", 10}, {"input_schema", 12}, {"inputSchema", 11}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        struct json_value schema = member(function, KEYS[i]);
        if (schema.type == JSON_VALUE_OBJECT)
            return schema;
    }
    return (struct json_value){0};
}

static void put(struct row_tools *tools, const struct row_tool *tool)
{
    for (size_t i = 0; i < tools->count; i++) {
        if (span_equal(tools->items[i].name, tool->name)) {
            tools->items[i] = *tool;
            tools->replaced++;
            return;
        }
    }
    tools->items = mem_grow(tools->items, &tools->cap, tools->count + 1, sizeof *tools->items);
    tools->items[tools->count++] = *tool;
}

/* entry's text must live as long as the arena. */
static enum entry add_entry(struct row_tools *tools, struct json_value entry)
{
    if (entry.type != JSON_VALUE_OBJECT)
        return ENTRY_BAD;
    struct row_tool tool = {.entry = entry, .function = entry};
    struct json_value function = member(entry, SPAN("function"));
    if (function.type == JSON_VALUE_OBJECT) {
        tool.function = function;
        tool.envelope = true;
    }
    tool.name = text_strip(keep_text(tools, member(tool.function, SPAN("name"))));
    if (!tool.name.len) {
        tools->nameless++;
        return ENTRY_NAMELESS;
    }
    tool.description = keep_text(tools, member(tool.function, SPAN("description")));
    tool.parameters = schema_of(tool.function);
    struct span kind = keep_text(tools, member(entry, SPAN("kind")));
    if (!kind.len)
        kind = keep_text(tools, member(tool.function, SPAN("kind")));
    tool.human = span_is(kind, "human");
    put(tools, &tool);
    return ENTRY_TOOL;
}

/* Which entry has no name: people look for it. */
static void note_nameless(struct row_tools *tools, const char *name, size_t entry)
{
    if (tools->nameless > 1)
        return;
    tools->nameless_in = arena_span(&tools->arena, span_text(name));
    tools->nameless_at = entry;
}

static int bad_entry(const char *name, size_t line, size_t entry, struct error *error)
{
    return error_set(error, ERROR_INPUT,
                     "%s:%zu: tool %zu is not an object; a tool is {\"name\", \"description\", "
                     "\"parameters\"}",
                     name, line, entry);
}

static int add(struct row_tools *tools, struct json_value value, const char *name, size_t line,
               size_t entry, struct error *error)
{
    switch (add_entry(tools, value)) {
    case ENTRY_BAD: return bad_entry(name, line, entry, error);
    case ENTRY_NAMELESS: note_nameless(tools, name, entry); break;
    case ENTRY_TOOL: break;
    }
    return 0;
}

static int add_array(struct row_tools *tools, struct json_value array, const char *name,
                     size_t line, struct error *error)
{
    struct json_cursor c = json_enter(array);
    struct json_value entry;
    int code = 0;
    for (size_t n = 1; !code && json_next_item(&c, &entry); n++)
        code = add(tools, entry, name, line, n, error);
    return code;
}

static size_t line_of(struct span text, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}

static int not_json(const char *name, size_t line, const struct json_fault *fault,
                    struct error *error)
{
    return error_set(error, ERROR_INPUT,
                     "%s:%zu: %s; a tool file is a JSON array of tools, one tool a line, or an "
                     "object with a \"tools\" array",
                     name, line, fault->what);
}

/* One tool a line. */
static int add_lines(struct row_tools *tools, struct span text, const char *name,
                     struct error *error)
{
    size_t line = 0, n = 0;
    for (size_t at = 0; at < text.len;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t stop = end ? (size_t)(end - text.ptr) : text.len;
        struct span one = span_slice(text, at, stop);
        at = stop + 1;
        line++;
        if (text_blank(one))
            continue;
        struct json_value entry;
        struct json_fault fault;
        if (json_scan(one, &entry, NULL, &fault))
            return not_json(name, line, &fault, error);
        int code = add(tools, entry, name, line, ++n, error);
        if (code)
            return code;
    }
    return 0;
}

int row_tools_parse(struct row_tools *tools, struct span text, const char *name,
                    struct error *error)
{
    if (span_starts(text, SPAN("\xef\xbb\xbf")))
        text = span_slice(text, 3, text.len);
    text = arena_span(&tools->arena, text);
    struct json_value value;
    struct json_fault fault;
    if (text_blank(text))
        return error_set(error, ERROR_INPUT, "%s:1: no tool in it; give a JSON array of tools",
                         name);
    if (json_scan(text, &value, NULL, &fault)) {
        /* More than one value: lines, unless the first line alone is no JSON either. */
        const char *end = memchr(text.ptr, '\n', text.len);
        struct json_fault first;
        size_t stop = end ? (size_t)(end - text.ptr) : text.len;
        if (!end || json_scan(span_slice(text, 0, stop), &value, NULL, &first))
            return not_json(name, line_of(text, fault.offset), &fault, error);
        return add_lines(tools, text, name, error);
    }
    if (memchr(value.text.ptr, '\n', value.text.len)) { /* schemas go into lines and rows */
        struct buf one_line = {0};
        json_compact(value.text, &one_line);
        json_scan(arena_span(&tools->arena, buf_span(&one_line)), &value, NULL, &fault);
        buf_free(&one_line);
    }
    if (value.type == JSON_VALUE_ARRAY)
        return add_array(tools, value, name, 1, error);
    struct json_value list = member(value, SPAN("tools"));
    if (list.type == JSON_VALUE_ARRAY)
        return add_array(tools, list, name, 1, error);
    return add(tools, value, name, 1, 1, error);
}

int row_tools_read(struct row_tools *tools, const char *file_or_json, struct error *error)
{
    if (file_or_json[0] == '{' || file_or_json[0] == '[')
        return row_tools_parse(tools, span_text(file_or_json), "--tools", error);
    struct buf text = {0};
    int code = file_read(file_or_json, ROW_TOOL_FILE_MAX, &text, error);
    if (!code)
        code = row_tools_parse(tools, buf_span(&text), file_or_json, error);
    buf_free(&text);
    return code;
}

void row_tools_of(struct row_tools *tools, struct json_value array)
{
    struct json_value kept = array;
    struct json_fault fault;
    if (array.type != JSON_VALUE_ARRAY ||
        json_scan(arena_span(&tools->arena, array.text), &kept, NULL, &fault))
        return;
    struct json_cursor c = json_enter(kept);
    struct json_value entry;
    while (json_next_item(&c, &entry))
        add_entry(tools, entry);
}

void row_tools_join(const struct row_tools *tools, struct buf *out)
{
    buf_byte(out, '[');
    for (size_t i = 0; i < tools->count; i++) {
        if (i)
            buf_byte(out, ',');
        buf_span_add(out, tools->items[i].entry.text);
    }
    buf_byte(out, ']');
}

const struct row_tool *row_tools_find(const struct row_tools *tools, struct span name)
{
    for (size_t i = 0; i < tools->count; i++)
        if (span_equal(tools->items[i].name, name))
            return &tools->items[i];
    return NULL;
}

void row_tools_free(struct row_tools *tools)
{
    free(tools->items);
    arena_free(&tools->arena);
    *tools = (struct row_tools){0};
}
