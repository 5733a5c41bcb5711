/* options.c: the options of a world (--world): a table of keys with what each may hold. */
#include <math.h>
#include <stdlib.h>

#include "text/number.h"
#include "world/inside.h"
#include "json/write.h"

enum option_type {
    TYPE_MODE,  /* a fault mode's name */
    TYPE_SHARE, /* 0..1 */
    TYPE_ANY,   /* any JSON value */
    TYPE_RANGE, /* [low, high], 0 <= low <= high <= bound */
    TYPE_YEARS, /* [first, span >= 1] */
    TYPE_COUNT, /* an integer >= bound */
    TYPE_WORDS, /* a non-empty array of texts */
    TYPE_BOOL,
    TYPE_CONDITIONS, /* object of modes */
    TYPE_KINDS,      /* object of result kinds */
};

/* Larger ones would only fill memory. */
enum { HITS_MAX = 1000, YEAR_MAX = 9999, SPAN_MAX = 10000 };
#define ID_MAX ((int64_t)1 << 53) /* stays exact in every JSON reader */

struct option_row {
    const char *key;
    enum option_type type;
    size_t offset; /* in struct world_options */
    int64_t bound;
};

#define AT(field) offsetof(struct world_options, field)
static const struct option_row ROWS[] = {
    {"condition_modes", TYPE_CONDITIONS, AT(condition_modes), 0},
    {"default_fault_mode", TYPE_MODE, AT(default_mode), 0},
    {"default_fault_rate", TYPE_SHARE, AT(default_rate), 0},
    {"stale_as_of", TYPE_ANY, AT(stale_as_of), 0},
    {"malformed_payload", TYPE_ANY, AT(malformed), 0},
    {"exists_share", TYPE_SHARE, AT(exists_share), 0},
    {"search_hits", TYPE_RANGE, AT(search_hits), HITS_MAX},
    {"template_hits", TYPE_RANGE, AT(template_hits), HITS_MAX},
    {"id_range", TYPE_RANGE, AT(ids), ID_MAX},
    {"date_years", TYPE_YEARS, AT(years), 0},
    {"jitter_divisor", TYPE_COUNT, AT(jitter_divisor), 1},
    {"shell_flavors", TYPE_COUNT, AT(shell_flavors), 1},
    {"ci_fail_one_in", TYPE_COUNT, AT(ci_fail_one_in), 1},
    {"people", TYPE_WORDS, AT(people), 0},
    {"adjectives", TYPE_WORDS, AT(adjectives), 0},
    {"topics", TYPE_WORDS, AT(topics), 0},
    {"statuses", TYPE_WORDS, AT(statuses), 0},
    {"code_verbs", TYPE_WORDS, AT(code_verbs), 0},
    {"code_nouns", TYPE_WORDS, AT(code_nouns), 0},
    {"check_names", TYPE_WORDS, AT(checks), 0},
    {"file_stems", TYPE_WORDS, AT(stems), 0},
    {"persist_writes", TYPE_BOOL, AT(persist_writes), 0},
    {"keep_locators", TYPE_BOOL, AT(keep_locators), 0},
    {"fault_clears_after", TYPE_COUNT, AT(fault_clears_after), 0},
    {"result_kinds", TYPE_KINDS, AT(result_kinds), 0},
    {"extra_fault_modes", TYPE_BOOL, AT(extra_modes), 0},
};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

static void words_default(struct world_options *o, struct pool_of_words *pool,
                          struct pool_default d)
{
    pool->count = d.count;
    pool->items = arena_alloc(&o->arena, d.count * sizeof *pool->items);
    for (size_t i = 0; i < d.count; i++)
        pool->items[i] = span_text(d.words[i]);
}

static const struct node *conditions_default(struct arena *a)
{
    static const char *const pairs[][2] = {{"timeout", "timeout"},
                                           {"malformed_result", "malformed"},
                                           {"stale_result", "stale"},
                                           {"permission_denied", "permission_denied"}};
    struct node *modes = node_object(a);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        node_add(modes, pairs[i][0], node_borrow(a, span_text(pairs[i][1])));
    return modes;
}

/* Pools and trees are the options' own: a read lays a new one over the old, which the arena keeps.
 */
static void exists_in_tenths(struct world_options *o)
{
    o->exists_tenths = (unsigned)number_round_even(o->exists_share * 10);
}

