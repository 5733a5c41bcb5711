/* wai-rows: makes rows, checks them and changes their form. What a verb does with the rows stands in the
 * rooms row and ingest; its options and its report have a file in wai-rows/. */
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"

static program_verb *const RUN_BENCH = run_bench;
static program_verb *const RUN_CONVERT = run_convert;
static program_verb *const RUN_CHECK = run_check;
static program_verb *const RUN_SPLIT = run_split;

static const struct command VERBS[] = {
    {.name = "bench",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "items of a benchmark to rows: prompts, answers, gold",
     .options = BENCH_OPTIONS,
     .examples = "wai-rows bench --prompt question --reference answer --reference-after '####' "
                 "items.jsonl |\n"
                 "    wai-grade -V math-equal | wai-passat\n",
     .data = &RUN_BENCH},
    {.name = "convert",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "rows of any known shape to another form, computed keys added",
     .options = CONVERT_OPTIONS,
     .examples = "wai-rows convert old.jsonl > rows.jsonl\n"
                 "wai-rows convert --to keep --add fault,usable rows.jsonl\n",
     .data = &RUN_CONVERT},
    {.name = "check",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "says what is wrong with rows; a gate before a run",
     .options = CHECK_OPTIONS,
     .examples = "wai-rows check scored.jsonl\n"
                 "wai-rows check --kind training --bad broken.jsonl train.jsonl\n",
     .exit_status = "1    a row has problems\n",
     .data = &RUN_CHECK},
    {.name = "split",
     .synopsis = "[OPTIONS] [FILE...]",
     .purpose = "rows to a training and a held-out side, by task and never by row",
     .options = SPLIT_OPTIONS,
     .examples = "wai-rows split --holdout 0.2 --held holdout.jsonl scored.jsonl > train.jsonl\n",
     .data = &RUN_SPLIT},
    {0},
};

static const struct command COMMAND = {
    .name = "wai-rows",
    .synopsis = "VERB [OPTIONS] [FILE...]",
    .purpose = "makes rows, checks them and changes their form",
    .verbs = VERBS,
};

static int run(const struct command *verb, int argc, char **argv, struct error *error)
{
    return (*(program_verb *const *)verb->data)(verb, argc, argv, error);
}

int main(int argc, char **argv)
{
    return program_run(&COMMAND, argc, argv, run);
}
