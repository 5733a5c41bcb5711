/* decode.h: the escapes of a validated string; private to this room. */
#ifndef WAI_JSON_DECODE_H
#define WAI_JSON_DECODE_H

#include "json/scan.h"

/* Decodes the escape at *p (a backslash; a pair of surrogate escapes is one) into UTF-8, moves past
 * it and returns the number of bytes, 1 to 4. */
size_t decode_escape(const char **p, const char *end, char out[4]);

/* Appends the decoded text of the bytes between a string's quotes. */
void decode_add(struct span raw, struct buf *out);

/* The end of the value at p, of the string whose quote is at p; *flags gets its flags. */
const char *value_skip(const char *p, const char *end, uint8_t *flags);
const char *string_skip(const char *p, const char *end, uint8_t *flags);

#endif
