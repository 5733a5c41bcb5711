/* wai-scan: is the reward, or the data set, being fooled? A verb is its options, their defaults and
 * one function of room guard that makes the report. */
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/program.h"
#include "guard/defaults.h"
#include "guard/scan_run.h"

/* What every verb is. The request begins with struct scan_common. */
struct verb {
    const void *defaults;
    size_t size;
    int (*make)(const void *request, const struct operands *operands, struct scan_output *output,
                struct error *error);
};

/* clang-format off */

#define AT(type, field) .offset = offsetof(struct type, field)

#define HACK_OPTIONS                                                                               \
    {.kind = OPTION_LIST, .name = "endorsed", AT(hacks_request, endorsed), .arg = "PATTERN",       \
     .help = "part of the name of a feature that the reward is meant to follow, any case; repeatable, or a list with commas"}, \
    {.kind = OPTION_LIST, .name = "feature", AT(hacks_request, features), .arg = "NAME=EXPR",      \
     .help = "a feature of your own: a jq program whose number counts; repeatable"},               \
    {.kind = OPTION_FLAG, .name = "auto", AT(hacks_request, no_auto), .negative = true,            \
     .help = "word, word-pair and joined features (on)"},                                          \
    {.kind = OPTION_FLAG, .name = "no-auto", AT(hacks_request, no_auto), .help = "without them"},  \
    {.kind = OPTION_INT, .name = "top-k", AT(hacks_request, top_k), .arg = "N", .max = 1e9,        \
     .help = "words and word pairs that become features (200)"},                                   \
    {.kind = OPTION_INT, .name = "n-perm", AT(hacks_request, n_perm), .arg = "N", .min = 1,        \
     .max = 1e6, .help = "shuffles behind the floor (100)"},                                       \
    {.kind = OPTION_INT, .name = "min-obs", AT(hacks_request, min_obs), .arg = "N", .max = 1e15,   \
     .help = "rows in which a feature is not zero, at least (20)"},                                \
    {.kind = OPTION_INT, .name = "seeds", AT(hacks_request, seeds), .arg = "N", .max = 1e4,        \
     .help = "strongest 0/1 features that are joined in pairs; 0: none (12)"},                     \
    {.kind = OPTION_TEXT, .name = "reward", AT(hacks_request, reward), .arg = "KEY",               \
     .help = "key of the reward, a dotted path (reward)"},                                         \
    {.kind = OPTION_REAL, .name = "alpha", AT(hacks_request, alpha), .arg = "P", .max = 1,         \
     .help = "the floor is the 1-P quantile of the shuffled maxima (0.05)"},                       \
    {.kind = OPTION_TEXT, .name = "seed", AT(hacks_request, common.seed), .arg = "N",              \
     .help = "seed of the shuffles (0)"}

static const struct hacks_request HACKS_DEFAULTS = HACKS_REQUEST_DEFAULT;
static const struct option HACKS_TABLE[] = {
    HACK_OPTIONS,
    {.kind = OPTION_TEXT, .name = "top-features", AT(hacks_request, top_features), .arg = "N|all",
     .help = "features that the report lists (20)"},
    {.kind = OPTION_TEXT, .name = "red", AT(hacks_request, red), .arg = "REGIME,REGIME",
     .help = "regimes that are red (reward_hack)"},
    {.kind = OPTION_LIST, .name = "show", AT(hacks_request, show), .arg = "FEATURE",
     .help = "print replies of one ask that differ in FEATURE and in reward; repeatable"},
    {.kind = OPTION_TEXT, .name = "by", AT(hacks_request, common.by), .arg = "KEY",
     .help = "the headline numbers for each value of a row key too"},
    SCAN_OPTIONS(struct hacks_request, common),
    {0},
};
static const struct option DIFF_TABLE[] = {
    HACK_OPTIONS,
    {.kind = OPTION_INT, .name = "top", AT(hacks_request, top), .arg = "N", .max = 1e9,
     .help = "entries of each list (10)"},
    {.kind = OPTION_FLAG, .name = "paired", AT(hacks_request, paired),
     .help = "only the asks that both files have"},
    SCAN_OPTIONS(struct hacks_request, common),
    {0},
};

