/* split.c: see split.h. hash and tasks go in one pass; production keeps the rows (on disk beyond a
 * bound) until it knows which tasks are held. */
#include "ingest/split.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "ingest/defaults.h"
#include "measure/defaults.h"
#include "measure/plan.h"
#include "row/fault.h"
#include "row/filter.h"
#include "row/key.h"
#include "row/signature.h"
#include "row/split.h"
#include "row/store.h"
#include "row/value.h"
#include "stat/defaults.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"
#include "json/write.h"

/* What work tells done: the note is the task key, then a flaw as `fault`, U+001F and signature. */
enum { TALLY_KEY_BYTES, TALLY_HELD };

enum { TASK_DIGEST = 16 }; /* bytes of a task's SHA-256 that order it */

struct split_worker {
    struct buf key, fault;
};

/* production: one task. */
struct split_task {
    uint8_t digest[TASK_DIGEST];
    uint32_t rows;
    bool held;
};

struct split_run {
    const struct split *split;
    struct split_report *report;
    struct split_worker *workers;
    struct map seen; /* hash, tasks: 64 bits of the keys; production: the keys */
    struct map flaws;
    struct row_store *store;
    struct split_task *tasks;
    size_t n_tasks, cap_tasks;
    uint32_t *task_of_key; /* by number in `seen` */
    size_t cap_keys;
    uint32_t *task_of_row;
    size_t n_rows, cap_rows;
    struct buf scratch;
};

/* ---- writing ------------------------------------------------------------------------------- */

static int write_side(const struct split *split, enum split_side side, struct span line,
                      struct error *error)
{
    int rc = split->side[side] ? row_writer_line(split->side[side], line, error) : 0;
    if (rc == 0 && split->also[side])
        rc = row_writer_line(split->also[side], line, error);
    return rc;
}

/* A key as a line: as it is, or quoted when it could not be read back. */
static int write_task(struct split_run *run, struct span key, struct error *error)
{
    if (!run->split->tasks)
        return 0;
    bool plain = key.len && key.ptr[0] != '"' && !text_blank(key);
    for (size_t i = 0; i < key.len && plain; i++)
        plain = key.ptr[i] != '\n' && key.ptr[i] != '\r';
    if (plain)
        return row_writer_line(run->split->tasks, key, error);
    buf_clear(&run->scratch);
    json_quote(&run->scratch, key);
    return row_writer_line(run->split->tasks, buf_span(&run->scratch), error);
}

int split_read_tasks(const char *path, struct map *keys, struct error *error)
{
    struct buf text = {0}, scratch = {0};
    int rc = file_read(path, SPLIT_TASKS_MAX, &text, error);
    for (size_t at = 0; rc == 0 && at < text.len;) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        size_t stop = end ? (size_t)(end - text.data) : text.len;
        struct span line = span_slice(buf_span(&text), at, stop);
        struct json_value value;
        struct json_fault fault;
        at = stop + 1;
        if (span_ends(line, SPAN("\r")))
            line.len--;
        if (span_starts(line, SPAN("\"")) && json_scan(line, &value, NULL, &fault) == 0 &&
            value.type == JSON_VALUE_STRING)
            map_add(keys, json_text(value, &scratch), NULL);
        else if (!text_blank(line))
            map_add(keys, line, NULL);
    }
    buf_free(&text);
    buf_free(&scratch);
    return rc;
}

/* ---- hash, tasks: one pass ----------------------------------------------------------------- */

static int stream_work(void *context, int worker, const struct row *row, struct row_result *result,
                       struct error *error)
{
    struct split_run *run = context;
    const struct split *split = run->split;
    struct span key = row_task_key(row, &run->workers[worker].key);
    bool held = split->by == SPLIT_TASKS ? map_find(split->held, key) != MAP_NONE
                                         : row_split_held(key, split->share);
    (void)error;
    buf_span_add(&result->note, key);
    result->tally[TALLY_HELD] = held;
    result->fate = ROW_KEEP;
    return 0;
}

