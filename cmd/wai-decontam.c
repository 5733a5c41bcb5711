/* wai-decontam: rows in, the rows that do not repeat the test out. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/pool.h"
#include "base/signals.h"
#include "row/filter.h"
#include "select/decontam.h"
#include "select/defaults.h"
#include "text/fold.h"
#include "json/edit.h"

struct settings {
    struct row_options rows;
    struct option_list against;
    const char *fields, *output, *report, *flagged;
    int64_t ngram;
    double overlap, fail_over;
    bool dry_run, json, fail_over_given, fail_on_skipped;
};

#define FIELD(name) offsetof(struct settings, name)
static const struct option options[] = {
    {.kind = OPTION_LIST,
     .letter = 'a',
     .name = "against",
     .offset = FIELD(against),
     .arg = "FILE",
     .help = "evaluation rows to keep clear of; repeatable",
     .file = true},
    {.kind = OPTION_INT,
     .letter = 'n',
     .name = "ngram",
     .offset = FIELD(ngram),
     .arg = "N",
     .help = "words of a shared n-gram (8)",
     .min = 1,
     .max = 1e6},
    {.kind = OPTION_REAL,
     .name = "overlap",
     .offset = FIELD(overlap),
     .arg = "X",
     .help = "share of a text's words that one evaluation text must cover; 0: any n-gram (0.8)"},
    {.kind = OPTION_TEXT,
     .name = "fields",
     .offset = FIELD(fields),
     .arg = "A,B",
     .help = "texts of a row that are compared, in order; the first hit decides (prompt)"},
    {.kind = OPTION_TEXT,
     .letter = 'o',
     .name = "output",
     .offset = FIELD(output),
     .arg = "FILE",
     .help = "write the clean rows to FILE (standard output)",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "flagged",
     .offset = FIELD(flagged),
     .arg = "FILE",
     .help = "write the dropped rows to FILE, each with its contamination",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "report",
     .offset = FIELD(report),
     .arg = "FILE",
     .help = "write the report to FILE as one JSON object",
     .file = true},
    {.kind = OPTION_FLAG,
     .name = "dry-run",
     .offset = FIELD(dry_run),
     .help = "write no rows; print the report instead"},
    {.kind = OPTION_FLAG,
     .name = "json",
     .offset = FIELD(json),
     .help = "with --dry-run: the report as one JSON object"},
    {.kind = OPTION_REAL,
     .name = "fail-over",
     .offset = FIELD(fail_over),
     .arg = "X",
     .help = "exit 1 when more than the share X of the rows is flagged",
     .seen = FIELD(fail_over_given),
     .max = 1},
    {.kind = OPTION_FLAG,
     .name = "fail-on-skipped",
     .offset = FIELD(fail_on_skipped),
     .help = "exit 1 when a rule could not run"},
    ROW_OPTIONS(struct settings, rows),
    {0},
};

static const struct command command = {
    .name = "wai-decontam",
    .synopsis = "--against HOLDOUT [OPTIONS] [FILE...]",
    .purpose = "drop training rows that repeat the test",
    .options = options,
    .examples = "wai-decontam --against holdout.jsonl train.jsonl > clean.jsonl\n"
                "wai-decontam -a holdout.jsonl --dry-run --fail-over 0 train.jsonl\n",
};

struct run {
    const struct settings *settings;
    struct decontam_options options;
    struct decontam_index *index;
    struct decontam_scratch **scratch; /* by worker, and one for the calling thread */
    struct decontam_counts counts;
    struct row_writer *clean, *flagged;
};

/* ---- the evaluation side --------------------------------------------------------------------------- */

static int read_holdout(struct run *run, struct error *error)
{
    const struct settings *s = run->settings;
    /* A bad line of the holdout always stops: a test that was not read clears nothing. */
    struct row_source source = {
        .paths = s->against.items,
        .n_paths = s->against.count,
        .options = {.on_bad = "stop", .max_line = s->rows.max_line, .jobs = s->rows.jobs},
    };
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct row row;
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0)
        if ((got = decontam_index_add(run->index, &row, error)) < 0)
            break;
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    decontam_index_seal(run->index);
    return got < 0 ? got : closed;
}

static bool is_standard_input(const char *path)
{
    return path[0] == '-' && !path[1];
}

/* Is one of the training files also a holdout? Both on standard input: bad usage. */
static int compare_sides(struct run *run, const struct operands *operands, struct error *error)
{
    const struct option_list *against = &run->settings->against;
    for (size_t a = 0; a < against->count; a++) {
        struct stat left, right;
        bool input = is_standard_input(against->items[a]);
        if (input && operands->count == 0)
            return error_set(
                error, ERROR_USAGE,
                "--against - and the training rows are both standard input; name a file "
                "for one of them");
        for (size_t b = 0; b < operands->count; b++) {
            if (input && is_standard_input(operands->items[b]))
                return error_set(
                    error, ERROR_USAGE,
                    "--against - and the operand - are both standard input; name a file "
                    "for one of them");
            if (!stat(against->items[a], &left) && !stat(operands->items[b], &right) &&
                left.st_dev == right.st_dev && left.st_ino == right.st_ino && S_ISREG(left.st_mode))
                run->counts.same_file = true;
        }
    }
    return 0;
}

