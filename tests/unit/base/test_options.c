/* The options table: parsing, its errors, --help, completion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/options_table.h"

struct my {
    bool quiet, colour, seen_k, seen_json;
    const char *out, *json, *format;
    struct option_list mark;
    int64_t k, any;
    double rate;
    uint64_t size;
};

static const struct option TABLE[] = {
    {.kind = OPTION_FLAG,
     .letter = 'q',
     .name = "quiet",
     .offset = offsetof(struct my, quiet),
     .help = "say less"},
    {.kind = OPTION_FLAG,
     .name = "no-colour",
     .offset = offsetof(struct my, colour),
     .negative = true,
     .help = "it's plain: [no] colour"},
    {.kind = OPTION_TEXT,
     .letter = 'o',
     .name = "output",
     .offset = offsetof(struct my, out),
     .arg = "FILE",
     .file = true,
     .help = "where rows go"},
    {.kind = OPTION_OPTIONAL,
     .name = "json",
     .offset = offsetof(struct my, json),
     .arg = "FILE",
     .seen = offsetof(struct my, seen_json),
     .help = "report as JSON"},
    {.kind = OPTION_LIST,
     .letter = 'm',
     .name = "mark",
     .offset = offsetof(struct my, mark),
     .arg = "NAME",
     .help = "a marker, repeatable"},
    {.kind = OPTION_INT,
     .letter = 'k',
     .name = "repeats",
     .offset = offsetof(struct my, k),
     .min = 1,
     .max = 64,
     .seen = offsetof(struct my, seen_k),
     .help = "rollouts of a task (4)"},
    {.kind = OPTION_INT, .name = "any", .offset = offsetof(struct my, any), .help = "any integer"},
    {.kind = OPTION_REAL,
     .name = "rate",
     .offset = offsetof(struct my, rate),
     .min = 0,
     .max = 1,
     .help = "a rate"},
    {.kind = OPTION_SIZE,
     .name = "max-line",
     .offset = offsetof(struct my, size),
     .help = "longest line"},
    {.kind = OPTION_CHOICE,
     .name = "format",
     .offset = offsetof(struct my, format),
     .choices = "jsonl|csv|table",
     .help = "how it is written"},
    {.kind = OPTION_TEXT,
     .name = "on-bad",
     .offset = offsetof(struct my, out),
     .arg = "stop|skip|FILE",
     .help = "what a bad line does, told in so many words that the sentence has to be wrapped at "
             "the eightieth "
             "column"},
    {0},
};

static const struct command TOOL = {
    .name = "wai-tool",
    .synopsis = "[OPTIONS] [FILE...]",
    .purpose = "Does nothing with rows.",
    .options = TABLE,
    .examples = "wai-tool -k 4 rows.jsonl",
    .exit_status = "7    a status of its own",
};

static struct my my;
static struct operands operands;
static struct error error;

static int parse(const char *words)
{
    static char text[512];
    char *argv[32] = {"wai-tool"}, *save = NULL;
    int argc = 1;
    option_list_free(&my.mark);
    operands_free(&operands);
    my = (struct my){.colour = true, .k = 4};
    error = (struct error){0};
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = strcmp(word, "EMPTY") == 0 ? "" : word;
    return options_parse(&TOOL, argc, argv, &my, &operands, &error);
}

static void refused(const char *words, const char *sentence)
{
    assert_int_equal(parse(words), ERROR_USAGE);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_string_equal(error.text, sentence);
}

static void test_values(void **state)
{
    (void)state;
    assert_int_equal(parse("a -q --no-colour -o out --json -m x -mz --mark=y -k8 b --rate 0.25 "
                           "--max-line 2K --format csv - -- -q --bogus"),
                     OPTIONS_RUN);
    assert_true(my.quiet);
    assert_false(my.colour);
    assert_string_equal(my.out, "out");
    assert_string_equal(my.json, "");
    assert_true(my.seen_json);
    assert_int_equal(my.mark.count, 3);
    assert_string_equal(my.mark.items[1], "z");
    assert_string_equal(my.mark.items[2], "y");
    assert_int_equal(my.k, 8);
    assert_true(my.seen_k);
    assert_true(my.rate == 0.25);
    assert_int_equal(my.size, 2048);
    assert_string_equal(my.format, "csv");
    assert_int_equal(operands.count, 5);
    assert_string_equal(operands.items[0], "a");
    assert_string_equal(operands.items[2], "-");
    assert_string_equal(operands.items[3], "-q");
    assert_string_equal(operands.items[4], "--bogus");
}

static void test_defaults_and_spellings(void **state)
{
    (void)state;
    assert_int_equal(parse("EMPTY"), OPTIONS_RUN);
    assert_int_equal(my.k, 4);
    assert_false(my.seen_k);
    assert_null(my.out);
    assert_true(my.colour);
    assert_string_equal(operands.items[0], "");
    assert_int_equal(parse("-qk 2 -oout --any -5"), OPTIONS_RUN);
    assert_true(my.quiet);
    assert_int_equal(my.k, 2);
    assert_string_equal(my.out, "out");
    assert_int_equal(my.any, -5);
    assert_int_equal(parse("--json=a.json --output="), OPTIONS_RUN);
    assert_string_equal(my.json, "a.json");
    assert_string_equal(my.out, "");
    assert_int_equal(parse("-k 2 -k 3"), OPTIONS_RUN); /* the last one counts */
    assert_int_equal(my.k, 3);
    assert_int_equal(parse("--json next"), OPTIONS_RUN); /* never the next word */
    assert_string_equal(my.json, "");
    assert_string_equal(operands.items[0], "next");
}

