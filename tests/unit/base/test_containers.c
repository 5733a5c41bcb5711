/* Buffers, arenas, the map of keys, growing arrays, and the sentences of errors and logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"

static void test_span(void **state)
{
    (void)state;
    struct span s = SPAN("abcabc");
    assert_true(span_is(span_slice(s, 1, 3), "bc"));
    assert_int_equal(span_find(s, SPAN("ca"), 0), 2);
    assert_int_equal(span_find(s, SPAN("a"), 1), 3);
    assert_true(span_find(s, SPAN("x"), 0) == SIZE_MAX);
    assert_int_equal(span_find(s, SPAN(""), 6), 6);
    assert_true(span_find(s, SPAN(""), 7) == SIZE_MAX);
    assert_true(span_compare(SPAN("a"), SPAN("ab")) < 0);
    assert_true(span_compare(SPAN("b"), SPAN("ab")) > 0);
    assert_int_equal(span_compare(SPAN(""), (struct span){0}), 0);
    assert_true(span_starts(s, SPAN("abc")) && span_ends(s, SPAN("abc")) &&
                !span_ends(s, SPAN("abcabca")));
    assert_true(span_equal((struct span){0}, SPAN("")));
    assert_true(span_text(NULL).len == 0);
}

static void test_buf(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_add(&b, NULL, 0);
    assert_string_equal(buf_cstr(&b), "");
    buf_text(&b, "a");
    buf_byte(&b, '\0');
    buf_format(&b, "%d-%s", 7, "seven");
    assert_int_equal(b.len, 9);
    assert_memory_equal(b.data,
                        "a\0"
                        "7-seven",
                        9);
    for (int i = 0; i < 10000; i++)
        buf_text(&b, "xyz");
    assert_int_equal(b.len, 30009);
    char *text = buf_take(&b);
    assert_int_equal(text[30009], '\0');
    assert_null(b.data);
    free(text);
    buf_free(&b);
}

static void test_arena(void **state)
{
    (void)state;
    struct arena a = {0};
    char *kept[200];
    for (size_t i = 0; i < 200; i++) {
        kept[i] = arena_alloc(&a, i * 37 + 1);
        assert_int_equal((uintptr_t)kept[i] % alignof(max_align_t), 0);
        memset(kept[i], (int)i, i * 37 + 1);
    }
    char *large = arena_alloc(&a, 3 << 20);
    memset(large, 1, 3 << 20);
    for (size_t i = 0; i < 200; i++)
        assert_int_equal((unsigned char)kept[i][i * 37], i);
    assert_string_equal(arena_text(&a, "text"), "text");
    const char *zero = arena_zero(&a, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(zero[i], 0);
    struct span copy = arena_span(&a, span_make("a\0b", 3));
    assert_memory_equal(copy.ptr, "a\0b", 4);
    arena_clear(&a);
    assert_non_null(arena_alloc(&a, 1));
    arena_free(&a);
    assert_int_equal(a.total, 0);
    arena_clear(&a);
    arena_free(&a);
}

static void test_map(void **state)
{
    (void)state;
    struct map m = {0};
    bool fresh;
    char key[32];
    assert_true(map_find(&m, SPAN("none")) == MAP_NONE);
    for (int i = 0; i < 20000; i++) {
        int len = snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(map_add(&m, span_make(key, (size_t)len), &fresh), i);
        assert_true(fresh);
    }
    for (int i = 0; i < 20000; i++) {
        int len = snprintf(key, sizeof key, "key %d", i);
        assert_int_equal(map_add(&m, span_make(key, (size_t)len), &fresh), i);
        assert_false(fresh);
        assert_int_equal(map_find(&m, span_make(key, (size_t)len)), i);
        assert_true(span_is(m.keys[i], key)); /* first-seen order */
    }
    assert_int_equal(map_add(&m, SPAN(""), NULL), 20000);
    assert_int_equal(map_add(&m, span_make("a\0b", 3), NULL), 20001);
    assert_int_equal(map_add(&m, span_make("a\0c", 3), NULL), 20002);
    assert_true(map_find(&m, SPAN("a")) == MAP_NONE);
    map_clear(&m);
    assert_int_equal(m.count, 0);
    assert_true(map_find(&m, SPAN("key 1")) == MAP_NONE);
    assert_int_equal(map_add(&m, SPAN("key 1"), &fresh), 0);
    map_free(&m);
    map_free(&m);
}

