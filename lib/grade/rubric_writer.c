/* rubric_writer.c: see rubric_writer.h. Rows wait in a row_store until every prompt has its rubric. */
#include "grade/rubric_writer.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/signals.h"
#include "grade/defaults.h"
#include "grade/judge_payload.h"
#include "grade/judge_reply.h"
#include "row/gold.h"
#include "row/store.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"

enum outcome { OUTCOME_NONE, OUTCOME_SKIPPED, OUTCOME_WRITTEN, OUTCOME_FAILED };

struct task {
    size_t number;
    struct span prompt, reference; /* texts in the arena; reference ptr NULL: none */
    bool has_rubric;
    enum outcome outcome;
    struct buf rubric, why;
    char version[RUBRIC_VERSION + 1];
    size_t n_criteria, demoted;
    uint64_t rows;
};

struct worker {
    struct judge_sitting sitting;
    struct buf user, scratch;
    struct rubric rubric;
};

struct run {
    const struct rubric_writer_options *o;
    const struct scorer_judge_options *judge_options;
    struct judge_model *judge;
    struct buf system, domain;
    int least, most;
    struct row_store *store;
    struct map prompts;
    struct task *tasks;
    size_t cap, *task_of, n_rows, cap_rows;
    struct arena arena;
    struct worker *workers;
    int threads;
    int failed; /* first code that stops the run */
    struct error failure;
};

/* ---- rows into prompts ------------------------------------------------------------------------- */

static struct span text_kept(struct run *r, const struct json_value *value)
{
    struct buf scratch = {0};
    struct span text = value && json_truthy(*value)
                           ? arena_span(&r->arena, value_text(*value, &scratch))
                           : (struct span){0};
    buf_free(&scratch);
    return text;
}

static void take_row(struct run *r, const struct row *row, size_t at)
{
    const struct json_value *prompt = row_get_set(row, SPAN("prompt"));
    const struct json_value *block = row_get(row, SPAN("privileged"));
    struct buf scratch = {0}, folded = {0};
    struct json_value part;
    bool fresh;
    r->task_of[at] = MAP_NONE;
    struct span text = prompt ? row_content_text(*prompt, &scratch) : SPAN("");
    text_fold(text, &folded);
    if (folded.len) {
        size_t n = r->task_of[at] = map_add(&r->prompts, buf_span(&folded), &fresh);
        r->tasks = mem_grow(r->tasks, &r->cap, n + 1, sizeof *r->tasks);
        struct task *t = &r->tasks[n];
        if (fresh)
            *t = (struct task){.number = n, .prompt = arena_span(&r->arena, text)};
        t->rows++;
        if (block && json_get(*block, SPAN("rubric"), &part) && json_truthy(part))
            t->has_rubric = true;
        if (!t->reference.ptr && block && json_get(*block, SPAN("reference"), &part))
            t->reference = text_kept(r, &part);
        if (!t->reference.ptr)
            t->reference = text_kept(r, row_get(row, SPAN("reference")));
    }
    buf_free(&scratch);
    buf_free(&folded);
}

static int gather(struct run *r, const struct row_source *source, struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    struct row row;
    int got = 0, rc = reader ? 0 : error->code;
    while (!rc && (got = row_reader_next(reader, &row, error)) > 0) {
        size_t at;
        rc = row_store_add(r->store, row.line, &at, error);
        r->task_of = mem_grow(r->task_of, &r->cap_rows, r->n_rows + 1, sizeof *r->task_of);
        if (!rc)
            take_row(r, &row, r->n_rows++);
    }
    if (!rc && got < 0)
        rc = got;
    int closed = reader ? row_reader_close(reader, rc ? &(struct error){0} : error) : 0;
    return rc ? rc : closed;
}

/* ---- one prompt -------------------------------------------------------------------------------- */

static void write_text(struct json_writer *w, const char *key, struct span text)
{
    struct buf cut = {0};
    payload_cut(text, RUBRIC_WRITER_CHARS, &cut);
    json_write_key(w, key);
    json_write_span(w, buf_span(&cut));
    buf_free(&cut);
}

static void write_user(const struct run *r, const struct task *t, struct buf *out)
{
    struct json_writer w;
    buf_clear(out);
    json_write_start(&w, out, JSON_STYLE_SPACED);
    json_write_object(&w);
    write_text(&w, "request", t->prompt);
    if (t->reference.ptr)
        write_text(&w, "reference_answer", t->reference);
    if (r->domain.len)
        write_text(&w, "domain_guidance", buf_span(&r->domain));
    json_write_end_object(&w);
}

