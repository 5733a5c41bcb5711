/* decontam_partial.c: a summary of one part of the rows, a line of JSON, and the summaries of all parts as
 * one again. What a line says is checked as any input is. */
#include <math.h>
#include <stdlib.h>

#include "select/decontam_report.h"
#include "select/defaults.h"

#define COUNT_MAX ((int64_t)1 << 53) /* counts are exact in every JSON reader */
enum { FIELDS_MAX = 1024 };

/* ---- writing --------------------------------------------------------------------------------------- */

static void write_flag(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

/* What parts of one run have in common. */
static void write_side(const struct decontam_side *side, struct json_writer *w)
{
    json_write_key(w, "holdout");
    json_write_text(w, side->holdout);
    json_write_count(w, "eval_rows", side->rows);
    json_write_count(w, "eval_rows_with_task", side->with_task);
    json_write_count(w, "eval_texts", side->texts);
    json_write_count(w, "eval_prompts", side->prompts);
    json_write_count(w, "ngram", side->ngram);
    json_write_key(w, "overlap");
    json_write_real(w, side->overlap);
    json_write_key(w, "tokens");
    json_write_text(w, DECONTAM_TOKEN_NAMES[side->tokens]);
    json_write_key(w, "fields");
    json_write_array(w);
    for (size_t i = 0; i < side->n_fields; i++)
        json_write_span(w, side->fields[i]);
    json_write_end_array(w);
    if (!side->embedder.len)
        return;
    json_write_key(w, "embedder");
    json_write_span(w, buf_span(&side->embedder));
    json_write_key(w, "similarity");
    json_write_real(w, side->similarity);
    write_flag(w, "fell_back", side->fell_back);
    json_write_key(w, "alike");
    json_write_real(w, side->alike);
    write_flag(w, "alike_sampled", side->alike_sampled);
}

void decontam_partial_write(const struct decontam_counts *counts, const struct decontam_side *side,
                            struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "wai_partial", 1);
    json_write_key(w, "kind");
    json_write_text(w, "decontam");
    write_side(side, w);
    json_write_key(w, "shards");
    json_write_array(w);
    for (size_t i = 0; i < counts->n_shards; i++) {
        json_write_array(w);
        json_write_int(w, (int64_t)counts->shards[i].first);
        json_write_int(w, (int64_t)counts->shards[i].lines);
        json_write_end_array(w);
    }
    json_write_end_array(w);
    json_write_count(w, "rows", counts->rows);
    json_write_count(w, "rows_with_task", counts->with_task);
    json_write_count(w, "unreadable", counts->unreadable);
    write_flag(w, "same_file", counts->same_file);
    json_write_key(w, "rules");
    json_write_array(w);
    for (size_t i = 0; i < DECONTAM_RULES; i++)
        json_write_int(w, (int64_t)counts->rules[i]);
    json_write_end_array(w);
    json_write_key(w, "by_field");
    json_write_array(w);
    for (size_t i = 0; i < side->n_fields; i++)
        json_write_int(w, counts->fields ? (int64_t)counts->fields[i] : 0);
    json_write_end_array(w);
    json_write_key(w, "examples");
    json_write_array(w);
    for (size_t i = 0; i < counts->n_examples; i++)
        json_write_raw(w, buf_span(&counts->examples[i].json));
    json_write_end_array(w);
    json_write_end_object(w);
}

/* ---- reading --------------------------------------------------------------------------------------- */

/* A reader that remembers what was wrong first. */
struct reading {
    struct json_value object;
    struct error *error;
    bool failed;
};

static void wrong(struct reading *r, const char *key)
{
    if (!r->failed)
        error_set(r->error, ERROR_INPUT,
                  "the summary's \"%s\" cannot be what --partial wrote; write it again", key);
    r->failed = true;
}

static struct json_value member(struct reading *r, const char *key, enum json_type type)
{
    struct json_value value = {0};
    if (json_get(r->object, span_text(key), &value) && value.type == type)
        return value;
    wrong(r, key);
    return (struct json_value){0};
}

static uint64_t whole(struct reading *r, const char *key, struct json_value value)
{
    int64_t count = 0;
    if (value.type != JSON_VALUE_NUMBER || !json_int64(value, &count) || count < 0 ||
        count > COUNT_MAX) {
        wrong(r, key);
        return 0;
    }
    return (uint64_t)count;
}

