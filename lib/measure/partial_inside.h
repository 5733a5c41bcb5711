/* partial_inside.h: what reading and writing a partial summary share. Inside room `measure`. */
#ifndef WAI_MEASURE_PARTIAL_INSIDE_H
#define WAI_MEASURE_PARTIAL_INSIDE_H

#include "measure/passat.h"

enum {
    PARTIAL_WIDE = 40, /* characters of a 128-bit integer, with its sign */
    PARTIAL_KEY = 16,  /* hexadecimal digits of a sketch's key */
};

void partial_write_keys(struct json_writer *w, const struct passat_keys *keys); /* "keys": {…} */

#endif
