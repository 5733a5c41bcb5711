/* calibrate.c: see calibrate.h; and --mode calibrate. */
#include "select/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/gate.h"
#include "row/key.h"
#include "row/value.h"
#include "stat/stat.h"
#include "text/digest.h"
#include "text/number.h"
#include "json/edit.h"
#include "json/tree.h"

enum { HASH_SHOWN = 16, KL_DIGITS = 6 }; /* hex characters; decimals */

/* ---- student and reference ----------------------------------------------------------------------
 */

static struct span text_member(struct calibrator *c, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? arena_span(&c->arena, span_make(json_string_value(value),
                                                                   json_string_length(value)))
                                 : (struct span){0};
}

static int read_student(struct calibrator *c, const struct select_request *q, struct error *error)
{
    struct student *s = &c->student;
    s->named = q->student || q->model;
    if (q->student && *q->student == '{') {
        json_t *tree = json_loads(q->student, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(tree)) {
            json_decref(tree);
            return error_set(error, ERROR_USAGE, "--student %s: a JSON object or a text is wanted",
                             q->student);
        }
        s->name = text_member(c, tree, "name");
        s->model = text_member(c, tree, "model");
        s->prompt_hash = text_member(c, tree, "prompt_hash");
        s->version = text_member(c, tree, "version");
        json_decref(tree);
    } else if (q->student) {
        uint8_t digest[SHA256_BYTES];
        char hex[2 * SHA256_BYTES + 1];
        digest_sha256(span_text(q->student), digest);
        digest_hex(digest, sizeof digest, hex);
        s->prompt_hash = arena_span(&c->arena, span_make(hex, HASH_SHOWN));
    }
    if (!s->model.ptr && q->model)
        s->model = span_text(q->model);
    return 0;
}

static double number_of(const struct row *row, const char *key)
{
    const struct json_value *value = row_get(row, span_text(key));
    return value && value->type == JSON_VALUE_NUMBER ? json_number(*value) : NAN;
}

/* --ref FILE: log-probabilities by the identity of a row, the first of one winning. */
static int read_refs(struct calibrator *c, const char *path, struct error *error)
{
    struct row_source source = {.paths = &path, .n_paths = 1, .options = c->job->q->rows};
    struct row_reader *reader = row_reader_open(&source, error);
    struct buf identity = {0};
    struct row row;
    int got;
    if (!reader)
        return error->code;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        bool fresh;
        buf_clear(&identity);
        row_identity(&row, &identity);
        size_t number = map_add(&c->ref_rows, buf_span(&identity), &fresh);
        c->refs = mem_grow(c->refs, &c->cap_refs, number + 1, sizeof *c->refs);
        if (fresh)
            c->refs[number] = number_of(&row, "logprob");
    }
    buf_free(&identity);
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    return got < 0 ? got : closed;
}

int calibrator_open(struct calibrator *c, struct select_job *job, struct error *error)
{
    const char *ref = job->q->ref;
    *c = (struct calibrator){.job = job};
    int code = read_student(c, job->q, error);
    c->has_refs = ref && access(ref, R_OK) == 0;
    c->ref_key = c->has_refs ? NULL : ref;
    if (!code && c->has_refs)
        code = read_refs(c, ref, error);
    c->passat = passat_new(&(struct passat_options){0});
    c->facts = facts_open(&(struct facts_options){0});
    return code;
}

