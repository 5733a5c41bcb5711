/* rng.c: wai-unit's functions of the rng room. */
#include "rng/rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

/* A call: [name, argument, …]. */
struct call {
    struct buf name;
    struct json_value args[3];
    size_t n;
};

static int read_call(struct json_value list, struct call *call, struct error *error)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value item;
    if (!json_next_item(&cursor, &item) || item.type != JSON_VALUE_STRING)
        return error_set(error, ERROR_INPUT, "a call is a list that starts with its name");
    buf_clear(&call->name);
    json_text_add(item, &call->name);
    for (call->n = 0; call->n < 3 && json_next_item(&cursor, &item);)
        call->args[call->n++] = item;
    return 0;
}

static double real_at(const struct call *call, size_t i)
{
    return i < call->n ? json_number(call->args[i]) : 0;
}

static int64_t int_at(const struct call *call, size_t i)
{
    int64_t value = 0;
    return i < call->n && json_int64(call->args[i], &value) ? value : 0;
}

static size_t size_at(const struct call *call, size_t i)
{
    int64_t value = int_at(call, i);
    return value > 0 ? (size_t)value : 0;
}

static void write_unsigned(struct json_writer *out, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    json_write_raw(out, span_text(text));
}

static void write_sizes(struct json_writer *out, const size_t *values, size_t n)
{
    json_write_array(out);
    for (size_t i = 0; i < n; i++)
        write_unsigned(out, values[i]);
    json_write_end_array(out);
}

/* Bits of any number, in hexadecimal words, most significant first. */
static void draw_big(struct rng *r, int k, struct json_writer *out)
{
    uint32_t *words = mem_zero((size_t)k / 32 + 1, sizeof *words);
    rng_bits_big(r, k, words);
    struct buf text = {0};
    for (int i = (k + 31) / 32; i-- > 0;)
        buf_format(&text, "%08" PRIx32, words[i]);
    json_write_span(out, buf_span(&text));
    buf_free(&text);
    free(words);
}

/* Draws that give a list of places. */
static bool draw_places(struct rng *r, const struct call *call, struct json_writer *out)
{
    struct span name = buf_span(&call->name);
    size_t n = size_at(call, 0), k = size_at(call, 1);
    bool shuffle = span_is(name, "shuffle"), weighted = span_is(name, "choices_weighted");
    if (!shuffle && !weighted && !span_is(name, "choices") && !span_is(name, "sample"))
        return false;
    if (weighted)
        n = call->n ? json_count(call->args[0]) : 0;
    size_t *places = mem_zero(shuffle ? n : k, sizeof *places);
    if (shuffle) {
        for (size_t i = 0; i < n; i++)
            places[i] = i;
        rng_shuffle(r, places, n, sizeof *places);
        k = n;
    } else if (weighted) {
        double *weights = mem_zero(n, sizeof *weights);
        struct json_cursor cursor = json_enter(call->args[0]);
        struct json_value item;
        for (size_t i = 0; json_next_item(&cursor, &item); i++)
            weights[i] = json_number(item);
        rng_choices_weighted(r, weights, n, k, places);
        free(weights);
    } else if (span_is(name, "sample")) {
        rng_sample(r, n, k, places);
    } else {
        rng_choices(r, n, k, places);
    }
    write_sizes(out, places, k);
    free(places);
    return true;
}

static int draw(struct rng *r, const struct call *call, struct json_writer *out,
                struct error *error)
{
    struct span name = buf_span(&call->name);
    if (span_is(name, "bits"))
        write_unsigned(out, rng_bits(r, (int)int_at(call, 0)));
    else if (span_is(name, "bits_big"))
        draw_big(r, (int)int_at(call, 0), out);
    else if (span_is(name, "below") || span_is(name, "choice"))
        write_unsigned(out, rng_below(r, (uint64_t)int_at(call, 0)));
    else if (span_is(name, "range"))
        json_write_int(out, rng_range(r, int_at(call, 0), int_at(call, 1)));
    else if (span_is(name, "random"))
        json_write_real(out, rng_random(r));
    else if (span_is(name, "uniform"))
        json_write_real(out, rng_uniform(r, real_at(call, 0), real_at(call, 1)));
    else if (span_is(name, "gauss"))
        json_write_real(out, rng_gauss(r, real_at(call, 0), real_at(call, 1)));
    else if (!draw_places(r, call, out))
        return error_set(error, ERROR_INPUT, "\"%.*s\" is no draw", (int)name.len, name.ptr);
    return 0;
}

static int seed(struct rng *r, struct json_value in, struct error *error)
{
    struct json_value value;
    if (unit_get(in, "seed", &value, error) < 0)
        return ERROR_INPUT;
    struct buf text = {0};
    if (value.type == JSON_VALUE_STRING) {
        json_text_add(value, &text);
        rng_seed_text(r, buf_span(&text));
    } else {
        int64_t number;
        buf_span_add(&text, value.text);
        if (json_int64(value, &number))
            rng_seed(r, number);
        else
            rng_seed_decimal(r, buf_cstr(&text));
    }
    buf_free(&text);
    return 0;
}

static int mt19937(struct json_value in, struct json_writer *out, struct error *error)
{
    struct rng r;
    struct json_value calls, item;
    struct call call = {0};
    int code = seed(&r, in, error);
    if (code == 0)
        code = unit_get(in, "calls", &calls, error);
    if (code < 0)
        return code;
    json_write_array(out);
    struct json_cursor cursor = json_enter(calls);
    while (code == 0 && json_next_item(&cursor, &item)) {
        code = read_call(item, &call, error);
        if (code == 0)
            code = draw(&r, &call, out, error);
    }
    json_write_end_array(out);
    buf_free(&call.name);
    return code;
}

const struct unit_function UNIT_RNG[] = {{"mt19937", mt19937}, {0}};
