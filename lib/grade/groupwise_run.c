/* groupwise_run.c: see groupwise_run.h. Rows wait in a row_store, since a group may be scattered;
 * per row only its reward, its group and what came of it stay in memory. */
#include "grade/groupwise_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/signals.h"
#include "row/key.h"
#include "row/store.h"
#include "row/value.h"
#include "json/edit.h"
#include "json/tree.h"

struct gathered {
    size_t group;
    bool judged, asked, fallback;
    struct groupwise_member member;
};

/* One question to the grader and what came back. */
struct question {
    uint64_t number;
    struct buf items;  /* what it is shown; empty once it has been asked */
    struct buf answer; /* the keys of the answer that count, as an object */
    struct buf log;
    bool usable, failed;
    int code;
    struct error error;
};

struct run {
    const struct groupwise_options *o;
    struct groupwise_settings settings;
    struct scorer *scorer;
    struct row_writer *judge_log;
    struct verdict *verdicts; /* per worker */
    struct question **questions;
    size_t n_questions, cap_questions, next_question;
    json_t *rubrics;
    struct row_store *store;
    struct gathered *rows;
    size_t n, cap, n_groups;
    struct map keys;
    uint64_t errors;        /* of the grader */
    uint64_t lone, without; /* groups of one judged row; of none */
    struct groupwise_stats stats;
    struct buf line, items;
};

bool groupwise_asked(const struct groupwise_options *o)
{
    return o->mode || o->check_spread;
}

bool groupwise_needs_scorer(const struct groupwise_options *o)
{
    return groupwise_asked(o) && !o->inline_verdicts && !o->scores;
}

static struct groupwise_member member_of(const struct run *r, double reward)
{
    return (struct groupwise_member){.reward = reward,
                                     .passed = reward >= r->settings.pass_threshold,
                                     .factor = NAN,
                                     .shaped = reward};
}

/* ---- rows into groups -------------------------------------------------------------------------- */

static size_t group_of(struct run *r, const struct row *row, struct buf *scratch)
{
    if (r->o->group_size)
        return r->n / (size_t)r->o->group_size;
    if (!r->o->group_by)
        return map_add(&r->keys, row_task_key(row, scratch), NULL);
    const struct json_value *value = row_get(row, span_text(r->o->group_by));
    return map_add(&r->keys, value ? value_text(*value, scratch) : SPAN(""), NULL);
}

static int gather(struct run *r, const struct row_source *source, struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    struct row row;
    struct buf scratch = {0};
    int got = 0, rc = reader ? 0 : error->code;
    while (!rc && (got = row_reader_next(reader, &row, error)) > 0) {
        const struct json_value *reward = row_get(&row, SPAN("reward"));
        bool number = reward && reward->type == JSON_VALUE_NUMBER && isfinite(json_number(*reward));
        size_t at;
        r->rows = mem_grow(r->rows, &r->cap, r->n + 1, sizeof *r->rows);
        struct gathered *g = &r->rows[r->n];
        *g = (struct gathered){.group = group_of(r, &row, &scratch), .judged = number};
        g->member = member_of(r, number ? json_number(*reward) : 0);
        if (g->group >= r->n_groups)
            r->n_groups = g->group + 1;
        r->n++;
        rc = row_store_add(r->store, row.line, &at, error);
    }
    if (!rc && got < 0)
        rc = got;
    if (!rc && r->o->group_size && r->n % (size_t)r->o->group_size)
        rc = error_set(error, ERROR_INPUT,
                       "%zu rows are no multiple of --group-size %lld; give whole groups", r->n,
                       (long long)r->o->group_size);
    buf_free(&scratch);
    int closed = reader ? row_reader_close(reader, rc ? &(struct error){0} : error) : 0;
    return rc ? rc : closed;
}

/* ---- the grader ---------------------------------------------------------------------------------- */

static void write_value(struct json_writer *w, const char *key, const struct json_value *value)
{
    json_write_key(w, key);
    json_write_raw(w, value ? value->text : SPAN("null"));
}

