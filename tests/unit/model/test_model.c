/* Specs and their refusals, budgets under contention, roles, tool calls in text. What goes over the wire is
 * tested in tests/net. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "base/file.h"
#include "model/budget.h"
#include "model/defaults.h"
#include "model/markup.h"
#include "model/spec.h"

static struct model_spec spec;
static struct error error;

static int parse(const char *text)
{
    error = (struct error){0};
    return model_spec_parse(text, &spec, &error);
}

static void check_spec(const char *text, enum model_provider provider, const char *url,
                       const char *model)
{
    assert_int_equal(parse(text), 0);
    assert_int_equal(spec.provider, provider);
    assert_string_equal(buf_cstr(&spec.url), url);
    assert_string_equal(buf_cstr(&spec.model), model);
}

static void test_specs(void **state)
{
    (void)state;
    unsetenv("AWS_REGION");
    unsetenv("AWS_DEFAULT_REGION");
    check_spec("openrouter:a/b", MODEL_COMPATIBLE, MODEL_OPENROUTER_URL, "a/b");
    check_spec("sglang:", MODEL_ENDPOINT, MODEL_SGLANG_URL, "");
    check_spec("lmstudio:q", MODEL_COMPATIBLE, MODEL_LMSTUDIO_URL, "q");
    check_spec("llamacpp:q@http://h:1/v1", MODEL_COMPATIBLE, "http://h:1/v1", "q");
    check_spec("endpoint:http://h/v1", MODEL_ENDPOINT, "http://h/v1", "");
    check_spec("https://h/v1", MODEL_ENDPOINT, "https://h/v1", "");
    check_spec("exec:cat -u", MODEL_EXEC, "", "cat -u");
    check_spec("bedrock:m@x@eu-north-1", MODEL_BEDROCK,
               "https://bedrock-runtime.eu-north-1.amazonaws.com", "m@x");
    check_spec("bedrock:arn:aws:bedrock:us-east-1:1:imported-model/q@us-east-1",
               MODEL_BEDROCK_INVOKE, "https://bedrock-runtime.us-east-1.amazonaws.com",
               "arn:aws:bedrock:us-east-1:1:imported-model/q");
    setenv("AWS_REGION", "sa-east-1", 1);
    check_spec("bedrock:", MODEL_BEDROCK, "https://bedrock-runtime.sa-east-1.amazonaws.com",
               MODEL_BEDROCK_DEFAULT);
    unsetenv("AWS_REGION");
    assert_int_equal(parse("hosted"), 0);
    assert_true(spec.hosted);
    assert_int_equal(parse("vllm:m@https://other.modal.run/v1"), 0);
    assert_false(spec.hosted);
    setenv("OLLAMA_HOST", "gpu.lan", 1);
    check_spec("ollama:q", MODEL_OLLAMA, "http://gpu.lan:11434/v1", "q");
    setenv("OLLAMA_HOST", "https://gpu.lan:9/", 1);
    check_spec("ollama:q", MODEL_OLLAMA, "https://gpu.lan:9/v1", "q");
    unsetenv("OLLAMA_HOST");
    model_spec_free(&spec);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *mend;
    } BAD[] = {{"openai/gpt-4o", "openai:gpt-4o"},
               {"openai/gpt-4o", "vllm:openai/gpt-4o@URL"},
               {"gpt-4o", "openai:gpt-4o"},
               {"meta/llama", "vllm:meta/llama@URL"},
               {"foo:bar", "there are"},
               {"", "openai:MODEL"},
               {"vllm:m", "vllm:MODEL@http"},
               {"vllm:@http://h", "model"},
               {"openrouter:", "openrouter:MODEL"},
               {"exec:", "command"},
               {"replay:", "file"},
               {"bedrock:m@EU WEST", "region"},
               {"vllm:m@ftp://h/", "vllm"},
               {"http://u:secret@h/", "environment"}};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(parse(BAD[i].spec), ERROR_USAGE);
        if (!strstr(error.text, BAD[i].mend))
            fail_msg("%s: %s", BAD[i].spec, error.text);
        assert_null(strstr(error.text, "secret"));
    }
    assert_true(model_spec_known("exec:x"));
    assert_true(model_spec_known("hosted"));
    assert_false(model_spec_known("cmd:x"));
    assert_false(model_spec_known("seeded"));
}

static void test_roles(void **state)
{
    (void)state;
    struct buf folder = {0};
    struct model_roles roles = {0};
    enum model_role_source source;
    assert_int_equal(scratch_make(&folder, &error), 0);
    assert_int_equal(chdir(buf_cstr(&folder)), 0);
    unsetenv("WHILEAI_AGENT");
    assert_int_equal(model_roles_read(&roles, &error), 0);
    assert_null(model_role(&roles, ROLE_AGENT, NULL, &source));
    setenv("WHILEAI_AGENT", "openai:a", 1);
    assert_string_equal(model_role(&roles, ROLE_AGENT, NULL, &source), "openai:a");
    assert_int_equal(source, ROLE_FROM_VARIABLE);
    assert_int_equal(file_save("wai.yaml", SPAN("agent: openai:b\njudge: openai:c\n"), &error), 0);
    assert_int_equal(model_roles_read(&roles, &error), 0);
    assert_string_equal(model_role(&roles, ROLE_AGENT, NULL, &source), "openai:b");
    assert_int_equal(source, ROLE_FROM_FILE);
    assert_string_equal(model_role(&roles, ROLE_AGENT, "openai:d", &source), "openai:d");
    assert_string_equal(model_role(&roles, ROLE_JUDGE, NULL, &source), "openai:c");
    static const char *const BAD[] = {"agents: x\n", "agent: [x]\n", "- agent\n", "agent: 3\n"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(file_save("wai.yaml", span_text(BAD[i]), &error), 0);
        assert_int_equal(model_roles_read(&roles, &error), ERROR_INPUT);
        assert_non_null(strstr(error.text, "wai.yaml"));
    }
    unsetenv("WHILEAI_AGENT");
    model_roles_free(&roles);
    assert_int_equal(chdir("/"), 0);
    scratch_remove(buf_cstr(&folder));
    buf_free(&folder);
}

static void *spend(void *data)
{
    struct budget *b = data;
    for (int i = 0; i < 500; i++)
        if (budget_take(b, 10, 90))
            budget_settle(b, 10, 90, 10, i % 2 ? 20 : -1);
    return NULL;
}

static void test_budget(void **state)
{
    (void)state;
    struct budget_limits limits = {0};
    pthread_t threads[8];
    assert_int_equal(budget_read_price("1.5,6", &limits, &error), 0);
    assert_int_equal(budget_read_price("1.5", &limits, &error), ERROR_USAGE);
    assert_int_equal(budget_read_price("-1,2", &limits, &error), ERROR_USAGE);
    assert_int_equal(budget_read_price("1,x", &limits, &error), ERROR_USAGE);
    limits = (struct budget_limits){.price_in = 1, .price_out = 2, .max_cost = 0.05};
    struct budget *b = budget_open(&limits);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, spend, b), 0);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    struct budget_state s = budget_state(b);
    assert_true(s.spent);
    assert_true(s.cost <= 0.05);
    assert_true(s.cost > 0.05 - 200e-6); /* the last call that fitted has been made */
    budget_close(b);
    limits = (struct budget_limits){.max_tokens = 1000};
    b = budget_open(&limits);
    assert_true(budget_take(b, 500, 500));
    budget_settle(b, 500, 500, 500, 100);
    assert_true(budget_take(b, 300, 100));
    budget_settle(b, 300, 100, -1, -1);
    assert_false(budget_take(b, 1, 0));
    assert_int_equal(budget_state(b).calls_without_usage, 1);
    budget_close(b);
}

