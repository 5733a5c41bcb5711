/* map.c: see map.h. Linear probing over (hash, number) slots at a load of at most 3/4. */
#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/mem.h"

struct map_slot {
    uint32_t hash;   /* upper half of the key's hash */
    uint32_t number; /* number + 1; 0 is a free slot */
};

static uint64_t secret[2];
static pthread_once_t secret_once = PTHREAD_ONCE_INIT;

static void secret_draw(void)
{
    if (getrandom(secret, sizeof secret, GRND_NONBLOCK) != (ssize_t)sizeof secret) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        secret[0] = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u;
        secret[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)now.tv_sec;
    }
    secret[0] |= 1;
    secret[1] |= 1;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load(const char *p, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, p, n);
    return word;
}

/* Folded 64x64 multiplication over 16 bytes at a time, keyed. */
uint64_t map_hash_keyed(struct span key, const uint64_t with[2])
{
    const char *p = key.ptr;
    size_t left = key.len;
    uint64_t state = with[0] ^ ((uint64_t)key.len * 0x9e3779b97f4a7c15u);
    for (; left > 16; left -= 16, p += 16)
        state = fold(load(p, 8) ^ with[1], load(p + 8, 8) ^ state);
    uint64_t low = left ? load(p, left < 8 ? left : 8) : 0;
    uint64_t high = left > 8 ? load(p + 8, left - 8) : 0;
    return fold(fold(low ^ with[1], high ^ state), with[0] ^ 0xa0761d6478bd642fu);
}

uint64_t map_hash(struct span key)
{
    pthread_once(&secret_once, secret_draw);
    return map_hash_keyed(key, secret);
}

static struct map_slot *slot_of(const struct map *m, struct span key, uint64_t hash)
{
    size_t mask = m->n_slots - 1;
    uint32_t upper = (uint32_t)(hash >> 32);
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct map_slot *slot = &m->slots[i];
        if (!slot->number || (slot->hash == upper && span_equal(m->keys[slot->number - 1], key)))
            return slot;
    }
}

static void grow(struct map *m)
{
    size_t n_slots = m->n_slots ? m->n_slots * 2 : 64;
    free(m->slots);
    m->slots = mem_zero(n_slots, sizeof *m->slots);
    m->n_slots = n_slots;
    for (size_t number = 0; number < m->count; number++) {
        uint64_t hash = map_hash(m->keys[number]);
        size_t i = (size_t)hash & (n_slots - 1);
        while (m->slots[i].number)
            i = (i + 1) & (n_slots - 1);
        m->slots[i] = (struct map_slot){(uint32_t)(hash >> 32), (uint32_t)number + 1};
    }
}

size_t map_find(const struct map *m, struct span key)
{
    if (!m->count)
        return MAP_NONE;
    struct map_slot *slot = slot_of(m, key, map_hash(key));
    return slot->number ? slot->number - 1 : MAP_NONE;
}

size_t map_add(struct map *m, struct span key, bool *fresh)
{
    if ((m->count + 1) * 4 > m->n_slots * 3)
        grow(m);
    uint64_t hash = map_hash(key);
    struct map_slot *slot = slot_of(m, key, hash);
    if (fresh)
        *fresh = !slot->number;
    if (slot->number)
        return slot->number - 1;
    if (m->count >= UINT32_MAX - 1)
        mem_out_of_memory(m->count);
    m->keys = mem_grow(m->keys, &m->cap, m->count + 1, sizeof *m->keys);
    m->keys[m->count] = arena_span(&m->arena, key);
    *slot = (struct map_slot){(uint32_t)(hash >> 32), (uint32_t)++m->count};
    return m->count - 1;
}

void map_clear(struct map *m)
{
    if (m->n_slots)
        memset(m->slots, 0, m->n_slots * sizeof *m->slots);
    m->count = 0;
    arena_clear(&m->arena);
}

void map_free(struct map *m)
{
    free(m->slots);
    free(m->keys);
    arena_free(&m->arena);
    *m = (struct map){0};
}
