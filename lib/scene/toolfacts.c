/* toolfacts.c: what the grid reads off a list of tools (situations 2.3): kinds by the words of a
 * name, whether records are named by an id, ids that the descriptions mention. */
#include <stdlib.h>
#include <strings.h>

#include "base/map.h"
#include "scene/grid.h"
#include "text/unicode.h"
#include "text/utf8.h"

static bool lower_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Words of a name: a boundary between a lower-case letter or digit and an upper-case letter, and at
 * all that is no ASCII letter or digit. */
static void read_tokens(struct arena *a, struct tool_fact *f)
{
    struct span name = f->name;
    f->tokens = arena_alloc(a, (name.len + 1) * sizeof *f->tokens);
    bool dot = false;
    for (size_t at = 0; at < name.len;) {
        if (!lower_or_digit(name.ptr[at]) && !upper(name.ptr[at])) {
            dot = dot || name.ptr[at] == '.';
            at++;
            continue;
        }
        if (dot)
            f->tail = f->n_tokens;
        dot = false;
        size_t from = at++;
        while (at < name.len && (lower_or_digit(name.ptr[at]) || upper(name.ptr[at])) &&
               !(upper(name.ptr[at]) && lower_or_digit(name.ptr[at - 1])))
            at++;
        struct span token = span_slice(name, from, at);
        char *lower = arena_alloc(a, token.len + 1);
        for (size_t i = 0; i < token.len; i++)
            lower[i] = upper(token.ptr[i]) ? (char)(token.ptr[i] + 32) : token.ptr[i];
        f->tokens[f->n_tokens++] = span_make(lower, token.len);
    }
}

static bool among(struct span word, const char *const *words)
{
    for (; *words; words++)
        if (span_is(word, *words))
            return true;
    return false;
}

static enum tool_kind kind_of_tokens(const struct tool_fact *f)
{
    static const char *const read[] = {"browse", "cat",     "check", "describe", "fetch",  "find",
                                       "get",    "inspect", "list",  "look",     "lookup", "query",
                                       "read",   "search",  "show",  "status",   "view",   NULL};
    static const char *const destructive[] = {
        "clear",     "delete", "destroy",   "drop",    "erase",    "purge",      "remove",
        "uninstall", "wipe",   "pay",       "refund",  "transfer", "publish",    "send",
        "unpublish", "unsend", "unshare",   "cancel",  "close",    "deactivate", "disable",
        "reset",     "revoke", "terminate", "execute", NULL};
    if (f->n_tokens && among(f->tokens[0], read))
        return TOOL_READ;
    for (size_t i = 0; i < f->n_tokens; i++)
        if (among(f->tokens[i], destructive))
            return TOOL_DESTRUCTIVE;
    return TOOL_OTHER;
}

static bool same_case(struct span s, const char *word)
{
    return s.len == strlen(word) && strncasecmp(s.ptr, word, s.len) == 0;
}

static bool ends_case(struct span s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.len >= n && strncasecmp(s.ptr + s.len - n, suffix, n) == 0;
}

