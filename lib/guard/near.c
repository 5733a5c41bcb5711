/* near.c: see near.h. */
#include "guard/near.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "guard/defaults.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"

/* A distinct word set: its words' ranks, rarest first, and how many texts have it. */
struct set {
    uint32_t *words;
    size_t count, texts;
    bool involved;
};

struct near {
    double threshold;
    struct set *sets;
    size_t n_sets;
    uint32_t *set_of; /* per text: its set, or UINT32_MAX without words */
    size_t n;
    struct arena arena;
};

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static bool next_word(struct span text, size_t *at, struct span *word)
{
    size_t start, end = *at;
    for (;; end++) {
        if (end == text.len)
            return false;
        char c = text.ptr[end];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            break;
    }
    for (start = end; end < text.len; end++) {
        char c = text.ptr[end];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            break;
    }
    *at = end;
    *word = span_slice(text, start, end);
    return true;
}

static size_t distinct(uint32_t *items, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(items, n, sizeof *items, by_number);
    for (size_t i = 0; i < n; i++)
        if (!i || items[i] != items[i - 1])
            items[kept++] = items[i];
    return kept;
}

/* Texts to word sets, equal ones folded into one. */
static void read_sets(struct near *x, const struct span *texts, struct map *words)
{
    struct map sets = {0};
    struct buf lower = {0};
    uint32_t *ids = NULL;
    size_t cap = 0, cap_sets = 0;
    for (size_t i = 0; i < x->n; i++) {
        struct span word;
        size_t n = 0;
        bool fresh;
        buf_clear(&lower);
        text_lower(texts[i], &lower);
        for (size_t at = 0; next_word(buf_span(&lower), &at, &word);) {
            ids = mem_grow(ids, &cap, n + 1, sizeof *ids);
            ids[n++] = (uint32_t)map_add(words, word, NULL);
        }
        n = distinct(ids, n);
        x->set_of[i] = UINT32_MAX;
        if (!n)
            continue;
        size_t set = map_add(&sets, span_make((const char *)ids, n * sizeof *ids), &fresh);
        x->set_of[i] = (uint32_t)set;
        if (fresh) {
            x->sets = mem_grow(x->sets, &cap_sets, set + 1, sizeof *x->sets);
            x->sets[set] =
                (struct set){.words = arena_alloc(&x->arena, n * sizeof *ids), .count = n};
            memcpy(x->sets[set].words, ids, n * sizeof *ids);
            x->n_sets++;
        }
        x->sets[set].texts++;
    }
    free(ids);
    buf_free(&lower);
    map_free(&sets);
}

struct frequency {
    uint32_t word, count;
};

static int by_count(const void *left, const void *right)
{
    const struct frequency *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->word > b->word) - (a->word < b->word);
}

/* Words by their rank, rarest first, in every set. */
static void rank_words(struct near *x, size_t n_words)
{
    struct frequency *all = mem_zero(n_words, sizeof *all);
    uint32_t *rank = mem_zero(n_words, sizeof *rank);
    for (size_t w = 0; w < n_words; w++)
        all[w].word = (uint32_t)w;
    for (size_t s = 0; s < x->n_sets; s++)
        for (size_t i = 0; i < x->sets[s].count; i++)
            all[x->sets[s].words[i]].count++;
    if (n_words)
        qsort(all, n_words, sizeof *all, by_count);
    for (size_t w = 0; w < n_words; w++)
        rank[all[w].word] = (uint32_t)w;
    for (size_t s = 0; s < x->n_sets; s++) {
        for (size_t i = 0; i < x->sets[s].count; i++)
            x->sets[s].words[i] = rank[x->sets[s].words[i]];
        qsort(x->sets[s].words, x->sets[s].count, sizeof *x->sets[s].words, by_number);
    }
    free(rank);
    free(all);
}

static double jaccard(const struct set *a, const struct set *b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        uint32_t left = a->words[i], right = b->words[j];
        common += left == right;
        i += left <= right;
        j += right <= left;
    }
    return (double)common / (double)(a->count + b->count - common);
}

struct posting {
    uint32_t *sets;
    size_t count, cap;
};

/* Numbers of the sets, smallest first; of one size in order. */
static uint32_t *order_sets(const struct near *x)
{
    size_t most = 0;
    for (size_t s = 0; s < x->n_sets; s++)
        most = x->sets[s].count > most ? x->sets[s].count : most;
    size_t *start = mem_zero(most + 2, sizeof *start);
    uint32_t *order = mem_zero(x->n_sets, sizeof *order);
    for (size_t s = 0; s < x->n_sets; s++)
        start[x->sets[s].count + 1]++;
    for (size_t c = 1; c <= most + 1; c++)
        start[c] += start[c - 1];
    for (size_t s = 0; s < x->n_sets; s++)
        order[start[x->sets[s].count]++] = (uint32_t)s;
    free(start);
    return order;
}

