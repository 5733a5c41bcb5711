/* pairs_report.c: what counts of pairs say (measure 5, 12, 13.2): each metric's change with its interval
 * and p by the scheme over distinct values, the verdict on target and guards, and how the sides were
 * made. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"
#include "measure/pairs.h"
#include "measure/passat.h"
#include "text/term.h"

/* ---- one metric ---------------------------------------------------------------------------------
 */

/* Sums over tasks of their means. */
struct sums {
    double all[SIDES], shared[SIDES];
    size_t n[SIDES], n_shared;
};

static void add(struct sums *s, const struct pair_cell *cell)
{
    double tasks = (double)cell->tasks;
    double a = cell->na ? (double)cell->ca / (double)cell->na : 0.0;
    double b = cell->nb ? (double)cell->cb / (double)cell->nb : 0.0;
    bool shared = cell->na && cell->nb;
    s->all[BEFORE] += tasks * a;
    s->all[AFTER] += tasks * b;
    s->n[BEFORE] += cell->na ? cell->tasks : 0;
    s->n[AFTER] += cell->nb ? cell->tasks : 0;
    s->n_shared += shared ? cell->tasks : 0;
    s->shared[BEFORE] += shared ? tasks * a : 0.0;
    s->shared[AFTER] += shared ? tasks * b : 0.0;
}

static double mean(double sum, size_t n)
{
    return n ? sum / (double)n : NAN;
}

/* The shared tasks' differences, how many tasks have each, and what resampling them gives. */
static void resample(const struct pair_metric *m, const struct change_options *how,
                     struct metric_change *out)
{
    double *differences = mem_zero(m->count, sizeof *differences), sum = 0.0;
    uint64_t *times = mem_zero(m->count, sizeof *times);
    size_t n = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct pair_cell *cell = &m->cells[i];
        if (cell->na == 0 || cell->nb == 0)
            continue;
        differences[n] = (double)cell->cb / (double)cell->nb - (double)cell->ca / (double)cell->na;
        times[n] = cell->tasks;
        sum += (double)times[n] * differences[n];
        n++;
    }
    const double *lists[] = {differences};
    out->delta = mean(sum, out->n_paired);
    boot_sample_intervals(
        &(struct boot_sample){.lists = lists, .n_lists = 1, .n = n, .times = times}, &how->boot,
        &out->ci95);
    if (n)
        out->p_value =
            permutation_p_counted(differences, times, n, how->boot.start, how->boot.draws);
    free(differences);
    free(times);
}

static void change_of(const struct pair_metric *m, const struct change_options *how,
                      struct metric_change *out)
{
    struct sums s = {{0}};
    for (size_t i = 0; i < m->count; i++)
        add(&s, &m->cells[i]);
    size_t least = s.n[BEFORE] < s.n[AFTER] ? s.n[BEFORE] : s.n[AFTER];
    size_t either = s.n[BEFORE] + s.n[AFTER] - s.n_shared;
    *out = (struct metric_change){.n_a = s.n[BEFORE],
                                  .n_b = s.n[AFTER],
                                  .n_paired = s.n_shared,
                                  .n_only_a = s.n[BEFORE] - s.n_shared,
                                  .n_only_b = s.n[AFTER] - s.n_shared,
                                  .paired = (int64_t)s.n_shared >= how->min_paired,
                                  .paired_share = mean((double)s.n_shared, either),
                                  .mean_a = mean(s.all[BEFORE], s.n[BEFORE]),
                                  .mean_b = mean(s.all[AFTER], s.n[AFTER]),
                                  .mean_a_paired = mean(s.shared[BEFORE], s.n_shared),
                                  .mean_b_paired = mean(s.shared[AFTER], s.n_shared),
                                  .level = how->boot.level,
                                  .ci95 = INTERVAL_NONE,
                                  .scheme = BOOT_HIST,
                                  .p_value = NAN};
    out->n_used = out->paired ? s.n_shared : least;
    out->delta = out->mean_b - out->mean_a;
    if (out->paired)
        resample(m, how, out);
    change_judge(out);
    if (out->paired)
        change_note(how, out);
    else
        notes_add(&out->notes, "unpaired_summary",
                  "%zu tasks are on both sides and pairing needs %lld; a summary of pairs has no "
                  "interval for unrelated tasks: compare the rows, or run both sides on the same "
                  "tasks",
                  out->n_paired, (long long)how->min_paired);
}

/* ---- the report ---------------------------------------------------------------------------------
 */

/* Is the metric measured on both sides? */
static bool both(const struct pair_metric *m)
{
    bool side[SIDES] = {false, false};
    for (size_t i = 0; i < m->count; i++) {
        side[BEFORE] |= m->cells[i].na > 0;
        side[AFTER] |= m->cells[i].nb > 0;
    }
    return !m->real && side[BEFORE] && side[AFTER];
}

