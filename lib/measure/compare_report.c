/* compare_report.c: the full report's arithmetic in order (measure 6.1): every metric compared by
 * its own stream, directions, re-run bands, lists, words, and whether it is ok. */
#include "measure/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/pool.h"
#include "measure/compare_inside.h"
#include "measure/passat.h"
#include "text/term.h"

/* Markers whose drop is the gain, unless --lower-is-better says otherwise (measure 6). */
static const char *const LOWER_IS_BETTER[] = {
    "marker:boilerplate", "marker:self_reference", "marker:hedging",
    "marker:refusal",     "marker:sycophancy",     "marker:truncated",
};

const char *compare_word_text(enum compare_word word)
{
    static const char *const TEXTS[] = {
        [WORD_NONE] = NULL,
        [WORD_MOVED] = "moved",
        [WORD_WRONG_WAY] = "moved_the_wrong_way",
        [WORD_NO_CHANGE] = "no_change_detected",
        [WORD_INSUFFICIENT] = "insufficient_data",
        [WORD_WITHIN_NOISE] = "within_eval_noise",
        [WORD_UNREPLICATED] = "moved_unreplicated",
        [WORD_NOT_MEASURED] = "target_not_measured",
        [WORD_UNRESOLVED] = "unresolved",
        [WORD_PROXY_NOT_MEASURED] = "proxy_not_measured",
        [WORD_PROXY_IS_TARGET] = "proxy_is_target",
    };
    return TEXTS[word];
}

/* ---- metrics ------------------------------------------------------------------------------------
 */

void compare_tasks(const struct compare_options *options, uint64_t offset, struct span name,
                   const struct task_rate *a, size_t n_a, const struct task_rate *b, size_t n_b,
                   struct metric_change *out)
{
    struct rng rng;
    compare_seed(options, offset, name, &rng);
    struct change_options how = {.boot = {.start = &rng,
                                          .draws = options->asked->draws,
                                          .level = options->level,
                                          .kind = options->interval,
                                          .scheme = options->scheme},
                                 .rates = !span_has(name, SPAN("marker:")),
                                 .min_paired = options->asked->min_paired};
    compare_metric(a, n_a, b, n_b, &how, out);
}

double tasks_mean(const struct task_rate *tasks, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += tasks[i].mean;
    return n ? sum / (double)n : NAN;
}

enum change_verdict compare_gain(enum change_verdict verdict, bool lower)
{
    if (!lower || (verdict != CHANGE_A_BETTER && verdict != CHANGE_B_BETTER))
        return verdict;
    return verdict == CHANGE_A_BETTER ? CHANGE_B_BETTER : CHANGE_A_BETTER;
}

const struct compared *compare_find(const struct compare_report *report, struct span name)
{
    for (size_t i = 0; name.ptr && i < report->n_metrics; i++)
        if (span_equal(report->metrics[i].name, name))
            return &report->metrics[i];
    return NULL;
}

bool compare_measured(const struct compared *metric)
{
    return metric && metric->n[BEFORE] > 0 && metric->n[AFTER] > 0;
}

static int by_text(const void *left, const void *right)
{
    return span_compare(*(const struct span *)left, *(const struct span *)right);
}

/* Bare names of the markers that are compared. */
static struct span *marker_list(const struct compare_report *r, size_t *count)
{
    const struct compare_options *o = r->options;
    const struct map *before = &r->rows->sides[BEFORE].rows->marker_names;
    const struct map *after = &r->rows->sides[AFTER].rows->marker_names;
    size_t most = o->markers_given ? o->n_markers : before->count;
    struct span *names = mem_zero(most, sizeof *names);
    *count = 0;
    for (size_t i = 0; i < most; i++) {
        if (o->markers_given)
            names[(*count)++] = o->markers[i];
        else if (map_find(after, before->keys[i]) != MAP_NONE)
            names[(*count)++] = before->keys[i];
    }
    if (!o->markers_given)
        qsort(names, *count, sizeof *names, by_text);
    return names;
}

static void list_metrics(struct compare_report *r)
{
    size_t n;
    struct span *markers = marker_list(r, &n);
    struct buf name = {0};
    r->metrics = mem_zero(n + 1, sizeof *r->metrics);
    r->metrics[r->n_metrics++].name = SPAN("pass_at_1");
    for (size_t i = 0; i < n; i++) {
        buf_clear(&name);
        buf_text(&name, "marker:");
        buf_span_add(&name, markers[i]);
        r->metrics[r->n_metrics++].name = arena_span(&r->arena, buf_span(&name));
    }
    buf_free(&name);
    free(markers);
}

