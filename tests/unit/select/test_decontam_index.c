/* test_decontam_index.c: the index as bytes: what is saved reads back, joins, and whatever is changed in it is
 * either refused or harmless; and the words of any script. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "rng/rng.h"
#include "select/decontam_index.h"

static const struct span FIELDS[] = {{"prompt", 6}};

static struct decontam_index *make(const char *const *rows, size_t n, size_t ngram,
                                   enum decontam_tokens tokens)
{
    struct decontam_index *index = decontam_index_new(ngram, tokens);
    struct json_members members = {0};
    struct row row;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(row_of_text(span_text(rows[i]), &row, &members, NULL), 0);
        assert_int_equal(decontam_index_add(index, &row, NULL), 0);
    }
    decontam_index_seal(index);
    json_members_free(&members);
    return index;
}

static enum decontam_rule rule_of(const struct decontam_index *index, const char *text)
{
    struct decontam_options o = {decontam_index_ngram(index), 0.5, FIELDS, 1};
    struct decontam_scratch *s = decontam_scratch_new(index);
    struct json_members members = {0};
    struct row row;
    assert_int_equal(row_of_text(span_text(text), &row, &members, NULL), 0);
    struct decontam_finding f = decontam_check(index, &o, &row, true, s);
    json_members_free(&members);
    decontam_scratch_free(s);
    return f.rule;
}

static const char *const ROWS[] = {
    "{\"task_id\":\"a\",\"prompt\":\"one two three four\",\"answer\":\"five six\"}",
    "{\"prompt\":\"ONE  two three four\",\"reference\":\"three four five\"}",
    "{\"task_id\":\"b\",\"prompt\":\"?!\"}",
    "{\"prompt\":\"\\ud800 lone\"}",
};
enum { N_ROWS = 4 };
static const char *const ASKED[] = {
    "{\"task_id\":\"b\"}",
    "{\"prompt\":\"one two three nine\"}",
    "{\"prompt\":\"three four five\"}",
    "{\"prompt\":\"?!\"}",
    "{\"prompt\":\"nothing of it\"}",
    "{\"prompt\":\"five\"}",
};
enum { N_ASKED = 6 };

static struct span bytes_of(const struct decontam_index *index)
{
    return span_make(index->image, index->size);
}

static void reads_back(void **state)
{
    (void)state;
    struct error error;
    struct decontam_index *index = make(ROWS, N_ROWS, 2, DECONTAM_ASCII);
    struct decontam_index *again = decontam_index_read(bytes_of(index), "it", &error);
    assert_non_null(again);
    assert_int_equal(decontam_index_rows(again), 4);
    assert_int_equal(decontam_index_tasks(again), 2);
    assert_int_equal(decontam_index_texts(again), 4);
    assert_int_equal(decontam_index_prompts(again), 3);
    assert_true(span_is(decontam_index_prompt(again, 0), "one two three four"));
    assert_int_equal(decontam_index_prompt_task(again, 0), 1);
    assert_int_equal(decontam_index_prompt_task(again, 2), 0);
    for (size_t i = 0; i < N_ASKED; i++)
        assert_int_equal(rule_of(again, ASKED[i]), rule_of(index, ASKED[i]));
    decontam_index_free(again);
    decontam_index_free(index);
}

static void empty_and_joined(void **state)
{
    (void)state;
    struct decontam_index *none = make(NULL, 0, 8, DECONTAM_ASCII), *parts[2], *joined;
    assert_int_equal(rule_of(none, ASKED[0]), DECONTAM_CLEAN);
    assert_int_equal(rule_of(none, ASKED[2]), DECONTAM_CLEAN);
    decontam_index_free(none);
    struct decontam_index *whole = make(ROWS, N_ROWS, 2, DECONTAM_ASCII);
    parts[0] = make(ROWS, 2, 2, DECONTAM_ASCII);
    parts[1] = make(ROWS + 2, 2, 2, DECONTAM_ASCII);
    joined = decontam_index_new(2, DECONTAM_ASCII);
    for (int i = 0; i < 2; i++)
        assert_int_equal(decontam_index_join(joined, parts[i], NULL), 0);
    decontam_index_seal(joined);
    assert_true(span_equal(bytes_of(whole), bytes_of(joined)));
    decontam_index_free(joined);
    decontam_index_free(parts[0]);
    decontam_index_free(parts[1]);
    decontam_index_free(whole);
}

/* Reads changed bytes with a digest that fits them, as one who means harm would write it; uses what is
 * taken. */
