/* curve.c: see curve.h. Sums run left to right in size order. */
#include "select/curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rng/rng.h"
#include "text/number.h"
#include "json/tree.h"

enum {
    MIN_SIZES = 5,
    C_STEPS = 60,      /* exponents 0.05 * 60^(i/59) */
    D_STEPS = 31,      /* offsets 10^(i/6) */
    GRID_STEPS = 2701, /* sizes 10^(i/300) */
};
static const double MIN_VARIANCE = 1e-6, CLIP = 0.001, MDE_FACTOR = 2.8; /* 1.96 + 0.84 */
static const double SATURATED_SHARE = 0.9, FAILED_SHARE = 0.1, FLAT_EXPONENT = 0.1;
static const char *const FORM_NAMES[CURVE_FORMS] = {"rectified", "power", "logit"};

/* One size: scores by seed, and by item within a seed. */
struct size {
    double n;
    size_t seeds;
    double **items;  /* by seed; NULL entries: a bare score */
    size_t *n_items; /* by seed */
    double *means;   /* by seed */
};

struct curve {
    struct size *sizes; /* as given */
    size_t n, *order;   /* by size, ascending */
    size_t items;       /* columns that all seeds share; 0: not paired */
    double base;        /* NaN: none */
};

static void curve_clear(struct curve *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t s = 0; s < c->sizes[i].seeds; s++)
            free(c->sizes[i].items[s]);
        free(c->sizes[i].items);
        free(c->sizes[i].n_items);
        free(c->sizes[i].means);
    }
    free(c->sizes);
    free(c->order);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

static bool read_seed(struct size *size, size_t s, const json_t *value)
{
    if (json_is_number(value)) {
        size->means[s] = json_number_value(value);
        return isfinite(size->means[s]);
    }
    size_t n = json_is_array(value) ? json_array_size(value) : 0;
    size->items[s] = mem_zero(n, sizeof **size->items);
    size->n_items[s] = n;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_number(item))
            return false;
        size->items[s][i] = json_number_value(item);
    }
    size->means[s] = n ? mean_of(size->items[s], n) : NAN;
    return n > 0;
}

static bool read_size(struct size *size, const json_t *value)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;
    size->items = mem_zero(n, sizeof *size->items);
    size->n_items = mem_zero(n, sizeof *size->n_items);
    size->means = mem_zero(n, sizeof *size->means);
    size->seeds = n;
    for (size_t s = 0; s < n; s++)
        if (!read_seed(size, s, json_is_array(value) ? json_array_get(value, s) : value))
            return false;
    return n > 0;
}

