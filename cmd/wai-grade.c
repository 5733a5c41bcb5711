/* wai-grade: rows in, the same rows with a verdict out. Room grade does the work; here are the
 * options, the choice of one scorer, and what people read at the end. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "grade/defaults.h"
#include "grade/groupwise_run.h"
#include "grade/run.h"
#include "grade/scorer_options.h"
#include "measure/measure.h"
#include "rng/rng.h"
#include "text/digest.h"
#include "text/term.h"

struct settings {
    struct scorer_options scorer;
    struct mark_options marks;
    struct groupwise_options groupwise;
    const char *output, *report;
    const char *judge_name, *judge_version, *run_id, *model, *source, *regrade, *resume;
    const char *tools, *policy, *system_prompt;
    bool max_unjudged_given;
    int64_t limit;
    double timeout, max_unjudged;
    struct row_options rows;
};

#define AT(field) .offset = offsetof(struct settings, field)

/* clang-format off */
static const struct option OPTIONS[] = {
    SCORER_OPTIONS(struct settings, scorer),
    MARK_OPTIONS(struct settings, marks),
    GROUPWISE_OPTIONS(struct settings, groupwise),
    {.kind = OPTION_REAL, .name = "timeout", AT(timeout), .arg = "S", .min = 0, .max = 86400,
     .help = "seconds per verdict (none; a command 60, code-exec 10)"},
    {.kind = OPTION_TEXT, .name = "judge-name", AT(judge_name), .arg = "S",
     .help = "judge_name of the rows (the scorer's name)"},
    {.kind = OPTION_TEXT, .name = "judge-version", AT(judge_version), .arg = "S",
     .help = "version of the scorer, for lineage"},
    {.kind = OPTION_TEXT, .name = "run-id", AT(run_id), .arg = "S",
     .help = "name of this grading run (score_ and 12 random digits)"},
    {.kind = OPTION_TEXT, .name = "model", AT(model), .arg = "S",
     .help = "model that made the rows, for lineage"},
    {.kind = OPTION_CHOICE, .name = "source", AT(source), .choices = "grade|eval",
     .help = "what the grading is for, for lineage (grade)"},
    {.kind = OPTION_CHOICE, .name = "regrade", AT(regrade), .choices = "all|unjudged|failed",
     .help = "which rows are scored; the others pass as they are (all)"},
    {.kind = OPTION_INT, .name = "limit", AT(limit), .arg = "N", .min = 0, .max = 1e15,
     .help = "score at most N rows, the first ones (all)"},
    {.kind = OPTION_TEXT, .name = "resume", AT(resume), .arg = "FILE", .file = true,
     .help = "rows that an interrupted run wrote to FILE are taken from there"},
    {.kind = OPTION_TEXT, .name = "tools", AT(tools), .arg = "FILE|JSON",
     .help = "declared tools: $tools in programs, and warnings about tool use", .file = true},
    {.kind = OPTION_TEXT, .name = "policy", AT(policy), .arg = "FILE", .file = true,
     .help = "file with the agent's system prompt: $policy in programs"},
    {.kind = OPTION_TEXT, .name = "system-prompt", AT(system_prompt), .arg = "TEXT|@FILE",
     .help = "the agent's system prompt itself"},
    {.kind = OPTION_REAL, .name = "max-unjudged", AT(max_unjudged), .arg = "P", .min = 0, .max = 1,
     .seen = offsetof(struct settings, max_unjudged_given),
     .help = "exit 1 when more than this share of the scored rows is unjudged"},
    {.kind = OPTION_TEXT, .letter = 'o', .name = "output", AT(output), .arg = "FILE", .file = true,
     .help = "write the rows to FILE (standard output)"},
    {.kind = OPTION_TEXT, .name = "report", AT(report), .arg = "FILE", .file = true,
     .help = "write the report to FILE as one JSON object"},
    ROW_OPTIONS(struct settings, rows),
    {0},
};
/* clang-format on */

