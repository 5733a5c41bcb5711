/* coverage.c: a run whose score says nothing: tools nobody called or that never worked, markers
 * that are no numbers (guard 15.1). */
#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "guard/hygiene.h"
#include "row/fault.h"
#include "row/value.h"
#include "stat/stat.h"
#include "text/utf8.h"

enum { NAMES_SHOWN = 3, ASK_SHOWN = 60 }; /* in a sentence; code points */

struct tool_use {
    size_t calls, answered, failed;
};

struct coverage {
    size_t n_rows, n_silent;
    struct map declared; /* by the rows */
    struct map called;
    struct tool_use *uses; /* by number among the called */
    size_t cap_uses;
    struct map silent_asks;
    struct map markers;
    size_t *numeric; /* rows, by number among the markers */
    size_t cap_numeric;
};

struct coverage *coverage_new(void)
{
    return mem_zero(1, sizeof(struct coverage));
}

void coverage_free(struct coverage *c)
{
    if (!c)
        return;
    map_free(&c->declared);
    map_free(&c->called);
    map_free(&c->silent_asks);
    map_free(&c->markers);
    free(c->uses);
    free(c->numeric);
    free(c);
}

/* The name of a tool in any of its shapes, or its bare text. */
static void declare(struct coverage *c, struct json_value tool)
{
    struct json_value name = tool, function;
    struct buf scratch = {0};
    if (tool.type == JSON_VALUE_OBJECT) {
        function =
            json_get(tool, SPAN("function"), &name) && name.type == JSON_VALUE_OBJECT ? name : tool;
        if (!json_get(function, SPAN("name"), &name))
            name = (struct json_value){0};
    }
    if (name.type == JSON_VALUE_STRING && json_truthy(name))
        map_add(&c->declared, json_text(name, &scratch), NULL);
    buf_free(&scratch);
}

/* The row's own plan makes this tool fail. */
static bool fault_planned(const struct row *row, struct span tool)
{
    const struct json_value *faults = row_get(row, SPAN("faults"));
    struct json_value value;
    return faults && faults->type == JSON_VALUE_OBJECT &&
           (json_get(*faults, tool, &value) || json_get(*faults, SPAN("*"), &value));
}

static void add_call(struct coverage *c, const struct row *row, struct json_value step,
                     struct span tool)
{
    struct json_value result;
    size_t number = map_add(&c->called, tool, NULL), old = c->cap_uses;
    c->uses = mem_grow(c->uses, &c->cap_uses, number + 1, sizeof *c->uses);
    if (c->cap_uses > old)
        memset(c->uses + old, 0, (c->cap_uses - old) * sizeof *c->uses);
    struct tool_use *use = &c->uses[number];
    use->calls++;
    if (!json_get(step, SPAN("result"), &result) || json_value_null(result))
        return;
    bool failed = row_result_failed(result);
    if (failed && fault_planned(row, tool))
        return;
    use->answered++;
    use->failed += failed;
}

static size_t add_calls(struct coverage *c, const struct row *row)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    size_t calls = 0;
    if (!steps || !json_truthy(*steps))
        steps = row_get(row, SPAN("tool_trace"));
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return 0;
    struct json_cursor cursor = json_enter(*steps);
    struct json_value step, tool;
    struct buf scratch = {0};
    while (json_next_item(&cursor, &step))
        if (json_get(step, SPAN("tool"), &tool) && json_truthy(tool)) {
            add_call(c, row, step, value_text(tool, &scratch));
            calls++;
        }
    buf_free(&scratch);
    return calls;
}

static void add_markers(struct coverage *c, const struct row *row)
{
    const struct json_value *markers = row_get(row, SPAN("markers"));
    if (!markers || markers->type != JSON_VALUE_OBJECT)
        return;
    struct json_cursor cursor = json_enter(*markers);
    struct json_member m;
    struct buf scratch = {0};
    while (json_next_member(&cursor, &m)) {
        size_t number = map_add(&c->markers, json_key(&m, &scratch), NULL), old = c->cap_numeric;
        c->numeric = mem_grow(c->numeric, &c->cap_numeric, number + 1, sizeof *c->numeric);
        if (c->cap_numeric > old)
            memset(c->numeric + old, 0, (c->cap_numeric - old) * sizeof *c->numeric);
        c->numeric[number] += m.value.type == JSON_VALUE_NUMBER;
    }
    buf_free(&scratch);
}

