/* trim.c: the first N rows of one fixed order, or the learning curve's verdict (select 9, rows 23). */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "rng/rng.h"
#include "row/conversation.h"
#include "row/value.h"
#include "select/curve.h"
#include "select/job.h"
#include "select/trim_order.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* The distinct word pairs of a row's prompt, and its words. */
struct features {
    uint32_t *pairs;
    size_t n, words;
};

struct trim {
    struct select_job *job;
    struct embedder_access access;          /* .embedder NULL: no vectors */
    const char *key;                        /* of the rows' own vectors, or NULL */
    struct arena arena;                     /* of said */
    struct span *said;                      /* texts of rows, with an embedder that reads texts */
    size_t cap_said, *lengths, cap_lengths; /* lengths: of replies, code points */
    struct embedding *vectors;
    size_t cap_vectors, width; /* width: numbers of a row's own vector */
    size_t bad;                /* row without a vector, + 1 */
    struct map texts, words, pairs;
    struct features *rows;
    size_t n, cap;
    size_t *of_words, cap_of_words; /* by row: number of its words in texts */
    size_t *unique, n_unique, *repeats, n_repeats;
    struct row_conversation conversation;
    struct buf prompt, text, lower, key_words, scratch;
};

/* What the test asks. */
struct trim_dev {
    struct embedding *vectors;
    size_t n, cap;
};

static void trim_free(struct trim *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->rows[i].pairs);
        if (t->vectors)
            embedding_free(&t->vectors[i]);
    }
    arena_free(&t->arena);
    free(t->said);
    free(t->lengths);
    free(t->vectors);
    free(t->of_words);
    struct buf *bufs[] = {&t->prompt, &t->text, &t->lower, &t->key_words, &t->scratch};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_free(bufs[i]);
    free(t->rows);
    free(t->unique);
    free(t->repeats);
    map_free(&t->texts);
    map_free(&t->words);
    map_free(&t->pairs);
    row_conversation_free(&t->conversation);
}

static bool next_word(struct span s, size_t *at, struct span *word)
{
    size_t start = 0, next;
    bool inside = false;
    for (size_t here = *at; here < s.len; here = next) {
        next = here;
        bool is = unicode_word(utf8_next(s, &next));
        if (is && !inside)
            start = here;
        if (!is && inside) {
            *at = here;
            *word = span_slice(s, start, here);
            return true;
        }
        inside = is;
    }
    *at = s.len;
    *word = inside ? span_slice(s, start, s.len) : (struct span){0};
    return inside;
}

static bool add_truthy(struct trim *t, const struct row *row, const char *key, struct buf *out)
{
    const struct json_value *value = row_get(row, span_text(key));
    if (!value || !json_truthy(*value))
        return false;
    buf_span_add(out, value_text(*value, &t->scratch));
    return true;
}

/* Own messages (or conversation), told by role; the last of the role alone, or all of them. */
static void add_messages(struct trim *t, const struct row *row, const char *role, bool last,
                         struct buf *out)
{
    const struct json_value *list = row_get(row, SPAN("messages"));
    if (!list || list->type != JSON_VALUE_ARRAY || !json_truthy(*list))
        list = row_get(row, SPAN("conversation"));
    size_t start = out->len;
    struct json_cursor c =
        list && list->type == JSON_VALUE_ARRAY ? json_enter(*list) : (struct json_cursor){0};
    struct json_value message, value;
    while (json_next_item(&c, &message)) {
        if (!json_get(message, SPAN("role"), &value) || value.type != JSON_VALUE_STRING ||
            !span_is(json_text(value, &t->scratch), role) ||
            !json_get(message, SPAN("content"), &value) || value.type != JSON_VALUE_STRING)
            continue;
        if (last)
            out->len = start;
        else if (out->len > start)
            buf_byte(out, ' ');
        buf_span_add(out, json_text(value, &t->scratch));
    }
}

