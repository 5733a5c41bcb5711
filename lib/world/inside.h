/* inside.h: what the files of this room share: the structs behind world.h, the draws, the builders
 * of results. Not for other rooms. */
#ifndef WAI_WORLD_INSIDE_H
#define WAI_WORLD_INSIDE_H

#include "base/map.h"
#include "world/defaults.h"
#include "world/names.h"
#include "world/world.h"

/* ---- options --------------------------------------------------------------------------------- */

struct pool_of_words {
    struct span *items;
    size_t count;
};

enum fault_mode {
    FAULT_NONE = -1,
    FAULT_TIMEOUT,
    FAULT_MALFORMED,
    FAULT_STALE,
    FAULT_PERMISSION,
    FAULT_RATE_LIMITED, /* from here on: only with extra_fault_modes */
    FAULT_SERVER_ERROR,
    FAULT_PARTIAL,
    FAULT_COUNT,
};
int fault_mode_of(struct span name); /* FAULT_NONE: not known */
struct span world_mode_name(int mode);

struct range {
    int64_t low, high;
};

struct world_options {
    struct arena arena;
    const struct node *condition_modes; /* condition → mode */
    int default_mode;                   /* enum fault_mode */
    double default_rate;
    const struct node *stale_as_of, *malformed; /* any JSON */
    double exists_share;
    unsigned exists_tenths; /* of 10 */
    struct range search_hits, template_hits, ids,
        years; /* ids.high exclusive; years: first, span */
    int64_t jitter_divisor, shell_flavors, ci_fail_one_in;
    struct pool_of_words people, adjectives, topics, statuses, code_verbs, code_nouns, checks,
        stems;
    bool persist_writes, keep_locators;
    bool extra_modes; /* the modes from FAULT_RATE_LIMITED on may fire */
    int64_t fault_clears_after;
    const struct node *result_kinds; /* tool → kind */
};

/* The default pools (pools.c). */
struct pool_default {
    const char *const *words;
    size_t count;
};
extern const struct pool_default POOL_PEOPLE, POOL_ADJECTIVES, POOL_TOPICS, POOL_STATUSES,
    POOL_CODE_VERBS, POOL_CODE_NOUNS, POOL_CHECKS, POOL_STEMS;

/* ---- tools ----------------------------------------------------------------------------------- */

/* What the name of an argument says; read once for the properties of a schema. */
struct world_key {
    struct span key;
    unsigned classes, cues;
};

struct world_tool {
    struct span name, lower; /* as declared, in lower case */
    struct span noun;
    struct span issued; /* prefix of an id that a create issues: lower case up to the first '_' */
    unsigned verbs, hints, classes; /* classes: of the schema's properties */
    unsigned cues;                  /* of the name */
    unsigned noun_cues;
    bool speaks_of_ci;
    int forced_kind;        /* from result_kinds, else -1 */
    struct world_key *keys; /* of the schema's properties */
    size_t n_keys;
    const struct node *parameters; /* its schema, or NULL */
    const struct node *shape;      /* result shape: a non-empty object, or NULL */
};

struct world_tools {
    struct arena arena;
    struct world_tool *items;
    struct map names;
};

/* ---- the world ------------------------------------------------------------------------------- */

struct entity {
    bool present, deleted, has_data;
    int64_t version;
    struct buf
        data; /* its record as JSON; kept as text so that memory is bounded by what is remembered */
};

struct world {
    const struct world_tools *tools;
    const struct world_options *options;
    int64_t seed;
    enum world_state state;
    const struct node *plan;
    struct map names; /* entities by reference text */
    struct entity *entities;
    size_t entities_cap;
    size_t free_data;   /* entities of earlier lives that still hold a buffer */
    struct map faulted; /* digests of faulted calls, with fault_clears_after */
    int64_t *faulted_times;
    size_t faulted_cap;
    struct arena arena; /* of the call in hand */
    struct buf scratch, scratch2;
};

/* One call in hand. */
struct call {
    const struct world_tool *tool;
    const struct node *arguments; /* an object */
    struct span digest;           /* 12 hex digits */
    uint32_t n;                   /* the first 8 of them */
    struct span *refs;            /* texts of the references, in walk order */
    size_t n_refs;
    unsigned classes, cues; /* of the argument keys */
    enum world_kind kind;
};

/* ---- draws (world 2, 4) ---------------------------------------------------------------------- */

static inline struct span pool_pick(const struct pool_of_words *pool, uint64_t k, uint64_t salt)
{
    return pool->items[k / salt % pool->count];
}
/* low + x % (high - low + 1), of an inclusive range. */
static inline uint64_t range_count(struct range r, uint64_t x)
{
    return (uint64_t)r.low + x % (uint64_t)(r.high - r.low + 1);
}
/* low + x % max(1, high - low): the range of ids, upper bound exclusive. */
static inline int64_t range_id(struct range r, uint64_t x)
{
    return r.low + (int64_t)(x % (uint64_t)(r.high > r.low ? r.high - r.low : 1));
}
struct node *draw_date(struct world *w, uint64_t k, uint64_t i);
uint32_t draw_entity(struct world *w, struct span text); /* N32("entity:" + text) */

/* ---- pieces of an answer --------------------------------------------------------------------- */

const struct node *world_fault(struct world *w, struct call *c, const struct node *arguments);
struct node *world_payload(struct world *w, struct call *c, struct node *result);
struct node *calculator(struct world *w, const struct call *c); /* NULL: does not apply */
struct node *code_data(struct world *w, const struct call *c, uint32_t n); /* kinds of world 4.7 */
struct node *money_payload(struct world *w, uint32_t n, struct node *result);
struct span file_path(struct world *w, const struct node *arguments, uint64_t n);
void file_text(struct world *w, struct span path, uint64_t n, struct buf *out);
struct node *fill_shape(struct world *w, const struct node *v, uint64_t k, uint64_t i,
                        struct span key);
struct node *record_fields(struct world *w, uint64_t k, uint64_t i, struct span noun,
                           unsigned cues);
struct node *entity_consistent(struct world *w, struct node *record, const struct node *shape,
                               struct span noun, unsigned noun_cues);
void ground(struct world *w, const struct call *c, uint32_t k, struct node *data);
void remember(struct world *w, const struct node *data);
struct node *records_data(struct world *w, const struct call *c, uint32_t k);

/* First truthy of the named arguments as text, else `otherwise`. names ends with NULL. */
struct node *first_truthy_text(struct world *w, const struct node *arguments,
                               const char *const *names, const char *otherwise);

/* ---- entities -------------------------------------------------------------------------------- */

struct entity *entity_slot(struct world *w, struct span text); /* made when absent */
struct entity *entity_find(struct world *w, struct span text); /* present, or NULL */
bool entity_exists(struct world *w, struct span text);
void entity_store(struct world *w, struct span text, const struct node *data);
struct node *entity_data(struct world *w, const struct entity *e); /* a copy, or NULL when empty */

/* str(value) in the call's arena. */
struct span node_str(struct world *w, const struct node *v);

#endif
