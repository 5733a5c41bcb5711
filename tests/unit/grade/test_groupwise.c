/* Shaping rewards within a group (grade 16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "grade/groupwise.h"

static const struct groupwise_settings SETTINGS = {
    .pass_threshold = 0.5, .min_factor = 0.5, .cap = 3};

static bool shape(const double *rewards, size_t n, const char *answer, struct groupwise_member *m,
                  bool *capped)
{
    struct json_value value;
    struct json_fault fault;
    assert_int_equal(json_scan(span_text(answer), &value, NULL, &fault), 0);
    for (size_t i = 0; i < n; i++)
        m[i] = (struct groupwise_member){
            .reward = rewards[i], .passed = rewards[i] >= 0.5, .factor = NAN};
    groupwise_keep(m, n);
    *capped = false;
    bool usable = groupwise_read_group(&SETTINGS, value, m, n);
    if (usable)
        groupwise_redistribute(&SETTINGS, m, n, capped);
    return usable;
}

/* Without the cap the sum stays and the failures do not move. */
static void test_advantage_is_conserved(void **state)
{
    (void)state;
    const double rewards[] = {1, 0, 1, 0.6, 0};
    struct groupwise_member m[5];
    bool capped;
    double sum = 0;
    assert_true(shape(rewards, 5, "{\"ranking\":[3,[0,2]]}", m, &capped));
    assert_false(capped);
    for (size_t i = 0; i < 5; i++)
        sum += m[i].shaped;
    assert_true(fabs(sum - 2.6) < 1e-12);
    assert_true(fabs(m[1].shaped) < 1e-12 && fabs(m[4].shaped) < 1e-12);
    assert_true(m[0].shaped == m[2].shaped);
    assert_true(m[3].factor == 1 && m[0].factor == 0.625);
}

static void test_cap(void **state)
{
    (void)state;
    const double rewards[] = {1, 1, 0};
    struct groupwise_member m[3];
    bool capped;
    assert_true(shape(rewards, 3, "{\"factors\":[0.1,0.1,1]}", m, &capped));
    assert_true(capped);
    assert_true(shape(rewards, 3, "{\"factors\":{\"0\":0.1,\"1\":1}}", m, &capped));
    assert_false(capped);
}

static void test_unusable(void **state)
{
    (void)state;
    static const char *const ANSWERS[] = {
        "[]",
        "null",
        "{}",
        "{\"ranking\":[0]}",
        "{\"ranking\":[0,1.0]}",
        "{\"ranking\":[0,null]}",
        "{\"factors\":[1,0]}",
        "{\"factors\":[1,1e999]}",
        "{\"factors\":{\"0\":1,\"x\":1}}",
        "{\"ranking\":[0,1],\"hacks\":[\"x\"]}",
    };
    const double rewards[] = {1, 1, 0};
    struct groupwise_member m[3];
    bool capped;
    for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
        assert_false(shape(rewards, 3, ANSWERS[i], m, &capped));
        assert_true(m[0].shaped == 1 && isnan(m[0].factor) && !m[0].hack);
    }
    assert_true(shape(rewards, 3, "{\"ranking\":[0,9223372036854775807,-1,1]}", m, &capped));
    assert_true(shape(rewards, 3, "{\"ranking\":[\"1\"],\"hacks\":[0,2]}", m, &capped));
    assert_true(m[0].hack && !m[2].hack && m[0].factor == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advantage_is_conserved),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_unusable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
