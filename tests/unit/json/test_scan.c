/* test_scan.c: the scanner, on every path that this processor has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rng/rng.h"
#include "scan_texts.h"
#include "json/scan.h"
#include "json/scan_path.h"

enum {
    N_TEXTS = sizeof SCAN_TEXTS / sizeof *SCAN_TEXTS,
    MUTATIONS = 200000,
    LONGEST = 4096, /* bytes of a mutated text */
};

static const char *const PATHS[] = {"portable", "avx2", "avx512"};
enum { N_PATHS = sizeof PATHS / sizeof *PATHS };

/* A copy with nothing around it, so that a read past its end is seen by AddressSanitizer. */
static char *alone(struct span s)
{
    char *copy = malloc(s.len ? s.len : 1);
    assert_non_null(copy);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return copy;
}

struct answer {
    int code;
    struct json_value value;
    struct json_members members;
    struct json_fault fault;
};

static struct answer scan(struct span text)
{
    struct answer a = {0};
    a.code = json_scan(text, &a.value, &a.members, &a.fault);
    return a;
}

static void check_text(const struct scan_text *t, size_t before, size_t behind)
{
    char text[LONGEST];
    memset(text, ' ', before);
    memcpy(text + before, t->text.ptr, t->text.len);
    memset(text + before + t->text.len, '\n', behind);
    struct span s = {NULL, before + t->text.len + behind};
    char *copy = alone(span_make(text, s.len));
    s.ptr = copy;
    struct answer a = scan(s);
    if (a.code != (t->what ? -1 : 0))
        fail_msg("%s: \"%s\" is %d", json_scan_path(), t->text.ptr, a.code);
    if (t->what && behind == 0 &&
        (strcmp(t->what, a.fault.what) != 0 || a.fault.offset != before + t->offset))
        fail_msg("%s: \"%s\": %zu %s", json_scan_path(), t->text.ptr, a.fault.offset, a.fault.what);
    json_members_free(&a.members);
    free(copy);
}

static void test_texts(void **state)
{
    (void)state;
    static const size_t before[] = {0, 1, 7, 31, 32, 33, 62, 63, 64, 65, 127, 128, 200, 2047, 3000};
    for (size_t p = 0; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        assert_string_equal(json_scan_path(), PATHS[p]);
        for (size_t i = 0; i < N_TEXTS; i++) {
            const bool bare =
                SCAN_TEXTS[i].what && strcmp(SCAN_TEXTS[i].what, "the text is empty") == 0;
            for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
                if (bare && b > 0)
                    continue;
                check_text(&SCAN_TEXTS[i], before[b], 0);
                check_text(&SCAN_TEXTS[i], before[b], 70);
            }
        }
    }
    assert_true(json_scan_use("none such") < 0);
}

/* ---- the same answers on all paths ----------------------------------------------------------- */

static void assert_same_value(struct json_value a, struct json_value b)
{
    assert_ptr_equal(a.text.ptr, b.text.ptr);
    assert_int_equal(a.text.len, b.text.len);
    assert_int_equal(a.type, b.type);
    assert_int_equal(a.flags, b.flags);
}

static void assert_same(const struct answer *a, const struct answer *b, struct span text)
{
    if (a->code != b->code) {
        for (size_t i = 0; i < text.len; i++)
            print_error("%02x", (unsigned char)text.ptr[i]);
        fail_msg(" %s says %d, not %d", json_scan_path(), b->code, a->code);
    }
    if (a->code < 0) {
        assert_string_equal(a->fault.what, b->fault.what);
        assert_int_equal(a->fault.offset, b->fault.offset);
        return;
    }
    assert_same_value(a->value, b->value);
    assert_int_equal(a->members.count, b->members.count);
    for (size_t i = 0; i < a->members.count; i++) {
        const struct json_member *x = &a->members.items[i], *y = &b->members.items[i];
        assert_ptr_equal(x->key.ptr, y->key.ptr);
        assert_int_equal(x->key.len, y->key.len);
        assert_int_equal(x->key_escaped, y->key_escaped);
        assert_same_value(x->value, y->value);
    }
}

/* The cursor over a validated object, which passes over values by the path in use, finds the members
 * that the scanner found. */