/* One row as the grader sees it. */
static int write_item(struct run *r, struct json_writer *w, size_t at, size_t index,
                      struct error *error)
{
    struct span line;
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct buf scratch = {0};
    int rc = row_store_get(r->store, at, &r->line, &line, error);
    if (rc < 0 || row_of_text(line, &row, &members, &fault) < 0)
        return rc;
    const struct json_value *completion = row_get(&row, SPAN("completion"));
    json_write_object(w);
    json_write_key(w, "index");
    json_write_int(w, (int64_t)index);
    write_value(w, "prompt", row_get(&row, SPAN("prompt")));
    write_value(w, "completion", completion ? completion : row_get(&row, SPAN("final_text")));
    write_value(w, "reward", row_get(&row, SPAN("reward")));
    json_write_key(w, "passed");
    json_write_bool(w, r->rows[at].member.passed);
    json_write_key(w, "task_id");
    json_write_span(w, row_task_key(&row, &scratch));
    json_write_key(w, "row");
    json_write_raw(w, row.line);
    json_write_end_object(w);
    buf_free(&scratch);
    json_members_free(&members);
    return 0;
}

/* The keys of the answer come back through the verdict's metadata, so that every kind of scorer can be the
 * grader. */
static void take_answer(const struct verdict *v, struct question *q)
{
    static const char *const KEYS[] = {"ranking", "factors", "hacks", "solution", "behavior"};
    struct json_writer w;
    q->failed = v->status == VERDICT_ERROR || v->status == VERDICT_TIMEOUT;
    q->usable = !q->failed;
    buf_span_add(&q->log, buf_span(&v->log));
    json_write_start(&w, &q->answer, JSON_STYLE_COMPACT);
    json_write_object(&w);
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        struct span json = verdict_meta_find(v, KEYS[i]);
        if (!json.ptr)
            continue;
        json_write_key(&w, KEYS[i]);
        json_write_raw(&w, json);
    }
    json_write_end_object(&w);
}

static void ask(void *context, int worker, void *job)
{
    struct run *r = context;
    struct question *q = job;
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    q->code = signals_caught() ? error_set(&q->error, ERROR_INTERRUPTED, "interrupted") : 0;
    if (!q->code && row_of_text(buf_span(&q->items), &row, &members, &fault) == 0) {
        row.index = q->number;
        q->code = scorer_verdict(r->scorer, worker, &row, &r->verdicts[worker], &q->error);
    }
    if (!q->code)
        take_answer(&r->verdicts[worker], q);
    json_members_free(&members);
    buf_free(&q->items);
}

static int take_question(struct pool *pool, struct error *error)
{
    const struct question *q = pool_take(pool, POOL_WAIT);
    if (q && q->code)
        *error = q->error;
    return q ? q->code : 1;
}

/* Hands r->items over. */
static int submit(struct run *r, struct pool *pool, struct error *error)
{
    struct question *q = mem_zero(1, sizeof *q);
    int rc = 0;
    q->number = r->n_questions;
    q->items = r->items;
    r->items = (struct buf){0};
    r->questions =
        mem_grow(r->questions, &r->cap_questions, r->n_questions + 1, sizeof *r->questions);
    r->questions[r->n_questions++] = q;
    while (!rc && pool_full(pool))
        rc = take_question(pool, error);
    if (!rc)
        pool_submit(pool, q);
    return rc;
}

/* The answer to the next question, in the order in which they were put. */
static int next_answer(struct run *r, struct json_value *answer, bool *usable, struct error *error)
{
    const struct question *q = r->questions[r->next_question++];
    struct json_fault fault;
    r->stats.calls++;
    r->errors += q->failed;
    *usable = q->usable;
    json_scan(buf_span(&q->answer), answer, NULL, &fault);
    return r->judge_log && q->log.len ? row_writer_line(r->judge_log, buf_span(&q->log), error) : 0;
}

/* ---- what is asked ------------------------------------------------------------------------------- */

