/* wai-plan: how much to run, and how far to trust what was run. A verb is its options, their
 * defaults and one function of room measure that makes the report. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/program.h"
#include "cmd/wai-plan/verbs.h"
#include "measure/plan_run.h"

/* clang-format off */

#define POWER_OPTIONS(at_power, at_alpha)                                                          \
    {.kind = OPTION_REAL, .name = "power", at_power, .arg = "X", .max = 1,                         \
     .help = "chance to see the gain when it is there (0.8)"},                                     \
    {.kind = OPTION_REAL, .name = "alpha", at_alpha, .arg = "X", .max = 1,                         \
     .help = "chance to see a change that is not there (0.05)"}
#define MODEL_OPTIONS(at_base)                                                                     \
    {.kind = OPTION_REAL, .name = "base", at_base, .arg = "X", .max = 1,                           \
     .help = "pass rate before (0.6)"},                                                            \
    {.kind = OPTION_INT, .letter = 'k', .name = "k", ASKED(k), .arg = "N", .min = 1, .max = 1e9,   \
     .help = "tries per task (4)"}
#define BOOT_OPTIONS                                                                               \
    {.kind = OPTION_INT, .name = "n-boot", ASKED(boot.draws), .arg = "N", .min = 1,                \
     .max = MEASURE_DRAWS_MAX, .help = "replicates behind an interval (2000)"},                    \
    {.kind = OPTION_TEXT, .name = "seed", ASKED(boot.seed), .arg = "N",                            \
     .help = "seed of the draws (0)"},                                                             \
    {.kind = OPTION_CHOICE, .name = "interval", ASKED(boot.kind),                                  \
     .choices = "percentile|t|bca", .help = "how intervals are made (percentile)"}
#define BOOT_DEFAULT {.draws = STAT_BOOT_DRAWS, .seed = "0", .kind = "percentile"}
#define ROWS_OPTIONS                                                                               \
    KEY_OPTIONS(struct OPTIONS, asked.rows.keys), ROW_OPTIONS(struct OPTIONS, asked.rows.reader)

/* ---- holdout-size ----------------------------------------------------------------------------- */

struct holdout_verb {
    struct output output;
    struct holdout_request asked;
};
#define OPTIONS holdout_verb
static const struct holdout_verb HOLDOUT_DEFAULTS = {.asked = {
    .sizing = {.base = MEASURE_BASE_RATE, .power = STAT_POWER, .alpha = STAT_ALPHA,
               .ceiling = MEASURE_CEILING},
    .k = MEASURE_TRIES_PER_TASK, .rows = ROWS_DEFAULT}};
static const struct option HOLDOUT_OPTIONS[] = {
    {.kind = OPTION_REAL, .name = "effect", ASKED(sizing.effect), .arg = "X", .max = 1,
     GIVEN(effect_given), .help = "gain to prove; required"},
    MODEL_OPTIONS(ASKED(sizing.base)),
    POWER_OPTIONS(ASKED(sizing.power), ASKED(sizing.alpha)),
    {.kind = OPTION_TEXT, .name = "before", ASKED(before), .arg = "ROWS", .file = true,
     .help = "graded rows that the base rate and k are read from"},
    {.kind = OPTION_TEXT, .name = "after", ASKED(after), .arg = "ROWS", .file = true,
     .help = "graded rows of the same tasks after a change: the spread is measured on pairs"},
    {.kind = OPTION_REAL, .name = "task-std", ASKED(task_std), .arg = "X", .max = NO_MAX,
     GIVEN(task_std_given), .help = "spread of one task's paired difference, when it is known"},
    {.kind = OPTION_REAL, .name = "ceiling-pass-rate", ASKED(sizing.ceiling), .arg = "X", .max = 1,
     .help = "pass rate from which rows size nothing (0.9)"},
    OUTPUT_OPTIONS,
    ROWS_OPTIONS,
    {0},
};
#undef OPTIONS

/* ---- detectable-effect ------------------------------------------------------------------------ */

struct effect_verb {
    struct output output;
    struct effect_request asked;
};
#define OPTIONS effect_verb
static const struct effect_verb EFFECT_DEFAULTS = {.asked = {
    .base = MEASURE_BASE_RATE, .power = STAT_POWER, .alpha = STAT_ALPHA,
    .k = MEASURE_TRIES_PER_TASK}};
