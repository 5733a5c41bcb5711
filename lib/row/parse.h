/* parse.h: JSON text inside a string of a row: a call's arguments, a tool result, an attribute
 * (rows 2.4: strict JSON with nothing but JSON white space around it). */
#ifndef WAI_ROW_PARSE_H
#define WAI_ROW_PARSE_H

#include "base/arena.h"
#include "json/scan.h"

/* The value that a string holds, kept in the arena. false: it is no JSON, holds NaN or Infinity, or
 * nests deeper than ROW_PARSE_DEPTH (it could not be written into a row again). */
bool row_parse_text(struct arena *arena, struct json_value string, struct json_value *value);

/* The same from decoded text. */
bool row_parse_span(struct arena *arena, struct span text, struct json_value *value);

/* value when it is an object, or the object that its JSON text holds (rows 9.3: obj); false
 * otherwise. */
bool row_parse_object(struct arena *arena, struct json_value value, struct json_value *object);

#endif