static const struct hygiene_request HYGIENE_DEFAULTS = HYGIENE_REQUEST_DEFAULT;
static const struct option HYGIENE_TABLE[] = {
    {.kind = OPTION_REAL, .name = "near-threshold", AT(hygiene_request, near), .arg = "X", .max = 1,
     .help = "share of all their words from which two asks are nearly one (0.8)"},
    {.kind = OPTION_REAL, .name = "max-spread", AT(hygiene_request, max_spread), .arg = "X", .max = 1e15,
     .help = "longest reply over the median of its ask (4)"},
    {.kind = OPTION_REAL, .name = "threshold", AT(hygiene_request, threshold), .arg = "R", .max = 1,
     .help = "correlation from which the reward tracks something (0.3)"},
    {.kind = OPTION_TEXT, .name = "tools", AT(hygiene_request, tools), .arg = "FILE", .file = true,
     .help = "the declared tools (those that the rows carry)"},
    {.kind = OPTION_TEXT, .name = "dedupe-out", AT(hygiene_request, dedupe_out), .arg = "FILE", .file = true,
     .help = "write the rows that repeat no other to FILE"},
    {.kind = OPTION_REAL, .name = "max-duplicates", AT(hygiene_request, max_duplicates), .arg = "R", .max = 1,
     .seen = offsetof(struct hygiene_request, max_duplicates_given), .help = "red over this share of repeats"},
    {.kind = OPTION_REAL, .name = "max-truncated", AT(hygiene_request, max_truncated), .arg = "R", .max = 1,
     .seen = offsetof(struct hygiene_request, max_truncated_given), .help = "red over this share of cut replies"},
    {.kind = OPTION_TEXT, .name = "by", AT(hygiene_request, common.by), .arg = "KEY",
     .help = "the headline numbers for each value of a row key too"},
    SCAN_OPTIONS(struct hygiene_request, common),
    {0},
};
/* clang-format on */

#define VERB(name, request)                                                         \
    static int make_##name(const void *asked, const struct operands *operands,      \
                           struct scan_output *output, struct error *error)         \
    {                                                                               \
        return scan_##name((const struct request *)asked, operands, output, error); \
    }

VERB(hacks, hacks_request)
VERB(diff, hacks_request)
VERB(hygiene, hygiene_request)

static const struct verb HACKS_VERB = {&HACKS_DEFAULTS, sizeof HACKS_DEFAULTS, make_hacks};
static const struct verb DIFF_VERB = {&HACKS_DEFAULTS, sizeof HACKS_DEFAULTS, make_diff};
static const struct verb HYGIENE_VERB = {&HYGIENE_DEFAULTS, sizeof HYGIENE_DEFAULTS, make_hygiene};

static const struct command VERBS[] = {
    {.name = "hacks",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "what a grouped update would learn from this reward",
     .options = HACKS_TABLE,
     .examples = "wai-scan hacks --endorsed tool:lookup --gate scored.jsonl\n"
                 "wai-scan hacks --show contains:guaranteed scored.jsonl\n",
     .exit_status = "1    --gate, and the regime is red; --strict, and there is a warning\n",
     .data = &HACKS_VERB},
    {.name = "diff",
     .synopsis = "[OPTIONS] BEFORE AFTER",
     .purpose = "what training taught: the features that newly follow the reward",
     .options = DIFF_TABLE,
     .examples = "wai-scan diff --endorsed tool:lookup before.jsonl after.jsonl\n",
     .exit_status = "1    --gate, and what was gained is not endorsed\n",
     .data = &DIFF_VERB},
    {.name = "hygiene",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "what in the rows would mislead a grouped update",
     .options = HYGIENE_TABLE,
     .examples = "wai-scan hygiene --tools tools.json scored.jsonl\n",
     .exit_status = "1    --gate, and a correlation or a conflict is red\n",
     .data = &HYGIENE_VERB},
    {0},
};

static const struct command COMMAND = {
    .name = "wai-scan",
    .synopsis = "VERB [OPTIONS] [FILE...]",
    .purpose = "is the reward, or the data set, being fooled",
    .verbs = VERBS,
};

/* The report, as it was asked for, to standard output and to --report's file. */
static int deliver(struct scan_output *output, const struct scan_common *common,
                   struct error *error)
{
    struct buf lines = {0};
    buf_byte(&output->json, '\n');
    findings_lines(&output->findings, &lines);
    const struct buf *chosen = common->json       ? &output->json
                               : common->findings ? &lines
                                                  : &output->text;
    int code = program_report(buf_span(chosen), common->report, buf_span(&output->json), error);
    buf_free(&lines);
    return code;
}

static int run(const struct verb *verb, const void *request, const struct operands *operands,
               struct error *error)
{
    struct scan_output output = {0};
    struct error failed = {0};
    int made = verb->make(request, operands, &output, error), code = 0;
    if (!made || made == ERROR_CHECK)
        code = deliver(&output, request, &failed);
    if (code)
        *error = failed;
    scan_output_free(&output);
    return code ? code : made;
}

static void free_lists(const struct option *options, void *request)
{
    for (; options->kind; options++)
        if (options->kind == OPTION_LIST)
            option_list_free((struct option_list *)((char *)request + options->offset));
}

static int parse_and_run(const struct command *command, int argc, char **argv, struct error *error)
{
    const struct verb *verb = command->data;
    struct operands operands = {0};
    struct scan_common *request = mem_copy(verb->defaults, verb->size);
    request->ci.github = ci_in_github();
    int code = options_parse(command, argc, argv, request, &operands, error);
    if (code == OPTIONS_DONE) {
        code = 0;
    } else if (code == OPTIONS_RUN) {
        log_quiet(request->rows.quiet);
        code = ci_check(&request->ci, error);
        if (!code)
            code = run(verb, request, &operands, error);
    }
    free_lists(command->options, request);
    operands_free(&operands);
    free(request);
    return code;
}

int main(int argc, char **argv)
{
    return program_run(&COMMAND, argc, argv, parse_and_run);
}
