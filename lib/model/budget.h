/* budget.h: tokens and money of a run, with limits that hold while many calls are in flight: a call
 * sets its worst case aside before it is sent and settles with what the server counted. A call that
 * might not fit waits for those in flight; when none is left and it still does not fit, it is
 * refused, and so is every later one. */
#ifndef WAI_MODEL_BUDGET_H
#define WAI_MODEL_BUDGET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct budget_limits {
    double price_in, price_out; /* money per million tokens (--price) */
    double max_cost;            /* money (--max-cost); 0: none */
    int64_t max_tokens;         /* input and output together; 0: none */
};

struct budget;
struct budget *budget_open(const struct budget_limits *limits);
void budget_close(struct budget *budget);

/* "IN,OUT" of --price. ERROR_USAGE. */
int budget_read_price(const char *text, struct budget_limits *limits, struct error *error);

/* Sets aside. false: it does not fit; the run has spent what it may. */
bool budget_take(struct budget *budget, int64_t input, int64_t output);

/* What was set aside comes back, what was used is spent (-1: not said; counted as set aside). */
void budget_settle(struct budget *budget, int64_t input, int64_t output, int64_t used_input,
                   int64_t used_output);

struct budget_state {
    int64_t input_tokens, output_tokens;
    uint64_t calls, calls_without_usage;
    double cost;
    bool spent; /* a call has been refused */
};
struct budget_state budget_state(struct budget *budget);

#endif