/* Items without a title are left out. false: none is left. */
static bool keep_titled(struct json_value array, struct buf *out)
{
    struct json_cursor c = json_enter(array);
    struct json_value item, title;
    buf_byte(out, '[');
    while (json_next_item(&c, &item)) {
        struct buf scratch = {0};
        bool good = json_get(item, SPAN("title"), &title) && json_truthy(title) &&
                    !text_blank(value_text(title, &scratch));
        buf_free(&scratch);
        if (!good)
            continue;
        if (out->len > 1)
            buf_byte(out, ',');
        buf_span_add(out, item.text);
    }
    buf_byte(out, ']');
    return out->len > 2;
}

struct writer_reading {
    struct worker *worker;
};

static bool read_rubric(void *data, struct span reply)
{
    struct worker *w = ((struct writer_reading *)data)->worker;
    struct json_value array;
    struct json_fault fault;
    struct buf kept = {0};
    bool good = judge_reply_array(reply, &w->scratch, &array) && keep_titled(array, &kept) &&
                json_scan(buf_span(&kept), &array, NULL, &fault) == 0 &&
                rubric_of_value(&w->rubric, array, "the writer's rubric", NULL) == 0;
    buf_free(&kept);
    return good;
}

/* The heaviest hard rules stay, the earlier ones of equal weight; the rest become principles. */
static size_t demote(struct rubric *rubric, int64_t most)
{
    size_t hard = 0, demoted = 0;
    for (size_t i = 0; i < rubric->count; i++)
        hard += rubric->items[i].kind == RUBRIC_HARD;
    while ((int64_t)hard > most) {
        struct criterion *lightest = NULL;
        for (size_t i = 0; i < rubric->count; i++) {
            struct criterion *item = &rubric->items[i];
            if (item->kind == RUBRIC_HARD && (!lightest || item->weight <= lightest->weight))
                lightest = item;
        }
        lightest->kind = RUBRIC_PRINCIPLE;
        hard--;
        demoted++;
    }
    if (demoted)
        rubric_renew_version(rubric);
    return demoted;
}

void rubric_object(const struct rubric *rubric, const char *source, struct span domain,
                   struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_SPACED);
    json_write_object(&w);
    json_write_key(&w, "criteria");
    rubric_write(rubric, &w);
    json_write_key(&w, "source");
    json_write_text(&w, source);
    json_write_key(&w, "domain");
    json_write_span(&w, domain);
    json_write_key(&w, "notes");
    json_write_text(&w, "");
    json_write_key(&w, "version");
    json_write_text(&w, rubric->version);
    json_write_end_object(&w);
}

static void settle(struct run *r, struct worker *w, struct task *t, bool accepted)
{
    if (w->sitting.trouble == JUDGE_TROUBLE_LATE) {
        buf_text(&t->why, "no reply in time");
    } else if (w->sitting.trouble) {
        buf_span_add(&t->why, buf_span(&w->sitting.why));
    } else if (!accepted) {
        buf_text(&t->why, "the reply holds no array of criteria");
    } else {
        if (r->o->max_hard_given)
            t->demoted = demote(&w->rubric, r->o->max_hard);
        t->n_criteria = w->rubric.count;
        memcpy(t->version, w->rubric.version, sizeof t->version);
        rubric_object(&w->rubric, "model", buf_span(&r->domain), &t->rubric);
    }
    t->outcome = t->rubric.len ? OUTCOME_WRITTEN : OUTCOME_FAILED;
}

static void work(void *context, int worker, void *job)
{
    struct run *r = context;
    struct worker *w = &r->workers[worker];
    struct task *t = job;
    struct writer_reading reading = {w};
    struct error error;
    bool accepted = false;
    if (signals_caught())
        return;
    judge_sitting_begin(&w->sitting, r->judge, "rubric", t->number);
    write_user(r, t, &w->user);
    const struct judge_question q = {.system = buf_span(&r->system),
                                     .user = buf_span(&w->user),
                                     .max_tokens = JUDGE_WRITER_TOKENS,
                                     .kind = PROMPT_WRITER};
    if (judge_sitting_ask(&w->sitting, &q, read_rubric, &reading, &accepted, &error) == 0)
        settle(r, w, t, accepted);
}

