/* world.c: a world's life: its tools, its entities, and one call in the order of world 3.2. */
#include "world/world.h"

#include <stdlib.h>

#include "text/digest.h"
#include "text/fold.h"
#include "world/inside.h"
#include "world/placeholder.h"
#include "json/pyjson.h"

/* ---- tools ----------------------------------------------------------------------------------- */

static struct world_key read_key(struct span key, struct buf *scratch)
{
    struct span lower = name_lower(key, scratch);
    return (struct world_key){key, key_classes(lower), word_cues(lower)};
}

static void read_parameters(struct world_tools *tools, struct world_tool *t,
                            const struct row_tool *tool)
{
    struct buf lower = {0};
    if (tool->parameters.text.ptr && tool->parameters.type == JSON_VALUE_OBJECT)
        t->parameters = node_parse(&tools->arena, tool->parameters);
    const struct node *properties = node_find(t->parameters, "properties");
    if (node_is(properties, JSON_VALUE_OBJECT)) {
        t->keys = arena_alloc(&tools->arena, (properties->count + 1) * sizeof *t->keys);
        for (const struct node *p = properties->first; p; p = p->next) {
            t->keys[t->n_keys] = read_key(p->key, &lower);
            t->classes |= t->keys[t->n_keys++].classes;
        }
    }
    buf_free(&lower);
}

static void read_tool(struct world_tools *tools, struct world_tool *t, const struct row_tool *tool,
                      const struct world_options *options, const struct node *shapes)
{
    struct buf lower = {0};
    t->name = arena_span(&tools->arena, tool->name);
    t->lower = arena_span(&tools->arena, name_lower(t->name, &lower));
    t->noun = name_noun(t->lower);
    size_t underscore = span_find(t->lower, SPAN("_"), 0);
    t->issued = underscore == (size_t)-1 ? t->lower : span_slice(t->lower, 0, underscore);
    t->verbs = name_verbs(t->lower);
    t->hints = name_hints(t->lower);
    t->cues = word_cues(t->lower);
    t->noun_cues = word_cues(t->noun);
    /* the name is in front of the description, but a word in it has no boundary where a kind needs
     * one */
    buf_clear(&lower);
    buf_span_add(&lower, t->lower);
    buf_byte(&lower, ' ');
    struct buf description = {0};
    buf_span_add(&lower, name_lower(tool->description, &description));
    t->speaks_of_ci = name_speaks_of_ci(buf_span(&lower));
    const struct node *kind = node_get(options->result_kinds, t->name);
    t->forced_kind = kind ? kind_of_name(kind->text) : -1;
    const struct node *shape = node_get(shapes, t->name);
    t->shape = node_is(shape, JSON_VALUE_OBJECT) && shape->count ? shape : NULL;
    read_parameters(tools, t, tool);
    buf_free(&lower);
    buf_free(&description);
}

struct world_tools *world_tools_new(const struct row_tools *list,
                                    const struct world_options *options, const struct node *shapes)
{
    struct world_tools *tools = mem_zero(1, sizeof *tools);
    tools->items = mem_zero(list->count ? list->count : 1, sizeof *tools->items);
    for (size_t i = 0; i < list->count; i++) {
        size_t n = map_add(&tools->names, list->items[i].name, NULL);
        read_tool(tools, &tools->items[n], &list->items[i], options, shapes);
    }
    return tools;
}

void world_tools_free(struct world_tools *tools)
{
    if (!tools)
        return;
    map_free(&tools->names);
    arena_free(&tools->arena);
    free(tools->items);
    free(tools);
}

/* ---- life ------------------------------------------------------------------------------------ */

enum world_state world_state_of(struct span words)
{
    if (span_is(words, "entity exists") || span_is(words, "exists"))
        return WORLD_STATE_EXISTS;
    if (span_is(words, "entity missing") || span_is(words, "missing"))
        return WORLD_STATE_MISSING;
    if (span_is(words, "entity already acted on") || span_is(words, "already_done"))
        return WORLD_STATE_DONE;
    return WORLD_STATE_NONE;
}

struct world *world_new(const struct world_tools *tools, const struct world_options *options)
{
    struct world *w = mem_zero(1, sizeof *w);
    w->tools = tools;
    w->options = options;
    return w;
}