struct world_options *world_options_new(void)
{
    struct world_options *o = mem_zero(1, sizeof *o);
    struct arena *a = &o->arena;
    o->condition_modes = conditions_default(a);
    o->default_mode = fault_mode_of(SPAN(WORLD_FAULT_MODE));
    o->default_rate = WORLD_FAULT_RATE;
    o->stale_as_of = node_borrow(a, SPAN(WORLD_STALE_AS_OF));
    o->malformed = node_borrow(a, SPAN(WORLD_MALFORMED));
    o->exists_share = WORLD_EXISTS_SHARE;
    exists_in_tenths(o);
    o->search_hits = (struct range){WORLD_SEARCH_LOW, WORLD_SEARCH_HIGH};
    o->template_hits = (struct range){WORLD_TEMPLATE_LOW, WORLD_TEMPLATE_HIGH};
    o->ids = (struct range){WORLD_ID_LOW, WORLD_ID_HIGH};
    o->years = (struct range){WORLD_YEAR_FIRST, WORLD_YEAR_SPAN};
    o->jitter_divisor = WORLD_JITTER_DIVISOR;
    o->shell_flavors = WORLD_SHELL_FLAVORS;
    o->ci_fail_one_in = WORLD_CI_FAIL_ONE_IN;
    words_default(o, &o->people, POOL_PEOPLE);
    words_default(o, &o->adjectives, POOL_ADJECTIVES);
    words_default(o, &o->topics, POOL_TOPICS);
    words_default(o, &o->statuses, POOL_STATUSES);
    words_default(o, &o->code_verbs, POOL_CODE_VERBS);
    words_default(o, &o->code_nouns, POOL_CODE_NOUNS);
    words_default(o, &o->checks, POOL_CHECKS);
    words_default(o, &o->stems, POOL_STEMS);
    o->result_kinds = node_object(a);
    return o;
}

void world_options_free(struct world_options *o)
{
    if (!o)
        return;
    arena_free(&o->arena);
    free(o);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Each reader returns NULL, or what the value has to be. */

static const char *read_range(struct world_options *o, const struct option_row *row,
                              const struct node *v, struct range *out)
{
    static const char rule[] = "two whole numbers [low, high] with 0 <= low <= high";
    struct range r;
    (void)o;
    if (!node_is(v, JSON_VALUE_ARRAY) || v->count != 2 || !node_int64(v->first, &r.low) ||
        !node_int64(v->last, &r.high) || r.low < 0 || r.low > r.high)
        return rule;
    if (r.high > row->bound)
        return row->bound == HITS_MAX ? "at most 1000 hits" : "at most 2 to the power 53";
    *out = r;
    return NULL;
}

static const char *read_years(const struct node *v, struct range *out)
{
    struct range r;
    if (!node_is(v, JSON_VALUE_ARRAY) || v->count != 2 || !node_int64(v->first, &r.low) ||
        !node_int64(v->last, &r.high) || r.low < 0 || r.low > YEAR_MAX || r.high < 1 ||
        r.high > SPAN_MAX)
        return "[first year, span] with a year from 0 to 9999 and a span from 1 to 10000";
    *out = r;
    return NULL;
}

static const char *read_words(struct world_options *o, const struct node *v,
                              struct pool_of_words *out)
{
    if (!node_is(v, JSON_VALUE_ARRAY) || v->count == 0)
        return "a non-empty array of texts";
    struct pool_of_words pool = {arena_alloc(&o->arena, v->count * sizeof *pool.items), 0};
    for (const struct node *word = v->first; word; word = word->next) {
        if (word->type != JSON_VALUE_STRING)
            return "a non-empty array of texts";
        pool.items[pool.count++] = word->text;
    }
    *out = pool;
    return NULL;
}

static const char *read_conditions(const struct node *v, const struct node **out)
{
    if (!node_is(v, JSON_VALUE_OBJECT))
        return "an object condition: fault mode";
    for (const struct node *m = v->first; m; m = m->next)
        if (m->type != JSON_VALUE_STRING || fault_mode_of(m->text) == FAULT_NONE)
            return "an object whose values are fault modes";
    *out = v;
    return NULL;
}

static const char *read_kinds(const struct node *v, const struct node **out)
{
    if (!node_is(v, JSON_VALUE_OBJECT))
        return "an object tool: kind of result";
    for (const struct node *m = v->first; m; m = m->next)
        if (m->type != JSON_VALUE_STRING || kind_of_name(m->text) < 0)
            return "an object whose values are record, shell, grep, file, files, git, ci or money";
    *out = v;
    return NULL;
}

static const char *read_row(struct world_options *o, const struct option_row *row,
                            const struct node *v)
{
    char *field = (char *)o + row->offset;
    double share;
    switch (row->type) {
    case TYPE_MODE: {
        int mode = v->type == JSON_VALUE_STRING ? fault_mode_of(v->text) : FAULT_NONE;
        if (mode == FAULT_NONE)
            return "a fault mode";
        *(int *)(void *)field = mode;
        return NULL;
    }
    case TYPE_SHARE:
        share = node_double(v);
        if (!(share >= 0 && share <= 1))
            return "a number from 0 to 1";
        *(double *)(void *)field = share;
        return NULL;
    case TYPE_ANY: *(const struct node **)(void *)field = v; return NULL;
    case TYPE_RANGE: return read_range(o, row, v, (struct range *)(void *)field);
    case TYPE_YEARS: return read_years(v, (struct range *)(void *)field);
    case TYPE_COUNT: {
        int64_t n;
        if (!node_int64(v, &n) || n < row->bound)
            return row->bound ? "a whole number from 1 up" : "a whole number from 0 up";
        *(int64_t *)(void *)field = n;
        return NULL;
    }
    case TYPE_WORDS: return read_words(o, v, (struct pool_of_words *)(void *)field);
    case TYPE_BOOL:
        if (v->type != JSON_VALUE_TRUE && v->type != JSON_VALUE_FALSE)
            return "true or false";
        *(bool *)(void *)field = v->type == JSON_VALUE_TRUE;
        return NULL;
    case TYPE_CONDITIONS: return read_conditions(v, (const struct node **)(void *)field);
    default: return read_kinds(v, (const struct node **)(void *)field);
    }
}

static int unknown_key(struct span key, const char *name, struct error *error)
{
    struct buf known = {0};
    for (int i = 0; i < N_ROWS; i++)
        buf_format(&known, "%s%s", i ? ", " : "", ROWS[i].key);
    int code = error_set(error, ERROR_USAGE, "%s: \"%.*s\" is no world option; known: %s", name,
                         (int)(key.len < 60 ? key.len : 60), key.ptr, buf_cstr(&known));
    buf_free(&known);
    return code;
}

/* The reference knows four modes; the others change what a plan means, so they are asked for. */
static int check_extra_modes(const struct world_options *o, const char *name, struct error *error)
{
    bool uses = o->default_mode >= FAULT_RATE_LIMITED;
    for (const struct node *m = o->condition_modes->first; m; m = m->next)
        uses = uses || fault_mode_of(m->text) >= FAULT_RATE_LIMITED;
    if (uses && !o->extra_modes)
        return error_set(
            error, ERROR_USAGE,
            "%s: rate_limited, server_error and partial need \"extra_fault_modes\": true", name);
    return 0;
}

int world_options_read(struct world_options *o, struct span json, const char *name,
                       struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(json, &value, NULL, &fault))
        return error_set(error, ERROR_USAGE, "%s: not JSON: %s at byte %zu", name, fault.what,
                         fault.offset + 1);
    if (value.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_USAGE, "%s: world options are one JSON object", name);
    const struct node *tree = node_parse(&o->arena, value);
    for (const struct node *v = tree->first; v; v = v->next) {
        const struct option_row *row = NULL;
        for (int i = 0; i < N_ROWS && !row; i++)
            if (span_is(v->key, ROWS[i].key))
                row = &ROWS[i];
        if (!row)
            return unknown_key(v->key, name, error);
        const char *rule = read_row(o, row, v);
        if (rule && row->type == TYPE_MODE)
            return error_set(error, ERROR_USAGE, "%s: world option %s must be one of %s", name,
                             row->key, world_mode_names());
        if (rule)
            return error_set(error, ERROR_USAGE, "%s: world option %s must be %s", name, row->key,
                             rule);
    }
    exists_in_tenths(o);
    return check_extra_modes(o, name, error);
}