static void order_sizes(struct curve *c)
{
    c->order = mem_zero(c->n, sizeof *c->order);
    for (size_t i = 0; i < c->n; i++) {
        size_t at = i;
        for (; at && c->sizes[c->order[at - 1]].n > c->sizes[i].n; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
}

/* All seeds of all sizes have one width over 1: the items are the same ones. */
static void find_items(struct curve *c)
{
    size_t width = c->sizes[0].n_items[0];
    for (size_t i = 0; i < c->n; i++)
        for (size_t s = 0; s < c->sizes[i].seeds; s++)
            if (c->sizes[i].n_items[s] != width)
                width = 0;
    c->items = width > 1 ? width : 0;
}

static int read_object(struct curve *c, const char *path, const json_t *tree, struct error *error)
{
    const json_t *curve = json_object_get(tree, "curve"), *value;
    const char *key;
    if (!json_is_object(curve))
        curve = tree;
    const json_t *base = curve == tree ? NULL : json_object_get(tree, "base");
    struct size one = {0};
    if (base && !json_is_null(base)) {
        bool good = read_size(&one, base);
        c->base = good ? mean_of(one.means, one.seeds) : NAN;
        struct curve gone = {.sizes = mem_copy(&one, sizeof one), .n = 1};
        curve_clear(&gone);
        if (!good)
            return error_set(error, ERROR_INPUT, "%s: base is no score", path);
    }
    c->sizes = mem_zero(json_object_size(curve), sizeof *c->sizes);
    json_object_foreach((json_t *)curve, key, value)
    {
        struct size *size = &c->sizes[c->n++];
        if (!number_parse(span_text(key), &size->n) || !(size->n >= 1.0) || !isfinite(size->n))
            return error_set(error, ERROR_INPUT,
                             "%s: \"%s\" is no size; rows, 1 or more, are wanted", path, key);
        if (!read_size(size, value))
            return error_set(error, ERROR_INPUT,
                             "%s: the scores at %s are no number, list, or list of lists", path,
                             key);
    }
    if (c->n < MIN_SIZES)
        return error_set(error, ERROR_INPUT, "%s: %zu sizes; %d or more are wanted", path, c->n,
                         MIN_SIZES);
    order_sizes(c);
    find_items(c);
    return 0;
}

/* ---- a point of the curve -----------------------------------------------------------------------
 */

static double sample_variance(const double *values, size_t n)
{
    long double sum = 0.0L, squares = 0.0L;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / n) * (values[i] - sum / n);
    return (double)(squares / (n - 1));
}

/* The score of a size and its variance (NaN: none) from picked seeds and, when paired, items. */
static void point(const struct curve *c, const struct size *size, const size_t *seeds,
                  const size_t *items, double *y, double *variance)
{
    double *means = mem_zero(size->seeds + 1, sizeof *means);
    double *columns = mem_zero(c->items + 1, sizeof *columns);
    for (size_t s = 0; s < size->seeds; s++) {
        size_t seed = seeds ? seeds[s] : s;
        means[s] = size->means[seed];
        if (c->items && items) {
            means[s] = 0.0;
            for (size_t i = 0; i < c->items; i++)
                means[s] += size->items[seed][items[i]];
            means[s] /= (double)c->items;
        }
    }
    for (size_t i = 0; i < c->items; i++) {
        for (size_t s = 0; s < size->seeds; s++)
            columns[i] += size->items[seeds ? seeds[s] : s][items ? items[i] : i];
        columns[i] /= (double)size->seeds;
    }
    *y = mean_of(means, size->seeds);
    *variance = 0.0;
    if (size->seeds > 1)
        *variance += sample_variance(means, size->seeds) / (double)size->seeds;
    if (c->items)
        *variance += sample_variance(columns, c->items) / (double)c->items;
    if (size->seeds < 2 && !c->items)
        *variance = NAN;
    else if (*variance < MIN_VARIANCE)
        *variance = MIN_VARIANCE;
    free(columns);
    free(means);
}

/* ---- forms --------------------------------------------------------------------------------------
 */

struct points {
    const double *n, *y, *w;
    size_t count;
    double base; /* NaN: none */
};

struct fit {
    double params[4];
    double error;
    bool good;
};

/* Weighted least squares of y on x. */
static void line(const double *x, const double *y, const double *w, size_t n, double *slope,
                 double *intercept)
{
    double weight = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0;
    for (size_t i = 0; i < n; i++) {
        weight += w[i];
        mx += w[i] * x[i];
        my += w[i] * y[i];
    }
    mx /= weight;
    my /= weight;
    for (size_t i = 0; i < n; i++) {
        sxx += w[i] * (x[i] - mx) * (x[i] - mx);
        sxy += w[i] * (x[i] - mx) * (y[i] - my);
    }
    *slope = sxx > 0.0 ? sxy / sxx : NAN;
    *intercept = my - *slope * mx;
}

static double squares(const struct points *p, const double *x, double slope, double intercept)
{
    double sum = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        double off = p->y[i] - (intercept + slope * x[i]);
        sum += p->w[i] * off * off;
    }
    return sum;
}

static double exponent(size_t i)
{
    return 0.05 * pow(60.0, (double)i / (C_STEPS - 1));
}

