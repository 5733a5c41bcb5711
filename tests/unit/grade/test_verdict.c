/* What a scorer may answer, and where it lands (grade 3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grade/verdict.h"
#include "json/write.h"

static struct json_value parsed(const char *text)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(span_text(text), &value, NULL, &fault))
        fail_msg("%s: %s", text, fault.what);
    return value;
}

/* status, reward, reason and judge_meta in one line. */
static const char *shown(const struct verdict *v, struct buf *out)
{
    buf_clear(out);
    buf_format(out, "%s ", verdict_status_name(v->status));
    buf_span_add(out, v->judged ? buf_span(&v->reward) : SPAN("-"));
    buf_byte(out, ' ');
    json_quote(out, buf_span(&v->reason));
    for (size_t i = 0; i < v->n_meta; i++) {
        buf_byte(out, ' ');
        buf_span_add(out, v->meta[i].key);
        buf_byte(out, '=');
        buf_span_add(out, v->meta[i].json);
    }
    return buf_cstr(out);
}

static void reads_every_kind(void **state)
{
    static const struct {
        const char *answer, *verdict;
    } table[] = {
        {"true", "ok 1 \"\""},
        {"false", "ok 0 \"\""},
        {"0", "ok 0 \"\""},
        {"-0.0", "ok 0 \"\""},
        {"1.000", "ok 1 \"\""},
        {"0.50", "ok 0.50 \"\""},
        {"1e-400", "ok 0 \"\""},
        {"1.0000001", "invalid_result - \"\" reward_out_of_range=1.0000001"},
        {"NaN", "invalid_result - \"\" reward_out_of_range=\"NaN\""},
        {"-Infinity", "invalid_result - \"\" reward_out_of_range=\"-Infinity\""},
        {"null", "invalid_result - \"\" returned_type=\"null\""},
        {"\"1\"", "invalid_result - \"\" returned_type=\"string\""},
        {"[1]", "invalid_result - \"\" returned_type=\"array\""},
        {"{}", "missing_reward - \"\" returned_keys=[]"},
        {"{\"b\":1,\"a\":2}", "missing_reward - \"\" b=1 a=2 returned_keys=[\"a\",\"b\"]"},
        {"{\"reward\":1,\"score\":0,\"x\":[NaN]}", "ok 1 \"\" x=[\"NaN\"]"},
        {"{\"reward\":null,\"score\":1}", "invalid_result - \"\" reward_type=\"null\""},
        {"{\"score\":true,\"reason\":5}", "ok 1 \"5\""},
        {"{\"reward\":1,\"reason\":0}", "ok 1 \"\""},
        {"{\"reward\":1,\"x\":1,\"judge_meta\":{\"x\":2,\"y\":3}}", "ok 1 \"\" x=2 y=3"},
        {"{\"reward\":1,\"judge_meta\":[1]}", "ok 1 \"\" judge_meta=[1]"},
        {"{\"reward\":null,\"judge_status\":\"timeout\"}", "timeout - \"\" reward_type=\"null\""},
        {"{\"reward\":1,\"judge_status\":\"timeout\"}", "ok 1 \"\" judge_status=\"timeout\""},
        {"{\"reward\":0,\"reward\":1}", "ok 1 \"\""},
    };
    struct verdict v = {0};
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        verdict_read(&v, parsed(table[i].answer), NULL);
        assert_string_equal(shown(&v, &out), table[i].verdict);
    }
    verdict_free(&v);
    buf_free(&out);
}

static void reads_ratings(void **state)
{
    static const struct {
        const char *answer, *verdict;
    } table[] = {
        {"1", "ok 0 \"\" rating=1.0 scale=[1.0,5.0]"},
        {"5.0", "ok 1 \"\" rating=5.0 scale=[1.0,5.0]"},
        {"1.3333333", "ok 0.083333 \"\" rating=1.3333333 scale=[1.0,5.0]"},
        {"4.9999999", "ok 1 \"\" rating=4.9999999 scale=[1.0,5.0]"},
        {"0.9", "invalid_result - \"\" rating_out_of_scale=0.9 scale=[1.0,5.0]"},
        {"NaN", "invalid_result - \"\" rating_out_of_scale=\"NaN\" scale=[1.0,5.0]"},
        {"true", "invalid_result - \"\" reward_type=\"boolean\""},
        {"null", "invalid_result - \"\" reward_type=\"null\""},
        {"{\"rating\":null,\"score\":3}",
         "missing_reward - \"\" returned_keys=[\"rating\",\"score\"]"},
        {"{\"rating\":2,\"score\":1,\"reward\":9}", "ok 0.25 \"\" rating=2.0 scale=[1.0,5.0]"},
        {"{\"rating\":\"3\"}", "invalid_result - \"\" reward_type=\"string\""},
    };
    const struct verdict_scale scale = {true, 1, 5};
    struct verdict v = {0};
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        verdict_read(&v, parsed(table[i].answer), &scale);
        assert_string_equal(shown(&v, &out), table[i].verdict);
    }
    verdict_free(&v);
    buf_free(&out);
}