static void add_compared(struct compare_report *r, struct arm_pairs *p, struct span name)
{
    const struct pair_metric none = {NULL, 0, 0, false};
    size_t number = map_find(&p->names, name);
    const struct pair_metric *m = number == MAP_NONE ? &none : &p->metrics[number];
    struct compared *c = &r->metrics[r->n_metrics];
    struct rng rng;
    compare_seed(r->options, r->n_metrics++, name, &rng);
    struct change_options how = {.boot = {.start = &rng,
                                          .draws = r->options->asked->draws,
                                          .level = r->options->level,
                                          .kind = r->options->interval,
                                          .scheme = BOOT_HIST},
                                 .rates = true,
                                 .min_paired = r->options->asked->min_paired};
    *c = (struct compared){.name = name, .run_std = NAN, .noise_band = NAN, .p_exact = NAN};
    c->p_adjusted = NAN;
    change_of(m, &how, &c->change);
    c->n[BEFORE] = c->change.n_a;
    c->n[AFTER] = c->change.n_b;
}

/* pass_at_1, then the markers of both sides in the order of their names; or the one asked for. */
static int add_metrics(struct compare_report *r, struct arm_pairs *p, struct error *error)
{
    const struct compare_options *o = r->options;
    size_t asked = o->only.ptr ? map_find(&p->names, o->only) : MAP_NONE;
    size_t target = o->target.ptr ? map_find(&p->names, o->target) : MAP_NONE;
    for (size_t i = 0; i <= o->n_guards + 1; i++) {
        size_t at = i == 0 ? asked : i == 1 ? target : map_find(&p->names, o->guards[i - 2]);
        if (at == MAP_NONE || !p->metrics[at].real)
            continue;
        struct buf name = {0};
        term_add_head(&name, p->names.keys[at], MEASURE_REASON_MAX);
        error_set(error, ERROR_USAGE,
                  "%s has values other than 0 and 1, which a summary of pairs leaves out; compare "
                  "the rows, or task summaries of wai-passat --partial",
                  buf_cstr(&name));
        buf_free(&name);
        return ERROR_USAGE;
    }
    r->metrics = mem_zero(p->names.count + 1, sizeof *r->metrics);
    add_compared(r, p, o->only.ptr ? o->only : SPAN("pass_at_1"));
    size_t *order = arm_pairs_order(p);
    for (size_t i = 0; !o->only.ptr && i < p->names.count; i++)
        if (both(&p->metrics[order[i]]) && !span_is(p->names.keys[order[i]], "pass_at_1"))
            add_compared(r, p, p->names.keys[order[i]]);
    free(order);
    return 0;
}

/* Groups of two tries or more, the smallest; as the config block of rows counts them. */
static void groups_of(const struct passat *side, size_t *n_tasks, int64_t *k)
{
    uint64_t least = 0;
    *n_tasks = 0;
    for (size_t i = 0; i < side->n_hist; i++) {
        *n_tasks += side->hist[i].tasks;
        if (side->hist[i].n >= 2 && (least == 0 || side->hist[i].n < least))
            least = side->hist[i].n;
    }
    *k = least ? (int64_t)least : 1;
}

static void make_config(struct compare_report *r, const struct arm_pairs *p)
{
    struct rng rng;
    compare_seed(r->options, 0, SPAN("pass_at_1"), &rng);
    for (int i = 0; i < SIDES; i++) {
        struct passat_settings settings = {.min_k = MEASURE_MIN_K,
                                           .boot = {.start = &rng,
                                                    .draws = r->options->asked->draws,
                                                    .level = r->options->level,
                                                    .scheme = BOOT_HIST}};
        passat_report_make(p->sides[i], &settings, &r->config[i]);
        groups_of(p->sides[i], &r->n_tasks[i], &r->k[i]);
    }
}

static void judge(struct compare_report *r)
{
    const struct compare_options *o = r->options;
    r->ok = true;
    for (size_t i = 0; i < r->n_metrics; i++)
        r->metrics[i].gain = compare_gain(r->metrics[i].change.verdict, r->metrics[i].lower);
    for (size_t i = 0; i < o->n_guards; i++) {
        struct compared *m = (struct compared *)compare_find(r, o->guards[i]);
        r->ok &= compare_measured(m) && m->gain != CHANGE_A_BETTER;
        if (m)
            m->guarded = true;
    }
    r->target = compare_find(r, o->target);
    r->target = compare_measured(r->target) ? r->target : NULL;
    r->headline = r->target ? r->target : &r->metrics[0];
    r->replicated = o->only.ptr != NULL; /* one metric is judged without looking at re-runs */
    for (int i = 0; i < SIDES; i++)
        r->eval_runs[i] = 2; /* not known: no floor is what is said to lack */
    r->headline_verdict = compare_word_of(r, r->headline);
    if (o->target.ptr)
        r->gate_word = r->target_word = r->target ? r->headline_verdict : WORD_NOT_MEASURED;
    r->ok &= r->gate_word != WORD_NOT_MEASURED && r->gate_word != WORD_WRONG_WAY;
    if (!o->only.ptr)
        compare_headline_word(r);
}