static void test_hash(void **state)
{
    (void)state;
    /* Every length and every byte counts. */
    char text[64];
    for (size_t len = 1; len < sizeof text; len++) {
        memset(text, 'a', len);
        uint64_t hash = map_hash(span_make(text, len));
        assert_int_equal(map_hash(span_make(text, len)), hash);
        for (size_t i = 0; i < len; i++) {
            text[i] = 'b';
            assert_true(map_hash(span_make(text, len)) != hash);
            text[i] = 'a';
        }
        assert_true(map_hash(span_make(text, len - 1)) != hash);
    }
}

static void test_mem(void **state)
{
    (void)state;
    size_t cap = 0;
    int *items = NULL;
    for (size_t i = 0; i < 1000; i++) {
        items = mem_grow(items, &cap, i + 1, sizeof *items);
        items[i] = (int)i;
    }
    assert_int_equal(items[999], 999);
    assert_true(cap >= 1000 && cap < 3000);
    int *copy = mem_copy(items, 10 * sizeof *items);
    assert_int_equal(copy[9], 9);
    free(copy);
    free(items);
    char *text = mem_text("text");
    assert_string_equal(text, "text");
    text = mem_resize(text, 100);
    assert_string_equal(text, "text");
    free(text);
}

static void test_error(void **state)
{
    (void)state;
    struct error e;
    assert_int_equal(error_set(&e, ERROR_INPUT, "%s:%d: bad", "a.jsonl", 3), ERROR_INPUT);
    assert_string_equal(e.text, "a.jsonl:3: bad");
    assert_int_equal(error_prefix(&e, "task %s", "x"), ERROR_INPUT);
    assert_string_equal(e.text, "task x: a.jsonl:3: bad");
    error_set(&e, ERROR_INPUT, "%s",
              "a\nb\tc\x1b[31m\x7f\xc2\x9b"
              "d\xc3\xa9");
    assert_string_equal(e.text, "a\\nb\\tc\\x1b[31m\\x7f\\x9bd\xc3\xa9");
    errno = ENOENT;
    assert_int_equal(error_errno(&e, ERROR_SYSTEM, "cannot open %s", "f"), ERROR_SYSTEM);
    assert_string_equal(e.text, "cannot open f: No such file or directory");
    assert_int_equal(error_set(NULL, ERROR_CHECK, "x"), ERROR_CHECK);
    assert_int_equal(error_prefix(NULL, "x"), ERROR_NONE);
}

static void test_error_is_cut_at_a_character(void **state)
{
    (void)state;
    struct error e;
    struct buf text = {0};
    for (size_t lead = 0; lead < 4; lead++) {
        buf_clear(&text);
        for (size_t i = 0; i < lead; i++)
            buf_byte(&text, 'x');
        for (int i = 0; i < 1000; i++)
            buf_text(&text, "\xe2\x82\xac");
        error_set(&e, ERROR_INPUT, "%s", buf_cstr(&text));
        size_t len = strlen(e.text);
        assert_true(len > sizeof e.text - 10 && len < sizeof e.text);
        assert_int_equal((len - lead) % 3, 0);
    }
    buf_free(&text);
}

static void read_back(int from, const char *expected)
{
    char text[1024];
    ssize_t len = read(from, text, sizeof text - 1);
    assert_true(len >= 0);
    text[len] = '\0';
    assert_string_equal(text, expected);
}

static void test_log(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    struct error e;
    error_set(&e, ERROR_INPUT, "x:1: bad");
    log_open("/usr/bin/wai-tool");
    log_note("read %d rows", 3);
    log_warning("odd \x1b name");
    int status = log_fail(&e);
    log_quiet(true);
    log_note("not seen");
    log_warning("seen");
    log_quiet(false);
    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(status, 3);
    assert_string_equal(log_program(), "wai-tool");
    assert_false(log_is_quiet());
    read_back(ends[0],
              "wai-tool: read 3 rows\nwai-tool: warning: odd \\x1b name\nwai-tool: x:1: bad\n"
              "wai-tool: warning: seen\n");
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_span),  cmocka_unit_test(test_buf),
        cmocka_unit_test(test_arena), cmocka_unit_test(test_map),
        cmocka_unit_test(test_hash),  cmocka_unit_test(test_mem),
        cmocka_unit_test(test_error), cmocka_unit_test(test_error_is_cut_at_a_character),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
