/* job.c: see job.h; and the table of modes. */
#include "select/job.h"

#include <math.h>
#include <stdlib.h>

#include "base/pool.h"
#include "base/signals.h"
#include "measure/keys.h"
#include "row/filter.h"
#include "row/writer.h"
#include "text/number.h"

void select_output_free(struct select_output *output)
{
    buf_free(&output->report);
    buf_free(&output->text);
    buf_free(&output->notes);
}

/* ---- rows in ------------------------------------------------------------------------------------
 */

struct reading_run {
    struct select_job *job;
    struct select_reader **readers; /* of each thread; NULL: no facts */
    job_wanted *wanted;
    void *data;
};

static int read_row(void *context, int worker, const struct row *row, struct row_result *result,
                    struct error *error)
{
    struct reading_run *run = context;
    (void)error;
    if (run->readers)
        select_read(run->readers[worker], row, &result->note);
    return 0;
}

static int keep_row(void *context, const struct row *row, struct row_result *result,
                    struct error *error)
{
    struct reading_run *run = context;
    size_t number;
    if (run->wanted && !run->wanted(run->data, row))
        return 0;
    const struct select_fact *fact =
        run->readers ? select_facts_take(&run->job->facts, buf_span(&result->note)) : NULL;
    bool out =
        fact && fact->flags & SELECT_OUT; /* its number stays, its line is not wanted again */
    return row_store_add(run->job->store, out ? SPAN("") : row->line, &number, error);
}

int job_read(struct select_job *job, bool facts, job_wanted *wanted, void *data,
             struct error *error)
{
    const struct row_options *rows = &job->q->rows;
    int jobs = rows->jobs ? (int)rows->jobs : pool_cpu_count();
    struct reading_run run = {.job = job, .wanted = wanted, .data = data};
    const struct row_filter filter = {
        .source = {.paths = job->operands->items,
                   .n_paths = job->operands->count,
                   .options = *rows},
        .jobs = jobs,
        .work = read_row,
        .done = keep_row,
        .context = &run,
    };
    struct row_counts counts = {0};
    job->store = row_store_new(STORE_MEMORY);
    job->facts.wants.strict_keys = job->q->strict_keys;
    if (facts) {
        run.readers = mem_zero((size_t)jobs, sizeof(struct select_reader *));
        for (int i = 0; i < jobs; i++)
            run.readers[i] = select_reader_new(&job->facts.wants);
    }
    int code = row_filter_run(&filter, &counts, error);
    job->bad = counts.bad;
    for (int i = 0; facts && i < jobs; i++)
        select_reader_free(run.readers[i]);
    free(run.readers);
    if (facts && !code)
        select_say_stand_ins(&job->out->notes, &job->facts);
    return code;
}

/* ---- rows out -----------------------------------------------------------------------------------
 */

static int by_number(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

struct passing { /* buffers of a row on its way */
    struct buf scratch, out;
    struct json_members members;
};

static void passing_free(struct passing *p)
{
    buf_free(&p->scratch);
    buf_free(&p->out);
    json_members_free(&p->members);
}

/* The row of that number as it leaves. */
static int stamped(struct select_job *job, struct passing *p, size_t number, job_stamp *stamp,
                   void *data, struct span *line, struct error *error)
{
    int code = row_store_get(job->store, number, &p->scratch, line, error);
    if (code || !stamp)
        return code;
    struct row row;
    row_of_text(*line, &row, &p->members, NULL);
    buf_clear(&p->out);
    stamp(data, &row, number, &p->out);
    *line = buf_span(&p->out);
    return 0;
}

int job_write(struct select_job *job, struct select_picked *picked, job_stamp *stamp, void *data,
              struct error *error)
{
    if (job->q->keep_order && picked->count)
        qsort(picked->rows, picked->count, sizeof *picked->rows, by_number);
    struct row_writer *writer = row_writer_open(job->q->output, error);
    if (!writer)
        return error->code;
    struct passing p = {0};
    int code = 0;
    for (size_t i = 0; i < picked->count && !code; i++) {
        struct span line;
        code = stamped(job, &p, picked->rows[i], stamp, data, &line, error);
        if (!code)
            code = row_writer_line(writer, line, error);
        if (!code && signals_caught())
            code = error_set(error, ERROR_INTERRUPTED, "interrupted; %zu of %zu rows were written",
                             i + 1, picked->count);
    }
    passing_free(&p);
    if (code == ERROR_INTERRUPTED && !job->q->output)
        row_writer_flush(writer, NULL);
    if (code) {
        row_writer_abandon(writer);
        return code;
    }
    return row_writer_close(writer, error);
}

int job_write_lines(struct select_job *job, struct span lines, struct error *error)
{
    struct row_writer *writer = row_writer_open(job->q->output, error);
    if (!writer)
        return error->code;
    int code = row_writer_lines(writer, lines, error);
    if (code) {
        row_writer_abandon(writer);
        return code;
    }
    return row_writer_close(writer, error);
}

int job_each(struct select_job *job, const struct select_picked *picked, job_stamp *stamp,
             void *stamp_data, job_use *use, void *data, struct error *error)
{
    struct passing p = {0};
    struct json_members members = {0};
    int code = 0;
    for (size_t i = 0; i < picked->count && !code; i++) {
        struct span line;
        struct row row;
        code = stamped(job, &p, picked->rows[i], stamp, stamp_data, &line, error);
        if (code)
            break;
        row_of_text(line, &row, &members, NULL);
        row.index = i;
        use(data, &row);
    }
    json_members_free(&members);
    passing_free(&p);
    return code;
}

int job_fail_under(const struct select_job *job, size_t count, const char *what,
                   struct error *error)
{
    if (job->q->fail_under < 0 || count >= (size_t)job->q->fail_under)
        return 0;
    return error_set(error, ERROR_CHECK, "%zu %s came out, fewer than --fail-under %lld", count,
                     what, (long long)job->q->fail_under);
}

/* ---- reports ------------------------------------------------------------------------------------
 */

void job_open_report(struct select_job *job, struct json_writer *w)
{
    struct buf name = {0};
    json_write_start(w, &job->out->report, JSON_STYLE_INDENTED);
    json_write_object(w);
    buf_format(&name, "wai-select %s", job->q->mode);
    job_text(w, "wai_report", buf_cstr(&name));
    buf_free(&name);
}

void job_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

void job_rate(struct json_writer *w, const char *key, double rate)
{
    job_real(w, key, isnan(rate) ? rate : number_round(rate, SELECT_RATE_DIGITS));
}

void job_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    if (text)
        json_write_text(w, text);
    else
        json_write_null(w);
}

