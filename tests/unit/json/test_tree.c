/* test_tree.c: jansson trees, from JSON and from YAML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "help.h"
#include "json/tree.h"

static void test_json(void **state)
{
    (void)state;
    static const struct {
        const char *json, *want;
    } cases[] = {
        {"{\"b\":[1,-2,3.50,1e3],\"a\":{\"x\":null},\"b\":0}", "{\"b\":0,\"a\":{\"x\":null}}"},
        {"[9223372036854775807,9223372036854775808,1e400,NaN]",
         "[9223372036854775807,9.223372036854776e+18,null,null]"},
        {"\"a\\u0000b\\ud800\"", "\"a\\u0000b\\ud800\""},
        {"{\"\\u0000\":{\"\\n\":{\"k\\\"\":1}}}", "{\"\\u0000\":{\"\\n\":{\"k\\\"\":1}}}"},
        {" [ true , false , [ ] , { } , \"\" ] ", "[true,false,[],{},\"\"]"},
        {"7", "7"},
    };
    struct buf out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *tree = json_tree(parsed(cases[i].json));
        buf_clear(&out);
        json_tree_write(tree, &out);
        assert_buf(&out, cases[i].want);
        json_decref(tree);
    }
    struct json_value absent = {0};
    json_t *tree = json_tree(absent);
    assert_true(json_is_null(tree));
    buf_clear(&out);
    json_tree_write(NULL, &out);
    assert_buf(&out, "null");
    buf_free(&out);
}

static const struct {
    const char *yaml, *want; /* JSON, or the message when it starts with "t.yaml" */
} YAML[] = {
    {"", "null"},
    {"# nothing\n", "null"},
    {"---\n...\n", "null"},
    {"a: 1\nb: [x, 'y', \"z\\n\"]\n", "{\"a\":1,\"b\":[\"x\",\"y\",\"z\\n\"]}"},
    {"[~, null, Null, NULL, nul, ]", "[null,null,null,null,\"nul\"]"},
    {"[true, True, TRUE, tRue, yes, on, 'true']",
     "[true,true,true,\"tRue\",\"yes\",\"on\",\"true\"]"},
    {"[false, False, FALSE, no]", "[false,false,false,\"no\"]"},
    {"[0, -0, +7, 012, 0o17, 0xfF, 0x, 0o8, 1_000, 0b1]",
     "[0,0,7,12,15,255,\"0x\",\"0o8\",\"1_000\",\"0b1\"]"},
    {"[1.5, .5, 5., -1e3, 1e, ., -, +.5, 1.2.3]",
     "[1.5,0.5,5.0,-1000.0,\"1e\",\".\",\"-\",0.5,\"1.2.3\"]"},
    {"[.inf, -.INF, .nan, 1e999]", "[null,null,null,null]"},
    {"[99999999999999999999, 0xFFFFFFFFFFFFFFFFFF]", "[1e+20,4.722366482869645e+21]"},
    {"[!!str 1, !!int '2', !!float 3, !!bool 'true', !!null '', ! x]",
     "[\"1\",2,3.0,true,null,\"x\"]"},
    {"a: |\n  one\n  two\nb: >-\n  one\n  two\n", "{\"a\":\"one\\ntwo\\n\",\"b\":\"one two\"}"},
    {"1: a\ntrue: b\n~: c\n", "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\"}"},
    {"a: &x [1, {b: 2}]\nc: *x\nd: *x\n",
     "{\"a\":[1,{\"b\":2}],\"c\":[1,{\"b\":2}],\"d\":[1,{\"b\":2}]}"},
    {"&k key: 1\nb: *k\n", "{\"key\":1,\"b\":\"key\"}"},
    {"a: &k key\n*k : 2\n", "{\"a\":\"key\",\"key\":2}"},
    {"- &x 1\n- &x 2\n- *x\n", "[1,2,2]"},
    {"- &x [&x 2]\n- *x\n", "[[2],2]"},
    {"a: &d {x: 1, y: 2}\nb: {<<: *d, y: 3, z: 4}\n",
     "{\"a\":{\"x\":1,\"y\":2},\"b\":{\"x\":1,\"y\":3,\"z\":4}}"},
    {"{<<: [{x: 1}, {x: 2, y: 3}], z: 0}", "{\"x\":1,\"y\":3,\"z\":0}"},
    {"{z: 0, x: 5, <<: {x: 1}}", "{\"x\":5,\"z\":0}"},
    {"{'<<': 1}", "{\"<<\":1}"},
    {"\xef\xbb\xbf"
     "a: \xc3\xa9\n",
     "{\"a\":\"\xc3\xa9\"}"},
    {"\"\\0\\u00e9\\U0001F600\"", "\"\\u0000\xc3\xa9\xf0\x9f\x98\x80\""},
    {"a: 1\na: 2\n", "t.yaml:2: a member's name that stands twice (column 1); mend the YAML"},
    {"a: 1\n'a': 2\n", "t.yaml:2: a member's name that stands twice (column 1); mend the YAML"},
    {"{<<: {a: 1}, <<: {b: 1}}",
     "t.yaml:1: a member's name that stands twice (column 14); mend the YAML"},
    {"a: *x\n", "t.yaml:1: an alias without its anchor (column 4); mend the YAML"},
    {"&x [*x]", "t.yaml:1: an alias inside the value that it stands for (column 5); mend the YAML"},
    {"&x {a: {b: *x}}",
     "t.yaml:1: an alias inside the value that it stands for (column 12); mend the YAML"},
    {"{<<: 3}", "t.yaml:1: a merge key whose value is no mapping (column 6); mend the YAML"},
    {"{<<: [{}, 3]}", "t.yaml:1: a merge key whose value is no mapping (column 6); mend the YAML"},
    {"? [a]\n: 1\n", "t.yaml:1: a member's name that is no text (column 3); mend the YAML"},
    {"- &x [1]\n- {*x : 1}\n",
     "t.yaml:2: a member's name that is no text (column 4); mend the YAML"},
    {"--- 1\n--- 2\n", "t.yaml:2: a second document; keep one in a file (column 1); mend the YAML"},
    {"!foo 1", "t.yaml:1: a tag that is not of the core schema (column 1); mend the YAML"},
    {"!!set {a: 1}", "t.yaml:1: a tag that is not of the core schema (column 1); mend the YAML"},
    {"!!python/object:os.system x",
     "t.yaml:1: a tag that is not of the core schema (column 1); mend the YAML"},
    {"!!int x", "t.yaml:1: a value that does not fit its tag (column 1); mend the YAML"},
    {"!!int 1.5", "t.yaml:1: a value that does not fit its tag (column 1); mend the YAML"},
    {"!!bool 1", "t.yaml:1: a value that does not fit its tag (column 1); mend the YAML"},
    {"a: b: c\n",
     "t.yaml:1: mapping values are not allowed in this context (column 5); mend the YAML"},
    {"a:\n\t- 1\n",
     "t.yaml:2: found character that cannot start any token (column 1); mend the YAML"},
    {"\"abc", "t.yaml:1: found unexpected end of stream (column 5); mend the YAML"},
    {"a: \xff\n", "t.yaml: byte 3: invalid leading UTF-8 octet; write the file as UTF-8"},
};

