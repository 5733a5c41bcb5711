/* next_round.c: see next_round.h. */
#include "select/next_round.h"

#include <math.h>
#include <stdlib.h>

#include "row/key.h"
#include "row/value.h"
#include "select/facts.h"
#include "text/digest.h"
#include "text/number.h"
#include "json/edit.h"

enum { SHA_SHOWN = 16, RATE_DIGITS = 4 }; /* hex characters; decimals */

void next_round_add(struct next_round *r, const struct row *row)
{
    struct buf scratch = {0};
    bool fresh;
    size_t number = map_add(&r->keys, row_task_key(row, &scratch), &fresh);
    r->tasks = mem_grow(r->tasks, &r->cap_tasks, number + 1, sizeof *r->tasks);
    struct round_task *task = &r->tasks[number];
    if (fresh)
        *task = (struct round_task){.carried = NAN, .line = arena_span(&r->arena, row->line)};
    enum row_label label = row_label(row);
    task->n += label != ROW_LABEL_NONE;
    task->passes += label == ROW_LABEL_PASS;
    if (label != ROW_LABEL_NONE)
        map_add(&r->labelled, r->keys.keys[number], NULL);
    if (isnan(task->carried))
        task->carried = select_carried_rate(row, &task->carried_n);
    if (!isnan(task->carried))
        map_add(&r->rated, r->keys.keys[number], NULL);
    const struct json_value *policy = row_get(row, SPAN("policy_version"));
    if (policy && json_truthy(*policy))
        map_add(&r->policies, value_text(*policy, &scratch), NULL);
    r->n_rows++;
    buf_free(&scratch);
}

void next_round_given(struct next_round *r, const struct row *row)
{
    struct buf scratch = {0}, line = {0};
    bool fresh;
    r->limited = true;
    struct span key, text = row->line;
    if (row->value.type == JSON_VALUE_STRING) {
        key = json_text(row->value, &scratch);
        buf_text(&line, "{\"prompt\": ");
        buf_span_add(&line, row->value.text);
        buf_byte(&line, '}');
        text = buf_span(&line);
    } else {
        key = row_task_key(row, &scratch);
    }
    size_t number = map_add(&r->given, key, &fresh);
    r->given_lines = mem_grow(r->given_lines, &r->cap_given, number + 1, sizeof *r->given_lines);
    if (fresh)
        r->given_lines[number] = arena_span(&r->arena, text);
    buf_free(&line);
    buf_free(&scratch);
}

double next_round_rate(const struct next_round *r, size_t task, double *n)
{
    const struct round_task *t = &r->tasks[task];
    *n = t->n ? (double)t->n : t->carried_n;
    return t->n ? (double)t->passes / (double)t->n : t->carried;
}

/* A candidate, in the order in which they are looked at. */
struct candidate {
    struct span key, line;
    double rate, n; /* NaN: unknown */
};

static struct candidate measured(const struct next_round *r, size_t task)
{
    struct candidate c = {.key = r->keys.keys[task], .line = r->tasks[task].line};
    c.rate = next_round_rate(r, task, &c.n);
    return c;
}

/* Number of the i-th measured task: labelled ones first, then those with a rate alone. MAP_NONE: that
 * one was labelled. */
static size_t measured_task(const struct next_round *r, size_t i)
{
    if (i < r->labelled.count)
        return map_find(&r->keys, r->labelled.keys[i]);
    struct span key = r->rated.keys[i - r->labelled.count];
    return map_find(&r->labelled, key) == MAP_NONE ? map_find(&r->keys, key) : MAP_NONE;
}

static struct candidate *candidates(const struct next_round *r, size_t *n)
{
    struct candidate *all = mem_zero(r->limited ? r->given.count : r->keys.count, sizeof *all);
    *n = 0;
    if (r->limited) {
        for (size_t i = 0; i < r->given.count; i++) {
            size_t task = map_find(&r->keys, r->given.keys[i]);
            all[*n] = task == MAP_NONE ? (struct candidate){.key = r->given.keys[i], .rate = NAN}
                                       : measured(r, task);
            if (isnan(all[*n].rate))
                all[*n].line = r->given_lines[i];
            ++*n;
        }
        return all;
    }
    for (size_t i = 0; i < r->labelled.count + r->rated.count; i++) {
        size_t task = measured_task(r, i);
        if (task != MAP_NONE)
            all[(*n)++] = measured(r, task);
    }
    return all;
}