void job_bool(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

void job_band(struct json_writer *w, const char *key, double low, double high)
{
    json_write_key(w, key);
    json_write_array(w);
    json_write_real(w, low);
    json_write_real(w, high);
    json_write_end_array(w);
}

/* ---- options ------------------------------------------------------------------------------------
 */

int job_band_read(const struct select_request *q, bool strict, double *low, double *high,
                  struct error *error)
{
    *low = q->low;
    *high = q->high;
    if (q->band) {
        double a, b;
        int code = band_read("band", q->band, &a, &b, error);
        if (code)
            return code;
        *low = q->low_given ? q->low : a;
        *high = q->high_given ? q->high : b;
    }
    if (!(*low >= 0 && *low <= *high && *high <= 1) || (strict && *low == *high))
        return error_set(error, ERROR_USAGE,
                         "the band %g,%g is out of order; 0 <= LO %s HI <= 1 is wanted", *low,
                         *high, strict ? "<" : "<=");
    return 0;
}

int job_seed_check(const char *seed, struct error *error)
{
    const char *digits = seed + (*seed == '-' || *seed == '+');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return error_set(error, ERROR_USAGE, "--seed %s: a whole number is wanted", seed);
    return 0;
}

/* ---- the table ----------------------------------------------------------------------------------
 */

static const struct mode {
    const char *name;
    int (*run)(struct select_job *job, struct error *error);
    bool rows; /* rows leave whatever is asked */
} MODES[] = {
    {"rl", select_mode_rl, true},
    {"sft", select_mode_sft, true},
    {"pairs", select_mode_pairs, true},
    {"curriculum", select_mode_curriculum, false},
    {"retire", select_mode_retire, true},
    {"gate", select_mode_gate, true},
    {"calibrate", select_mode_calibrate, true},
    {"trim", select_mode_trim, false},
    {"stage", select_mode_stage, false},
    {"filter", select_mode_filter, true},
    {"next-round", select_mode_next_round, false},
};

static const struct mode *mode_of(const struct select_request *q)
{
    size_t m = 0;
    while (m + 1 < sizeof MODES / sizeof *MODES && strcmp(MODES[m].name, q->mode) != 0)
        m++;
    return &MODES[m];
}

bool select_writes_rows(const struct select_request *q)
{
    return mode_of(q)->rows || q->emit || q->stage ||
           (mode_of(q)->run == select_mode_trim && select_trim_writes_rows(q));
}

int select_run(const struct select_request *q, const struct operands *operands,
               struct select_output *output, struct error *error)
{
    struct select_job job = {.q = q, .operands = operands, .out = output};
    int code = mode_of(q)->run(&job, error);
    if (job.bad)
        buf_format(&output->notes, "%llu bad lines were %s\n", (unsigned long long)job.bad,
                   strcmp(q->rows.on_bad, "skip") ? "moved" : "skipped");
    select_facts_free(&job.facts);
    if (job.store)
        row_store_free(job.store);
    return code;
}