static uint64_t count_of(struct reading *r, const char *key)
{
    return whole(r, key, member(r, key, JSON_VALUE_NUMBER));
}

static bool flag_of(struct reading *r, const char *key)
{
    struct json_value value = {0};
    json_get(r->object, span_text(key), &value);
    if (value.type != JSON_VALUE_TRUE && value.type != JSON_VALUE_FALSE)
        wrong(r, key);
    return value.type == JSON_VALUE_TRUE;
}

/* Within low … high; null: NaN. */
static double real_of(struct reading *r, const char *key, double low, double high)
{
    struct json_value value = {0};
    if (json_get(r->object, span_text(key), &value) && value.type == JSON_VALUE_NULL)
        return NAN;
    double x = json_number(member(r, key, JSON_VALUE_NUMBER));
    if (!(x >= low && x <= high))
        wrong(r, key);
    return x;
}

static void read_semantic(struct reading *r, struct decontam_side *side)
{
    struct json_value value;
    if (!json_get(r->object, SPAN("embedder"), &value))
        return;
    json_text_add(member(r, "embedder", JSON_VALUE_STRING), &side->embedder);
    side->similarity = real_of(r, "similarity", 0, 1);
    side->fell_back = flag_of(r, "fell_back");
    side->alike = real_of(r, "alike", -1, 1);
    side->alike_sampled = flag_of(r, "alike_sampled");
    if (!side->embedder.len || isnan(side->similarity))
        wrong(r, "embedder");
}

static void read_fields(struct reading *r, struct decontam_side *side)
{
    struct json_value list = member(r, "fields", JSON_VALUE_ARRAY), item;
    struct json_cursor cursor = json_enter(list);
    size_t n = json_count(list), at = 0;
    struct buf text = {0};
    if (n < 1 || n > FIELDS_MAX) {
        wrong(r, "fields");
        return;
    }
    struct span *fields = mem_zero(n, sizeof *fields);
    size_t *ends = mem_zero(n, sizeof *ends);
    for (; at < n && json_next_item(&cursor, &item); at++) {
        if (item.type == JSON_VALUE_STRING)
            json_text_add(item, &text);
        else
            wrong(r, "fields");
        ends[at] = text.len;
    }
    for (size_t i = 0; i < n; i++)
        fields[i] = span_slice(buf_span(&text), i ? ends[i - 1] : 0, ends[i]);
    decontam_side_fields(side, fields, n);
    free(fields);
    free(ends);
    buf_free(&text);
}

static void read_side(struct reading *r, struct decontam_side *side)
{
    struct buf scratch = {0};
    struct span name = json_text(member(r, "holdout", JSON_VALUE_STRING), &scratch);
    if (name.len + 1 == sizeof side->holdout)
        memcpy(side->holdout, name.ptr, name.len);
    else
        wrong(r, "holdout");
    side->rows = count_of(r, "eval_rows");
    side->with_task = count_of(r, "eval_rows_with_task");
    side->texts = count_of(r, "eval_texts");
    side->prompts = count_of(r, "eval_prompts");
    side->ngram = (size_t)count_of(r, "ngram");
    side->overlap = real_of(r, "overlap", 0, 1);
    struct span tokens = json_text(member(r, "tokens", JSON_VALUE_STRING), &scratch);
    side->tokens = span_is(tokens, "unicode") ? DECONTAM_UNICODE : DECONTAM_ASCII;
    if (!span_is(tokens, DECONTAM_TOKEN_NAMES[side->tokens]))
        wrong(r, "tokens");
    if (isnan(side->overlap))
        wrong(r, "overlap");
    if (side->with_task > side->rows)
        wrong(r, "eval_rows_with_task");
    if (!side->ngram)
        wrong(r, "ngram");
    read_fields(r, side);
    read_semantic(r, side);
    buf_free(&scratch);
}

