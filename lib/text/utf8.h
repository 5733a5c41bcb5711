/* utf8.h: code points of UTF-8 text. Texts inside the toolchain are UTF-8, with one extension: a lone
 * surrogate that a JSON escape brought is its three-byte form (ED A0..BF xx) and counts as one. */
#ifndef WAI_TEXT_UTF8_H
#define WAI_TEXT_UTF8_H

#include <stdint.h>

#include "base/buf.h"

/* The code point at *at (at < s.len) and moves past it. A byte that starts no sequence gives 0xDC00 + byte
 * and moves one byte: nothing is skipped silently. */
uint32_t utf8_next(struct span s, size_t *at);
void utf8_add(struct buf *out, uint32_t code_point); /* surrogates in three bytes */
size_t utf8_length(struct span s);                   /* code points */
size_t utf8_offset(struct span s, size_t n);         /* byte offset of code point n, or s.len */
struct span utf8_head(struct span s, size_t n);      /* first n code points */
bool utf8_valid(struct span s);                      /* strict: no surrogates, no overlong forms */

#endif
