/* sft.c: rejection sampling (select 2): the passing rows, one a prompt or the best overall, dealt
 * in turn over behaviour signatures so that a common behaviour does not crowd out the rare ones. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "rng/rng.h"
#include "row/value.h"
#include "select/defaults.h"
#include "select/select.h"
#include "text/number.h"

const char *const SFT_RULE_NAMES[] = {"top_per_prompt", "random_per_prompt", "top_k_overall",
                                      "random_k_overall"};

/* A candidate with what it is sorted by. */
struct candidate {
    size_t row;
    uint32_t bucket;
    double scalar;
    char stable[SELECT_STABLE_MAX];
};

struct candidates {
    struct candidate *items;
    size_t count, cap;
};

static struct candidate *candidate_add(struct candidates *c, size_t row)
{
    c->items = mem_grow(c->items, &c->cap, c->count + 1, sizeof *c->items);
    struct candidate *item = &c->items[c->count++];
    *item = (struct candidate){.row = row};
    return item;
}

/* Best reward first, then by the stable text, then in row order. */
static int by_reward(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->scalar != b->scalar)
        return a->scalar > b->scalar ? -1 : 1;
    int order = strcmp(a->stable, b->stable);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_stable(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = strcmp(a->stable, b->stable);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static void stable_of(const struct select_facts *facts, struct candidate *c,
                      const struct map *texts, uint32_t text)
{
    uint32_t signature = facts->items[c->row].signature;
    select_stable(texts->keys[text], facts->signatures.keys[signature], c->stable);
}

/* Steps 1 and 2: what is eligible at all. */
static void sift(const struct select_facts *facts, const struct sft_options *o,
                 struct sft_result *r, struct candidates *out)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct select_fact *f = &facts->items[i];
        r->n_checked += (f->flags & SELECT_CHECKED) != 0;
        bool long_cut = (f->flags & SELECT_LONG) && !(f->flags & SELECT_OVERLONG);
        if (f->flags & SELECT_LEAKED) {
            r->n_leaks++;
        } else if (isnan(f->scalar) || f->scalar < o->min_reward) {
            r->n_not_pass++;
            r->n_unjudged += isnan(f->scalar);
        } else if ((f->flags & SELECT_JUNK) || long_cut) {
            r->n_junk++;
        } else {
            candidate_add(out, i)->scalar = f->scalar;
        }
    }
}

static void overall(const struct select_facts *facts, const struct sft_options *o, struct rng *rng,
                    struct candidates *c)
{
    if (o->rule == SFT_RANDOM_OVERALL) {
        rng_shuffle(rng, c->items, c->count, sizeof *c->items);
    } else {
        for (size_t i = 0; i < c->count; i++)
            stable_of(facts, &c->items[i], &facts->prompts, facts->items[c->items[i].row].prompt);
        if (c->count)
            qsort(c->items, c->count, sizeof *c->items, by_reward);
    }
}

/* One candidate a prompt, prompts in first-seen order. */
static void per_prompt(const struct select_facts *facts, const struct sft_options *o,
                       struct rng *rng, struct candidates *c)
{
    size_t n_prompts = facts->folded.count, n_groups = 0;
    size_t *sizes = mem_zero(n_prompts, sizeof *sizes),
           *starts = mem_zero(n_prompts, sizeof *starts);
    uint32_t *order = mem_alloc(n_prompts * sizeof *order);
    for (size_t i = 0; i < c->count; i++) {
        uint32_t prompt = facts->items[c->items[i].row].folded;
        if (!sizes[prompt]++)
            order[n_groups++] = prompt;
    }
    for (size_t g = 0, at = 0; g < n_groups; g++) {
        starts[order[g]] = at;
        at += sizes[order[g]];
        sizes[order[g]] = 0;
    }
    struct candidate *grouped = mem_alloc(c->count * sizeof *grouped);
    for (size_t i = 0; i < c->count; i++) {
        uint32_t prompt = facts->items[c->items[i].row].folded;
        grouped[starts[prompt] + sizes[prompt]++] = c->items[i];
    }
    for (size_t g = 0; g < n_groups; g++) {
        uint32_t prompt = order[g];
        struct candidate *group = grouped + starts[prompt];
        size_t pick = 0;
        if (o->rule == SFT_RANDOM_PER_PROMPT) {
            pick = (size_t)rng_below(rng, sizes[prompt]);
        } else {
            for (size_t i = 0; i < sizes[prompt]; i++) {
                stable_of(facts, &group[i], &facts->folded, prompt);
                if (by_reward(&group[i], &group[pick]) < 0)
                    pick = i;
            }
        }
        c->items[g] = group[pick];
    }
    c->count = n_groups;
    free(grouped);
    free(order);
    free(starts);
    free(sizes);
}

struct bucket {
    uint32_t signature;
    struct span text;
    struct candidates rows;
};

/* Large buckets first, then by signature. */
static int by_size(const void *left, const void *right)
{
    const struct bucket *a = left, *b = right;
    if (a->rows.count != b->rows.count)
        return a->rows.count > b->rows.count ? -1 : 1;
    return span_compare(a->text, b->text);
}

