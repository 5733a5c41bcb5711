/* payload.c: what a successful call answers (world 4.2-4.6): invented records, lists, filled result
 * shapes, made consistent with what the entity is and with what the caller said.
 *
 * Walk indexes grow sevenfold with each array around a value; they are exact to 14 nested arrays
 * and wrap beyond, which stays deterministic. */
#include <math.h>

#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"
#include "world/inside.h"

static struct node *owned(struct world *w, const struct node *v)
{
    return node_copy(&w->arena, v);
}

static struct node *words_value(struct world *w, struct span a, struct span b)
{
    char *text = arena_alloc(&w->arena, a.len + b.len + 2);
    memcpy(text, a.ptr, a.len);
    text[a.len] = ' ';
    memcpy(text + a.len + 1, b.ptr, b.len);
    text[a.len + 1 + b.len] = '\0';
    return node_borrow(&w->arena, span_make(text, a.len + 1 + b.len));
}

/* ---- records (world 4.3) --------------------------------------------------------------------- */

static struct node *invented_amount(struct world *w, uint64_t k, uint64_t i)
{
    static const int scale[] = {1, 10, 100};
    double whole = (double)((k + 53 * i) % 900 + 12);
    return node_real(&w->arena, number_round(whole * scale[(k + i) % 3] / 10, 2));
}

struct node *record_fields(struct world *w, uint64_t k, uint64_t i, struct span noun, unsigned cues)
{
    const struct world_options *o = w->options;
    struct arena *a = &w->arena;
    struct node *r = node_object(a);
    struct span what = noun.len ? noun : pool_pick(&o->topics, k + 104729 * i, 97);
    node_add(r, "id", node_int(a, range_id(o->ids, k + 137 * i)));
    node_add(r, "name", words_value(w, pool_pick(&o->adjectives, k + 7919 * i, 7), what));
    node_add(r, "status", node_borrow(a, pool_pick(&o->statuses, k + 15485863 * i, 13)));
    if (cues & CUE_QUANTITY)
        node_add(r, "quantity", node_int(a, (int64_t)((k + 31 * i) % 240)));
    if (cues & CUE_MONEY) {
        node_add(r, "amount", invented_amount(w, k, i));
        node_add(r, "currency", node_borrow(a, SPAN("USD")));
    }
    if (cues & CUE_DATE)
        node_add(r, "date", draw_date(w, k + 3, i));
    if ((cues & CUE_PEOPLE) || !(cues & (CUE_QUANTITY | CUE_MONEY)))
        node_add(r, "owner", node_borrow(a, pool_pick(&o->people, k + 32452843 * i, 29)));
    node_add(r, "updated_at", draw_date(w, k, i));
    return r;
}

/* What the caller said joins the record. Their names are distinct, so only the record's own first
 * members need a look. locators_win: a locator's value replaces the record's. */
static void add_known(struct world *w, const struct call *c, struct node *record, bool locators_win)
{
    struct node own = *record; /* its members before anything is appended */
    own.count = record->count;
    for (const struct node *arg = c->arguments->first; arg; arg = arg->next) {
        if (!node_given(arg))
            continue;
        bool there = false;
        struct node *m = record->first;
        for (size_t i = 0; i < own.count && !there; i++, m = m->next)
            there = span_equal(m->key, arg->key);
        if (there && !(locators_win && key_is_locator(arg->key)))
            continue;
        struct node *copy = owned(w, arg);
        copy->key = arg->key;
        if (there)
            node_set(record, arg->key, copy);
        else
            node_append(record, copy);
    }
}

static struct node *search_data(struct world *w, const struct call *c, uint32_t k)
{
    static const char *const query[] = {"query", "q", NULL};
    struct arena *a = &w->arena;
    uint64_t count = range_count(w->options->search_hits, k);
    struct node *items = node_array(a), *data = node_object(a);
    for (uint64_t i = 0; i < count; i++) {
        struct node *item = record_fields(w, k, i, c->tool->noun, c->cues | c->tool->cues);
        add_known(w, c, item, false);
        node_append(items, entity_consistent(w, item, NULL, c->tool->noun, c->tool->noun_cues));
    }
    node_add(data, "query", first_truthy_text(w, c->arguments, query, ""));
    node_add(data, "count", node_int(a, (int64_t)count));
    node_add(data, "items", items);
    return data;
}