static const struct option EFFECT_OPTIONS[] = {
    {.kind = OPTION_INT, .letter = 'n', .name = "n-tasks", ASKED(n_tasks), .arg = "N", .max = 1e15,
     GIVEN(n_tasks_given), .help = "paired tasks; required"},
    MODEL_OPTIONS(ASKED(base)),
    POWER_OPTIONS(ASKED(power), ASKED(alpha)),
    OUTPUT_OPTIONS,
    {0},
};
#undef OPTIONS

/* ---- eval-power ------------------------------------------------------------------------------- */

struct power_verb {
    struct output output;
    struct power_request asked;
};
#define OPTIONS power_verb
static const struct power_verb POWER_DEFAULTS = {.asked = {
    .power = {.effect = MEASURE_EFFECT, .power = STAT_POWER, .alpha = STAT_ALPHA,
              .band_low = MEASURE_BAND_LOW, .band_high = MEASURE_BAND_HIGH},
    .rows = ROWS_DEFAULT}};
static const struct option USABLE_OPTIONS[] = {
    {.kind = OPTION_REAL, .name = "effect", ASKED(power.effect), .arg = "X", .max = 1,
     .help = "gain to prove (0.05)"},
    POWER_OPTIONS(ASKED(power.power), ASKED(power.alpha)),
    {.kind = OPTION_TEXT, .name = "band", ASKED(band), .arg = "LO,HI",
     .help = "pass rates of the tasks that count as in the band (0.2,0.8)"},
    {.kind = OPTION_CHOICE, .name = "fail-unless", ASKED(fail_unless), .choices = "usable",
     .help = "red when the set cannot prove the gain"},
    OUTPUT_OPTIONS,
    ROWS_OPTIONS,
    {0},
};
#undef OPTIONS

/* ---- eval-variance ---------------------------------------------------------------------------- */

struct variance_verb {
    struct output output;
    struct variance_request asked;
};
#define OPTIONS variance_verb
static const struct variance_verb VARIANCE_DEFAULTS = {.asked = {
    .metric = "pass_at_1", .rows = ROWS_DEFAULT}};
static const struct option VARIANCE_OPTIONS[] = {
    {.kind = OPTION_TEXT, .name = "metric", ASKED(metric), .arg = "M",
     .help = "pass_at_1, or a marker's name (pass_at_1)"},
    {.kind = OPTION_TEXT, .name = "by", ASKED(by), .arg = "KEY",
     .help = "key of the rows, or of their lineage, that names the run; all operands are split"},
    {.kind = OPTION_TEXT, .name = "forecast", ASKED(forecast), .arg = "runs=R,tasks=T,tries=N",
     .help = "the spread with that many runs, tasks and tries"},
    OUTPUT_OPTIONS,
    ROWS_OPTIONS,
    {0},
};
#undef OPTIONS

/* ---- noise-band ------------------------------------------------------------------------------- */

struct band_verb {
    struct output output;
    struct band_request asked;
};
#define OPTIONS band_verb
static const struct band_verb BAND_DEFAULTS = {.asked = {
    .level = STAT_LEVEL, .n_a = 1, .n_b = 1}};
static const struct option BAND_OPTIONS[] = {
    {.kind = OPTION_REAL, .name = "run-std", ASKED(run_std), .arg = "X", .max = NO_MAX,
     GIVEN(run_std_given),
     .help = "spread of one run's mean when the same model runs again; required"},
    {.kind = OPTION_INT, .name = "n-a", ASKED(n_a), .arg = "N", .min = 1, .max = 1e9,
     .help = "runs before (1)"},
    {.kind = OPTION_INT, .name = "n-b", ASKED(n_b), .arg = "N", .min = 1, .max = 1e9,
     .help = "runs after (1)"},
    {.kind = OPTION_INT, .name = "df", ASKED(df), .arg = "N", .min = 1, .max = 1e9, GIVEN(df_given),
     .help = "degrees of freedom of the spread, re-runs less one (none: it is exact)"},
    {.kind = OPTION_REAL, .name = "level", ASKED(level), .arg = "X", .max = 1,
     .help = "share of changes by re-running alone that stay inside (0.95)"},
    {.kind = OPTION_FLAG, .name = "points", ASKED(points), .help = "in hundredths, 2 decimals"},
    OUTPUT_OPTIONS,
    {0},
};
#undef OPTIONS

