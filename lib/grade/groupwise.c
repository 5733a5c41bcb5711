/* groupwise.c: see groupwise.h. */
#include "grade/groupwise.h"

#include <math.h>
#include <stdlib.h>

#include "row/value.h"

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* An index as an integer or its text. */
static bool read_index(struct json_value value, int64_t *index)
{
    struct buf scratch = {0};
    bool good = json_int64(value, index);
    if (value.type == JSON_VALUE_STRING) {
        struct span text = json_text(value, &scratch);
        struct json_value number;
        struct json_fault fault;
        good = json_scan(text, &number, NULL, &fault) == 0 && json_int64(number, index);
    }
    buf_free(&scratch);
    return good;
}

/* One out of range counts as none. */
static void set_factor(struct groupwise_member *m, size_t n, int64_t index, double factor)
{
    if (index >= 0 && (uint64_t)index < n)
        m[index].factor = factor > 0 && factor <= 1 ? factor : NAN;
}

bool groupwise_mixed(const struct groupwise_member *m, size_t n)
{
    size_t passed = 0;
    for (size_t i = 0; i < n; i++)
        passed += m[i].passed;
    return passed > 0 && passed < n;
}

/* ---- the grader's answer ----------------------------------------------------------------------- */

static size_t tier_size(struct json_value tier)
{
    return tier.type == JSON_VALUE_ARRAY ? json_count(tier) : 1;
}

/* Places to factors: 1 for the first, min_factor for the last, a tie has its mean place. */
static bool read_ranking(const struct groupwise_settings *s, struct json_value ranking,
                         struct groupwise_member *m, size_t n)
{
    struct json_cursor c = json_enter(ranking);
    struct json_value tier, item;
    size_t ranked = 0, place = 0;
    int64_t index;
    while (json_next_item(&c, &tier))
        ranked += tier_size(tier);
    c = json_enter(ranking);
    while (json_next_item(&c, &tier)) {
        size_t size = tier_size(tier);
        double rank = (double)place + ((double)size - 1) / 2;
        double factor = ranked == 1 ? 1 : 1 - (1 - s->min_factor) * rank / ((double)ranked - 1);
        struct json_cursor inner = json_enter(tier);
        place += size;
        if (tier.type != JSON_VALUE_ARRAY) {
            if (!read_index(tier, &index))
                return false;
            set_factor(m, n, index, factor);
            continue;
        }
        while (json_next_item(&inner, &item)) {
            if (!read_index(item, &index))
                return false;
            set_factor(m, n, index, factor);
        }
    }
    return true;
}

static bool read_factors(struct json_value factors, struct groupwise_member *m, size_t n)
{
    struct json_cursor c = json_enter(factors);
    struct json_member member;
    struct json_value item;
    struct buf key = {0};
    double factor;
    int64_t index = 0;
    bool good = true;
    if (factors.type == JSON_VALUE_ARRAY) {
        for (; good && json_next_item(&c, &item); index++)
            if ((good = value_float(item, &factor)))
                set_factor(m, n, index, factor);
    } else {
        while (good && json_next_member(&c, &member)) {
            struct json_value number;
            struct json_fault fault;
            good = json_scan(json_key(&member, &key), &number, NULL, &fault) == 0 &&
                   json_int64(number, &index) && value_float(member.value, &factor);
            if (good)
                set_factor(m, n, index, factor);
        }
    }
    buf_free(&key);
    return good;
}

static bool read_hacks(struct json_value hacks, struct groupwise_member *m, size_t n)
{
    struct json_cursor c = json_enter(hacks);
    struct json_value item;
    int64_t index;
    while (json_next_item(&c, &item)) {
        if (!read_index(item, &index))
            return false;
        if (index >= 0 && (uint64_t)index < n && m[index].passed)
            m[index].hack = true;
    }
    return true;
}

static bool answer_read(const struct groupwise_settings *s, struct json_value answer,
                        struct groupwise_member *m, size_t n)
{
    struct json_value value;
    if (answer.type != JSON_VALUE_OBJECT)
        return false;
    if (json_get(answer, SPAN("hacks"), &value) && !read_hacks(value, m, n))
        return false;
    if (json_get(answer, SPAN("factors"), &value) &&
        (value.type == JSON_VALUE_ARRAY || value.type == JSON_VALUE_OBJECT))
        return read_factors(value, m, n);
    return json_get(answer, SPAN("ranking"), &value) && value.type == JSON_VALUE_ARRAY &&
           read_ranking(s, value, m, n);
}

bool groupwise_read_group(const struct groupwise_settings *s, struct json_value answer,
                          struct groupwise_member *m, size_t n)
{
    bool good = answer_read(s, answer, m, n);
    for (size_t i = 0; i < n && good; i++)
        good = !m[i].passed || m[i].hack || !isnan(m[i].factor);
    for (size_t i = 0; i < n; i++) {
        if (!good || !m[i].passed) {
            m[i].hack = false;
            m[i].factor = NAN;
        } else if (m[i].hack && isnan(m[i].factor)) {
            m[i].factor = s->min_factor;
        }
    }
    return good;
}

