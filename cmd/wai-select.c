/* wai-select: rows in, the rows a trainer should see out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "select/request.h"

#define MODES "rl|sft|pairs|curriculum|retire|next-round|gate|calibrate|trim|stage|filter"

#define FIELD(name) offsetof(struct select_request, name)
/* clang-format off */
static const struct option options[] = {
    {OPTION_CHOICE, 'm', "mode", FIELD(mode), MODES, "which selection (rl)", .choices = MODES},
    {OPTION_TEXT, 'o', "output", FIELD(output), "FILE", "write the rows to FILE (standard output)", .file = true},
    {OPTION_TEXT, 0, "report", FIELD(report), "FILE", "write the report to FILE as one JSON object", .file = true},
    {OPTION_FLAG, 0, "json", FIELD(json), NULL, "the report on standard output as one JSON object; rows then need --output"},
    {OPTION_INT, 0, "target", FIELD(target), "N", "rl, sft: about how many rows (1000)", .min = 0, .max = 1e15},
    {OPTION_CHOICE, 0, "select", FIELD(rule), "RULE",
     "sft: top_per_prompt (default), random_per_prompt, top_k_overall or random_k_overall",
     .choices = "top_per_prompt|random_per_prompt|top_k_overall|random_k_overall|"
                "top-per-prompt|random-per-prompt|top-k-overall|random-k-overall"},
    {OPTION_INT, 0, "k", FIELD(k), "N", "sft, overall rules: how many (the target)", .min = 0, .max = 1e15},
    {OPTION_REAL, 0, "min-reward", FIELD(min_reward), "X", "sft: reward that passes (1)"},
    {OPTION_TEXT, 0, "seed", FIELD(seed), "N", "seed of the draws (0)"},
    {OPTION_TEXT, 0, "band", FIELD(band), "LO,HI", "pass rates that are kept, edges inside (0.2,0.8)"},
    {OPTION_REAL, 0, "lo", FIELD(low), "X", "lower edge of the band", FIELD(low_given)},
    {OPTION_REAL, 0, "hi", FIELD(high), "X", "upper edge of the band", FIELD(high_given)},
    {OPTION_FLAG, 0, "no-enforce-band", FIELD(no_enforce_band), NULL, "rl: tasks outside the band only rank last"},
    {OPTION_CHOICE, 0, "truncated", FIELD(truncated), "drop|keep|penalize",
     "rl: what becomes of replies cut by the token cap (drop)", .choices = "drop|keep|penalize"},
    {OPTION_FLAG, 0, "no-dedupe", FIELD(no_dedupe), NULL, "rl: keep rollouts that repeat another"},
    {OPTION_FLAG, 0, "no-tools", FIELD(no_tools), NULL, "rl: the agent has no tools"},
    {OPTION_CHOICE, 0, "order", FIELD(order), "spread|middle",
     "rl: deal over pass rates, or the middle of the band first (spread)", .choices = "spread|middle"},
    {OPTION_CHOICE, 0, "text-gates", FIELD(text_gates), "auto|require|skip",
     "rl: gates that look at the replies; auto: when any row has one (auto)", .choices = "auto|require|skip"},
    {OPTION_LIST, 0, "endorsed", FIELD(endorsed), "PATTERN",
     "rl: part of the name of a feature that the reward is meant to follow, for the hack scan; repeatable"},
    {OPTION_TEXT, 0, "group-by", FIELD(group_by), "KEY",
     "rl, gate: what is one ask to the hack scan: prompt, task or a key of the rows (prompt)"},
    {OPTION_FLAG, 0, "calibration-excludes-leaks", FIELD(calibration_excludes_leaks), NULL,
     "rl: the tasks' pass rates are without rows that say what only the teacher was told"},
    {OPTION_FLAG, 0, "strict-keys", FIELD(strict_keys), NULL,
     "rl, sft, filter: messages do not stand in for an absent prompt or final_text"},
    {OPTION_FLAG, 0, "no-scan", FIELD(no_scan), NULL, "rl: without the hack scan"},
    {OPTION_TEXT, 0, "prior", FIELD(prior), "FILE",
     "rl: last round's graded rows or rate rows: tasks outside the band go first", .file = true},
    {OPTION_TEXT, 0, "audit", FIELD(audit), "FILE", "rl: report of an audit of the verifier, for the warnings", .file = true},
    {OPTION_TEXT, 0, "max-per", FIELD(max_per), "KEY=N",
     "rl, sft: at most N groups (rows) for each value of a key of the rows"},
    {OPTION_TEXT, 0, "explain", FIELD(explain), "FILE", "rl: what became of each task, a line of JSON each", .file = true},
    {OPTION_INT, 0, "max-pairs-per-prompt", FIELD(max_pairs), "N", "pairs: at most N of a prompt (1)", .min = 1, .max = 1e9},
    {OPTION_REAL, 0, "min-margin", FIELD(min_margin), "X", "pairs: reward by which the chosen reply is better (1)"},
    {OPTION_FLAG, 0, "no-length-match", FIELD(no_length_match), NULL,
     "pairs: the next reply in rank instead of the nearest in length"},
    {OPTION_REAL, 0, "solved", FIELD(solved), "X", "curriculum, retire: pass rate over which a task is solved (0.8)", .max = 1},
    {OPTION_REAL, 0, "floor", FIELD(floor), "X", "curriculum: pass rate under which a task is not ready (0.2)", .max = 1},
    {OPTION_INT, 0, "tiers", FIELD(tiers), "N", "curriculum: tiers of the schedule (3)", .min = 0, .max = 1e9},
    {OPTION_INT, 0, "min-rollouts", FIELD(min_rollouts), "N", "curriculum, retire: labels under which a task is thin (2)",
     .min = 0, .max = 1e9},
    {OPTION_CHOICE, 0, "emit", FIELD(emit), "rows", "curriculum: the rows in the order of the schedule too", .choices = "rows"},
    {OPTION_TEXT, 0, "tasks", FIELD(tasks), "FILE", "next-round: the candidates, rows or prompts in quotes", .file = true},
    {OPTION_TEXT, 0, "gate-mode", FIELD(gate_mode), "MODE", "gate: what the rows are for; rl: a grouped update"},
    {OPTION_FLAG, 0, "no-strict", FIELD(no_strict), NULL, "gate: a refused set leaves all the same, and exits 0"},
    {OPTION_FLAG, 0, "strict-hacks", FIELD(strict_hacks), NULL, "gate: refuse a set whose reward is hacked"},
    {OPTION_TEXT, 0, "student", FIELD(student), "TEXT|JSON", "gate, calibrate: whose pass rates these are"},
    {OPTION_TEXT, 0, "model", FIELD(model), "NAME", "gate, calibrate: the student's model"},
    {OPTION_TEXT, 0, "ref", FIELD(ref), "KEY|FILE", "gate, calibrate: reference log-probabilities, for mean_kl", .file = true},
    {OPTION_INT, 0, "trim", FIELD(trim), "N", "trim: the first N of the order", FIELD(trim_given), .min = 0, .max = 1e15},
    {OPTION_CHOICE, 0, "by", FIELD(by), "random|bigram|diverse|target",
     "trim: the order; diverse and target need --embedder (random)", .choices = "random|bigram|diverse|target"},
    EMBEDDER_OPTIONS(struct select_request, embedder,
                     "trim: vectors of the rows: hash, ollama:MODEL, openai:MODEL, a URL, cmd:COMMAND, file:FILE, key:KEY"),
    {OPTION_TEXT, 0, "dev", FIELD(dev), "FILE", "trim, target: what the test asks, rows or texts in quotes", .file = true},
    {OPTION_FLAG, 0, "indexes", FIELD(index_order), NULL, "trim: print the numbers of the rows, from 0, instead of the rows"},
    {OPTION_FLAG, 0, "sizes", FIELD(sizes), NULL, "trim: print sizes worth training on instead of rows"},
    {OPTION_INT, 0, "first", FIELD(first), "N", "trim, sizes: the smallest (64)", .min = 1, .max = 1e15},
    {OPTION_REAL, 0, "growth", FIELD(growth), "X", "trim, sizes: each over the one before (2)"},
    {OPTION_TEXT, 0, "curve", FIELD(curve), "FILE", "trim: scores by size; says how many rows are enough", .file = true},
    {OPTION_REAL, 0, "base", FIELD(base), "X", "trim, curve: score without training", FIELD(base_given)},
    {OPTION_REAL, 0, "min-gain", FIELD(min_gain), "X", "trim, curve: gain by doubling that is worth it (0.01)"},
    {OPTION_INT, 0, "draws", FIELD(draws), "N", "trim, curve: resamples behind the range (200)", .min = 0, .max = 1e6},
    {OPTION_TEXT, 0, "stage", FIELD(stage), "NAME", "stage: stamp the rows sft, rm, rl, eval or mid; without it, report"},
    {OPTION_FLAG, 0, "fail-on-leak", FIELD(fail_on_leak), NULL, "stage: exit 1 when a task is in the eval and in the training"},
    {OPTION_FLAG, 0, "no-trim-unanimous", FIELD(no_trim_unanimous), NULL, "filter: keep tasks whose labels all agree"},
    {OPTION_INT, 0, "fail-under", FIELD(fail_under), "N", "exit 1 when fewer than N rows come out", .min = 0, .max = 1e15},
    {OPTION_FLAG, 0, "keep-order", FIELD(keep_order), NULL, "write the chosen rows in input order"},
    ROW_OPTIONS(struct select_request, rows),
    {0},
};
/* clang-format on */

