/* decontam_index.c: looking things up in a sealed index. See decontam_index.h. */
#include "select/decontam_index.h"

#include <stdlib.h>
#include <sys/mman.h>

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

/* ---- strings --------------------------------------------------------------------------------------- */

struct span decontam_string(const struct decontam_table *table, size_t i)
{
    return span_make(table->bytes + table->at[i], (size_t)(table->at[i + 1] - table->at[i]));
}

size_t decontam_find(const struct decontam_index *index, const struct decontam_table *table,
                     struct span string)
{
    uint64_t hash = map_hash_keyed(string, index->key);
    uint32_t tag = decontam_tag(hash);
    size_t mask = (size_t)table->n_slots - 1;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        const struct decontam_slot *slot = &table->slots[at];
        if (!slot->number)
            return MAP_NONE;
        if (slot->tag == tag && span_equal(decontam_string(table, slot->number - 1), string))
            return slot->number - 1;
    }
}

/* ---- n-grams --------------------------------------------------------------------------------------- */

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t folded = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return folded >= PRIME ? folded - PRIME : folded;
}

struct decontam_hash decontam_hash_make(size_t n, uint64_t seed)
{
    struct decontam_hash h = {n, seed % (PRIME - 1000) + 500, 1};
    for (size_t i = 1; i < n; i++)
        h.top = multiply(h.top, h.base);
    return h;
}

void decontam_roll_add(const struct decontam_hash *h, struct decontam_roll *roll,
                       const uint32_t *word)
{
    uint64_t hash = roll->hash;
    if (roll->length == h->n) {
        uint64_t leaving = multiply((uint64_t) * (word - h->n) + 1, h->top);
        hash = hash >= leaving ? hash - leaving : hash + PRIME - leaving;
    } else {
        roll->length++;
    }
    hash = multiply(hash, h->base) + *word + 1;
    roll->hash = hash >= PRIME ? hash - PRIME : hash;
}

uint64_t decontam_hash_words(const struct decontam_hash *h, const uint32_t *words)
{
    struct decontam_roll roll = {0};
    for (size_t i = 0; i < h->n; i++)
        decontam_roll_add(h, &roll, words + i);
    return roll.hash;
}

const struct decontam_slot *decontam_slot_of(const struct decontam_slot *slots, size_t n_slots,
                                             const uint32_t *ids, const uint32_t *gram_at, size_t n,
                                             uint64_t hash, const uint32_t *words)
{
    uint32_t tag = decontam_tag(hash);
    size_t mask = n_slots - 1;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        const struct decontam_slot *slot = &slots[at];
        if (!slot->number)
            return slot;
        if (slot->tag == tag &&
            memcmp(ids + gram_at[slot->number - 1], words, n * sizeof *words) == 0)
            return slot;
    }
}

uint32_t decontam_gram(const struct decontam_index *index, uint64_t hash, const uint32_t *words)
{
    if (!index->n_grams)
        return DECONTAM_NONE;
    return decontam_slot_of(index->slots, (size_t)index->n_slots, index->ids, index->gram_at,
                            index->n, hash, words)
               ->number -
           1; /* 0 - 1 is DECONTAM_NONE */
}

/* ---- what it holds --------------------------------------------------------------------------------- */

size_t decontam_index_ngram(const struct decontam_index *index)
{
    return index->n;
}

enum decontam_tokens decontam_index_tokens(const struct decontam_index *index)
{
    return index->tokens;
}

size_t decontam_index_rows(const struct decontam_index *index)
{
    return (size_t)index->rows;
}

size_t decontam_index_tasks(const struct decontam_index *index)
{
    return (size_t)index->rows_with_task;
}

size_t decontam_index_texts(const struct decontam_index *index)
{
    return (size_t)index->texts.count;
}

size_t decontam_index_prompts(const struct decontam_index *index)
{
    return (size_t)index->prompts.count;
}

struct span decontam_index_prompt(const struct decontam_index *index, size_t i)
{
    return decontam_string(&index->prompts, i);
}

uint32_t decontam_index_prompt_task(const struct decontam_index *index, size_t i)
{
    return index->prompt_task[i];
}

void decontam_index_name(const struct decontam_index *index, uint64_t name[2])
{
    memcpy(name, index->image + offsetof(struct decontam_header, digest), 2 * sizeof *name);
}

void decontam_index_free(struct decontam_index *index)
{
    if (!index)
        return;
    decontam_builder_free(index->builder);
    if (index->mapped)
        munmap(index->image, index->size);
    else
        free(index->image);
    free(index);
}
