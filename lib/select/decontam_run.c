/* decontam_run.c: see decontam_run.h. The evaluation side is read or mapped; then the rows stream through
 * the text rules, and, when vectors are compared, those that are still clean wait in batches for theirs. */
#include "select/decontam_run.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/pool.h"
#include "row/filter.h"
#include "select/decontam_report.h"
#include "select/decontam_semantic.h"
#include "text/fold.h"
#include "json/edit.h"

/* A row that waits for the rows before it: text rules done, vectors not. */
struct waiting {
    struct span line;
    uint64_t index;
    struct decontam_finding finding;
    size_t first_text, n_texts; /* of the row's fields, when it is still clean */
};

struct candidate {
    struct span text;
    size_t field;
};

struct run {
    const struct decontam_request *q;
    struct decontam_options options;
    struct decontam_side side;
    struct decontam_index *index;
    size_t index_ngram; /* of the index files so far */
    enum decontam_tokens index_tokens;
    struct decontam_scratch **scratch; /* by worker, and one for the calling thread */
    struct decontam_counts counts;
    struct row_writer *clean, *flagged;
    struct embedder_access access;
    struct decontam_semantic *semantic; /* NULL: text rules only */
    struct arena arena;                 /* of what waits */
    struct waiting *waiting;
    size_t n_waiting, cap_waiting;
    struct candidate *candidates;
    size_t n_candidates, cap_candidates;
    size_t waiting_bytes;
};

/* ---- the evaluation side --------------------------------------------------------------------------- */