static const struct command COMMAND = {
    .name = "wai-grade",
    .synopsis = "[-e PROG | -c CMD | -V NAME[:ARGS]... | --conduct] [OPTIONS] [FILE...]",
    .purpose = "put a verdict on every row",
    .options = OPTIONS,
    .examples = "wai-grade -e 'if (.final_text|length) > 0 then 1 else 0 end' rows.jsonl\n"
                "wai-grade -V exact-match rows.jsonl | wai-passat\n"
                "wai-grade -V includes -V 'regex:{\"pattern\":\"</think>\"}' --all rows.jsonl\n"
                "wai-grade -V code-exec:timeout=5 -j 2 rows.jsonl > scored.jsonl\n"
                "wai-grade --checklist --tools tools.json rows.jsonl > scored.jsonl\n"
                "wai-grade --mark all --classify scored.jsonl > marked.jsonl\n"
                "wai-grade -c ./my_checker.py -j 8 --timeout 20 rows.jsonl > scored.jsonl\n",
    .exit_status = "1    a check that was asked for is red (--max-unjudged, --check-spread)\n"
                   "4    the scorer failed on every row, or its command kept dying\n",
};

/* What the options come to. */
struct plan {
    const struct settings *o;
    struct scorer_choice choice;
    struct scorer *scorer; /* of the choice; NULL: only marks */
    struct marks *marks;   /* NULL: none */
    int threads;
    struct scorer_setup setup;
    struct row_tools tools;
    struct buf tools_json, policy, run_id;
    struct arena words;
    struct facts_reader *facts;
    struct passat *passat;
};

/* ---- options
 * ------------------------------------------------------------------------------------------ */

/* --tools and the system prompt, for programs and warnings. */
static int read_context(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    struct buf other = {0};
    int rc = 0;
    if (o->tools && (rc = row_tools_read(&p->tools, o->tools, error)) == 0) {
        buf_byte(&p->tools_json, '[');
        for (size_t i = 0; i < p->tools.count; i++) {
            if (i)
                buf_byte(&p->tools_json, ',');
            buf_span_add(&p->tools_json, p->tools.items[i].entry.text);
        }
        buf_byte(&p->tools_json, ']');
        p->setup.tools = buf_span(&p->tools_json);
    }
    if (!rc && o->policy)
        rc = file_read(o->policy, GRADE_TEXT_MAX, &p->policy, error);
    if (!rc && o->system_prompt)
        rc = file_text_or_at(o->system_prompt, GRADE_TEXT_MAX, o->policy ? &other : &p->policy,
                             error);
    if (!rc && o->policy && o->system_prompt && !span_equal(buf_span(&other), buf_span(&p->policy)))
        rc = error_set(error, ERROR_USAGE, "--policy and --system-prompt differ; give one");
    if (!rc && (o->policy || o->system_prompt))
        p->setup.policy = span_make(buf_cstr(&p->policy), p->policy.len);
    buf_free(&other);
    return rc;
}

static void show_debug(void *data, struct span json)
{
    struct buf text = {0};
    (void)data;
    term_add(&text, json);
    log_note("debug: %s", buf_cstr(&text));
    buf_free(&text);
}

/* ---- the scorer
 * --------------------------------------------------------------------------------------- */

static int make_plan(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    p->setup = (struct scorer_setup){
        .jobs = (int)o->rows.jobs, .timeout_s = o->timeout, .debug = show_debug};
    bool marks = mark_options_any(&o->marks);
    int rc = read_context(p, error);
    if (!rc && (!marks || scorer_options_count(&o->scorer)))
        rc = scorer_choice_open(&p->choice, &o->scorer, &p->setup, error);
    if (rc)
        return rc;
    p->scorer = p->choice.scorer;
    if (p->choice.by_default)
        log_note("no scorer named: --checklist grades conduct and the outcome of each task");
    p->threads = p->scorer ? p->scorer->threads : scorer_jobs(&p->setup, EXPR_JOBS_MAX);
    if (marks && !(p->marks = marks_open(&o->marks, p->threads, error)))
        return error->code;
    return 0;
}

static void free_plan(struct plan *p)
{
    scorer_choice_close(&p->choice);
    marks_close(p->marks);
    row_tools_free(&p->tools);
    buf_free(&p->tools_json);
    buf_free(&p->policy);
    buf_free(&p->run_id);
    arena_free(&p->words);
    if (p->facts)
        facts_close(p->facts);
    passat_free(p->passat);
}