static int stream_done(void *context, const struct row *row, struct row_result *result,
                       struct error *error)
{
    struct split_run *run = context;
    enum split_side side = result->tally[TALLY_HELD] ? SPLIT_HELD : SPLIT_TRAIN;
    struct span key = buf_span(&result->note);
    uint64_t hash = map_hash(key);
    bool fresh;
    map_add(&run->seen, span_make((const char *)&hash, sizeof hash), &fresh);
    run->report->rows[side]++;
    run->report->tasks[side] += fresh;
    int rc = fresh && side == SPLIT_HELD ? write_task(run, key, error) : 0;
    return rc < 0 ? rc : write_side(run->split, side, row->line, error);
}

/* ---- production: two passes ---------------------------------------------------------------- */

/* first of reward, qwen_reward that is 0 or 1, booleans too, is 0 */
static bool is_labelled_fail(const struct row *row)
{
    static const struct span KEYS[] = {{"reward", 6}, {"qwen_reward", 11}};
    for (size_t i = 0; i < 2; i++) {
        const struct json_value *value = row_get(row, KEYS[i]);
        int label = value ? value_binary(*value) : -1;
        if (label >= 0)
            return label == 0;
    }
    return false;
}

static int production_work(void *context, int worker, const struct row *row,
                           struct row_result *result, struct error *error)
{
    struct split_run *run = context;
    struct split_worker *w = &run->workers[worker];
    (void)error;
    buf_span_add(&result->note, row_task_key(row, &w->key));
    result->tally[TALLY_KEY_BYTES] = (int64_t)result->note.len;
    row_fault(row, &w->fault);
    if (row_fault_is(buf_span(&w->fault)) || is_labelled_fail(row)) {
        char signature[ROW_SIGNATURE_LENGTH + 1];
        row_signature(row, signature);
        buf_span_add(&result->note, buf_span(&w->fault));
        buf_byte(&result->note, 0x1f);
        buf_text(&result->note, signature);
    }
    result->fate = ROW_DROP;
    return 0;
}

/* Where a task stands among those that no flaw holds (rows 16). */
static void order_task(struct split_run *run, const struct row *row, struct split_task *task)
{
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    struct buf text = {0};
    uint8_t digest[SHA256_BYTES];
    buf_format(&text, "%lld:%llu:", (long long)run->split->seed, (unsigned long long)row->index);
    if (prompt && json_truthy(*prompt))
        buf_span_add(&text, utf8_head(value_text(*prompt, &run->scratch), SPLIT_PROMPT_CHARS));
    digest_sha256(buf_span(&text), digest);
    memcpy(task->digest, digest, TASK_DIGEST);
    buf_free(&text);
}

/* Number of the row's task; a row without a key is a task of its own. */
static size_t task_number(struct split_run *run, const struct row *row, struct span key)
{
    bool fresh = true;
    size_t number = run->n_tasks;
    if (!text_blank(key)) {
        size_t at = map_add(&run->seen, key, &fresh);
        if (fresh) {
            run->task_of_key =
                mem_grow(run->task_of_key, &run->cap_keys, at + 1, sizeof *run->task_of_key);
            run->task_of_key[at] = (uint32_t)number;
        } else {
            number = run->task_of_key[at];
        }
    }
    if (fresh) {
        run->tasks = mem_grow(run->tasks, &run->cap_tasks, run->n_tasks + 1, sizeof *run->tasks);
        struct split_task *task = &run->tasks[run->n_tasks++];
        *task = (struct split_task){0};
        order_task(run, row, task);
    }
    return number;
}

static int production_done(void *context, const struct row *row, struct row_result *result,
                           struct error *error)
{
    struct split_run *run = context;
    size_t key_end = (size_t)result->tally[TALLY_KEY_BYTES], at;
    struct span note = buf_span(&result->note);
    struct span flaw = span_slice(note, key_end, note.len);
    size_t task = task_number(run, row, span_slice(note, 0, key_end));
    run->tasks[task].rows++;
    if (flaw.len) {
        bool fresh;
        map_add(&run->flaws, flaw, &fresh);
        run->tasks[task].held |= fresh;
    }
    run->task_of_row =
        mem_grow(run->task_of_row, &run->cap_rows, run->n_rows + 1, sizeof *run->task_of_row);
    run->task_of_row[run->n_rows++] = (uint32_t)task;
    return row_store_add(run->store, row->line, &at, error);
}

