/* training.c: see training.h. The work on one row, the groups, the gates, the writing. */
#include "export/training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/signals.h"
#include "export/carried.h"
#include "export/defaults.h"
#include "export/sharegpt.h"
#include "export/training_set.h"
#include "row/key.h"
#include "row/value.h"

_Static_assert(sizeof((struct export_training *)0)->bad_rows / sizeof(uint64_t) ==
                   EXPORT_BAD_ROWS_SHOWN,
               "the table of bad rows");

struct export_worker {
    struct export_turns turns;
    struct arena arena;
    struct buf clean, needle, scratch;
    struct json_members members;
};

struct export_training *export_training_new(const struct export_training_options *options, int jobs)
{
    struct export_training *t = mem_zero(1, sizeof *t);
    t->options = options;
    t->n_workers = jobs < 1 ? 1 : jobs;
    t->workers = mem_zero((size_t)t->n_workers, sizeof *t->workers);
    t->store = row_store_new(STORE_MEMORY);
    return t;
}

void export_training_free(struct export_training *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->n_workers; i++) {
        struct export_worker *worker = &t->workers[i];
        export_turns_free(&worker->turns);
        arena_free(&worker->arena);
        buf_free(&worker->clean);
        buf_free(&worker->needle);
        buf_free(&worker->scratch);
        json_members_free(&worker->members);
    }
    free(t->workers);
    free(t->samples);
    free(t->groups);
    map_free(&t->keys);
    export_leaks_free(&t->leaks);
    row_store_free(t->store);
    free(t);
}

static double reward_of(const struct row *row)
{
    const struct json_value *value = row_get_set(row, SPAN("reward"));
    double reward;
    if (!value || value->type == JSON_VALUE_TRUE || value->type == JSON_VALUE_FALSE ||
        !value_float(*value, &reward) || !isfinite(reward))
        return NAN;
    return reward;
}

/* Why a row has no label for KTO: 0 or a flag. */
static int64_t label_fault(const struct row *row)
{
    double reward = reward_of(row);
    return isnan(reward) ? FLAG_UNGRADED : fabs(reward - EXPORT_PASS) > 0 ? 0 : FLAG_HALF;
}

/* ---- one sample ---------------------------------------------------------------------------------
 */

struct sample {
    const struct export_training_options *options;
    struct export_worker *worker;
    const struct row *row; /* scrubbed */
    size_t end;            /* its turns are 0 … end-1 */
    size_t last;           /* the last assistant turn among them; SIZE_MAX: none */
    bool only_last;        /* it alone is trained on */
    int64_t turn, turns;   /* unrolled: which one of how many, from 1; 0: the whole row */
};

static bool is_trained(const struct sample *s, size_t i)
{
    const struct export_turn *turn = &s->worker->turns.items[i];
    return turn->role == ROW_ROLE_ASSISTANT && (!s->only_last || i == s->last);
}

static void write_turns(const struct sample *s, const char *key, size_t from, size_t to,
                        struct json_writer *w)
{
    const struct export_turns *turns = &s->worker->turns;
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = from; i < to; i++) {
        enum export_weight weight = EXPORT_WEIGHT_NONE;
        if (s->options->format == EXPORT_FIREWORKS || s->options->format == EXPORT_AXOLOTL)
            weight = is_trained(s, i) ? EXPORT_WEIGHT_1 : EXPORT_WEIGHT_0;
        export_write_turn(turns, &turns->items[i], s->options->format, weight, w);
    }
    json_write_end_array(w);
}

static void write_mask(const struct sample *s, struct json_writer *w)
{
    json_write_key(w, "loss_mask");
    json_write_array(w);
    for (size_t i = 0; i < s->end; i++)
        json_write_int(w, is_trained(s, i));
    json_write_end_array(w);
}

