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
#include "grade/run.h"
#include "grade/verify.h"
#include "measure/measure.h"
#include "rng/rng.h"
#include "text/digest.h"
#include "text/term.h"
#include "text/utf8.h"
#include "json/write.h"

struct settings {
    const char *expr, *expr_file, *cmd, *cmd_kind, *weights, *scale, *output, *report;
    const char *judge_name, *judge_version, *run_id, *model, *source, *regrade, *resume;
    const char *tools, *policy, *system_prompt;
    struct option_list verify, args, json_args;
    bool expr_env, envelope, all, any, max_unjudged_given;
    int64_t batch, limit;
    double timeout, max_unjudged;
    struct row_options rows;
};

#define AT(field) .offset = offsetof(struct settings, field)

/* clang-format off */
static const struct option OPTIONS[] = {
    {.kind = OPTION_TEXT, .letter = 'e', .name = "expr", AT(expr), .arg = "PROG",
     .help = "a jq program over the row; its one output is the verdict"},
    {.kind = OPTION_TEXT, .name = "expr-file", AT(expr_file), .arg = "FILE", .file = true,
     .help = "the same, read from FILE"},
    {.kind = OPTION_LIST, .name = "arg", AT(args), .arg = "NAME=VALUE",
     .help = "bind $NAME to a text in the program (NAME VALUE in two words too)"},
    {.kind = OPTION_LIST, .name = "argjson", AT(json_args), .arg = "NAME=JSON",
     .help = "bind $NAME to a JSON value in the program"},
    {.kind = OPTION_FLAG, .name = "expr-env", AT(expr_env),
     .help = "let the program see the environment ($ENV, env)"},
    {.kind = OPTION_TEXT, .letter = 'c', .name = "cmd", AT(cmd), .arg = "CMD",
     .help = "a command that reads a row a line and answers a verdict a line"},
    {.kind = OPTION_CHOICE, .name = "cmd-kind", AT(cmd_kind), .choices = "rule|judge|reward_model|human",
     .help = "what the command is, for judge_meta.scorer_kind"},
    {.kind = OPTION_FLAG, .name = "cmd-envelope", AT(envelope),
     .help = "requests are {\"i\":N,\"row\":...}, replies {\"i\":N,\"verdict\":...} in any order"},
    {.kind = OPTION_INT, .name = "cmd-batch", AT(batch), .arg = "B", .min = 1, .max = CMD_THREADS_MAX,
     .help = "requests under way per process with --cmd-envelope (16)"},
    {.kind = OPTION_LIST, .letter = 'V', .name = "verify", AT(verify), .arg = "NAME[:ARGS]",
     .help = "a verifier; given several times, they are combined"},
    {.kind = OPTION_FLAG, .name = "all", AT(all), .help = "several verifiers: the worst score (default)"},
    {.kind = OPTION_FLAG, .name = "any", AT(any), .help = "several verifiers: the best score"},
    {.kind = OPTION_TEXT, .name = "weights", AT(weights), .arg = "W,W",
     .help = "several verifiers: the weighted mean, a weight each"},
    {.kind = OPTION_TEXT, .name = "scale", AT(scale), .arg = "LO,HI",
     .help = "the verdict is a rating on that scale"},
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
    .synopsis = "-e PROG | -c CMD | -V NAME[:ARGS]... [OPTIONS] [FILE...]",
    .purpose = "put a verdict on every row",
    .options = OPTIONS,
    .examples = "wai-grade -e 'if (.final_text|length) > 0 then 1 else 0 end' rows.jsonl\n"
                "wai-grade -V exact-match rows.jsonl | wai-passat\n"
                "wai-grade -V includes -V 'regex:{\"pattern\":\"</think>\"}' --all rows.jsonl\n"
                "wai-grade -V code-exec:timeout=5 -j 2 rows.jsonl > scored.jsonl\n"
                "wai-grade -c ./my_checker.py -j 8 --timeout 20 rows.jsonl > scored.jsonl\n",
    .exit_status = "1    a check that was asked for is red (--max-unjudged)\n"
                   "4    the scorer failed on every row, or its command kept dying\n",
};

