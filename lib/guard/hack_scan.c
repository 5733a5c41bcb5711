/* hack_scan.c: features ranked by how they separate the reward within an ask, see hack_scan.h. The
 * order of every sum is that of the specification (guard 10.1): digits depend on it. */
#include "guard/hack_scan.h"

#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "guard/hack_measure.h"
#include "rng/rng.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/term.h"

const char *const HACK_REGIME_NAMES[HACK_REGIMES] = {"unknown",     "degenerate",     "no_signal",
                                                     "reward_hack", "pool_exhausted", "train"};

const struct hack_options HACK_OPTIONS_DEFAULT = {
    .automatic = true,
    .top_k = HACK_TOP_K,
    .n_perm = HACK_PERMUTATIONS,
    .min_obs = HACK_MIN_OBS,
    .seeds = HACK_SEEDS,
    .top_features = HACK_TOP_FEATURES,
    .reward = "reward",
    .group_by = "prompt",
    .seed = "0",
    .alpha = HACK_ALPHA,
};

struct hack_scan {
    const struct hack_options *o;
    struct hack_reader *reader;
    struct hack_rows rows;
};

struct hack_scan *hack_scan_new(const struct hack_options *options, struct error *error)
{
    struct hack_reader *reader = hack_reader_new(options, error);
    if (!reader)
        return NULL;
    struct hack_scan *scan = mem_zero(1, sizeof *scan);
    scan->o = options;
    scan->reader = reader;
    return scan;
}

void hack_scan_add(struct hack_scan *scan, const struct row *row)
{
    hack_rows_add(&scan->rows, scan->reader, row);
}

void hack_scan_free(struct hack_scan *scan)
{
    if (!scan)
        return;
    hack_reader_free(scan->reader);
    hack_rows_free(&scan->rows);
    free(scan);
}

/* ---- groups and the reward (steps 2-4) ----------------------------------------------------------
 */

static void group_rows(struct hack_measuring *s)
{
    size_t *fill = mem_zero(s->n_groups, sizeof *fill);
    s->size = arena_zero(s->arena, s->n_groups * sizeof *s->size);
    s->start = arena_zero(s->arena, s->n_groups * sizeof *s->start);
    s->members = arena_alloc(s->arena, s->n * sizeof *s->members);
    for (size_t i = 0; i < s->n; i++)
        s->size[s->rows->group[i]]++;
    for (size_t g = 1; g < s->n_groups; g++)
        s->start[g] = s->start[g - 1] + s->size[g - 1];
    for (size_t i = 0; i < s->n; i++) {
        size_t g = s->rows->group[i];
        s->members[s->start[g] + fill[g]++] = (uint32_t)i;
    }
    free(fill);
}