/* The text of the tree, or the message. */
static void read_yaml(struct span yaml, struct buf *out)
{
    struct error error;
    buf_clear(out);
    json_t *tree = json_tree_yaml(yaml, "t.yaml", &error);
    if (tree) {
        json_tree_write(tree, out);
    } else {
        assert_int_equal(error.code, ERROR_INPUT);
        buf_text(out, error.text);
    }
    json_decref(tree);
}

static void test_yaml(void **state)
{
    (void)state;
    struct buf out = {0};
    for (size_t i = 0; i < sizeof YAML / sizeof *YAML; i++) {
        read_yaml(span_text(YAML[i].yaml), &out);
        assert_buf(&out, YAML[i].want);
    }
    buf_free(&out);
}

static void repeat(struct buf *out, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        buf_text(out, text);
}

static void test_yaml_bounds(void **state)
{
    (void)state;
    struct buf yaml = {0}, out = {0};
    repeat(&yaml, "[", 512);
    repeat(&yaml, "]", 512);
    read_yaml(buf_span(&yaml), &out);
    assert_int_equal(out.len, 1024);
    buf_clear(&yaml);
    repeat(&yaml, "[", 513);
    read_yaml(buf_span(&yaml), &out);
    assert_buf(&out,
               "t.yaml:1: the value is nested deeper than 512 levels (column 513); mend the YAML");
    buf_clear(&yaml);
    repeat(&yaml, "- ", 100000);
    read_yaml(buf_span(&yaml), &out);
    assert_true(span_has(buf_span(&out), SPAN("nested deeper")));

    buf_text((buf_clear(&yaml), &yaml), "- &a0 [x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; i++)
        buf_format(&yaml, "- &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i - 1, i - 1,
                   i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    read_yaml(buf_span(&yaml), &out);
    assert_true(span_has(buf_span(&out), SPAN("the aliases expand to too much")));

    buf_text((buf_clear(&yaml), &yaml), "- &a \"");
    repeat(&yaml, "0123456789", 100000);
    buf_text(&yaml, "\"\n");
    repeat(&yaml, "- *a\n", 100);
    read_yaml(buf_span(&yaml), &out);
    assert_true(span_has(buf_span(&out), SPAN("the aliases expand to too much")));

    buf_text((buf_clear(&yaml), &yaml), "- &a0 []\n");
    for (int i = 1; i < 600; i++)
        buf_format(&yaml, "- &a%d [*a%d]\n", i, i - 1);
    read_yaml(buf_span(&yaml), &out);
    assert_true(span_has(buf_span(&out), SPAN("nested deeper")));
    buf_free(&yaml);
    buf_free(&out);
}

/* Writes text to a new file with that ending and reads it: the tree's text, or the message without
 * the folder's name. */
static void read_file(const char *ending, const char *text, struct buf *out)
{
    char folder[] = "/tmp/wai-tree.XXXXXX";
    struct buf path = {0};
    struct error error;
    assert_non_null(mkdtemp(folder));
    buf_format(&path, "%s/spec%s", folder, ending);
    FILE *f = fopen(buf_cstr(&path), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    buf_clear(out);
    json_t *tree = json_tree_file(buf_cstr(&path), &error);
    if (tree) {
        json_tree_write(tree, out);
    } else {
        assert_int_equal(error.code, ERROR_INPUT);
        assert_memory_equal(error.text, folder, strlen(folder));
        buf_text(out, error.text + strlen(folder) + 1);
    }
    json_decref(tree);
    unlink(buf_cstr(&path));
    rmdir(folder);
    buf_free(&path);
}

static void test_files(void **state)
{
    (void)state;
    struct buf out = {0};
    read_file(".json", "\xef\xbb\xbf{\n \"a\": [1, 2]\n}\n", &out);
    assert_buf(&out, "{\"a\":[1,2]}");
    read_file(".json", "{\n \"\xc3\xa9\": [1 2]\n}\n", &out);
    assert_buf(&out,
               "spec.json:2: a comma or ] is missing behind an item (column 10); mend the JSON");
    read_file("", "a: 1\n", &out);
    assert_buf(&out, "spec:1: a word that JSON does not know (column 1); mend the JSON");
    read_file(".yaml", "a: 1\n", &out);
    assert_buf(&out, "{\"a\":1}");
    read_file(".yml", "a: [1\n", &out);
    assert_true(span_starts(buf_span(&out), SPAN("spec.yml:2: ")));
    struct error error;
    assert_null(json_tree_file("/tmp/no such file.json", &error));
    assert_int_equal(error.code, ERROR_INPUT);
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_yaml),
        cmocka_unit_test(test_yaml_bounds),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