static bool survives(char *bytes, size_t size)
{
    struct error error = {0};
    if (size >= sizeof(struct decontam_header)) {
        uint8_t digest[32];
        decontam_image_digest(bytes, size, digest);
        memcpy(bytes + offsetof(struct decontam_header, digest), digest, sizeof digest);
    }
    struct decontam_index *index = decontam_index_read(span_make(bytes, size), "it", &error);
    if (!index) {
        assert_int_equal(error.code, ERROR_INPUT);
        return false;
    }
    if (decontam_index_ngram(index) <= 64)
        for (size_t i = 0; i < N_ASKED; i++)
            rule_of(index, ASKED[i]);
    struct decontam_index *joined =
        decontam_index_new(decontam_index_ngram(index) < 9 ? decontam_index_ngram(index) : 9,
                           decontam_index_tokens(index));
    decontam_index_join(joined, index, NULL);
    decontam_index_seal(joined);
    decontam_index_free(joined);
    decontam_index_free(index);
    return true;
}

static void changed_bytes(void **state)
{
    (void)state;
    struct decontam_index *index = make(ROWS, N_ROWS, 2, DECONTAM_ASCII);
    struct error error = {0};
    size_t size = index->size, taken = 0;
    struct rng r;
    rng_seed(&r, 3);
    for (size_t at = 0; at < size; at++) {
        char *copy = mem_copy(index->image, size);
        copy[at] ^= (char)(1 + rng_below(&r, 255));
        assert_null(decontam_index_read(span_make(copy, size), "it", &error)); /* digest */
        taken += survives(copy, size);
        free(copy);
    }
    for (int i = 0; i < 3000; i++) {
        size_t length = rng_below(&r, 4) ? size : rng_below(&r, size + 1);
        char *copy = mem_zero(size + 1, 1);
        memcpy(copy, index->image, length);
        for (int k = (int)rng_below(&r, 4); k > 0; k--)
            copy[rng_below(&r, size)] = (char)(rng_below(&r, 3) ? rng_below(&r, 256) : 255);
        taken += survives(copy, length);
        free(copy);
    }
    assert_in_range(taken, 50, 5000); /* some changes mean nothing, or another holdout */
    decontam_index_free(index);
}

/* ---- words ------------------------------------------------------------------------------------------- */

static void split(enum decontam_tokens tokens, const char *text, const char *want)
{
    struct buf folded = {0}, got = {0};
    struct span word;
    size_t at = 0;
    decontam_fold(span_text(text), &folded);
    while (decontam_next_word(tokens, buf_span(&folded), &at, &word)) {
        buf_text(&got, got.len ? "|" : "");
        buf_span_add(&got, word);
    }
    assert_string_equal(buf_cstr(&got), want);
    buf_free(&folded);
    buf_free(&got);
}

static void words_of_any_script(void **state)
{
    (void)state;
    split(DECONTAM_ASCII, "Caf\u00e9 x_1 \u4f60\u597d", "caf|x|1");
    split(DECONTAM_UNICODE, "Caf\u00e9 x_1 \u4f60\u597d", "caf\u00e9|x|1|\u4f60|\u597d");
    split(DECONTAM_UNICODE, "Cafe\u0301s", "cafe\u0301s"); /* a mark stays on its letter */
    split(DECONTAM_UNICODE, "abc\u4f60def", "abc|\u4f60|def");
    split(DECONTAM_UNICODE, "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48",
          "\u0e17\u0e35\u0e48|\u0e19\u0e35\u0e48");
    split(DECONTAM_UNICODE, "\u304c\u304b\u3099\u30fc", "\u304c|\u304b\u3099|\u30fc");
    split(DECONTAM_UNICODE, "\ud55c\uad6d\uc5b4 \ub9d0", "\ud55c\uad6d\uc5b4|\ub9d0");
    split(DECONTAM_UNICODE, "\u0939\u093f\u0928\u094d\u0926\u0940 \u0964",
          "\u0939\u093f\u0928\u094d\u0926\u0940");
    split(DECONTAM_UNICODE, "\u0645\u064e\u0631\u062d\u0628\u0627 \u0661\u0662",
          "\u0645\u064e\u0631\u062d\u0628\u0627|\u0661\u0662");
    split(DECONTAM_UNICODE, "\u0301\u0302 ... \U0001f600", "");
    split(DECONTAM_UNICODE, "", "");
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(empty_and_joined),
        cmocka_unit_test(changed_bytes),
        cmocka_unit_test(words_of_any_script),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
