/* model_options.c: see model_options.h. */
#include "model/model_options.h"

static int open_budget(struct model_access *a, const struct model_options *o, struct error *error)
{
    struct budget_limits limits = {0};
    int code = o->price ? budget_read_price(o->price, &limits, error) : 0;
    if (code < 0)
        return code;
    if (o->max_cost_given && !o->price)
        return error_set(error, ERROR_USAGE,
                         "--max-cost needs --price IN,OUT, the money per million tokens");
    if (o->max_cost_given && o->max_cost <= 0)
        return error_set(error, ERROR_USAGE,
                         "--max-cost %g: no call would be made; give a sum above 0", o->max_cost);
    limits.max_cost = o->max_cost;
    a->priced = o->price != NULL;
    a->budget = budget_open(&limits);
    return 0;
}

int model_access_open(struct model_access *a, const struct model_options *o, int in_flight,
                      struct error *error)
{
    bool live = o->replay_miss && o->replay_miss[0] == 'l';
    if (o->replay_miss && !o->replay)
        return error_set(error, ERROR_USAGE, "--replay-miss needs --replay FILE");
    int code = open_budget(a, o, error);
    if (code == 0)
        code = model_roles_read(&a->roles, error);
    if (code == 0 && (!o->replay || live)) {
        const struct http_settings settings = {.per_host = in_flight};
        a->http = http_open(&settings, error);
        code = a->http ? 0 : error->code;
    }
    if (code == 0 && (o->record || o->replay)) {
        a->cassette = cassette_open(o->record, o->replay,
                                    live ? CASSETTE_MISS_LIVE : CASSETTE_MISS_FAIL, error);
        code = a->cassette ? 0 : error->code;
    }
    return code;
}

struct model_settings model_access_settings(const struct model_access *a)
{
    return (struct model_settings){.http = a->http, .cassette = a->cassette, .budget = a->budget};
}

int model_access_close(struct model_access *a, struct error *error)
{
    int code = a->cassette ? cassette_close(a->cassette, error) : 0;
    if (a->http)
        http_close(a->http);
    if (a->budget)
        budget_close(a->budget);
    model_roles_free(&a->roles);
    *a = (struct model_access){0};
    return code;
}

static void write_count(struct json_writer *w, const char *key, int64_t value)
{
    json_write_key(w, key);
    json_write_int(w, value);
}

void model_access_report(const struct model_access *a, struct json_writer *w)
{
    struct budget_state s = budget_state(a->budget);
    json_write_key(w, "usage");
    json_write_object(w);
    write_count(w, "calls", (int64_t)s.calls);
    write_count(w, "input_tokens", s.input_tokens);
    write_count(w, "output_tokens", s.output_tokens);
    write_count(w, "calls_without_usage", (int64_t)s.calls_without_usage);
    json_write_end_object(w);
    if (a->priced) {
        json_write_key(w, "cost");
        json_write_real(w, s.cost);
    }
}
