/* shapes.h: action shapes (world 19, situations 10.2): which tools are called one after the other
 * and where their arguments come from. What no row has done yet is asked for. */
#ifndef WAI_SCENE_SHAPES_H
#define WAI_SCENE_SHAPES_H

#include "base/map.h"
#include "row/row.h"
#include "row/tools.h"

enum { SHAPE_CALLS_MAX = 3 };

/* One that is wanted. Its key is `C|` or `U|` (the user confirms, or does not) and calls. */
struct shape {
    struct span calls; /* "get_order(user);refund(user,absent)" */
    size_t tool[SHAPE_CALLS_MAX];
    size_t n_calls;
    bool confirmed;
    bool absent; /* some argument is left out */
};

struct shapes {
    struct arena arena;
    struct shape *items;
    size_t count, cap;
    struct span **keys; /* sorted parameter names of each tool */
    size_t *n_keys;
};

/* Every sequence of 1 to longest calls (at most SHAPE_CALLS_MAX), shorter ones first, each with and
 * without a go-ahead, `most` of them at most. Borrows the tools. */
void shapes_enumerate(struct shapes *s, const struct row_tools *tools, size_t longest, size_t most);
void shapes_free(struct shapes *s);

/* The calls of a row as a shape writes them, appended to out; nothing when it made none. */
void shape_of_row(const struct shapes *s, const struct row_tools *tools, const struct row *row,
                  struct buf *out);

/* A request for it in plain words, variant by variant. */
struct tool_facts;
void shape_request(const struct shape *shape, const struct row_tools *tools,
                   const struct tool_facts *facts, uint32_t variant, struct buf *out);

#endif
