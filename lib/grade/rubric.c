/* rubric.c: criteria read from files and values, written for judges; see rubric.h. */
#include "grade/rubric.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "grade/defaults.h"
#include "row/value.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/number.h"
#include "json/pyjson.h"
#include "json/tree.h"

static const char *const KIND_NAMES[] = {"hard", "principle", "pitfall"};
static const char *const KIND_WORDS[] = {"Hard rule", "Principle", "Pitfall"};

const char *rubric_kind_name(enum rubric_kind kind)
{
    return KIND_NAMES[kind];
}

/* ---- which kind -------------------------------------------------------------------------------- */

/* What a category's word makes of a criterion. */
static const struct category {
    const char *word;
    enum rubric_kind kind;
} CATEGORIES[] = {
    {"essential", RUBRIC_HARD},      {"hard rule", RUBRIC_HARD},
    {"important", RUBRIC_PRINCIPLE}, {"optional", RUBRIC_PRINCIPLE},
    {"principle", RUBRIC_PRINCIPLE}, {"pitfall", RUBRIC_PITFALL},
};

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The category whose word stands at `at` of a lower-cased text and ends there; NULL: none. */
static const struct category *category_at(struct span s, size_t at)
{
    for (size_t i = 0; i < sizeof CATEGORIES / sizeof *CATEGORIES; i++) {
        struct span word = span_text(CATEGORIES[i].word), rest = span_slice(s, at, s.len);
        if (span_starts(rest, word) && (rest.len == word.len || !word_byte(rest.ptr[word.len])))
            return &CATEGORIES[i];
    }
    return NULL;
}

/* In front of the text, in brackets or not. */
static const struct category *category_leading(struct span lower)
{
    size_t at = 0;
    while (at < lower.len && (isspace((unsigned char)lower.ptr[at]) || lower.ptr[at] == '['))
        at++;
    return at < lower.len ? category_at(lower, at) : NULL;
}

/* In brackets anywhere: "[pitfall]", "[Essential criteria]". */
static const struct category *category_bracketed(struct span lower)
{
    for (size_t i = 0; i < lower.len; i++) {
        if (lower.ptr[i] != '[')
            continue;
        size_t at = i + 1;
        while (at < lower.len && isspace((unsigned char)lower.ptr[at]))
            at++;
        const struct category *c = at < lower.len ? category_at(lower, at) : NULL;
        if (!c)
            continue;
        at += strlen(c->word);
        while (at < lower.len && isspace((unsigned char)lower.ptr[at]))
            at++;
        struct span rest = span_slice(lower, at, lower.len);
        if (span_starts(rest, SPAN("criteria")))
            rest = span_slice(rest, 8, rest.len);
        else if (span_starts(rest, SPAN("criterion")))
            rest = span_slice(rest, 9, rest.len);
        rest = text_strip(rest);
        if (rest.len && rest.ptr[0] == ']')
            return c;
    }
    return NULL;
}

static const struct category *category_of(const struct criterion *item)
{
    struct buf title = {0}, description = {0};
    text_lower(item->title, &title);
    text_lower(item->description, &description);
    const struct category *c = category_leading(buf_span(&description));
    if (!c)
        c = category_leading(buf_span(&title));
    if (!c)
        c = category_bracketed(buf_span(&title));
    if (!c)
        c = category_bracketed(buf_span(&description));
    buf_free(&title);
    buf_free(&description);
    return c;
}

static enum rubric_kind kind_named(struct span name)
{
    struct buf lower = {0};
    enum rubric_kind kind = RUBRIC_PRINCIPLE;
    text_lower(text_strip(name), &lower);
    for (int i = RUBRIC_HARD; i <= RUBRIC_PITFALL; i++)
        if (span_is(buf_span(&lower), KIND_NAMES[i]))
            kind = (enum rubric_kind)i;
    buf_free(&lower);
    return kind;
}

/* ---- names ------------------------------------------------------------------------------------- */

