/* measure.c: wai-unit's functions of rooms stat and measure. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "measure/measure.h"
#include "stat/stat.h"

static void write_interval(struct json_writer *out, struct interval interval)
{
    if (!interval_known(interval)) {
        json_write_null(out);
        return;
    }
    json_write_array(out);
    json_write_real(out, interval.low);
    json_write_real(out, interval.high);
    json_write_end_array(out);
}

static int pass_k(struct json_value in, struct json_writer *out, struct error *error)
{
    int64_t n, c, k;
    if (unit_int(in, "n", &n, error) < 0 || unit_int(in, "c", &c, error) < 0 ||
        unit_int(in, "k", &k, error) < 0)
        return ERROR_INPUT;
    json_write_object(out);
    json_write_key(out, "pass_at_k");
    json_write_real(out, stat_pass_at_k((uint64_t)n, (uint64_t)c, (uint64_t)k));
    json_write_key(out, "pass_pow_k");
    json_write_real(out, stat_pass_pow_k((uint64_t)n, (uint64_t)c, (uint64_t)k));
    json_write_end_object(out);
    return 0;
}

/* A function of up to four numbers, named by "f". */
struct quantile {
    const char *name;
    const char *keys[4];
    double (*number)(const double *x);
    struct interval (*pair)(const double *x);
};

static double inv_cdf(const double *x)
{
    return stat_normal_inverse(x[0]);
}
static double cdf(const double *x)
{
    return stat_normal_cdf(x[0]);
}
static double t_table(const double *x)
{
    return stat_t_quantile(x[0], STAT_LEVEL);
}
static double t_inverted(const double *x)
{
    return stat_t_inverted(x[0], x[1]);
}
static struct interval wilson(const double *x)
{
    return stat_wilson(x[0], x[1], STAT_Z95);
}
static double two_proportion_p(const double *x)
{
    return stat_two_proportion_p(x[0], x[1], x[2], x[3]);
}
static double paired_task_sd(const double *x)
{
    return stat_sd_uniform(x[0], x[1], x[2]);
}
static double concentrated_task_sd(const double *x)
{
    return stat_sd_concentrated(x[0], x[1], x[2]);
}
static double slice_min_tasks(const double *x)
{
    return (double)stat_slice_min_tasks(x[0]);
}

static const struct quantile QUANTILES[] = {
    {"inv_cdf", {"p"}, inv_cdf, NULL},
    {"cdf", {"x"}, cdf, NULL},
    {"t_table", {"df"}, t_table, NULL},
    {"t_inverted", {"df", "level"}, t_inverted, NULL},
    {"wilson", {"passes", "n"}, NULL, wilson},
    {"two_proportion_p", {"passes_a", "n_a", "passes_b", "n_b"}, two_proportion_p, NULL},
    {"paired_task_sd", {"base", "effect", "k"}, paired_task_sd, NULL},
    {"concentrated_task_sd", {"base", "effect", "k"}, concentrated_task_sd, NULL},
    {"slice_min_tasks", {"alpha"}, slice_min_tasks, NULL},
};
enum { N_QUANTILES = sizeof QUANTILES / sizeof *QUANTILES };

static int quantiles(struct json_value in, struct json_writer *out, struct error *error)
{
    const char *names[N_QUANTILES];
    for (size_t i = 0; i < N_QUANTILES; i++)
        names[i] = QUANTILES[i].name;
    int which = unit_which(in, names, N_QUANTILES, error);
    if (which < 0)
        return which;
    const struct quantile *q = &QUANTILES[which];
    double x[4] = {0};
    for (size_t i = 0; i < 4 && q->keys[i]; i++)
        if (unit_real(in, q->keys[i], &x[i], error) < 0)
            return ERROR_INPUT;
    if (q->pair)
        write_interval(out, q->pair(x));
    else
        json_write_real(out, q->number(x));
    return 0;
}

static int seed_of(struct json_value in, struct rng *rng, struct error *error)
{
    struct json_value seed;
    if (unit_get(in, "seed", &seed, error) < 0)
        return ERROR_INPUT;
    struct buf digits = {0};
    buf_span_add(&digits, seed.text);
    rng_seed_decimal(rng, buf_cstr(&digits));
    buf_free(&digits);
    return 0;
}