static void count_pair(struct set *a, struct set *b, struct near_report *r)
{
    r->n_pairs += (uint64_t)a->texts * b->texts;
    a->involved = b->involved = true;
}

/* Each set against the smaller ones before it that share a word of both prefixes. A pair that
 * reaches the threshold has so many words in common that it does (one word of slack for rounding).
 */
static void join(struct near *x, size_t n_words, struct near_report *r)
{
    struct posting *index = mem_zero(n_words, sizeof *index);
    uint32_t *order = order_sets(x), *tried = mem_zero(x->n_sets, sizeof *tried);
    for (size_t k = 0; k < x->n_sets; k++) {
        struct set *a = &x->sets[order[k]];
        double least = x->threshold * (double)a->count;
        size_t wanted = least > 1.0 ? (size_t)ceil(least - 1e-6) : 1;
        size_t prefix = wanted > a->count ? 0 : a->count - wanted + 1;
        for (size_t i = 0; i < prefix; i++) {
            struct posting *p = &index[a->words[i]];
            for (size_t m = 0; m < p->count; m++) {
                uint32_t other = p->sets[m];
                if (tried[other] == k + 1 || (double)x->sets[other].count < least - 1e-6)
                    continue;
                tried[other] = (uint32_t)k + 1;
                if (jaccard(a, &x->sets[other]) >= x->threshold)
                    count_pair(a, &x->sets[other], r);
            }
            p->sets = mem_grow(p->sets, &p->cap, p->count + 1, sizeof *p->sets);
            p->sets[p->count++] = order[k];
        }
    }
    for (size_t w = 0; w < n_words; w++)
        free(index[w].sets);
    free(tried);
    free(order);
    free(index);
}

/* Texts that are involved nearly always pair with a later one, so few rounds find the first pairs.
 */
static void find_examples(const struct near *x, struct near_report *r)
{
    for (size_t i = 0; i < x->n && r->n_examples < NEAR_EXAMPLES; i++) {
        if (x->set_of[i] == UINT32_MAX || !x->sets[x->set_of[i]].involved)
            continue;
        for (size_t j = i + 1; j < x->n && r->n_examples < NEAR_EXAMPLES; j++) {
            if (x->set_of[j] == UINT32_MAX || !x->sets[x->set_of[j]].involved)
                continue;
            double value = jaccard(&x->sets[x->set_of[i]], &x->sets[x->set_of[j]]);
            if (value > 0.0 && value >= x->threshold)
                r->examples[r->n_examples++] = (struct near_pair){i, j, value};
        }
    }
}

void near_measure(const struct span *texts, size_t n, double threshold, struct near_report *r)
{
    struct near x = {.threshold = threshold, .n = n, .set_of = mem_zero(n, sizeof *x.set_of)};
    struct map words = {0};
    *r = (struct near_report){.n_prompts = n, .threshold = threshold};
    read_sets(&x, texts, &words);
    rank_words(&x, words.count);
    join(&x, words.count, r);
    for (size_t s = 0; s < x.n_sets && threshold <= 1.0; s++)
        if (x.sets[s].texts > 1) {
            r->n_pairs += (uint64_t)x.sets[s].texts * (x.sets[s].texts - 1) / 2;
            x.sets[s].involved = true;
        }
    for (size_t s = 0; s < x.n_sets; s++)
        r->n_involved += x.sets[s].involved ? x.sets[s].texts : 0;
    find_examples(&x, r);
    free(x.set_of);
    free(x.sets);
    arena_free(&x.arena);
    map_free(&words);
}

void near_write(const struct near_report *r, const struct span *texts, struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "n_prompts", r->n_prompts);
    json_write_count(w, "n_pairs", r->n_pairs);
    json_write_count(w, "n_prompts_involved", r->n_involved);
    json_write_key(w, "threshold");
    json_write_real(w, r->threshold);
    json_write_key(w, "examples");
    json_write_array(w);
    for (size_t i = 0; i < r->n_examples; i++) {
        const struct near_pair *p = &r->examples[i];
        json_write_object(w);
        json_write_key(w, "a");
        json_write_span(w, utf8_head(texts[p->a], HYGIENE_ASK_SHOWN));
        json_write_key(w, "b");
        json_write_span(w, utf8_head(texts[p->b], HYGIENE_ASK_SHOWN));
        json_write_key(w, "jaccard");
        json_write_real(w, number_round(p->jaccard, 3));
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_end_object(w);
}
