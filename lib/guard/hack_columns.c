/* hack_columns.c: from the columns of the rows to measured features, and their conjunctions (guard 10.1,
 * steps 7 to 9, 11, 12). */
#include <math.h>
#include <stdlib.h>

#include "guard/hack_measure.h"

int hack_by_strength(const void *left, const void *right)
{
    const struct hack_strength *a = left, *b = right;
    if (a->strength != b->strength)
        return a->strength > b->strength ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/* ---- columns (steps 7, 8) -----------------------------------------------------------------------
 */

static uint64_t column_hash(const struct hack_measured *f)
{
    uint64_t hash = map_hash(span_make((const char *)f->rows, f->count * sizeof *f->rows));
    for (size_t i = 0; i < f->count && !f->binary; i++) {
        uint64_t bits;
        memcpy(&bits, &f->values[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    }
    return hash;
}

static bool same_column(const struct hack_measured *a, const struct hack_measured *b)
{
    if (a->count != b->count || a->binary != b->binary ||
        memcmp(a->rows, b->rows, a->count * sizeof *a->rows) != 0)
        return false;
    for (size_t i = 0; i < a->count && !a->binary; i++)
        if (a->values[i] != b->values[i])
            return false;
    return true;
}

static void add_alias(struct hack_measured *f, struct span name)
{
    f->aliases = mem_grow(f->aliases, &f->cap_aliases, f->n_aliases + 1, sizeof *f->aliases);
    f->aliases[f->n_aliases++] = name;
}

/* Takes a column in unless it is rare or says what an earlier one says. hashes: of those taken, by
 * a map from hash to the first with it; equal hashes of different columns are only tried, not
 * trusted. */
static void offer_column(struct hack_measuring *s, struct hack_measured f, struct map *hashes,
                         size_t *first)
{
    bool fresh;
    if (f.count < s->o->min_obs) {
        s->small = mem_grow(s->small, &s->cap_small, s->n_small + 1, sizeof *s->small);
        s->small[s->n_small++] = f;
        return;
    }
    f.binary = true;
    for (size_t i = 0; f.values && i < f.count; i++)
        f.binary = f.binary && f.values[i] == 1.0;
    uint64_t hash = column_hash(&f);
    size_t number = map_add(hashes, span_make((const char *)&hash, sizeof hash), &fresh);
    if (!fresh && same_column(&s->features[first[number]], &f)) {
        add_alias(&s->features[first[number]], f.name);
        return;
    }
    if (fresh)
        first[number] = s->n_features;
    s->features = mem_grow(s->features, &s->cap_features, s->n_features + 1, sizeof *s->features);
    s->features[s->n_features++] = f;
}

struct term {
    uint32_t number;
    uint32_t count;
    struct span text;
};

static int by_count(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return span_compare(a->text, b->text);
}

/* Row counts of all terms, by 2 * number + kind. */
static uint32_t *count_terms(const struct hack_measuring *s, size_t *n)
{
    const struct hack_rows *rows = s->rows;
    size_t most = rows->tokens.count > rows->pairs.count ? rows->tokens.count : rows->pairs.count;
    *n = 2 * most + 2;
    uint32_t *counts = mem_zero(*n, sizeof *counts);
    for (size_t i = 0; i < rows->n_terms; i++)
        counts[rows->terms[i]]++;
    return counts;
}

/* The vocabulary: terms of at least min_obs rows and not of all, the commonest first. */
static struct term *choose_terms(struct hack_measuring *s, size_t *n_terms)
{
    size_t n, kept = 0, cap = 0;
    uint32_t *counts = count_terms(s, &n);
    struct term *terms = NULL;
    struct buf text = {0};
    for (size_t i = 0; i < n; i++) {
        if (!counts[i] || counts[i] < s->o->min_obs || counts[i] >= s->n)
            continue;
        terms = mem_grow(terms, &cap, kept + 1, sizeof *terms);
        buf_clear(&text);
        hack_term_name(s->rows, (uint32_t)i, &text);
        terms[kept++] =
            (struct term){(uint32_t)i, counts[i], arena_span(s->arena, buf_span(&text))};
    }
    if (kept)
        qsort(terms, kept, sizeof *terms, by_count);
    *n_terms = kept < s->o->top_k ? kept : s->o->top_k;
    buf_free(&text);
    free(counts);
    return terms;
}

static void offer_terms(struct hack_measuring *s, struct map *hashes, size_t *first,
                        struct term *terms, size_t n)
{
    const struct hack_rows *rows = s->rows;
    size_t most = rows->tokens.count > rows->pairs.count ? rows->tokens.count : rows->pairs.count;
    uint32_t *place = mem_zero(2 * most + 2, sizeof *place); /* of a term, plus one */
    uint32_t **columns = mem_zero(n, sizeof *columns);
    size_t *fill = mem_zero(n, sizeof *fill);
    for (size_t i = 0; i < n; i++) {
        place[terms[i].number] = (uint32_t)i + 1;
        columns[i] = arena_alloc(s->arena, terms[i].count * sizeof **columns);
    }
    for (size_t row = 0, at = 0; row < s->n; row++)
        for (; at < rows->term_end[row]; at++) {
            uint32_t p = place[rows->terms[at]];
            if (p)
                columns[p - 1][fill[p - 1]++] = (uint32_t)row;
        }
    struct buf name = {0};
    for (size_t i = 0; i < n; i++) {
        buf_clear(&name);
        buf_text(&name, "contains:");
        buf_span_add(&name, terms[i].text);
        offer_column(s,
                     (struct hack_measured){.name = arena_span(s->arena, buf_span(&name)),
                                            .rows = columns[i],
                                            .count = terms[i].count},
                     hashes, first);
    }
    buf_free(&name);
    free(fill);
    free(columns);
    free(place);
}

/* Sums per group, zero between uses. */
struct spreads {
    double *squares, *sums;
    uint32_t *seen;
    bool *touched;
};

static struct spreads spreads_new(const struct hack_measuring *s)
{
    return (struct spreads){
        mem_zero(s->n_groups, sizeof(double)), mem_zero(s->n_groups, sizeof(double)),
        mem_zero(s->n_groups, sizeof(uint32_t)), mem_zero(s->n_groups, sizeof(bool))};
}

static void spreads_free(struct spreads *x)
{
    free(x->squares);
    free(x->sums);
    free(x->seen);
    free(x->touched);
}

/* Step 9. Sums over a group run over the feature's rows in order; groups join in the order of their
 * first row that has the feature. */
static void measure_spread(struct hack_measuring *s, struct hack_measured *f, struct spreads *x)
{
    double *squares = x->squares, *sums = x->sums;
    size_t n_seen = 0;
    double all_squares = 0.0, all = 0.0, within = 0.0, n = (double)s->n;
    for (size_t i = 0; i < f->count; i++) {
        size_t g = s->rows->group[f->rows[i]];
        double v = value_at(f, i);
        if (!x->touched[g])
            x->seen[n_seen++] = (uint32_t)g;
        x->touched[g] = true;
        squares[g] += v * v;
        sums[g] += v;
        all_squares += v * v;
        all += v;
    }
    for (size_t i = 0; i < n_seen; i++) {
        size_t g = x->seen[i];
        within += squares[g] - sums[g] * sums[g] / (double)s->size[g];
        squares[g] = sums[g] = 0.0;
        x->touched[g] = false;
    }
    f->sd_within = sqrt(within > 0.0 ? within / n : 0.0);
    double mean = all / n, pooled = all_squares / n - mean * mean;
    f->sd_pooled = sqrt(pooled > 0.0 ? pooled : 0.0);
}

/* Step 11. */
static void measure_rho(struct hack_measuring *s, struct hack_measured *f)
{
    double products = 0.0, rewards = 0.0, sum = 0.0, n = (double)s->n;
    for (size_t i = 0; i < f->count; i++) {
        double v = value_at(f, i);
        products += v * s->centred[f->rows[i]];
        rewards += v * s->rows->reward[f->rows[i]];
        sum += v;
    }
    f->rho =
        f->sd_within > 0.0 && s->within > 0.0 ? products / (n * f->sd_within * s->within) : 0.0;
    f->pooled = f->sd_pooled > 0.0 && s->overall > 0.0
                    ? (rewards / n - sum / n * s->overall_mean) / (f->sd_pooled * s->overall)
                    : 0.0;
}

void hack_collect(struct hack_measuring *s)
{
    size_t n_terms = 0;
    struct term *terms = s->o->automatic ? choose_terms(s, &n_terms) : NULL;
    struct map hashes = {0};
    size_t *first = mem_zero(s->rows->names.count + n_terms + 1, sizeof *first);
    for (size_t i = 0; i < s->rows->names.count; i++) {
        const struct hack_column *c = &s->rows->columns[i];
        offer_column(s,
                     (struct hack_measured){.name = s->rows->names.keys[i],
                                            .rows = c->rows,
                                            .values = c->values,
                                            .count = c->count},
                     &hashes, first);
    }
    offer_terms(s, &hashes, first, terms, n_terms);
    map_free(&hashes);
    free(first);
    free(terms);

    struct spreads x = spreads_new(s);
    size_t kept = 0;
    for (size_t i = 0; i < s->n_features; i++) {
        measure_spread(s, &s->features[i], &x);
        if (s->features[i].sd_pooled > 0.0) {
            measure_rho(s, &s->features[i]);
            s->features[kept++] = s->features[i];
        } else {
            free(s->features[i].aliases);
        }
    }
    s->n_features = kept;
    for (size_t i = 0; i < s->n_small; i++) {
        measure_spread(s, &s->small[i], &x);
        measure_rho(s, &s->small[i]);
    }
    spreads_free(&x);
}

/* ---- conjunctions (step 12) ---------------------------------------------------------------------
 */

static size_t common_rows(const struct hack_measured *a, const struct hack_measured *b,
                          uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->rows[i] == b->rows[j]) {
            out[n++] = a->rows[i];
            i++, j++;
        } else if (a->rows[i] < b->rows[j]) {
            i++;
        } else {
            j++;
        }
    }
    return n;
}

static void try_pair(struct hack_measuring *s, size_t a, size_t b, uint32_t *common,
                     struct spreads *x)
{
    const struct hack_measured *left = &s->features[a], *right = &s->features[b];
    size_t n = common_rows(left, right, common);
    if (n < s->o->min_obs || n >= left->count || n >= right->count)
        return;
    struct hack_measured f = {.rows = common, .count = n, .binary = true, .conjunction = true};
    double parents = fabs(left->rho) > fabs(right->rho) ? fabs(left->rho) : fabs(right->rho);
    f.parents[0] = a;
    f.parents[1] = b;
    measure_spread(s, &f, x);
    measure_rho(s, &f);
    if (!(f.sd_pooled > 0.0) || !(fabs(f.rho) > parents))
        return;
    struct buf name = {0};
    buf_span_add(&name, left->name);
    buf_text(&name, " AND ");
    buf_span_add(&name, right->name);
    uint32_t *rows = arena_alloc(s->arena, n * sizeof *rows);
    memcpy(rows, common, n * sizeof *rows);
    f.name = arena_span(s->arena, buf_span(&name));
    f.rows = rows;
    buf_free(&name);
    s->features = mem_grow(s->features, &s->cap_features, s->n_features + 1, sizeof *s->features);
    s->features[s->n_features++] = f;
}

void hack_conjunctions(struct hack_measuring *s)
{
    size_t n = 0;
    struct hack_strength *seeds = mem_zero(s->n_features, sizeof *seeds);
    for (size_t i = 0; i < s->n_features; i++)
        if (s->features[i].binary)
            seeds[n++] = (struct hack_strength){i, fabs(s->features[i].rho)};
    if (n)
        qsort(seeds, n, sizeof *seeds, hack_by_strength);
    n = n < s->o->seeds ? n : s->o->seeds;
    uint32_t *common = mem_zero(s->n, sizeof *common);
    struct spreads x = spreads_new(s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            try_pair(s, seeds[i].feature, seeds[j].feature, common, &x);
    spreads_free(&x);
    free(common);
    free(seeds);
}
