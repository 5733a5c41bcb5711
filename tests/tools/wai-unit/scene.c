/* scene.c: wai-unit's functions of hash vectors and of the choice of a batch (world 18), action shapes
 * (world 19), and the exactly rounded sum and the digest under them. */
#include <stdio.h>
#include <stdlib.h>

#include "scene/batch.h"
#include "scene/shapes.h"
#include "stat/sum.h"
#include "text/digest.h"
#include "unit.h"

struct texts {
    struct buf bytes;
    struct span *items;
    struct embedding *vectors;
    size_t count, cap;
};

static int read_texts(struct json_value in, struct texts *t, struct error *error)
{
    struct json_value list, item;
    size_t n = 0, at = 0;
    if (unit_get(in, "texts", &list, error) < 0)
        return ERROR_INPUT;
    t->cap = json_count(list) + 1;
    t->items = mem_zero(t->cap, sizeof *t->items);
    t->vectors = mem_zero(t->cap, sizeof *t->vectors);
    for (struct json_cursor c = json_enter(list); json_next_item(&c, &item); n++) {
        size_t before = t->bytes.len;
        json_text_add(item, &t->bytes);
        t->items[n].len = t->bytes.len - before;
    }
    t->count = n;
    for (size_t i = 0; i < n; at += t->items[i++].len) {
        t->items[i].ptr = t->bytes.data ? t->bytes.data + at : NULL;
        t->vectors[i] = embed_hash(t->items[i]);
    }
    return 0;
}

static void free_texts(struct texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        embedding_free(&t->vectors[i]);
    free(t->items);
    free(t->vectors);
    buf_free(&t->bytes);
}

static void write_vectors(const struct texts *t, struct json_writer *out)
{
    json_write_key(out, "vectors");
    json_write_array(out);
    for (size_t i = 0; i < t->count; i++) {
        json_write_object(out);
        for (size_t x = 0; x < t->vectors[i].count; x++) {
            char key[12];
            snprintf(key, sizeof key, "%u", (unsigned)t->vectors[i].at[x]);
            json_write_key(out, key);
            json_write_real(out, t->vectors[i].value[x]);
        }
        json_write_end_object(out);
    }
    json_write_end_array(out);
}

static void write_sizes(struct json_writer *out, const char *key, const size_t *items, size_t n)
{
    json_write_key(out, key);
    json_write_array(out);
    for (size_t i = 0; i < n; i++)
        json_write_int(out, (int64_t)items[i]);
    json_write_end_array(out);
}

static void write_named(struct json_writer *out, const char *key, const struct span *texts,
                        const size_t *items, size_t n)
{
    json_write_key(out, key);
    json_write_array(out);
    for (size_t i = 0; i < n; i++)
        json_write_span(out, texts[items[i]]);
    json_write_end_array(out);
}

static void write_batch(const struct batch *b, const struct batch_wish *wish,
                        struct json_writer *out)
{
    json_write_object(out);
    json_write_key(out, "round");
    json_write_int(out, wish->round);
    json_write_key(out, "selected");
    json_write_array(out);
    for (size_t i = 0; i < b->count; i++) {
        const struct batch_pick *p = &b->picks[i];
        json_write_object(out);
        json_write_key(out, "text");
        json_write_span(out, wish->texts[p->candidate]);
        json_write_key(out, "cluster");
        json_write_int(out, (int64_t)p->cluster);
        json_write_key(out, "novelty");
        json_write_real(out, p->novelty);
        json_write_key(out, "kind");
        json_write_text(out, p->reason == BATCH_TYPICAL ? "typical" : "fill");
        json_write_end_object(out);
    }
    json_write_end_array(out);
    json_write_key(out, "clusters");
    json_write_int(out, (int64_t)b->n_clusters);
    write_named(out, "concentrated", wish->texts, b->concentrated, b->n_concentrated);
    write_named(out, "sparse", wish->texts, b->sparse, b->n_sparse);
    json_write_end_object(out);
}

/* Rounds one after the other; what one took is in the archive of the next. */
static int write_batches(const struct texts *t, struct json_value in, struct json_writer *out,
                         struct error *error)
{
    int64_t need, seed, rounds;
    struct embedding *archive = NULL;
    size_t n = 0, cap = 0;
    if (unit_int(in, "batch_size", &need, error) < 0 || unit_int(in, "seed", &seed, error) < 0 ||
        unit_int(in, "rounds", &rounds, error) < 0)
        return ERROR_INPUT;
    json_write_key(out, "batches");
    json_write_array(out);
    for (int64_t r = 0; r < rounds; r++) {
        struct batch_wish wish = {.texts = t->items,
                                  .n_texts = t->count,
                                  .vectors = t->vectors,
                                  .size = EMBED_HASH_SIZE,
                                  .archive = archive,
                                  .n_archive = n,
                                  .need = (size_t)need,
                                  .round = r,
                                  .seed = seed};
        struct batch b;
        batch_choose(&b, &wish);
        write_batch(&b, &wish, out);
        archive = mem_grow(archive, &cap, n + b.count + 1, sizeof *archive);
        for (size_t i = 0; i < b.count; i++)
            archive[n++] = t->vectors[b.picks[i].candidate];
        batch_free(&b);
    }
    json_write_end_array(out);
    free(archive);
    return 0;
}

