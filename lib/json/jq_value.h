/* jq_value.h: values to and from libjq's own; private to this room. */
#ifndef WAI_JSON_JQ_VALUE_H
#define WAI_JSON_JQ_VALUE_H

#include <stdio.h>

#include <jv.h>

#include "json/scan.h"

jv jq_value_read(struct json_value value); /* a null when it is not there */

/* Appends the value as compact JSON text and frees it. false: nested deeper than JSON_DEPTH_MAX. */
bool jq_value_write(jv value, struct buf *out);

jv jq_value_text(struct span utf8);

#endif