static bool names_record(struct span key)
{
    static const char *const whole[] = {"id",        "path",   "file", "name", "key", "ref",
                                        "reference", "number", "repo", "asin", "sku"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (same_case(key, whole[i]))
            return true;
    return ends_case(key, "_id") || ends_case(key, "_path") || ends_case(key, "_ref");
}

static bool names_number(struct span key)
{
    return same_case(key, "id") || same_case(key, "ref") || same_case(key, "reference") ||
           same_case(key, "number") || ends_case(key, "_id") || ends_case(key, "_ref") ||
           ends_case(key, "_number");
}

/* ---- known ids ------------------------------------------------------------------------------- */

static bool word_at(struct span s, size_t at)
{
    return at < s.len && unicode_word(utf8_next(s, &at));
}

static size_t run(struct span s, size_t at, size_t most, bool (*in)(char))
{
    size_t n = 0;
    while (n < most && at + n < s.len && in(s.ptr[at + n]))
        n++;
    return n;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* [A-Z]{1,4}[-_]?\d{3,6} or \d{1,4}[A-Z]{1,2}, up to a word's end; 0: none starts here. */
static size_t id_end(struct span s, size_t at)
{
    size_t letters = run(s, at, 4, upper);
    if (letters) {
        size_t next = at + letters;
        if (next < s.len && (s.ptr[next] == '-' || s.ptr[next] == '_'))
            next++;
        size_t digits = run(s, next, 6, digit);
        return digits >= 3 && !word_at(s, next + digits) ? next + digits : 0;
    }
    size_t digits = run(s, at, 4, digit);
    letters = digits ? run(s, at + digits, 2, upper) : 0;
    return letters && !word_at(s, at + digits + letters) ? at + digits + letters : 0;
}

static void find_ids(struct tool_facts *facts, struct map *seen, struct span text)
{
    bool inside = false;
    for (size_t at = 0; at < text.len;) {
        size_t next = at, end = inside ? 0 : id_end(text, at);
        bool fresh;
        if (end) {
            map_add(seen, span_slice(text, at, end), &fresh);
            if (fresh) {
                facts->ids =
                    mem_grow(facts->ids, &facts->ids_cap, facts->n_ids + 1, sizeof *facts->ids);
                facts->ids[facts->n_ids++] = arena_span(&facts->arena, span_slice(text, at, end));
            }
            at = end;
            inside = true;
            continue;
        }
        inside = unicode_word(utf8_next(text, &next));
        at = next;
    }
}

/* Properties at any depth of nested objects. */
static void read_properties(struct tool_facts *facts, struct map *seen, struct json_value schema,
                            bool top)
{
    struct json_value properties, type, description;
    struct json_member member;
    struct buf scratch = {0};
    if (!json_get(schema, SPAN("properties"), &properties) || properties.type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor at = json_enter(properties);
    while (json_next_member(&at, &member)) {
        struct span key = json_key(&member, &scratch);
        facts->records = facts->records || names_record(key);
        facts->record_numbers = facts->record_numbers || names_number(key);
        if (member.value.type != JSON_VALUE_OBJECT)
            continue;
        if (top && json_get(member.value, SPAN("description"), &description) &&
            description.type == JSON_VALUE_STRING)
            find_ids(facts, seen, json_text(description, &scratch));
        if (json_get(member.value, SPAN("type"), &type) && type.type == JSON_VALUE_STRING &&
            span_is(json_text(type, &scratch), "object"))
            read_properties(facts, seen, member.value, false);
    }
    buf_free(&scratch);
}

static struct span domain_noun(const struct tool_facts *facts)
{
    static const enum tool_kind order[] = {TOOL_DESTRUCTIVE, TOOL_OTHER, TOOL_READ};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < facts->count; i++)
            if (facts->items[i].kind == order[k]) {
                if (facts->items[i].n_tokens >= 2)
                    return facts->items[i].tokens[1];
                break;
            }
    return SPAN("request");
}

void tool_facts_read(struct tool_facts *facts, const struct row_tools *tools)
{
    struct map seen = {0};
    *facts = (struct tool_facts){0};
    facts->count = tools->count;
    facts->items = arena_zero(&facts->arena, (tools->count + 1) * sizeof *facts->items);
    for (size_t i = 0; i < tools->count; i++) {
        const struct row_tool *tool = &tools->items[i];
        struct tool_fact *f = &facts->items[i];
        f->name = tool->name;
        read_tokens(&facts->arena, f);
        f->kind = kind_of_tokens(f);
        find_ids(facts, &seen, tool->description);
        if (tool->parameters.text.ptr)
            read_properties(facts, &seen, tool->parameters, true);
    }
    facts->noun = domain_noun(facts);
    map_free(&seen);
}

const struct tool_fact *tool_facts_find(const struct tool_facts *facts, struct span name)
{
    for (size_t i = 0; i < facts->count; i++)
        if (span_equal(facts->items[i].name, name))
            return &facts->items[i];
    return NULL;
}

void tool_facts_free(struct tool_facts *facts)
{
    arena_free(&facts->arena);
    free(facts->ids);
}