/* One metric; metrics do not look at one another, so threads may share them out. */
static void compare_one(void *context, int worker, void *job)
{
    struct compare_report *r = context;
    struct compared *m = job;
    (void)worker;
    for (int i = 0; i < SIDES; i++)
        m->tasks[i] = passat_tasks(r->rows->sides[i].rows, m->name, &m->n[i]);
    compare_tasks(r->options, (uint64_t)(m - r->metrics), m->name, m->tasks[BEFORE], m->n[BEFORE],
                  m->tasks[AFTER], m->n[AFTER], &m->change);
}

static void compare_metrics(struct compare_report *r)
{
    int64_t jobs = r->options->asked->rows.jobs;
    int threads = jobs > 0 ? (int)jobs : pool_cpu_count();
    if ((size_t)threads > r->n_metrics)
        threads = (int)r->n_metrics;
    struct pool *pool = pool_open(threads, r->n_metrics + 1, compare_one, r);
    for (size_t i = 0; i < r->n_metrics; i++)
        pool_submit(pool, &r->metrics[i]);
    while (pool_take(pool, POOL_WAIT))
        ;
    pool_close(pool);
}

int compare_directions(struct compare_report *r, struct error *error)
{
    const struct compare_options *o = r->options;
    for (size_t i = 0; i < r->n_metrics; i++)
        for (size_t j = 0; j < sizeof LOWER_IS_BETTER / sizeof *LOWER_IS_BETTER; j++)
            r->metrics[i].lower |= span_is(r->metrics[i].name, LOWER_IS_BETTER[j]);
    for (size_t i = 0; i < o->n_lower; i++) {
        struct compared *m = (struct compared *)compare_find(r, o->lower[i].metric);
        if (m) {
            m->lower = o->lower[i].value != 0.0;
            continue;
        }
        struct buf shown = {0}, known = {0};
        term_add_head(&shown, o->lower[i].metric, MEASURE_REASON_MAX);
        for (size_t j = 0; j < r->n_metrics; j++) {
            buf_text(&known, j ? ", " : "");
            term_add_head(&known, r->metrics[j].name, MEASURE_REASON_MAX);
        }
        error_set(error, ERROR_USAGE,
                  "--lower-is-better %s: not measured on both sides; measured are %s",
                  buf_cstr(&shown), buf_cstr(&known));
        buf_free(&shown);
        buf_free(&known);
        return ERROR_USAGE;
    }
    return 0;
}

/* The p that random flips estimate, over all of them, where they are few. */
static void set_exact(struct compared *m)
{
    struct metric_change *c = &m->change;
    if (!c->paired || c->n_paired > STAT_EXACT_TASKS || c->n_paired == 0)
        return;
    struct map before = {0};
    double *differences = mem_zero(c->n_paired, sizeof *differences);
    size_t n = 0;
    for (size_t i = 0; i < m->n[BEFORE]; i++)
        map_add(&before, m->tasks[BEFORE][i].key, NULL);
    for (size_t i = 0; i < m->n[AFTER]; i++) {
        size_t at = map_find(&before, m->tasks[AFTER][i].key);
        if (at != MAP_NONE && n < c->n_paired)
            differences[n++] = m->tasks[AFTER][i].mean - m->tasks[BEFORE][at].mean;
    }
    m->p_exact = permutation_p_exact(differences, n);
    free(differences);
    map_free(&before);
}

static bool guarded(const struct compare_options *o, struct span name)
{
    for (size_t i = 0; i < o->n_guards; i++)
        if (span_equal(o->guards[i], name))
            return true;
    return false;
}

/* What was asked for and is not there: never green (6.14). */
static void add_unmeasured(struct compare_report *r, struct span name)
{
    if (!name.ptr || compare_measured(compare_find(r, name)))
        return;
    for (size_t i = 0; i < r->n_unmeasured; i++)
        if (span_equal(r->unmeasured[i], name))
            return;
    r->unmeasured[r->n_unmeasured++] = name;
}

static void resolve_names(struct compare_report *r)
{
    const struct compare_options *o = r->options;
    r->target = compare_find(r, o->target);
    r->proxy = compare_find(r, o->proxy);
    r->headline = r->target ? r->target : &r->metrics[0];
    for (size_t i = 0; i < r->n_metrics; i++) {
        struct compared *m = &r->metrics[i];
        m->gain = compare_gain(m->change.verdict, m->lower);
        m->guarded = guarded(o, m->name);
        m->p_adjusted = m->p_exact = NAN;
        set_exact(m);
    }
    r->unmeasured = mem_zero(o->n_guards + 1, sizeof *r->unmeasured);
    add_unmeasured(r, o->target);
    for (size_t i = 0; i < o->n_guards; i++)
        add_unmeasured(r, o->guards[i]);
}

