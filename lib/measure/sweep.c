/* sweep.c: see sweep.h. One reader goes over the arms and the re-runs; arms that were not graded on
 * the same rows of every ask are refused, because their means would rest on different
 * denominators. */
#include "measure/sweep.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/passat.h"
#include "measure/plan.h"
#include "measure/seed.h"
#include "text/digest.h"
#include "text/number.h"
#include "text/term.h"
#include "text/utf8.h"

enum { VERSION_BYTES = 4 }; /* of the digest of the prompts */

struct sweep_arm {
    struct span label;
    struct passat *rows;   /* by either reward key, with markers: what wai-passat reports */
    struct passat *binary; /* by the first one: what comparisons read */
    struct map asks;       /* task keys of all rows */
    uint64_t *graded;      /* by ask: rows whose reward is not null */
    size_t cap_graded;
    uint64_t n_graded;
};

struct reading {
    const struct sweep_request *asked;
    struct sweep_report *report;
    struct facts_options facts;
    struct key_lists keys;
    struct map prompts; /* of the first arm */
    struct buf scratch;
};

/* ---- what was asked -----------------------------------------------------------------------------
 */

/* The hosted service's rule for a behaviour's name. */
static bool name_allowed(struct span name)
{
    if (name.len == 0 || name.len > SWEEP_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (i == 0 || !strchr("._-", c) || c == '\0'))
            return false;
    }
    return true;
}

static int read_arm(struct sweep_report *r, const char *text, const char **path,
                    struct error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return error_set(error, ERROR_USAGE, "--arm %s: write LABEL=FILE", text);
    struct span label = span_make(text, (size_t)(equals - text));
    if (utf8_head(label, SWEEP_LABEL_MAX).len < label.len)
        return error_set(error, ERROR_USAGE, "--arm %s: a label has at most %d characters", text,
                         SWEEP_LABEL_MAX);
    for (size_t i = 0; i < r->n_arms; i++)
        if (span_equal(r->arms[i].label, label))
            return error_set(error, ERROR_USAGE, "--arm %s: the label is given twice", text);
    r->arms[r->n_arms++].label = label;
    *path = equals + 1;
    return 0;
}

static int read_judge(struct sweep_report *r, struct error *error)
{
    r->judge_agreement = r->judge_n = NAN;
    if (!r->asked->judge)
        return 0;
    int code =
        band_read("judge-agreement", r->asked->judge, &r->judge_agreement, &r->judge_n, error);
    if (code == 0 && !(r->judge_agreement >= 0 && r->judge_agreement <= 1 && r->judge_n >= 1 &&
                       r->judge_n == trunc(r->judge_n)))
        code = error_set(error, ERROR_USAGE,
                         "--judge-agreement %s: write SHARE,N as in 0.92,50: a share, and how many "
                         "labels it is of",
                         r->asked->judge);
    return code;
}

