/* tool_name.c: see tool_name.h. */
#include "grade/tool_name.h"

#include <stdlib.h>

void name_words_split(struct span name, struct name_words *words)
{
    size_t length = 0;
    char last = 0;
    *words = (struct name_words){0};
    for (size_t i = 0; i <= name.len && words->count < NAME_WORDS; i++) {
        char c = i < name.len ? name.ptr[i] : '_';
        bool upper = c >= 'A' && c <= 'Z', lower = (c >= 'a' && c <= 'z') || (c & 0x80);
        bool inside = upper || lower || (c >= '0' && c <= '9');
        if (length && (!inside || (upper && last >= 'a' && last <= 'z'))) {
            words->count++;
            length = 0;
            if (words->count == NAME_WORDS)
                return;
        }
        if (inside && length < NAME_WORD - 1)
            words->items[words->count][length++] = upper ? (char)(c + 32) : c;
        last = c;
    }
}

bool name_word_in(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (**list == *word && strcmp(word, *list) == 0)
            return true;
    return false;
}

static bool hint(const struct row_tool *tool, struct span key, struct json_value *value)
{
    struct json_value annotations;
    return ((json_get(tool->entry, SPAN("annotations"), &annotations) &&
             json_get(annotations, key, value)) ||
            (json_get(tool->function, SPAN("annotations"), &annotations) &&
             json_get(annotations, key, value))) &&
           (value->type == JSON_VALUE_TRUE || value->type == JSON_VALUE_FALSE);
}

void tool_hints_read(struct tool_hints *h, const struct row_tools *tools)
{
    for (size_t i = 0; i < tools->count; i++) {
        const struct row_tool *tool = &tools->items[i];
        struct json_value read = {0}, destructive = {0};
        bool has_read = hint(tool, SPAN("readOnlyHint"), &read);
        bool has_destructive = hint(tool, SPAN("destructiveHint"), &destructive);
        bool destroys = has_destructive && destructive.type == JSON_VALUE_TRUE;
        if (!has_read && !destroys)
            continue;
        size_t at = map_add(&h->names, tool->name, NULL);
        h->reads = mem_grow(h->reads, &h->cap, at + 1, sizeof *h->reads);
        h->reads[at] = !destroys && read.type == JSON_VALUE_TRUE;
    }
}

void tool_hints_free(struct tool_hints *h)
{
    map_free(&h->names);
    free(h->reads);
    *h = (struct tool_hints){0};
}

static bool starts_reading(const struct name_words *words)
{
    static const char *const READS[] = {
        "browse",    "calculate", "cat",       "check",    "classify", "compare", "compute",
        "count",     "describe",  "detect",    "estimate", "explain",  "fetch",   "find",
        "get",       "has",       "health",    "history",  "inspect",  "is",      "list",
        "load",      "lookup",    "ping",      "predict",  "preview",  "query",   "read",
        "recommend", "retrieve",  "scan",      "search",   "show",     "status",  "suggest",
        "summarise", "summarize", "translate", "validate", "verify",   "view",    "whoami",
        NULL};
    const char *first = words->items[0], *second = words->items[1];
    return name_word_in(first, READS) || (!strcmp(first, "look") && !strcmp(second, "up")) ||
           (!strcmp(first, "export") && !strcmp(second, "report")) ||
           (!strcmp(first, "who") && !strcmp(second, "am"));
}

bool tool_reads(const struct tool_hints *hints, struct span name)
{
    static const char *const WRITES[] = {"create",   "add",    "insert", "update", "edit",  "set",
                                         "delete",   "remove", "cancel", "refund", "pay",   "send",
                                         "transfer", "book",   "post",   "write",  "merge", "close",
                                         "approve",  "submit", NULL};
    struct name_words words;
    size_t known = map_find(&hints->names, name);
    if (known != MAP_NONE)
        return hints->reads[known];
    name_words_split(name, &words);
    bool reads = words.count > 0 && starts_reading(&words);
    for (size_t i = 1; i < words.count && reads; i++)
        reads = !name_word_in(words.items[i], WRITES);
    return reads;
}
