/* wai-grade: rows in, the same rows with a verdict out. Room grade does the work; here are the
 * options, the choice of one scorer, and what people read at the end. */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "grade/defaults.h"
#include "grade/groupwise_run.h"
#include "grade/pairwise.h"
#include "grade/run.h"
#include "grade/session.h"
#include "guard/graded.h"
#include "text/term.h"

struct settings {
    struct scorer_options scorer;
    struct judge_options judge;
    struct pairwise_options pairwise;
    struct rubric_writer_options rubrics;
    struct mark_options marks;
    struct groupwise_options groupwise;
    const char *output, *report;
    const char *judge_name, *judge_version, *run_id, *model, *source, *regrade, *resume, *judge_log,
        *eval_set, *trust;
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
    JUDGE_OPTIONS(struct settings, judge),
    PAIRWISE_OPTIONS(struct settings, pairwise),
    RUBRIC_WRITER_OPTIONS(struct settings, rubrics),
    MARK_OPTIONS(struct settings, marks),
    GROUPWISE_OPTIONS(struct settings, groupwise),
    {.kind = OPTION_REAL, .name = "timeout", AT(timeout), .arg = "S", .min = 0, .max = 86400,
     .help = "seconds per verdict (none; a command 60, code-exec 10, a judge 120)"},
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
    {.kind = OPTION_TEXT, .name = "judge-log", AT(judge_log), .arg = "FILE", .file = true,
     .help = "write what the judge said to FILE, to be read again as replay:FILE"},
    {.kind = OPTION_TEXT, .name = "eval-set", AT(eval_set), .arg = "FILE", .file = true,
     .help = "asks that rows must cover, a line each; the report lists those without a row"},
    {.kind = OPTION_TEXT, .name = "tools", AT(tools), .arg = "FILE|JSON",
     .help = "declared tools: $tools in programs, and warnings about tool use", .file = true},
    {.kind = OPTION_TEXT, .name = "policy", AT(policy), .arg = "FILE", .file = true,
     .help = "file with the agent's system prompt: $policy in programs"},
    {.kind = OPTION_TEXT, .name = "system-prompt", AT(system_prompt), .arg = "TEXT|@FILE",
     .help = "the agent's system prompt itself"},
    {.kind = OPTION_CHOICE, .name = "trust", AT(trust), .choices = "warn|require|off",
     .help = "hold the verdicts against people's labels: say so, exit 1, or not (warn for judges)"},
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
    .synopsis = "[-e PROG | -c CMD | -V NAME[:ARGS]... | --judge SPEC] [OPTIONS] [FILE...]",
    .purpose = "put a verdict on every row",
    .options = OPTIONS,
    .examples =
        "wai-grade -e 'if (.final_text|length) > 0 then 1 else 0 end' rows.jsonl\n"
        "wai-grade -V exact-match rows.jsonl | wai-passat\n"
        "wai-grade -V includes -V 'regex:{\"pattern\":\"</think>\"}' --all rows.jsonl\n"
        "wai-grade -V code-exec:timeout=5 -j 2 rows.jsonl > scored.jsonl\n"
        "wai-grade --checklist --tools tools.json rows.jsonl > scored.jsonl\n"
        "wai-grade --mark all --classify scored.jsonl > marked.jsonl\n"
        "wai-grade --rubric refund.md --judge openai:gpt-4.1-mini rows.jsonl > scored.jsonl\n"
        "wai-grade --pairwise --judge openai:gpt-4.1-mini pairs.jsonl > judged.jsonl\n"
        "wai-grade -c ./my_checker.py -j 8 --timeout 20 rows.jsonl > scored.jsonl\n",
    .exit_status =
        "1    a check that was asked for is red (--trust require,\n"
        "     --max-unjudged, --check-spread)\n"
        "4    the scorer failed on every row, its command kept dying, or a key is missing\n",
};

/* What the options come to. */
struct plan {
    const struct settings *o;
    struct grade_session session;
    struct scorer *scorer; /* of the session; NULL: only marks */
    struct marks *marks;   /* NULL: none */
    struct eval_set *eval_set;
    struct graded *graded;
    int threads;
    struct buf run_id;
    struct arena words;
};

/* ---- what people read -------------------------------------------------------------------------- */

static void show_debug(void *data, struct span json)
{
    struct buf text = {0};
    (void)data;
    term_add(&text, json);
    log_note("debug: %s", buf_cstr(&text));
    buf_free(&text);
}

static void show_warning(void *data, const char *text)
{
    (void)data;
    log_warning("%s", text);
}

static void note_line(const char *text)
{
    log_note("%s", text);
}

static void warn_line(const char *text)
{
    log_warning("%s", text);
}

static void add_to_report(void *data, struct json_writer *w)
{
    const struct plan *p = data;
    graded_report(p->graded, w);
}