static const struct command command = {
    .name = "wai-select",
    .synopsis = "[--mode MODE] [OPTIONS] [FILE...]",
    .purpose = "choose the rows a trainer can use; say what every gate dropped",
    .options = options,
    .examples = "wai-select --mode sft scored.jsonl > sft.jsonl\n"
                "wai-select --band 0.1,0.9 --report select.json scored.jsonl > rl.jsonl\n",
};

static int deliver(const struct select_request *q, struct select_output *output,
                   struct error *error)
{
    int code = 0;
    if (output->report.len)
        buf_byte(&output->report, '\n');
    if (q->report && output->report.len)
        code = file_save(q->report, buf_span(&output->report), error);
    const struct buf *shown = q->json ? &output->report : &output->text;
    if (!code && shown->len)
        code = file_write_all(STDOUT_FILENO, "standard output", buf_span(shown), error);
    for (char *line = output->notes.len ? strtok((char *)buf_cstr(&output->notes), "\n") : NULL;
         !code && line; line = strtok(NULL, "\n"))
        log_note("%s", line);
    return code;
}

/* Rows and a report cannot share standard output; modes that write no row need no file. */
static int check(const struct select_request *q, struct error *error)
{
    if (q->json && !q->output && select_writes_rows(q))
        return error_set(error, ERROR_USAGE,
                         "--json prints the report where the rows go; name a file for them with "
                         "--output");
    return 0;
}

int main(int argc, char **argv)
{
    struct error error = {0}, failed;
    struct operands operands = {0};
    struct select_request q = SELECT_REQUEST_DEFAULT;
    struct select_output output = {0};
    log_open(argv[0]);
    signals_open();
    int code = options_parse(&command, argc, argv, &q, &operands, &error);
    if (code)
        return code < 0 ? log_fail(&error) : 0;
    log_quiet(q.rows.quiet);
    code = check(&q, &error);
    if (!code)
        code = select_run(&q, &operands, &output, &error);
    if (!code || code == ERROR_CHECK) {
        int delivered = deliver(&q, &output, &failed);
        if (delivered) {
            code = delivered;
            error = failed;
        }
    }
    select_output_free(&output);
    option_list_free(&q.endorsed);
    operands_free(&operands);
    return code ? log_fail(&error) : 0;
}
