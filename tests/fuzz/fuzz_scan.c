/* fuzz_scan.c: every path of the scanner gives one answer; what it accepts can be walked, decoded
 * and written again; Python's texts and trees of it are made without harm. */
#include <stdint.h>
#include <stdlib.h>

#include "json/pyjson.h"
#include "json/pytext.h"
#include "json/scan_path.h"
#include "json/tree.h"
#include "json/write.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

struct answer {
    int code;
    struct json_value value;
    struct json_members members;
    struct json_fault fault;
};

static void same_value(struct json_value a, struct json_value b)
{
    REQUIRE(a.text.ptr == b.text.ptr && a.text.len == b.text.len);
    REQUIRE(a.type == b.type && a.flags == b.flags);
}

static void same(const struct answer *a, const struct answer *b)
{
    REQUIRE(a->code == b->code);
    if (a->code < 0) {
        REQUIRE(a->fault.offset == b->fault.offset && strcmp(a->fault.what, b->fault.what) == 0);
        return;
    }
    same_value(a->value, b->value);
    REQUIRE(a->members.count == b->members.count);
    for (size_t i = 0; i < a->members.count; i++) {
        const struct json_member *x = &a->members.items[i], *y = &b->members.items[i];
        REQUIRE(x->key.ptr == y->key.ptr && x->key.len == y->key.len);
        REQUIRE(x->key_escaped == y->key_escaped);
        same_value(x->value, y->value);
    }
}

/* A decoded text, quoted and decoded again, is the same text. */
static void check_text(struct span text)
{
    struct buf quoted = {0}, scratch = {0};
    struct json_value again;
    struct json_fault fault;
    json_quote(&quoted, text);
    REQUIRE(json_scan(buf_span(&quoted), &again, NULL, &fault) == 0);
    REQUIRE(span_equal(json_text(again, &scratch), text));
    buf_clear(&quoted);
    py_json_quote(text, &quoted);
    REQUIRE(json_scan(buf_span(&quoted), &again, NULL, &fault) == 0);
    REQUIRE(span_equal(json_text(again, &scratch), text));
    buf_free(&quoted);
    buf_free(&scratch);
}

static void walk(struct json_value value, int depth)
{
    struct json_cursor c = json_enter(value);
    struct json_value item;
    struct json_member member;
    struct buf scratch = {0};
    REQUIRE(depth <= JSON_DEPTH_MAX);
    if (value.type == JSON_VALUE_STRING) {
        check_text(json_text(value, &scratch));
    } else if (value.type == JSON_VALUE_ARRAY) {
        while (json_next_item(&c, &item))
            walk(item, depth + 1);
    } else if (value.type == JSON_VALUE_OBJECT) {
        while (json_next_member(&c, &member)) {
            struct span key = json_key(&member, &scratch);
            REQUIRE(json_key_is(&member, key));
            check_text(key);
            walk(member.value, depth + 1);
        }
    }
    json_number(value);
    json_truthy(value);
    buf_free(&scratch);
}

/* The text made of an accepted value is itself accepted. */
static void check_writers(struct json_value value)
{
    struct buf out = {0};
    struct json_value again;
    struct json_fault fault;
    json_pyrepr(value, &out);
    buf_clear(&out);
    json_pyjson(value, &out);
    REQUIRE(json_scan(buf_span(&out), &again, NULL, &fault) == 0);
    buf_clear(&out);
    json_pyjson_sorted(value, &out);
    REQUIRE(json_scan(buf_span(&out), &again, NULL, &fault) == 0);
    struct buf twice = {0};
    json_pyjson_sorted(again, &twice);
    REQUIRE(span_equal(buf_span(&out), buf_span(&twice)));
    buf_clear(&out);
    json_t *tree = json_tree(value);
    json_tree_write(tree, &out);
    json_decref(tree);
    REQUIRE(json_scan(buf_span(&out), &again, NULL, &fault) == 0);
    buf_free(&twice);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"avx2", "avx512"};
    struct span text = {(const char *)data, size};
    struct answer want = {0}, got = {0};
    json_scan_use("portable");
    want.code = json_scan(text, &want.value, &want.members, &want.fault);
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        if (json_scan_use(paths[p]) < 0)
            continue;
        got.code = json_scan(text, &got.value, &got.members, &got.fault);
        same(&want, &got);
        REQUIRE(scan_fast(text, &got.value, &got.members) == (want.code == 0));
    }
    if (want.code == 0) {
        walk(want.value, 0);
        check_writers(want.value);
        struct json_members members = {0};
        if (want.value.type == JSON_VALUE_OBJECT) {
            json_members_of(want.value, &members);
            got.members.count = 0;
            REQUIRE(members.count == want.members.count);
            for (size_t i = 0; i < members.count; i++)
                same_value(members.items[i].value, want.members.items[i].value);
        }
        json_members_free(&members);
    }
    json_members_free(&want.members);
    json_members_free(&got.members);
    return 0;
}
