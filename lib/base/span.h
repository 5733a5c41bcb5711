/* span.h: a run of bytes with its length, not owned and not NUL-terminated. A text that arrives
 * with a length keeps it: it may hold NUL. */
#ifndef WAI_BASE_SPAN_H
#define WAI_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *ptr; /* borrow; may be NULL when len is 0 */
    size_t len;      /* bytes */
};

/* A span of a string literal. */
#define SPAN(literal) ((struct span){(literal), sizeof(literal) - 1})

static inline struct span span_make(const char *ptr, size_t len)
{
    return (struct span){ptr, len};
}

static inline struct span span_text(const char *text)
{
    return (struct span){text, text ? strlen(text) : 0};
}

/* Bytes from..to (exclusive) of s; the caller keeps from <= to <= s.len. */
static inline struct span span_slice(struct span s, size_t from, size_t to)
{
    return (struct span){s.ptr ? s.ptr + from : s.ptr, to - from}; /* NULL + 0 is undefined */
}

static inline bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool span_is(struct span s, const char *text)
{
    return span_equal(s, span_text(text));
}

static inline bool span_starts(struct span s, struct span prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool span_ends(struct span s, struct span suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/* Byte order, shorter first on a tie: for UTF-8 this is the order of code points. */
static inline int span_compare(struct span a, struct span b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.ptr, b.ptr, shorter) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* First place of needle in s at or after `from`, or SIZE_MAX. An empty needle is found at from. */
static inline size_t span_find(struct span s, struct span needle, size_t from)
{
    if (from > s.len || s.len - from < needle.len)
        return (size_t)-1;
    if (needle.len == 0)
        return from;
    const char *hit = (const char *)memmem(s.ptr + from, s.len - from, needle.ptr, needle.len);
    return hit ? (size_t)(hit - s.ptr) : (size_t)-1;
}

static inline bool span_has(struct span s, struct span needle)
{
    return span_find(s, needle, 0) != (size_t)-1;
}

#endif