/* ---- the training side ----------------------------------------------------------------------------- */

/* The rule and field of a finding travel from a worker to the calling thread as numbers. */
enum { TALLY_RULE, TALLY_FIELD, TALLY_TASK, TALLY_UNREADABLE };

static int check_row(void *context, int worker, const struct row *row, struct row_result *result,
                     struct error *error)
{
    struct run *run = context;
    (void)error;
    struct decontam_finding finding =
        decontam_check(run->index, &run->options, row, false, run->scratch[worker]);
    result->tally[TALLY_RULE] = finding.rule;
    result->tally[TALLY_FIELD] = (int64_t)finding.field;
    result->tally[TALLY_TASK] = finding.has_task;
    result->tally[TALLY_UNREADABLE] = finding.unreadable;
    result->fate = finding.rule == DECONTAM_CLEAN ? ROW_KEEP : ROW_DROP;
    return 0;
}

static int write_flagged(struct run *run, const struct row *row,
                         const struct decontam_finding *finding, struct decontam_scratch *scratch,
                         struct error *error)
{
    struct buf found = {0}, line = {0};
    struct json_writer w;
    struct json_edit edit = {0};
    json_write_start(&w, &found, JSON_STYLE_SPACED);
    json_write_object(&w);
    json_write_key(&w, "rule");
    json_write_text(&w, DECONTAM_RULE_NAMES[finding->rule]);
    decontam_finding_write(finding, run->index, &run->options, row, scratch, &w);
    json_write_end_object(&w);
    json_edit_set(&edit, SPAN("contamination"), buf_span(&found));
    json_edit_apply(&edit, row->value.text, &row->members, &line);
    int code = row_writer_line(run->flagged, buf_span(&line), error);
    json_edit_free(&edit);
    buf_free(&found);
    buf_free(&line);
    return code;
}

static int count_row(void *context, const struct row *row, struct row_result *result,
                     struct error *error)
{
    struct run *run = context;
    struct decontam_scratch *scratch = run->scratch[run->settings->rows.jobs];
    struct decontam_finding finding = {
        .rule = (enum decontam_rule)result->tally[TALLY_RULE],
        .field = (size_t)result->tally[TALLY_FIELD],
        .has_task = result->tally[TALLY_TASK],
        .unreadable = result->tally[TALLY_UNREADABLE],
    };
    bool example = decontam_count(&run->counts, &run->options, &finding);
    if (finding.rule == DECONTAM_CLEAN || (!example && !run->flagged))
        return 0;
    finding = decontam_check(run->index, &run->options, row, true, scratch);
    if (example)
        decontam_example(&run->counts, &finding, run->index, &run->options, row, scratch);
    return run->flagged ? write_flagged(run, row, &finding, scratch, error) : 0;
}

static int filter_rows(struct run *run, const struct operands *operands, struct row_counts *counts,
                       struct error *error)
{
    const struct settings *s = run->settings;
    struct row_filter filter = {
        .source = {.paths = operands->items, .n_paths = operands->count, .options = s->rows},
        .writer = run->clean,
        .jobs = (int)s->rows.jobs,
        .work = check_row,
        .done = count_row,
        .context = run,
    };
    size_t n = (size_t)s->rows.jobs + 1;
    run->scratch = mem_zero(n, sizeof *run->scratch);
    for (size_t i = 0; i < n; i++)
        run->scratch[i] = decontam_scratch_new(run->index);
    int code = row_filter_run(&filter, counts, error);
    if (code == ERROR_INTERRUPTED)
        error_set(error, code, "interrupted after %llu rows, of which %llu were clean%s",
                  (unsigned long long)run->counts.rows,
                  (unsigned long long)run->counts.rules[DECONTAM_CLEAN],
                  s->output ? "; nothing was written" : "");
    for (size_t i = 0; i < n; i++)
        decontam_scratch_free(run->scratch[i]);
    free(run->scratch);
    return code;
}

/* ---- what is written ------------------------------------------------------------------------------- */

static int open_writers(struct run *run, struct error *error)
{
    const struct settings *s = run->settings;
    if (!s->dry_run && !(run->clean = row_writer_open(s->output, error)))
        return error->code;
    if (s->flagged && !(run->flagged = row_writer_open(s->flagged, error)))
        return error->code;
    return 0;
}

static int close_writer(int code, struct row_writer *writer, struct error *error)
{
    if (!writer)
        return code;
    if (code == 0)
        return row_writer_close(writer, error);
    row_writer_abandon(writer);
    return code;
}