/* ---- interval --------------------------------------------------------------------------------- */

struct interval_verb {
    struct output output;
    struct interval_request asked;
};
#define OPTIONS interval_verb
static const struct interval_verb INTERVAL_DEFAULTS = {.asked = {
    .level = STAT_LEVEL, .boot = BOOT_DEFAULT, .reader = ROW_OPTIONS_DEFAULT}};
static const struct option INTERVAL_OPTIONS[] = {
    {.kind = OPTION_REAL, .name = "successes", ASKED(successes), .arg = "S", .max = NO_MAX,
     GIVEN(successes_given), .help = "passes among --n tries: Wilson's interval of the rate"},
    {.kind = OPTION_INT, .letter = 'n', .name = "n", ASKED(n), .arg = "N", .max = 1e15,
     GIVEN(n_given), .help = "tries"},
    {.kind = OPTION_REAL, .name = "level", ASKED(level), .arg = "X", .max = 1,
     .help = "coverage of the interval (0.95)"},
    BOOT_OPTIONS,
    OUTPUT_OPTIONS,
    ROW_OPTIONS(struct OPTIONS, asked.reader),
    {0},
};
#undef OPTIONS

/* ---- self-check ------------------------------------------------------------------------------- */

struct check_verb {
    struct output output;
    struct check_request asked;
};
#define OPTIONS check_verb
static const struct check_verb CHECK_DEFAULTS = {.asked = {
    .trials = SELF_CHECK_TRIALS, .jobs = 1, .alpha = STAT_ALPHA, .flag_at = SELF_CHECK_FLAG,
    .boot = BOOT_DEFAULT}};
static const struct option CHECK_OPTIONS[] = {
    {.kind = OPTION_FLAG, .name = "full", ASKED(full), .help = "400 trials of each check"},
    {.kind = OPTION_INT, .name = "trials", ASKED(trials), .arg = "N", .min = 1,
     .max = SELF_CHECK_TRIALS_MAX, GIVEN(trials_given), .help = "trials of each check (40)"},
    BOOT_OPTIONS,
    {.kind = OPTION_REAL, .name = "alpha", ASKED(alpha), .arg = "X", .max = 1,
     .help = "the comparison's alpha (0.05)"},
    {.kind = OPTION_REAL, .name = "flag-at", ASKED(flag_at), .arg = "X", .max = NO_MAX,
     .help = "standard errors off from which a check is flagged (3)"},
    {.kind = OPTION_INT, .letter = 'j', .name = "jobs", ASKED(jobs), .arg = "N", .min = 1,
     .max = 256, .help = "worker threads; never changes the output (1)"},
    OUTPUT_OPTIONS,
    {0},
};
#undef OPTIONS

/* clang-format on */

/* ---- the table of verbs -------------------------------------------------------------------------
 */

#define VERB(kind, KIND, takes_files)                                                              \
    static int make_##kind(const void *options, const struct operands *operands,                   \
                           struct plan_report *report, struct error *error)                        \
    {                                                                                              \
        return plan_##kind(&((const struct kind##_verb *)options)->asked, operands, report,        \
                           error);                                                                 \
    }                                                                                              \
    static const struct verb KIND##_VERB = {&KIND##_DEFAULTS, sizeof KIND##_DEFAULTS, takes_files, \
                                            make_##kind, NULL};

VERB(holdout, HOLDOUT, false)
VERB(effect, EFFECT, false)
VERB(power, POWER, true)
VERB(variance, VARIANCE, true)
VERB(band, BAND, false)
VERB(interval, INTERVAL, true)
VERB(check, CHECK, false)