static int check_request(struct sweep_report *r, struct error *error)
{
    const struct sweep_request *asked = r->asked;
    if (asked->arms.count < 2)
        return error_set(error, ERROR_USAGE, "a sweep ranks two arms or more; give --arm again");
    if (!name_allowed(span_text(asked->behavior)))
        return error_set(error, ERROR_USAGE,
                         "--behavior %s: letters, digits and ._- behind a letter or digit, at most "
                         "%d",
                         asked->behavior, SWEEP_NAME_MAX);
    int code = read_judge(r, error);
    return code < 0 ? code : seed_read(asked->seed, &r->seed, error);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static void take(struct reading *r, struct sweep_arm *arm, const struct row *row,
                 struct row_facts *facts)
{
    bool fresh;
    size_t ask = map_add(&arm->asks, facts->task, &fresh);
    arm->graded = mem_grow(arm->graded, &arm->cap_graded, ask + 1, sizeof *arm->graded);
    if (fresh)
        arm->graded[ask] = 0;
    const char *key = r->facts.reward_keys ? r->facts.reward_keys[0] : "reward";
    bool graded = row_get_set(row, span_text(key)) != NULL;
    arm->graded[ask] += graded;
    arm->n_graded += graded;
    passat_add(arm->rows, facts);
    if (!r->facts.reward_keys && facts->reward.label_key > 0)
        facts->reward.label = ROW_LABEL_NONE;
    passat_add(arm->binary, facts);
    if (arm != r->report->arms)
        return;
    const struct json_value *prompt = row_get_set(row, SPAN("prompt"));
    if (prompt)
        map_add(&r->prompts, value_text(*prompt, &r->scratch), NULL);
}

static int read_rows(struct reading *r, const struct row_source *source, struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    if (!reader)
        return error->code;
    struct facts_reader *facts = facts_open(&r->facts);
    struct row row;
    struct row_facts read;
    size_t operand = 0;
    int code;
    while ((code = row_reader_next(reader, &row, error)) > 0) {
        while (operand + 1 < source->n_paths && source->paths[operand] != row.file)
            operand++;
        facts_read(facts, &row, &read);
        if (read.partial_summary || read.report) {
            code = error_set(error, ERROR_INPUT, "%s:%llu: %s, not a row; give the rows it is of",
                             row.file, (unsigned long long)row.line_number,
                             read.report ? "a report" : "a partial summary");
            break;
        }
        take(r, &r->report->arms[operand], &row, &read);
    }
    int closed = row_reader_close(reader, code < 0 ? NULL : error);
    facts_close(facts);
    return code < 0 ? code : closed;
}

static int read_arms(struct reading *r, struct error *error)
{
    struct sweep_report *report = r->report;
    const struct sweep_request *asked = r->asked;
    size_t n = asked->arms.count + asked->reruns.count;
    const char **paths = mem_zero(n, sizeof *paths);
    report->arms = mem_zero(n, sizeof *report->arms);
    int code = 0;
    for (size_t i = 0; code == 0 && i < asked->arms.count; i++)
        code = read_arm(report, asked->arms.items[i], &paths[i], error);
    for (size_t i = asked->arms.count; code == 0 && i < n; i++) {
        paths[i] = asked->reruns.items[i - asked->arms.count];
        report->arms[report->n_arms++].label = span_text(paths[i]);
    }
    for (size_t i = 0; i < report->n_arms; i++) {
        report->arms[i].rows = passat_new(&(struct passat_options){.markers = true});
        report->arms[i].binary = passat_new(&(struct passat_options){0});
    }
    struct row_source source = {.paths = paths, .n_paths = n, .options = asked->rows};
    if (code == 0)
        code = read_rows(r, &source, error);
    free(paths);
    return code;
}

/* ---- the same asks ------------------------------------------------------------------------------
 */

static uint64_t graded_of(const struct sweep_arm *arm, struct span ask)
{
    size_t at = map_find(&arm->asks, ask);
    return at == MAP_NONE ? 0 : arm->graded[at];
}

/* How many asks of `a` have another number of graded rows in b, or, missing only, none in b. */
static size_t count_differing(const struct sweep_arm *a, const struct sweep_arm *b,
                              bool missing_only, struct span *first)
{
    size_t n = 0;
    for (size_t i = 0; i < a->asks.count; i++) {
        struct span ask = a->asks.keys[i];
        uint64_t there = graded_of(b, ask);
        bool differs = missing_only ? there == 0 && a->graded[i] > 0 : there != a->graded[i];
        if (differs && n++ == 0 && !first->ptr)
            *first = ask;
    }
    return n;
}

static int check_same_asks(const struct sweep_report *r, struct error *error)
{
    const struct sweep_arm *base = &r->arms[0];
    if (base->n_graded == 0)
        return error_set(error, ERROR_INPUT,
                         "the first arm has no graded rows; grade the arms first (wai-grade)");
    for (size_t i = 1; i < r->n_arms; i++) {
        const struct sweep_arm *arm = &r->arms[i];
        struct span first = {NULL, 0};
        size_t n =
            count_differing(base, arm, false, &first) + count_differing(arm, base, true, &first);
        if (n == 0)
            continue;
        struct buf label = {0}, ask = {0};
        term_add_head(&label, arm->label, MEASURE_REASON_MAX);
        term_add_head(&ask, first, MEASURE_REASON_MAX);
        error_set(error, ERROR_INPUT,
                  "%s has %llu graded rows on %zu asks, the first arm %llu on %zu, and %zu asks "
                  "differ, the first of them \"%s\" (%llu against %llu); run or grade the missing "
                  "rows again",
                  buf_cstr(&label), (unsigned long long)arm->n_graded, arm->asks.count,
                  (unsigned long long)base->n_graded, base->asks.count, n, buf_cstr(&ask),
                  (unsigned long long)graded_of(arm, first),
                  (unsigned long long)graded_of(base, first));
        buf_free(&label);
        buf_free(&ask);
        return ERROR_INPUT;
    }
    return 0;
}

/* ---- scores -------------------------------------------------------------------------------------
 */

static double half_width(struct interval ci)
{
    return interval_known(ci) ? number_round(100.0 * (ci.high - ci.low) / 2.0, 1) : 0.0;
}

static int score_markers(struct sweep_report *r, const struct passat_report *rates,
                         struct sweep_variant *variant, struct error *error)
{
    for (size_t i = 0; i < rates->n_markers; i++) {
        const struct marker_report *m = &rates->markers[i];
        if (m->n_tasks < STAT_INTERVAL_VALUES)
            continue;
        if (!name_allowed(m->name)) {
            struct buf shown = {0};
            term_add_head(&shown, m->name, MEASURE_REASON_MAX);
            error_set(error, ERROR_INPUT,
                      "marker \"%s\" cannot name a behaviour: letters, digits and ._- behind a "
                      "letter or digit, at most %d; rename it in the rows",
                      buf_cstr(&shown), SWEEP_NAME_MAX);
            buf_free(&shown);
            return ERROR_INPUT;
        }
        variant->scores[variant->n_scores++] =
            (struct sweep_score){arena_span(&r->arena, m->name), number_round(100.0 * m->mean, 1),
                                 half_width(m->ci95), m->n_tasks};
    }
    return 0;
}

static int score(struct sweep_report *r, const struct boot_options *boot,
                 const struct sweep_arm *arm, struct sweep_variant *variant, struct error *error)
{
    struct passat_settings settings = {.k = r->asked->k, .min_k = MEASURE_MIN_K, .boot = *boot};
    struct passat_report rates;
    passat_report_make(arm->rows, &settings, &rates);
    *variant = (struct sweep_variant){
        .label = arm->label, .graded_rows = arm->n_graded, .p_adjusted = NAN};
    variant->scores = mem_zero(rates.n_markers + 1, sizeof *variant->scores);
    double rate = rates.rates.n_groups ? rates.rates.pass_at_1 : 0.0;
    variant->scores[variant->n_scores++] =
        (struct sweep_score){span_text(r->asked->behavior), number_round(100.0 * rate, 1),
                             half_width(rates.rates.ci95), rates.rates.n_groups};
    int code = score_markers(r, &rates, variant, error);
    passat_report_free(&rates);
    return code;
}

/* The first arm and its re-runs as runs of one eval. */
static void set_floor(struct sweep_report *r)
{
    size_t n = r->asked->reruns.count, arms = r->asked->arms.count;
    r->noise_floor = r->run_std = NAN;
    if (n == 0)
        return;
    struct eval_runs runs = {.count = n + 1, .items = mem_zero(n + 1, sizeof *runs.items)};
    for (size_t i = 0; i <= n; i++) {
        const struct sweep_arm *arm = &r->arms[i ? arms + i - 1 : 0];
        runs.items[i] = (struct eval_run){arm->label, arm->binary};
    }
    struct variance_report variance;
    eval_variance(&runs, "pass_at_1", &(struct forecast){.asked = false}, &variance);
    r->noise_floor = number_round(100.0 * number_round(variance.noise_band, MEASURE_SHARE_DIGITS),
                                  MEASURE_POINT_DIGITS);
    r->run_std = number_round(variance.run_std, MEASURE_SHARE_DIGITS);
    r->noise_runs = variance.n_runs;
    variance_free(&variance);
    free(runs.items);
}

/* ---- ranking ------------------------------------------------------------------------------------
 */

/* By insertion: equal points stay in the order given. */
static void rank(struct sweep_report *r)
{
    for (size_t i = 1; i < r->n_variants; i++) {
        struct sweep_variant moved = r->variants[i];
        size_t at = i;
        for (; at > 0 && r->variants[at - 1].scores[0].points < moved.scores[0].points; at--)
            r->variants[at] = r->variants[at - 1];
        r->variants[at] = moved;
    }
}

static const char *not_cleared(const struct sweep_report *r, const struct sweep_score *a,
                               const struct sweep_score *b)
{
    double delta = a->points - b->points;
    if (a->n_tasks != b->n_tasks)
        return "the arms have different numbers of asks";
    if (!(delta > sqrt(stat_pow2(a->half_width) + stat_pow2(b->half_width))))
        return "the intervals of the best two overlap: about the same";
    if (!(delta > (isnan(r->noise_floor) ? 0.0 : r->noise_floor)))
        return "the difference is within the noise floor: about the same";
    return NULL;
}

static void set_best(struct sweep_report *r)
{
    r->has_best = true;
    r->why = "";
    for (size_t i = 1; r->has_best && i < r->n_variants; i++) {
        const char *why = not_cleared(r, &r->variants[0].scores[0], &r->variants[i].scores[0]);
        if (why) {
            r->has_best = false;
            r->why = why;
        }
    }
}

static const struct sweep_arm *arm_of(const struct sweep_report *r, struct span label)
{
    size_t i = 0;
    while (!span_equal(r->arms[i].label, label))
        i++;
    return &r->arms[i];
}

/* The top arm against each other on shared tasks: pairing sees what half widths do not. */
static void compare_top(struct sweep_report *r, const struct boot_options *boot)
{
    struct change_options how = {*boot, MEASURE_MIN_PAIRED, true};
    size_t n_top, n_other;
    struct task_rate *top =
        passat_tasks(arm_of(r, r->variants[0].label)->binary, SPAN("pass_at_1"), &n_top);
    for (size_t i = 1; i < r->n_variants; i++) {
        struct task_rate *other =
            passat_tasks(arm_of(r, r->variants[i].label)->binary, SPAN("pass_at_1"), &n_other);
        compare_metric(other, n_other, top, n_top, &how, &r->variants[i].against);
        free(other);
    }
    free(top);
    /* Holm 1979 over the arms, by counting: few arms */
    for (size_t i = 1; i < r->n_variants; i++) {
        double p = r->variants[i].against.p_value, adjusted = NAN;
        for (size_t j = 1; !isnan(p) && j < r->n_variants; j++) {
            double q = r->variants[j].against.p_value;
            if (isnan(q) || q > p)
                continue;
            size_t not_below = 0;
            for (size_t k = 1; k < r->n_variants; k++)
                not_below += r->variants[k].against.p_value >= q;
            adjusted = fmax(adjusted, fmin(1.0, (double)not_below * q));
        }
        r->variants[i].p_adjusted = adjusted;
    }
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

static void set_version(struct reading *r)
{
    struct buf *out = &r->report->test_version;
    if (r->asked->test_version) {
        buf_text(out, r->asked->test_version);
        return;
    }
    struct span *prompts = mem_zero(r->prompts.count, sizeof *prompts);
    struct buf text = {0};
    for (size_t i = 0; i < r->prompts.count; i++)
        prompts[i] = r->prompts.keys[i];
    qsort(prompts, r->prompts.count, sizeof *prompts, by_text);
    for (size_t i = 0; i < r->prompts.count; i++) {
        if (i)
            buf_byte(&text, '\n');
        buf_span_add(&text, prompts[i]);
    }
    uint8_t digest[SHA256_BYTES];
    digest_sha256(buf_span(&text), digest);
    buf_text(out, "t-");
    for (size_t i = 0; i < VERSION_BYTES; i++)
        buf_format(out, "%02x", digest[i]);
    buf_free(&text);
    free(prompts);
}

static int rank_all(struct sweep_report *r, struct error *error)
{
    struct rng rng;
    seed_start(buf_cstr(&r->seed), 0, &rng);
    struct boot_options boot = {
        .start = &rng, .draws = r->asked->draws, .level = STAT_LEVEL, .scheme = BOOT_AUTO};
    int code = check_same_asks(r, error);
    r->n_asks = r->arms[0].asks.count;
    r->variants = mem_zero(r->asked->arms.count, sizeof *r->variants);
    for (size_t i = 0; code == 0 && i < r->asked->arms.count; i++)
        code = score(r, &boot, &r->arms[i], &r->variants[r->n_variants++], error);
    if (code < 0)
        return code;
    set_floor(r);
    rank(r);
    set_best(r);
    compare_top(r, &boot);
    return 0;
}

int sweep_make(const struct sweep_request *request, struct sweep_report *report,
               struct error *error)
{
    *report = (struct sweep_report){.asked = request, .why = ""};
    struct reading r = {.asked = request, .report = report};
    int code = check_request(report, error);
    if (code == 0)
        code = key_lists_read(&request->keys, &r.keys, &r.facts, error);
    if (code == 0)
        code = read_arms(&r, error);
    if (code == 0)
        code = rank_all(report, error);
    if (code == 0)
        set_version(&r);
    map_free(&r.prompts);
    buf_free(&r.scratch);
    key_lists_free(&r.keys);
    return code;
}

void sweep_free(struct sweep_report *r)
{
    for (size_t i = 0; i < r->n_arms; i++) {
        passat_free(r->arms[i].rows);
        passat_free(r->arms[i].binary);
        map_free(&r->arms[i].asks);
        free(r->arms[i].graded);
    }
    free(r->arms);
    for (size_t i = 0; i < r->n_variants; i++) {
        free(r->variants[i].scores);
        notes_free(&r->variants[i].against.notes);
    }
    free(r->variants);
    buf_free(&r->test_version);
    buf_free(&r->seed);
    arena_free(&r->arena);
}