/* A mixed group, in mode `reward` one with a pass; for --check-spread one with two of them. */
static bool group_wanted(const struct run *r, const size_t *at, size_t n)
{
    size_t passed = 0;
    for (size_t i = 0; i < n; i++)
        passed += r->rows[at[i]].member.passed;
    return r->o->check_spread      ? passed > 1
           : r->settings.synthesis ? passed > 0
                                   : passed > 0 && passed < n;
}

static int put_group(struct run *r, struct pool *pool, const size_t *at, size_t n,
                     struct error *error)
{
    struct json_writer w;
    int rc = 0;
    buf_clear(&r->items);
    json_write_start(&w, &r->items, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < n && !rc; i++)
        rc = write_item(r, &w, at[i], i, error);
    json_write_end_array(&w);
    return rc ? rc : submit(r, pool, error);
}

/* The rubric of the row's task, or null. */
static void write_rubric(struct run *r, size_t at, struct json_writer *w)
{
    struct span task = r->o->group_size ? SPAN("") : r->keys.keys[r->rows[at].group];
    json_t *rubric = r->rubrics ? json_object_getn(r->rubrics, task.ptr, task.len) : NULL;
    struct buf json = {0};
    if (rubric) {
        json_tree_write(rubric, &json);
        json_write_raw(w, buf_span(&json));
    } else {
        json_write_null(w);
    }
    buf_free(&json);
}

static int put_pass(struct run *r, struct pool *pool, size_t at, size_t index, struct error *error)
{
    struct json_writer w;
    buf_clear(&r->items);
    json_write_start(&w, &r->items, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "item");
    int rc = write_item(r, &w, at, index, error);
    json_write_key(&w, "rubric");
    write_rubric(r, at, &w);
    json_write_end_object(&w);
    return rc ? rc : submit(r, pool, error);
}

/* Puts every question, as many at a time as the grader takes. */
static int ask_all(struct run *r, const size_t *order, const size_t *first, struct error *error)
{
    struct pool *pool = pool_open(r->scorer->threads, 0, ask, r);
    int rc = 0, last = 0;
    for (size_t g = 0; g < r->n_groups && !rc; g++) {
        const size_t *at = order + first[g];
        size_t n = first[g + 1] - first[g];
        if (!group_wanted(r, at, n))
            continue;
        if (!r->settings.synthesis)
            rc = put_group(r, pool, at, n, error);
        for (size_t i = 0; i < n && !rc && r->settings.synthesis; i++)
            if (r->rows[at[i]].member.passed)
                rc = put_pass(r, pool, at[i], i, error);
    }
    struct error later;
    while ((last = take_question(pool, rc ? &later : error)) <= 0)
        rc = rc ? rc : last;
    pool_close(pool);
    return rc;
}

/* ---- one group ----------------------------------------------------------------------------------- */

static void settle_advantage(struct run *r, struct groupwise_member *m, size_t n, bool usable)
{
    bool capped = false;
    if (!usable) {
        r->stats.failures++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        r->stats.hacks += m[i].hack;
        if (m[i].passed && !m[i].hack)
            groupwise_score(&r->stats, m[i].factor);
    }
    groupwise_redistribute(&r->settings, m, n, &capped);
    r->stats.capped += capped;
}

static int grade_advantage(struct run *r, struct groupwise_member *m, size_t n, bool *usable,
                           struct error *error)
{
    struct json_value answer = {0};
    int rc = next_answer(r, &answer, usable, error);
    if (rc)
        return rc;
    *usable = *usable && groupwise_read_group(&r->settings, answer, m, n);
    settle_advantage(r, m, n, *usable);
    return 0;
}

static void settle_pass(struct run *r, struct json_value answer, struct groupwise_member *m,
                        bool *usable)
{
    *usable = *usable && groupwise_read_pass(&r->settings, answer, m);
    r->stats.failures += !*usable;
    if (*usable)
        groupwise_score(&r->stats, m->factor);
}

