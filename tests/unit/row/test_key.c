/* test_key.c: which rows belong together, and what a row is called. */
#include "rows.h"

#include "row/key.h"

static void key_is(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf scratch = {0};
    assert_span(row_task_key(test_row(&t, row), &scratch), want);
    buf_free(&scratch);
    test_row_free(&t);
}

static void first_truthy_of_three(void **state)
{
    (void)state;
    key_is("{'scenario_id':'s','task_id':'t','prompt':'p'}", "s");
    key_is("{'scenario_id':'','task_id':'t'}", "t");
    key_is("{'scenario_id':null,'task_id':[],'prompt':'p'}", "p");
    key_is("{'scenario_id':0,'task_id':-0.0,'prompt':{}}", "");
    key_is("{}", "");
    key_is("{'scenario_id':'a','scenario_id':'b'}", "b"); /* the last of two counts */
}

/* 1 and "1" are one task, 1 and 1.0 are two. */
static void texts_of_other_types(void **state)
{
    (void)state;
    key_is("{'scenario_id':1}", "1");
    key_is("{'scenario_id':'1'}", "1");
    key_is("{'scenario_id':1.0}", "1.0");
    key_is("{'scenario_id':1e-7}", "1e-07");
    key_is("{'scenario_id':1e16}", "1e+16");
    key_is("{'scenario_id':123456789012345678901234567890}", "123456789012345678901234567890");
    key_is("{'scenario_id':true}", "True");
    key_is("{'scenario_id':[1,'a',null,{'k':false}]}", "[1, 'a', None, {'k': False}]");
    key_is("{'scenario_id':'\\u00e9\\n'}", "\xc3\xa9\n");
}

static void other_keys(void **state)
{
    (void)state;
    struct test_row t = {0};
    struct buf scratch = {0};
    const struct span names[] = {SPAN("a"), SPAN("b")};
    assert_span(row_key(test_row(&t, "{'b':2,'scenario_id':'s'}"), (struct row_key_list){names, 2},
                        &scratch),
                "2");
    buf_free(&scratch);
    test_row_free(&t);
}

static void identity_is(const char *row, const char *want)
{
    struct test_row t = {0};
    struct buf out = {0};
    row_identity(test_row(&t, row), &out);
    assert_span(buf_span(&out), want);
    buf_free(&out);
    test_row_free(&t);
}

static void identities(void **state)
{
    (void)state;
    identity_is("{'rollout_id':'r','scenario_id':'s','rollout_index':0}", "r");
    identity_is("{'rollout_id':'','scenario_id':'s','rollout_index':0}", "s#0");
    /* hashlib.sha1(b"p\x1ff").hexdigest()[:16], an absent key is "", null is "None" */
    identity_is("{'prompt':'p','final_text':'f','scenario_id':'s'}", "7066aa00a4db6c35");
    identity_is("{'prompt':'p'}", "aa1692c7805d23ea");
    identity_is("{'prompt':'p','final_text':null}", "3e00f35bdc441f9a");
}

static void short_hashes(void **state)
{
    (void)state;
    char hash[ROW_SHORT_HASH + 1];
    struct buf id = {0};
    row_task_id_of(SPAN("What is 2 + 3?"), &id);
    assert_span(buf_span(&id), "task_1ea26256ebae");
    buf_free(&id);
    const struct span parts[] = {SPAN("sc-1"), SPAN("0"), SPAN("m")};
    row_short_hash(parts, 3, hash);
    assert_string_equal(hash, "05fc82a1a223");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_truthy_of_three),
        cmocka_unit_test(texts_of_other_types),
        cmocka_unit_test(other_keys),
        cmocka_unit_test(identities),
        cmocka_unit_test(short_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