static void check_walk(const struct answer *a)
{
    struct json_members walked = {0};
    json_members_of(a->value, &walked);
    assert_int_equal(walked.count, a->members.count);
    for (size_t i = 0; i < walked.count; i++) {
        assert_ptr_equal(walked.items[i].key.ptr, a->members.items[i].key.ptr);
        assert_int_equal(walked.items[i].key.len, a->members.items[i].key.len);
        assert_same_value(walked.items[i].value, a->members.items[i].value);
    }
    json_members_free(&walked);
}

/* The verdict of a fast path alone must be right too: json_scan would mend a wrong "no" silently.
 */
static void check_paths(struct span text)
{
    char *copy = alone(text);
    struct span s = {copy, text.len};
    json_scan_use("portable");
    struct answer want = scan(s);
    const bool object = want.code == 0 && want.value.type == JSON_VALUE_OBJECT;
    if (object)
        check_walk(&want);
    for (size_t p = 1; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        struct answer got = scan(s);
        if (object)
            check_walk(&want);
        assert_same(&want, &got, s);
        struct json_value value;
        if (scan_fast(s, &value, &got.members) != (want.code == 0))
            fail_msg("%s alone says otherwise: %.*s", PATHS[p], (int)s.len, s.ptr);
        json_members_free(&got.members);
    }
    json_members_free(&want.members);
    free(copy);
}

static size_t put(char *out, size_t at, const char *bytes, size_t len)
{
    if (at + len > LONGEST)
        return at;
    memcpy(out + at, bytes, len);
    return at + len;
}

static const char *const PIECES[] = {
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "0",
    "-1.5e3",
    "true",
    "null",
    "\\\"",
    "\\\\",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\xc3\xa9",
    "\xf0\x9f\x98\x80",
    "\xed\xa0\x80",
    "\xff",
    "\x01",
    "NaN",
    "\"key\": ",
    "{\"a\":[1,2,{\"b\":\"c\"}]}",
    "[[[[",
    "]]]]",
    "-Infinity",
    "\"a long text of some words\"",
    "\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\",
};
enum { N_PIECES = sizeof PIECES / sizeof *PIECES };

/* A row much like those that the filters see, valid, up to a few blocks long. */
static size_t make_row(struct rng *rng, char *out)
{
    size_t at = put(out, 0, "{", 1);
    uint64_t members = 1 + rng_below(rng, 6);
    for (uint64_t i = 0; i < members; i++) {
        static const char *const values[] = {"\"plain text\"",
                                             "12.5e-3",
                                             "null",
                                             "[1, 2, {\"tool\": \"x\"}]",
                                             "{\"k\": {\"k\": []}}",
                                             "\"quo\\\"ted \\\\ and \\u00e9\"",
                                             "\"\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80\"",
                                             "true",
                                             "\"\"",
                                             "NaN",
                                             "\"\\\\\\\\\\\\\"",
                                             "{}",
                                             "[]",
                                             "-0"};
        char key[24];
        int len = snprintf(key, sizeof key, "%s\"k%d\"%s:%s", i ? "," : "", (int)rng_below(rng, 5),
                           rng_below(rng, 3) ? "" : " ", rng_below(rng, 2) ? "" : "\t");
        at = put(out, at, key, (size_t)len);
        const char *value = values[rng_below(rng, sizeof values / sizeof *values)];
        if (rng_below(rng, 4) == 0) { /* a long text */
            at = put(out, at, "\"", 1);
            for (uint64_t n = rng_below(rng, 150); n; n--)
                at = rng_below(rng, 9) ? put(out, at, "x", 1) : put(out, at, "\\n", 2);
            at = put(out, at, "\"", 1);
        } else {
            at = put(out, at, value, strlen(value));
        }
    }
    return put(out, at, "}", 1);
}

static size_t mutate(struct rng *rng, char *text, size_t len)
{
    for (uint64_t n = rng_below(rng, 4); n && len; n--) {
        size_t at = (size_t)rng_below(rng, len);
        const char *piece = PIECES[rng_below(rng, N_PIECES)];
        size_t more = strlen(piece), cut = 1 + (size_t)rng_below(rng, 3);
        switch (rng_below(rng, 4)) {
        case 0:
            if (len + more <= LONGEST) {
                memmove(text + at + more, text + at, len - at);
                memcpy(text + at, piece, more);
                len += more;
            }
            break;
        case 1:
            cut = cut < len - at ? cut : len - at;
            memmove(text + at, text + at + cut, len - at - cut);
            len -= cut;
            break;
        case 2: text[at] = (char)rng_below(rng, 256); break;
        default: len = rng_below(rng, 4) ? len : at; break;
        }
    }
    return len;
}