static void try_rectified(const struct points *p, double c, double d, double *x, struct fit *best)
{
    double slope, intercept = p->base, above = 0.0, below = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        double power = pow(p->n[i], c);
        x[i] = power / (d + power);
        above += p->w[i] * (p->y[i] - p->base) * x[i];
        below += p->w[i] * x[i] * x[i];
    }
    if (isnan(p->base))
        line(x, p->y, p->w, p->count, &slope, &intercept);
    else
        slope = above / below;
    if (!(slope > 0.0) || !(intercept + slope <= 1.0))
        return;
    double error = squares(p, x, slope, intercept);
    if (best->good && !(error < best->error))
        return;
    *best = (struct fit){{intercept, intercept + slope, c, d}, error, true};
}

static struct fit fit_form(enum curve_form form, const struct points *p)
{
    struct fit best = {.error = INFINITY};
    double *x = mem_zero(p->count, sizeof *x), *z = mem_zero(p->count, sizeof *z),
           *w = mem_zero(p->count, sizeof *w);
    double slope, intercept;
    for (size_t i = 0; form == CURVE_RECTIFIED && i < C_STEPS; i++)
        for (size_t j = 0; j < D_STEPS; j++)
            try_rectified(p, exponent(i), pow(10.0, (double)j / 6.0), x, &best);
    for (size_t i = 0; form == CURVE_POWER && i < C_STEPS; i++) {
        for (size_t k = 0; k < p->count; k++)
            x[k] = pow(p->n[k], -exponent(i));
        line(x, p->y, p->w, p->count, &slope, &intercept);
        double error = squares(p, x, slope, intercept);
        if (-slope > 0.0 && intercept <= 1.0 && error < best.error)
            best = (struct fit){{intercept, -slope, exponent(i), 0.0}, error, true};
    }
    if (form == CURVE_LOGIT) {
        for (size_t k = 0; k < p->count; k++) {
            double q = fmin(fmax(p->y[k], CLIP), 1.0 - CLIP), spread = q * (1.0 - q);
            x[k] = log(p->n[k]);
            z[k] = log(q / (1.0 - q));
            w[k] = p->w[k] * spread * spread;
        }
        line(x, z, w, p->count, &slope, &intercept);
        if (slope > 0.0)
            best = (struct fit){{intercept, slope, 0.0, 0.0}, 0.0, true};
    }
    free(x);
    free(z);
    free(w);
    return best;
}

static double predict(enum curve_form form, const double *p, double n)
{
    if (form == CURVE_POWER)
        return p[0] - p[1] * pow(n, -p[2]);
    if (form == CURVE_LOGIT)
        return 1.0 / (1.0 + exp(-(p[0] + p[1] * log(n))));
    double power = pow(n, p[2]);
    return p[0] + (p[1] - p[0]) * power / (p[3] + power);
}

/* The smallest size after the last one whose doubling still gains. */
static double saturation(enum curve_form form, const double *params, double min_gain,
                         double smallest)
{
    for (size_t i = GRID_STEPS; i-- > 0;) {
        double n = pow(10.0, (double)i / 300.0);
        if (!(predict(form, params, 2.0 * n) - predict(form, params, n) > min_gain))
            continue;
        if (i + 1 == GRID_STEPS)
            return INFINITY;
        return fmax(smallest, ceil(pow(10.0, (double)(i + 1) / 300.0)));
    }
    return smallest;
}

/* ---- the choice, and how sure it is -------------------------------------------------------------
 */

struct fitting {
    const struct curve *c;
    double *n, *y, *w, *variance; /* by size, ascending */
    bool weighted;
};

static struct points points_of(const struct fitting *f, size_t count)
{
    return (struct points){f->n, f->y, f->w, count, f->c->base};
}

/* Every size's point from the picked seeds (by place in the curve's order) and items. */
static void place_points(struct fitting *f, size_t *const *seeds, const size_t *items)
{
    f->weighted = true;
    for (size_t k = 0; k < f->c->n; k++) {
        size_t i = f->c->order[k];
        f->n[k] = f->c->sizes[i].n;
        point(f->c, &f->c->sizes[i], seeds ? seeds[i] : NULL, items, &f->y[k], &f->variance[k]);
        f->weighted = f->weighted && !isnan(f->variance[k]);
    }
    for (size_t k = 0; k < f->c->n; k++)
        f->w[k] = f->weighted ? 1.0 / f->variance[k] : 1.0;
}

