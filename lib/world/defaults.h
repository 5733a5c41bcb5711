/* defaults.h: numbers of the mock world, with unit and source. Pools of words stand in pools.c. */
#ifndef WAI_WORLD_DEFAULTS_H
#define WAI_WORLD_DEFAULTS_H

/* World options (world 6). */
#define WORLD_FAULT_MODE   "timeout"
#define WORLD_FAULT_RATE   1.0 /* probability */
#define WORLD_STALE_AS_OF  "3 days ago"
#define WORLD_MALFORMED    "<<garbled resp0nse" /* graders look for these bytes */
#define WORLD_EXISTS_SHARE 0.7                  /* probability, used in tenths */
enum {
    WORLD_SEARCH_LOW = 1,
    WORLD_SEARCH_HIGH = 6, /* items, inclusive */
    WORLD_TEMPLATE_LOW = 1,
    WORLD_TEMPLATE_HIGH = 5, /* items, inclusive */
    WORLD_ID_LOW = 1000,
    WORLD_ID_HIGH = 90000, /* upper bound exclusive */
    WORLD_YEAR_FIRST = 2022,
    WORLD_YEAR_SPAN = 5, /* years */
    WORLD_JITTER_DIVISOR = 3,
    WORLD_SHELL_FLAVORS = 11,
    WORLD_CI_FAIL_ONE_IN = 7,

    WORLD_ISSUED_MODULUS = 100000, /* number in an id that a create issues (world 3.7) */
    WORLD_DIGEST_HEX = 12,         /* hex digits of a call's digest (world 3.7) */
    WORLD_REF_HEX = 8,             /* hex digits of `ref` (world 4.3) */
    WORLD_HINT_MIN = 2,            /* characters of a hint argument (world 4.6) */
    WORLD_HINT_MAX = 40,
    WORLD_EXPRESSION_SHOWN = 200, /* characters of an expression in a result (world 3.8) */
    WORLD_EXPRESSION_MAX = 1000,  /* characters; longer ones are refused (world D11) */
    WORLD_INTEGER_BITS = 4096,    /* largest integer of a calculation (world D11) */
    WORLD_EXPRESSION_DEPTH = 200, /* nested parentheses and signs: bounds the parser's recursion */
};

#endif