static int write_all(struct run *r, struct error *error)
{
    struct pool *pool = pool_open(r->threads, 0, work, r);
    for (size_t i = 0; i < r->prompts.count; i++) {
        struct task *t = &r->tasks[i];
        if (t->has_rubric && !r->o->overwrite) {
            t->outcome = OUTCOME_SKIPPED;
            continue;
        }
        while (pool_full(pool))
            pool_take(pool, POOL_WAIT);
        pool_submit(pool, t);
    }
    while (pool_take(pool, POOL_WAIT))
        continue;
    pool_close(pool);
    return signals_caught() ? error_set(error, ERROR_INTERRUPTED, "interrupted; no row was written")
                            : 0;
}

/* ---- rows out ---------------------------------------------------------------------------------- */

static int write_row(struct run *r, size_t at, struct row_writer *writer, struct buf *scratch,
                     struct error *error)
{
    struct span line;
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct json_edit edit = {0};
    struct buf out = {0};
    const struct task *t = r->task_of[at] == MAP_NONE ? NULL : &r->tasks[r->task_of[at]];
    int rc = row_store_get(r->store, at, scratch, &line, error);
    if (!rc && t && t->rubric.len && row_of_text(line, &row, &members, &fault) == 0) {
        rubric_attach(&row, buf_span(&t->rubric), false, &edit);
        json_edit_apply(&edit, row.line, &row.members, &out);
        line = buf_span(&out);
    }
    if (!rc)
        rc = row_writer_line(writer, line, error);
    json_edit_free(&edit);
    json_members_free(&members);
    buf_free(&out);
    return rc;
}

static int write_rows(struct run *r, const char *output, struct error *error)
{
    struct row_writer *writer = row_writer_open(output, error);
    struct buf scratch = {0};
    int rc = writer ? 0 : error->code;
    for (size_t i = 0; i < r->n_rows && !rc; i++)
        rc = write_row(r, i, writer, &scratch, error);
    buf_free(&scratch);
    if (rc < 0 && writer)
        row_writer_abandon(writer);
    return rc < 0 ? rc : row_writer_close(writer, error);
}

/* ---- the report -------------------------------------------------------------------------------- */

struct totals {
    size_t written, skipped, failed, criteria, demoted;
};

static struct totals totals_of(const struct run *r)
{
    struct totals n = {0};
    for (size_t i = 0; i < r->prompts.count; i++) {
        const struct task *t = &r->tasks[i];
        n.written += t->outcome == OUTCOME_WRITTEN;
        n.skipped += t->outcome == OUTCOME_SKIPPED;
        n.failed += t->outcome == OUTCOME_FAILED;
        n.criteria += t->n_criteria;
        n.demoted += t->demoted;
    }
    return n;
}