struct node *records_data(struct world *w, const struct call *c, uint32_t k)
{
    if (c->tool->verbs & VERB_SEARCH)
        return search_data(w, c, k);
    struct node *record = record_fields(w, k, 0, c->tool->noun, c->cues | c->tool->cues);
    add_known(w, c, record, true);
    if (!node_find(record, "ref"))
        node_add(record, "ref", node_borrow(&w->arena, span_slice(c->digest, 0, WORLD_REF_HEX)));
    return record;
}

/* ---- consistency (world 4.4) ----------------------------------------------------------------- */

static bool names_entity(const struct node *v)
{
    switch (v->type) {
    case JSON_VALUE_STRING: return v->text.len > 0;
    case JSON_VALUE_TRUE:
    case JSON_VALUE_FALSE: return true;
    default: return v->type == JSON_VALUE_NUMBER && v->integer;
    }
}

static const struct node *identity_of(const struct node *record)
{
    const struct node *id = node_find(record, "id");
    if (id && names_entity(id))
        return id;
    for (const struct node *v = record->first; v; v = v->next)
        if (key_is_idish(v->key) && names_entity(v))
            return v;
    return NULL;
}

struct node *entity_consistent(struct world *w, struct node *record, const struct node *shape,
                               struct span noun, unsigned noun_cues)
{
    const struct node *id = node_is(record, JSON_VALUE_OBJECT) ? identity_of(record) : NULL;
    if (!id)
        return record;
    uint32_t seed = draw_entity(w, node_str(w, id));
    struct node *fresh = node_is(shape, JSON_VALUE_OBJECT)
                             ? fill_shape(w, shape, seed, 0, SPAN(""))
                             : record_fields(w, seed, 0, noun, noun_cues);
    struct span id_key = id->key;
    struct node *id_copy = owned(w, id);
    size_t own = fresh->count;
    for (struct node *v = record->first, *next; v; v = next) {
        next = v->next;
        bool there = false;
        struct node *m = fresh->first;
        for (size_t i = 0; i < own && !there; i++, m = m->next)
            there = span_equal(m->key, v->key);
        if (!there)
            node_append(fresh, v);
    }
    node_set(fresh, id_key, id_copy);
    return fresh;
}

/* ---- result shapes (world 4.4, 4.5) ---------------------------------------------------------- */

/* Integers beyond this, and reals beyond its tenth, are copied as they are. */
#define JITTER_MAX ((int64_t)1 << 61)

static struct node *jitter_integer(struct world *w, const struct node *v, uint64_t k, uint64_t i)
{
    int64_t n;
    if (!node_int64(v, &n) || n > JITTER_MAX || n < -JITTER_MAX || (n >= -1 && n <= 1))
        return owned(w, v);
    int64_t span = (n < 0 ? -n : n) / w->options->jitter_divisor;
    if (span < 1)
        span = 1;
    return node_int(&w->arena, n + (int64_t)((k + 131 * i) % (uint64_t)(2 * span + 1)) - span);
}

static struct node *jitter_real(struct world *w, const struct node *v, uint64_t k, uint64_t i)
{
    double x = node_double(v);
    if (!(fabs(x * 10) < (double)JITTER_MAX))
        return owned(w, v);
    int64_t span = (int64_t)(fabs(x) * 10) / w->options->jitter_divisor;
    if (span < 1)
        span = 1;
    int64_t tenths = (int64_t)(x * 10) + (int64_t)((k + 131 * i) % (uint64_t)(2 * span + 1)) - span;
    return node_real(&w->arena, number_round((double)tenths / 10, 2));
}