static int write_report(const struct plan *p, const struct buf *json, int rc, struct error *error)
{
    struct error later;
    int written = p->o->report && json->len
                      ? file_save(p->o->report, buf_span(json), rc < 0 ? &later : error)
                      : 0;
    return rc < 0 ? rc : written;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static int make_plan(struct plan *p, struct error *error)
{
    const struct settings *o = p->o;
    bool marks = mark_options_any(&o->marks) || o->judge.constitution || o->rubrics.attach;
    int rc = 0;
    if (!marks || scorer_options_count(&o->scorer) || judge_options_asked(&o->judge))
        rc = grade_session_scorer(&p->session, &o->judge, &o->scorer, error);
    if (!rc && o->eval_set && !(p->eval_set = eval_set_open(o->eval_set, error)))
        rc = error->code;
    if (rc)
        return rc;
    p->scorer = p->session.choice.scorer;
    if (p->session.choice.program.by_default)
        log_note("no scorer named: --checklist grades conduct and the outcome of each task");
    if (p->scorer && p->scorer->warning)
        log_warning("%s", p->scorer->warning);
    p->threads = p->scorer ? p->scorer->threads : scorer_jobs(&p->session.setup, EXPR_JOBS_MAX);
    bool judged = p->scorer && p->scorer->judge && !p->scorer->advisory;
    p->graded = graded_new(o->trust ? *o->trust != 'o' : judged);
    if (!marks)
        return 0;
    p->marks = marks_open(&o->marks, p->threads, error);
    if (p->marks && marks_warning(p->marks))
        log_warning("%s", marks_warning(p->marks));
    return p->marks ? grade_session_stamps(&p->session, &o->judge, &o->rubrics, p->marks, error)
                    : error->code;
}

static void row_left(void *data, const struct row *row)
{
    struct plan *p = data;
    graded_row(p->graded, row);
}

static struct grade_options grade_options_of(struct plan *p)
{
    const struct settings *o = p->o;
    const struct scorer *s = p->scorer;
    const char *version = o->judge_version ? o->judge_version : s ? s->version : NULL;
    return (struct grade_options){.scorer = p->scorer,
                                  .marks = p->marks,
                                  .threads = p->threads,
                                  .stamp = {.judge_name = span_text(o->judge_name ? o->judge_name
                                                                    : s           ? s->name
                                                                                  : NULL),
                                            .run_id = buf_span(&p->run_id),
                                            .source = span_text(o->source),
                                            .model = span_text(o->model),
                                            .judge_version = span_text(version),
                                            .keep_prior = s && s->judge},
                                  .regrade = *o->regrade == 'a'   ? GRADE_ALL
                                             : *o->regrade == 'u' ? GRADE_UNJUDGED
                                                                  : GRADE_FAILED,
                                  .limit = o->limit,
                                  .resume = o->resume,
                                  .tools = &p->session.context.tools,
                                  .eval_set = p->eval_set,
                                  .judge_log = p->session.judge_log,
                                  .models = &p->session.models,
                                  .backend = p->session.choice.backend ? p->session.choice.backend
                                                                       : "none",
                                  .left = row_left,
                                  .report = add_to_report,
                                  .data = p};
}

static struct row_source source_of(const struct plan *p, const struct operands *operands)
{
    return (struct row_source){
        .paths = operands->items, .n_paths = operands->count, .options = p->o->rows};
}

/* Rows into the output; the output is committed unless the run broke off. */
static int write_rows(struct plan *p, struct grade_run *run, const struct operands *operands,
                      struct error *error)
{
    const struct row_source source = source_of(p, operands);
    struct row_writer *writer = row_writer_open(p->o->output, error);
    struct error later;
    if (!writer)
        return error->code;
    int rc = grade_run_rows(run, &source, writer, error);
    int closed = row_writer_close(writer, rc < 0 ? &later : error);
    return rc < 0 ? rc : closed;
}

/* The checks that were asked for. */
static int check(const struct plan *p, const struct grade_run *run, struct error *error)
{
    const struct settings *o = p->o;
    double share = grade_unjudged_share(run);
    struct buf text = {0};
    int rc = 0;
    bool doubtful = grade_run_counts(run)->rows && graded_doubt(p->graded, &text);
    if (doubtful && o->trust && *o->trust == 'r')
        rc = error_set(error, ERROR_CHECK, "%s", buf_cstr(&text));
    else if (doubtful)
        log_warning("%s", buf_cstr(&text));
    if (rc == 0 && o->max_unjudged_given && share > o->max_unjudged)
        rc = error_set(error, ERROR_CHECK, "%.4g of the scored rows are unjudged, over %.4g", share,
                       o->max_unjudged);
    buf_free(&text);
    return rc;
}

static int grade_rows(struct plan *p, const struct operands *operands, struct error *error)
{
    struct error trouble = {0};
    struct buf report = {0};
    int rc = make_plan(p, error);
    if (rc)
        return rc;
    if (p->o->run_id)
        buf_text(&p->run_id, p->o->run_id);
    else
        grade_session_name(&p->run_id);
    const struct grade_options options = grade_options_of(p);
    struct grade_run *run = grade_run_open(&options, error);
    if (!run)
        return error->code;
    rc = write_rows(p, run, operands, &trouble);
    const char *backend = p->session.choice.backend;
    const struct graded_lines lines = {log_is_quiet() ? NULL : note_line, warn_line};
    graded_tell(p->graded, run, p->scorer, backend && !strcmp(backend, "checklist"), &lines);
    grade_run_report(run, &report);
    buf_byte(&report, '\n');
    rc = write_report(p, &report, rc, &trouble);
    buf_free(&report);
    if (rc == 0)
        rc = check(p, run, &trouble);
    grade_run_close(run);
    *error = trouble;
    return rc;
}

/* ---- groups, pairs, rubrics -------------------------------------------------------------------- */

static void warn_groups(const char *text)
{
    log_warning("%s", text);
}

static int grade_groups(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    const struct row_source source = source_of(p, operands);
    struct buf report = {0};
    int rc =
        grade_session_grader(&p->session, &o->groupwise, &o->judge, &o->scorer, &o->marks, error);
    if (!rc)
        rc = groupwise_run(&o->groupwise, p->session.choice.scorer, p->session.judge_log, &source,
                           o->output, warn_groups, &report, error);
    rc = write_report(p, &report, rc, error);
    buf_free(&report);
    return rc;
}

static int grade_pairs(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    const struct row_source source = source_of(p, operands);
    struct pairwise_counts c = {0};
    struct buf report = {0};
    bool program = scorer_options_count(&o->scorer) > 0;
    int rc =
        grade_session_alone(&o->judge, &o->scorer, &o->marks, true, "the judge of pairs", error);
    if (!rc && program)
        rc = grade_session_scorer(&p->session, &o->judge, &o->scorer, error);
    const struct pairwise_setup setup = {.judge = program ? NULL : &p->session.choice.judge,
                                         .program = p->session.choice.scorer,
                                         .setup = &p->session.setup,
                                         .judge_log = p->session.judge_log};
    if (!rc)
        rc = pairwise_run(&o->pairwise, &setup, &source, o->output, &report, show_warning, NULL, &c,
                          error);
    if (report.len)
        log_note("%llu pairs, %llu judged: the chosen side wins %llu, the rejected %llu, ties %llu",
                 (unsigned long long)c.n, (unsigned long long)c.judged,
                 (unsigned long long)c.agrees, (unsigned long long)c.prefers_rejected,
                 (unsigned long long)c.ties);
    rc = write_report(p, &report, rc, error);
    buf_free(&report);
    return rc;
}

static int write_rubrics(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    const struct row_source source = source_of(p, operands);
    struct buf report = {0};
    int rc = grade_session_alone(&o->judge, &o->scorer, &o->marks, false, "the writer of rubrics",
                                 error);
    if (!rc)
        rc = rubric_writer_run(&o->rubrics, &p->session.choice.judge, &p->session.setup, &source,
                               o->output, &report, error);
    rc = write_report(p, &report, rc, error);
    buf_free(&report);
    return rc;
}

static int list_traits(const struct plan *p, struct error *error)
{
    const struct constitution *c = &p->session.choice.constitution;
    struct row_writer *writer = row_writer_open(p->o->output, error);
    int rc = writer ? 0 : error->code;
    for (size_t i = 0; i < c->count && !rc; i++)
        rc = row_writer_line(writer, c->items[i].id, error);
    return writer ? row_writer_close(writer, error) : rc;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static int run(struct plan *p, const struct operands *operands, struct error *error)
{
    const struct settings *o = p->o;
    const struct grade_files files = {o->tools, o->policy, o->system_prompt, o->judge_log};
    bool programs = scorer_options_count(&o->scorer) > 0;
    bool judged =
        o->rubrics.write || (o->judge.judge || (judge_options_asked(&o->judge) && !programs));
    p->session.setup = (struct scorer_setup){
        .jobs = (int)o->rows.jobs, .timeout_s = o->timeout, .debug = show_debug};
    int rc = grade_session_open(&p->session, &o->judge, &files, judged, error);
    if (rc)
        return rc;
    if (judged && p->session.choice.told)
        log_note("%s: %s", p->session.choice.told, p->session.choice.judge.spec);
    return o->judge.list                    ? list_traits(p, error)
           : groupwise_asked(&o->groupwise) ? grade_groups(p, operands, error)
           : o->pairwise.asked              ? grade_pairs(p, operands, error)
           : o->rubrics.write               ? write_rubrics(p, operands, error)
                                            : grade_rows(p, operands, error);
}

static int free_plan(struct plan *p, int rc, struct error *error)
{
    struct error later;
    int closed = grade_session_close(&p->session, rc < 0 ? &later : error);
    marks_close(p->marks);
    eval_set_close(p->eval_set);
    graded_free(p->graded);
    buf_free(&p->run_id);
    arena_free(&p->words);
    return rc < 0 ? rc : closed;
}

int main(int argc, char **argv)
{
    struct settings o = {.source = "grade",
                         .regrade = "all",
                         .limit = -1,
                         .judge = JUDGE_OPTIONS_DEFAULT,
                         .pairwise = PAIRWISE_OPTIONS_DEFAULT,
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
    rc = free_plan(&plan, rc, &error);
    operands_free(&operands);
    scorer_options_free(&o.scorer);
    mark_options_free(&o.marks);
    return rc < 0 ? log_fail(&error) : rc;
}