static void test_paths_agree(void **state)
{
    (void)state;
    static char text[LONGEST];
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t len = 0;
        if (i % 4 == 0)
            for (uint64_t n = rng_below(&rng, 30); n; n--) {
                const char *piece = PIECES[rng_below(&rng, N_PIECES)];
                len = put(text, len, piece, strlen(piece));
            }
        else
            len = mutate(&rng, text, make_row(&rng, text));
        check_paths(span_make(text, len));
    }
}

/* Every first and second byte with telling third and fourth ones, across a block's edge. */
static void test_utf8_bytes(void **state)
{
    (void)state;
    static const unsigned char tails[] = {'a',  '"',  0x7F, 0x80, 0x8F, 0x90,
                                          0x9F, 0xA0, 0xBF, 0xC0, 0xFF};
    enum { N_TAILS = sizeof tails, LEN = 80 };
    char text[LEN];
    struct json_value value;
    struct json_members members = {0};
    struct json_fault fault;
    for (int first = 0x80; first < 0x100; first++) {
        for (int second = 0x20; second < 0x100; second++) {
            for (size_t i = 0; i < N_TAILS * N_TAILS; i++) {
                const size_t at = 58 + (size_t)(first + second + (int)i) % 7;
                const char bytes[4] = {(char)first, (char)second, (char)tails[i % N_TAILS],
                                       (char)tails[i / N_TAILS]};
                memset(text, 'x', LEN);
                text[0] = text[LEN - 1] = '"';
                memcpy(text + at, bytes, sizeof bytes);
                const struct span s = {text, LEN};
                const bool want = scan_portable(s, &value, NULL, &fault) == 0;
                for (size_t p = 1; p < N_PATHS; p++)
                    if (json_scan_use(PATHS[p]) == 0 && scan_fast(s, &value, &members) != want)
                        fail_msg("%s: %02x %02x %02x %02x at %zu", PATHS[p], first, second,
                                 (unsigned char)bytes[2], (unsigned char)bytes[3], at);
            }
        }
    }
    json_members_free(&members);
}

/* ---- depth, size, members -------------------------------------------------------------------- */

static struct answer nested(const char *open, const char *middle, const char *close, int levels)
{
    struct buf text = {0};
    for (int i = 0; i < levels; i++)
        buf_text(&text, open);
    buf_text(&text, middle);
    for (int i = 0; i < levels; i++)
        buf_text(&text, close);
    struct answer a = scan(buf_span(&text));
    a.value.text = span_make("", 0); /* it pointed into text */
    json_members_free(&a.members);
    buf_free(&text);
    return a;
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        assert_int_equal(nested("[", "", "]", 512).code, 0);
        assert_int_equal(nested("{\"a\":", "1", "}", 512).code, 0);
        assert_int_equal(nested("[{\"a\":", "[]", "}]", 255).code, 0);
        struct answer a = nested("[", "", "]", 513);
        assert_int_equal(a.code, -1);
        assert_int_equal(a.fault.offset, 512);
        assert_string_equal(a.fault.what, "the value is nested deeper than 512 levels");
        a = nested("{\"a\":", "1", "}", 513);
        assert_int_equal(a.code, -1);
        assert_int_equal(a.fault.offset, 512 * 5);
        assert_int_equal(nested("[", "", "", 100000).code, -1);
        assert_int_equal(nested("[{\"a\":", "1", "}]", 256).code, 0);
        assert_int_equal(nested("[{\"a\":", "[]", "}]", 256).code, -1);
        assert_int_equal(nested("[1,", "2", "]", 512).code, 0);
        assert_int_equal(nested("[[],", "{}", "]", 511).code, 0);
        assert_int_equal(nested("[[],", "{}", "]", 512).code, -1);
    }
}

