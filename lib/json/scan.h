/* scan.h: the JSON scanner. It validates one text completely (RFC 8259 grammar, UTF-8, depth) and
 * gives the spans of the top object's members without building a tree. Everything else that reads
 * JSON works on spans that the scanner has validated, so it need not check again.
 *
 * Defined where RFC 8259 leaves it open:
 *   duplicate member names   all are kept in the text; json_find gives the last, as Python does
 *   lone surrogate escapes   accepted; decoded to three bytes (ED A0..BF xx), written as \udXXX
 *   not UTF-8                bytes ED A0..BF xx, overlong forms, above U+10FFFF: refused
 *   NaN and the infinities   as Python writes them: numbers, flagged JSON_FLAG_NONFINITE
 *   numbers                  of any length; their text is the value
 *   depth                    at most JSON_DEPTH_MAX nested arrays and objects
 *   \u0000                   an ordinary character
 *   white space              space, tab, LF, CR around tokens; no byte order mark
 *
 * One pass, no allocation but the members array, linear time. The fastest path the processor has is
 * chosen at run time (json_scan_path names it); all paths give the same answers and fault offsets.
 * A text that is refused is read twice: the portable path words the fault. */
#ifndef WAI_JSON_SCAN_H
#define WAI_JSON_SCAN_H

#include <stdint.h>

#include "base/buf.h"

enum { JSON_DEPTH_MAX = 512 }; /* nested levels (rows 8) */

enum json_type {
    JSON_VALUE_NULL,
    JSON_VALUE_FALSE,
    JSON_VALUE_TRUE,
    JSON_VALUE_NUMBER,
    JSON_VALUE_STRING,
    JSON_VALUE_ARRAY,
    JSON_VALUE_OBJECT,
};

enum json_flag {
    JSON_FLAG_ESCAPED = 1,   /* a string with a backslash: its text needs decoding */
    JSON_FLAG_INTEGER = 2,   /* a number without '.', 'e', 'E' */
    JSON_FLAG_NONFINITE = 4, /* NaN, Infinity, -Infinity */
};

/* A value inside a validated text; borrows the text. */
struct json_value {
    struct span text; /* as written, a string with its quotes */
    uint8_t type;     /* enum json_type */
    uint8_t flags;    /* enum json_flag */
};

struct json_member {
    struct span key; /* between its quotes, as written */
    bool key_escaped;
    struct json_value value;
};

struct json_members {
    struct json_member *items; /* in the order of the text, duplicates kept */
    size_t count, cap;
};

struct json_fault {
    size_t offset;    /* byte where the text stops being JSON */
    const char *what; /* static, a clause: "a string holds a raw control character" */
};

/* Validates `text` as one JSON value with white space around it. On 0, *value is it and, when it is
 * an object, *members its members (members is reused, not freed, between calls; NULL: not wanted).
 * On -1, *fault says where and what. */
int json_scan(struct span text, struct json_value *value, struct json_members *members,
              struct json_fault *fault);

const char *json_scan_path(void);    /* "avx512", "avx2", "portable" */
int json_scan_use(const char *path); /* for tests: 0, or -1 when this processor lacks it */
void json_members_free(struct json_members *members);

/* ---- reading validated values ---------------------------------------------------------------- */

/* The last member of that (decoded) name, or NULL. */
const struct json_member *json_find(const struct json_members *members, struct span key);
bool json_escaped_key_is(const struct json_member *member, struct span key);
static inline bool json_key_is(const struct json_member *member, struct span key)
{
    return member->key_escaped ? json_escaped_key_is(member, key) : span_equal(member->key, key);
}

/* The decoded name of a member; borrows the text or, when escaped, scratch (which is cleared). */
struct span json_key(const struct json_member *member, struct buf *scratch);

/* Walks an array's items or an object's members. */
struct json_cursor {
    const char *at, *end;
};
struct json_cursor json_enter(
    struct json_value value); /* value is an array or object; others: empty */
bool json_next_item(struct json_cursor *c, struct json_value *item);
bool json_next_member(struct json_cursor *c, struct json_member *member);

/* The last member of an object with that name; false when absent or when object is none. */
bool json_get(struct json_value object, struct span key, struct json_value *value);

/* The last member of each of the n names, in one walk over the object: text.ptr is NULL where there
 * is none. */
void json_get_many(struct json_value object, const struct span *keys, size_t n,
                   struct json_value *values);
size_t json_count(struct json_value value); /* items or members; 0 for others */

/* All members of an object value (already validated) into the array. */
void json_members_of(struct json_value object, struct json_members *members);

/* The decoded text of a string; borrows the text or, when escaped, scratch (which is cleared). */
struct span json_text(struct json_value string, struct buf *scratch);
void json_text_add(struct json_value string, struct buf *out); /* appends the decoded text */

/* A number as the nearest double (±inf beyond the range; the integer -0 is 0.0, as in Python); NaN
 * for NaN and for other types. */
double json_number(struct json_value value);
bool json_int64(struct json_value value, int64_t *out); /* an integer token that fits */

/* Python's truth: false for null, false, 0, 0.0, -0.0, "", [], {}. NaN is true. */
bool json_truthy(struct json_value value);

/* {0} is a null whose text.ptr is NULL: a value that is not there. */
static inline bool json_value_null(struct json_value v)
{
    return v.type == JSON_VALUE_NULL;
}

#endif