static const struct command VERBS[] = {
    {.name = "recommend",
     .synopsis = "[--tools FILE] [--policy FILE] [OPTIONS]",
     .purpose = "how many rows to make, from the agent's own grid of situations",
     .options = RECOMMEND_OPTIONS,
     .examples = "wai-plan recommend --tools tools.json --policy policy.md\n"
                 "wai-plan recommend --tools tools.json --mode rl --mixed-rate 0.2\n",
     .data = &RECOMMEND_VERB},
    {.name = "holdout-size",
     .synopsis = "--effect X [OPTIONS]",
     .purpose = "how many paired tasks prove a gain",
     .options = HOLDOUT_OPTIONS,
     .examples = "wai-plan holdout-size --effect 0.05\n"
                 "wai-plan holdout-size --effect 0.05 --before base.jsonl --after tuned.jsonl\n",
     .data = &HOLDOUT_VERB},
    {.name = "detectable-effect",
     .synopsis = "--n-tasks N [OPTIONS]",
     .purpose = "the smallest gain that a number of tasks can prove",
     .options = EFFECT_OPTIONS,
     .examples = "wai-plan detectable-effect --n-tasks 140 --base 0.6 -k 4\n",
     .data = &EFFECT_VERB},
    {.name = "eval-power",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "whether a held-out set can prove a gain, from the rows of its base run",
     .options = USABLE_OPTIONS,
     .examples = "wai-plan eval-power --effect 0.05 --fail-unless usable base.jsonl\n",
     .exit_status = "1    --fail-unless usable, and the set is not\n",
     .data = &POWER_VERB},
    {.name = "eval-variance",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "how far an eval moves when nothing changed: the spread of its runs",
     .options = VARIANCE_OPTIONS,
     .examples = "wai-plan eval-variance run1.jsonl run2.jsonl run3.jsonl\n"
                 "wai-plan eval-variance --forecast runs=5,tries=8 runs.jsonl\n",
     .data = &VARIANCE_VERB},
    {.name = "noise-band",
     .synopsis = "--run-std X [OPTIONS]",
     .purpose = "how far two runs lie apart by re-running alone",
     .options = BAND_OPTIONS,
     .examples = "wai-plan noise-band --run-std 0.0125 --df 2\n",
     .data = &BAND_VERB},
    {.name = "interval",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "the interval of a rate, or of the mean of numbers",
     .options = INTERVAL_OPTIONS,
     .examples = "wai-plan interval --successes 41 --n 60\n"
                 "jq .reward scored.jsonl | wai-plan interval\n",
     .data = &INTERVAL_VERB},
    {.name = "self-check",
     .synopsis = "[OPTIONS]",
     .purpose = "checks the comparison by simulation, on agents whose pass rates are known",
     .options = CHECK_OPTIONS,
     .examples = "wai-plan self-check --full -j 4\n",
     .exit_status = "1    a check is flagged\n",
     .data = &CHECK_VERB},
    {0},
};

static const struct command COMMAND = {
    .name = "wai-plan",
    .synopsis = "VERB [OPTIONS] [FILE...]",
    .purpose = "how much to run, and how far to trust what was run",
    .verbs = VERBS,
};

/* 0, 1 or a negative code. */
static int run(const struct verb *verb, const void *options, const struct operands *operands,
               struct error *error)
{
    struct plan_report report = {0};
    const struct output *output = options; /* what every verb's options begin with */
    int made = verb->make(options, operands, &report, error), code = made;
    buf_byte(&report.json, '\n');
    if (made >= 0)
        code = program_report(buf_span(output->json ? &report.json : &report.text), output->report,
                              buf_span(&report.json), error);
    plan_report_free(&report);
    return code < 0 ? code : made;
}

static int parse_and_run(const struct command *command, int argc, char **argv, struct error *error)
{
    const struct verb *verb = command->data;
    struct operands operands = {0};
    void *options = mem_copy(verb->defaults, verb->size);
    int code = options_parse(command, argc, argv, options, &operands, error);
    if (code == OPTIONS_DONE)
        code = 0;
    else if (code == OPTIONS_RUN && operands.count && !verb->files)
        code = error_set(error, ERROR_USAGE, "%s reads no operand, and was given %s", command->name,
                         operands.items[0]);
    else if (code == OPTIONS_RUN)
        code = run(verb, options, &operands, error);
    operands_free(&operands);
    if (verb->release)
        verb->release(options);
    free(options);
    return code;
}

int main(int argc, char **argv)
{
    return program_run(&COMMAND, argc, argv, parse_and_run);
}