/* The row with its calibration's rate, tries and band set; what else is in it stays. */
static void write_kept(const struct candidate *c, double low, double high, struct buf *lines)
{
    struct json_members members = {0}, inner = {0};
    struct json_edit edit = {0}, calibration = {0};
    struct buf value = {0}, text = {0};
    struct json_writer w;
    struct row row;
    row_of_text(c->line, &row, &members, NULL);
    bool spaced = json_written_spaced(&row.members);
    number_add(&text, number_round(c->rate, RATE_DIGITS));
    json_edit_set(&calibration, SPAN("pass_rate"), buf_span(&text));
    buf_clear(&text);
    buf_format(&text, c->n > 0.0 ? "%.0f" : "null", c->n);
    json_edit_set(&calibration, SPAN("n"), buf_span(&text));
    buf_clear(&text);
    json_write_start(&w, &text, spaced ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_array(&w);
    json_write_real(&w, low);
    json_write_real(&w, high);
    json_write_end_array(&w);
    json_edit_set(&calibration, SPAN("band"), buf_span(&text));
    const struct json_value *old = row_get(&row, SPAN("calibration"));
    struct span object = old && old->type == JSON_VALUE_OBJECT ? old->text : SPAN("{}");
    struct json_value parsed;
    json_scan(object, &parsed, &inner, NULL);
    json_edit_apply(&calibration, object, &inner, &value);
    json_edit_set(&edit, SPAN("calibration"), buf_span(&value));
    json_edit_apply(&edit, row.line, &row.members, lines);
    buf_byte(lines, '\n');
    json_edit_free(&edit);
    json_edit_free(&calibration);
    json_members_free(&members);
    json_members_free(&inner);
    buf_free(&value);
    buf_free(&text);
}

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

/* First characters of the SHA-256 of the sorted keys, one a line. */
static void prompt_set(struct span *keys, size_t n, char out[2 * SHA256_BYTES + 1])
{
    struct buf all = {0};
    uint8_t digest[SHA256_BYTES];
    if (n)
        qsort(keys, n, sizeof *keys, by_text);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_byte(&all, '\n');
        buf_span_add(&all, keys[i]);
    }
    digest_sha256(buf_span(&all), digest);
    digest_hex(digest, sizeof digest, out);
    out[SHA_SHOWN] = '\0';
    buf_free(&all);
}

static void write_policies(const struct next_round *r, struct json_writer *w)
{
    struct span *names = mem_zero(r->policies.count, sizeof *names);
    for (size_t i = 0; i < r->policies.count; i++)
        names[i] = r->policies.keys[i];
    if (r->policies.count)
        qsort(names, r->policies.count, sizeof *names, by_text);
    json_write_key(w, "from_policy");
    json_write_array(w);
    for (size_t i = 0; i < r->policies.count; i++)
        json_write_span(w, names[i]);
    json_write_end_array(w);
    free(names);
}

static void write_rates(const struct next_round *r, struct json_writer *w)
{
    json_write_key(w, "pass_rates");
    json_write_object(w);
    for (size_t i = 0; i < r->labelled.count + r->rated.count; i++) {
        size_t task = measured_task(r, i);
        double n;
        if (task == MAP_NONE)
            continue;
        json_write_key_span(w, r->keys.keys[task]);
        json_write_real(w, number_round(next_round_rate(r, task, &n), RATE_DIGITS));
    }
    json_write_end_object(w);
}

/* Counts, lines, and the digest of the tasks that leave. */
static void choose(const struct next_round *r, double low, double high, struct buf *lines,
                   struct round_counts *counts, char sha[2 * SHA256_BYTES + 1])
{
    size_t n, leaving = 0;
    struct candidate *all = candidates(r, &n);
    struct span *keys = mem_zero(n, sizeof *keys);
    *counts = (struct round_counts){0};
    for (size_t t = 0; t < r->keys.count; t++) {
        double tries;
        counts->measured += !isnan(next_round_rate(r, t, &tries));
    }
    for (size_t i = 0; i < n; i++) {
        const struct candidate *c = &all[i];
        if (c->rate > high || c->rate < low) {
            counts->solved += c->rate > high;
            counts->unsolved += c->rate < low;
            continue;
        }
        keys[leaving++] = c->key;
        counts->kept += !isnan(c->rate);
        counts->unknown += isnan(c->rate);
        if (lines && isnan(c->rate)) {
            buf_span_add(lines, c->line);
            buf_byte(lines, '\n');
        } else if (lines) {
            write_kept(c, low, high, lines);
        }
    }
    prompt_set(keys, leaving, sha);
    free(keys);
    free(all);
}

static void count(struct json_writer *w, const char *key, size_t value)
{
    json_write_key(w, key);
    json_write_int(w, (int64_t)value);
}

static void write_counts(const struct round_counts *c, struct json_writer *w)
{
    count(w, "kept", c->kept);
    count(w, "dropped_solved", c->solved);
    count(w, "dropped_unsolved", c->unsolved);
    count(w, "unknown", c->unknown);
}

void next_round_choose(struct next_round *r, double low, double high, struct buf *lines,
                       struct json_writer *w, struct round_counts *counts)
{
    char sha[2 * SHA256_BYTES + 1];
    choose(r, low, high, lines, counts, sha);
    write_counts(counts, w);
    count(w, "n_prior_tasks", counts->measured);
    write_rates(r, w);
    json_write_key(w, "band");
    json_write_array(w);
    json_write_real(w, low);
    json_write_real(w, high);
    json_write_end_array(w);
    write_policies(r, w);
    json_write_key(w, "prompt_set_sha");
    json_write_text(w, sha);
}

void next_round_summary(struct next_round *r, double low, double high, size_t rows_dropped,
                        struct buf *out)
{
    char sha[2 * SHA256_BYTES + 1];
    struct round_counts counts;
    struct json_writer w;
    choose(r, low, high, NULL, &counts, sha);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_counts(&counts, &w);
    write_policies(r, &w);
    count(&w, "rows_dropped", rows_dropped);
    json_write_key(&w, "prompt_set_sha");
    json_write_text(&w, sha);
    json_write_end_object(&w);
}

void next_round_free(struct next_round *r)
{
    map_free(&r->keys);
    map_free(&r->labelled);
    map_free(&r->rated);
    map_free(&r->policies);
    map_free(&r->given);
    free(r->tasks);
    free(r->given_lines);
    arena_free(&r->arena);
    *r = (struct next_round){0};
}