static int grade_pass(struct run *r, struct groupwise_member *m, bool *usable, struct error *error)
{
    struct json_value answer = {0};
    int rc = next_answer(r, &answer, usable, error);
    if (!rc)
        settle_pass(r, answer, m, usable);
    return rc;
}

/* at: the judged rows of the group. With --check-spread passes that are alone among passes count
 * too, as long as there are two. */
static int shape_group(struct run *r, const size_t *at, size_t n, struct error *error)
{
    struct groupwise_member *m = mem_zero(n + 1, sizeof *m);
    bool usable = true;
    int rc = 0;
    for (size_t i = 0; i < n; i++)
        m[i] = r->rows[at[i]].member;
    groupwise_keep(m, n);
    bool mixed = groupwise_mixed(m, n), wanted = group_wanted(r, at, n);
    r->stats.groups += wanted || !r->o->check_spread;
    r->stats.mixed += mixed;
    if (wanted && !r->settings.synthesis)
        rc = grade_advantage(r, m, n, &usable, error);
    for (size_t i = 0; i < n && !rc; i++) {
        struct gathered *g = &r->rows[at[i]];
        if (wanted && r->settings.synthesis && m[i].passed) {
            bool good = true;
            rc = grade_pass(r, &m[i], &good, error);
            g->fallback = !good;
        } else {
            g->fallback = !usable;
        }
    }
    if (r->settings.synthesis) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += m[i].shaped;
        for (size_t i = 0; i < n; i++)
            m[i].advantage = m[i].shaped - mean / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        r->rows[at[i]].member = m[i];
    free(m);
    return rc;
}

static int shape_groups(struct run *r, struct error *error)
{
    size_t *first = mem_zero(r->n_groups + 2, sizeof *first);
    size_t *order = mem_zero(r->n + 1, sizeof *order);
    int rc = 0;
    for (size_t i = 0; i < r->n; i++)
        first[r->rows[i].group + 2] += r->rows[i].judged;
    for (size_t g = 2; g < r->n_groups + 2; g++)
        first[g] += first[g - 1];
    for (size_t i = 0; i < r->n; i++)
        if (r->rows[i].judged)
            order[first[r->rows[i].group + 1]++] = i;
    rc = ask_all(r, order, first, error);
    for (size_t g = 0; g < r->n_groups && !rc; g++) {
        size_t judged = first[g + 1] - first[g];
        r->lone += judged == 1;
        r->without += judged == 0;
        rc = shape_group(r, order + first[g], judged, error);
    }
    free(first);
    free(order);
    return rc;
}

/* ---- rows out ------------------------------------------------------------------------------------ */

static void write_groupwise(const struct run *r, const struct gathered *g, struct buf *out)
{
    struct json_writer w;
    buf_clear(out);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "mode");
    json_write_text(&w, r->o->mode);
    json_write_key(&w, "advantage");
    json_write_real(&w, g->member.advantage);
    if (!isnan(g->member.factor)) {
        json_write_key(&w, "factor");
        json_write_real(&w, g->member.factor);
    }
    if (g->member.hack) {
        json_write_key(&w, "hack");
        json_write_bool(&w, true);
    }
    if (g->fallback) {
        json_write_key(&w, "fallback");
        json_write_bool(&w, true);
    }
    json_write_end_object(&w);
}

static int write_row(struct run *r, size_t at, struct row_writer *writer, struct json_edit *edit,
                     struct error *error)
{
    const struct gathered *g = &r->rows[at];
    struct span line;
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct json_writer w;
    struct buf number = {0}, out = {0};
    int rc = row_store_get(r->store, at, &r->line, &line, error);
    if (rc < 0 || row_of_text(line, &row, &members, &fault) < 0)
        return rc;
    json_write_start(&w, &number, JSON_STYLE_COMPACT);
    if (g->judged)
        json_write_real(&w, g->member.shaped);
    else
        json_write_null(&w);
    json_edit_clear(edit);
    if (r->o->in_place && g->judged) {
        json_edit_set(edit, SPAN("reward"), buf_span(&number));
        json_edit_set(edit, SPAN("reward_before_shaping"), row_get(&row, SPAN("reward"))->text);
    }
    json_edit_set(edit, SPAN("shaped_reward"), buf_span(&number));
    if (g->judged) {
        write_groupwise(r, g, &r->items);
        json_edit_set(edit, SPAN("groupwise"), buf_span(&r->items));
    } else {
        json_edit_remove(edit, SPAN("groupwise"));
    }
    json_edit_apply(edit, row.line, &row.members, &out);
    rc = row_writer_line(writer, buf_span(&out), error);
    buf_free(&number);
    buf_free(&out);
    json_members_free(&members);
    return rc;
}

