/* number_tables.h: powers of ten in 128 bits; internal to number.c. */
#ifndef WAI_TEXT_NUMBER_TABLES_H
#define WAI_TEXT_NUMBER_TABLES_H

#include <stdint.h>

enum { NUMBER_POWER_MIN = -292, NUMBER_POWER_MAX = 324 };

/* {high, low} of g for 10^k at k - NUMBER_POWER_MIN: (g-1) * 2^r < 10^k <= g * 2^r,
 * r = floor(log2(10^k)) - 127. */
extern const uint64_t NUMBER_POWERS[NUMBER_POWER_MAX - NUMBER_POWER_MIN + 1][2];

#endif