static int bootstrap_ci(struct json_value in, struct json_writer *out, struct error *error)
{
    struct rng rng;
    struct boot_options options = {.start = &rng};
    double *values = NULL;
    size_t n;
    int code = seed_of(in, &rng, error);
    if (code == 0)
        code = unit_int(in, "n_boot", &options.draws, error);
    if (code == 0)
        code = unit_real(in, "level", &options.level, error);
    if (code == 0)
        code = unit_reals(in, "values", &values, &n, error);
    if (code == 0)
        write_interval(out, boot_interval(values, n, &options));
    free(values);
    return code;
}

static int powers(struct json_value in, struct json_writer *out, struct error *error)
{
    double x;
    if (unit_real(in, "x", &x, error) < 0)
        return ERROR_INPUT;
    json_write_object(out);
    json_write_key(out, "pow2");
    json_write_real(out, stat_pow2(x));
    json_write_key(out, "pow_half");
    json_write_real(out, stat_root(x));
    json_write_end_object(out);
    return 0;
}

static int detectable(struct json_value in, struct json_writer *out, struct error *error)
{
    double n_tasks, base, k;
    if (unit_real(in, "n_tasks", &n_tasks, error) < 0 || unit_real(in, "base", &base, error) < 0 ||
        unit_real(in, "k", &k, error) < 0)
        return ERROR_INPUT;
    json_write_real(out, detectable_effect(n_tasks, base, k, STAT_POWER, STAT_ALPHA));
    return 0;
}

static int noise_band(struct json_value in, struct json_writer *out, struct error *error)
{
    double run_std, n_a, n_b, level, df = NAN;
    struct json_value given;
    if (unit_real(in, "run_std", &run_std, error) < 0 || unit_real(in, "n_a", &n_a, error) < 0 ||
        unit_real(in, "n_b", &n_b, error) < 0 || unit_real(in, "level", &level, error) < 0 ||
        unit_get(in, "df", &given, error) < 0)
        return ERROR_INPUT;
    if (!json_value_null(given))
        df = json_number(given);
    json_write_real(out, stat_noise_band(run_std, n_a, n_b, df, level));
    return 0;
}

/* [[key, mean], …] as tasks; texts live in the arena. */
static int tasks_of(struct json_value in, const char *key, struct arena *arena,
                    struct task_rate **tasks, size_t *n, struct error *error)
{
    struct json_value list, pair, parts[2];
    if (unit_get(in, key, &list, error) < 0)
        return ERROR_INPUT;
    *tasks = mem_zero(json_count(list), sizeof **tasks);
    *n = 0;
    struct json_cursor cursor = json_enter(list);
    struct buf scratch = {0};
    while (json_next_item(&cursor, &pair)) {
        struct json_cursor inside = json_enter(pair);
        if (!json_next_item(&inside, &parts[0]) || !json_next_item(&inside, &parts[1]))
            continue;
        (*tasks)[*n].key = arena_span(arena, json_text(parts[0], &scratch));
        (*tasks)[(*n)++].mean = json_number(parts[1]);
    }
    buf_free(&scratch);
    return 0;
}

/* {a, b: [[task, mean], …], seed, n_boot, level, min_paired}: one metric before and after. */
static int metric_change(struct json_value in, struct json_writer *out, struct error *error)
{
    struct rng rng;
    struct arena arena = {0};
    struct change_options options = {.boot = {.start = &rng}};
    struct task_rate *a = NULL, *b = NULL;
    size_t n_a, n_b;
    int code = seed_of(in, &rng, error);
    if (code == 0)
        code = unit_int(in, "n_boot", &options.boot.draws, error);
    if (code == 0)
        code = unit_real(in, "level", &options.boot.level, error);
    if (code == 0)
        code = unit_int(in, "min_paired", &options.min_paired, error);
    if (code == 0)
        code = tasks_of(in, "a", &arena, &a, &n_a, error);
    if (code == 0)
        code = tasks_of(in, "b", &arena, &b, &n_b, error);
    if (code == 0) {
        struct metric_change change;
        compare_metric(a, n_a, b, n_b, &options, &change);
        json_write_object(out);
        metric_change_write(&change, SPAN("pass_at_1"), out);
        json_write_end_object(out);
        notes_free(&change.notes);
    }
    free(a);
    free(b);
    arena_free(&arena);
    return code;
}

const struct unit_function UNIT_MEASURE[] = {
    {"pass_k", pass_k},
    {"quantiles", quantiles},
    {"bootstrap_ci", bootstrap_ci},
    {"pow", powers},
    {"detectable_effect", detectable},
    {"noise_band", noise_band},
    {"metric_change", metric_change},
    {0},
};