static int compare_tasks(const void *a, const void *b)
{
    const struct split_task *const *x = a, *const *y = b;
    return memcmp((*x)->digest, (*y)->digest, TASK_DIGEST);
}

/* Holds whole tasks in hash order until the share is reached. */
static void fill_held(struct split_run *run)
{
    double share = run->split->share, rows = (double)run->n_rows, held = 0;
    double target = number_round_even((share > 0 ? share : 0) * rows);
    target = target < 1 ? 1 : target > rows ? rows : target;
    if (share <= 0 || !run->n_rows)
        return;
    struct split_task **rest = mem_zero(run->n_tasks, sizeof *rest);
    size_t n_rest = 0;
    for (size_t i = 0; i < run->n_tasks; i++) {
        if (run->tasks[i].held)
            held += run->tasks[i].rows;
        else
            rest[n_rest++] = &run->tasks[i];
    }
    qsort(rest, n_rest, sizeof *rest, compare_tasks);
    for (size_t i = 0; i < n_rest && held < target; i++) {
        rest[i]->held = true;
        held += rest[i]->rows;
    }
    free(rest);
}

static void count_sides(struct split_run *run)
{
    for (size_t i = 0; i < run->n_tasks; i++) {
        enum split_side side = run->tasks[i].held ? SPLIT_HELD : SPLIT_TRAIN;
        run->report->tasks[side]++;
        run->report->rows[side] += run->tasks[i].rows;
    }
    run->report->flaw_signatures = run->flaws.count;
}

/* The held keys, in the order they were first seen; a row without a key has none to write. */
static int write_tasks(struct split_run *run, struct error *error)
{
    int rc = 0;
    for (size_t i = 0; i < run->seen.count && rc == 0; i++)
        if (run->tasks[run->task_of_key[i]].held)
            rc = write_task(run, run->seen.keys[i], error);
    return rc;
}

static int write_rows(struct split_run *run, struct error *error)
{
    struct span line;
    int rc = 0;
    for (size_t i = 0; i < run->n_rows && rc == 0; i++) {
        bool held = run->tasks[run->task_of_row[i]].held;
        rc = row_store_get(run->store, i, &run->scratch, &line, error);
        if (rc == 0)
            rc = write_side(run->split, held ? SPLIT_HELD : SPLIT_TRAIN, line, error);
    }
    return rc;
}

/* ---- both ---------------------------------------------------------------------------------- */

static int run_pass(struct split_run *run, struct error *error)
{
    const struct split *split = run->split;
    bool production = split->by == SPLIT_PRODUCTION;
    struct row_filter filter = {
        .source = split->source,
        .jobs = split->source.options.jobs > 1 ? (int)split->source.options.jobs : 1,
        .work = production ? production_work : stream_work,
        .done = production ? production_done : stream_done,
        .context = run,
    };
    run->workers = mem_zero((size_t)filter.jobs, sizeof *run->workers);
    if (production)
        run->store = row_store_new(run->split->memory);
    int rc = row_filter_run(&filter, &run->report->read, error);
    for (int i = 0; i < filter.jobs; i++) {
        buf_free(&run->workers[i].key);
        buf_free(&run->workers[i].fault);
    }
    free(run->workers);
    return rc;
}

static void run_free(struct split_run *run)
{
    map_free(&run->seen);
    map_free(&run->flaws);
    if (run->store)
        row_store_free(run->store);
    free(run->tasks);
    free(run->task_of_key);
    free(run->task_of_row);
    buf_free(&run->scratch);
}

static uint64_t count_unseen(const struct split *split, const struct split_report *report)
{
    return split->by == SPLIT_TASKS ? split->held->count - report->tasks[SPLIT_HELD] : 0;
}