void calibrator_free(struct calibrator *c)
{
    map_free(&c->tasks);
    map_free(&c->ref_rows);
    free(c->items);
    free(c->of_row);
    free(c->labels);
    free(c->refs);
    if (c->passat)
        passat_free(c->passat);
    if (c->facts)
        facts_close(c->facts);
    arena_free(&c->arena);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static double reference_of(const struct calibrator *c, const struct row *row)
{
    struct buf identity = {0};
    if (c->ref_key)
        return number_of(row, c->ref_key);
    if (!c->has_refs)
        return NAN;
    row_identity(row, &identity);
    size_t number = map_find(&c->ref_rows, buf_span(&identity));
    buf_free(&identity);
    return number == MAP_NONE ? NAN : c->refs[number];
}

static void add_divergence(struct calibrator *c, struct calibrated *task, const struct row *row)
{
    const struct json_value *n = row_get(row, SPAN("n_tokens"));
    double logprob = number_of(row, "logprob"), ref = reference_of(c, row);
    if (isnan(logprob) || isnan(ref) || !n || n->type != JSON_VALUE_NUMBER ||
        !(n->flags & JSON_FLAG_INTEGER) || !(json_number(*n) > 0.0))
        return;
    task->kl += logprob - ref;
    task->tokens += json_number(*n);
    c->kl += logprob - ref;
    c->tokens += json_number(*n);
    c->n_used++;
}

void calibrator_add(struct calibrator *c, const struct row *row)
{
    struct row_facts facts;
    struct buf scratch = {0};
    bool fresh;
    facts_read(c->facts, row, &facts);
    passat_add(c->passat, &facts);
    size_t number = map_add(&c->tasks, row_task_key(row, &scratch), &fresh);
    c->items = mem_grow(c->items, &c->cap, number + 1, sizeof *c->items);
    if (fresh)
        c->items[number] = (struct calibrated){0};
    enum row_label label = row_label(row);
    c->items[number].n += label != ROW_LABEL_NONE;
    c->items[number].passes += label == ROW_LABEL_PASS;
    add_divergence(c, &c->items[number], row);
    c->of_row = mem_grow(c->of_row, &c->cap_rows, c->n_rows + 1, sizeof *c->of_row);
    c->labels = mem_grow(c->labels, &c->cap_labels, c->n_rows + 1, sizeof *c->labels);
    c->labels[c->n_rows] = (int8_t)label;
    c->of_row[c->n_rows++] = number;
    buf_free(&scratch);
}

/* A stamp that is valid and rests on more tries than this set has. */
bool calibrator_carries(const struct calibrator *c, const struct row *row, size_t number)
{
    const struct json_value *old = row_get(row, SPAN("calibration"));
    struct json_value rate, n;
    double value;
    if (c->labels[number] < 0 || !old || old->type != JSON_VALUE_OBJECT)
        return false;
    return json_get(*old, SPAN("pass_rate"), &rate) && value_num(rate, &value) && value >= 0.0 &&
           value <= 1.0 && json_get(*old, SPAN("n"), &n) &&
           value_int(n) > (int64_t)c->items[c->of_row[number]].n;
}

static void write_span(struct json_writer *w, const char *key, struct span text)
{
    json_write_key(w, key);
    if (text.ptr)
        json_write_span(w, text);
    else
        json_write_null(w);
}

static void write_student(struct json_writer *w, const struct student *s)
{
    json_write_key(w, "student");
    json_write_object(w);
    write_span(w, "name", s->name.ptr ? s->name : SPAN(""));
    write_span(w, "model", s->model);
    write_span(w, "prompt_hash", s->prompt_hash);
    write_span(w, "version", s->version);
    json_write_end_object(w);
}

static struct span member_text(struct json_value object, const char *key, struct arena *arena)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text = {0};
    if (json_get(object, span_text(key), &value) && !json_value_null(value))
        text = arena_span(arena, value_text(value, &scratch));
    buf_free(&scratch);
    return text;
}

/* Whose rate it is: the student that was named; else that of the old stamp; else the row's version. */
static struct student student_of(const struct calibrator *c, const struct row *row,
                                 const struct json_value *carried, struct arena *arena)
{
    struct json_value own;
    if (c->student.named)
        return c->student;
    if (carried)
        return json_get(*carried, SPAN("student"), &own) && own.type == JSON_VALUE_OBJECT
                   ? (struct student){.name = member_text(own, "name", arena),
                                      .model = member_text(own, "model", arena),
                                      .prompt_hash = member_text(own, "prompt_hash", arena),
                                      .version = member_text(own, "version", arena)}
                   : (struct student){0};
    const struct json_value *version = row_get(row, SPAN("policy_version"));
    if (!version || !json_truthy(*version))
        version = row_get(row, SPAN("model_version"));
    struct buf scratch = {0};
    struct student s = {0};
    if (version && json_truthy(*version))
        s.version = arena_span(arena, value_text(*version, &scratch));
    buf_free(&scratch);
    return s;
}