void world_start(struct world *w, int64_t seed, const struct node *plan, enum world_state state)
{
    w->seed = seed;
    w->plan = plan;
    const struct node *rider = node_find(plan, "world_state");
    if (state == WORLD_STATE_NONE && node_is(rider, JSON_VALUE_STRING))
        state = world_state_of(rider->text);
    w->state = state;
    for (size_t i = 0; i < w->names.count; i++) {
        struct entity *e = &w->entities[i];
        struct buf data = e->data;
        buf_clear(&data);
        *e = (struct entity){.data = data};
    }
    w->free_data = w->names.count > w->free_data ? w->names.count : w->free_data;
    map_clear(&w->names);
    map_clear(&w->faulted);
    arena_clear(&w->arena);
}

void world_free(struct world *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->free_data || i < w->names.count; i++)
        buf_free(&w->entities[i].data);
    free(w->entities);
    free(w->faulted_times);
    map_free(&w->names);
    map_free(&w->faulted);
    arena_free(&w->arena);
    buf_free(&w->scratch);
    buf_free(&w->scratch2);
    free(w);
}

/* ---- entities -------------------------------------------------------------------------------- */

/* The record of a text, made when it is the first time. */
static struct entity *entity_any(struct world *w, struct span text)
{
    bool fresh;
    size_t n = map_add(&w->names, text, &fresh);
    if (n >= w->entities_cap) {
        size_t old = w->entities_cap;
        w->entities = mem_grow(w->entities, &w->entities_cap, n + 1, sizeof *w->entities);
        memset(w->entities + old, 0, (w->entities_cap - old) * sizeof *w->entities);
    }
    return &w->entities[n];
}

struct entity *entity_slot(struct world *w, struct span text)
{
    struct entity *e = entity_any(w, text);
    e->present = true;
    return e;
}

struct entity *entity_find(struct world *w, struct span text)
{
    size_t n = map_find(&w->names, text);
    return n != MAP_NONE && w->entities[n].present ? &w->entities[n] : NULL;
}

/* ^[a-z]+_[0-9a-f]{12}$: an id that only a world could have issued. */
static bool looks_issued(struct span s)
{
    size_t i = 0;
    while (i < s.len && s.ptr[i] >= 'a' && s.ptr[i] <= 'z')
        i++;
    if (i == 0 || s.len != i + 1 + WORLD_DIGEST_HEX || s.ptr[i] != '_')
        return false;
    for (i++; i < s.len; i++)
        if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f')))
            return false;
    return true;
}

bool entity_exists(struct world *w, struct span text)
{
    size_t n = map_find(&w->names, text);
    const struct entity *e = n == MAP_NONE ? NULL : &w->entities[n];
    if (w->state == WORLD_STATE_EXISTS)
        return !(e && e->deleted);
    if (w->state == WORLD_STATE_MISSING)
        return false;
    if (e && e->present)
        return true;
    if ((e && e->deleted) || looks_issued(text))
        return false;
    buf_clear(&w->scratch);
    buf_format(&w->scratch, "exists:%lld:", (long long)w->seed);
    buf_span_add(&w->scratch, text);
    return digest_n32(buf_span(&w->scratch)) % 10 < w->options->exists_tenths;
}

void entity_store(struct world *w, struct span text, const struct node *data)
{
    struct entity *e = entity_slot(w, text);
    buf_clear(&e->data);
    node_json(data, false, &e->data);
    e->has_data = data->count > 0;
}

struct node *entity_data(struct world *w, const struct entity *e)
{
    struct json_value json;
    struct json_fault fault;
    if (!e->has_data || json_scan(buf_span(&e->data), &json, NULL, &fault))
        return NULL;
    return node_parse(&w->arena, json);
}

/* ---- what a call says ------------------------------------------------------------------------ */

struct walk {
    struct world *w;
    struct call *c;
    size_t cap;
};

