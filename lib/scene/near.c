/* near.c: see near.h. */
#include "scene/near.h"

#include <math.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/template.h"

/* The next run of a-z, or the mark of a word with a digit. */
static bool next_token(struct span masked, size_t *at, struct span *token)
{
    size_t i = *at, start;
    while (i < masked.len && masked.ptr[i] != '#' &&
           !(masked.ptr[i] >= 'a' && masked.ptr[i] <= 'z'))
        i++;
    if (i >= masked.len)
        return false;
    start = i++;
    while (masked.ptr[start] != '#' && i < masked.len && masked.ptr[i] >= 'a' &&
           masked.ptr[i] <= 'z')
        i++;
    *token = span_make(masked.ptr + start, i - start);
    *at = i;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The set of a text's words, as numbers. */
static struct near_text read_text(struct near_index *n, struct span text)
{
    struct buf masked = {0};
    struct span word;
    message_masked(text, &masked);
    struct near_text t = {0};
    size_t cap = 0;
    uint32_t *all = NULL;
    for (size_t at = 0; next_token(buf_span(&masked), &at, &word);) {
        all = mem_grow(all, &cap, t.count + 1, sizeof *all);
        all[t.count++] = (uint32_t)map_add(&n->words, word, NULL);
    }
    if (t.count)
        qsort(all, t.count, sizeof *all, by_number);
    size_t kept = 0;
    for (size_t i = 0; i < t.count; i++)
        if (!kept || all[kept - 1] != all[i])
            all[kept++] = all[i];
    t.count = kept;
    t.words = arena_alloc(&n->arena, (kept + 1) * sizeof *all);
    if (kept)
        memcpy(t.words, all, kept * sizeof *all);
    free(all);
    buf_free(&masked);
    return t;
}

static bool are_near(const struct near_text *a, const struct near_text *b)
{
    size_t shared = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;)
        if (a->words[i] == b->words[j]) {
            shared++;
            i++;
            j++;
        } else if (a->words[i] < b->words[j]) {
            i++;
        } else {
            j++;
        }
    size_t all = a->count + b->count - shared;
    return all == 0 || (double)shared >= SCENE_NEAR * (double)all;
}

/* Of two near sets with n and m words, so many stand in one of them alone, at most. */
static size_t alone_most(size_t n, size_t m)
{
    return (size_t)((1 - SCENE_NEAR) / (1 + SCENE_NEAR) * (double)(n + m) + SCENE_NEAR_SLACK);
}

/* The longest set that can be near one of n words, and the shortest. */
static size_t longest_near(size_t n)
{
    return (size_t)((double)n / SCENE_NEAR + SCENE_NEAR_SLACK);
}

static size_t shortest_near(size_t n)
{
    return (size_t)ceil(SCENE_NEAR * (double)n - SCENE_NEAR_SLACK);
}

static size_t heaps_of(size_t n)
{
    return alone_most(n, longest_near(n)) + 1;
}

/* What tells one heap of a text apart: the length that it was dealt for, its number, its words. */
struct heap_key {
    uint64_t length, number, words;
};

static struct span heap_key(struct heap_key *key, const struct near_text *t, size_t length,
                            size_t number)
{
    size_t heaps = heaps_of(length);
    uint64_t hash = 1469598103934665603u; /* FNV-1a over the numbers; a clash costs a comparison */
    for (size_t i = 0; i < t->count; i++)
        if (t->words[i] % heaps == number)
            hash = (hash ^ t->words[i]) * 1099511628211u;
    *key = (struct heap_key){length, number, hash};
    return span_make((const char *)key, sizeof *key);
}

static bool has_near(const struct near_index *n, const struct near_text *t)
{
    struct heap_key key;
    for (size_t m = shortest_near(t->count); m <= longest_near(t->count); m++)
        for (size_t h = 0; h < heaps_of(m); h++) {
            size_t heap = map_find(&n->heaps, heap_key(&key, t, m, h));
            uint32_t at = heap == MAP_NONE ? 0 : n->first[heap];
            for (; at; at = n->links[at - 1].next)
                if (are_near(t, &n->texts[n->links[at - 1].text]))
                    return true;
        }
    return false;
}

static void post(struct near_index *n, const struct near_text *t, uint32_t text)
{
    struct heap_key key;
    for (size_t h = 0; h < heaps_of(t->count); h++) {
        bool fresh;
        size_t heap = map_add(&n->heaps, heap_key(&key, t, t->count, h), &fresh);
        n->first = mem_grow(n->first, &n->first_cap, heap + 1, sizeof *n->first);
        n->links = mem_grow(n->links, &n->links_cap, n->n_links + 1, sizeof *n->links);
        n->links[n->n_links] = (struct near_link){text, fresh ? 0 : n->first[heap]};
        n->first[heap] = (uint32_t)++n->n_links;
    }
}

bool near_add(struct near_index *n, struct span text)
{
    struct near_text t = read_text(n, text);
    if (t.count ? has_near(n, &t) : n->wordless)
        return false;
    n->wordless = n->wordless || t.count == 0;
    n->texts = mem_grow(n->texts, &n->cap, n->count + 1, sizeof *n->texts);
    n->texts[n->count] = t;
    post(n, &t, (uint32_t)n->count);
    n->count++;
    return true;
}

void near_free(struct near_index *n)
{
    free(n->first);
    free(n->links);
    free(n->texts);
    map_free(&n->words);
    map_free(&n->heaps);
    arena_free(&n->arena);
}