/* Which row an unrolled sample comes from, beside what the row's lineage says. */
static void write_lineage(const struct sample *s, struct json_writer *w)
{
    const struct json_value *own = row_get(s->row, SPAN("lineage"));
    const struct json_value *prompt = row_get(s->row, SPAN("prompt"));
    const struct json_value *index = row_get(s->row, SPAN("rollout_index"));
    char hash[EXPORT_HASH_HEX + 1];
    json_write_key(w, "lineage");
    json_write_object(w);
    struct json_member m;
    struct json_value clean;
    if (own && own->type == JSON_VALUE_OBJECT) {
        clean = export_finite(&s->worker->arena, *own);
        struct json_cursor cursor = json_enter(clean);
        while (json_next_member(&cursor, &m))
            if (!json_key_is(&m, SPAN("unrolled_from")))
                json_write_member(w, &m);
    }
    export_hash(
        prompt && json_truthy(*prompt) ? value_text(*prompt, &s->worker->scratch) : SPAN(""), hash);
    json_write_key(w, "unrolled_from");
    json_write_object(w);
    json_write_key(w, "prompt_sha1");
    json_write_text(w, hash);
    json_write_key(w, "rollout_index");
    json_write_raw(w, index ? export_finite(&s->worker->arena, *index).text : SPAN("null"));
    export_write_carried(s->row, SPAN("scenario_id"), &s->worker->arena, w);
    json_write_end_object(w);
    json_write_end_object(w);
}

static void write_carried(const struct sample *s, struct json_writer *w)
{
    for (size_t i = 0; i < EXPORT_TRAINING_KEYS.count; i++) {
        struct span name = EXPORT_TRAINING_KEYS.names[i];
        if (span_is(name, "lineage") && s->turn) {
            write_lineage(s, w);
        } else if (span_is(name, "prompt") && s->options->format == EXPORT_TRL) {
            /* A string named prompt beside messages makes TRL skip the chat template. */
            const struct json_value *prompt = row_get(s->row, name);
            if (prompt && prompt->type == JSON_VALUE_STRING) {
                json_write_key(w, "prompt_text");
                json_write_raw(w, prompt->text);
            }
        } else {
            export_write_carried(s->row, name, &s->worker->arena, w);
        }
    }
}

/* A column for each marker asked for, null where the row has none, so that every row has them all. */
static void write_markers(const struct sample *s, struct json_writer *w)
{
    const struct json_value *markers = row_get(s->row, SPAN("markers"));
    struct buf key = {0};
    for (size_t i = 0; i < s->options->n_markers; i++) {
        struct json_value value = {0};
        bool found = markers && markers->type == JSON_VALUE_OBJECT &&
                     json_get(*markers, span_text(s->options->markers[i]), &value);
        buf_clear(&key);
        buf_format(&key, "reward_%s", s->options->markers[i]);
        json_write_key(w, buf_cstr(&key));
        if (found && value.type == JSON_VALUE_NUMBER)
            json_write_raw(w, export_finite(&s->worker->arena, value).text);
        else if (found && (value.type == JSON_VALUE_TRUE || value.type == JSON_VALUE_FALSE))
            json_write_int(w, value.type == JSON_VALUE_TRUE);
        else
            json_write_null(w);
    }
    buf_free(&key);
}

static void write_tail(const struct sample *s, struct json_writer *w)
{
    const struct export_turns *turns = &s->worker->turns;
    if (turns->cut) {
        json_write_key(w, "tool_output_truncated");
        json_write_int(w, turns->cut);
        json_write_key(w, "tool_output_chars_cut");
        json_write_int(w, turns->cut_chars);
    }
    if (s->options->format == EXPORT_OPENAI)
        write_mask(s, w);
    export_write_tools(s->options->tools, s->options->format, w);
    write_carried(s, w);
    write_markers(s, w);
    if (s->turn) {
        json_write_key(w, "unroll");
        json_write_object(w);
        json_write_key(w, "turn");
        json_write_int(w, s->turn);
        json_write_key(w, "turns");
        json_write_int(w, s->turns);
        json_write_end_object(w);
    }
    json_write_key(w, "schema_version");
    json_write_text(w, "1");
}

/* Whether the completion is one to learn (a reward of 0.5 or more) or one to unlearn. */
static void write_label(const struct sample *s, struct json_writer *w)
{
    json_write_key(w, "label");
    json_write_bool(w, reward_of(s->row) >= EXPORT_PASS);
}

