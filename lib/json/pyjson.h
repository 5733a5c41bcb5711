/* pyjson.h: the text Python's json.dumps gives for a value that json.loads has read (world 2): `, `
 * and `: `, everything outside U+0020..U+007E as \uXXXX, floats at their shortest, duplicate member
 * names gone (last value, first place). Python writes NaN and Infinity for those; so does this. */
#ifndef WAI_JSON_PYJSON_H
#define WAI_JSON_PYJSON_H

#include "json/scan.h"

void json_pyjson(struct json_value value, struct buf *out);        /* PYJSON */
void json_pyjson_sorted(struct json_value value, struct buf *out); /* PYJSONS: keys by code point */

/* A text as such a string, with its quotes. */
void py_json_quote(struct span utf8, struct buf *out);

#endif
