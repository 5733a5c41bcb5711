/* The hack scan, the near-duplicate join and hygiene (guard 10, 11, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "guard/hack_scan.h"
#include "guard/hygiene.h"
#include "rng/rng.h"

/* asks x rollouts; the reward is the word "yes", turned round by sign. */
static struct hack_scan *pool(const struct hack_options *o, int asks, int rollouts, bool negate)
{
    struct hack_scan *scan = hack_scan_new(o, NULL);
    struct json_members members = {0};
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < asks * rollouts; i++) {
        char text[256];
        struct row row;
        bool good = rng_below(&rng, 2);
        snprintf(text, sizeof text,
                 "{\"prompt\":\"ask %d\",\"final_text\":\"%s w%c w%c.\",\"reward\":%d}",
                 i / rollouts, good ? "yes" : "no", (char)('a' + rng_below(&rng, 6)),
                 (char)('a' + rng_below(&rng, 6)), good != negate);
        assert_int_equal(row_of_text(span_text(text), &row, &members, NULL), 0);
        hack_scan_add(scan, &row);
    }
    json_members_free(&members);
    return scan;
}

static void test_finds_the_word(void **state)
{
    (void)state;
    const char *endorsed[] = {"contains:YES"};
    struct hack_options o = HACK_OPTIONS_DEFAULT;
    struct hack_report r;
    o.endorsed = endorsed;
    o.n_endorsed = 1;
    struct hack_scan *scan = pool(&o, 12, 8, false);
    hack_scan_measure(scan, &r);
    assert_int_equal(r.regime, HACK_TRAIN);
    assert_true(span_is(r.features[0].name, "contains:yes"));
    assert_true(fabs(r.features[0].rho - 1.0) < 1e-9);
    assert_int_equal(r.endorsed_on_top, 1);
    /* its exact opposite is no rival */
    assert_true(r.integrity < 0.6);
    assert_true(r.integrity_net > r.integrity);
    assert_false(findings_have(&r.findings, "rivals"));
    hack_report_free(&r);
    hack_scan_free(scan);
}

/* A reward turned round turns every rho round, and leaves the floor's kind. */
static void test_negated(void **state)
{
    (void)state;
    struct hack_options o = HACK_OPTIONS_DEFAULT;
    struct hack_report a, b;
    struct hack_scan *plain = pool(&o, 12, 8, false), *turned = pool(&o, 12, 8, true);
    hack_scan_measure(plain, &a);
    hack_scan_measure(turned, &b);
    assert_int_equal(a.n_features, b.n_features);
    for (size_t i = 0; i < a.n_features; i++)
        for (size_t j = 0; j < b.n_features; j++)
            if (span_equal(a.features[i].name, b.features[j].name))
                assert_true(fabs(a.features[i].rho + b.features[j].rho) < 1e-9);
    hack_report_free(&a);
    hack_report_free(&b);
    hack_scan_free(plain);
    hack_scan_free(turned);
}

static void test_regimes(void **state)
{
    (void)state;
    const char *other[] = {"tool:"}, *inverted[] = {"contains:no"};
    struct hack_options o = HACK_OPTIONS_DEFAULT;
    struct hack_report r;
    struct hack_scan *scan;

    o.endorsed = other;
    o.n_endorsed = 1;
    scan = pool(&o, 12, 8, false);
    hack_scan_measure(scan, &r);
    assert_int_equal(r.regime, HACK_UNKNOWN);
    assert_true(findings_have(&r.findings, "endorsed_unmatched"));
    hack_report_free(&r);
    hack_scan_free(scan);

    o.endorsed = inverted;
    scan = pool(&o, 12, 8, false);
    hack_scan_measure(scan, &r);
    assert_int_equal(r.regime, HACK_REWARD_HACK);
    assert_true(findings_have(&r.findings, "reward_punishes"));
    assert_true(r.n_inverted > 0);
    hack_report_free(&r);
    hack_scan_free(scan);

    o.n_endorsed = 0;
    scan = pool(&o, 40, 1, false);
    hack_scan_measure(scan, &r);
    assert_int_equal(r.regime, HACK_UNKNOWN);
    assert_true(findings_have(&r.findings, "no_contrast"));
    assert_true(isnan(r.tau));
    hack_report_free(&r);
    hack_scan_free(scan);
}

static void test_diff(void **state)
{
    (void)state;
    const char *endorsed[] = {"tool:"};
    struct hack_options o = HACK_OPTIONS_DEFAULT;
    struct hack_report before, after;
    struct hack_diff diff;
    o.endorsed = endorsed;
    o.n_endorsed = 1;
    o.top_features = SIZE_MAX;
    struct hack_scan *none = pool(&o, 40, 1, false), *hacked = pool(&o, 12, 8, false);
    hack_scan_measure(none, &before);
    hack_scan_measure(hacked, &after);
    hack_diff_make(&before, &after, 10, &diff);
    assert_true(diff.n_gained > 0);
    assert_true(diff.red);
    assert_true(findings_have(&diff.findings, "hack_landed"));
    hack_diff_free(&diff);
    hack_diff_make(&after, &after, 10, &diff);
    assert_int_equal(diff.n_gained + diff.n_lost, 0);
    hack_diff_free(&diff);
    hack_report_free(&before);
    hack_report_free(&after);
    hack_scan_free(none);
    hack_scan_free(hacked);
}