static void test_errors(void **state)
{
    (void)state;
    refused("--frobnicate", "--frobnicate is no option of wai-tool (--help lists them)");
    refused("--formt csv",
            "--formt is no option of wai-tool; did you mean --format? (--help lists them)");
    refused("--out x",
            "--out is no option of wai-tool; did you mean --output? (--help lists them)");
    refused("-z", "-z is no option of wai-tool (--help lists them)");
    refused("-qz", "-z is no option of wai-tool (--help lists them)");
    refused("-format", "-f is no option of wai-tool; did you mean --format? (--help lists them)");
    refused("--output", "--output needs a value: --output FILE");
    refused("-k", "-k needs a value: -k N");
    refused("--quiet=1", "--quiet takes no value; write it alone");
    refused("-k x", "-k is \"x\", not a whole number");
    refused("--repeats=1.5", "--repeats is \"1.5\", not a whole number");
    refused("-k 0", "-k is 0; it must be from 1 to 64");
    refused("--any 9223372036854775808", "--any is \"9223372036854775808\", not a whole number");
    refused("--rate nan", "--rate is \"nan\", not a number");
    refused("--rate 1.01", "--rate is 1.01; it must be from 0 to 1");
    refused("--max-line 2Q",
            "--max-line is \"2Q\", not a size; write bytes, or a number with K, M, G or T");
    refused("--format jsno",
            "--format is \"jsno\", not one of jsonl, csv, table; did you mean jsonl?");
    refused("--format xml", "--format is \"xml\", not one of jsonl, csv, table");
    refused("--format=", "--format is \"\", not one of jsonl, csv, table");
    refused("--\x1b[31m", "--\\x1b[31m is no option of wai-tool (--help lists them)");
}