/* ---- the run
 * ------------------------------------------------------------------------------------------ */

static void row_left(void *data, const struct row *row)
{
    struct plan *p = data;
    struct row_facts facts;
    facts_read(p->facts, row, &facts);
    passat_add(p->passat, &facts);
}

static void show_warning(void *data, const char *text)
{
    (void)data;
    log_warning("%s", text);
}

static void show_reason(void *data, const char *text)
{
    (void)data;
    log_note("  %s", text);
}

/* On how many rows the checklist had an outcome to check. */
static void show_checked(const struct grade_run *run)
{
    double checked;
    uint64_t n = grade_run_marker(run, SPAN("outcome_checked"), &checked);
    if (n && checked > 0)
        log_note("an outcome was checked on %.0f of %llu rows", checked, (unsigned long long)n);
    else if (n)
        log_warning("no row says what its task asks for: the reward is conduct alone, which a "
                    "policy maximises by calling nothing; keep scenario_dimensions on the rows");
}

/* One screen: the pass rate with its interval and n, what is unjudged, why rows failed. */
static void show_summary(const struct plan *p, const struct grade_run *run)
{
    const struct grade_counts *c = grade_run_counts(run);
    struct rng rng;
    struct buf line = {0};
    struct passat_report report;
    rng_seed(&rng, 0);
    const struct passat_settings settings = {
        .min_k = MEASURE_MIN_K,
        .boot = {.start = &rng, .draws = STAT_BOOT_DRAWS, .level = STAT_LEVEL}};
    if (!log_is_quiet() && c->rows) {
        passat_report_make(p->passat, &settings, &report);
        passat_headline(&report, &line);
        log_note("%s", buf_cstr(&line));
        passat_report_free(&report);
        if (!p->scorer)
            log_note("no scorer: rewards stay as they are");
        else
            log_note("%llu rows scored by %.*s, %llu with a verdict, %llu passed on as they were",
                     (unsigned long long)c->scored, (int)strlen(p->scorer->name), p->scorer->name,
                     (unsigned long long)c->graded, (unsigned long long)(c->skipped + c->resumed));
        if (c->failures) {
            log_note("most frequent reasons of failure:");
            grade_run_reasons(run, 3, show_reason, NULL);
        }
    }
    if (!c->rows && !log_is_quiet())
        log_note("no row arrived");
    buf_free(&line);
    if (p->choice.backend && !strcmp(p->choice.backend, "checklist"))
        show_checked(run);
    grade_run_warnings(run, show_warning, NULL);
}

/* json: a line. */
static int write_report(const struct plan *p, struct span json, struct error *error)
{
    if (!p->o->report)
        return 0;
    struct file *file = file_create(p->o->report, error);
    int rc = file ? file_write(file, json, error) : ERROR_SYSTEM;
    if (file && rc == 0)
        rc = file_commit(file, error);
    else if (file)
        file_abandon(file);
    return rc;
}

static void name_run(struct plan *p)
{
    uint8_t bytes[6] = {0};
    char hex[13];
    if (p->o->run_id) {
        buf_text(&p->run_id, p->o->run_id);
        return;
    }
    if (getrandom(bytes, sizeof bytes, 0) < 0)
        memset(bytes, 0, sizeof bytes);
    digest_hex(bytes, sizeof bytes, hex);
    buf_format(&p->run_id, "score_%s", hex);
}

static struct grade_options grade_options_of(struct plan *p)
{
    const struct settings *o = p->o;
    return (struct grade_options){.scorer = p->scorer,
                                  .marks = p->marks,
                                  .threads = p->threads,
                                  .stamp = {.judge_name = span_text(o->judge_name ? o->judge_name
                                                                    : p->scorer   ? p->scorer->name
                                                                                  : NULL),
                                            .run_id = buf_span(&p->run_id),
                                            .source = span_text(o->source),
                                            .model = span_text(o->model),
                                            .judge_version = span_text(o->judge_version)},
                                  .regrade = *o->regrade == 'a'   ? GRADE_ALL
                                             : *o->regrade == 'u' ? GRADE_UNJUDGED
                                                                  : GRADE_FAILED,
                                  .limit = o->limit,
                                  .resume = o->resume,
                                  .tools = &p->tools,
                                  .backend = p->choice.backend ? p->choice.backend : "none",
                                  .left = row_left,
                                  .left_data = p};
}