static void read_texts(struct trim *t, const struct row *row)
{
    buf_clear(&t->prompt);
    if (!add_truthy(t, row, "prompt", &t->prompt))
        add_messages(t, row, "user", false, &t->prompt);
    buf_clear(&t->text);
    buf_span_add(&t->text, buf_span(&t->prompt));
    buf_byte(&t->text, '\n');
    if (add_truthy(t, row, "response", &t->text) || add_truthy(t, row, "completion", &t->text) ||
        add_truthy(t, row, "answer", &t->text))
        return;
    size_t start = t->text.len;
    add_messages(t, row, "assistant", true, &t->text);
    if (t->text.len == start)
        add_truthy(t, row, "final_text", &t->text);
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Pairs of neighbouring words of the prompt; of a single word, that word. */
static struct features read_features(struct trim *t)
{
    struct features f = {0};
    struct span word;
    uint32_t pair[2] = {UINT32_MAX, UINT32_MAX};
    size_t cap = 0, kept = 0;
    buf_clear(&t->lower);
    text_lower(buf_span(&t->prompt), &t->lower);
    for (size_t at = 0; next_word(buf_span(&t->lower), &at, &word); f.words++) {
        pair[0] = pair[1];
        pair[1] = (uint32_t)map_add(&t->words, word, NULL);
        if (!f.words)
            continue;
        f.pairs = mem_grow(f.pairs, &cap, f.n + 1, sizeof *f.pairs);
        f.pairs[f.n++] =
            (uint32_t)map_add(&t->pairs, span_make((const char *)pair, sizeof pair), NULL);
    }
    if (f.words == 1) {
        f.pairs = mem_grow(f.pairs, &cap, 1, sizeof *f.pairs);
        f.pairs[f.n++] =
            (uint32_t)map_add(&t->pairs, span_make((const char *)pair, sizeof pair), NULL);
    }
    if (f.n)
        qsort(f.pairs, f.n, sizeof *f.pairs, by_number);
    for (size_t i = 0; i < f.n; i++)
        if (!i || f.pairs[i] != f.pairs[i - 1])
            f.pairs[kept++] = f.pairs[i];
    f.n = kept;
    return f;
}

/* The row's own vector (key:KEY). */
static bool own_vector(struct trim *t, const struct row *row, struct embedding *out)
{
    const struct json_value *value = row_get(row, span_text(t->key));
    size_t width;
    if (!value || !embedding_read(*value, out, &width))
        return false;
    if (t->width && width != t->width) {
        embedding_free(out);
        return false;
    }
    t->width = width;
    return true;
}

/* What an order by vectors needs of the row. */
static void keep_vector(struct trim *t, const struct row *row)
{
    size_t head = t->prompt.len + 1; /* "prompt\n" */
    t->lengths = mem_grow(t->lengths, &t->cap_lengths, t->n + 1, sizeof *t->lengths);
    t->lengths[t->n] = utf8_length(span_slice(buf_span(&t->text), head, t->text.len));
    t->vectors = mem_grow(t->vectors, &t->cap_vectors, t->n + 1, sizeof *t->vectors);
    t->vectors[t->n] = (struct embedding){0};
    if (t->key) {
        if (!own_vector(t, row, &t->vectors[t->n]) && !t->bad)
            t->bad = t->n + 1;
        return;
    }
    t->said = mem_grow(t->said, &t->cap_said, t->n + 1, sizeof *t->said);
    t->said[t->n] = arena_span(&t->arena, buf_span(&t->text));
}

static bool take_row(void *data, const struct row *row)
{
    struct trim *t = data;
    struct span word;
    read_texts(t, row);
    buf_clear(&t->lower);
    text_lower(buf_span(&t->text), &t->lower);
    buf_clear(&t->key_words);
    for (size_t at = 0; next_word(buf_span(&t->lower), &at, &word);) {
        buf_byte(&t->key_words, ' ');
        buf_span_add(&t->key_words, word);
    }
    t->of_words = mem_grow(t->of_words, &t->cap_of_words, t->n + 1, sizeof *t->of_words);
    t->of_words[t->n] = map_add(&t->texts, buf_span(&t->key_words), NULL);
    if (t->access.embedder)
        keep_vector(t, row);
    t->rows = mem_grow(t->rows, &t->cap, t->n + 1, sizeof *t->rows);
    t->rows[t->n++] = read_features(t);
    return true;
}

/* ---- vectors ------------------------------------------------------------------------------------
 */

/* A line of --dev: a row, or a text in quotes. */
static int take_dev(struct trim *t, struct trim_dev *dev, const struct row *row,
                    struct error *error)
{
    bool text = row->value.type == JSON_VALUE_STRING;
    dev->vectors = mem_grow(dev->vectors, &dev->cap, dev->n + 1, sizeof *dev->vectors);
    dev->vectors[dev->n] = (struct embedding){0};
    if (t->key) {
        if (text || !own_vector(t, row, &dev->vectors[dev->n]))
            return error_set(error, ERROR_INPUT,
                             "%s:%llu: %s is no vector of the size that the rows have", row->file,
                             (unsigned long long)row->line_number, t->key);
        dev->n++;
        return 0;
    }
    if (!text)
        read_texts(t, row);
    struct span said = text ? json_text(row->value, &t->scratch) : buf_span(&t->text);
    int code = embedder_embed(t->access.embedder, &said, 1, &dev->vectors[dev->n], error);
    dev->n += code == 0;
    return code;
}

static int read_dev(struct trim *t, struct trim_dev *dev, struct error *error)
{
    const char *path = t->job->q->dev;
    struct row_source source = {.paths = &path,
                                .n_paths = 1,
                                .options = {.on_bad = "stop", .max_line = ROW_MAX_LINE_DEFAULT},
                                .any_value = true};
    struct row_reader *reader = row_reader_open(&source, error);
    struct row row;
    int got = 0;
    if (!reader)
        return error->code;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        if (row.value.type != JSON_VALUE_STRING && row.value.type != JSON_VALUE_OBJECT)
            got = error_set(error, ERROR_INPUT, "%s:%llu: neither a row nor a text in quotes",
                            row.file, (unsigned long long)row.line_number);
        else
            got = take_dev(t, dev, &row, error);
        if (got < 0)
            break;
    }
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    if (!got && !closed && !dev->n)
        return error_set(error, ERROR_INPUT, "%s: no row; --by target needs what the test asks",
                         path);
    return got < 0 ? got : closed;
}

