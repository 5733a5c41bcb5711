/* node.h: JSON values that a world makes, keeps and changes. A jansson tree would turn an integer
 * of more than 64 bits into a real, and every draw of a world is a hash of the digits as they were
 * read; so this is a small tree of its own that keeps key order and Python's text of each number.
 *
 * Values live in an arena and are released with it. An object's members and an array's items are
 * a linked list; a value stands in one list only (node_copy makes another). */
#ifndef WAI_WORLD_NODE_H
#define WAI_WORLD_NODE_H

#include "base/arena.h"
#include "base/error.h"
#include "json/scan.h"

struct node {
    uint8_t type;     /* enum json_type */
    bool integer;     /* a number without '.', 'e', 'E' */
    size_t count;     /* items or members */
    struct span text; /* number: Python's repr of it; string: decoded */
    struct span key;  /* as a member: decoded name */
    struct node *first, *last, *next;
};

/* A validated JSON value. Duplicate names: the last value at the place of the first (as Python). */
struct node *node_parse(struct arena *a, struct json_value json);

/* The value of an option written FILE|JSON: the JSON itself when it begins with `{` or `[`, else a
 * file's content (a leading @ is allowed). NULL: ERROR_INPUT with `option` and the place of the
 * fault. */
struct node *node_of_option(struct arena *a, const char *option, const char *file_or_json,
                            struct error *error);

struct node *node_null(struct arena *a);
struct node *node_bool(struct arena *a, bool truth);
struct node *node_int(struct arena *a, int64_t n);
struct node *node_integer_text(struct arena *a, struct span digits); /* canonical decimal, copied */
struct node *node_real(struct arena *a, double x);
struct node *node_text(struct arena *a, struct span utf8);   /* copied */
struct node *node_borrow(struct arena *a, struct span utf8); /* the text is not copied */
struct node *node_array(struct arena *a);
struct node *node_object(struct arena *a);
struct node *node_copy(struct arena *a, const struct node *v);

void node_append(struct node *array, struct node *item);
/* Replaces the member in its place, else appends. The key's bytes are borrowed. */
void node_set(struct node *object, struct span key, struct node *item);
void node_add(struct node *object, const char *key, struct node *item); /* literal key, known new */
/* NULL when absent, or when object is NULL or none. */
struct node *node_get(const struct node *object, struct span key);
struct node *node_find(const struct node *object, const char *key);

bool node_truthy(const struct node *v);                  /* Python's; NULL is not */
bool node_is(const struct node *v, enum json_type type); /* false for NULL */
/* Not null and not "": what a caller has said. NULL is not. */
bool node_given(const struct node *v);
double node_double(const struct node *v);            /* a number; else NaN */
bool node_int64(const struct node *v, int64_t *out); /* an integer that fits */

void node_pyjson(const struct node *v, bool sorted,
                 struct buf *out);                                  /* PYJSON, PYJSONS (world 2) */
void node_pystr(const struct node *v, struct buf *out);             /* Python's str() */
void node_json(const struct node *v, bool spaced, struct buf *out); /* JSON in UTF-8 */

#endif