/* The overall rules: the first k, as they stand. */
static void take_first(const struct select_facts *facts, const struct sft_options *o,
                       const struct candidates *eligible, struct sft_result *r)
{
    size_t limit = o->k ? o->k : o->target;
    bool *seen = mem_zero(facts->signatures.count, sizeof *seen);
    size_t *used = mem_zero(facts->quotas.count, sizeof *used);
    for (size_t i = 0; i < eligible->count; i++) {
        uint32_t signature = facts->items[eligible->items[i].row].signature;
        r->unique_behaviors += !seen[signature];
        seen[signature] = true;
        if (i < limit &&
            !select_quota_take(&o->quota, used, &facts->items[eligible->items[i].row])) {
            r->passed_over++;
        } else if (i < limit) {
            select_picked_add(&r->picked, eligible->items[i].row);
            r->behaviors_covered = r->unique_behaviors;
        }
    }
    free(used);
    free(seen);
}

/* Step 5: one row from each behaviour in turn. */
static void deal(const struct select_facts *facts, const struct sft_options *o,
                 struct candidates *eligible, struct sft_result *r)
{
    size_t n_signatures = facts->signatures.count, n_buckets = 0;
    struct bucket *buckets = mem_zero(n_signatures, sizeof *buckets);
    size_t *of_signature = mem_zero(n_signatures, sizeof *of_signature);
    for (size_t i = 0; i < eligible->count; i++) {
        const struct select_fact *f = &facts->items[eligible->items[i].row];
        if (!of_signature[f->signature]) {
            buckets[n_buckets] = (struct bucket){.signature = f->signature,
                                                 .text = facts->signatures.keys[f->signature]};
            of_signature[f->signature] = ++n_buckets;
        }
        struct candidates *rows = &buckets[of_signature[f->signature] - 1].rows;
        struct candidate *c = candidate_add(rows, eligible->items[i].row);
        stable_of(facts, c, &facts->prompts, f->prompt);
    }
    /* Equal stable texts keep the order in which the eligible rows stand. */
    for (size_t b = 0; b < n_buckets; b++)
        qsort(buckets[b].rows.items, buckets[b].rows.count, sizeof *buckets[b].rows.items,
              by_stable);
    if (n_buckets)
        qsort(buckets, n_buckets, sizeof *buckets, by_size);
    r->unique_behaviors = n_buckets;
    size_t *used = mem_zero(facts->quotas.count, sizeof *used);
    bool *covered = mem_zero(n_buckets, sizeof *covered);
    for (size_t round = 0, took = 1; took && r->picked.count < o->target; round++) {
        took = 0;
        for (size_t b = 0; b < n_buckets && r->picked.count < o->target; b++) {
            if (round >= buckets[b].rows.count)
                continue;
            took = 1;
            size_t row = buckets[b].rows.items[round].row;
            if (!select_quota_take(&o->quota, used, &facts->items[row])) {
                r->passed_over++;
                continue;
            }
            select_picked_add(&r->picked, row);
            r->behaviors_covered += !covered[b];
            covered[b] = true;
        }
    }
    free(covered);
    free(used);
    for (size_t b = 0; b < n_buckets; b++)
        free(buckets[b].rows.items);
    free(buckets);
    free(of_signature);
}

static int by_count(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* How many completions each prompt had to pick from, over all rows that came in. */
static void completions(const struct select_facts *facts, struct sft_result *r)
{
    size_t n = facts->folded.count;
    r->n_prompts = n;
    if (!n)
        return;
    size_t *sizes = mem_zero(n, sizeof *sizes);
    for (size_t i = 0; i < facts->count; i++)
        sizes[facts->items[i].folded]++;
    qsort(sizes, n, sizeof *sizes, by_count);
    r->per_prompt_max = sizes[n - 1];
    r->per_prompt_median = sizes[n / 2];
    r->per_prompt_mean = (double)facts->count / (double)n;
    while (r->n_single_prompts < n && sizes[r->n_single_prompts] <= 1)
        r->n_single_prompts++;
    free(sizes);
}

static double mean_of(const struct select_facts *facts, const size_t *rows, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += facts->items[rows[i]].scalar;
    return count ? sum / (double)count : NAN;
}

void select_sft(const struct select_facts *facts, const struct sft_options *o, struct sft_result *r)
{
    *r = (struct sft_result){.n = facts->count};
    struct candidates eligible = {0};
    struct rng rng;
    rng_seed_decimal(&rng, o->seed);
    sift(facts, o, r, &eligible);
    bool over_all = o->rule == SFT_TOP_OVERALL || o->rule == SFT_RANDOM_OVERALL;
    if (over_all)
        overall(facts, o, &rng, &eligible);
    else
        per_prompt(facts, o, &rng, &eligible);
    r->n_eligible = eligible.count;
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < eligible.count; i++) {
        double scalar = eligible.items[i].scalar;
        sum += scalar;
        low = scalar < low ? scalar : low;
        high = scalar > high ? scalar : high;
    }
    r->mean_eligible = eligible.count ? sum / (double)eligible.count : NAN;
    r->reward_spread = eligible.count ? high - low : 0.0;
    if (over_all)
        take_first(facts, o, &eligible, r);
    else
        deal(facts, o, &eligible, r);
    r->mean_selected = mean_of(facts, r->picked.rows, r->picked.count);
    for (size_t i = 0; i < r->picked.count; i++)
        r->eval_sourced += (facts->items[r->picked.rows[i]].flags & SELECT_EVAL) != 0;
    completions(facts, r);
    free(eligible.items);
}