/* What the options come to. */
struct plan {
    const struct settings *o;
    struct scorer *scorer;
    struct scorer_setup setup;
    struct row_tools tools;
    struct buf tools_json, policy, program, run_id;
    struct scorer_binding *bindings;
    size_t n_bindings;
    struct arena names;
    struct facts_reader *facts;
    struct passat *passat;
    const char *backend;
};

/* ---- options
 * ------------------------------------------------------------------------------------------ */

/* `--arg NAME VALUE`, as jq has it, becomes `--arg NAME=VALUE`. Returns the new count of words. */
static int join_arguments(int argc, char **argv, struct arena *texts)
{
    int out = 0;
    for (int i = 0; i < argc; i++) {
        bool pair = (!strcmp(argv[i], "--arg") || !strcmp(argv[i], "--argjson")) && i + 2 < argc &&
                    !strchr(argv[i + 1], '=');
        argv[out++] = argv[i];
        if (!strcmp(argv[i], "--")) {
            while (++i < argc)
                argv[out++] = argv[i];
        } else if (pair) {
            struct buf joined = {0};
            buf_format(&joined, "%s=%s", argv[i + 1], argv[i + 2]);
            argv[out++] = (char *)arena_text(texts, buf_cstr(&joined));
            buf_free(&joined);
            i += 2;
        }
    }
    return out;
}

static int bind_list(struct plan *p, const struct option_list *list, bool json, size_t *cap,
                     struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        struct buf text = {0};
        if (!equals || equals == list->items[i])
            return error_set(error, ERROR_USAGE, "--%s %s: NAME=VALUE is wanted",
                             json ? "argjson" : "arg", list->items[i]);
        if (json)
            buf_text(&text, equals + 1);
        else
            json_quote(&text, span_text(equals + 1));
        struct span name = span_make(list->items[i], (size_t)(equals - list->items[i]));
        p->bindings = mem_grow(p->bindings, cap, p->n_bindings + 1, sizeof *p->bindings);
        p->bindings[p->n_bindings++] = (struct scorer_binding){
            arena_span(&p->names, name).ptr, arena_span(&p->names, buf_span(&text))};
        buf_free(&text);
    }
    return 0;
}

static int read_scale(struct plan *p, struct error *error)
{
    struct verdict_scale *scale = &p->setup.scale;
    const char *text = p->o->scale, *comma = text ? strchr(text, ',') : NULL;
    if (!text)
        return 0;
    struct buf low = {0};
    buf_add(&low, text, comma ? (size_t)(comma - text) : 0);
    scale->set = comma && option_read_real(buf_cstr(&low), &scale->low) == 0 &&
                 option_read_real(comma + 1, &scale->high) == 0 && scale->high > scale->low;
    buf_free(&low);
    return scale->set ? 0
                      : error_set(error, ERROR_USAGE,
                                  "--scale %s: LO,HI is wanted, two numbers, HI above LO", text);
}

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

static struct scorer *open_expr(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    size_t cap = 0;
    p->backend = "expr";
    if (o->expr_file ? file_read(o->expr_file, CODE_SOURCE_MAX, &p->program, error) < 0
                     : (buf_text(&p->program, o->expr), false))
        return NULL;
    if (bind_list(p, &o->args, false, &cap, error) < 0 ||
        bind_list(p, &o->json_args, true, &cap, error) < 0)
        return NULL;
    const struct scorer_expr_options options = {.program = buf_cstr(&p->program),
                                                .bindings = p->bindings,
                                                .n_bindings = p->n_bindings,
                                                .with_env = o->expr_env};
    return scorer_expr_open(&options, &p->setup, error);
}

static struct scorer *open_cmd(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    const struct scorer_cmd_options options = {
        .command = o->cmd, .envelope = o->envelope, .batch = (int)o->batch, .kind = o->cmd_kind};
    p->backend = "cmd";
    return scorer_cmd_open(&options, &p->setup, error);
}

static struct scorer *open_verify(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    const struct scorer_verify_options options = {.specs = o->verify.items,
                                                  .n_specs = o->verify.count,
                                                  .compose = o->weights ? VERIFY_WEIGHTED
                                                             : o->any   ? VERIFY_ANY
                                                                        : VERIFY_ALL,
                                                  .weights = o->weights};
    p->backend = "verify";
    return scorer_verify_open(&options, &p->setup, error);
}