static int write_report(const struct run *run, struct error *error)
{
    const struct settings *s = run->settings;
    struct buf json = {0}, text = {0};
    struct json_writer w;
    json_write_start(&w, &json, JSON_STYLE_INDENTED);
    decontam_report(&run->counts, run->index, &run->options, &w);
    buf_byte(&json, '\n');
    decontam_text(&run->counts, run->index, &run->options, &text);
    int code = 0;
    if (s->report) {
        struct file *file = file_create(s->report, error);
        code = file ? file_write(file, buf_span(&json), error) : error->code;
        if (file && code)
            file_abandon(file);
        else if (file)
            code = file_commit(file, error);
    }
    if (!code && s->dry_run) {
        code = file_write_all(STDOUT_FILENO, "standard output", buf_span(s->json ? &json : &text),
                              error);
    } else if (!code) {
        size_t at = 0;
        struct span line;
        while (text_next_line(buf_span(&text), &at, &line))
            log_note("%.*s", (int)line.len, line.ptr);
    }
    buf_free(&json);
    buf_free(&text);
    return code;
}

static void warn(const struct run *run, const struct row_counts *counts)
{
    if (counts->bad)
        log_warning("%llu bad line%s %s", (unsigned long long)counts->bad,
                    counts->bad == 1 ? " was" : "s were",
                    strcmp(run->settings->rows.on_bad, "skip") ? "moved" : "skipped");
    if (!decontam_index_rows(run->index))
        log_warning("the holdout has no rows: nothing was compared");
    if (run->counts.same_file)
        log_warning("a training file is also an --against file");
}

/* The checks that were asked for. */
static int judge(const struct run *run, struct error *error)
{
    const struct settings *s = run->settings;
    double rate = decontam_rate(&run->counts);
    if (s->fail_over_given && rate > s->fail_over)
        return error_set(error, ERROR_CHECK,
                         "%llu of %llu rows are flagged, more than --fail-over %g",
                         (unsigned long long)decontam_flagged(&run->counts),
                         (unsigned long long)run->counts.rows, s->fail_over);
    if (s->fail_on_skipped && decontam_skipped(&run->counts, run->index))
        return error_set(
            error, ERROR_CHECK,
            "the same_task rule could not run: one side has no ids (--fail-on-skipped)");
    return 0;
}

/* ---- main ------------------------------------------------------------------------------------------ */

/* Cuts "prompt, final_text" at its commas. */
static int read_fields(const char *list, struct decontam_options *o, struct error *error)
{
    struct span *fields = mem_zero(strlen(list) + 1, sizeof *fields);
    o->fields = fields;
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        struct span field = text_strip(span_make(at, len));
        if (!field.len)
            return error_set(error, ERROR_USAGE,
                             "--fields %s: a name is empty; \"prompt,final_text\" "
                             "is the form",
                             list);
        fields[o->n_fields++] = field;
        at += len;
        if (!*at)
            return 0;
    }
}

static int prepare(struct run *run, struct settings *s, const struct operands *operands,
                   struct error *error)
{
    if (!s->against.count)
        return error_set(error, ERROR_USAGE, "--against is missing: name the holdout's rows");
    if (s->json && !s->dry_run)
        return error_set(error, ERROR_USAGE,
                         "--json goes with --dry-run; rows are on standard output "
                         "otherwise (--report FILE writes the object beside them)");
    if (s->output && s->dry_run)
        return error_set(error, ERROR_USAGE,
                         "--output and --dry-run: a dry run writes no rows; leave "
                         "one of them out");
    if (s->rows.jobs == 0)
        s->rows.jobs = pool_cpu_count();
    run->options.ngram = (size_t)s->ngram;
    run->options.overlap = s->overlap < 0 ? 0 : s->overlap > 1 ? 1 : s->overlap;
    int code = read_fields(s->fields, &run->options, error);
    return code ? code : compare_sides(run, operands, error);
}

static int decontaminate(struct run *run, const struct operands *operands, struct error *error)
{
    struct row_counts counts = {0};
    run->index = decontam_index_new(run->options.ngram);
    int code = read_holdout(run, error);
    if (!code)
        code = open_writers(run, error);
    if (!code)
        code = filter_rows(run, operands, &counts, error);
    code = close_writer(code, run->clean, error);
    code = close_writer(code, run->flagged, error);
    if (!code)
        code = write_report(run, error);
    if (code)
        return code;
    warn(run, &counts);
    return judge(run, error);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct operands operands = {0};
    struct settings s = {.rows = ROW_OPTIONS_DEFAULT,
                         .fields = "prompt",
                         .ngram = DECONTAM_NGRAM,
                         .overlap = DECONTAM_OVERLAP};
    struct run run = {.settings = &s};
    log_open(argv[0]);
    signals_open();
    int code = options_parse(&command, argc, argv, &s, &operands, &error);
    if (code == OPTIONS_RUN) {
        log_quiet(s.rows.quiet);
        code = prepare(&run, &s, &operands, &error);
        if (!code)
            code = decontaminate(&run, &operands, &error);
    }
    decontam_counts_free(&run.counts);
    decontam_index_free(run.index);
    free((void *)run.options.fields);
    option_list_free(&s.against);
    operands_free(&operands);
    return code < 0 ? log_fail(&error) : 0;
}
