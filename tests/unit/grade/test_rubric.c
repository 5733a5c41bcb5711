/* Criteria loaded, answered and scored (grade 13); constitutions (15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "grade/constitution.h"
#include "grade/rubric.h"

static struct json_value value_of(const char *json)
{
    struct json_value value;
    struct json_fault fault;
    assert_int_equal(json_scan(span_text(json), &value, NULL, &fault), 0);
    return value;
}

static void kinds(void **state)
{
    static const struct {
        const char *item;
        enum rubric_kind kind;
        double weight;
    } table[] = {
        {"{\"title\":\"A\"}", RUBRIC_PRINCIPLE, 1},
        {"{\"title\":\"A\",\"description\":\"Essential Criteria: x\"}", RUBRIC_HARD, 1},
        {"{\"title\":\"A\",\"description\":\"Hard rule - x\"}", RUBRIC_HARD, 1},
        {"{\"title\":\"[Pitfall] A\",\"weight\":2}", RUBRIC_PITFALL, 2},
        {"{\"title\":\"A [pitfall criterion]\"}", RUBRIC_PITFALL, 1},
        {"{\"title\":\"A (pitfall)\"}", RUBRIC_PRINCIPLE, 1},
        {"{\"title\":\"Essentials list\"}", RUBRIC_PRINCIPLE, 1}, /* D29 */
        {"{\"title\":\"A\",\"weight\":-3}", RUBRIC_PITFALL, 3},
        {"{\"title\":\"A\",\"weight\":-3,\"kind\":\"HARD\"}", RUBRIC_HARD, 3},
        {"{\"title\":\"A\",\"weight\":-1,\"description\":\"Important: x\"}", RUBRIC_PRINCIPLE, 1},
        {"{\"title\":\"A\",\"weight\":0}", RUBRIC_PRINCIPLE, 1},
        {"{\"title\":\"A\",\"weight\":\"x\"}", RUBRIC_PRINCIPLE, 1},
        {"{\"title\":\"A\",\"kind\":\"odd\",\"description\":\"Essential: x\"}", RUBRIC_PRINCIPLE,
         1},
    };
    struct rubric r = {0};
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct buf list = {0};
        buf_format(&list, "[%s]", table[i].item);
        assert_int_equal(rubric_of_value(&r, value_of(buf_cstr(&list)), "r", &error), 0);
        if (r.items[0].kind != table[i].kind || r.items[0].weight != table[i].weight)
            fail_msg("%s: %s %g", table[i].item, rubric_kind_name(r.items[0].kind),
                     r.items[0].weight);
        buf_free(&list);
    }
    rubric_free(&r);
}

static void names(void **state)
{
    struct rubric r = {0};
    struct error error;
    (void)state;
    rubric_of_value(
        &r,
        value_of("[{\"title\":\"Names it!\"},{\"title\":\"names it\"},"
                 "{\"title\":\"\xe6\x97\xa5\xe6\x9c\xac\"},{\"title\":\"names it 2\"},"
                 "{\"title\":\"a very long title that goes on and on without any end\"}]"),
        "r", &error);
    static const char *const SLUGS[] = {"names_it", "names_it_2", "c3", "names_it_2_2",
                                        "a_very_long_title_that_goes_on_and_on_wi"};
    assert_int_equal(r.count, 5);
    for (size_t i = 0; i < r.count; i++)
        if (!span_is(r.items[i].slug, SLUGS[i]))
            fail_msg("%zu: %.*s", i, (int)r.items[i].slug.len, r.items[i].slug.ptr);
    rubric_free(&r);
}

static void refused(void **state)
{
    static const char *const BAD[] = {"3",
                                      "[]",
                                      "{}",
                                      "{\"criteria\":3}",
                                      "[3]",
                                      "[{}]",
                                      "[{\"title\":\"  \"}]",
                                      "[{\"title\":\"A\",\"weight\":NaN}]",
                                      "[{\"title\":\"A\",\"weight\":1e999}]"};
    struct rubric r = {0};
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (rubric_of_value(&r, value_of(BAD[i]), "r", &error) != ERROR_INPUT)
            fail_msg("%s", BAD[i]);
    rubric_free(&r);
}