static void add_reference(struct walk *k, const struct node *v)
{
    bool text = v->type == JSON_VALUE_STRING && v->text.len;
    bool whole = v->type == JSON_VALUE_TRUE || v->type == JSON_VALUE_FALSE ||
                 (v->type == JSON_VALUE_NUMBER && v->integer);
    if (!text && !whole)
        return;
    if (k->c->n_refs == k->cap) {
        size_t cap = k->cap ? 2 * k->cap : 8;
        struct span *grown = arena_alloc(&k->w->arena, cap * sizeof *grown);
        if (k->cap)
            memcpy(grown, k->c->refs, k->cap * sizeof *grown);
        k->c->refs = grown;
        k->cap = cap;
    }
    k->c->refs[k->c->n_refs++] = node_str(k->w, v);
}

/* References in walk order (world 3.3). Bare items of an array have no key and never count. */
static void walk_references(struct walk *k, const struct node *v)
{
    for (const struct node *m = v->first; m; m = m->next) {
        if (m->type == JSON_VALUE_OBJECT || m->type == JSON_VALUE_ARRAY)
            walk_references(k, m);
        else if (v->type == JSON_VALUE_OBJECT && key_is_reference(m->key))
            add_reference(k, m);
    }
}

static struct world_key known_key(const struct world_tool *tool, struct span key,
                                  struct buf *scratch)
{
    for (size_t i = 0; i < tool->n_keys; i++)
        if (span_equal(tool->keys[i].key, key))
            return tool->keys[i];
    return read_key(key, scratch);
}