static int read_holdout(struct run *run, struct error *error)
{
    const struct decontam_request *q = run->q;
    if (!q->against.count)
        return 0;
    /* A bad line of the holdout always stops: a test that was not read clears nothing. */
    struct row_source source = {
        .paths = q->against.items,
        .n_paths = q->against.count,
        .options = {.on_bad = "stop", .max_line = q->rows.max_line, .jobs = q->rows.jobs},
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
    return got < 0 ? got : closed;
}

/* An index that was made for other n-grams or words cannot serve an option that was given. */
static int check_index(const struct run *run, const struct decontam_index *index, const char *path,
                       struct error *error)
{
    const struct decontam_request *q = run->q;
    enum decontam_tokens tokens = decontam_index_tokens(index);
    if (q->ngram_given && decontam_index_ngram(index) != (size_t)q->ngram)
        return error_set(error, ERROR_USAGE, "%s has %zu-grams, not --ngram %lld; index anew", path,
                         decontam_index_ngram(index), (long long)q->ngram);
    if (q->tokens_given && strcmp(DECONTAM_TOKEN_NAMES[tokens], q->tokens) != 0)
        return error_set(error, ERROR_USAGE, "%s was made with --tokens %s, not %s; index anew",
                         path, DECONTAM_TOKEN_NAMES[tokens], q->tokens);
    return 0;
}

/* Several sources become one index; a single index file is mapped and used as it is. */
static int open_index(struct run *run, struct error *error)
{
    const struct decontam_request *q = run->q;
    bool alone = q->index.count == 1 && !q->against.count;
    int code = 0;
    for (size_t i = 0; i < q->index.count && !code; i++) {
        struct decontam_index *given = decontam_index_open(q->index.items[i], error);
        if (!given)
            return error->code;
        code = check_index(run, given, q->index.items[i], error);
        if (alone) {
            run->index = given;
            return code;
        }
        if (!code && !run->index)
            run->index =
                decontam_index_new(decontam_index_ngram(given), decontam_index_tokens(given));
        else if (!code && (run->index_ngram != decontam_index_ngram(given) ||
                           run->index_tokens != decontam_index_tokens(given)))
            code = error_set(error, ERROR_USAGE,
                             "%s and %s were made with different n-grams or tokens; index anew",
                             q->index.items[0], q->index.items[i]);
        run->index_ngram = decontam_index_ngram(given);
        run->index_tokens = decontam_index_tokens(given);
        if (!code)
            code = decontam_index_join(run->index, given, error);
        decontam_index_free(given);
    }
    if (!code && !run->index)
        run->index = decontam_index_new((size_t)q->ngram, strcmp(q->tokens, "unicode") == 0
                                                              ? DECONTAM_UNICODE
                                                              : DECONTAM_ASCII);
    if (!code)
        code = read_holdout(run, error);
    if (!code)
        decontam_index_seal(run->index);
    return code;
}

static int open_semantic(struct run *run, struct error *error)
{
    const struct decontam_request *q = run->q;
    int code = embedder_access_open(&run->access, &q->embedder, error);
    struct embedder *embedder = run->access.embedder;
    if (code || !embedder)
        return code;
    if (embedder_key(embedder))
        return error_set(error, ERROR_USAGE,
                         "--embedder %s: a holdout in an index has no row to take a vector from; "
                         "give the vectors by text (file:FILE)",
                         embedder_name(embedder));
    run->semantic =
        decontam_semantic_open(run->index, embedder, q->similarity, (int)q->rows.jobs, error);
    if (!run->semantic)
        return error->code;
    buf_text(&run->side.embedder, embedder_name(embedder));
    run->side.similarity = q->similarity;
    run->side.fell_back = embedder_fell_back(embedder);
    run->side.alike = decontam_semantic_alike(run->semantic, &run->side.alike_sampled);
    return 0;
}

/* ---- rows that are settled ------------------------------------------------------------------------- */

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

/* Counts a row whose finding is known, in input order, and tells of it. row: as it was read, or NULL, then
 * it is read again from its line when it must be told of. */
static int settle(struct run *run, const struct row *row, struct span line, uint64_t index,
                  const struct decontam_finding *found, struct error *error)
{
    struct decontam_scratch *scratch = run->scratch[run->q->rows.jobs];
    struct json_members members = {0};
    struct row again;
    bool example = decontam_count(&run->counts, run->options.n_fields, found);
    if (found->rule == DECONTAM_CLEAN || (!example && !run->flagged))
        return 0;
    if (!row) {
        row_of_text(line, &again, &members, NULL);
        row = &again;
    }
    struct decontam_finding finding = *found;
    if (found->rule != DECONTAM_SEMANTIC)
        finding = decontam_check(run->index, &run->options, row, true, scratch);
    if (example)
        decontam_example(&run->counts, (uint64_t)run->q->index_base + index, &finding, run->index,
                         &run->options, row, scratch);
    int code = run->flagged ? write_flagged(run, row, &finding, scratch, error) : 0;
    json_members_free(&members);
    return code;
}

/* ---- rows that wait for their vectors ----------------------------------------------------------------- */

static void add_waiting(struct run *run, const struct row *row,
                        const struct decontam_finding *finding)
{
    struct decontam_scratch *scratch = run->scratch[run->q->rows.jobs];
    struct waiting w = {.line = arena_span(&run->arena, row->line),
                        .index = row->index,
                        .finding = *finding,
                        .first_text = run->n_candidates};
    run->waiting_bytes += row->line.len;
    for (size_t f = 0; finding->rule == DECONTAM_CLEAN && f < run->options.n_fields; f++) {
        struct span text = decontam_field_text(row, run->options.fields[f], scratch);
        if (text_blank(text))
            continue;
        run->candidates = mem_grow(run->candidates, &run->cap_candidates, run->n_candidates + 1,
                                   sizeof *run->candidates);
        run->candidates[run->n_candidates++] = (struct candidate){arena_span(&run->arena, text), f};
        run->waiting_bytes += text.len;
    }
    w.n_texts = run->n_candidates - w.first_text;
    run->waiting =
        mem_grow(run->waiting, &run->cap_waiting, run->n_waiting + 1, sizeof *run->waiting);
    run->waiting[run->n_waiting++] = w;
}

/* The first field that hits decides. */
static void judge_row(const struct run *run, struct waiting *w,
                      const struct decontam_match *matches)
{
    for (size_t i = w->first_text; i < w->first_text + w->n_texts; i++) {
        if (!matches[i].hit)
            continue;
        w->finding.rule = DECONTAM_SEMANTIC;
        w->finding.field = run->candidates[i].field;
        w->finding.similarity = matches[i].similarity;
        w->finding.prompt = matches[i].prompt;
        return;
    }
}

static int settle_waiting(struct run *run, struct error *error)
{
    size_t n = run->n_candidates;
    struct span *texts = mem_zero(n + 1, sizeof *texts);
    struct decontam_match *matches = mem_zero(n + 1, sizeof *matches);
    for (size_t i = 0; i < n; i++)
        texts[i] = run->candidates[i].text;
    int code = decontam_semantic_match(run->semantic, texts, n, matches, error);
    for (size_t i = 0; i < run->n_waiting && !code; i++) {
        struct waiting *w = &run->waiting[i];
        judge_row(run, w, matches);
        code = settle(run, NULL, w->line, w->index, &w->finding, error);
        if (!code && run->clean && w->finding.rule == DECONTAM_CLEAN)
            code = row_writer_line(run->clean, w->line, error);
    }
    free(texts);
    free(matches);
    run->n_waiting = 0;
    run->n_candidates = 0;
    run->waiting_bytes = 0;
    arena_clear(&run->arena);
    return code;
}

/* ---- the stream ------------------------------------------------------------------------------------ */

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

static int take_row(void *context, const struct row *row, struct row_result *result,
                    struct error *error)
{
    struct run *run = context;
    struct decontam_finding finding = {
        .rule = (enum decontam_rule)result->tally[TALLY_RULE],
        .field = (size_t)result->tally[TALLY_FIELD],
        .has_task = result->tally[TALLY_TASK],
        .unreadable = result->tally[TALLY_UNREADABLE],
    };
    if (!run->semantic)
        return settle(run, row, row->line, row->index, &finding, error);
    add_waiting(run, row, &finding);
    return run->n_candidates < DECONTAM_BATCH && run->waiting_bytes < DECONTAM_BATCH_BYTES
               ? 0
               : settle_waiting(run, error);
}

static int filter_rows(struct run *run, const struct operands *operands, struct row_counts *counts,
                       struct error *error)
{
    const struct decontam_request *q = run->q;
    struct row_filter filter = {
        .source = {.paths = operands->items, .n_paths = operands->count, .options = q->rows},
        .writer = run->semantic ? NULL : run->clean,
        .jobs = (int)q->rows.jobs,
        .work = check_row,
        .done = take_row,
        .context = run,
    };
    size_t n = (size_t)q->rows.jobs + 1;
    run->scratch = mem_zero(n, sizeof *run->scratch);
    for (size_t i = 0; i < n; i++)
        run->scratch[i] = decontam_scratch_new(run->index);
    int code = row_filter_run(&filter, counts, error);
    if (!code && run->semantic)
        code = settle_waiting(run, error);
    if (code == ERROR_INTERRUPTED)
        error_set(error, code, "interrupted after %llu rows, of which %llu were clean%s",
                  (unsigned long long)run->counts.rows,
                  (unsigned long long)run->counts.rules[DECONTAM_CLEAN],
                  q->output ? "; nothing was written" : "");
    for (size_t i = 0; i < n; i++)
        decontam_scratch_free(run->scratch[i]);
    free(run->scratch);
    return code;
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

static void add_shard(struct run *run, const struct row_counts *counts)
{
    run->counts.shards = mem_zero(1, sizeof *run->counts.shards);
    run->counts.shards[run->counts.n_shards++] =
        (struct decontam_shard){(uint64_t)run->q->index_base, counts->rows + counts->bad};
}

static int decontaminate(struct run *run, const struct operands *operands,
                         struct row_counts *counts, struct error *error)
{
    const struct decontam_request *q = run->q;
    int code = open_index(run, error);
    if (!code && q->index_out)
        code = decontam_index_save(run->index, q->index_out, error);
    if (code)
        return code;
    decontam_side_index(&run->side, run->index);
    run->options.ngram = run->side.ngram;
    code = open_semantic(run, error);
    if (!code && !q->dry_run && !(run->clean = row_writer_open(q->output, error)))
        code = error->code;
    if (!code && q->flagged && !(run->flagged = row_writer_open(q->flagged, error)))
        code = error->code;
    if (!code)
        code = filter_rows(run, operands, counts, error);
    code = close_writer(code, run->clean, error);
    code = close_writer(code, run->flagged, error);
    add_shard(run, counts);
    return code;
}

/* ---- summaries ------------------------------------------------------------------------------------- */

static int merge(struct run *run, const struct operands *operands, struct error *error)
{
    struct row_source source = {
        .paths = operands->items,
        .n_paths = operands->count,
        .options = {.on_bad = "stop", .max_line = run->q->rows.max_line},
    };
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct row row;
    int got, closed;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        got = decontam_partial_merge(row.value, &run->counts, &run->side, error);
        if (got < 0) {
            error_prefix(error, "%s:%llu", row.file, (unsigned long long)row.line_number);
            break;
        }
    }
    closed = row_reader_close(reader, got < 0 ? NULL : error);
    if (!got && !closed && !run->side.fields)
        return error_set(error, ERROR_INPUT, "--merge: no summary arrived; --partial writes them");
    return got < 0 ? got : closed;
}

/* ---- what is told ---------------------------------------------------------------------------------- */

static void tell(const struct run *run, const struct row_counts *rows, struct decontam_output *out)
{
    struct json_writer w;
    bool partial = run->q->partial;
    json_write_start(&w, &out->report, partial ? JSON_STYLE_COMPACT : JSON_STYLE_INDENTED);
    if (partial)
        decontam_partial_write(&run->counts, &run->side, &w);
    else
        decontam_report(&run->counts, &run->side, &w);
    buf_byte(&out->report, '\n');
    decontam_text(&run->counts, &run->side, &out->text);
    if (rows->bad)
        buf_format(&out->warnings, "%llu bad line%s %s\n", (unsigned long long)rows->bad,
                   rows->bad == 1 ? " was" : "s were",
                   strcmp(run->q->rows.on_bad, "skip") ? "moved" : "skipped");
    if (!run->side.rows)
        buf_text(&out->warnings, "the holdout has no rows: nothing was compared\n");
    if (run->counts.same_file)
        buf_text(&out->warnings, "a training file is also an --against file\n");
    if (run->side.embedder.len && run->side.rows && !run->side.prompts)
        buf_text(&out->warnings, "the holdout has no prompts: no vectors were compared\n");
    if (run->side.fell_back)
        buf_text(&out->warnings, "the embedding service did not answer: hash vectors stood in\n");
}

/* The checks that were asked for. */
static int judge(const struct run *run, struct error *error)
{
    const struct decontam_request *q = run->q;
    double rate = decontam_rate(&run->counts);
    const char *skipped = decontam_skipped(&run->counts, &run->side);
    if (q->fail_over_given && rate > q->fail_over)
        return error_set(error, ERROR_CHECK,
                         "%llu of %llu rows are flagged, more than --fail-over %g",
                         (unsigned long long)decontam_flagged(&run->counts),
                         (unsigned long long)run->counts.rows, q->fail_over);
    if (q->fail_on_skipped && skipped)
        return error_set(
            error, ERROR_CHECK, "the %s rule could not run: %s (--fail-on-skipped)", skipped,
            strcmp(skipped, "semantic") ? "one side has no ids" : "the holdout has no prompts");
    return 0;
}

/* ---- what was asked -------------------------------------------------------------------------------- */

static bool is_standard_input(const char *path)
{
    return path[0] == '-' && !path[1];
}

/* Is one of the training files also a holdout? Both on standard input: bad usage. */
static int compare_sides(struct run *run, const struct operands *operands, struct error *error)
{
    const struct option_list *against = &run->q->against;
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

/* Cuts "prompt, final_text" at its commas. */
static int read_fields(struct run *run, const char *list, struct error *error)
{
    struct span *fields = mem_zero(strlen(list) + 1, sizeof *fields);
    size_t n = 0;
    int code = 0;
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        fields[n] = text_strip(span_make(at, len));
        if (!fields[n++].len)
            code = error_set(error, ERROR_USAGE,
                             "--fields %s: a name is empty; \"prompt,final_text\" "
                             "is the form",
                             list);
        at += len;
        if (code || !*at)
            break;
    }
    decontam_side_fields(&run->side, fields, n);
    run->options.fields = run->side.fields;
    run->options.n_fields = n;
    free(fields);
    return code;
}

static int check_merge(const struct decontam_request *q, struct error *error)
{
    if (q->against.count || q->index.count || q->embedder.spec || q->index_out || q->flagged ||
        q->output)
        return error_set(error, ERROR_USAGE,
                         "--merge reads summaries, not rows: leave out --against, --index, "
                         "--embedder, --index-out, --flagged and --output");
    return 0;
}

static int check_rows(const struct decontam_request *q, struct error *error)
{
    if (!q->against.count && !q->index.count)
        return error_set(error, ERROR_USAGE,
                         "--against is missing: name the holdout's rows, or an --index of them");
    if (q->json && !q->dry_run)
        return error_set(error, ERROR_USAGE,
                         "--json goes with --dry-run; rows are on standard output "
                         "otherwise (--report FILE writes the object beside them)");
    if (q->output && q->dry_run)
        return error_set(error, ERROR_USAGE,
                         "--output and --dry-run: a dry run writes no rows; leave "
                         "one of them out");
    if (q->partial && !q->report && !(q->dry_run && q->json))
        return error_set(error, ERROR_USAGE,
                         "--partial writes a summary where the report goes: give --report FILE, or "
                         "--dry-run --json");
    if (q->index_base_given && !q->partial)
        return error_set(error, ERROR_USAGE, "--index-base goes with --partial");
    if (q->similarity_given && !q->embedder.spec)
        return error_set(error, ERROR_USAGE, "--similarity needs --embedder SPEC");
    return 0;
}

static int prepare(struct run *run, struct decontam_request *q, const struct operands *operands,
                   struct error *error)
{
    int code = q->merge ? check_merge(q, error) : check_rows(q, error);
    if (!code && q->partial && (q->fail_over_given || q->fail_on_skipped))
        code = error_set(error, ERROR_USAGE,
                         "--partial prints a summary of one part: --fail-over and "
                         "--fail-on-skipped belong to the run with --merge");
    if (code || q->merge)
        return code;
    if (q->rows.jobs == 0)
        q->rows.jobs = pool_cpu_count();
    run->options.overlap = q->overlap < 0 ? 0 : q->overlap > 1 ? 1 : q->overlap;
    run->side.overlap = run->options.overlap;
    code = read_fields(run, q->fields, error);
    return code ? code : compare_sides(run, operands, error);
}

int decontam_run(struct decontam_request *q, const struct operands *operands,
                 struct decontam_output *output, struct error *error)
{
    struct run run = {.q = q, .side = {.alike = NAN}};
    struct row_counts counts = {0};
    int code = prepare(&run, q, operands, error);
    if (!code)
        code =
            q->merge ? merge(&run, operands, error) : decontaminate(&run, operands, &counts, error);
    int closed = embedder_access_close(&run.access, code ? NULL : error);
    code = code ? code : closed;
    if (!code) {
        tell(&run, &counts, output);
        code = judge(&run, error);
    }
    decontam_semantic_free(run.semantic);
    decontam_counts_free(&run.counts);
    decontam_side_free(&run.side);
    decontam_index_free(run.index);
    arena_free(&run.arena);
    free(run.waiting);
    free(run.candidates);
    return code;
}

void decontam_output_free(struct decontam_output *output)
{
    buf_free(&output->report);
    buf_free(&output->text);
    buf_free(&output->warnings);
}