static void test_markup(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct chat_call *calls;
    struct buf scratch = {0};
    struct span text =
        SPAN("a <tool_call>{\"name\":\"f\",\"arguments\":{\"k\":\"\xc3\xa9\"}}</tool_call>"
             "<tool_call>nope</tool_call><tool_call>{\"tool\":\"g\"}</tool_call> b"
             "</tool_call>");
    assert_int_equal(markup_calls(&arena, text, &calls), 2);
    assert_true(span_is(calls[0].arguments, "{\"k\": \"\\u00e9\"}"));
    assert_true(span_is(calls[1].name, "g"));
    assert_true(span_is(calls[1].id, "call_2"));
    assert_true(span_is(markup_strip(text, &scratch), "a  b"));
    assert_int_equal(markup_calls(&arena, SPAN("<TOOL_CALL>{\"name\":\"f\"}</TOOL_CALL>"), &calls),
                     0);
    text = SPAN("The first sentence is of a good length, it is. The second one is cu");
    assert_true(span_is(markup_trim_cut(text), "The first sentence is of a good length, it is."));
    arena_free(&arena);
    buf_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specs), cmocka_unit_test(test_refusals), cmocka_unit_test(test_roles),
        cmocka_unit_test(test_budget), cmocka_unit_test(test_markup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