/* Rows into the output; the output is committed unless the run broke off. */
static int grade(struct plan *p, struct grade_run *run, const struct operands *operands,
                 struct error *error)
{
    const struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = p->o->rows};
    struct row_writer *writer = row_writer_open(p->o->output, error);
    struct error later;
    if (!writer)
        return error->code;
    int rc = grade_run_rows(run, &source, writer, error);
    int closed = row_writer_close(writer, rc < 0 ? &later : error);
    return rc < 0 ? rc : closed;
}

/* --groupwise and --check-spread: the scorer is a grader of groups. */
static int grade_groups(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    const struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = o->rows};
    struct buf report = {0};
    p->setup = (struct scorer_setup){.jobs = 1, .timeout_s = o->timeout, .debug = show_debug};
    bool grader = groupwise_needs_scorer(&o->groupwise);
    if (mark_options_any(&o->marks) || o->scorer.conduct || o->scorer.checklist ||
        o->scorer.verify.count || (scorer_options_count(&o->scorer) > 0) != grader)
        return error_set(error, ERROR_USAGE,
                         "a grader of groups is --expr or --cmd alone, and none is wanted with "
                         "--verdicts-inline and --scores");
    int rc = read_context(p, error);
    if (!rc && grader)
        rc = scorer_choice_open(&p->choice, &o->scorer, &p->setup, error);
    if (!rc)
        rc = groupwise_run(&o->groupwise, p->choice.scorer, &source, o->output, &report, error);
    struct error later;
    int written = report.len ? write_report(p, buf_span(&report), rc < 0 ? &later : error) : 0;
    buf_free(&report);
    return rc < 0 ? rc : written;
}

static int run(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    if (groupwise_asked(&o->groupwise))
        return grade_groups(p, operands, error);
    int rc = make_plan(p, error);
    if (rc)
        return rc;
    name_run(p);
    p->facts = facts_open(&(struct facts_options){0});
    p->passat = passat_new(&(struct passat_options){0});
    const struct grade_options options = grade_options_of(p);
    struct grade_run *state = grade_run_open(&options, error);
    if (!state)
        return error->code;
    if (p->scorer && p->scorer->warning)
        log_warning("%s", p->scorer->warning);
    struct error trouble = {0};
    rc = grade(p, state, operands, &trouble);
    show_summary(p, state);
    struct buf report = {0};
    grade_run_report(state, &report);
    buf_byte(&report, '\n');
    int written = write_report(p, buf_span(&report), rc < 0 ? NULL : &trouble);
    buf_free(&report);
    rc = rc < 0 ? rc : written;
    double share = grade_unjudged_share(state);
    if (rc == 0 && o->max_unjudged_given && share > o->max_unjudged)
        rc = error_set(&trouble, ERROR_CHECK, "%.4g of the scored rows are unjudged, over %.4g",
                       share, o->max_unjudged);
    grade_run_close(state);
    *error = trouble;
    return rc;
}

int main(int argc, char **argv)
{
    struct settings o = {.source = "grade",
                         .regrade = "all",
                         .limit = -1,
                         .groupwise = GROUPWISE_OPTIONS_DEFAULT,
                         .rows = ROW_OPTIONS_DEFAULT};
    struct plan plan = {.o = &o};
    struct operands operands = {0};
    struct error error;
    signals_open();
    log_open(COMMAND.name);
    argc = scorer_options_join(argc, argv, &plan.words);
    int rc = options_parse(&COMMAND, argc, argv, &o, &operands, &error);
    if (rc == OPTIONS_RUN) {
        log_quiet(o.rows.quiet);
        rc = run(&plan, &operands, &error);
    } else if (rc == OPTIONS_DONE) {
        rc = 0;
    }
    free_plan(&plan);
    operands_free(&operands);
    scorer_options_free(&o.scorer);
    mark_options_free(&o.marks);
    return rc < 0 ? log_fail(&error) : rc;
}