/* Tasks that a holdout needs to show a small gain, at the plan tool's own settings. */
static double advised_tasks(void)
{
    const struct sizing_options options = {
        .effect = MEASURE_EFFECT,
        .base = MEASURE_BASE_RATE,
        .k = MEASURE_TRIES_PER_TASK,
        .power = STAT_POWER,
        .alpha = STAT_ALPHA,
        .task_std = NAN,
        .ceiling = MEASURE_CEILING,
    };
    struct holdout_report report = {0};
    struct error error;
    double tasks =
        holdout_size(&options, &(struct sizing_rows){0}, &report, &error) ? 0 : report.n_tasks;
    holdout_free(&report);
    return tasks;
}

int split_run(const struct split *split, struct split_report *report, struct error *error)
{
    struct split_run run = {.split = split, .report = report};
    report->by = split->by;
    report->share = split->share;
    report->seed = split->seed;
    int rc = run_pass(&run, error);
    if (rc == 0 && split->by == SPLIT_PRODUCTION) {
        fill_held(&run);
        count_sides(&run);
        rc = write_tasks(&run, error);
        if (rc == 0)
            rc = write_rows(&run, error);
    }
    report->unseen = count_unseen(split, report);
    report->advised_tasks = advised_tasks();
    if (rc == 0 && split->by != SPLIT_PRODUCTION && report->rows[SPLIT_HELD] &&
        !report->rows[SPLIT_TRAIN])
        rc = error_set(error, ERROR_INPUT,
                       "all %llu rows would be held out and none is left to train on; lower "
                       "--holdout, or give more tasks",
                       (unsigned long long)report->rows[SPLIT_HELD]);
    run_free(&run);
    return rc;
}

/* ---- report -------------------------------------------------------------------------------- */

static const char *by_name(enum split_by by)
{
    static const char *const NAMES[] = {"hash", "production", "tasks"};
    return NAMES[by];
}

void split_report_json(const struct split_report *report, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-rows split");
    json_write_count(&w, "rows", report->rows[SPLIT_TRAIN] + report->rows[SPLIT_HELD]);
    json_write_count(&w, "tasks", report->tasks[SPLIT_TRAIN] + report->tasks[SPLIT_HELD]);
    json_write_count(&w, "train_rows", report->rows[SPLIT_TRAIN]);
    json_write_count(&w, "train_tasks", report->tasks[SPLIT_TRAIN]);
    json_write_count(&w, "held_rows", report->rows[SPLIT_HELD]);
    json_write_count(&w, "held_tasks", report->tasks[SPLIT_HELD]);
    json_write_key(&w, "by");
    json_write_text(&w, by_name(report->by));
    json_write_key(&w, "holdout");
    if (report->by == SPLIT_TASKS)
        json_write_null(&w);
    else
        json_write_real(&w, report->share);
    json_write_key(&w, "seed");
    if (report->by == SPLIT_PRODUCTION)
        json_write_int(&w, report->seed);
    else
        json_write_null(&w);
    json_write_key(&w, "flaw_signatures");
    if (report->by == SPLIT_PRODUCTION)
        json_write_int(&w, (int64_t)report->flaw_signatures);
    else
        json_write_null(&w);
    json_write_count(&w, "advised_held_tasks", (uint64_t)report->advised_tasks);
    json_write_count(&w, "bad_lines", report->read.bad);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

void split_report_text(const struct split_report *report, struct buf *out)
{
    static const char *const SIDES[] = {"train", "held"};
    for (int side = SPLIT_TRAIN; side <= SPLIT_HELD; side++)
        buf_format(out, "%-10s%llu rows, %llu tasks\n", SIDES[side],
                   (unsigned long long)report->rows[side], (unsigned long long)report->tasks[side]);
    if (report->by == SPLIT_PRODUCTION)
        buf_format(out, "%-10s%llu distinct\n", "flaws",
                   (unsigned long long)report->flaw_signatures);
    if (report->tasks[SPLIT_HELD] && (double)report->tasks[SPLIT_HELD] < report->advised_tasks)
        buf_format(out,
                   "%-10sshowing a gain of %g points at %g %% power takes about %.0f held tasks\n",
                   "note", 100 * MEASURE_EFFECT, 100 * STAT_POWER, report->advised_tasks);
    if (report->unseen)
        buf_format(out, "%-10s%llu of the named tasks have no row\n", "note",
                   (unsigned long long)report->unseen);
}