static void note_rows(struct compare_report *r, const struct arm_pairs *p)
{
    if (p->n_bad)
        notes_add(&r->notes, "bad_lines", "%llu bad lines were left out",
                  (unsigned long long)p->n_bad);
    for (int i = 0; i < SIDES; i++) {
        if (p->sides[i]->n_boolean)
            notes_add(&r->notes, "boolean_rewards",
                      "%s: %llu rows have true or false for a reward, which is not counted; "
                      "--bool-rewards reads them as 1 and 0",
                      SIDE_NAMES[i], (unsigned long long)p->sides[i]->n_boolean);
        if (p->n_fallback[i])
            notes_add(&r->notes, "fallback_rewards",
                      "%s: %llu rows have their verdict in a later reward key alone; name the keys "
                      "with --reward-key when summaries are written",
                      SIDE_NAMES[i], (unsigned long long)p->n_fallback[i]);
    }
    for (size_t i = 0; i < p->names.count; i++) {
        if (!p->metrics[i].real)
            continue;
        notes_add(
            &r->notes, "markers_left_out",
            "markers with values other than 0 and 1 are not compared (left_out names them): a "
            "summary of pairs holds rates only");
        break;
    }
}

int arm_pairs_report_make(const struct compare_options *o, struct arm_pairs *p,
                          struct compare_report *r, struct error *error)
{
    *r = (struct compare_report){.options = o, .rows = &p->nothing};
    int code = add_metrics(r, p, error);
    if (code == 0 && !o->only.ptr) /* one number is judged as it stands */
        code = compare_directions(r, error);
    if (code < 0)
        return code;
    make_config(r, p);
    judge(r);
    note_rows(r, p);
    return 0;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

static void write_word(struct json_writer *w, const char *key, const char *word)
{
    json_write_key(w, key);
    if (word)
        json_write_text(w, word);
    else
        json_write_null(w);
}

static void write_metrics(struct json_writer *w, const struct compare_report *r)
{
    json_write_key(w, "metrics");
    json_write_object(w);
    for (size_t i = 0; i < r->n_metrics; i++) {
        json_write_key_span(w, r->metrics[i].name);
        json_write_object(w);
        metric_change_write(&r->metrics[i].change, r->metrics[i].name, w);
        write_word(w, "gain_verdict", change_verdict_text(r->metrics[i].gain));
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

void arm_pairs_json(const struct arm_pairs *p, const struct compare_report *r,
                    struct json_writer *w)
{
    json_write_object(w);
    write_word(w, "wai_report", "wai-compare");
    write_word(w, "summary", "pairs");
    json_write_key(w, "ok");
    json_write_bool(w, r->ok);
    write_word(w, "headline_word", r->headline_word);
    write_word(w, "target_verdict", compare_word_text(r->target_word));
    write_word(w, "headline_verdict", compare_word_text(r->headline_verdict));
    write_metrics(w, r);
    json_write_key(w, "config");
    json_write_object(w);
    for (int i = 0; i < SIDES; i++) {
        json_write_key(w, SIDE_NAMES[i]);
        config_write(&r->config[i], r->n_tasks[i], r->k[i], w);
    }
    json_write_end_object(w);
    json_write_key(w, "left_out");
    json_write_array(w);
    size_t *order = arm_pairs_order(p);
    for (size_t i = 0; i < p->names.count; i++)
        if (p->metrics[order[i]].real)
            json_write_span(w, p->names.keys[order[i]]);
    free(order);
    json_write_end_array(w);
    compare_write_notes(w, &r->notes);
    compare_write_draws(w, r);
    json_write_end_object(w);
}

void arm_pairs_text(const struct compare_report *r, struct buf *out)
{
    compare_headline(r, out);
    buf_format(out, "\nok %s\nfrom summaries of pairs (scheme hist), before -> after:\n",
               r->ok ? "yes" : "no");
    for (size_t i = 0; i < r->n_metrics; i++) {
        compare_metric_line(out, r, &r->metrics[i]);
        for (size_t j = 0; j < r->metrics[i].change.notes.count; j++)
            buf_format(out, "  note: %s\n", r->metrics[i].change.notes.items[j].text);
    }
    compare_end_lines(out, r);
}
