/* beside.h: pass rates of rows that pass by, under the default settings of wai-passat, as one object:
 * for tools whose work is another one. */
#ifndef WAI_MEASURE_BESIDE_H
#define WAI_MEASURE_BESIDE_H

#include "base/buf.h"

struct rates_beside;

struct rates_beside *rates_beside_open(void);
void rates_beside_row(struct rates_beside *r, struct span line); /* what is no row is passed over */
void rates_beside_write(const struct rates_beside *r, struct buf *out); /* appended */
void rates_beside_close(struct rates_beside *r);

#endif
