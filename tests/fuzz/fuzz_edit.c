/* fuzz_edit.c: changes to an object. The input is a line of changes (`=key value`, `"key text`,
 * `-key`, separated by `;`) and then the object. The result must be an object in which each change
 * has been made and every other member has its bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "text/utf8.h"
#include "json/edit.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

/* Adds the change; false when it is none. */
static bool add_change(struct json_edit *e, struct span change)
{
    struct json_value value;
    struct json_fault fault;
    size_t space = span_find(change, SPAN(" "), 0);
    if (change.len == 0 || !utf8_valid(change))
        return false;
    if (change.ptr[0] == '-') {
        json_edit_remove(e, span_slice(change, 1, change.len));
        return true;
    }
    if (space == (size_t)-1 || space == 0)
        return false;
    struct span key = span_slice(change, 1, space),
                rest = span_slice(change, space + 1, change.len);
    if (change.ptr[0] == '"') {
        json_edit_text(e, key, rest);
        return true;
    }
    if (change.ptr[0] != '=' || json_scan(rest, &value, NULL, &fault) < 0)
        return false;
    json_edit_set(e, key, rest);
    return true;
}

static void add_changes(struct json_edit *e, struct span line)
{
    for (size_t at = 0; at <= line.len;) {
        size_t end = span_find(line, SPAN(";"), at);
        if (end == (size_t)-1)
            end = line.len;
        add_change(e, span_slice(line, at, end));
        at = end + 1;
    }
}

/* Members that no change touches stand in the result in their order, byte by byte. */
static void check_untouched(const struct json_members *before, const struct json_members *after,
                            const struct json_members *changed)
{
    size_t at = 0;
    struct buf scratch = {0};
    for (size_t i = 0; i < before->count; i++) {
        const struct json_member *m = &before->items[i];
        if (json_find(changed, json_key(m, &scratch)))
            continue;
        while (at < after->count && !span_equal(after->items[at].key, m->key))
            at++;
        REQUIRE(at < after->count);
        REQUIRE(span_equal(after->items[at].value.text, m->value.text));
        at++;
    }
    buf_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = {(const char *)data, size};
    size_t line = span_find(text, SPAN("\n"), 0);
    struct json_members before = {0}, after = {0}, changed = {0}, told = {0};
    struct json_value value, result, changes;
    struct json_fault fault;
    if (line == (size_t)-1 ||
        json_scan(span_slice(text, line + 1, text.len), &value, &before, &fault) < 0 ||
        value.type != JSON_VALUE_OBJECT) {
        json_members_free(&before);
        return 0;
    }
    struct json_edit e = {0};
    struct buf out = {0}, alone = {0}, scratch = {0};
    add_changes(&e, span_slice(text, 0, line));
    json_edit_apply_members(&e, value.text, &before, &out, &told);
    REQUIRE(json_scan(buf_span(&out), &result, &after, &fault) == 0);
    REQUIRE(told.count == after.count);
    for (size_t i = 0; i < told.count; i++) {
        const struct json_value *a = &told.items[i].value, *b = &after.items[i].value;
        REQUIRE(told.items[i].key.ptr == after.items[i].key.ptr && a->text.ptr == b->text.ptr &&
                a->text.len == b->text.len && a->type == b->type && a->flags == b->flags);
    }
    if (e.count == 0)
        REQUIRE(span_equal(buf_span(&out), value.text));
    /* The same changes on an empty object show what was set. */
    json_edit_apply(&e, SPAN("{}"), &(struct json_members){0}, &alone);
    REQUIRE(json_scan(buf_span(&alone), &changes, &changed, &fault) == 0);
    for (size_t i = 0; i < changed.count; i++) {
        const struct json_member *m = json_find(&after, json_key(&changed.items[i], &scratch));
        REQUIRE(m && span_equal(m->value.text, changed.items[i].value.text));
    }
    if (changed.count == e.count) /* nothing is removed */
        check_untouched(&before, &after, &changed);
    json_members_free(&before);
    json_members_free(&after);
    json_members_free(&told);
    json_members_free(&changed);
    json_edit_free(&e);
    buf_free(&out);
    buf_free(&alone);
    buf_free(&scratch);
    return 0;
}