/* ---- near.h against all pairs ---- */

enum { TEXTS = 60, WORDS = 6 };

static size_t words_of(const char *text, bool set[26])
{
    size_t n = 0;
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z' && !set[*text - 'a']) {
            set[*text - 'a'] = true;
            n++;
        }
    return n;
}

static void test_near_is_exact(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 200; round++) {
        char texts[TEXTS][2 * WORDS + 1];
        struct span spans[TEXTS];
        struct near_report r;
        const double thresholds[] = {0.0, 0.2, 0.5, 2.0 / 3.0, 0.75, 0.8, 1.0};
        double threshold = thresholds[rng_below(&rng, 7)];
        uint64_t pairs = 0;
        size_t involved = 0;
        bool in[TEXTS] = {false};
        for (size_t i = 0; i < TEXTS; i++) {
            size_t n = (size_t)rng_below(&rng, WORDS + 1);
            for (size_t k = 0; k < n; k++) {
                texts[i][2 * k] = (char)('a' + rng_below(&rng, 9));
                texts[i][2 * k + 1] = ' ';
            }
            texts[i][2 * n] = '\0';
            spans[i] = span_text(texts[i]);
        }
        for (size_t i = 0; i < TEXTS; i++)
            for (size_t j = i + 1; j < TEXTS; j++) {
                bool a[26] = {false}, b[26] = {false};
                size_t n_a = words_of(texts[i], a), n_b = words_of(texts[j], b), common = 0;
                for (size_t k = 0; k < 26; k++)
                    common += a[k] && b[k];
                if (!common || (double)common / (double)(n_a + n_b - common) < threshold)
                    continue;
                pairs++;
                in[i] = in[j] = true;
            }
        for (size_t i = 0; i < TEXTS; i++)
            involved += in[i];
        near_measure(spans, TEXTS, threshold, &r);
        assert_int_equal(r.n_pairs, pairs);
        assert_int_equal(r.n_involved, involved);
        assert_int_equal(r.n_examples, pairs < NEAR_EXAMPLES ? pairs : NEAR_EXAMPLES);
    }
}

static void test_hygiene(void **state)
{
    (void)state;
    static const char *const ROWS[] = {
        "{\"prompt\":\"a\",\"final_text\":\"Done.\",\"reward\":1,\"tools\":[{\"name\":\"t\"}]}",
        "{\"prompt\":\"a\",\"final_text\":\" DONE. \",\"reward\":0}",
        "{\"prompt\":\"a\",\"final_text\":\"Done.\",\"reward\":null}",
        "{\"prompt\":\"b\",\"final_text\":\"Done.\",\"reward\":1,\"markers\":{\"m\":null}}",
    };
    struct hygiene_options o = {.near = 0.8,
                                .max_spread = 4.0,
                                .threshold = 0.3,
                                .group_by = "prompt",
                                .max_duplicates = (double)NAN,
                                .max_truncated = (double)NAN};
    struct hygiene *h = hygiene_new(&o);
    struct json_members members = {0};
    struct hygiene_report r;
    const bool fresh[] = {true, false, false, true};
    for (size_t i = 0; i < 4; i++) {
        struct row row;
        row_of_text(span_text(ROWS[i]), &row, &members, NULL);
        assert_int_equal(hygiene_add(h, &row), fresh[i]);
    }
    hygiene_measure(h, &r);
    assert_int_equal(r.duplicates.n_dropped, 2);
    assert_int_equal(r.duplicates.conflicting, 1);
    assert_int_equal(r.duplicates.groups_affected, 1);
    assert_true(r.red);
    assert_true(findings_have(&r.findings, "no_tool_calls"));
    assert_true(findings_have(&r.findings, "marker_never_numeric"));
    hygiene_report_free(&r);
    hygiene_free(h);
    json_members_free(&members);
}

static void test_features_refused(void **state)
{
    (void)state;
    const char *features[] = {"ok=1", "x=.["};
    struct hack_options o = HACK_OPTIONS_DEFAULT;
    struct error error;
    o.features = features;
    o.n_features = 2;
    assert_null(hack_scan_new(&o, &error));
    assert_int_equal(error.code, ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_word),   cmocka_unit_test(test_negated),
        cmocka_unit_test(test_regimes),          cmocka_unit_test(test_diff),
        cmocka_unit_test(test_near_is_exact),    cmocka_unit_test(test_hygiene),
        cmocka_unit_test(test_features_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
