/* embed.c: see embed.h. */
#include "model/embed.h"

#include <math.h>
#include <stdlib.h>

#include "stat/sum.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

static bool is_letter(uint32_t c)
{
    return c >= 'a' && c <= 'z';
}

void embed_tokens(struct span text, void (*each)(void *data, struct span token), void *data)
{
    struct buf lower = {0};
    text_lower(text, &lower);
    struct span s = buf_span(&lower);
    size_t at = 0, next = 0;
    while (at < s.len) {
        uint32_t c = utf8_next(s, &next);
        bool letter = is_letter(c);
        if (!letter && !unicode_digit(c)) {
            at = next;
            continue;
        }
        size_t end = next;
        while (end < s.len) {
            size_t behind = end;
            c = utf8_next(s, &behind);
            if (letter ? !is_letter(c) : !unicode_digit(c))
                break;
            end = behind;
        }
        each(data, letter ? span_slice(s, at, end) : SPAN("<num>"));
        at = next = end;
    }
    buf_free(&lower);
}

/* ---- counting -------------------------------------------------------------------------------- */

struct counting {
    double buckets[EMBED_HASH_SIZE];
    struct buf feature, before; /* the token before this one */
    bool has_before;
};

static void count(struct counting *c)
{
    uint8_t digest[8]; /* its last byte is the value modulo 256 */
    digest_blake2b(buf_span(&c->feature), digest, sizeof digest);
    c->buckets[digest[7]]++;
}

static void count_token(void *data, struct span token)
{
    struct counting *c = data;
    buf_clear(&c->feature);
    buf_text(&c->feature, "w:");
    buf_span_add(&c->feature, token);
    count(c);
    if (c->has_before) {
        buf_clear(&c->feature);
        buf_text(&c->feature, "b:");
        buf_span_add(&c->feature, buf_span(&c->before));
        buf_byte(&c->feature, '>');
        buf_span_add(&c->feature, token);
        count(c);
    }
    buf_clear(&c->before);
    buf_span_add(&c->before, token);
    c->has_before = true;
}

struct embedding embed_hash(struct span text)
{
    struct counting c = {0};
    struct embedding e = {0};
    struct exact_sum squares = {0};
    embed_tokens(text, count_token, &c);
    for (int i = 0; i < EMBED_HASH_SIZE; i++) {
        e.count += c.buckets[i] != 0;
        sum_add(&squares, c.buckets[i] * c.buckets[i]);
    }
    double norm = sqrt(sum_value(&squares));
    e.at = mem_alloc((e.count + 1) * sizeof *e.at);
    e.value = mem_alloc((e.count + 1) * sizeof *e.value);
    size_t n = 0;
    for (int i = 0; i < EMBED_HASH_SIZE; i++)
        if (c.buckets[i] != 0) {
            e.at[n] = (uint32_t)i;
            e.value[n++] = c.buckets[i] / norm;
        }
    e.norm = sqrt(embedding_dot(&e, &e));
    buf_free(&c.feature);
    buf_free(&c.before);
    return e;
}

void embedding_free(struct embedding *e)
{
    free(e->at);
    free(e->value);
    *e = (struct embedding){0};
}

/* ---- comparing ------------------------------------------------------------------------------- */

double embedding_dot(const struct embedding *a, const struct embedding *b)
{
    struct exact_sum sum = {0};
    for (size_t i = 0, j = 0; i < a->count && j < b->count;)
        if (a->at[i] < b->at[j])
            i++;
        else if (a->at[i] > b->at[j])
            j++;
        else
            sum_add(&sum, a->value[i++] * b->value[j++]);
    return sum_value(&sum);
}

double embedding_dot_plain(const struct embedding *a, const struct embedding *b)
{
    double sum = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;)
        if (a->at[i] < b->at[j])
            i++;
        else if (a->at[i] > b->at[j])
            j++;
        else
            sum += a->value[i++] * b->value[j++];
    return sum;
}

double embedding_cosine(const struct embedding *a, const struct embedding *b)
{
    return a->norm == 0 || b->norm == 0 ? 0 : embedding_dot(a, b) / (a->norm * b->norm);
}

double embedding_novelty(const struct embedding *v, const struct embedding *archive, size_t n)
{
    double least = 1;
    for (size_t i = 0; i < n; i++) {
        double far = 1 - embedding_cosine(v, &archive[i]);
        if (far < least)
            least = far > 0 ? far : 0;
    }
    return least;
}