void rubric_slug(struct span text, struct buf *out)
{
    struct buf lower = {0};
    buf_clear(out);
    text_lower(text, &lower);
    for (size_t i = 0; i < lower.len; i++) {
        char c = lower.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            buf_byte(out, c);
        else if (out->len && out->data[out->len - 1] != '_')
            buf_byte(out, '_');
    }
    while (out->len && out->data[out->len - 1] == '_')
        out->len--;
    if (out->len > RUBRIC_SLUG_CHARS)
        out->len = RUBRIC_SLUG_CHARS;
    buf_free(&lower);
}

/* The title's slug; a title without a Latin letter or digit is numbered, and so is a later one of
 * two that are alike. */
static void name_item(struct rubric *r, struct map *names, struct criterion *item, size_t position)
{
    struct buf slug = {0}, own = {0};
    bool fresh;
    rubric_slug(item->title, &slug);
    if (!slug.len)
        buf_format(&slug, "c%zu", position);
    buf_span_add(&own, buf_span(&slug));
    for (size_t n = 2; map_add(names, buf_span(&own), &fresh), !fresh; n++) {
        buf_clear(&own);
        buf_span_add(&own, buf_span(&slug));
        buf_format(&own, "_%zu", n);
    }
    item->slug = arena_span(&r->arena, buf_span(&own));
    buf_free(&slug);
    buf_free(&own);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static struct span text_member(struct rubric *r, struct json_value object, struct span key)
{
    struct json_value value;
    struct buf scratch = {0};
    struct span text = SPAN("");
    if (json_get(object, key, &value) && json_truthy(value))
        text = arena_span(&r->arena, text_strip(value_text(value, &scratch)));
    buf_free(&scratch);
    return text;
}

static int read_weight(struct json_value object, const char *name, size_t position,
                       struct criterion *item, bool *negative, struct error *error)
{
    struct json_value value;
    double x = 1;
    *negative = false;
    if (json_get(object, SPAN("weight"), &value) && value_float(value, &x) && !isfinite(x))
        return error_set(error, ERROR_INPUT,
                         "%s: criterion %zu has a weight that is no number; write one above 0",
                         name, position);
    *negative = x < 0;
    item->weight = x == 0 ? 1 : fabs(x);
    return 0;
}

static int read_item(struct rubric *r, struct json_value value, const char *name, size_t position,
                     struct criterion *item, struct error *error)
{
    struct json_value kind;
    struct buf scratch = {0};
    bool negative;
    *item = (struct criterion){.kind = RUBRIC_PRINCIPLE, .weight = 1};
    if (value.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_INPUT,
                         "%s: criterion %zu is no object; write {\"title\": …, \"description\": …}",
                         name, position);
    item->title = text_member(r, value, SPAN("title"));
    item->description = text_member(r, value, SPAN("description"));
    if (!item->title.len)
        return error_set(error, ERROR_INPUT, "%s: criterion %zu has no title; give it one", name,
                         position);
    int rc = read_weight(value, name, position, item, &negative, error);
    const struct category *implied = category_of(item);
    if (json_get(value, SPAN("kind"), &kind) && json_truthy(kind))
        item->kind = kind_named(value_text(kind, &scratch));
    else if (implied)
        item->kind = implied->kind;
    else if (negative)
        item->kind = RUBRIC_PITFALL;
    buf_free(&scratch);
    return rc;
}

void rubric_write(const struct rubric *r, struct json_writer *w)
{
    json_write_array(w);
    for (size_t i = 0; i < r->count; i++) {
        json_write_object(w);
        json_write_key(w, "title");
        json_write_span(w, r->items[i].title);
        json_write_key(w, "description");
        json_write_span(w, r->items[i].description);
        json_write_key(w, "weight");
        json_write_real(w, r->items[i].weight);
        json_write_key(w, "kind");
        json_write_text(w, KIND_NAMES[r->items[i].kind]);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void rubric_renew_version(struct rubric *r)
{
    struct buf text = {0}, python = {0};
    struct json_writer w;
    struct json_value value;
    struct json_fault fault;
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    json_write_start(&w, &text, JSON_STYLE_COMPACT);
    rubric_write(r, &w);
    json_scan(buf_span(&text), &value, NULL, &fault);
    json_pyjson_sorted(value, &python);
    digest_sha256(buf_span(&python), digest);
    digest_hex(digest, sizeof digest, hex);
    memcpy(r->version, hex, RUBRIC_VERSION);
    buf_free(&text);
    buf_free(&python);
}

static void clear(struct rubric *r)
{
    r->count = 0;
    arena_clear(&r->arena);
    memset(r->version, 0, sizeof r->version);
}

int rubric_of_value(struct rubric *r, struct json_value value, const char *name,
                    struct error *error)
{
    struct map names = {0};
    struct json_value list = value, item;
    int rc = 0;
    clear(r);
    if (value.type == JSON_VALUE_OBJECT)
        json_get(value, SPAN("criteria"), &list);
    if (list.type != JSON_VALUE_ARRAY || json_count(list) == 0)
        return error_set(error, ERROR_INPUT,
                         "%s: no list of criteria; write [{\"title\": …}] or {\"criteria\": […]}",
                         name);
    struct json_cursor c = json_enter(list);
    for (size_t i = 1; !rc && json_next_item(&c, &item); i++) {
        r->items = mem_grow(r->items, &r->cap, r->count + 1, sizeof *r->items);
        rc = read_item(r, item, name, i, &r->items[r->count], error);
        if (!rc)
            name_item(r, &names, &r->items[r->count++], i);
    }
    map_free(&names);
    if (!rc)
        rubric_renew_version(r);
    return rc;
}

bool rubric_is_criteria(const char *path)
{
    struct span name = span_text(path);
    return span_ends(name, SPAN(".json")) || span_ends(name, SPAN(".yaml")) ||
           span_ends(name, SPAN(".yml"));
}

int rubric_file(const char *path, struct buf *text, struct error *error)
{
    if (span_ends(span_text(path), SPAN(".json")))
        return file_read(path, RUBRIC_FILE_MAX, text, error);
    json_t *tree = json_tree_file(path, error);
    if (!tree)
        return error->code;
    json_tree_write(tree, text);
    json_decref(tree);
    return 0;
}

int rubric_read(struct rubric *r, const char *path, struct error *error)
{
    struct buf text = {0};
    struct json_value value;
    struct json_fault fault;
    int rc = rubric_file(path, &text, error);
    if (!rc && json_scan(buf_span(&text), &value, NULL, &fault) < 0)
        rc = error_set(error, ERROR_INPUT, "%s: %s at byte %zu; it is to be JSON", path, fault.what,
                       fault.offset);
    if (!rc)
        rc = rubric_of_value(r, value, path, error);
    buf_free(&text);
    return rc;
}

void rubric_free(struct rubric *r)
{
    free(r->items);
    arena_free(&r->arena);
    *r = (struct rubric){0};
}

/* ---- on rows ----------------------------------------------------------------------------------- */

void rubric_attach(const struct row *row, struct span rubric, bool keep, struct json_edit *edit)
{
    const struct json_value *block = row_get(row, SPAN("privileged"));
    struct json_edit inner = {0};
    struct json_members members = {0};
    struct json_value old;
    struct span object = SPAN("{}");
    struct buf out = {0};
    bool is_object = block && block->type == JSON_VALUE_OBJECT;
    if (keep && is_object && json_get(*block, SPAN("rubric"), &old) && json_truthy(old))
        return;
    if (is_object) {
        object = block->text;
        json_members_of(*block, &members);
    }
    json_edit_set(&inner, SPAN("rubric"), rubric);
    json_edit_apply(&inner, object, &members, &out);
    json_edit_set(edit, SPAN("privileged"), buf_span(&out));
    json_edit_free(&inner);
    json_members_free(&members);
    buf_free(&out);
}

/* ---- for judges -------------------------------------------------------------------------------- */

void rubric_checklist(const struct rubric *r, const enum rubric_answer *only, struct buf *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct criterion *item = &r->items[i];
        if (only && only[i] != RUBRIC_UNANSWERED)
            continue;
        if (out->len)
            buf_byte(out, '\n');
        buf_format(out, "%zu. [%s, weight %g] ", i + 1, KIND_WORDS[item->kind], item->weight);
        buf_span_add(out, item->title);
        if (item->description.len) {
            buf_text(out, ": ");
            buf_span_add(out, item->description);
        }
    }
}