/* Which rows say something new: by their words, and by their vectors when there are any. */
static int sort_out(struct trim *t, struct error *error)
{
    int code = 0;
    if (t->bad)
        return error_set(error, ERROR_INPUT,
                         "row %zu: %s is no list of numbers as long as the others'; embed the rows "
                         "again, or leave it out",
                         t->bad, t->key);
    if (t->access.embedder && !t->key && t->n)
        code = embedder_embed(t->access.embedder, t->said, t->n, t->vectors, error);
    if (code)
        return code;
    bool *repeats = mem_zero(t->n + 1, sizeof *repeats);
    trim_mark_repeats(t->of_words, t->access.embedder ? t->vectors : NULL, t->n, repeats);
    t->unique = mem_zero(t->n + 1, sizeof *t->unique);
    t->repeats = mem_zero(t->n + 1, sizeof *t->repeats);
    for (size_t i = 0; i < t->n; i++)
        if (repeats[i])
            t->repeats[t->n_repeats++] = i;
        else
            t->unique[t->n_unique++] = i;
    free(repeats);
    return 0;
}

/* ---- orders -------------------------------------------------------------------------------------
 */

struct entry {
    double gain; /* new pairs a word, as it was when last looked at */
    size_t row;
};

static bool before(struct entry a, struct entry b)
{
    return a.gain > b.gain || (a.gain == b.gain && a.row < b.row);
}

static void sift_down(struct entry *heap, size_t n, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], heap[at]))
            return;
        struct entry swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

/* Greedy cover of word pairs per word, looked at again only when a row comes to the top: gains only
 * fall (Minoux 1978). */
