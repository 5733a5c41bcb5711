/* rows.h: rows out of literal texts, for the tests of what a row means. */
#ifndef TESTS_UNIT_ROW_ROWS_H
#define TESTS_UNIT_ROW_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "row/row.h"
#include "json/write.h"

struct test_row {
    struct row row;
    struct json_members members;
    char *text;
};

/* Writes ' instead of " in the texts of the tests: they read better. */
static inline char *quoted(const char *text)
{
    char *copy = mem_text(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

static inline const struct row *test_row_raw(struct test_row *t, const char *text)
{
    struct json_fault fault;
    free(t->text);
    t->text = mem_text(text);
    if (row_of_text(span_text(t->text), &t->row, &t->members, &fault))
        fail_msg("%s: %s at %zu", text, fault.what, fault.offset);
    t->row.file = "-";
    t->row.line_number = 1;
    return &t->row;
}

static inline const struct row *test_row(struct test_row *t, const char *text)
{
    char *copy = quoted(text);
    test_row_raw(t, copy);
    free(copy);
    return &t->row;
}

static inline void test_row_free(struct test_row *t)
{
    free(t->text);
    json_members_free(&t->members);
    *t = (struct test_row){0};
}

static inline void assert_span(struct span got, const char *want)
{
    char *text = mem_alloc(got.len + 1);
    memcpy(text, got.len ? got.ptr : "", got.len);
    text[got.len] = '\0';
    assert_string_equal(text, want);
    assert_int_equal(got.len, strlen(want));
    free(text);
}

/* The same with ' for " in want. */
static inline void assert_json(struct span got, const char *want)
{
    char *copy = quoted(want);
    assert_span(got, copy);
    free(copy);
}

#endif