static void test_numbers(void **state)
{
    (void)state;
    int64_t i = 0;
    double x = 0;
    uint64_t s = 0;
    const char *const bad_ints[] = {"",
                                    "-",
                                    "+",
                                    "1 ",
                                    " 1",
                                    "1e3",
                                    "0x10",
                                    "1_0",
                                    "--1",
                                    "9223372036854775808",
                                    "-9223372036854775809",
                                    NULL};
    const char *const bad_reals[] = {"",      ".",   "-.", "e5", "1e",    "1e+",   "inf", "nan",
                                     "0x1p3", "1,5", " 1", "1 ", "1e999", "1.2.3", NULL};
    const char *const bad_sizes[] = {"",
                                     "K",
                                     "1KK",
                                     "1KiBB",
                                     "1i",
                                     "-1",
                                     "1.5K",
                                     "18446744073709551616",
                                     "18014398509481985K",
                                     "16777216T",
                                     NULL};
    for (size_t n = 0; bad_ints[n]; n++)
        assert_int_equal(option_read_int(bad_ints[n], &i), -1);
    for (size_t n = 0; bad_reals[n]; n++)
        assert_int_equal(option_read_real(bad_reals[n], &x), -1);
    for (size_t n = 0; bad_sizes[n]; n++)
        assert_int_equal(option_read_size(bad_sizes[n], &s), -1);
    assert_int_equal(option_read_int("-9223372036854775808", &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(option_read_int("+007", &i), 0);
    assert_int_equal(i, 7);
    assert_int_equal(option_read_real("-.5e-1", &x), 0);
    assert_true(x == -0.05);
    assert_int_equal(option_read_real("5.", &x), 0);
    assert_true(x == 5);
    assert_int_equal(option_read_size("18446744073709551615", &s), 0);
    assert_true(s == UINT64_MAX);
    assert_int_equal(option_read_size("3MiB", &s), 0);
    assert_true(s == 3u << 20);
    assert_int_equal(option_read_size("3mB", &s), 0);
    assert_true(s == 3u << 20);
    assert_int_equal(option_read_size("7B", &s), 0);
    assert_true(s == 7);
    assert_int_equal(option_read_size("15T", &s), 0);
    assert_true(s == (uint64_t)15 << 40);
}

static void test_nearest(void **state)
{
    (void)state;
    const char *const names[] = {"check", "convert", "split", "stats"};
    assert_string_equal(option_nearest("chekc", names, 4), "check");
    assert_string_equal(option_nearest("conv", names, 4), "convert");
    assert_string_equal(option_nearest("SPLIT", names, 4), "split");
    assert_null(option_nearest("pass", names, 4));
    assert_null(option_nearest("", names, 4));
    assert_null(
        option_nearest("a word that is much too long to be a slip of anybody's fingers", names, 4));
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (; *text; text += *text == '\n') {
        size_t len = strcspn(text, "\n");
        longest = len > longest ? len : longest;
        text += len;
    }
    return longest;
}

static void test_help(void **state)
{
    (void)state;
    struct buf out = {0};
    options_help(&TOOL, &out);
    const char *text = buf_cstr(&out);
    const char *const parts[] = {
        "usage: wai-tool [OPTIONS] [FILE...]\n\nDoes nothing with rows.\n\nOptions:\n",
        "\n  -q, --quiet          say less\n",
        "\n      --json[=FILE]    report as JSON\n",
        "\n      --format jsonl|csv|table\n                       how it is written\n",
        "\n  -h, --help           print this help\n",
        "\nExamples:\n  wai-tool -k 4 rows.jsonl\n",
        "\n  130  interrupted\n  7    a status of its own\n",
        NULL};
    for (size_t i = 0; parts[i]; i++)
        if (!strstr(text, parts[i]))
            fail_msg("help lacks \"%s\":\n%s", parts[i], text);
    assert_true(longest_line(text) <= 80);
    buf_free(&out);
}

static const struct command VERBS[] = {
    {.name = "check", .synopsis = "[FILE...]", .purpose = "Says what is wrong.", .options = TABLE},
    {.name = "convert", .purpose = "Changes shape."},
    {0},
};
static const struct command MANY = {
    .name = "wai-many", .synopsis = "VERB", .purpose = "Has verbs.", .verbs = VERBS};
static const struct command WITH_DEFAULT = {
    .name = "wai-many", .synopsis = "[VERB]", .verbs = VERBS, .default_verb = "check"};

static void test_verbs(void **state)
{
    (void)state;
    char *argv_store[] = {"wai-many", "convert", "--x", NULL};
    char **argv = argv_store;
    int argc = 3;
    const struct command *verb = NULL;
    assert_int_equal(options_verb(&MANY, &argc, &argv, &verb, &error), OPTIONS_RUN);
    assert_string_equal(verb->name, "convert");
    assert_int_equal(argc, 2);
    assert_string_equal(argv[1], "--x");
    log_open("wai-many");
    assert_int_equal(options_parse(verb, argc, argv, &my, &operands, &error), ERROR_USAGE);
    assert_string_equal(error.text, "--x is no option of wai-many convert (--help lists them)");

    static const struct {
        const char *word, *text;
    } bad[] = {
        {"chekc", "chekc is no verb of wai-many; did you mean check? (--help lists them)"},
        {"zzz", "zzz is no verb of wai-many; it is one of check, convert"},
        {"--json",
         "--json stands before the verb; write wai-many VERB --json, VERB one of check, convert"},
        {NULL, "say what to do: wai-many VERB, one of check, convert (--help tells more)"},
    };
    for (size_t i = 0; i < 4; i++) {
        char *words[] = {"wai-many", (char *)bad[i].word, NULL};
        argv = words;
        argc = bad[i].word ? 2 : 1;
        assert_int_equal(options_verb(&MANY, &argc, &argv, &verb, &error), ERROR_USAGE);
        assert_string_equal(error.text, bad[i].text);
    }
    char *file[] = {"wai-many", "rows.jsonl", NULL};
    argv = file;
    argc = 2;
    assert_int_equal(options_verb(&WITH_DEFAULT, &argc, &argv, &verb, &error), OPTIONS_RUN);
    assert_string_equal(verb->name, "check");
    assert_int_equal(argc, 2);
}

static void test_completion(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(options_completion(&TOOL, "bash", &out, &error), 0);
    assert_non_null(strstr(buf_cstr(&out), "--format) words='jsonl csv table' value=1"));
    assert_non_null(strstr(buf_cstr(&out), "--on-bad) words='stop skip' value=1"));
    assert_non_null(strstr(buf_cstr(&out), "_wai_tool()"));
    buf_clear(&out);
    assert_int_equal(options_completion(&TOOL, "zsh", &out, &error), 0);
    assert_non_null(strstr(buf_cstr(&out), "--no-colour'[it'\\''s plain\\: \\[no\\] colour]'"));
    assert_non_null(
        strstr(buf_cstr(&out), "'(-o --output)'{-o+,--output=}'[where rows go]:FILE:_files'"));
    buf_clear(&out);
    assert_int_equal(options_completion(&MANY, "fish", &out, &error), 0);
    assert_non_null(strstr(buf_cstr(&out), "-f -a check -d 'Says what is wrong.'"));
    assert_int_equal(options_completion(&TOOL, "csh", &out, &error), ERROR_USAGE);
    buf_free(&out);
}

static void test_pieces(void **state)
{
    (void)state;
    static const char *const want[] = {"a", "", " b ", ""};
    const char *at = "a,, b ,";
    struct span piece;
    for (size_t i = 0; i < 4; i++) {
        assert_true(option_next_piece(&at, &piece));
        assert_true(span_is(piece, want[i]));
    }
    assert_false(option_next_piece(&at, &piece));
    at = "";
    assert_true(option_next_piece(&at, &piece));
    assert_int_equal(piece.len, 0);
    assert_false(option_next_piece(&at, &piece));
    at = NULL;
    assert_false(option_next_piece(&at, &piece));

    double a = 0, b = 0;
    assert_int_equal(option_read_pair("-1.5,2e3", &a, &b), 0);
    assert_true(a == -1.5 && b == 2000);
    static const char *const bad[] = {
        "",    ",",
        "1",   "1,",
        ",2",  "1,2,3",
        "1;2", "nan,1",
        "1,x", "0000000000000000000000000000000000000000000000000000000000000000,1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(option_read_pair(bad[i], &a, &b), -1);
}

static int tear_down(void **state)
{
    (void)state;
    option_list_free(&my.mark);
    operands_free(&operands);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_defaults_and_spellings),
        cmocka_unit_test(test_errors),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_help),
        cmocka_unit_test(test_verbs),   cmocka_unit_test(test_completion),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