static struct span carried_task(const struct row *row, struct json_value old, struct arena *arena)
{
    struct span own = member_text(old, "task_id", arena);
    if (!own.ptr)
        own = member_text(row->value, "scenario_id", arena);
    if (!own.ptr)
        own = member_text(row->value, "prompt", arena);
    return own.ptr ? own : SPAN("");
}

static void write_carried(const struct row *row, struct json_value old, struct json_writer *w,
                          struct arena *arena)
{
    struct json_value value;
    double rate = NAN;
    if (json_get(old, SPAN("pass_rate"), &value))
        value_num(value, &rate);
    write_span(w, "task_id", carried_task(row, old, arena));
    json_write_key(w, "n");
    json_get(old, SPAN("n"), &value);
    json_write_int(w, value_int(value));
    job_real(w, "pass_rate", rate);
    double low, high;
    struct json_value ends[2];
    json_write_key(w, "pass_rate_ci95");
    bool pair = json_get(old, SPAN("pass_rate_ci95"), &value) && value.type == JSON_VALUE_ARRAY &&
                json_count(value) == 2;
    struct json_cursor cursor = json_enter(value);
    if (pair && json_next_item(&cursor, &ends[0]) && json_next_item(&cursor, &ends[1]) &&
        value_num(ends[0], &low) && value_num(ends[1], &high)) {
        json_write_array(w);
        json_write_real(w, low);
        json_write_real(w, high);
        json_write_end_array(w);
    } else {
        json_write_null(w);
    }
}

static void write_measured(const struct calibrator *c, size_t task, struct json_writer *w)
{
    const struct calibrated *t = &c->items[task];
    struct interval ci = stat_wilson((double)t->passes, (double)t->n, STAT_Z95);
    write_span(w, "task_id", c->tasks.keys[task]);
    json_write_count(w, "n", t->n);
    job_real(w, "pass_rate", (double)t->passes / (double)t->n);
    job_band(w, "pass_rate_ci95", number_round(ci.low, SELECT_RATE_DIGITS),
             number_round(ci.high, SELECT_RATE_DIGITS));
}

void calibrator_stamp(void *calibrator, const struct row *row, size_t number, struct buf *out)
{
    const struct calibrator *c = calibrator;
    struct json_edit edit = {0};
    struct arena arena = {0};
    struct buf value = {0};
    size_t task = c->of_row[number];
    if (c->labels[number] >= 0) {
        const struct json_value *old = row_get(row, SPAN("calibration"));
        const struct json_value *carried = calibrator_carries(c, row, number) ? old : NULL;
        struct student student = student_of(c, row, carried, &arena);
        struct json_value kl = {0};
        struct json_writer w;
        double own = NAN;
        json_write_start(&w, &value,
                         json_written_spaced(&row->members) ? JSON_STYLE_SPACED
                                                            : JSON_STYLE_COMPACT);
        json_write_object(&w);
        if (carried)
            write_carried(row, *carried, &w, &arena);
        else
            write_measured(c, task, &w);
        if (carried && json_get(*carried, SPAN("mean_kl"), &kl))
            value_num(kl, &own);
        if (c->items[task].tokens > 0.0)
            own = number_round(c->items[task].kl / c->items[task].tokens, KL_DIGITS);
        job_real(&w, "mean_kl", own);
        write_student(&w, &student);
        json_write_end_object(&w);
        json_edit_set(&edit, SPAN("calibration"), buf_span(&value));
    }
    json_edit_apply(&edit, row->line, &row->members, out);
    json_edit_free(&edit);
    arena_free(&arena);
    buf_free(&value);
}

/* ---- the report ---------------------------------------------------------------------------------
 */

