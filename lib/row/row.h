/* row.h: one row as a filter sees it: the bytes of its line, the spans of its members, where it
 * came from. Borrowed from the reader until its next call (or, inside row_filter, until the work
 * returns). */
#ifndef WAI_ROW_ROW_H
#define WAI_ROW_ROW_H

#include "json/scan.h"

struct row {
    struct span line;            /* without its newline, CR and byte order mark */
    struct json_value value;     /* an object, unless the reader was told to accept any value */
    struct json_members members; /* of that object; borrowed, do not free */
    const char *file;            /* operand's name, "-" for standard input */
    uint64_t line_number;        /* from 1, in its file */
    uint64_t index; /* from 0, among the lines of all input that are not blank: a bad line
                     * that on_bad skips leaves a gap */
};

/* The last member of that name, or NULL. */
static inline const struct json_value *row_get(const struct row *row, struct span key)
{
    const struct json_member *member = json_find(&row->members, key);
    return member ? &member->value : NULL;
}

/* A value that is there and not null, or NULL. */
static inline const struct json_value *row_get_set(const struct row *row, struct span key)
{
    const struct json_value *value = row_get(row, key);
    return value && value->type != JSON_VALUE_NULL ? value : NULL;
}

/* Makes a row of a text that is held in memory (tests, co-processes). The members array is the
 * caller's to reuse and free. 0, or -1 with *fault; a value that is no object has no members. */
int row_of_text(struct span text, struct row *row, struct json_members *members,
                struct json_fault *fault);

#endif
