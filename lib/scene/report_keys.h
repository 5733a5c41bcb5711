/* report_keys.h: a member of a report in one call. Inside the room. */
#ifndef WAI_SCENE_REPORT_KEYS_H
#define WAI_SCENE_REPORT_KEYS_H

#include "text/number.h"
#include "json/write.h"

enum { REPORT_SHARE_PLACES = 4, REPORT_SECOND_PLACES = 3 }; /* digits */

static inline void key_int(struct json_writer *w, const char *key, int64_t n)
{
    json_write_key(w, key);
    json_write_int(w, n);
}

static inline void key_bool(struct json_writer *w, const char *key, bool yes)
{
    json_write_key(w, key);
    json_write_bool(w, yes);
}

/* NULL text: null. */
static inline void key_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    if (text)
        json_write_text(w, text);
    else
        json_write_null(w);
}

/* NaN: null. */
static inline void key_real(struct json_writer *w, const char *key, double x)
{
    json_write_key(w, key);
    json_write_real(w, x);
}

/* part / whole; null of nothing. */
static inline void key_share(struct json_writer *w, const char *key, int64_t part, int64_t whole)
{
    json_write_key(w, key);
    if (whole)
        json_write_real(w, number_round((double)part / (double)whole, REPORT_SHARE_PLACES));
    else
        json_write_null(w);
}

#endif
