/* The options table: argv from bytes. Words are separated by NUL. The first byte chooses a command
 * with verbs or one without. What is accepted must be what the table says. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 64 };

struct values {
    bool quiet, colour, seen;
    const char *out, *json, *format;
    struct option_list mark;
    int64_t k, any;
    double rate;
    uint64_t bytes;
};

static const struct option TABLE[] = {
    {.kind = OPTION_FLAG, .letter = 'q', .name = "quiet", .offset = offsetof(struct values, quiet)},
    {.kind = OPTION_FLAG,
     .name = "no-colour",
     .offset = offsetof(struct values, colour),
     .negative = true},
    {.kind = OPTION_TEXT, .letter = 'o', .name = "output", .offset = offsetof(struct values, out)},
    {.kind = OPTION_OPTIONAL,
     .letter = 'J',
     .name = "json",
     .offset = offsetof(struct values, json)},
    {.kind = OPTION_LIST, .letter = 'm', .name = "mark", .offset = offsetof(struct values, mark)},
    {.kind = OPTION_INT,
     .letter = 'k',
     .name = "repeats",
     .offset = offsetof(struct values, k),
     .min = 1,
     .max = 64,
     .seen = offsetof(struct values, seen)},
    {.kind = OPTION_INT, .name = "any", .offset = offsetof(struct values, any)},
    {.kind = OPTION_REAL,
     .name = "rate",
     .offset = offsetof(struct values, rate),
     .min = -1,
     .max = 1},
    {.kind = OPTION_SIZE, .name = "max-line", .offset = offsetof(struct values, bytes)},
    {.kind = OPTION_CHOICE,
     .name = "format",
     .offset = offsetof(struct values, format),
     .choices = "jsonl|csv"},
    {0},
};

static const struct command VERBS[] = {
    {.name = "check", .options = TABLE}, {.name = "convert"}, {0}};
static const struct command PLAIN = {.name = "wai-fuzz", .options = TABLE};
static const struct command MANY = {.name = "wai-fuzz", .verbs = VERBS, .default_verb = "check"};

static void demand(bool truth)
{
    if (!truth)
        abort();
}

/* --help and its like print on standard output, where the closing line belongs: left out. */
static bool asks_for_an_answer(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(argv[i], "--help") || strstr(argv[i], "--version") ||
            strstr(argv[i], "--completion") || (argv[i][0] == '-' && strchr(argv[i], 'h')))
            return true;
    return false;
}

static void parse(const struct command *command, int argc, char **argv)
{
    struct values v = {.colour = true, .k = 4};
    struct operands operands = {0};
    struct error error = {0};
    int code = options_parse(command, argc, argv, &v, &operands, &error);
    demand(code == OPTIONS_RUN || code == OPTIONS_DONE || code == ERROR_USAGE);
    if (code == ERROR_USAGE)
        demand(error.code == ERROR_USAGE && error.text[0] &&
               strlen(error.text) < sizeof error.text);
    demand(v.k >= 1 && v.k <= 64);
    demand(isfinite(v.rate) && v.rate >= -1 && v.rate <= 1);
    demand(!v.format || strcmp(v.format, "jsonl") == 0 || strcmp(v.format, "csv") == 0);
    demand(operands.count < WORDS_MAX && v.mark.count < WORDS_MAX);
    option_list_free(&v.mark);
    operands_free(&operands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = mem_alloc(size + 1), *argv[WORDS_MAX + 1] = {"wai-fuzz"};
    int argc = 1;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (size_t at = 0; at < size - 1 && argc < WORDS_MAX; at += strlen(text + at) + 1)
        argv[argc++] = text + at;
    if (asks_for_an_answer(argc, argv)) {
        free(text);
        return 0;
    }
    char **rest = argv;
    const struct command *verb = &PLAIN;
    struct error error;
    if (data[0] & 1)
        demand(options_verb(&MANY, &argc, &rest, &verb, &error) == OPTIONS_RUN);
    parse(verb, argc, rest);
    free(text);
    return 0;
}