static int embed(struct json_value in, struct json_writer *out, struct error *error)
{
    struct texts t = {0};
    struct json_value means, batch;
    int64_t k, seed, iterations, far;
    int code = read_texts(in, &t, error);
    if (code < 0 || unit_get(in, "kmeans", &means, error) < 0 ||
        unit_get(in, "batch", &batch, error) < 0 || unit_int(means, "k", &k, error) < 0 ||
        unit_int(means, "seed", &seed, error) < 0 ||
        unit_int(means, "iterations", &iterations, error) < 0 ||
        unit_int(in, "select_diverse_k", &far, error) < 0) {
        free_texts(&t);
        return ERROR_INPUT;
    }
    size_t *numbers = mem_zero(t.count + 1, sizeof *numbers);
    json_write_object(out);
    write_vectors(&t, out);
    batch_cluster(t.vectors, t.count, EMBED_HASH_SIZE, (size_t)k, seed, (int)iterations, numbers);
    write_sizes(out, "kmeans_labels", numbers, t.count);
    size_t n = batch_spread(t.vectors, NULL, t.count, (size_t)far, numbers);
    write_sizes(out, "select_diverse", numbers, n);
    json_write_key(out, "novelty_of_last_against_first_three");
    json_write_real(
        out, embedding_novelty(&t.vectors[t.count - 1], t.vectors, t.count < 3 ? t.count : 3));
    code = write_batches(&t, batch, out, error);
    json_write_end_object(out);
    free(numbers);
    free_texts(&t);
    return code;
}

/* {"values": [...]}: the exactly rounded sum. */
static int fsum(struct json_value in, struct json_writer *out, struct error *error)
{
    double *values;
    size_t n;
    if (unit_reals(in, "values", &values, &n, error) < 0)
        return ERROR_INPUT;
    json_write_real(out, sum_exact(values, n));
    free(values);
    return 0;
}

/* {"in": TEXT, "n": BYTES}: the BLAKE2b digest in hexadecimal. */
static int blake2b(struct json_value in, struct json_writer *out, struct error *error)
{
    struct buf text = {0};
    int64_t n;
    uint8_t digest[64];
    char hex[2 * sizeof digest + 1];
    if (unit_text(in, "in", &text, error) < 0 || unit_int(in, "n", &n, error) < 0 || n < 1 ||
        n > (int64_t)sizeof digest) {
        buf_free(&text);
        return error->code ? error->code : error_set(error, ERROR_INPUT, "n is 1 to 64");
    }
    digest_blake2b(buf_span(&text), digest, (size_t)n);
    digest_hex(digest, (size_t)n, hex);
    json_write_text(out, hex);
    buf_free(&text);
    return 0;
}

static void write_key(const struct shape *shape, struct json_writer *out)
{
    struct buf key = {0};
    buf_format(&key, "%c|", shape->confirmed ? 'C' : 'U');
    buf_span_add(&key, shape->calls);
    json_write_span(out, buf_span(&key));
    buf_free(&key);
}

/* {"tools", "longest", "most", "rows"}: the keys of the shapes, and of each row its calls. */
static int shapes(struct json_value in, struct json_writer *out, struct error *error)
{
    struct json_value list, rows, item;
    struct row_tools tools = {0};
    struct shapes s;
    int64_t longest, most;
    if (unit_get(in, "tools", &list, error) < 0 || unit_get(in, "rows", &rows, error) < 0 ||
        unit_int(in, "longest", &longest, error) < 0 || unit_int(in, "most", &most, error) < 0)
        return ERROR_INPUT;
    row_tools_of(&tools, list);
    shapes_enumerate(&s, &tools, (size_t)longest, (size_t)most);
    json_write_object(out);
    json_write_key(out, "keys");
    json_write_array(out);
    for (size_t i = 0; i < s.count; i++)
        write_key(&s.items[i], out);
    json_write_end_array(out);
    json_write_key(out, "observed");
    json_write_array(out);
    struct json_members members = {0};
    struct buf calls = {0};
    for (struct json_cursor c = json_enter(rows); json_next_item(&c, &item);) {
        struct row row;
        struct json_fault fault;
        row_of_text(item.text, &row, &members, &fault);
        buf_clear(&calls);
        shape_of_row(&s, &tools, &row, &calls);
        json_write_span(out, buf_span(&calls));
    }
    json_write_end_array(out);
    json_write_end_object(out);
    buf_free(&calls);
    json_members_free(&members);
    shapes_free(&s);
    row_tools_free(&tools);
    return 0;
}

const struct unit_function UNIT_SCENE[] = {
    {"shapes", shapes}, {"embed", embed}, {"fsum", fsum}, {"blake2b", blake2b}, {0},
};