static int write_rows(struct run *r, const char *output, struct error *error)
{
    struct row_writer *writer = row_writer_open(output, error);
    struct json_edit edit = {0};
    int rc = writer ? 0 : error->code;
    for (size_t i = 0; i < r->n && !rc; i++)
        rc = write_row(r, i, writer, &edit, error);
    json_edit_free(&edit);
    if (rc < 0 && writer)
        row_writer_abandon(writer);
    return rc < 0 ? rc : row_writer_close(writer, error);
}

static int print_text(const char *output, struct buf *text, struct error *error)
{
    struct row_writer *writer = row_writer_open(output, error);
    int rc = writer ? row_writer_line(writer, buf_span(text), error) : error->code;
    if (writer && rc < 0)
        row_writer_abandon(writer);
    return rc < 0 ? rc : row_writer_close(writer, error);
}

/* ---- saved verdicts ------------------------------------------------------------------------------ */

static double reward_or_zero(const struct json_value *value)
{
    double number;
    return value && value_float(*value, &number) && isfinite(number) ? number : 0;
}

static void write_rewards(struct json_writer *w, const char *key, const struct groupwise_member *m,
                          size_t n, bool shaped)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_real(w, shaped ? m[i].shaped : m[i].reward);
    json_write_end_array(w);
}

/* A line is a group with its answer in it. */
static void inline_group(struct run *r, const struct row *row, struct json_writer *w)
{
    const struct json_value *rewards = row_get(row, SPAN("rewards"));
    struct json_cursor c = rewards && rewards->type == JSON_VALUE_ARRAY ? json_enter(*rewards)
                                                                        : (struct json_cursor){0};
    struct groupwise_member *m = NULL;
    struct json_value item;
    size_t n = 0, cap = 0;
    while (json_next_item(&c, &item)) {
        m = mem_grow(m, &cap, n + 1, sizeof *m);
        m[n++] = member_of(r, reward_or_zero(&item));
    }
    groupwise_keep(m, n);
    r->stats.groups++;
    if (groupwise_mixed(m, n)) {
        r->stats.mixed++;
        r->stats.calls++;
        settle_advantage(r, m, n, groupwise_read_group(&r->settings, row->value, m, n));
    }
    json_write_object(w);
    write_rewards(w, "rewards", m, n, false);
    write_rewards(w, "shaped", m, n, true);
    json_write_end_object(w);
    free(m);
}

/* All lines are one group of rows with their scores in them. */
static void inline_pass(struct run *r, const struct row *row)
{
    bool usable = true;
    r->rows = mem_grow(r->rows, &r->cap, r->n + 1, sizeof *r->rows);
    struct groupwise_member *m = &r->rows[r->n].member;
    *m = member_of(r, reward_or_zero(row_get(row, SPAN("reward"))));
    r->n++;
    if (!m->passed)
        return;
    r->stats.calls++;
    settle_pass(r, row->value, m, &usable);
}

static void write_shaped(struct run *r, struct json_writer *w)
{
    size_t passed = 0;
    json_write_key(w, "shaped");
    json_write_array(w);
    for (size_t i = 0; i < r->n; i++) {
        json_write_real(w, r->rows[i].member.shaped);
        passed += r->rows[i].member.passed;
    }
    json_write_end_array(w);
    r->stats.groups = r->n > 0;
    r->stats.mixed = passed > 0 && passed < r->n;
}

