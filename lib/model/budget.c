/* budget.c: see budget.h. */
#include "model/budget.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/options.h"
#include "base/span.h"

struct budget {
    struct budget_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t settled;
    struct budget_state state;
    double aside_cost;
    int64_t aside_tokens;
    uint64_t in_flight;
};

struct budget *budget_open(const struct budget_limits *limits)
{
    struct budget *b = mem_zero(1, sizeof *b);
    b->limits = *limits;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->settled, NULL);
    return b;
}

void budget_close(struct budget *b)
{
    if (!b)
        return;
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->settled);
    free(b);
}

int budget_read_price(const char *text, struct budget_limits *limits, struct error *error)
{
    if (!strchr(text, ','))
        return error_set(error, ERROR_USAGE,
                         "--price is \"%s\"; write IN,OUT, money per million "
                         "tokens",
                         text);
    if (option_read_pair(text, &limits->price_in, &limits->price_out) < 0 || limits->price_in < 0 ||
        limits->price_out < 0)
        return error_set(error, ERROR_USAGE,
                         "--price is \"%s\"; both prices are numbers of 0 or more", text);
    return 0;
}

static double cost_of(const struct budget *b, int64_t input, int64_t output)
{
    return ((double)input * b->limits.price_in + (double)output * b->limits.price_out) / 1e6;
}

static bool fits(const struct budget *b, int64_t input, int64_t output)
{
    const struct budget_limits *l = &b->limits;
    int64_t tokens = b->state.input_tokens + b->state.output_tokens + b->aside_tokens;
    return (l->max_tokens <= 0 || tokens + input + output <= l->max_tokens) &&
           (l->max_cost <= 0 ||
            b->state.cost + b->aside_cost + cost_of(b, input, output) <= l->max_cost);
}

bool budget_take(struct budget *b, int64_t input, int64_t output)
{
    pthread_mutex_lock(&b->lock);
    while (!b->state.spent && !fits(b, input, output)) {
        if (b->in_flight == 0)
            b->state.spent = true;
        else
            pthread_cond_wait(&b->settled, &b->lock);
    }
    bool taken = !b->state.spent;
    if (taken) {
        b->in_flight++;
        b->aside_tokens += input + output;
        b->aside_cost += cost_of(b, input, output);
    } else {
        pthread_cond_broadcast(&b->settled);
    }
    pthread_mutex_unlock(&b->lock);
    return taken;
}

void budget_settle(struct budget *b, int64_t input, int64_t output, int64_t used_input,
                   int64_t used_output)
{
    pthread_mutex_lock(&b->lock);
    b->in_flight--;
    b->aside_tokens -= input + output;
    /* Sums of doubles do not come back to zero by themselves. */
    b->aside_cost = b->in_flight == 0 ? 0 : b->aside_cost - cost_of(b, input, output);
    b->state.calls++;
    if (used_input < 0 && used_output < 0)
        b->state.calls_without_usage++;
    int64_t in = used_input < 0 ? input : used_input;
    int64_t out = used_output < 0 ? output : used_output;
    b->state.input_tokens += in;
    b->state.output_tokens += out;
    b->state.cost += cost_of(b, in, out);
    pthread_cond_broadcast(&b->settled);
    pthread_mutex_unlock(&b->lock);
}

struct budget_state budget_state(struct budget *b)
{
    pthread_mutex_lock(&b->lock);
    struct budget_state state = b->state;
    pthread_mutex_unlock(&b->lock);
    return state;
}