/* ---- guards that cannot fail (6.3) --------------------------------------------------------------
 */

static bool all_alike(const struct compare_report *r, int side, const struct compared *m)
{
    struct span prefix = SPAN("marker:");
    if (span_starts(m->name, prefix)) {
        struct span bare = span_slice(m->name, prefix.len, m->name.len);
        for (size_t i = 0; i < r->config[side].n_markers; i++)
            if (span_equal(r->config[side].markers[i].name, bare))
                return r->config[side].markers[i].degenerate;
        return false;
    }
    double passes = 0.0, rows = 0.0;
    for (size_t i = 0; i < m->n[side]; i++) {
        passes += m->tasks[side][i].sum;
        rows += (double)m->tasks[side][i].n;
    }
    return rows > 0.0 && (passes == 0.0 || passes == rows);
}

static void find_degenerate(struct compare_report *r)
{
    r->degenerate = mem_zero(r->n_metrics, sizeof *r->degenerate);
    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct compared *m = &r->metrics[i];
        if (m->guarded && all_alike(r, BEFORE, m) && all_alike(r, AFTER, m))
            r->degenerate[r->n_degenerate++] = m->name;
    }
    qsort(r->degenerate, r->n_degenerate, sizeof *r->degenerate, by_text);
}

/* ---- how the sides were made --------------------------------------------------------------------
 */

/* Groups by the label reader: the comparison's rows and those that only a later key judges. */
static void label_groups(const struct compare_side *side, size_t *n_tasks, int64_t *k)
{
    struct map tasks = {0};
    uint64_t *rows = NULL;
    size_t cap = 0;
    const struct passat *parts[] = {side->rows, side->fallback};
    for (size_t part = 0; part < 2; part++) {
        size_t n;
        struct task_rate *groups = passat_tasks(parts[part], SPAN("pass_at_1"), &n);
        for (size_t i = 0; i < n; i++) {
            bool fresh;
            size_t at = map_add(&tasks, groups[i].key, &fresh);
            rows = mem_grow(rows, &cap, at + 1, sizeof *rows);
            rows[at] = (fresh ? 0 : rows[at]) + groups[i].n;
        }
        free(groups);
    }
    uint64_t least = 0;
    for (size_t i = 0; i < tasks.count; i++)
        if (rows[i] >= 2 && (least == 0 || rows[i] < least))
            least = rows[i];
    *n_tasks = tasks.count;
    *k = least ? (int64_t)least : 1;
    free(rows);
    map_free(&tasks);
}

/* Draws are made only for limits on the side after. */
static void make_config(struct compare_report *r)
{
    const struct compare_request *asked = r->options->asked;
    struct rng rng;
    compare_seed(r->options, 0, SPAN("pass_at_1"), &rng);
    for (int i = 0; i < SIDES; i++) {
        bool drawn = i == AFTER && asked->gates.fail_under.count + asked->gates.fail_over.count > 0;
        struct passat_settings settings = {
            .min_k = MEASURE_MIN_K,
            .boot = {.start = &rng,
                     .draws = drawn ? asked->draws : 1,
                     .level = r->options->level,
                     .kind = drawn ? INTERVAL_PERCENTILE : INTERVAL_T}};
        passat_report_make(r->rows->sides[i].rows, &settings, &r->config[i]);
        label_groups(&r->rows->sides[i], &r->n_tasks[i], &r->k[i]);
    }
}

/* ---- words (6.5-6.7) ----------------------------------------------------------------------------
 */

enum compare_word compare_word_of(const struct compare_report *r, const struct compared *m)
{
    enum compare_word word = m->gain == CHANGE_B_BETTER   ? WORD_MOVED
                             : m->gain == CHANGE_A_BETTER ? WORD_WRONG_WAY
                             : m->gain == CHANGE_NONE     ? WORD_NO_CHANGE
                                                          : WORD_INSUFFICIENT;
    bool moved = word == WORD_MOVED || word == WORD_WRONG_WAY;
    if (moved && m->within_noise)
        return WORD_WITHIN_NOISE;
    return word == WORD_MOVED && !r->replicated ? WORD_UNREPLICATED : word;
}

static bool covers_zero(struct interval i)
{
    return interval_known(i) && i.low <= 0.0 && i.high >= 0.0;
}