static int run_inline(struct run *r, const struct row_source *source, struct json_writer *w,
                      struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    struct row row;
    int got = 0;
    if (!reader)
        return error->code;
    if (!r->settings.synthesis) {
        json_write_key(w, "groups");
        json_write_array(w);
    }
    while ((got = row_reader_next(reader, &row, error)) > 0)
        if (r->settings.synthesis)
            inline_pass(r, &row);
        else
            inline_group(r, &row, w);
    if (r->settings.synthesis)
        write_shaped(r, w);
    else
        json_write_end_array(w);
    int closed = row_reader_close(reader, got < 0 ? &(struct error){0} : error);
    json_write_key(w, "stats");
    groupwise_write_stats(&r->stats, r->settings.synthesis, w);
    return got < 0 ? got : closed;
}

/* ---- scores at hand ------------------------------------------------------------------------------ */

static int read_scores(struct run *r, struct error *error)
{
    struct buf text = {0};
    struct json_value list, item;
    struct json_fault fault;
    double score;
    int rc = file_read(r->o->scores, GRADE_TEXT_MAX, &text, error);
    if (!rc &&
        (json_scan(buf_span(&text), &list, NULL, &fault) < 0 || list.type != JSON_VALUE_ARRAY))
        rc = error_set(error, ERROR_INPUT, "%s: a JSON list of numbers is wanted", r->o->scores);
    struct json_cursor c = rc ? (struct json_cursor){0} : json_enter(list);
    while (!rc && json_next_item(&c, &item)) {
        if (value_float(item, &score) && isfinite(score))
            groupwise_score(&r->stats, score);
        else
            rc = error_set(error, ERROR_INPUT, "%s: item %zu is no number; leave it out",
                           r->o->scores, r->stats.n_scores + 1);
    }
    r->stats.groups = (uint64_t)r->o->score_groups;
    buf_free(&text);
    return rc;
}

static int check_spread(struct run *r, struct json_writer *w, struct error *error)
{
    const struct spread_settings settings = {
        .min_std = r->o->min_std, .band = r->o->band, .cluster_share = r->o->cluster_share};
    bool ok;
    spread_write(r->stats.scores, r->stats.n_scores, r->stats.groups, &settings, w, &ok);
    if (ok)
        return 0;
    if (r->stats.n_scores < 2)
        return error_set(
            error, ERROR_CHECK,
            "%zu scores say nothing about spread; give a group with two passes or more",
            r->stats.n_scores);
    return error_set(error, ERROR_CHECK,
                     "the scores of %zu passes do not tell them apart, and normalising a group "
                     "erases a constant factor; ask for a ranking, or for finer criteria",
                     r->stats.n_scores);
}

/* ---- all of it ------------------------------------------------------------------------------------- */

static int check_options(const struct groupwise_options *o, struct error *error)
{
    if (!o->mode && !(o->check_spread && o->scores))
        return error_set(error, ERROR_USAGE,
                         "--check-spread needs --scores FILE, or --groupwise and a grader");
    if (o->scores && !o->check_spread)
        return error_set(error, ERROR_USAGE, "--scores belongs to --check-spread");
    if (o->inline_verdicts && o->check_spread)
        return error_set(error, ERROR_USAGE, "give one of --verdicts-inline and --check-spread");
    if (o->rubrics && (!o->mode || *o->mode != 'r' || o->group_size))
        return error_set(error, ERROR_USAGE,
                         "--rubrics needs --groupwise reward, and groups that are tasks");
    if (o->json && !o->inline_verdicts && !o->check_spread)
        return error_set(error, ERROR_USAGE,
                         "--json needs --check-spread or --verdicts-inline: else rows are written");
    if (o->group_by && o->group_size)
        return error_set(error, ERROR_USAGE, "give one of --group-by and --group-size");
    return 0;
}