void coverage_add(struct coverage *c, const struct row *row)
{
    const struct json_value *tools = row_get(row, SPAN("tools"));
    struct buf scratch = {0};
    c->n_rows++;
    if (tools && tools->type == JSON_VALUE_ARRAY) {
        struct json_cursor cursor = json_enter(*tools);
        struct json_value tool;
        while (json_next_item(&cursor, &tool))
            declare(c, tool);
    }
    if (!add_calls(c, row)) {
        const struct json_value *prompt = row_get(row, SPAN("prompt"));
        c->n_silent++;
        map_add(&c->silent_asks,
                prompt && json_truthy(*prompt) ? value_text(*prompt, &scratch) : SPAN(""), NULL);
    }
    add_markers(c, row);
    buf_free(&scratch);
}

static void name(struct buf *out, struct span text, size_t *shown, size_t most)
{
    struct span head = utf8_head(text, ASK_SHOWN);
    if (*shown < most)
        buf_format(out, "%s%.*s", *shown ? ", " : "", (int)head.len, head.ptr);
    ++*shown;
}

static void check_calls(const struct coverage *c, const struct map *declared, struct findings *f)
{
    struct buf names = {0};
    size_t shown = 0, missing = 0;
    if (c->n_silent >= HYGIENE_SILENT_ROWS ||
        (double)c->n_silent >= HYGIENE_SILENT * (double)c->n_rows) {
        for (size_t i = 0; i < c->silent_asks.count; i++)
            name(&names, c->silent_asks.keys[i], &shown, NAMES_SHOWN);
        if (c->n_silent)
            findings_add(f, FINDING_WARN, "silent_rows",
                         "%zu of %zu rows called no tool (%zu asks: %s); they say nothing of tool "
                         "use; drop them or ask for something a tool can do",
                         c->n_silent, c->n_rows, c->silent_asks.count, buf_cstr(&names));
    }
    buf_clear(&names);
    for (size_t i = 0; i < declared->count; i++)
        if (map_find(&c->called, declared->keys[i]) == MAP_NONE)
            name(&names, declared->keys[i], &missing, SIZE_MAX);
    if (missing)
        findings_add(f, FINDING_WARN, "never_called",
                     "%zu of %zu declared tools were never called (%s); add asks that need them",
                     missing, declared->count, buf_cstr(&names));
    buf_free(&names);
}

static void check_dead(const struct coverage *c, const struct map *declared, struct findings *f)
{
    struct buf names = {0};
    size_t dead = 0;
    for (size_t i = 0; i < c->called.count; i++) {
        const struct tool_use *use = &c->uses[i];
        double worked = (double)(use->answered - use->failed);
        if (use->answered < HYGIENE_DEAD_CALLS ||
            map_find(declared, c->called.keys[i]) == MAP_NONE ||
            !(stat_wilson(worked, (double)use->answered, STAT_Z95).high < HYGIENE_DEAD_TOOL))
            continue;
        buf_format(&names, "%s%.*s %zu of %zu", dead++ ? ", " : "", (int)c->called.keys[i].len,
                   c->called.keys[i].ptr, use->answered - use->failed, use->answered);
    }
    if (dead)
        findings_add(f, FINDING_WARN, "dead_tools",
                     "tools that hardly ever work: %s; what depends on them is not tested; give "
                     "them a world that answers, or take them out",
                     buf_cstr(&names));
    buf_free(&names);
}

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

static void check_markers(const struct coverage *c, struct findings *f)
{
    struct span *names = mem_zero(c->markers.count, sizeof *names);
    size_t n = 0;
    for (size_t i = 0; i < c->markers.count; i++)
        if (!c->numeric[i])
            names[n++] = c->markers.keys[i];
    if (n)
        qsort(names, n, sizeof *names, by_text);
    for (size_t i = 0; i < n; i++)
        findings_add(f, FINDING_WARN, "marker_never_numeric",
                     "marker %.*s is a number on none of %zu rows, so it measures nothing; add an "
                     "ask that it applies to, or drop it",
                     (int)names[i].len, names[i].ptr, c->n_rows);
    free(names);
}

void coverage_measure(struct coverage *c, const struct row_tools *declared,
                      struct findings *findings)
{
    struct map from_file = {0};
    for (size_t i = 0; declared && i < declared->count; i++)
        map_add(&from_file, declared->items[i].name, NULL);
    const struct map *tools = declared ? &from_file : &c->declared;
    if (tools->count && c->n_rows) {
        if (!c->called.count)
            findings_add(findings, FINDING_RED, "no_tool_calls",
                         "none of %zu rows called a tool, so the score says nothing of tool use; "
                         "see that steps are recorded and that the asks name what the world holds",
                         c->n_rows);
        else
            check_calls(c, tools, findings);
        check_dead(c, tools, findings);
    }
    check_markers(c, findings);
    map_free(&from_file);
}