static void write_divergence(const struct calibrator *c, struct json_writer *w)
{
    if (!c->job->q->ref)
        return;
    json_write_key(w, "mean_kl");
    json_write_object(w);
    job_real(w, "mean_kl", c->tokens > 0.0 ? number_round(c->kl / c->tokens, KL_DIGITS) : NAN);
    json_write_key(w, "per_task");
    json_write_object(w);
    for (size_t t = 0; t < c->tasks.count; t++)
        if (c->items[t].tokens > 0.0) {
            json_write_key_span(w, c->tasks.keys[t]);
            json_write_real(w, number_round(c->items[t].kl / c->items[t].tokens, KL_DIGITS));
        }
    json_write_end_object(w);
    json_write_count(w, "n_rows", c->n_used);
    json_write_count(w, "n_skipped", c->n_rows - c->n_used);
    job_real(w, "n_tokens", c->tokens);
    json_write_end_object(w);
}

void calibrator_write(const struct calibrator *c, size_t n_carried, double low, double high,
                      struct signal_report *signal, struct json_writer *w)
{
    size_t tasks = 0, stamped = 0;
    for (size_t t = 0; t < c->tasks.count; t++)
        tasks += c->items[t].n > 0;
    for (size_t i = 0; i < c->n_rows; i++)
        stamped += c->labels[i] >= 0;
    json_write_object(w);
    json_write_count(w, "n_tasks", tasks);
    json_write_count(w, "n_rows", c->n_rows);
    json_write_count(w, "n_stamped", stamped);
    json_write_count(w, "n_carried", n_carried);
    json_write_count(w, "n_unstamped", c->n_rows - stamped);
    write_student(w, &c->student);
    struct rng rng;
    rng_seed(&rng, 0);
    struct passat_settings settings = {.min_k = MEASURE_MIN_K,
                                       .boot = {.start = &rng,
                                                .draws = STAT_BOOT_DRAWS,
                                                .level = STAT_LEVEL,
                                                .kind = INTERVAL_PERCENTILE},
                                       .signal = true,
                                       .band_low = low,
                                       .band_high = high};
    struct passat_report report;
    passat_report_make(c->passat, &settings, &report);
    *signal = report.signal;
    report.has_signal = false;
    struct passat_view view = {.report = &report, .settings = &settings, .seed = "0"};
    struct gates none = {0};
    view.gates = &none;
    json_write_key(w, "pass_at");
    passat_json(&view, w);
    passat_report_free(&report);
    write_divergence(c, w);
    json_write_end_object(w);
}

static bool take_row(void *data, const struct row *row)
{
    calibrator_add(data, row);
    return true;
}

struct counting {
    const struct calibrator *c;
    size_t row, carried;
};

static void count_row(void *data, const struct row *row)
{
    struct counting *n = data;
    n->carried += calibrator_carries(n->c, row, n->row++);
}

int select_mode_calibrate(struct select_job *job, struct error *error)
{
    struct calibrator c;
    struct signal_report signal;
    struct select_picked all = {0};
    int code = calibrator_open(&c, job, error);
    if (!code)
        code = job_read(job, false, take_row, &c, error);
    for (size_t i = 0; i < c.n_rows; i++)
        select_picked_add(&all, i);
    struct counting counts = {.c = &c};
    if (!code)
        code = job_each(job, &all, NULL, NULL, count_row, &counts, error);
    if (!code)
        code = job_write(job, &all, calibrator_stamp, &c, error);
    if (!code) {
        struct json_writer w;
        job_open_report(job, &w);
        json_write_key(&w, "calibration");
        calibrator_write(&c, counts.carried, SELECT_BAND_LOW, SELECT_BAND_HIGH, &signal, &w);
        json_write_end_object(&w);
        buf_format(&job->out->notes,
                   "%zu rows, %zu of them with a stamp that rests on more tries\n", c.n_rows,
                   counts.carried);
    }
    select_picked_free(&all);
    calibrator_free(&c);
    return code;
}
