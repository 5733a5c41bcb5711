/* row.c: one line to one row, and what is said of a line that is none. */
#include "row/row.h"

#include "row/line_scan.h"

int row_of_text(struct span text, struct row *row, struct json_members *members,
                struct json_fault *fault)
{
    *row = (struct row){.line = text};
    members->count = 0;
    if (json_scan(text, &row->value, members, fault) < 0)
        return -1;
    if (row->value.type == JSON_VALUE_OBJECT)
        row->members = *members;
    return 0;
}

static const char *const TYPE_NAMES[] = {
    [JSON_VALUE_NULL] = "null",        [JSON_VALUE_FALSE] = "false",
    [JSON_VALUE_TRUE] = "true",        [JSON_VALUE_NUMBER] = "a number",
    [JSON_VALUE_STRING] = "a string",  [JSON_VALUE_ARRAY] = "an array",
    [JSON_VALUE_OBJECT] = "an object",
};

int line_scan(struct span line, const struct row_source *source, struct row *row,
              struct json_members *members, struct buf *what)
{
    struct json_fault fault;
    if (line.len > source->options.max_line) {
        line_too_long(source, what);
        return -1;
    }
    if (row_of_text(line, row, members, &fault) < 0) {
        buf_format(what, "not JSON at byte %zu: %s; mend the line or pass --on-bad skip",
                   fault.offset + 1, fault.what);
        return -1;
    }
    if (row->value.type != JSON_VALUE_OBJECT && !source->any_value) {
        buf_format(what,
                   "%s where a row (a JSON object) is due; mend the line or pass --on-bad skip",
                   TYPE_NAMES[row->value.type]);
        return -1;
    }
    return 0;
}

void line_too_long(const struct row_source *source, struct buf *what)
{
    buf_format(what, "the line is longer than %llu bytes; raise --max-line or pass --on-bad skip",
               (unsigned long long)source->options.max_line);
}

size_t members_keep(struct json_members *all, const struct json_members *members)
{
    size_t at = all->count;
    if (members->count) {
        all->items = mem_grow(all->items, &all->cap, at + members->count, sizeof *all->items);
        memcpy(all->items + at, members->items, members->count * sizeof *all->items);
        all->count += members->count;
    }
    return at;
}

struct json_members members_slice(const struct json_members *all, size_t at, size_t count)
{
    return count ? (struct json_members){all->items + at, count, count} : (struct json_members){0};
}

int interrupted_behind(const char *file, uint64_t number, struct error *error)
{
    if (!file)
        return error_set(error, ERROR_INTERRUPTED, "interrupted before the first row was done");
    return error_set(error, ERROR_INTERRUPTED, "interrupted; done up to %s:%llu", file,
                     (unsigned long long)number);
}
