/* test_store.c: lines come back whole, from memory and from the file behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "row/store.h"

enum { LINES = 2000 };

static void line_of(size_t i, struct buf *out)
{
    buf_clear(out);
    buf_format(out, "%zu:", i);
    for (size_t n = i * 37 % 300; n; n--)
        buf_byte(out, (char)(n % 256)); /* any byte, NUL too */
}

static void check_store(size_t memory)
{
    struct row_store *store = row_store_new(memory);
    struct buf want = {0}, scratch = {0};
    struct error error;
    size_t number;
    for (size_t i = 0; i < LINES; i++) {
        line_of(i, &want);
        assert_int_equal(row_store_add(store, buf_span(&want), &number, &error), 0);
        assert_int_equal(number, i);
    }
    assert_int_equal(row_store_count(store), LINES);
    for (size_t n = 0; n < LINES; n++) {
        size_t i = n * 991 % LINES; /* out of order */
        struct span line;
        line_of(i, &want);
        assert_int_equal(row_store_get(store, i, &scratch, &line, &error), 0);
        assert_true(span_equal(line, buf_span(&want)));
    }
    buf_free(&want);
    buf_free(&scratch);
    row_store_free(store);
}

static void lines_come_back_from_memory(void **state)
{
    (void)state;
    check_store(STORE_MEMORY);
}

static void lines_come_back_from_the_file(void **state)
{
    (void)state;
    check_store(1000);
    check_store(0);
}

static void without_room_it_says_so(void **state)
{
    (void)state;
    const char *before = getenv("TMPDIR");
    char *kept = before ? mem_text(before) : NULL;
    setenv("TMPDIR", "/nonexistent", 1);
    struct row_store *store = row_store_new(4);
    struct error error;
    size_t number;
    assert_int_equal(row_store_add(store, SPAN("12345"), &number, &error), 0);
    assert_int_equal(row_store_add(store, SPAN("12345"), &number, &error), ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "TMPDIR"));
    row_store_free(store);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_back_from_memory),
        cmocka_unit_test(lines_come_back_from_the_file),
        cmocka_unit_test(without_room_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