static void read_call(struct world *w, struct call *c)
{
    struct buf *b = &w->scratch;
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    buf_clear(b);
    buf_text(b, "{\"arguments\": ");
    node_pyjson(c->arguments, true, b);
    buf_format(b, ", \"seed\": %lld, \"tool\": ", (long long)w->seed);
    py_json_quote(c->tool->name, b);
    buf_byte(b, '}');
    digest_sha256(buf_span(b), digest);
    digest_hex(digest, WORLD_DIGEST_HEX / 2, hex);
    c->digest = arena_span(&w->arena, span_make(hex, WORLD_DIGEST_HEX));
    c->n = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
           digest[3];
    walk_references(&(struct walk){w, c, 0}, c->arguments);
    for (const struct node *m = c->arguments->first; m; m = m->next) {
        struct world_key key = known_key(c->tool, m->key, b);
        c->classes |= key.classes;
        c->cues |= key.cues;
    }
    c->kind = c->tool->forced_kind >= 0
                  ? (enum world_kind)c->tool->forced_kind
                  : kind_of(c->tool->hints, c->classes | c->tool->classes, c->tool->speaks_of_ci);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static struct node *with_status(struct world *w, const char *status, const char *reason)
{
    struct node *result = node_object(&w->arena);
    node_add(result, "status", node_borrow(&w->arena, span_text(status)));
    if (reason)
        node_add(result, "reason", node_borrow(&w->arena, span_text(reason)));
    return result;
}

static void missing_required(struct world *w, const struct node *schema,
                             const struct node *arguments, struct span prefix, struct node *fields)
{
    const struct node *required = node_find(schema, "required");
    const struct node *properties = node_find(schema, "properties");
    if (!node_is(required, JSON_VALUE_ARRAY))
        return;
    for (const struct node *name = required->first; name; name = name->next) {
        if (name->type != JSON_VALUE_STRING)
            continue;
        const struct node *given = node_get(arguments, name->text);
        const struct node *property = node_get(properties, name->text);
        const struct node *type = node_find(property, "type");
        bool deeper = node_given(given) && node_is(type, JSON_VALUE_STRING) &&
                      span_is(type->text, "object") && given->type == JSON_VALUE_OBJECT;
        if (node_given(given) && !deeper)
            continue;
        buf_clear(&w->scratch);
        buf_span_add(&w->scratch, prefix);
        buf_span_add(&w->scratch, name->text);
        if (!deeper) {
            node_append(fields, node_text(&w->arena, buf_span(&w->scratch)));
        } else {
            buf_byte(&w->scratch, '.');
            missing_required(w, property, given, arena_span(&w->arena, buf_span(&w->scratch)),
                             fields);
        }
    }
}

static const struct node *refuse_missing(struct world *w, const struct call *c)
{
    struct node *fields = node_array(&w->arena);
    missing_required(w, c->tool->parameters, c->arguments, SPAN(""), fields);
    if (!fields->count)
        return NULL;
    struct node *result = with_status(w, "rejected", "missing_required");
    node_add(result, "fields", fields);
    return result;
}

static const struct node *refuse_placeholders(struct world *w, const struct call *c)
{
    struct node *fields = node_array(&w->arena);
    placeholder_fields(&w->arena, c->arguments, fields);
    if (!fields->count)
        return NULL;
    struct node *result = with_status(w, "rejected", "placeholder_argument");
    node_add(result, "fields", fields);
    node_add(
        result, "hint",
        node_borrow(&w->arena, SPAN("These values name what should stand there. Ask the person "
                                    "for the real ones, then call again.")));
    return result;
}

static const struct node *not_found(struct world *w, struct span *texts, size_t count)
{
    struct node *result = with_status(w, "not_found", NULL), *missing = node_array(&w->arena);
    for (size_t i = 0; i < count; i++)
        node_append(missing, node_borrow(&w->arena, texts[i]));
    if (!count)
        node_append(missing, node_borrow(&w->arena, SPAN("entity")));
    node_add(result, "missing", missing);
    return result;
}

/* The references that do not exist, as a not_found answer; NULL: all do. */
static const struct node *dangling(struct world *w, const struct call *c)
{
    if (!c->n_refs)
        return NULL;
    struct span *missing = arena_alloc(&w->arena, c->n_refs * sizeof *missing);
    size_t count = 0;
    for (size_t i = 0; i < c->n_refs; i++)
        if (!entity_exists(w, c->refs[i]))
            missing[count++] = c->refs[i];
    return count ? not_found(w, missing, count) : NULL;
}

/* ---- writes (world 3.7) ---------------------------------------------------------------------- */

static const struct node *write_file(struct world *w, const struct call *c)
{
    struct span path = file_path(w, c->arguments, c->n);
    entity_slot(w, path);
    const struct node *content = node_find(c->arguments, "content");
    if (!node_truthy(content))
        content = node_find(c->arguments, "diff");
    size_t bytes;
    if (node_truthy(content)) {
        bytes = node_str(w, content).len;
    } else {
        struct buf text = {0};
        file_text(w, path, c->n, &text);
        bytes = text.len;
        buf_free(&text);
    }
    struct node *result = with_status(w, "ok", NULL);
    node_add(result, "path", node_text(&w->arena, path));
    node_add(result, "bytes_written", node_int(&w->arena, (int64_t)bytes));
    return result;
}

static struct node *issued_id(struct world *w, const struct call *c)
{
    buf_clear(&w->scratch);
    buf_span_add(&w->scratch, c->tool->issued);
    buf_format(&w->scratch, "_%u", (unsigned)(c->n % WORLD_ISSUED_MODULUS));
    return node_text(&w->arena, buf_span(&w->scratch));
}

static struct node *created_record(struct world *w, const struct call *c)
{
    struct arena *a = &w->arena;
    struct node *record = node_object(a);
    for (const struct node *arg = c->arguments->first; arg; arg = arg->next)
        if (node_given(arg)) {
            struct node *copy = node_copy(a, arg);
            copy->key = arg->key;
            node_append(record, copy);
        }
    bool bare = record->count == 0;
    if (bare || !node_find(record, "id"))
        node_add(record, "id", issued_id(w, c));
    if (bare)
        node_add(record, "ok", node_bool(a, true));
    else if (!node_find(record, "ref"))
        node_add(record, "ref", node_borrow(a, span_slice(c->digest, 0, WORLD_REF_HEX)));
    return record;
}

static struct span created_key(struct world *w, const struct call *c, const struct node *record)
{
    const struct node *key = node_find(record, "number");
    if (!node_truthy(key))
        key = node_find(record, "id");
    if (node_truthy(key))
        return node_str(w, key);
    return node_int(&w->arena, range_id(w->options->ids, c->n))->text;
}

static const struct node *create(struct world *w, const struct call *c)
{
    struct node *record = created_record(w, c);
    struct span key = created_key(w, c, record);
    entity_slot(w, key);
    if (w->options->persist_writes)
        entity_store(w, key, record);
    for (size_t i = 0; i < c->n_refs; i++)
        entity_slot(w, c->refs[i]);
    struct node *result = with_status(w, "created", NULL);
    for (struct node *m = record->first, *next; m; m = next) {
        next = m->next;
        node_set(result, m->key, m);
    }
    return result;
}

static const struct node *delete (struct world *w, const struct call *c)
{
    struct node *result = with_status(w, "deleted", NULL), *removed = node_array(&w->arena);
    for (size_t i = 0; i < c->n_refs; i++) {
        struct entity *e = entity_any(w, c->refs[i]);
        e->present = false;
        e->deleted = true;
        e->has_data = false;
        e->version = 0;
        node_append(removed, node_borrow(&w->arena, c->refs[i]));
    }
    node_add(result, "removed", removed);
    return result;
}

/* With persist_writes: what the update says, locators aside, becomes part of each record it names.
 */
static void apply_update(struct world *w, const struct call *c)
{
    for (size_t i = 0; i < c->n_refs; i++) {
        struct node *data = entity_data(w, entity_slot(w, c->refs[i]));
        if (!data)
            data = records_data(w, c, draw_entity(w, c->refs[i]));
        for (const struct node *arg = c->arguments->first; arg; arg = arg->next) {
            if (!node_given(arg) || key_is_reference(arg->key) || key_is_locator(arg->key))
                continue;
            struct node *copy = node_copy(&w->arena, arg);
            node_set(data, arg->key, copy);
        }
        entity_store(w, c->refs[i], data);
    }
}

/* ---- one call, in order (world 3.2) ---------------------------------------------------------- */

static const struct node *answer(struct world *w, struct call *c)
{
    const struct node *refused;
    unsigned verbs = c->tool->verbs;
    if (w->state == WORLD_STATE_MISSING)
        return not_found(w, c->refs, c->n_refs);
    if (w->state == WORLD_STATE_DONE && !(verbs & VERB_READ))
        return with_status(w, "already_done", "already_acted_on");
    if ((refused = refuse_missing(w, c)) || (refused = refuse_placeholders(w, c)))
        return refused;
    if (c->kind == KIND_FILE && (verbs & (VERB_CREATE | VERB_FILE_MUTATE)))
        return write_file(w, c);
    if ((verbs & VERB_CREATE) && (c->kind == KIND_RECORD || c->kind == KIND_MONEY))
        return create(w, c);
    if ((refused = dangling(w, c)))
        return refused;
    if (!(verbs & VERB_READ)) {
        if (verbs & VERB_DELETE)
            return delete (w, c);
        for (size_t i = 0; i < c->n_refs; i++)
            entity_slot(w, c->refs[i])->version++;
        if (w->options->persist_writes)
            apply_update(w, c);
    }
    return world_payload(w, c, with_status(w, "ok", NULL));
}

/* Begins a call; what is wrong with it, or the fault that fires, else NULL. */
static const struct node *begin_call(struct world *w, struct span tool,
                                     const struct node *arguments, struct call *c)
{
    arena_clear(&w->arena);
    size_t n = map_find(&w->tools->names, tool);
    if (n == MAP_NONE) {
        struct node *result = with_status(w, "error", "unknown_tool");
        node_add(result, "tool", node_text(&w->arena, tool));
        return result;
    }
    if (!arguments)
        arguments = node_object(&w->arena);
    if (arguments->type != JSON_VALUE_OBJECT)
        return with_status(w, "rejected", "arguments_not_object");
    *c = (struct call){.tool = &w->tools->items[n], .arguments = arguments};
    read_call(w, c);
    return world_fault(w, c, arguments);
}

const struct node *world_call(struct world *w, struct span tool, const struct node *arguments)
{
    struct call c;
    const struct node *result = begin_call(w, tool, arguments, &c);
    if (!result)
        result = calculator(w, &c);
    return result ? result : answer(w, &c);
}

const struct node *world_call_refused(struct world *w, struct span tool,
                                      const struct node *arguments)
{
    struct call c;
    return begin_call(w, tool, arguments, &c);
}

struct span world_status(const struct node *result)
{
    const struct node *status = node_find(result, "status");
    return node_is(status, JSON_VALUE_STRING) ? status->text : (struct span){NULL, 0};
}