static bool read_share(struct json_value answer, struct span key, double *out)
{
    struct json_value value;
    return json_get(answer, key, &value) && value_float(value, out) && *out >= 0 && *out <= 1;
}

bool groupwise_read_pass(const struct groupwise_settings *s, struct json_value answer,
                         struct groupwise_member *m)
{
    double solution, behavior;
    if (answer.type != JSON_VALUE_OBJECT || !read_share(answer, SPAN("solution"), &solution) ||
        !read_share(answer, SPAN("behavior"), &behavior))
        return false;
    m->factor = solution * behavior;
    m->shaped = m->reward * larger(s->floor, solution) * larger(s->floor, behavior);
    return true;
}

/* ---- the arithmetic (16.1) --------------------------------------------------------------------- */

void groupwise_keep(struct groupwise_member *m, size_t n)
{
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += m[i].reward;
    mean /= n ? (double)n : 1;
    for (size_t i = 0; i < n; i++) {
        m[i].shaped = m[i].reward;
        m[i].advantage = m[i].reward - mean;
    }
}

void groupwise_redistribute(const struct groupwise_settings *s, struct groupwise_member *m,
                            size_t n, bool *capped)
{
    double mean = 0, mass = 0, weighted = 0, shift = 0;
    size_t passes = 0;
    *capped = false;
    for (size_t i = 0; i < n; i++) {
        m[i].shaped = m[i].hack && !s->keep_hacks ? 0 : m[i].reward;
        mean += m[i].shaped;
    }
    mean /= n ? (double)n : 1;
    for (size_t i = 0; i < n; i++) {
        m[i].advantage = m[i].shaped - mean;
        if (m[i].shaped < s->pass_threshold)
            continue;
        passes++;
        mass += m[i].advantage;
        weighted += m[i].factor * m[i].advantage;
    }
    if (!passes || passes == n || !(mass > 0) || !(weighted > 0))
        return;
    double lambda = mass / weighted;
    *capped = lambda > s->cap;
    lambda = smaller(lambda, s->cap);
    for (size_t i = 0; i < n; i++) {
        if (m[i].shaped >= s->pass_threshold)
            m[i].advantage = lambda * m[i].factor * m[i].advantage;
        shift += m[i].advantage;
    }
    shift /= (double)n;
    for (size_t i = 0; i < n; i++) {
        m[i].advantage -= shift;
        m[i].shaped = m[i].advantage + mean;
    }
}

/* ---- reports ----------------------------------------------------------------------------------- */

void groupwise_score(struct groupwise_stats *stats, double score)
{
    stats->scores = mem_grow(stats->scores, &stats->cap_scores, stats->n_scores + 1, sizeof score);
    stats->scores[stats->n_scores++] = score;
}

static void write_list(struct json_writer *w, const double *values, size_t n)
{
    json_write_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_real(w, values[i]);
    json_write_end_array(w);
}

void groupwise_write_stats(const struct groupwise_stats *stats, bool synthesis,
                           struct json_writer *w)
{
    const struct {
        const char *key;
        uint64_t count;
    } counts[] = {{"groups", stats->groups},      {"mixed", stats->mixed},
                  {"grader_calls", stats->calls}, {"grader_failures", stats->failures},
                  {"hacks", stats->hacks},        {"lambda_capped", stats->capped}};
    json_write_object(w);
    json_write_key(w, "mode");
    json_write_text(w, synthesis ? "reward" : "advantage");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        json_write_key(w, counts[i].key);
        json_write_int(w, (int64_t)counts[i].count);
    }
    json_write_key(w, synthesis ? "scores" : "factors");
    write_list(w, stats->scores, stats->n_scores);
    json_write_end_object(w);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NaN without any. */
static double median(const double *values, size_t n)
{
    double *sorted = mem_zero(n + 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = values[i];
    qsort(sorted, n, sizeof *sorted, compare_reals);
    double middle = !n ? NAN : n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    free(sorted);
    return middle;
}

void spread_write(const double *scores, size_t n, uint64_t groups,
                  const struct spread_settings *settings, struct json_writer *w, bool *ok)
{
    double middle = median(scores, n), mean = 0, squares = 0, std = 0, within = 1;
    size_t inside = 0;
    for (size_t i = 0; i < n; i++)
        mean += scores[i];
    mean /= n ? (double)n : 1;
    for (size_t i = 0; i < n; i++) {
        squares += (scores[i] - mean) * (scores[i] - mean);
        inside += fabs(scores[i] - middle) <= settings->band;
    }
    if (n > 1) {
        std = sqrt(squares / (double)n);
        within = (double)inside / (double)n;
    }
    *ok = n > 1 && std >= settings->min_std && within <= settings->cluster_share;
    json_write_key(w, "ok");
    json_write_bool(w, *ok);
    json_write_key(w, "n");
    json_write_int(w, (int64_t)n);
    json_write_key(w, "groups");
    json_write_int(w, (int64_t)groups);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"std", std},
                   {"median", middle},
                   {"within_band", within},
                   {"band", settings->band},
                   {"min_std", settings->min_std},
                   {"cluster_share", settings->cluster_share}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_write_key(w, numbers[i].key);
        json_write_real(w, numbers[i].value);
    }
    json_write_key(w, "scores");
    write_list(w, scores, n);
}