static void write_sample(const struct sample *s, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    bool split = s->options->format == EXPORT_TRL && s->only_last;
    if (s->options->format == EXPORT_LLAMAFACTORY) {
        export_sharegpt_write(&s->worker->turns, s->end, &w);
    } else if (split) {
        write_turns(s, "prompt", 0, s->last, &w);
        write_turns(s, "completion", s->last, s->end, &w);
    } else {
        write_turns(s, "messages", 0, s->end, &w);
    }
    if (s->options->kto)
        write_label(s, &w);
    if (export_format_bare(s->options->format) || s->options->kto)
        export_write_tools(s->options->tools, s->options->format, &w);
    else
        write_tail(s, &w);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

static void count_calls(const struct sample *s, int64_t *tally)
{
    struct export_turns *turns = &s->worker->turns;
    bool bad = false;
    for (size_t i = 0; i < s->end; i++) {
        const struct export_turn *turn = &turns->items[i];
        for (size_t c = 0; c < turn->n_calls; c++) {
            tally[TALLY_CALLS]++;
            if (!export_call_is_sound(turns, &turns->calls[turn->first_call + c])) {
                tally[TALLY_BAD_CALLS]++;
                bad = true;
            }
        }
    }
    if (bad && !tally[TALLY_BAD_FROM])
        tally[TALLY_BAD_FROM] = tally[TALLY_SAMPLES] + 1;
}

static void count_messages(const struct sample *s, int64_t *tally)
{
    int64_t all = (int64_t)s->end, trained = 0;
    if (s->options->format == EXPORT_TRL) {
        /* No mask is read: a split row trains on its completion, another on everything. */
        trained = s->only_last ? all - (int64_t)s->last : all;
    } else {
        for (size_t i = 0; i < s->end; i++)
            trained += is_trained(s, i);
    }
    tally[TALLY_TRAINED] += trained;
    tally[TALLY_MASKED] += all - trained;
    for (size_t i = 0; i < s->end; i++) {
        if (s->worker->turns.items[i].role == ROW_ROLE_SYSTEM) {
            tally[TALLY_WITH_SYSTEM]++;
            break;
        }
    }
    tally[TALLY_CUT] += s->worker->turns.cut;
    tally[TALLY_CUT_CHARS] += s->worker->turns.cut_chars;
}

/* What stands behind the last assistant turn would not be trained on, and must not stand there. */
static bool fit_sharegpt(struct sample *s, struct row_result *result)
{
    int64_t texts = 0;
    if (s->last == SIZE_MAX) {
        result->tally[TALLY_FLAGS] |= FLAG_NO_COMPLETION;
        return false;
    }
    s->end = s->last + 1;
    if (!export_sharegpt_fits(&s->worker->turns, s->end, true, &texts)) {
        result->tally[TALLY_FLAGS] |= FLAG_NOT_ALTERNATING;
        return false;
    }
    result->tally[TALLY_CALL_TEXTS] += texts;
    return true;
}

static void add_sample(struct sample *s, struct row_result *result)
{
    /* A completion needs a prompt in front of it. */
    if (s->options->format == EXPORT_TRL && s->only_last && (s->last == SIZE_MAX || s->last == 0)) {
        result->tally[TALLY_FLAGS] |= FLAG_NO_COMPLETION;
        return;
    }
    if (s->options->format == EXPORT_LLAMAFACTORY && !fit_sharegpt(s, result))
        return;
    write_sample(s, &result->out);
    count_calls(s, result->tally);
    count_messages(s, result->tally);
    result->tally[TALLY_SAMPLES]++;
}

/* ---- one row ------------------------------------------------------------------------------------
 */

static void add_samples(struct sample *s, struct row_result *result)
{
    const struct export_turns *turns = &s->worker->turns;
    s->end = turns->count;
    s->last = SIZE_MAX;
    s->turns = 0;
    for (size_t i = 0; i < turns->count; i++) {
        if (turns->items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        s->last = i;
        s->turns++;
    }
    if (!s->options->unroll || !s->turns) {
        add_sample(s, result);
        return;
    }
    for (size_t i = 0; i < turns->count; i++) {
        if (turns->items[i].role != ROW_ROLE_ASSISTANT)
            continue;
        s->last = i;
        s->end = i + 1;
        s->turn++;
        add_sample(s, result);
    }
}

static void look_for_leak(struct export_worker *worker, const struct row *row,
                          struct row_result *result)
{
    buf_clear(&worker->needle);
    enum leak_result found = leak_find(row, &result->note, &worker->needle);
    if (found != LEAK_UNCHECKED)
        result->tally[TALLY_FLAGS] |= FLAG_LEAK_CHECKED;
    if (found == LEAK_FOUND) {
        result->tally[TALLY_FLAGS] |= FLAG_LEAKED;
        buf_byte(&result->note, '\0');
        buf_span_add(&result->note, buf_span(&worker->needle));
    }
}

int export_training_work(void *context, int worker_number, const struct row *row,
                         struct row_result *result, struct error *error)
{
    (void)error;
    struct export_training *t = context;
    struct export_worker *worker = &t->workers[worker_number];
    struct row clean = export_scrubbed(row, &worker->clean, &worker->members);
    const char *fault = NULL;
    arena_clear(&worker->arena);
    if (export_turns_read(&worker->turns, &clean, &t->options->build, &fault) != 0) {
        buf_text(&result->out, fault);
        result->fate = ROW_BAD;
        return 0;
    }
    struct sample s = {.options = t->options, .worker = worker, .row = &clean};
    s.only_last = t->options->mask == EXPORT_MASK_FINAL || t->options->unroll;
    int64_t unlabelled = t->options->kto ? label_fault(&clean) : 0;
    result->tally[TALLY_FLAGS] |= unlabelled;
    if (!unlabelled)
        add_samples(&s, result);
    result->tally[TALLY_ROLES] = worker->turns.roles_dropped;
    result->tally[TALLY_PARTS] = worker->turns.parts_dropped;
    if (worker->turns.n_calls)
        result->tally[TALLY_FLAGS] |= FLAG_CALLS_TOOLS;
    if (worker->turns.systems_differ)
        result->tally[TALLY_FLAGS] |= FLAG_SYSTEMS_DIFFER;
    look_for_leak(worker, row, result);
    return 0;
}

/* ---- all rows, in order -------------------------------------------------------------------------
 */

static uint32_t group_of(struct export_training *t, const struct row *row)
{
    struct span key = row_task_key(row, &t->workers[0].scratch);
    bool fresh;
    if (!key.len)
        return 0;
    size_t number = map_add(&t->keys, key, &fresh);
    t->groups = mem_grow(t->groups, &t->cap_groups, number + 1, sizeof *t->groups);
    if (fresh)
        t->groups[number] = (struct export_group){0};
    else
        t->grouped = true;
    return (uint32_t)number + 1;
}

static void count_into_group(struct export_group *group, double reward)
{
    group->k++;
    if (isnan(reward))
        return;
    group->graded++;
    group->sum += reward;
    group->n0 += reward < EXPORT_PASS;
    group->n1 += reward > EXPORT_PASS;
}

static void add_kept_sample(struct export_training *t, const struct row *row, double reward)
{
    uint32_t group = t->options->unroll || t->options->kto ? 0 : group_of(t, row);
    t->samples = mem_grow(t->samples, &t->cap_samples, t->n_samples + 1, sizeof *t->samples);
    t->samples[t->n_samples++] = (struct export_sample){group, reward};
    if (group)
        count_into_group(&t->groups[group - 1], reward);
    t->n_ungraded += isnan(reward);
    t->n_pass += reward >= EXPORT_PASS;
    t->n_fail += reward < EXPORT_PASS;
}

static void count_row(struct export_training *t, const struct row *row,
                      const struct row_result *result)
{
    int64_t flags = result->tally[TALLY_FLAGS];
    const struct json_value *reason = row_get(row, SPAN("finish_reason"));
    const struct json_value *lineage = row_get(row, SPAN("lineage"));
    struct json_value sha;
    t->n_rows++;
    t->n_dropped += (flags & FLAG_NO_COMPLETION) != 0;
    t->n_unlabelled += (flags & FLAG_UNGRADED) != 0;
    t->n_half += (flags & FLAG_HALF) != 0;
    t->n_not_alternating += (flags & FLAG_NOT_ALTERNATING) != 0;
    t->n_calling += (flags & FLAG_CALLS_TOOLS) != 0;
    t->n_systems_differ += (flags & FLAG_SYSTEMS_DIFFER) != 0;
    t->n_length += reason && span_is(reason->text, "\"length\"");
    t->n_sha += lineage && lineage->type == JSON_VALUE_OBJECT &&
                json_get(*lineage, SPAN("system_prompt_sha"), &sha) && json_truthy(sha);
    for (int i = 0; i < TALLY_FLAGS; i++)
        t->total[i] += (uint64_t)result->tally[i];
    enum leak_result found = flags & FLAG_LEAKED         ? LEAK_FOUND
                             : flags & FLAG_LEAK_CHECKED ? LEAK_NONE
                                                         : LEAK_UNCHECKED;
    export_leaks_add(&t->leaks, found, buf_span(&result->note), row, NULL);
}

int export_training_done(void *context, const struct row *row, struct row_result *result,
                         struct error *error)
{
    struct export_training *t = context;
    struct span left = buf_span(&result->out);
    double reward = reward_of(row);
    int64_t bad_from = result->tally[TALLY_BAD_FROM];
    count_row(t, row, result);
    for (int64_t number = 1; left.len; number++) {
        size_t len = span_find(left, SPAN("\n"), 0);
        size_t unused;
        int code = row_store_add(t->store, span_slice(left, 0, len), &unused, error);
        if (code != 0)
            return code;
        if (bad_from && number >= bad_from && t->n_bad_rows < EXPORT_BAD_ROWS_SHOWN)
            t->bad_rows[t->n_bad_rows++] = t->n_samples;
        add_kept_sample(t, row, reward);
        left = span_slice(left, len + 1, left.len);
    }
    result->fate = ROW_DROP; /* nothing leaves before the gates have seen all */
    return 0;
}

int export_training_check(const struct export_training *t, struct error *error)
{
    if (t->leaks.n_leaked)
        return error_set(error, ERROR_INPUT,
                         "%llu of %llu rows quote their privileged block in a reply, and a model "
                         "trained on them "
                         "learns to; drop them (wai-select does) or write them with --no-validate",
                         (unsigned long long)t->leaks.n_leaked, (unsigned long long)t->n_rows);
    if (!t->total[TALLY_BAD_CALLS])
        return 0;
    struct buf rows = {0};
    for (size_t i = 0; i < t->n_bad_rows; i++)
        buf_format(&rows, "%s%llu", i ? ", " : "", (unsigned long long)t->bad_rows[i]);
    int code = error_set(error, ERROR_INPUT,
                         "%llu of %llu tool calls have arguments that are no JSON object (rows of "
                         "the output, from 0: "
                         "%s); mend or drop those rows, or write them with --no-validate",
                         (unsigned long long)t->total[TALLY_BAD_CALLS],
                         (unsigned long long)t->total[TALLY_CALLS], buf_cstr(&rows));
    buf_free(&rows);
    return code;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

/* Squares of the distances, summed in the order of the rows, as the reference does. */
static void measure_groups(struct export_training *t)
{
    for (size_t i = 0; i < t->keys.count; i++)
        t->groups[i].squares = 0;
    for (size_t i = 0; i < t->n_samples; i++) {
        const struct export_sample *sample = &t->samples[i];
        if (!sample->group || isnan(sample->reward))
            continue;
        struct export_group *group = &t->groups[sample->group - 1];
        double distance = sample->reward - group->sum / (double)group->graded;
        group->squares += distance * distance;
    }
}

static void write_group(const struct export_training *t, uint32_t number, struct json_writer *w)
{
    const struct export_group *group = &t->groups[number - 1];
    char hash[EXPORT_HASH_HEX + 1];
    double n = (double)group->graded;
    export_hash(t->keys.keys[number - 1], hash);
    json_write_key(w, "group_id");
    json_write_text(w, hash);
    json_write_key(w, "k");
    json_write_int(w, (int64_t)group->k);
    json_write_key(w, "n0");
    json_write_int(w, (int64_t)group->n0);
    json_write_key(w, "n1");
    json_write_int(w, (int64_t)group->n1);
    json_write_key(w, "reward_mean");
    json_write_real(w, group->graded ? group->sum / n : NAN); /* NaN is written as null */
    json_write_key(w, "reward_std");
    json_write_real(w, group->graded ? sqrt(group->squares / n) : NAN);
}

/* The line with its group's fields as the last members. */
static struct span with_group(const struct export_training *t, struct span line, uint32_t group,
                              struct buf *out)
{
    struct buf members = {0};
    struct json_writer w;
    if (!group || !t->grouped || export_format_bare(t->options->format))
        return line;
    json_write_start(&w, &members, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_group(t, group, &w);
    json_write_end_object(&w);
    buf_clear(out);
    buf_add(out, line.ptr, line.len - 1);
    buf_byte(out, ',');
    buf_add(out, members.data + 1, members.len - 1);
    buf_free(&members);
    return buf_span(out);
}

int export_training_write(struct export_training *t, struct row_writer *writer, struct error *error)
{
    struct buf scratch = {0}, out = {0};
    int code = 0;
    measure_groups(t);
    for (size_t i = 0; i < t->n_samples && code == 0; i++) {
        struct span line;
        code = row_store_get(t->store, i, &scratch, &line, error);
        if (code == 0)
            code = row_writer_line(writer, with_group(t, line, t->samples[i].group, &out), error);
        if (code == 0 && signals_caught())
            code = error_set(error, ERROR_INTERRUPTED, "interrupted; %zu of %zu rows were written",
                             i + 1, t->n_samples);
    }
    buf_free(&scratch);
    buf_free(&out);
    return code;
}
