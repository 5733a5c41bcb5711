/* Keys: which goes where, which stays, the file they are kept in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "net/credentials.h"

static struct buf home;

static int fresh(void **state)
{
    (void)state;
    static const char *const VARIABLES[] = {"OPENAI_API_KEY",
                                            "OPENAI_BASE_URL",
                                            "VLLM_API_KEY",
                                            "FIREWORKS_API_KEY",
                                            "OPENROUTER_API_KEY",
                                            "ANTHROPIC_API_KEY",
                                            "ANTHROPIC_BASE_URL",
                                            "WHILEAI_ANTHROPIC_API_KEY",
                                            "TYPESAFE_API_KEY",
                                            "TYPESAFE_BASE_URL",
                                            "WHILEAI_API_KEY",
                                            "AWS_BEARER_TOKEN_BEDROCK",
                                            "MY_KEY",
                                            "WHILEAI_AWS_BEARER_TOKEN_BEDROCK",
                                            "WHILEAI_TYPESAFE_API_KEY",
                                            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"};
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++)
        unsetenv(VARIABLES[i]);
    struct error error;
    buf_clear(&home);
    assert_int_equal(scratch_make(&home, &error), 0);
    setenv("WHILEAI_HOME", buf_cstr(&home), 1);
    return 0;
}

static int done(void **state)
{
    (void)state;
    scratch_remove(buf_cstr(&home));
    buf_free(&home);
    return 0;
}

/* "KIND VALUE", or "error". */
static const char *key_by(const char *text, const char *base, const char *named)
{
    static char said[200];
    static const char *const KINDS[] = {"none", "bearer", "anthropic", "aws"};
    struct url url;
    struct key key;
    struct error error = {0};
    assert_int_equal(url_parse(span_text(text), &url, NULL), 0);
    if (key_for(&url, base, named, &key, &error) < 0) {
        assert_int_equal(error.code, ERROR_REMOTE);
        assert_null(strstr(error.text, "sk-"));
        snprintf(said, sizeof said, "error");
    } else {
        snprintf(said, sizeof said, "%s %s", KINDS[key.kind], buf_cstr(&key.value));
    }
    key_free(&key);
    return said;
}

static const char *key_at(const char *text, const char *named)
{
    return key_by(text, NULL, named);
}

static void test_destinations(void **state)
{
    (void)state;
    static const struct {
        const char *variable, *url;
    } OWN[] = {{"OPENAI_API_KEY", "https://api.openai.com/v1"},
               {"FIREWORKS_API_KEY", "https://api.fireworks.ai/inference/v1"},
               {"OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"},
               {"ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"},
               {"TYPESAFE_API_KEY", "https://api.typesafe.ai"},
               {"VLLM_API_KEY", "https://models.example/v1"}};
    size_t n = sizeof OWN / sizeof *OWN;
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(key_at(OWN[i].url, NULL), "error");
        setenv(OWN[i].variable, "  sk-own\n", 1);
        assert_non_null(strstr(key_at(OWN[i].url, NULL), " sk-own"));
        /* No key goes to another's place, whatever else is set. */
        for (size_t j = 0; j < n; j++)
            if (j != i)
                assert_string_equal(key_at(OWN[j].url, NULL), "error");
        setenv(OWN[i].variable, " ", 1);
        assert_string_equal(key_at(OWN[i].url, NULL), "error");
    }
    setenv("ANTHROPIC_API_KEY", "sk-a", 1);
    setenv("WHILEAI_ANTHROPIC_API_KEY", "sk-b\r\nX-Evil: 1", 1);
    assert_string_equal(key_at("https://api.anthropic.com/v1", NULL), "error");
    setenv("WHILEAI_ANTHROPIC_API_KEY", "sk-b", 1);
    assert_string_equal(key_at("https://api.anthropic.com/v1", NULL), "anthropic sk-b");
}

static void test_plain_http(void **state)
{
    (void)state;
    assert_string_equal(key_at("http://gpu.lan:8000/v1", NULL), "none ");
    assert_string_equal(key_at("http://localhost:8000/v1", NULL), "none ");
    assert_string_equal(key_at("https://gpu.local/v1", NULL), "none ");
    setenv("VLLM_API_KEY", "sk-v", 1);
    setenv("OPENAI_API_KEY", "sk-o", 1);
    assert_string_equal(key_at("http://gpu.lan:8000/v1", NULL), "none ");
    assert_string_equal(key_at("http://localhost:8000/v1", NULL), "bearer sk-v");
    assert_string_equal(key_at("https://gpu.lan/v1", NULL), "bearer sk-v");
    assert_string_equal(key_at("http://api.openai.com/v1", NULL), "error");
    setenv("MY_KEY", "sk-m", 1);
    assert_string_equal(key_at("http://gpu.lan:8000/v1", "MY_KEY"), "bearer sk-m");
    assert_string_equal(key_at("https://api.anthropic.com", "MY_KEY"), "anthropic sk-m");
    assert_string_equal(key_at("http://gpu.lan:8000/v1", "UNSET_KEY"), "error");
}