static void order_bigram(struct trim *t, size_t *out)
{
    struct entry *heap = mem_zero(t->n_unique, sizeof *heap);
    bool *covered = mem_zero(t->pairs.count, sizeof *covered);
    size_t n = t->n_unique, taken = 0;
    for (size_t i = 0; i < n; i++) {
        const struct features *f = &t->rows[t->unique[i]];
        heap[i] = (struct entry){(double)f->n / (double)(f->words ? f->words : 1), t->unique[i]};
    }
    for (size_t i = n / 2; i-- > 0;)
        sift_down(heap, n, i);
    while (n) {
        struct entry top = heap[0];
        const struct features *f = &t->rows[top.row];
        size_t fresh = 0;
        for (size_t i = 0; i < f->n; i++)
            fresh += !covered[f->pairs[i]];
        double gain = (double)fresh / (double)(f->words ? f->words : 1);
        heap[0] = heap[--n];
        sift_down(heap, n, 0);
        struct entry again = {gain, top.row};
        if (gain < top.gain && n && before(heap[0], again)) {
            heap[n] = again;
            for (size_t at = n++; at && before(heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
                struct entry swap = heap[at];
                heap[at] = heap[(at - 1) / 2];
                heap[(at - 1) / 2] = swap;
            }
            continue;
        }
        out[taken++] = top.row;
        for (size_t i = 0; i < f->n; i++)
            covered[f->pairs[i]] = true;
    }
    free(covered);
    free(heap);
}

/* The whole order: rows that say something new, then those that repeat. */
static int order_rows(struct trim *t, size_t *order, struct error *error)
{
    const char *by = t->job->q->by;
    struct rng rng;
    struct trim_dev dev = {0};
    int code = 0;
    rng_seed_decimal(&rng, t->job->q->seed);
    if (t->n_unique)
        memcpy(order, t->unique, t->n_unique * sizeof *order);
    if (strcmp(by, "bigram") == 0)
        order_bigram(t, order);
    else if (strcmp(by, "diverse") == 0)
        trim_order_diverse(t->vectors, t->lengths, &rng, order, t->n_unique);
    else if (strcmp(by, "random") == 0)
        rng_shuffle(&rng, order, t->n_unique, sizeof *order);
    else if ((code = read_dev(t, &dev, error)) == 0)
        trim_order_target(t->vectors, dev.vectors, dev.n, order, t->n_unique);
    if (t->n_repeats)
        memcpy(order + t->n_unique, t->repeats, t->n_repeats * sizeof *order);
    for (size_t i = 0; i < dev.n; i++)
        embedding_free(&dev.vectors[i]);
    free(dev.vectors);
    return code;
}

/* ---- the mode -----------------------------------------------------------------------------------
 */

/* Sizes worth training on: first, first * growth, … and all rows. */
static void list_sizes(const struct select_request *q, size_t rows, struct json_writer *w,
                       struct buf *text)
{
    double n = fmin((double)q->first, (double)rows);
    json_write_key(w, "sizes");
    json_write_array(w);
    for (; number_round_even(n) < (double)rows; n *= q->growth) {
        json_write_int(w, (int64_t)number_round_even(n));
        buf_format(text, "%.0f\n", number_round_even(n));
    }
    json_write_int(w, (int64_t)rows);
    buf_format(text, "%zu\n", rows);
    json_write_end_array(w);
}

static int write_order(struct trim *t, const size_t *order, size_t keep, struct error *error)
{
    struct select_picked picked = {0};
    struct buf lines = {0};
    int code;
    for (size_t i = 0; i < keep; i++) {
        select_picked_add(&picked, order[i]);
        buf_format(&lines, "%zu\n", order[i]);
    }
    code = t->job->q->index_order ? job_write_lines(t->job, buf_span(&lines), error)
                                  : job_write(t->job, &picked, NULL, NULL, error);
    select_picked_free(&picked);
    buf_free(&lines);
    return code;
}

static int trim_rows(struct select_job *job, const struct curve_report *curve,
                     struct json_writer *w, struct error *error)
{
    struct trim t = {.job = job};
    const struct select_request *q = job->q;
    int code = embedder_access_open(&t.access, &q->embedder, error);
    if (!code && t.access.embedder)
        t.key = embedder_key(t.access.embedder);
    if (!code)
        code = job_read(job, false, take_row, &t, error);
    if (!code)
        code = sort_out(&t, error);
    size_t *order = mem_zero(t.n + 1, sizeof *order), keep = t.n;
    if (!code)
        code = order_rows(&t, order, error);
    if (!code) {
        if (q->trim_given && (size_t)q->trim < keep)
            keep = (size_t)q->trim;
        else if (curve && !curve->keep_all && ceil(curve->n_star) < (double)keep)
            keep = (size_t)ceil(curve->n_star);
        json_write_count(w, "n_before_trim", t.n);
        json_write_count(w, "n_duplicates", t.n_repeats);
        json_write_count(w, "n_kept", keep);
        job_text(w, "trim_order", q->by);
        if (t.access.embedder)
            job_text(w, "embedder", embedder_name(t.access.embedder));
        if (q->sizes)
            list_sizes(q, t.n, w, &job->out->text);
        else
            code = write_order(&t, order, keep, error);
        buf_format(&job->out->notes, "%zu of %zu rows kept, order %s; %zu repeat another\n", keep,
                   t.n, q->by, t.n_repeats);
        if (t.access.embedder && embedder_fell_back(t.access.embedder))
            buf_text(&job->out->notes,
                     "the embedding service did not answer: hash vectors stood in for it\n");
    }
    int closed = embedder_access_close(&t.access, code ? NULL : error);
    free(order);
    trim_free(&t);
    return code ? code : closed;
}

static int check(const struct select_request *q, struct error *error)
{
    if (q->trim_given && q->trim < 1)
        return error_set(error, ERROR_USAGE, "--trim %lld: 1 or more is wanted",
                         (long long)q->trim);
    bool target = strcmp(q->by, "target") == 0;
    if ((target || strcmp(q->by, "diverse") == 0) && !q->embedder.spec)
        return error_set(error, ERROR_USAGE, "--by %s compares vectors: --embedder SPEC is missing",
                         q->by);
    if (target != (q->dev != NULL))
        return error_set(error, ERROR_USAGE,
                         target ? "--by target needs --dev FILE, what the test asks"
                                : "--dev goes with --by target");
    if (!(q->growth > 1.0))
        return error_set(error, ERROR_USAGE, "--growth %g: a number over 1 is wanted", q->growth);
    if (!(q->min_gain > 0.0))
        return error_set(error, ERROR_USAGE, "--min-gain %g: a number over 0 is wanted",
                         q->min_gain);
    return job_seed_check(q->seed, error);
}

bool select_trim_writes_rows(const struct select_request *q)
{
    return !q->curve && !q->sizes;
}

int select_mode_trim(struct select_job *job, struct error *error)
{
    const struct select_request *q = job->q;
    struct curve_report curve;
    struct json_writer w;
    bool rows = !q->curve || job->operands->count > 0;
    int code = check(q, error);
    if (code)
        return code;
    job_open_report(job, &w);
    if (q->curve) {
        struct curve_options o = {.min_gain = q->min_gain,
                                  .draws = (size_t)q->draws,
                                  .seed = q->seed,
                                  .base = q->base_given ? q->base : NAN};
        code = curve_measure(q->curve, &o, &curve, error);
        if (!code && rows) {
            json_write_key(&w, "trim");
            json_write_object(&w);
        }
        if (!code)
            curve_write(&curve, &w);
        if (!code && rows)
            json_write_end_object(&w);
        if (!code)
            curve_text(&curve, rows ? &job->out->notes : &job->out->text);
    }
    if (!code && rows)
        code = trim_rows(job, q->curve ? &curve : NULL, &w, error);
    json_write_end_object(&w);
    if (q->curve)
        curve_free(&curve);
    return code;
}
