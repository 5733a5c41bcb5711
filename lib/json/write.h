/* write.h: writes JSON text: values one by one into a buffer, commas and quotes by itself. For the
 * objects that the tools produce (reports, new row members). Compact by default (`{"a":1}`); with
 * `spaced`, `, ` and `: ` as Python writes; with `indent`, a line per member for people. */
#ifndef WAI_JSON_WRITE_H
#define WAI_JSON_WRITE_H

#include <stdint.h>

#include "json/scan.h"

enum json_style { JSON_STYLE_COMPACT, JSON_STYLE_SPACED, JSON_STYLE_INDENTED };

struct json_writer {
    struct buf *out; /* borrow */
    enum json_style style;
    int depth;
    bool first; /* nothing written yet at this depth */
    bool after_key;
};

void json_write_start(struct json_writer *w, struct buf *out, enum json_style style);
void json_write_object(struct json_writer *w);
void json_write_array(struct json_writer *w);
void json_write_end_object(struct json_writer *w);
void json_write_end_array(struct json_writer *w);
void json_write_key(struct json_writer *w, const char *key);
void json_write_key_span(struct json_writer *w, struct span key);
void json_write_null(struct json_writer *w);
void json_write_bool(struct json_writer *w, bool value);
void json_write_int(struct json_writer *w, int64_t value);
void json_write_count(struct json_writer *w, const char *key, uint64_t count); /* a member */
void json_write_real(struct json_writer *w, double value); /* shortest text; null for NaN, inf */
void json_write_text(struct json_writer *w, const char *utf8);
void json_write_span(struct json_writer *w, struct span utf8);
void json_write_raw(struct json_writer *w, struct span json); /* a valid value, as it is */
void json_write_member(struct json_writer *w,
                       const struct json_member *m); /* key and value as they are */

/* Appends a valid JSON text without the white space between its tokens: in one line. */
void json_compact(struct span json, struct buf *out);

/* A string with its quotes: `"`, `\` and controls escaped, UTF-8 as itself; three-byte lone
 * surrogates as \udXXX; other bytes that are not UTF-8 as \ufffd. */
void json_quote(struct buf *out, struct span utf8);

#endif