/* What a group's rewards say of it. */
static void measure_group(struct hack_measuring *s, size_t g, double *capacity)
{
    const double *reward = s->rows->reward;
    const uint32_t *members = s->members + s->start[g];
    struct hack_report *r = s->report;
    double sum = 0.0, least = reward[members[0]], most = least, spread = 0.0;
    for (size_t i = 0; i < s->size[g]; i++) {
        double value = reward[members[i]];
        sum += value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    s->mean[g] = sum / (double)s->size[g];
    for (size_t i = 0; i < s->size[g]; i++) {
        double off = reward[members[i]] - s->mean[g];
        spread += off * off;
    }
    *capacity += spread / (double)s->size[g];
    if (least != most) {
        r->mixed += 1.0;
        r->effective_rollouts += s->size[g] > 1 ? s->size[g] : 0;
    } else if (most >= 1.0) {
        r->sat += 1.0;
    } else if (most <= 0.0) {
        r->dead += 1.0;
    }
}

static int by_size(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* The upper median of sizes, 1 without any. */
static size_t upper_median(size_t *sizes, size_t n)
{
    if (!n)
        return 1;
    qsort(sizes, n, sizeof *sizes, by_size);
    return sizes[n / 2];
}

static void measure_groups(struct hack_measuring *s)
{
    struct hack_report *r = s->report;
    double capacity = 0.0, squares = 0.0, raw_squares = 0.0, sum = 0.0;
    size_t *sizes = mem_zero(s->n_groups, sizeof *sizes);
    s->mean = arena_alloc(s->arena, s->n_groups * sizeof *s->mean);
    s->centred = arena_alloc(s->arena, s->n * sizeof *s->centred);
    for (size_t g = 0; g < s->n_groups; g++) {
        measure_group(s, g, &capacity);
        if (s->size[g] >= 2)
            sizes[r->n_groups_multi++] = s->size[g];
    }
    r->rollouts_per_group = upper_median(sizes, r->n_groups_multi);
    double groups = (double)s->n_groups;
    r->sat /= groups;
    r->dead /= groups;
    r->mixed /= groups;
    r->capacity = capacity / (0.25 * groups);
    for (size_t i = 0; i < s->n; i++) {
        double reward = s->rows->reward[i];
        s->centred[i] = reward - s->mean[s->rows->group[i]];
        squares += s->centred[i] * s->centred[i];
        raw_squares += reward * reward;
        sum += reward;
        r->continuous = r->continuous || (reward != 0.0 && reward != 1.0);
    }
    s->within = sqrt(squares / (double)s->n);
    s->overall_mean = sum / (double)s->n;
    double spread = raw_squares / (double)s->n - s->overall_mean * s->overall_mean;
    s->overall = sqrt(spread > 0.0 ? spread : 0.0);
    free(sizes);
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Step 6: how many different rollouts an ask has. */
static void count_distinct(struct hack_measuring *s)
{
    size_t *counts = mem_zero(s->n_groups, sizeof *counts), n = 0;
    uint32_t *profiles = mem_zero(s->n, sizeof *profiles);
    for (size_t g = 0; g < s->n_groups; g++) {
        if (s->size[g] < 2)
            continue;
        for (size_t i = 0; i < s->size[g]; i++)
            profiles[i] = s->rows->profile[s->members[s->start[g] + i]];
        qsort(profiles, s->size[g], sizeof *profiles, by_number);
        size_t distinct = 0;
        for (size_t i = 0; i < s->size[g]; i++)
            distinct += !i || profiles[i] != profiles[i - 1];
        counts[n++] = distinct;
    }
    s->report->distinct_per_ask = upper_median(counts, n);
    free(profiles);
    free(counts);
}

/* ---- the floor (step 13) ------------------------------------------------------------------------
 */

enum { LANES = 8 }; /* shuffles measured at a time: one cache line a row */

static void shuffle_rewards(const struct hack_measuring *s, struct rng *rng, double *perm,
                            double *values)
{
    for (size_t g = 0; g < s->n_groups; g++) {
        if (s->size[g] < 2)
            continue;
        const uint32_t *members = s->members + s->start[g];
        for (size_t i = 0; i < s->size[g]; i++)
            values[i] = perm[members[i]];
        rng_shuffle(rng, values, s->size[g], sizeof *values);
        for (size_t i = 0; i < s->size[g]; i++)
            perm[members[i]] = values[i];
    }
}

/* The largest |rho| of each lane's shuffled rewards. */
static void best_of_lanes(const struct hack_measuring *s, const double *lanes, double best[LANES])
{
    for (size_t l = 0; l < LANES; l++)
        best[l] = 0.0;
    for (size_t f = 0; f < s->n_features; f++) {
        const struct hack_measured *x = &s->features[f];
        double sums[LANES] = {0};
        if (!(x->sd_within > 0.0))
            continue;
        for (size_t i = 0; i < x->count; i++) {
            const double *row = lanes + (size_t)x->rows[i] * LANES;
            double v = value_at(x, i);
            for (size_t l = 0; l < LANES; l++)
                sums[l] += v * row[l];
        }
        double scale = (double)s->n * x->sd_within * s->within;
        for (size_t l = 0; l < LANES; l++) {
            double strength = fabs(sums[l]) / scale;
            best[l] = strength > best[l] ? strength : best[l];
        }
    }
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure_floor(struct hack_measuring *s)
{
    struct rng rng;
    size_t n_perm = s->o->n_perm;
    double *perm = mem_copy(s->rows->reward, s->n * sizeof *perm);
    double *values = mem_alloc(s->n * sizeof *values);
    double *lanes = mem_zero(s->n * LANES, sizeof *lanes);
    s->best = arena_zero(s->arena, (n_perm + LANES) * sizeof *s->best);
    rng_seed_decimal(&rng, s->o->seed);
    for (size_t done = 0; done < n_perm; done += LANES) {
        for (size_t l = 0; l < LANES && done + l < n_perm; l++) {
            shuffle_rewards(s, &rng, perm, values);
            for (size_t i = 0; i < s->n; i++)
                lanes[i * LANES + l] = perm[i] - s->mean[s->rows->group[i]];
        }
        best_of_lanes(s, lanes, s->best + done);
    }
    qsort(s->best, n_perm, sizeof *s->best, by_value);
    double at = ceil((1.0 - s->o->alpha) * (double)n_perm) - 1.0;
    size_t place = at < 0.0 ? n_perm - 1 : (size_t)at; /* -1 counts from the end, as in Python */
    s->report->tau = s->best[place < n_perm - 1 ? place : n_perm - 1];
    free(lanes);
    free(values);
    free(perm);
}

/* ---- ranking and what is said of it (steps 14, 15) ----------------------------------------------
 */

static bool name_matches(const struct hack_options *o, struct span name)
{
    struct buf lower = {0}, pattern = {0};
    bool hit = false;
    text_lower(name, &lower);
    for (size_t i = 0; i < o->n_endorsed && !hit; i++) {
        buf_clear(&pattern);
        text_lower(span_text(o->endorsed[i]), &pattern);
        hit = span_has(buf_span(&lower), buf_span(&pattern));
    }
    buf_free(&pattern);
    buf_free(&lower);
    return hit;
}

static void endorse(struct hack_measuring *s)
{
    for (size_t i = 0; i < s->n_features; i++) {
        struct hack_measured *f = &s->features[i];
        f->endorsed = name_matches(s->o, f->name);
        for (size_t a = 0; a < f->n_aliases && !f->endorsed; a++)
            f->endorsed = name_matches(s->o, f->aliases[a]);
        if (f->conjunction)
            f->endorsed = f->endorsed || s->features[f->parents[0]].endorsed ||
                          s->features[f->parents[1]].endorsed;
        s->report->endorsed_matched += f->endorsed;
    }
}

/* Is f, within every ask, a multiple of g? By Cauchy-Schwarz, when their correlation is +-1; sums
 * of products over asks, so it is told apart from rounding by a relative 1e-9. */
static bool is_multiple(const struct hack_measuring *s, const struct hack_measured *f,
                        const struct hack_measured *g)
{
    double *sums_f = mem_zero(s->n_groups, sizeof *sums_f),
           *sums_g = mem_zero(s->n_groups, sizeof *sums_g);
    double products = 0.0, within = 0.0;
    for (size_t i = 0; i < f->count; i++)
        sums_f[s->rows->group[f->rows[i]]] += value_at(f, i);
    for (size_t i = 0; i < g->count; i++)
        sums_g[s->rows->group[g->rows[i]]] += value_at(g, i);
    for (size_t i = 0, j = 0; i < f->count && j < g->count;) {
        if (f->rows[i] == g->rows[j])
            products += value_at(f, i) * value_at(g, j), i++, j++;
        else if (f->rows[i] < g->rows[j])
            i++;
        else
            j++;
    }
    for (size_t k = 0; k < s->n_groups; k++)
        within += sums_f[k] * sums_g[k] / (double)s->size[k];
    double covariance = (products - within) / (double)s->n;
    free(sums_f);
    free(sums_g);
    return fabs(covariance) >= (1.0 - 1e-9) * f->sd_within * g->sd_within;
}

static void find_complements(struct hack_measuring *s)
{
    for (size_t i = 0; i < s->n_features; i++) {
        struct hack_measured *f = &s->features[i];
        for (size_t j = 0; j < s->n_features && !f->endorsed && f->above && !f->complement; j++) {
            const struct hack_measured *g = &s->features[j];
            f->complement = g->endorsed && g->above && g->rho > 0.0 &&
                            number_round(fabs(g->rho), 6) == number_round(fabs(f->rho), 6) &&
                            is_multiple(s, f, g);
        }
    }
}

static int by_rank(const void *left, const void *right)
{
    const struct hack_feature *a = left, *b = right;
    double x = number_round(fabs(a->rho), 6), y = number_round(fabs(b->rho), 6);
    if (x != y)
        return x > y ? -1 : 1;
    bool wanted_a = a->endorsed && a->rho > 0.0, wanted_b = b->endorsed && b->rho > 0.0;
    if (wanted_a != wanted_b)
        return wanted_a ? -1 : 1;
    return span_compare(a->name, b->name);
}

static double chance(const struct hack_measuring *s, double strength)
{
    size_t as_strong = 0;
    for (size_t i = 0; i < s->o->n_perm; i++)
        as_strong += s->best[i] >= strength;
    return ((double)as_strong + 1.0) / ((double)s->o->n_perm + 1.0);
}

/* The features as the report keeps them, in the order they were made. */
static void report_features(struct hack_measuring *s, bool ranked)
{
    struct hack_report *r = s->report;
    r->n_features = s->n_features;
    r->features = mem_zero(s->n_features, sizeof *r->features);
    for (size_t i = 0; i < s->n_features; i++) {
        struct hack_measured *f = &s->features[i];
        struct hack_feature *out = &r->features[i];
        *out = (struct hack_feature){.name = arena_span(&r->arena, f->name),
                                     .n_aliases = f->n_aliases,
                                     .rho = ranked ? f->rho : 0.0,
                                     .pooled = f->pooled,
                                     .n_obs = f->count,
                                     .above = f->above,
                                     .endorsed = f->endorsed,
                                     .conjunction = f->conjunction,
                                     .complement = f->complement,
                                     .p = ranked ? chance(s, fabs(f->rho)) : NAN};
        out->aliases = arena_alloc(&r->arena, (f->n_aliases + 1) * sizeof *out->aliases);
        for (size_t a = 0; a < f->n_aliases; a++)
            out->aliases[a] = arena_span(&r->arena, f->aliases[a]);
        if (f->conjunction) {
            out->parents[0] = arena_span(&r->arena, s->features[f->parents[0]].name);
            out->parents[1] = arena_span(&r->arena, s->features[f->parents[1]].name);
            out->parents_agree =
                s->features[f->parents[0]].endorsed && s->features[f->parents[1]].endorsed;
        }
    }
    r->n_listed = s->n_features < s->o->top_features ? s->n_features : s->o->top_features;
}

static int by_pooled(const void *left, const void *right)
{
    const struct hack_strength *a = left, *b = right;
    return hack_by_strength(a, b);
}

/* Step 10: nothing to compare within an ask. */
static void report_pooled(struct hack_measuring *s)
{
    struct hack_report *r = s->report;
    size_t matched = r->endorsed_matched;
    endorse(s);
    r->endorsed_matched = matched;
    report_features(s, false);
    struct hack_strength *order = mem_zero(s->n_features, sizeof *order);
    struct hack_feature *sorted = mem_zero(s->n_features, sizeof *sorted);
    for (size_t i = 0; i < s->n_features; i++)
        order[i] = (struct hack_strength){i, fabs(r->features[i].pooled)};
    if (s->n_features)
        qsort(order, s->n_features, sizeof *order, by_pooled);
    for (size_t i = 0; i < s->n_features; i++)
        sorted[i] = r->features[order[i].feature];
    free(r->features);
    free(order);
    r->features = sorted;
    findings_add(&r->findings, FINDING_WARN, "no_contrast",
                 "%s, so nothing can be compared within an ask; only the pooled column is filled; "
                 "draw 4 rollouts of each ask or more (--repeats 4)",
                 r->n_groups_multi ? "every ask is unanimous" : "every ask has one rollout");
}

static void report_ranked(struct hack_measuring *s)
{
    struct hack_report *r = s->report;
    if (s->o->automatic && s->o->seeds)
        hack_conjunctions(s);
    measure_floor(s);
    endorse(s);
    for (size_t i = 0; i < s->n_features; i++) {
        s->features[i].above = fabs(s->features[i].rho) > r->tau;
        r->n_above += s->features[i].above;
    }
    find_complements(s);
    report_features(s, true);
    if (r->n_features)
        qsort(r->features, r->n_features, sizeof *r->features, by_rank);
    hack_judge(r);
}

/* The rare columns, so that a small pool is not taken for one without a signal. */
static void note_rare(struct hack_measuring *s)
{
    struct hack_report *r = s->report;
    struct buf names = {0};
    struct hack_strength *order = mem_zero(s->n_small, sizeof *order);
    size_t shown = 0, most = 0;
    for (size_t i = 0; i < s->n_small; i++)
        order[i] = (struct hack_strength){i, fabs(s->small[i].pooled)};
    if (s->n_small)
        qsort(order, s->n_small, sizeof *order, hack_by_strength);
    for (; shown < s->n_small && shown < HACK_NAMES_SHOWN; shown++) {
        const struct hack_measured *f = &s->small[order[shown].feature];
        buf_format(&names, "%s%.*s %+.2f", shown ? ", " : "", (int)f->name.len, f->name.ptr,
                   f->pooled);
        most = f->count > most ? f->count : most;
    }
    if (s->n_small)
        findings_add(&r->findings, FINDING_NOTE, "below_min_obs",
                     "%zu features are not zero in fewer than %zu rows and were left out; the "
                     "strongest over all rows: %s; --min-obs %zu looks at them",
                     s->n_small, s->o->min_obs, buf_cstr(&names), most);
    free(order);
    buf_free(&names);
}

static void note_input(struct hack_measuring *s)
{
    struct hack_report *r = s->report;
    size_t empty = map_find(&s->rows->groups, SPAN(""));
    if (s->rows->n_nonfinite)
        findings_add(&r->findings, FINDING_NOTE, "nonfinite",
                     "%zu rewards are no finite number and were left out", s->rows->n_nonfinite);
    if (empty != MAP_NONE && s->size[empty] >= 2)
        findings_add(&r->findings, FINDING_NOTE, "empty_ask",
                     "%zu rows have no %s and were read as one ask; --group-by names another key",
                     s->size[empty], s->o->group_by);
}

void hack_scan_measure(struct hack_scan *scan, struct hack_report *report)
{
    struct arena arena = {0};
    struct hack_measuring s = {
        .o = scan->o, .rows = &scan->rows, .report = report, .arena = &arena, .n = scan->rows.n};
    *report = (struct hack_report){.n_rows = scan->rows.n_rows,
                                   .n_graded = s.n,
                                   .scanned = s.n > 0,
                                   .tau = NAN,
                                   .n_perm = s.o->n_perm,
                                   .endorsed_on_top = -1,
                                   .integrity = NAN,
                                   .integrity_net = NAN,
                                   .endorsed = s.o->endorsed,
                                   .n_endorsed = s.o->n_endorsed};
    if (!s.n) {
        findings_add(&report->findings, FINDING_WARN, "ungraded",
                     "no row has a number under %s; grade the rows first", s.o->reward);
        return;
    }
    s.n_groups = report->n_groups = scan->rows.groups.count;
    group_rows(&s);
    measure_groups(&s);
    count_distinct(&s);
    hack_collect(&s);
    if (!report->n_groups_multi || !(s.within > 0.0))
        report_pooled(&s);
    else
        report_ranked(&s);
    note_rare(&s);
    note_input(&s);
    for (size_t i = 0; i < s.n_features; i++)
        free(s.features[i].aliases);
    free(s.features);
    free(s.small);
    arena_free(&arena);
}

void hack_report_free(struct hack_report *r)
{
    free(r->features);
    free(r->inverted);
    free(r->collinear);
    findings_free(&r->findings);
    arena_free(&r->arena);
    *r = (struct hack_report){0};
}

/* ---- two replies side by side -------------------------------------------------------------------
 */

enum { REPLY_SHOWN = 300 }; /* code points */

static void show_pair(const struct hack_rows *rows, const double *value, size_t i, size_t j,
                      struct buf *out)
{
    size_t pair[2] = {i, j};
    buf_text(out, "ask: ");
    term_add_head(out, rows->groups.keys[rows->group[i]], REPLY_SHOWN);
    buf_byte(out, '\n');
    for (size_t k = 0; k < 2; k++) {
        buf_format(out, "  reward %g, feature %g: ", rows->reward[pair[k]], value[pair[k]]);
        term_add_head(out, buf_span(&rows->said[pair[k]]), REPLY_SHOWN);
        buf_byte(out, '\n');
    }
}

void hack_scan_show(const struct hack_scan *scan, const struct hack_report *report,
                    struct span feature, struct buf *out)
{
    const struct hack_rows *rows = &scan->rows;
    size_t number = map_find(&rows->names, feature);
    struct span word = span_starts(feature, SPAN("contains:"))
                           ? span_slice(feature, strlen("contains:"), feature.len)
                           : (struct span){0};
    double *value = mem_zero(rows->n, sizeof *value);
    size_t shown = 0;
    (void)report;
    if (number != MAP_NONE)
        for (size_t i = 0; i < rows->columns[number].count; i++)
            value[rows->columns[number].rows[i]] = rows->columns[number].values[i];
    struct buf name = {0};
    for (size_t i = 0, at = 0; word.len && i < rows->n; i++)
        for (; at < rows->term_end[i]; at++) {
            buf_clear(&name);
            hack_term_name(rows, rows->terms[at], &name);
            if (span_equal(buf_span(&name), word))
                value[i] = 1.0;
        }
    for (size_t i = 0; rows->said && i < rows->n && shown < HACK_PAIRS_SHOWN; i++)
        for (size_t j = i + 1; j < rows->n; j++) {
            if (rows->group[i] != rows->group[j] || value[i] == value[j] ||
                rows->reward[i] == rows->reward[j])
                continue;
            show_pair(rows, value, i, j, out);
            shown++;
            break;
        }
    if (!shown)
        buf_format(out, "no two replies of one ask differ in both the feature and the reward\n");
    buf_free(&name);
    free(value);
}
