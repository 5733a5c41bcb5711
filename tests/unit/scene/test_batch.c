/* test_batch.c: hash vectors, exact sums, the choice of a batch and action shapes; tests/interop/search.py
 * compares them with the reference package. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scene/batch.h"
#include "scene/shapes.h"
#include "stat/sum.h"
#include "text/digest.h"

static void blake2b_vector(void **state)
{
    (void)state;
    uint8_t bytes[64];
    char hex[2 * sizeof bytes + 1];
    digest_blake2b(SPAN("abc"), bytes, sizeof bytes); /* RFC 7693, appendix A */
    digest_hex(bytes, sizeof bytes, hex);
    assert_string_equal(hex, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                             "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

static void sums_are_exact(void **state)
{
    (void)state;
    double tenths[10] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
    double hidden[4] = {1e100, 1, -1e100, 1};
    double tie[3] = {1, 1.1102230246251565e-16,
                     1e-30}; /* half a unit in the last place, and more */
    assert_true(sum_exact(tenths, 10) == 1);
    assert_true(sum_exact(hidden, 4) == 2);
    assert_true(sum_exact(tie, 3) > 1 && sum_exact(tie, 2) == 1);
    assert_true(sum_exact(NULL, 0) == 0);
}

static void a_known_vector(void **state)
{
    (void)state;
    static const uint32_t at[] = {57, 65, 75, 151, 205, 254};
    struct embedding e = embed_hash(SPAN("cancel order 17 cancel"));
    assert_int_equal(e.count, 6);
    for (size_t i = 0; i < e.count; i++) {
        assert_int_equal(e.at[i], at[i]);
        assert_true(e.value[i] == (at[i] == 151 ? 2.0 / 3 : 1.0 / 3));
    }
    assert_true(embedding_novelty(&e, NULL, 0) == 1);
    assert_true(embedding_novelty(&e, &e, 1) < 1e-12);
    struct embedding none = embed_hash(SPAN("!?"));
    assert_int_equal(none.count, 0);
    assert_true(embedding_novelty(&none, &e, 1) == 1);
    embedding_free(&none);
    embedding_free(&e);
}

static void a_batch_has_no_text_twice(void **state)
{
    (void)state;
    static const char *const texts[] = {"refund A1", "",          "refund A1", "where is it",
                                        "stop now",  "stop now",  "hello",     "cancel all",
                                        "my order",  "my orders", "x",         "refund B2"};
    enum { N = sizeof texts / sizeof *texts };
    struct span spans[N];
    struct embedding vectors[N];
    for (size_t i = 0; i < N; i++) {
        spans[i] = span_text(texts[i]);
        vectors[i] = embed_hash(spans[i]);
    }
    for (size_t need = 1; need < 14; need++) {
        struct batch_wish wish = {.texts = spans,
                                  .n_texts = N,
                                  .vectors = vectors,
                                  .size = EMBED_HASH_SIZE,
                                  .archive = vectors,
                                  .n_archive = 2,
                                  .need = need,
                                  .round = (int64_t)need,
                                  .seed = 5};
        struct batch b;
        batch_choose(&b, &wish);
        assert_int_equal(b.count, need < 9 ? need : 9);
        for (size_t i = 0; i < b.count; i++) {
            assert_true(spans[b.picks[i].candidate].len > 0);
            for (size_t j = 0; j < i; j++)
                assert_false(span_equal(spans[b.picks[i].candidate], spans[b.picks[j].candidate]));
        }
        batch_free(&b);
    }
    for (size_t i = 0; i < N; i++)
        embedding_free(&vectors[i]);
}

static void shapes_of_two_tools(void **state)
{
    (void)state;
    struct row_tools tools = {0};
    struct shapes s;
    struct error error = {0};
    struct buf text = {0};
    assert_int_equal(
        row_tools_parse(&tools,
                        SPAN("[{\"name\":\"ping\"},{\"name\":\"refund\",\"parameters\":{\"type\":"
                             "\"object\",\"properties\":{\"b\":{},\"a\":{}}}}]"),
                        "tools", &error),
        0);
    shapes_enumerate(&s, &tools, 2, 400);
    assert_int_equal(s.count, 2 * (3 + 9));
    assert_true(span_is(s.items[0].calls, "ping()") && !s.items[0].confirmed);
    assert_true(span_is(s.items[5].calls, "refund(user,absent)") && s.items[5].confirmed &&
                s.items[5].absent);
    assert_true(span_is(s.items[8].calls, "ping();refund(user,user)"));
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    row_of_text(
        SPAN("{\"prompt\":\"refund 7\",\"steps\":[{\"tool\":\"refund\",\"arguments\":{\"a\":7,"
             "\"b\":0},\"result\":\"Q9\"},{\"tool\":\"refund\",\"arguments\":{\"a\":\"q9\","
             "\"b\":\"zz\"}}]}"),
        &row, &members, &fault);
    shape_of_row(&s, &tools, &row, &text);
    assert_string_equal(buf_cstr(&text), "refund(user,absent);refund(derived,invented)");
    buf_free(&text);
    json_members_free(&members);
    shapes_free(&s);
    row_tools_free(&tools);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blake2b_vector),      cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(a_known_vector),      cmocka_unit_test(a_batch_has_no_text_twice),
        cmocka_unit_test(shapes_of_two_tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
