/* tools.h: the one reader of tool files (world 20.1): a JSON array, JSONL, or an object with a
 * `tools` array; each entry an OpenAI envelope, {name, description, parameters}, {…, input_schema}
 * (Anthropic) or {…, inputSchema} (MCP). An entry with the name of an earlier one takes that one's
 * place. */
#ifndef WAI_ROW_TOOLS_H
#define WAI_ROW_TOOLS_H

#include "base/arena.h"
#include "base/error.h"
#include "json/scan.h"

struct row_tool {
    struct span name;             /* decoded, not empty */
    struct span description;      /* decoded; "" when absent */
    struct json_value parameters; /* a JSON Schema object; text.ptr NULL: none */
    struct json_value entry;      /* as the file has it */
    struct json_value
        function;  /* entry.function of an envelope, else entry: holds local keys too */
    bool envelope; /* {"type": "function", "function": {…}} */
    bool human;    /* kind is "human" */
};

/* `struct row_tools t = {0}` is empty. All spans live in the arena. */
struct row_tools {
    struct row_tool *items;
    size_t count, cap;
    size_t nameless;         /* entries left out because they have no name */
    struct span nameless_in; /* the first of them: its file, */
    size_t nameless_at;      /* and which entry of it, from 1 */
    size_t replaced;         /* entries that took an earlier one's place */
    struct arena arena;
};

/* Value of --tools: a file's name, "-", or the JSON itself when it begins with `{` or `[`. Adds to
 * tools. 0, or ERROR_INPUT naming file, line and mend. */
int row_tools_read(struct row_tools *tools, const char *file_or_json, struct error *error);

/* The same from a text in memory; name is for messages. */
int row_tools_parse(struct row_tools *tools, struct span text, const char *name,
                    struct error *error);

/* From a JSON array already scanned (a row's `tools`); entries that are no tool are left out. */
void row_tools_of(struct row_tools *tools, struct json_value array);

/* Appends the entries, as they are, as one JSON array. */
void row_tools_join(const struct row_tools *tools, struct buf *out);

const struct row_tool *row_tools_find(const struct row_tools *tools, struct span name);
void row_tools_free(struct row_tools *tools);

#endif