static void a_graded_row_gives_its_verdict_alone(void **state)
{
    struct verdict v = {0};
    struct buf out = {0};
    (void)state;
    verdict_read_row(&v,
                     parsed("{\"final_text\":\"x\",\"prompt\":\"p\",\"reward\":0,\"reason\":\"r\","
                            "\"judge_status\":\"ok\",\"judge_meta\":{\"k\":1}}"),
                     NULL);
    assert_string_equal(shown(&v, &out), "ok 0 \"r\" k=1");
    verdict_read_row(&v, parsed("{\"final_text\":\"x\",\"score\":1}"), NULL);
    assert_string_equal(shown(&v, &out), "ok 1 \"\" final_text=\"x\"");
    verdict_free(&v);
    buf_free(&out);
}

static void our_own_scores(void **state)
{
    struct verdict v = {0};
    struct buf out = {0};
    (void)state;
    verdict_score(&v, 0.0 / 0.0 * 0);
    assert_false(v.judged);
    verdict_clear(&v);
    verdict_score(&v, 7);
    assert_string_equal(shown(&v, &out), "ok 1 \"\"");
    verdict_score(&v, 0.3333);
    assert_string_equal(shown(&v, &out), "ok 0.3333 \"\"");
    verdict_timed_out(&v, 2.5);
    assert_string_equal(shown(&v, &out), "timeout - \"\" timeout_s=2.5");
    verdict_failed(&v, "no %s", "luck");
    assert_string_equal(shown(&v, &out), "error - \"\" error=\"no luck\"");
    verdict_none(&v);
    assert_string_equal(shown(&v, &out), "missing_reward - \"\" returned_keys=[]");
    verdict_free(&v);
    buf_free(&out);
}

static void travels_between_processes(void **state)
{
    struct verdict v = {0}, w = {0};
    struct buf text = {0}, a = {0}, b = {0};
    (void)state;
    verdict_read(
        &v, parsed("{\"reward\":0.25,\"reason\":\"a \\\"b\\\" \\u0000\",\"k\":{\"x\":[1]}}"), NULL);
    verdict_store(&v, &text);
    assert_true(verdict_load(&w, buf_span(&text)));
    assert_string_equal(shown(&v, &a), shown(&w, &b));
    assert_false(verdict_load(&w, SPAN("{\"status\":9,\"reward\":1,\"reason\":\"\",\"meta\":{}}")));
    assert_false(verdict_load(&w, SPAN("nonsense")));
    verdict_free(&v);
    verdict_free(&w);
    buf_free(&text);
    buf_free(&a);
    buf_free(&b);
}

static void lands_in_place(void **state)
{
    const struct verdict_stamp stamp = {.judge_name = SPAN("j"),
                                        .run_id = SPAN("r2"),
                                        .source = SPAN("eval"),
                                        .model = SPAN("m"),
                                        .judge_version = SPAN("7")};
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    struct verdict v = {0};
    struct buf out = {0};
    (void)state;
    assert_int_equal(
        row_of_text(
            SPAN(
                "{\"id\":7,\"reward\" : 1,\"reason\":\"old\",\"failure_class\":\"old\","
                "\"judge_meta\":{},\"markers\":[1],\"lineage\":{\"k\":1,\"scoring_run_id\":\"r1\"},"
                "\"x\":1e5}"),
            &row, &members, &fault),
        0);
    row.index = 3;
    verdict_read(&v, parsed("{\"reward\":0,\"markers\":{\"m\":1}}"), NULL);
    verdict_land(&v, &stamp, &row, &out);
    assert_string_equal(
        buf_cstr(&out),
        "{\"id\":7,\"reward\" : 0,\"judge_meta\":{\"markers\":{\"m\":1}},\"markers\":{\"m\":1},"
        "\"lineage\":{\"k\":1,\"scoring_run_id\":\"r2\",\"source\":\"eval\",\"judge\":\"j\","
        "\"parent\":\"7\",\"model\":\"m\",\"judge_version\":\"7\",\"prior_scoring_run_id\":\"r1\"},"
        "\"x\":1e5,\"judge_status\":\"ok\",\"judge_name\":\"j\"}");
    verdict_free(&v);
    buf_free(&out);
    json_members_free(&members);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_kind),
        cmocka_unit_test(reads_ratings),
        cmocka_unit_test(a_graded_row_gives_its_verdict_alone),
        cmocka_unit_test(our_own_scores),
        cmocka_unit_test(travels_between_processes),
        cmocka_unit_test(lands_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