static void write_failures(const struct run *r, struct json_writer *w)
{
    size_t shown = 0;
    json_write_key(w, "failures");
    json_write_array(w);
    for (size_t i = 0; i < r->prompts.count && shown < RUBRIC_WRITER_SHOWN; i++) {
        const struct task *t = &r->tasks[i];
        if (t->outcome != OUTCOME_FAILED)
            continue;
        shown++;
        json_write_object(w);
        json_write_key(w, "prompt");
        json_write_span(w, utf8_head(t->prompt, PAIRWISE_PROMPT_CHARS));
        json_write_key(w, "error");
        json_write_span(w, buf_span(&t->why));
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* Rows of each version, in the order of the prompts. */
static void write_versions(const struct run *r, struct json_writer *w)
{
    struct map versions = {0};
    uint64_t *rows = mem_zero(r->prompts.count + 1, sizeof *rows);
    for (size_t i = 0; i < r->prompts.count; i++)
        if (r->tasks[i].outcome == OUTCOME_WRITTEN)
            rows[map_add(&versions, span_text(r->tasks[i].version), NULL)] += r->tasks[i].rows;
    json_write_key(w, "versions");
    json_write_object(w);
    for (size_t i = 0; i < versions.count; i++) {
        json_write_key_span(w, versions.keys[i]);
        json_write_int(w, (int64_t)rows[i]);
    }
    json_write_end_object(w);
    map_free(&versions);
    free(rows);
}

static void write_report(const struct run *r, const struct scorer_setup *setup, struct buf *out)
{
    struct totals n = totals_of(r);
    struct json_writer writer, *w = &writer;
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-grade --write-rubrics");
    json_write_count(w, "prompts", r->prompts.count);
    json_write_count(w, "written", n.written);
    json_write_count(w, "skipped", n.skipped);
    json_write_count(w, "failed", n.failed);
    write_failures(r, w);
    json_write_key(w, "criteria_per_rubric");
    json_write_real(w, n.written ? number_round((double)n.criteria / (double)n.written, 2) : NAN);
    json_write_key(w, "max_hard");
    if (r->o->max_hard_given)
        json_write_int(w, r->o->max_hard);
    else
        json_write_null(w);
    json_write_count(w, "demoted_hard", n.demoted);
    write_versions(r, w);
    json_write_key(w, "writer");
    json_write_text(w, judge_model_name(r->judge));
    model_access_report(setup->models, w);
    json_write_end_object(w);
    buf_byte(out, '\n');
}

/* ---- beginning and end ------------------------------------------------------------------------- */

static int read_range(struct run *r, struct error *error)
{
    const char *text = r->o->criteria, *comma = text ? strchr(text, ',') : NULL;
    struct buf low = {0};
    int64_t least = RUBRIC_WRITER_LEAST, most = RUBRIC_WRITER_MOST;
    bool good = true;
    if (text) {
        buf_add(&low, text, comma ? (size_t)(comma - text) : 0);
        good = comma && option_read_int(buf_cstr(&low), &least) == 0 &&
               option_read_int(comma + 1, &most) == 0 && least >= 1 && most >= least &&
               most <= RUBRIC_WRITER_CEILING;
    }
    buf_free(&low);
    r->least = (int)least;
    r->most = (int)most;
    return good ? 0
                : error_set(error, ERROR_USAGE,
                            "--criteria %s: LO,HI is wanted, two counts from 1 to %d", text,
                            RUBRIC_WRITER_CEILING);
}

static int open_run(struct run *r, const struct scorer_setup *setup, struct error *error)
{
    int rc = read_range(r, error);
    if (!rc && r->o->domain)
        rc = file_text_or_at(r->o->domain, GRADE_TEXT_MAX, &r->domain, error);
    if (!rc && !(r->judge = judge_model_of(r->judge_options, true, setup, error)))
        rc = error->code;
    if (rc)
        return rc;
    const struct prompt_parts parts = {.kind = PROMPT_WRITER, .least = r->least, .most = r->most};
    if (r->judge_options->prompt.ptr)
        buf_span_add(&r->system, r->judge_options->prompt);
    else
        prompt_write(&parts, &r->system);
    r->threads = judge_model_threads(r->judge, setup->jobs);
    r->workers = mem_zero((size_t)r->threads, sizeof *r->workers);
    r->store = row_store_new(STORE_MEMORY);
    return 0;
}

static void close_run(struct run *r)
{
    for (int i = 0; r->workers && i < r->threads; i++) {
        judge_sitting_free(&r->workers[i].sitting);
        buf_free(&r->workers[i].user);
        buf_free(&r->workers[i].scratch);
        rubric_free(&r->workers[i].rubric);
    }
    for (size_t i = 0; i < r->prompts.count; i++) {
        buf_free(&r->tasks[i].rubric);
        buf_free(&r->tasks[i].why);
    }
    free(r->workers);
    free(r->tasks);
    free(r->task_of);
    judge_model_close(r->judge);
    if (r->store)
        row_store_free(r->store);
    map_free(&r->prompts);
    arena_free(&r->arena);
    buf_free(&r->system);
    buf_free(&r->domain);
}

int rubric_writer_run(const struct rubric_writer_options *options,
                      const struct scorer_judge_options *judge, const struct scorer_setup *setup,
                      const struct row_source *source, const char *output, struct buf *report,
                      struct error *error)
{
    struct run r = {.o = options, .judge_options = judge};
    int rc = open_run(&r, setup, error);
    if (!rc)
        rc = gather(&r, source, error);
    if (!rc)
        rc = write_all(&r, error);
    if (!rc)
        rc = write_rows(&r, output, error);
    if (!rc) {
        struct totals n = totals_of(&r);
        write_report(&r, setup, report);
        for (size_t i = 0; i < r.prompts.count && n.failed && !n.written && !rc; i++)
            if (r.tasks[i].outcome == OUTCOME_FAILED)
                rc = error_set(error, ERROR_REMOTE, "no rubric was written: %s",
                               buf_cstr(&r.tasks[i].why));
    }
    close_run(&r);
    return rc;
}