/* What the training seeds leave of a word: the one that gates, and the one that is printed. */
static enum compare_word settle(const struct compare_report *r, enum compare_word word,
                                enum compare_word *printed)
{
    *printed = word;
    if (!r->training.asked || word == WORD_NONE || word == WORD_INSUFFICIENT ||
        word == WORD_NOT_MEASURED)
        return word;
    bool moved = word == WORD_MOVED || word == WORD_UNREPLICATED || word == WORD_WRONG_WAY;
    if (moved && covers_zero(r->training.ci95))
        word = WORD_NO_CHANGE;
    *printed = r->training.is_short ? WORD_UNRESOLVED : word;
    return word;
}

static void set_words(struct compare_report *r)
{
    enum compare_word target = !r->options->target.ptr ? WORD_NONE
                               : r->target             ? compare_word_of(r, r->target)
                                                       : WORD_NOT_MEASURED;
    r->gate_word = settle(r, target, &r->target_word);
    if (r->target)
        r->headline_verdict = r->target_word;
    else
        settle(r, compare_word_of(r, &r->metrics[0]), &r->headline_verdict);
}

static void set_ok(struct compare_report *r)
{
    r->ok = r->gate_word != WORD_WRONG_WAY && r->n_unmeasured == 0;
    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct compared *m = &r->metrics[i];
        if (m->guarded && !m->within_noise && m->gain == CHANGE_A_BETTER)
            r->ok = false;
    }
}

void compare_headline_word(struct compare_report *r)
{
    if (r->n_causes) {
        r->headline_word = r->ok ? "NOT COMPARABLE" : "FAIL: NOT COMPARABLE";
        return;
    }
    static const char *const WORDS[] = {
        [WORD_MOVED] = "PASS",
        [WORD_WRONG_WAY] = "FAIL",
        [WORD_NO_CHANGE] = "NO DIFFERENCE",
        [WORD_INSUFFICIENT] = "INSUFFICIENT DATA",
        [WORD_WITHIN_NOISE] = "NO DIFFERENCE",
        [WORD_UNREPLICATED] = "INCONCLUSIVE",
        [WORD_UNRESOLVED] = "UNRESOLVED",
    };
    r->headline_word = r->ok ? WORDS[r->headline_verdict] : "FAIL";
}

/* ---- beyond the reference (15) ------------------------------------------------------------------
 */

/* Holm 1979: the smallest p times the number of metrics, the next times one less, never falling. */
static void adjust_holm(struct compare_report *r)
{
    size_t *order = mem_zero(r->n_metrics, sizeof *order), n = 0;
    for (size_t i = 0; i < r->n_metrics; i++)
        if (!isnan(r->metrics[i].change.p_value)) {
            size_t at = n++;
            for (;
                 at > 0 && r->metrics[order[at - 1]].change.p_value > r->metrics[i].change.p_value;
                 at--)
                order[at] = order[at - 1];
            order[at] = i;
        }
    double floor = 0.0;
    for (size_t i = 0; i < n; i++) {
        struct compared *m = &r->metrics[order[i]];
        floor = fmax(floor, fmin(1.0, (double)(n - i) * m->change.p_value));
        m->p_adjusted = floor;
    }
    free(order);
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static void note_rows(struct compare_report *r)
{
    const struct compare_rows *rows = r->rows;
    if (rows->n_bad)
        notes_add(&r->notes, "bad_lines", "%llu bad lines were left out",
                  (unsigned long long)rows->n_bad);
    for (int i = 0; i < SIDES; i++) {
        const struct compare_side *side = &rows->sides[i];
        if (side->n_boolean)
            notes_add(&r->notes, "boolean_rewards",
                      "%s: %llu rows have true or false for a reward, which is not counted; "
                      "--bool-rewards reads them as 1 and 0",
                      SIDE_NAMES[i], (unsigned long long)side->n_boolean);
        if (side->n_fallback)
            notes_add(&r->notes, "fallback_rewards",
                      "%s: %llu rows have their verdict in qwen_reward alone, which wai-passat "
                      "counts and the comparison does not; --reward-key reward,qwen_reward makes "
                      "both agree",
                      SIDE_NAMES[i], (unsigned long long)side->n_fallback);
        for (size_t j = 0; j < r->config[i].n_markers; j++) {
            const struct marker_report *m = &r->config[i].markers[j];
            struct buf name = {0};
            term_add_head(&name, m->name, MEASURE_REASON_MAX);
            if (m->n_nonfinite)
                notes_add(&r->notes, "nonfinite_marker",
                          "%s: %llu values of marker:%s are infinite or not a number and are left "
                          "out",
                          SIDE_NAMES[i], (unsigned long long)m->n_nonfinite, buf_cstr(&name));
            buf_free(&name);
        }
    }
}

/* Student's interval of the same differences, where resampling few tasks covers too little. */
static void note_narrow(struct compare_report *r)
{
    const struct compared *m = r->headline;
    const struct metric_change *c = &m->change;
    if (!interval_known(c->ci95) || c->n_used >= MEASURE_NARROW_TASKS ||
        r->options->interval != INTERVAL_PERCENTILE)
        return;
    struct buf text = {0};
    if (c->paired) {
        struct metric_change wide;
        struct rng rng;
        compare_seed(r->options, 0, m->name, &rng);
        struct change_options how = {
            .boot = {.start = &rng, .draws = 1, .level = r->options->level, .kind = INTERVAL_T},
            .min_paired = r->options->asked->min_paired};
        compare_metric(m->tasks[BEFORE], m->n[BEFORE], m->tasks[AFTER], m->n[AFTER], &how, &wide);
        buf_format(&text, "; --interval t gives %+.3f..%+.3f", wide.ci95.low, wide.ci95.high);
        notes_free(&wide.notes);
    }
    notes_add(&r->notes, "narrow_interval",
              "on %zu tasks, under %d, a percentile interval runs narrow%s", c->n_used,
              MEASURE_NARROW_TASKS, text.len ? buf_cstr(&text) : "");
    buf_free(&text);
}

static void note_floors(struct compare_report *r)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        if (r->metrics[i].run_std == 0.0) {
            struct buf name = {0};
            term_add_head(&name, r->metrics[i].name, MEASURE_REASON_MAX);
            notes_add(&r->notes, "zero_floor",
                      "the re-run floor of %s is exactly 0, and every change passes it: were the "
                      "re-runs independent (temperature 0, cached replies)?",
                      buf_cstr(&name));
            buf_free(&name);
        }
    note_narrow(r);
}