static int check_choice(const struct settings *o, struct error *error)
{
    int scorers =
        (o->expr != NULL) + (o->expr_file != NULL) + (o->cmd != NULL) + (o->verify.count > 0);
    if (scorers == 0)
        return error_set(
            error, ERROR_USAGE,
            "no scorer; name one with -e PROG, -c CMD or -V NAME (the verifiers are %s)",
            verify_names());
    if (scorers > 1)
        return error_set(error, ERROR_USAGE,
                         "two scorers; name one of --expr, --expr-file, --cmd and --verify");
    if ((o->all || o->any || o->weights) && o->verify.count < 2)
        return error_set(error, ERROR_USAGE,
                         "--all, --any and --weights combine several --verify; give two or more");
    if (o->all + o->any + (o->weights != NULL) > 1)
        return error_set(error, ERROR_USAGE, "give one of --all, --any and --weights");
    if ((o->envelope || o->cmd_kind || o->batch) && !o->cmd)
        return error_set(error, ERROR_USAGE,
                         "--cmd-envelope, --cmd-batch and --cmd-kind need --cmd");
    if (o->scale && o->verify.count)
        return error_set(error, ERROR_USAGE,
                         "--scale reads ratings of --expr and --cmd; verifiers give none");
    return 0;
}

static int make_plan(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    p->setup = (struct scorer_setup){
        .jobs = (int)o->rows.jobs, .timeout_s = o->timeout, .debug = show_debug};
    int rc = check_choice(o, error);
    if (!rc)
        rc = read_scale(p, error);
    if (!rc)
        rc = read_context(p, error);
    if (rc)
        return rc;
    p->scorer = o->cmd            ? open_cmd(p, error)
                : o->verify.count ? open_verify(p, error)
                                  : open_expr(p, error);
    return p->scorer ? 0 : error->code;
}

static void free_plan(struct plan *p)
{
    scorer_close(p->scorer);
    row_tools_free(&p->tools);
    buf_free(&p->tools_json);
    buf_free(&p->policy);
    buf_free(&p->program);
    buf_free(&p->run_id);
    free(p->bindings);
    arena_free(&p->names);
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
    grade_run_warnings(run, show_warning, NULL);
}

static int write_report(const struct plan *p, const struct grade_run *run, struct error *error)
{
    struct buf json = {0};
    if (!p->o->report)
        return 0;
    grade_run_report(run, &json);
    buf_byte(&json, '\n');
    struct file *file = file_create(p->o->report, error);
    int rc = file ? file_write(file, buf_span(&json), error) : ERROR_SYSTEM;
    if (file && rc == 0)
        rc = file_commit(file, error);
    else if (file)
        file_abandon(file);
    buf_free(&json);
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
    return (struct grade_options){
        .scorer = p->scorer,
        .stamp = {.judge_name = span_text(o->judge_name ? o->judge_name : p->scorer->name),
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
        .backend = p->backend,
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

static int run(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
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
    if (p->scorer->warning)
        log_warning("%s", p->scorer->warning);
    struct error trouble = {0};
    rc = grade(p, state, operands, &trouble);
    show_summary(p, state);
    int written = write_report(p, state, rc < 0 ? NULL : &trouble);
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
    struct settings o = {
        .source = "grade", .regrade = "all", .limit = -1, .rows = ROW_OPTIONS_DEFAULT};
    struct plan plan = {.o = &o};
    struct operands operands = {0};
    struct error error;
    signals_open();
    log_open(COMMAND.name);
    argc = join_arguments(argc, argv, &plan.names);
    int rc = options_parse(&COMMAND, argc, argv, &o, &operands, &error);
    if (rc == OPTIONS_RUN) {
        log_quiet(o.rows.quiet);
        rc = run(&plan, &operands, &error);
    } else if (rc == OPTIONS_DONE) {
        rc = 0;
    }
    free_plan(&plan);
    operands_free(&operands);
    option_list_free(&o.verify);
    option_list_free(&o.args);
    option_list_free(&o.json_args);
    return rc < 0 ? log_fail(&error) : rc;
}