/* The form that best predicts the largest size from the others, refitted on all. */
static bool choose_form(const struct fitting *f, struct curve_report *r)
{
    struct points part = points_of(f, f->c->n - 1), all = points_of(f, f->c->n);
    bool tried[CURVE_FORMS] = {false};
    for (size_t form = 0; form < CURVE_FORMS; form++) {
        struct fit fit = fit_form((enum curve_form)form, &part);
        r->heldout[form] =
            fit.good ? fabs(predict((enum curve_form)form, fit.params, f->n[f->c->n - 1]) -
                            f->y[f->c->n - 1])
                     : NAN;
    }
    for (size_t round = 0; round < CURVE_FORMS; round++) {
        size_t best = CURVE_FORMS;
        for (size_t form = 0; form < CURVE_FORMS; form++)
            if (!tried[form] && !isnan(r->heldout[form]) &&
                (best == CURVE_FORMS || r->heldout[form] < r->heldout[best]))
                best = form;
        if (best == CURVE_FORMS)
            return false;
        tried[best] = true;
        struct fit fit = fit_form((enum curve_form)best, &all);
        if (!fit.good)
            continue;
        r->form = (enum curve_form)best;
        memcpy(r->params, fit.params, sizeof r->params);
        r->n_params = best == CURVE_RECTIFIED ? 4 : best == CURVE_POWER ? 3 : 2;
        return true;
    }
    return false;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double percentile(const double *sorted, size_t n, double q)
{
    return n ? sorted[(size_t)number_round_even(q * (double)(n - 1))] : NAN;
}

/* Draws seeds (and items) again. A draw without a fit has no N*, but it has a last gain. Returns how many
 * draws found no fit. */
static size_t resample(const struct curve *c, const struct curve_options *o, struct fitting *f,
                       struct curve_report *r)
{
    struct rng rng;
    size_t **seeds = mem_zero(c->n, sizeof *seeds), *items = mem_zero(c->items + 1, sizeof *items);
    double *stars = mem_zero(o->draws, sizeof *stars), *gains = mem_zero(o->draws, sizeof *gains);
    size_t kept = 0, reached = 0, last = c->n - 1;
    rng_seed_decimal(&rng, o->seed);
    for (size_t i = 0; i < c->n; i++)
        seeds[i] = mem_zero(c->sizes[i].seeds, sizeof **seeds);
    for (size_t draw = 0; draw < o->draws; draw++) {
        for (size_t i = 0; i < c->items; i++)
            items[i] = (size_t)rng_below(&rng, c->items);
        for (size_t i = 0; i < c->n; i++)
            for (size_t s = 0; s < c->sizes[i].seeds; s++)
                seeds[i][s] = (size_t)rng_below(&rng, c->sizes[i].seeds);
        place_points(f, seeds, c->items ? items : NULL);
        gains[draw] = f->y[last] - f->y[last - 1];
        struct points all = points_of(f, c->n);
        struct fit fit = fit_form(r->form, &all);
        if (!fit.good)
            continue;
        stars[kept] = saturation(r->form, fit.params, o->min_gain, f->n[0]);
        reached += stars[kept++] <= f->n[last];
    }
    qsort(stars, kept, sizeof *stars, by_value);
    qsort(gains, o->draws, sizeof *gains, by_value);
    r->low = percentile(stars, kept, 0.05);
    r->high = percentile(stars, kept, 0.95);
    r->gain_low = percentile(gains, o->draws, 0.05);
    r->gain_high = percentile(gains, o->draws, 0.95);
    r->share = kept ? (double)reached / (double)o->draws : NAN;
    for (size_t i = 0; i < c->n; i++)
        free(seeds[i]);
    free(seeds);
    free(items);
    free(stars);
    free(gains);
    return o->draws - kept;
}

/* The smallest difference of the two largest sizes that these scores can show. */
static double detectable(const struct curve *c)
{
    const struct size *a = &c->sizes[c->order[c->n - 2]], *b = &c->sizes[c->order[c->n - 1]];
    size_t k = a->seeds < b->seeds ? a->seeds : b->seeds;
    double spread = 0.0;
    if (k > 1)
        spread +=
            2.0 *
            ((sample_variance(a->means, a->seeds) + sample_variance(b->means, b->seeds)) / 2.0) /
            (double)k;
    if (c->items) {
        double *differences = mem_zero(c->items, sizeof *differences);
        for (size_t i = 0; i < c->items; i++) {
            double first = 0.0, second = 0.0;
            for (size_t s = 0; s < a->seeds; s++)
                first += a->items[s][i];
            for (size_t s = 0; s < b->seeds; s++)
                second += b->items[s][i];
            differences[i] = second / (double)b->seeds - first / (double)a->seeds;
        }
        spread += sample_variance(differences, c->items) / (double)c->items;
        free(differences);
    }
    return spread > 0.0 ? MDE_FACTOR * sqrt(spread) : NAN;
}

static const char *verdict_of(const struct curve_report *r, double failed, double largest)
{
    if (failed > FAILED_SHARE || (r->form == CURVE_POWER && r->params[2] < FLAT_EXPONENT))
        return "not identifiable";
    bool saturated = isnan(r->share) ? r->n_star <= largest : r->share >= SATURATED_SHARE;
    if (saturated)
        return "saturated";
    return r->n_star > 2.0 * largest ? "forecast" : "not saturated";
}

static void measure(const struct curve *c, const struct curve_options *o, struct fitting *f,
                    struct curve_report *r)
{
    size_t last = c->n - 1, failed = 0;
    place_points(f, NULL, NULL);
    for (size_t k = 0; k < c->n; k++)
        r->scores[c->order[k]] = f->y[k];
    double largest = f->n[last], smallest = f->n[0], gain = f->y[last] - f->y[last - 1];
    if (!choose_form(f, r)) {
        r->form = CURVE_POWER;
        r->params[0] = f->y[last];
        r->params[1] = 0.0;
        r->params[2] = 1.0;
        r->n_params = 3;
        r->n_star = smallest;
        r->verdict = "flat";
        return;
    }
    r->n_star = saturation(r->form, r->params, o->min_gain, smallest);
    r->mde = detectable(c);
    r->last_gain = gain;
    if (f->weighted && o->draws)
        failed = resample(c, o, f, r);
    r->verdict = verdict_of(r, o->draws ? (double)failed / (double)o->draws : 0.0, largest);
    r->keep_all = strcmp(r->verdict, "saturated") != 0;
}

int curve_measure(const char *path, const struct curve_options *o, struct curve_report *r,
                  struct error *error)
{
    struct curve c = {.base = NAN};
    json_t *tree = json_tree_file(path, error);
    *r = (struct curve_report){.min_gain = o->min_gain,
                               .low = NAN,
                               .high = NAN,
                               .share = NAN,
                               .mde = NAN,
                               .last_gain = NAN,
                               .gain_low = NAN,
                               .gain_high = NAN};
    if (!tree)
        return error->code;
    int code = json_is_object(tree) ? read_object(&c, path, tree, error)
                                    : error_set(error, ERROR_INPUT,
                                                "%s: an object of scores by size is wanted", path);
    json_decref(tree);
    if (!code) {
        c.base = isnan(o->base) ? c.base : o->base;
        r->base = c.base;
        r->n_sizes = c.n;
        r->sizes = mem_zero(c.n, sizeof *r->sizes);
        r->scores = mem_zero(c.n, sizeof *r->scores);
        for (size_t i = 0; i < c.n; i++)
            r->sizes[i] = c.sizes[i].n;
        double *numbers = mem_zero(4 * c.n, sizeof *numbers);
        struct fitting f = {.c = &c,
                            .n = numbers,
                            .y = numbers + c.n,
                            .w = numbers + 2 * c.n,
                            .variance = numbers + 3 * c.n};
        measure(&c, o, &f, r);
        free(numbers);
    }
    curve_clear(&c);
    return code;
}

void curve_free(struct curve_report *r)
{
    free(r->sizes);
    free(r->scores);
}

/* ---- how it is told -----------------------------------------------------------------------------
 */

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_range(struct json_writer *w, const char *key, double low, double high)
{
    json_write_key(w, key);
    if (isnan(low)) {
        json_write_null(w);
        return;
    }
    json_write_array(w);
    json_write_real(w, low);
    json_write_real(w, high);
    json_write_end_array(w);
}

/* What to know before acting on it; a line each. */
static void notes(const struct curve_report *r, struct buf *out)
{
    if (isnan(r->share))
        buf_text(out, "a size has one score, so all weigh the same and N* has no range\n");
    if (isnan(r->base) && r->form == CURVE_RECTIFIED)
        buf_text(out, "no base score, so the form fits its own start\n");
    if (r->form == CURVE_LOGIT)
        buf_text(out, "a log-linear form won, which has no plateau to see\n");
    if (r->min_gain < r->mde)
        buf_format(out, "a gain of %g is less than these scores can show (%.4f)\n", r->min_gain,
                   r->mde);
    if (strcmp(r->verdict, "forecast") == 0)
        buf_text(out, "N* lies over twice the largest size: a forecast, not a measurement\n");
}

void curve_write(const struct curve_report *r, struct json_writer *w)
{
    struct buf lines = {0};
    json_write_key(w, "form");
    json_write_text(w, FORM_NAMES[r->form]);
    json_write_key(w, "params");
    json_write_array(w);
    for (size_t i = 0; i < r->n_params; i++)
        json_write_real(w, r->params[i]);
    json_write_end_array(w);
    write_real(w, "min_gain", r->min_gain);
    write_real(w, "n_saturated", r->n_star);
    json_write_key(w, "verdict");
    json_write_text(w, r->verdict);
    json_write_key(w, "curve");
    json_write_object(w);
    for (size_t i = 0; i < r->n_sizes; i++) {
        char key[32];
        snprintf(key, sizeof key, "%.17g", r->sizes[i]);
        write_real(w, key, r->scores[i]);
    }
    json_write_end_object(w);
    write_real(w, "base", r->base);
    write_range(w, "interval", r->low, r->high);
    write_real(w, "share_saturated", r->share);
    json_write_key(w, "heldout_error");
    json_write_object(w);
    for (size_t form = 0; form < CURVE_FORMS; form++)
        if (!isnan(r->heldout[form]))
            write_real(w, FORM_NAMES[form], r->heldout[form]);
    json_write_end_object(w);
    write_real(w, "mde", r->mde);
    write_real(w, "last_gain", r->last_gain);
    write_range(w, "last_gain_interval", r->gain_low, r->gain_high);
    notes(r, &lines);
    json_write_key(w, "notes");
    json_write_array(w);
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(buf_span(&lines), SPAN("\n"), at);
        json_write_span(w, span_slice(buf_span(&lines), at, end));
        at = end + 1;
    }
    json_write_end_array(w);
    buf_free(&lines);
}

void curve_text(const struct curve_report *r, struct buf *out)
{
    if (isinf(r->n_star))
        buf_format(out, "%s: no size is enough for a gain under %g", r->verdict, r->min_gain);
    else
        buf_format(out, "%s: doubling %.0f rows gains less than %g", r->verdict, r->n_star,
                   r->min_gain);
    if (!isnan(r->low))
        buf_format(out, " (%.0f to %.0f)", r->low, r->high);
    buf_format(out, "; form %s\n", FORM_NAMES[r->form]);
    notes(r, out);
}