static void test_bases(void **state)
{
    (void)state;
    setenv("OPENAI_API_KEY", "sk-o", 1);
    setenv("OPENAI_BASE_URL", "https://gateway.example/openai/v1", 1);
    assert_string_equal(key_at("https://gateway.example/openai/v1", NULL), "bearer sk-o");
    assert_string_equal(key_at("https://gateway.example:444/v1", NULL), "error");
    assert_string_equal(key_at("https://other.example/v1", NULL), "error");
    setenv("OPENAI_BASE_URL", "http://gateway.example/v1", 1);
    assert_string_equal(key_at("http://gateway.example/v1", NULL), "none ");
    assert_string_equal(key_at("http://gateway.example/v1", "OPENAI_API_KEY"), "bearer sk-o");
    setenv("OPENAI_BASE_URL", "https://gateway.example/v1", 1);
    setenv("ANTHROPIC_BASE_URL", "https://gateway.example", 1);
    setenv("ANTHROPIC_API_KEY", "sk-a", 1);
    assert_string_equal(key_by("https://gateway.example/v1", "ANTHROPIC_BASE_URL", NULL),
                        "anthropic sk-a");
    assert_string_equal(key_by("https://gateway.example/v1", "OPENAI_BASE_URL", NULL),
                        "bearer sk-o");
    assert_string_equal(key_at("https://gateway.example/v1", NULL), "bearer sk-o");
    assert_string_equal(key_by("https://other.example/v1", "ANTHROPIC_BASE_URL", NULL), "error");
    setenv("OPENAI_BASE_URL", "http://gateway.example/v1", 1);
    unsetenv("OPENAI_API_KEY");
    assert_string_equal(key_at("http://gateway.example/v1", NULL), "none ");
    assert_string_equal(key_at("https://bedrock-runtime.eu-west-1.amazonaws.com", NULL), "aws ");
    setenv("AWS_BEARER_TOKEN_BEDROCK", "sk-w", 1);
    assert_string_equal(key_at("https://bedrock-runtime.eu-west-1.amazonaws.com", NULL),
                        "bearer sk-w");
    assert_string_equal(key_at("https://bedrock-runtime.evil.com", NULL), "error");
}

static void test_account(void **state)
{
    (void)state;
    static const char HOSTED[] = "https://zeroproofai--whileai-serve-qwen3-4b.modal.run/v1";
    struct error error = {0};
    assert_string_equal(key_at(HOSTED, NULL), "error");
    assert_int_equal(
        credentials_save("credentials.json", SPAN("{\"api_key\": \"zp_file\"}\n"), &error), 0);
    assert_string_equal(key_at(HOSTED, NULL), "bearer zp_file");
    assert_string_equal(key_at("https://other.modal.run/v1", NULL), "error");
    setenv("WHILEAI_API_KEY", "zp_env", 1);
    assert_string_equal(key_at(HOSTED, NULL), "bearer zp_env");
}

static void test_file(void **state)
{
    (void)state;
    struct credentials c = {0};
    struct error error = {0};
    struct buf path = {0};
    struct stat info;
    bool was;
    buf_format(&path, "%s/new", buf_cstr(&home));
    setenv("WHILEAI_HOME", buf_cstr(&path), 1);
    assert_int_equal(credentials_read(&c, &error), 0);
    assert_false(c.found);
    umask(0);
    assert_int_equal(credentials_save("credentials.json",
                                      SPAN("{\"api_key\":\"zp_1\",\"api_url\":\"https://x\"}"),
                                      &error),
                     0);
    assert_int_equal(stat(buf_cstr(&path), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    buf_text(&path, "/credentials.json");
    assert_int_equal(stat(buf_cstr(&path), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(credentials_read(&c, &error), 0);
    assert_true(c.found);
    assert_string_equal(buf_cstr(&c.api_key), "zp_1");
    assert_string_equal(buf_cstr(&c.api_url), "https://x");
    assert_int_equal(credentials_save("credentials.json", SPAN("{\"api_key\":"), &error), 0);
    assert_int_equal(credentials_read(&c, &error), ERROR_INPUT);
    assert_non_null(strstr(error.text, "wai login"));
    assert_int_equal(credentials_save("credentials.json", SPAN("[]"), &error), 0);
    assert_int_equal(credentials_read(&c, &error), ERROR_INPUT);
    assert_int_equal(credentials_remove("credentials.json", &was, &error), 0);
    assert_true(was);
    assert_int_equal(credentials_remove("credentials.json", &was, &error), 0);
    assert_false(was);
    credentials_free(&c);
    buf_free(&path);
}

static void test_mask(void **state)
{
    (void)state;
    struct buf out = {0};
    key_mask(SPAN("zp_0123456789"), &out);
    assert_string_equal(buf_cstr(&out), "zp_0123...6789");
    buf_clear(&out);
    key_mask(SPAN("zp_012345678"), &out);
    assert_string_equal(buf_cstr(&out), "***");
    buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_destinations, fresh, done),
        cmocka_unit_test_setup_teardown(test_plain_http, fresh, done),
        cmocka_unit_test_setup_teardown(test_bases, fresh, done),
        cmocka_unit_test_setup_teardown(test_account, fresh, done),
        cmocka_unit_test_setup_teardown(test_file, fresh, done),
        cmocka_unit_test(test_mask)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