static void test_members(void **state)
{
    (void)state;
    struct span text =
        SPAN(" { \"a\" : -1 ,\"b\\u0063\":\"x\\ny\", \"a\": [1,{\"z\":2}] ,\"\":NaN,"
             "\"d\":true,\"e\":false,\"f\":null,\"g\":1.0,\"h\":\"\xc3\xa9\",\"i\":{ } } ");
    static const struct {
        const char *key, *value;
        uint8_t type, flags;
        bool escaped;
    } want[] = {
        {"a", "-1", JSON_VALUE_NUMBER, JSON_FLAG_INTEGER, false},
        {"b\\u0063", "\"x\\ny\"", JSON_VALUE_STRING, JSON_FLAG_ESCAPED, true},
        {"a", "[1,{\"z\":2}]", JSON_VALUE_ARRAY, 0, false},
        {"", "NaN", JSON_VALUE_NUMBER, JSON_FLAG_NONFINITE, false},
        {"d", "true", JSON_VALUE_TRUE, 0, false},
        {"e", "false", JSON_VALUE_FALSE, 0, false},
        {"f", "null", JSON_VALUE_NULL, 0, false},
        {"g", "1.0", JSON_VALUE_NUMBER, 0, false},
        {"h", "\"\xc3\xa9\"", JSON_VALUE_STRING, 0, false},
        {"i", "{ }", JSON_VALUE_OBJECT, 0, false},
    };
    for (size_t p = 0; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        struct answer a = scan(text);
        assert_int_equal(a.code, 0);
        assert_int_equal(a.value.type, JSON_VALUE_OBJECT);
        assert_int_equal(a.value.text.len, text.len - 2);
        assert_int_equal(a.members.count, sizeof want / sizeof *want);
        for (size_t i = 0; i < a.members.count; i++) {
            const struct json_member *m = &a.members.items[i];
            assert_true(span_is(m->key, want[i].key));
            assert_true(span_is(m->value.text, want[i].value));
            assert_int_equal(m->value.type, want[i].type);
            assert_int_equal(m->value.flags, want[i].flags);
            assert_int_equal(m->key_escaped, want[i].escaped);
        }
        json_members_free(&a.members);
    }
}

static void test_other_tops(void **state)
{
    (void)state;
    static const struct {
        struct span text;
        uint8_t type, flags;
    } tops[] = {
        {TEXT("[{\"a\":1}]"), JSON_VALUE_ARRAY, 0},
        {TEXT("\"a\\n\""), JSON_VALUE_STRING, JSON_FLAG_ESCAPED},
        {TEXT("\"a\""), JSON_VALUE_STRING, 0},
        {TEXT("12"), JSON_VALUE_NUMBER, JSON_FLAG_INTEGER},
        {TEXT("1e2"), JSON_VALUE_NUMBER, 0},
        {TEXT("-Infinity"), JSON_VALUE_NUMBER, JSON_FLAG_NONFINITE},
        {TEXT("null"), JSON_VALUE_NULL, 0},
    };
    for (size_t p = 0; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
            struct answer a = scan(tops[i].text);
            assert_int_equal(a.code, 0);
            assert_int_equal(a.value.type, tops[i].type);
            assert_int_equal(a.value.flags, tops[i].flags);
            assert_true(span_equal(a.value.text, tops[i].text));
            assert_int_equal(a.members.count, 0);
        }
        /* members not wanted; no text at all */
        struct json_value value;
        struct json_fault fault;
        assert_int_equal(json_scan(SPAN("{\"a\":1}"), &value, NULL, &fault), 0);
        assert_int_equal(json_scan((struct span){NULL, 0}, &value, NULL, &fault), -1);
        assert_string_equal(fault.what, "the text is empty");
    }
}

/* A large text: many members, long strings that cross every block. */
static void test_large(void **state)
{
    (void)state;
    enum { MEMBERS = 100000 };
    struct buf text = {0};
    buf_byte(&text, '{');
    for (int i = 0; i < MEMBERS; i++)
        buf_format(&text, "%s\"key %d\": \"%0*d\\n\"", i ? ", " : "", i, i % 131 + 1, i);
    buf_byte(&text, '}');
    for (size_t p = 0; p < N_PATHS; p++) {
        if (json_scan_use(PATHS[p]) < 0)
            continue;
        struct answer a = scan(buf_span(&text));
        assert_int_equal(a.code, 0);
        assert_int_equal(a.members.count, MEMBERS);
        assert_true(span_is(a.members.items[MEMBERS - 1].key, "key 99999"));
        assert_int_equal(a.members.items[130].value.text.len, 131 + 4);
        json_members_free(&a.members);
    }
    check_paths(buf_span(&text));
    for (size_t at = 0; at < text.len; at += text.len / 50 + 1) {
        char kept = text.data[at];
        text.data[at] = '\x02';
        check_paths(buf_span(&text));
        text.data[at] = kept;
    }
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_utf8_bytes), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_members),    cmocka_unit_test(test_other_tops),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
