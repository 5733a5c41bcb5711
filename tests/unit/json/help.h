/* help.h: shared by the unit tests of the json room. */
#ifndef TEST_JSON_HELP_H
#define TEST_JSON_HELP_H

#include "json/scan.h"

static inline struct json_value parsed(const char *text)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(span_text(text), &value, NULL, &fault) < 0)
        fail_msg("%s: %s at %zu", text, fault.what, fault.offset);
    return value;
}

#define assert_span(span, text) assert_true(span_is((span), (text)))
#define assert_buf(buf, text)   assert_string_equal(buf_cstr(buf), (text))

#endif