static void read_shards(struct reading *r, struct decontam_counts *counts)
{
    struct json_cursor cursor = json_enter(member(r, "shards", JSON_VALUE_ARRAY)), pair;
    struct json_value item, first = {0}, lines = {0};
    uint64_t end = 0, total = 0;
    while (!r->failed && json_next_item(&cursor, &item)) {
        pair = json_enter(item);
        if (item.type != JSON_VALUE_ARRAY || json_count(item) != 2 ||
            !json_next_item(&pair, &first) || !json_next_item(&pair, &lines)) {
            wrong(r, "shards");
            return;
        }
        struct decontam_shard shard = {whole(r, "shards", first), whole(r, "shards", lines)};
        if (shard.first < end)
            wrong(r, "shards");
        end = shard.first + shard.lines;
        total += shard.lines;
        counts->shards = mem_grow(counts->shards, &counts->cap_shards, counts->n_shards + 1,
                                  sizeof *counts->shards);
        counts->shards[counts->n_shards++] = shard;
    }
    if (counts->rows > total)
        wrong(r, "rows");
}

static void read_numbers(struct reading *r, const char *key, uint64_t *out, size_t n)
{
    struct json_value list = member(r, key, JSON_VALUE_ARRAY), item;
    struct json_cursor cursor = json_enter(list);
    if (json_count(list) != n)
        wrong(r, key);
    for (size_t i = 0; i < n && !r->failed && json_next_item(&cursor, &item); i++)
        out[i] = whole(r, key, item);
}

static bool in_shards(const struct decontam_counts *counts, uint64_t number)
{
    for (size_t i = 0; i < counts->n_shards; i++)
        if (number >= counts->shards[i].first &&
            number - counts->shards[i].first < counts->shards[i].lines)
            return true;
    return false;
}

static void read_examples(struct reading *r, struct decontam_counts *counts)
{
    struct json_cursor cursor = json_enter(member(r, "examples", JSON_VALUE_ARRAY));
    struct json_value item, index = {0};
    while (!r->failed && json_next_item(&cursor, &item)) {
        const struct decontam_example *last =
            counts->n_examples ? &counts->examples[counts->n_examples - 1] : NULL;
        if (item.type != JSON_VALUE_OBJECT || !json_get(item, SPAN("index"), &index)) {
            wrong(r, "examples");
            return;
        }
        uint64_t number = whole(r, "examples", index);
        if (counts->n_examples == DECONTAM_EXAMPLES || (last && number <= last->index) ||
            !in_shards(counts, number))
            wrong(r, "examples");
        counts->examples = mem_grow(counts->examples, &counts->cap_examples, counts->n_examples + 1,
                                    sizeof *counts->examples);
        struct decontam_example *example = &counts->examples[counts->n_examples++];
        *example = (struct decontam_example){.index = number};
        buf_span_add(&example->json, item.text);
    }
}

static void read_counts(struct reading *r, const struct decontam_side *side,
                        struct decontam_counts *counts)
{
    uint64_t rules = 0, fields = 0;
    counts->rows = count_of(r, "rows");
    counts->with_task = count_of(r, "rows_with_task");
    counts->unreadable = count_of(r, "unreadable");
    counts->same_file = flag_of(r, "same_file");
    counts->fields = mem_zero(side->n_fields + 1, sizeof *counts->fields);
    read_numbers(r, "rules", counts->rules, DECONTAM_RULES);
    read_numbers(r, "by_field", counts->fields, side->n_fields);
    for (size_t i = 0; i < DECONTAM_RULES; i++)
        rules += counts->rules[i];
    for (size_t i = 0; i < side->n_fields; i++)
        fields += counts->fields[i];
    if (rules != counts->rows || counts->rules[DECONTAM_SAME_TASK] > counts->with_task ||
        (counts->rules[DECONTAM_SEMANTIC] && !side->embedder.len))
        wrong(r, "rules");
    if (fields != decontam_flagged(counts) - counts->rules[DECONTAM_SAME_TASK])
        wrong(r, "by_field");
    if (counts->with_task > counts->rows)
        wrong(r, "rows_with_task");
    if (counts->unreadable > counts->rules[DECONTAM_CLEAN])
        wrong(r, "unreadable");
    read_shards(r, counts);
    read_examples(r, counts);
    if (counts->n_examples > decontam_flagged(counts))
        wrong(r, "examples");
}

/* ---- merging --------------------------------------------------------------------------------------- */

static bool same_side(const struct decontam_side *a, const struct decontam_side *b)
{
    struct buf texts[2] = {{0}, {0}};
    struct json_writer w;
    for (int i = 0; i < 2; i++) {
        json_write_start(&w, &texts[i], JSON_STYLE_COMPACT);
        json_write_object(&w);
        write_side(i ? b : a, &w);
    }
    bool same = span_equal(buf_span(&texts[0]), buf_span(&texts[1]));
    buf_free(&texts[0]);
    buf_free(&texts[1]);
    return same;
}

