/* scan_path.h: what the scanner's paths share; private to this room and its tests.
 *
 * The portable path reads one byte after the other and is the one that says where a text stops
 * being JSON. A fast path only tells whether it is: when it says no, the portable path reads the
 * text again and words the fault. So all paths name the same fault. */
#ifndef WAI_JSON_SCAN_PATH_H
#define WAI_JSON_SCAN_PATH_H

#include "json/scan.h"

enum {
    SCAN_STACK_WORDS = JSON_DEPTH_MAX / 64, /* one bit a level: 1 is an object */
    SCAN_NO_VALUE = 255,
};

extern const uint8_t
    scan_types[256]; /* 1 + enum json_type by a value's first byte; 0: none starts so */

/* Type of the value that starts with the byte c, or SCAN_NO_VALUE. */
static inline uint8_t scan_type(char c)
{
    return (uint8_t)(scan_types[(unsigned char)c] - 1);
}

static inline bool scan_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* 0, or -1 with *fault filled. members may be NULL. */
int scan_portable(struct span text, struct json_value *value, struct json_members *members,
                  struct json_fault *fault);

/* The path in use, alone: whether the text is JSON. The portable one is asked when a fast one says
 * no. */
bool scan_fast(struct span text, struct json_value *value, struct json_members *members);

/* The end of the array or object at p in a validated text: by the path in use, and by each. */
const char *skip_fast(const char *p, const char *end);
const char *skip_portable(const char *p, const char *end);

#ifdef __x86_64__
bool scan_avx2_there(void); /* whether this processor has it */
bool scan_avx2(struct span text, struct json_value *value, struct json_members *members);
const char *skip_avx2(const char *p, const char *end);
bool scan_avx512_there(void);
bool scan_avx512(struct span text, struct json_value *value, struct json_members *members);
const char *skip_avx512(const char *p, const char *end);
#endif

/* Room for one more member; its fields are not set. */
struct json_member *scan_member_add(struct json_members *members);

/* The end of the number or of the word (true, false, null, NaN, Infinity) at p, NULL when it is
 * none. *flags gets JSON_FLAG_INTEGER or JSON_FLAG_NONFINITE. On NULL, *fault says why; its offset
 * is from p. */
const char *scan_scalar(const char *p, const char *end, uint8_t *flags, struct json_fault *fault);

#endif
