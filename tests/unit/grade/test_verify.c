/* Specs of verifiers and scorers in one string, and what they come to (grade 4.3, 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "grade/scorer.h"
#include "grade/verify.h"

static const struct scorer_setup one_job = {.jobs = 1};

/* The reward of a row by a scorer spec: its text, "-" when unjudged. */
static void check(const char *spec, const char *text, const char *reward)
{
    struct error error = {0};
    struct scorer *s = scorer_open(spec, &one_job, &error);
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    struct verdict v = {0};
    if (!s)
        fail_msg("%s: %s", spec, error.text);
    assert_int_equal(row_of_text(span_text(text), &row, &members, &fault), 0);
    row.index = 0;
    assert_int_equal(scorer_verdict(s, 0, &row, &v, &error), 0);
    buf_byte(&v.reward, '\0');
    if (strcmp(v.judged ? v.reward.data : "-", reward) != 0)
        fail_msg("%s on %s: %s", spec, text, v.judged ? v.reward.data : "-");
    verdict_free(&v);
    json_members_free(&members);
    scorer_close(s);
}

static void scorers_in_one_string(void **state)
{
    const char *row = "{\"final_text\":\"It is "
                      "42.\",\"answer\":\"42\",\"judge\":{\"score\":0.25},\"gold\":\"It\"}";
    (void)state;
    check("expr:.judge.score * 2", row, "0.5");
    check("cmd:while read -r line; do echo 0.75; done", row, "0.75");
    check("verify:includes", row, "1");
    check("includes", row, "1");
    check("Exact_Match", row, "0");
    check("numeric:tol=1e-9", row, "1");
    check("field:judge", row, "0.25");
    check("field:judge.none", row, "-");
    check("includes:field=gold,lower=no", row, "1");
    check("regex:pattern=is \\\\d\\,?", "{\"final_text\":\"is \\\\d,\"}", "0");
    check("regex:{\"pattern\":\"is \\\\d+\"}", row, "1");
}

static void refused(const char *spec, const char *part)
{
    struct error error = {0};
    struct scorer *s = scorer_open(spec, &one_job, &error);
    assert_null(s);
    assert_int_equal(error.code, ERROR_USAGE);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", spec, error.text);
}

static void bad_specs_say_what_is_wanted(void **state)
{
    (void)state;
    refused("no-such", "the verifiers are exact-match");
    refused("verify:exact-mach", "did you mean exact-match?");
    refused("includes:mode", "key=value is wanted");
    refused("includes:modus=any", "its keys are lower, mode, field, name");
    refused("includes:mode=most", "all|any is wanted");
    refused("includes:lower=perhaps", "true or false is wanted");
    refused("numeric:tol=-1", "not negative");
    refused("regex:{\"pattern\":", "no JSON");
    refused("expr:.a |", "does not compile");
    refused("cmd: ", "empty");
    refused("field:", "names no key");
    refused("code-exec:mem_mb=1", "64 or more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scorers_in_one_string),
        cmocka_unit_test(bad_specs_say_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