static struct node *other_person(struct world *w, const struct node *v, uint64_t k, uint64_t i)
{
    struct span person = pool_pick(&w->options->people, k + 29 * i, 7);
    size_t at = span_find(v->text, SPAN("@"), 0);
    if (at == (size_t)-1)
        return node_borrow(&w->arena, person);
    buf_clear(&w->scratch);
    for (size_t j = 0; j < person.len; j++)
        buf_byte(&w->scratch, person.ptr[j] == ' ' ? '.' : person.ptr[j]);
    buf_span_add(&w->scratch, span_slice(v->text, at, v->text.len));
    return node_text(&w->arena, buf_span(&w->scratch));
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static struct node *other_id(struct world *w, const struct node *v, uint64_t k, uint64_t i)
{
    struct span s = v->text;
    size_t from = 0, to;
    while (from < s.len && !digit(s.ptr[from]))
        from++;
    for (to = from; to < s.len && digit(s.ptr[to]);)
        to++;
    buf_clear(&w->scratch);
    buf_span_add(&w->scratch, span_slice(s, 0, from));
    buf_format(&w->scratch, "%lld", (long long)range_id(w->options->ids, k + 137 * i));
    buf_span_add(&w->scratch, span_slice(s, to, s.len));
    return node_text(&w->arena, buf_span(&w->scratch));
}

static bool has_digit(struct span s)
{
    for (size_t i = 0; i < s.len; i++)
        if (digit(s.ptr[i]))
            return true;
    return false;
}

static bool has_date(struct span s)
{
    for (size_t i = 0; i + 10 <= s.len; i++) {
        const char *p = s.ptr + i;
        if (digit(p[0]) && digit(p[1]) && digit(p[2]) && digit(p[3]) && p[4] == '-' &&
            digit(p[5]) && digit(p[6]) && p[7] == '-' && digit(p[8]) && digit(p[9]))
            return true;
    }
    return false;
}

static struct node *fill_text(struct world *w, const struct node *v, uint64_t k, uint64_t i,
                              struct span key)
{
    if (key_is_personish(key))
        return other_person(w, v, k, i);
    if (key_is_idish(key) && has_digit(v->text))
        return other_id(w, v, k, i);
    if (key_is_dateish(key) && has_date(v->text)) {
        buf_clear(&w->scratch);
        buf_span_add(&w->scratch, draw_date(w, k, i)->text);
        buf_span_add(&w->scratch, span_slice(v->text, utf8_offset(v->text, 10), v->text.len));
        return node_text(&w->arena, buf_span(&w->scratch));
    }
    return owned(w, v);
}

struct node *fill_shape(struct world *w, const struct node *v, uint64_t k, uint64_t i,
                        struct span key)
{
    struct node *out;
    switch (v->type) {
    case JSON_VALUE_OBJECT:
        out = node_object(&w->arena);
        for (const struct node *m = v->first; m; m = m->next) {
            struct node *filled = fill_shape(w, m, k, i, m->key);
            filled->key = m->key;
            node_append(out, filled);
        }
        return out;
    case JSON_VALUE_ARRAY:
        if (!node_is(v->first, JSON_VALUE_OBJECT))
            return owned(w, v);
        out = node_array(&w->arena);
        uint64_t count = range_count(w->options->template_hits, k + i);
        for (uint64_t j = 0; j < count; j++)
            node_append(out, fill_shape(w, v->first, k, 7 * i + j + 1, SPAN("")));
        return out;
    case JSON_VALUE_NUMBER:
        return v->integer ? jitter_integer(w, v, k, i) : jitter_real(w, v, k, i);
    case JSON_VALUE_STRING: return fill_text(w, v, k, i, key);
    default: return owned(w, v);
    }
}

static bool has_key(struct world *w, const struct node *object, const char *const *keys)
{
    for (const struct node *m = object->first; m; m = m->next) {
        struct span lower = name_lower(m->key, &w->scratch);
        for (const char *const *key = keys; *key; key++)
            if (span_is(lower, *key))
                return true;
    }
    return false;
}

/* A shape that does not look like its kind of result is no help: a file without text, say. */
static bool mismatched(struct world *w, enum world_kind kind, const struct node *filled)
{
    static const char *const shell[] = {"stdout", "stderr", "exit_code", "command", NULL};
    static const char *const file[] = {"content", "diff", "text", "bytes", NULL};
    static const char *const grep[] = {"matches", NULL};
    static const char *const files[] = {"entries", "files", "items", NULL};
    static const char *const ci[] = {"items", "checks", "jobs", "conclusion", NULL};
    static const char *const owner[] = {"owner", NULL}, *const updated[] = {"updated_at", NULL};
    static const char *const code[] = {"content", "stdout", "diff", "matches", "entries", NULL};
    static const char *const *const needs[KIND_COUNT] = {[KIND_SHELL] = shell,
                                                         [KIND_FILE] = file,
                                                         [KIND_GREP] = grep,
                                                         [KIND_FILES] = files,
                                                         [KIND_CI] = ci};
    if (!kind_is_code(kind))
        return false;
    if (needs[kind] && !has_key(w, filled, needs[kind]))
        return true;
    return has_key(w, filled, owner) && has_key(w, filled, updated) && !has_key(w, filled, code);
}

/* The caller's values replace scalars of the same name. */
static void echo_arguments(struct world *w, const struct call *c, struct node *filled)
{
    for (const struct node *arg = c->arguments->first; arg; arg = arg->next) {
        struct node *there = node_get(filled, arg->key);
        if (!there || there->type == JSON_VALUE_OBJECT || there->type == JSON_VALUE_ARRAY)
            continue;
        node_set(filled, arg->key, owned(w, arg));
    }
}

static struct node *shaped_data(struct world *w, const struct call *c, uint32_t k)
{
    const struct node *shape = c->tool->shape;
    struct node *filled = fill_shape(w, shape, k, 0, SPAN(""));
    echo_arguments(w, c, filled);
    if (mismatched(w, c->kind, filled))
        return NULL;
    if (kind_is_code(c->kind))
        return filled;
    for (struct node *m = filled->first; m; m = m->next) {
        if (m->type != JSON_VALUE_ARRAY || !node_is(m->first, JSON_VALUE_OBJECT))
            continue;
        const struct node *own = node_get(shape, m->key);
        const struct node *item_shape = node_is(own, JSON_VALUE_ARRAY) ? own->first : NULL;
        struct node *item = m->first;
        m->first = m->last = NULL;
        m->count = 0;
        for (struct node *next; item; item = next) {
            next = item->next;
            node_append(m,
                        entity_consistent(w, item, item_shape, c->tool->noun, c->tool->noun_cues));
        }
    }
    return filled;
}

/* ---- grounding (world 4.6) ------------------------------------------------------------------- */

struct grounding {
    const struct node *arguments;
    uint32_t k;
    struct span subject; /* what everything is called */
    bool keep_locators;
};

static struct span hint_of(struct world *w, const struct node *arguments)
{
    static const char *const keys[] = {"query", "q", "category", "subject", "pattern", "topic"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct node *v = node_find(arguments, keys[i]);
        if (!node_is(v, JSON_VALUE_STRING) || utf8_length(text_strip(v->text)) < WORLD_HINT_MIN)
            continue;
        buf_clear(&w->scratch);
        struct span word;
        for (size_t at = 0; text_next_word(v->text, &at, &word);) {
            if (w->scratch.len)
                buf_byte(&w->scratch, ' ');
            buf_span_add(&w->scratch, word);
        }
        return arena_span(&w->arena, utf8_head(buf_span(&w->scratch), WORLD_HINT_MAX));
    }
    return (struct span){NULL, 0};
}

static struct node *label(struct world *w, const struct grounding *g, uint64_t i)
{
    return words_value(w, pool_pick(&w->options->adjectives, g->k + 7919 * i, 7), g->subject);
}

static void ground_images(struct world *w, struct node *images, struct span name)
{
    struct buf lower = {0}, slug = {0};
    text_lower(name, &lower);
    for (size_t i = 0; i < lower.len; i++) {
        char ch = lower.data[i];
        if (digit(ch) || (ch >= 'a' && ch <= 'z'))
            buf_byte(&slug, ch);
        else if (slug.len && slug.data[slug.len - 1] != '-')
            buf_byte(&slug, '-');
    }
    while (slug.len && slug.data[slug.len - 1] == '-')
        slug.len--;
    if (slug.len == 0)
        buf_text(&slug, "item");
    size_t count = images->count;
    images->first = images->last = NULL;
    images->count = 0;
    for (size_t i = 1; i <= count; i++) {
        buf_clear(&lower);
        buf_format(&lower, "https://example.com/images/%s-%zu.jpg", buf_cstr(&slug), i);
        node_append(images, node_text(&w->arena, buf_span(&lower)));
    }
    buf_free(&lower);
    buf_free(&slug);
}

static bool is_image_key(struct span key)
{
    char lower[8];
    if (key.len < 5 || key.len > 6)
        return false;
    for (size_t i = 0; i < key.len; i++)
        lower[i] = (char)(key.ptr[i] | 0x20);
    return memcmp(lower, "images", key.len) == 0;
}

static bool said_so(const struct grounding *g, const struct node *m)
{
    const struct node *said = node_get(g->arguments, m->key);
    return g->keep_locators && node_is(said, JSON_VALUE_STRING) && span_equal(said->text, m->text);
}

static void ground_walk(struct world *w, const struct grounding *g, struct node *v, uint64_t i)
{
    uint64_t j = 0;
    if (v->type == JSON_VALUE_ARRAY) {
        for (struct node *item = v->first; item; item = item->next)
            ground_walk(w, g, item, 7 * i + ++j);
        return;
    }
    if (v->type != JSON_VALUE_OBJECT)
        return;
    for (struct node *m = v->first; m; m = m->next) {
        if (m->type == JSON_VALUE_STRING && key_is_title(m->key)) {
            if (said_so(g, m))
                continue;
            m->text = label(w, g, i)->text;
            if (m->key.len == 11) { /* description, the only one of that length: a sentence */
                buf_clear(&w->scratch);
                buf_span_add(&w->scratch, m->text);
                buf_byte(&w->scratch, '.');
                m->text = arena_span(&w->arena, buf_span(&w->scratch));
            }
        } else if (m->type == JSON_VALUE_ARRAY && m->count && is_image_key(m->key)) {
            ground_images(w, m, label(w, g, i)->text);
        } else {
            ground_walk(w, g, m, i);
        }
    }
}

void ground(struct world *w, const struct call *c, uint32_t k, struct node *data)
{
    struct grounding g = {
        .arguments = c->arguments, .k = k, .keep_locators = w->options->keep_locators};
    g.subject = hint_of(w, c->arguments);
    if (g.subject.len == 0)
        g.subject = c->tool->noun.len ? c->tool->noun : SPAN("item");
    ground_walk(w, &g, data, 0);
}

/* ---- the payload (world 4.2) ----------------------------------------------------------------- */

static void remember_entry(struct world *w, const struct node *entry)
{
    const struct node *ident = node_find(entry, "asin");
    if (!node_truthy(ident))
        ident = node_find(entry, "id");
    if (node_given(ident))
        entity_store(w, node_str(w, ident), entry);
}

void remember(struct world *w, const struct node *data)
{
    static const char *const lists[] = {"items", "products", "results"};
    bool listed = false;
    for (int i = 0; i < 3; i++) {
        const struct node *list = node_find(data, lists[i]);
        if (!node_is(list, JSON_VALUE_ARRAY) || !node_is(list->first, JSON_VALUE_OBJECT))
            continue;
        listed = true;
        for (const struct node *entry = list->first; entry; entry = entry->next)
            if (entry->type == JSON_VALUE_OBJECT)
                remember_entry(w, entry);
    }
    if (!listed)
        remember_entry(w, data);
}

static struct node *finish(struct world *w, const struct call *c, uint32_t k, struct node *data)
{
    if (!kind_is_code(c->kind))
        ground(w, c, k, data);
    remember(w, data);
    return data;
}

/* Adds the payload's members to result, which holds its status already. */
struct node *world_payload(struct world *w, struct call *c, struct node *result)
{
    uint32_t k = c->n;
    struct node *data = NULL;
    if (c->n_refs) {
        k = draw_entity(w, c->refs[0]);
        const struct entity *e = entity_find(w, c->refs[0]);
        data = e ? entity_data(w, e) : NULL;
    }
    if (!data && c->tool->shape) {
        data = shaped_data(w, c, k);
        data = data ? finish(w, c, k, data) : NULL;
    }
    if (!data && c->kind == KIND_MONEY)
        return money_payload(w, k, result);
    if (!data) {
        data = kind_is_code(c->kind) ? code_data(w, c, k) : records_data(w, c, k);
        data = finish(w, c, k, data);
    }
    node_set(result, SPAN("data"), data);
    return result;
}