static int run_grader(struct run *r, const struct row_source *source, const char *output,
                      struct error *error)
{
    int rc = 0;
    if (r->o->rubrics && !(r->rubrics = json_tree_file(r->o->rubrics, error)))
        return error->code;
    if (r->rubrics && !json_is_object(r->rubrics))
        return error_set(error, ERROR_INPUT, "%s: no object; write {\"TASK\": \"what is good\"}",
                         r->o->rubrics);
    r->verdicts = mem_zero((size_t)r->scorer->threads, sizeof *r->verdicts);
    r->store = row_store_new(STORE_MEMORY);
    rc = gather(r, source, error);
    if (!rc)
        rc = shape_groups(r, error);
    if (!rc && !r->o->check_spread)
        rc = write_rows(r, output, error);
    if (!rc && r->stats.calls && r->errors == r->stats.calls)
        rc = error_set(error, ERROR_REMOTE, "each of the %llu questions came back as an error",
                       (unsigned long long)r->errors);
    return rc;
}

static void add_warning(struct json_writer *w, void (*say)(const char *text), uint64_t n,
                        size_t groups, const char *what)
{
    struct buf text = {0};
    if (!n)
        return;
    buf_format(&text, "%llu of %zu groups %s", (unsigned long long)n, groups, what);
    json_write_text(w, buf_cstr(&text));
    say(buf_cstr(&text));
    buf_free(&text);
}

/* Groups in which nothing can be told apart, whatever the grader says. */
static void write_warnings(const struct run *r, void (*say)(const char *text),
                           struct json_writer *w)
{
    json_write_key(w, "warnings");
    json_write_array(w);
    add_warning(w, say, r->lone, r->n_groups,
                "have one row with a verdict: it has nothing to be told apart from");
    add_warning(w, say, r->without, r->n_groups, "have no row with a verdict; grade them first");
    json_write_end_array(w);
}

static void free_run(struct run *r)
{
    if (r->store)
        row_store_free(r->store);
    for (size_t i = 0; i < r->n_questions; i++) {
        buf_free(&r->questions[i]->items);
        buf_free(&r->questions[i]->answer);
        buf_free(&r->questions[i]->log);
        free(r->questions[i]);
    }
    for (int i = 0; r->verdicts && i < r->scorer->threads; i++)
        verdict_free(&r->verdicts[i]);
    free(r->questions);
    free(r->verdicts);
    json_decref(r->rubrics);
    free(r->rows);
    free(r->stats.scores);
    map_free(&r->keys);
    buf_free(&r->line);
    buf_free(&r->items);
}

int groupwise_run(const struct groupwise_options *o, struct scorer *scorer,
                  struct row_writer *judge_log, const struct row_source *source, const char *output,
                  void (*say)(const char *text), struct buf *report, struct error *error)
{
    struct run r = {.o = o, .scorer = scorer, .judge_log = judge_log};
    struct json_writer w;
    struct error red = {0};
    int rc = check_options(o, error), check = 0;
    if (rc)
        return rc;
    r.settings = (struct groupwise_settings){.synthesis = o->mode && *o->mode == 'r',
                                             .pass_threshold = o->pass_threshold,
                                             .min_factor = o->min_factor,
                                             .cap = o->cap,
                                             .floor = o->floor,
                                             .keep_hacks = o->keep_hacks};
    json_write_start(&w, report, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, o->check_spread ? "wai-grade check-spread" : "wai-grade groupwise");
    if (o->scores)
        rc = read_scores(&r, error);
    else if (o->inline_verdicts)
        rc = run_inline(&r, source, &w, error);
    else
        rc = run_grader(&r, source, output, error);
    if (rc == 0 && o->check_spread)
        check = check_spread(&r, &w, &red);
    else if (!o->inline_verdicts) {
        json_write_key(&w, "stats");
        groupwise_write_stats(&r.stats, r.settings.synthesis, &w);
        write_warnings(&r, say, &w);
    }
    json_write_end_object(&w);
    if (rc == 0 && (o->check_spread || o->inline_verdicts))
        rc = print_text(output, report, error);
    buf_byte(report, '\n');
    free_run(&r);
    if (rc == 0 && check < 0)
        *error = red;
    return rc ? rc : check;
}