int compare_report_make(const struct compare_options *options, const struct compare_rows *rows,
                        struct compare_report *r, struct error *error)
{
    *r = (struct compare_report){.options = options, .rows = rows};
    list_metrics(r);
    compare_metrics(r);
    make_config(r);
    int code = compare_directions(r, error);
    if (code < 0)
        return code;
    resolve_names(r);
    find_degenerate(r);
    compare_floors(r);
    compare_training(r);
    set_words(r);
    set_ok(r);
    compare_ceiling(r);
    compare_proxy(r);
    compare_repeats(r);
    compare_sizing(r);
    compare_slices(r);
    compare_per_task(r);
    compare_warn(r);
    compare_headline_word(r);
    note_rows(r);
    note_floors(r);
    if (r->options->holm)
        adjust_holm(r);
    return 0;
}

void compare_one_make(const struct compare_options *options, const struct compare_rows *rows,
                      struct compare_report *r)
{
    *r = (struct compare_report){.options = options, .rows = rows, .n_metrics = 1, .ok = true};
    r->metrics = mem_zero(1, sizeof *r->metrics);
    struct compared *m = &r->metrics[0];
    m->name = options->only;
    m->run_std = m->noise_band = m->p_adjusted = NAN;
    compare_one(r, 0, m);
    make_config(r);
    m->gain = m->change.verdict;
    m->p_exact = NAN;
    set_exact(m);
    r->headline = m;
    r->replicated = true; /* re-runs are not looked at */
    r->headline_verdict = compare_word_of(r, m);
    note_rows(r);
}

static void free_compared(struct compared *m)
{
    for (int i = 0; i < SIDES; i++)
        free(m->tasks[i]);
    notes_free(&m->change.notes);
}

void compare_report_free(struct compare_report *r)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        free_compared(&r->metrics[i]);
    free(r->metrics);
    for (int i = 0; i < SIDES; i++) {
        passat_report_free(&r->config[i]);
        for (size_t j = 0; j < r->repeats.n_runs[i]; j++)
            free(r->repeats.runs[i][j].tasks);
        free(r->repeats.runs[i]);
    }
    free(r->repeats.deltas);
    free(r->repeats.tags);
    free(r->repeats.shared);
    for (size_t i = 0; i < r->n_slices; i++)
        notes_free(&r->slices[i].change.notes);
    free(r->slices);
    free(r->slice_order);
    free(r->tasks);
    free(r->degenerate);
    free(r->unmeasured);
    notes_free(&r->notes);
    notes_free(&r->warnings);
    gates_free(&r->gates);
    arena_free(&r->arena);
}
