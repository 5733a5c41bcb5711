/* seed.h: the value of --seed: an integer of any length, a minus sign allowed (measure 2). */
#ifndef WAI_MEASURE_SEED_H
#define WAI_MEASURE_SEED_H

#include "base/buf.h"
#include "base/error.h"
#include "rng/rng.h"

/* Its decimal digits as JSON writes them, appended to out. ERROR_USAGE when it is no integer. */
int seed_read(const char *text, struct buf *out, struct error *error);

/* The generator of seed + offset: each metric of a comparison has a stream of its own (measure 16).
 */
void seed_start(const char *decimal, uint64_t offset, struct rng *rng);

#endif
