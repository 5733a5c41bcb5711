/* py_write.h: what pytext.c and pyjson.c share: a value in Python's order of members; private to
 * this room. */
#ifndef WAI_JSON_PY_WRITE_H
#define WAI_JSON_PY_WRITE_H

#include "json/scan.h"

/* One way to spell values. */
struct py_style {
    struct span null, truth, lie, nan, infinity, minus_infinity;
    void (*text)(struct span utf8, struct buf *out); /* a text with its quotes */
    bool sorted;                                     /* members by code point of their names */
};

void py_write(struct json_value value, const struct py_style *style, struct buf *out);

#endif