/* Merges two ascending lists of parts. false: two of them overlap. */
static bool join_shards(struct decontam_counts *to, const struct decontam_counts *from)
{
    size_t n = to->n_shards + from->n_shards, a = 0, b = 0;
    struct decontam_shard *all = mem_zero(n + 1, sizeof *all);
    bool apart = true;
    for (size_t i = 0; i < n; i++) {
        bool left = a < to->n_shards &&
                    (b == from->n_shards || to->shards[a].first <= from->shards[b].first);
        all[i] = left ? to->shards[a++] : from->shards[b++];
        apart = apart && (!i || all[i].first >= all[i - 1].first + all[i - 1].lines);
    }
    free(to->shards);
    to->shards = all;
    to->n_shards = n;
    to->cap_shards = n + 1;
    return apart;
}

/* Takes the examples of `from` over; the first ones of both stay. */
static void join_examples(struct decontam_counts *to, struct decontam_counts *from)
{
    size_t n = to->n_examples + from->n_examples, a = 0, b = 0;
    struct decontam_example *all = mem_zero(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++) {
        bool left = a < to->n_examples &&
                    (b == from->n_examples || to->examples[a].index <= from->examples[b].index);
        all[i] = left ? to->examples[a++] : from->examples[b++];
    }
    for (size_t i = DECONTAM_EXAMPLES; i < n; i++)
        buf_free(&all[i].json);
    free(to->examples);
    to->examples = all;
    to->n_examples = n < DECONTAM_EXAMPLES ? n : DECONTAM_EXAMPLES;
    to->cap_examples = n + 1;
    from->n_examples = 0;
}

static int add(struct decontam_counts *to, struct decontam_counts *from, size_t n_fields,
               struct error *error)
{
    if (!join_shards(to, from))
        return error_set(error, ERROR_INPUT,
                         "two summaries are of the same rows; give each part --index-base N, the "
                         "rows before it");
    if (to->rows + from->rows > (uint64_t)COUNT_MAX)
        return error_set(error, ERROR_INPUT, "over 2^53 rows; a summary is wrong");
    to->rows += from->rows;
    to->with_task += from->with_task;
    to->unreadable += from->unreadable;
    to->same_file |= from->same_file;
    for (size_t i = 0; i < DECONTAM_RULES; i++)
        to->rules[i] += from->rules[i];
    for (size_t i = 0; i < n_fields; i++)
        to->fields[i] += from->fields[i];
    join_examples(to, from);
    return 0;
}

int decontam_partial_merge(struct json_value partial, struct decontam_counts *counts,
                           struct decontam_side *side, struct error *error)
{
    struct reading r = {.object = partial, .error = error};
    struct decontam_side own = {0};
    struct decontam_counts part = {0};
    struct buf scratch = {0};
    struct json_value kind = {0};
    bool first = !side->fields;
    json_get(partial, SPAN("kind"), &kind);
    if (kind.type != JSON_VALUE_STRING || !span_is(json_text(kind, &scratch), "decontam"))
        wrong(&r, "kind");
    if (!r.failed && count_of(&r, "wai_partial") != 1)
        wrong(&r, "wai_partial");
    if (!r.failed)
        read_side(&r, &own);
    if (!r.failed)
        read_counts(&r, &own, &part);
    int code = r.failed ? ERROR_INPUT : 0;
    if (!code && !first && strcmp(own.holdout, side->holdout) != 0)
        code = error_set(error, ERROR_INPUT,
                         "this summary was made against another holdout than the ones before it");
    else if (!code && !first && !same_side(&own, side))
        code =
            error_set(error, ERROR_INPUT,
                      "this summary was made with other options than the ones before it (n-gram, "
                      "overlap, fields, tokens, embedder)");
    if (!code && first) {
        *side = own;
        own = (struct decontam_side){0};
        *counts = part;
        part = (struct decontam_counts){0};
    } else if (!code) {
        code = add(counts, &part, side->n_fields, error);
    }
    decontam_side_free(&own);
    decontam_counts_free(&part);
    buf_free(&scratch);
    return code;
}