/* ---- as resolved ----------------------------------------------------------------------------- */

static void write_tree(struct json_writer *w, const struct node *v)
{
    struct buf text = {0};
    node_json(v, false, &text);
    json_write_raw(w, buf_span(&text));
    buf_free(&text);
}

static void write_row(struct json_writer *w, const struct world_options *o,
                      const struct option_row *row)
{
    const char *field = (const char *)o + row->offset;
    const struct range *range = (const struct range *)(const void *)field;
    const struct pool_of_words *pool = (const struct pool_of_words *)(const void *)field;
    switch (row->type) {
    case TYPE_MODE: json_write_span(w, world_mode_name(*(const int *)(const void *)field)); break;
    case TYPE_SHARE: json_write_real(w, *(const double *)(const void *)field); break;
    case TYPE_RANGE:
    case TYPE_YEARS:
        json_write_array(w);
        json_write_int(w, range->low);
        json_write_int(w, range->high);
        json_write_end_array(w);
        break;
    case TYPE_COUNT: json_write_int(w, *(const int64_t *)(const void *)field); break;
    case TYPE_WORDS:
        json_write_array(w);
        for (size_t i = 0; i < pool->count; i++)
            json_write_span(w, pool->items[i]);
        json_write_end_array(w);
        break;
    case TYPE_BOOL: json_write_bool(w, *(const bool *)(const void *)field); break;
    default: write_tree(w, *(const struct node *const *)(const void *)field);
    }
}

void world_options_write(const struct world_options *o, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    for (int i = 0; i < N_ROWS; i++) {
        json_write_key(&w, ROWS[i].key);
        write_row(&w, o, &ROWS[i]);
    }
    json_write_end_object(&w);
}