static void scores(void **state)
{
    static const struct {
        const char *answers, *reward; /* "": unjudged */
    } table[] = {
        {"{\"1\":true,\"2\":true,\"3\":true,\"4\":false}", "1"},
        {"{\"1\":true,\"2\":true,\"3\":false,\"4\":false}", "0.4"},
        {"{\"1\":false,\"2\":true,\"3\":true,\"4\":false}", "0"},
        {"{\"1.\":true,\"2)\":\"met\",\"gives\":1,\"rambles_on\":true}", "0.8"},
        {"{\"1\":true,\"2\":\"no\",\"3\":true,\"4\":0}", "0.6"},
        {"{\"1\":true,\"2\":false,\"3\":false,\"4\":true}", "0"},
        {"{\"1\":true,\"2\":true,\"3\":null,\"4\":false}", ""},
        {"{\"9\":true}", ""},
        {"[{\"title\":\"Looks\",\"met\":true},{\"title\":\"Polite\",\"value\":1},{\"title\":"
         "\"Gives a "
         "date\",\"met\":true},{\"title\":\"Rambles\",\"met\":false}]",
         "1"},
    };
    struct rubric r = {0};
    struct error error;
    struct verdict v = {0};
    (void)state;
    rubric_of_value(
        &r,
        value_of(
            "[{\"title\":\"Looks\",\"kind\":\"hard\"},{\"title\":\"Polite\",\"weight\":2},"
            "{\"title\":\"Gives a date\",\"weight\":3},{\"title\":\"Rambles\",\"weight\":-1}]"),
        "r", &error);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        enum rubric_answer answers[4] = {RUBRIC_UNANSWERED};
        struct json_value given = value_of(table[i].answers);
        verdict_clear(&v);
        rubric_answers(&r, given, answers);
        rubric_score(&r, answers, given, false, &v);
        struct span reward = v.judged ? buf_span(&v.reward) : SPAN("");
        if (!span_is(reward, table[i].reward))
            fail_msg("%s: %.*s", table[i].answers, (int)reward.len, reward.ptr);
        struct json_value meta;
        struct json_fault fault;
        for (size_t k = 0; k < v.n_meta; k++)
            assert_int_equal(json_scan(v.meta[k].json, &meta, NULL, &fault), 0);
    }
    verdict_free(&v);
    rubric_free(&r);
}

static void versions(void **state)
{
    struct constitution c = {0};
    struct error error;
    (void)state;
    assert_int_equal(
        constitution_parse(
            &c,
            SPAN(
                "{\"id\":\"x\",\"traits\":[\"Be kind \xc3\xa9\",{\"id\":\"a\",\"name\":\"A\","
                "\"principle\":\"do\",\"authority\":\"must\"},{\"name\":\"Hon\",\"body\":\"b\"}]}"),
            "c", NULL, &error),
        0);
    assert_true(span_is(c.version, "a695d3bc3729")); /* the package's */
    assert_true(span_is(c.items[0].id, "trait_0") && span_is(c.items[2].id, "Hon"));
    assert_null(constitution_find(&c, "none"));
    constitution_free(&c);
    assert_int_equal(constitution_parse(&c, SPAN("[\"be\"]"), "c", NULL, &error), 0);
    assert_true(span_is(c.version, "dce25c63c9a2") && span_is(c.id, "spec"));
    constitution_free(&c);
    assert_int_equal(constitution_parse(&c, SPAN("[{\"principle\":\"x\",\"authority\":\"shall\"}]"),
                                        "c", NULL, &error),
                     ERROR_INPUT);
    constitution_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),  cmocka_unit_test(names),    cmocka_unit_test(refused),
        cmocka_unit_test(scores), cmocka_unit_test(versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
