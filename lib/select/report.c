/* report.c: what selection did, as an object with stable keys and as the sentences that go with it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "row/value.h"
#include "select/defaults.h"
#include "select/select.h"
#include "stat/stat.h"
#include "text/number.h"
#include "json/edit.h"

enum { RATE_DIGITS = 4 }; /* decimals of rates and intervals in reports */

static void write_rate(struct json_writer *w, const char *key, double rate, int digits)
{
    json_write_key(w, key);
    json_write_real(w, isnan(rate) ? rate : number_round(rate, digits));
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    json_write_text(w, text);
}

static void write_leaks(const struct select_facts *facts, size_t n_checked, size_t n_dropped,
                        struct json_writer *w)
{
    json_write_count(w, "privileged_leaks_dropped", n_dropped);
    json_write_key(w, "privileged_leaks");
    json_write_object(w);
    json_write_key(w, "checked");
    json_write_bool(w, n_checked > 0);
    json_write_count(w, "n_checked", n_checked);
    json_write_count(w, "n_dropped", n_dropped);
    json_write_key(w, "leaked");
    json_write_array(w);
    for (size_t i = 0; i < facts->n_leaks_shown; i++) {
        const struct select_leak *leak = &facts->leaks[i];
        json_write_object(w);
        json_write_key(w, "scenario_id");
        json_write_raw(w, leak->scenario_id.len ? leak->scenario_id : SPAN("null"));
        json_write_key(w, "rollout_index");
        json_write_raw(w, leak->rollout_index.len ? leak->rollout_index : SPAN("null"));
        json_write_key(w, "field");
        json_write_span(w, leak->field);
        json_write_key(w, "needle");
        json_write_span(w, leak->needle);
        json_write_end_object(w);
    }
    json_write_end_array(w);
    json_write_end_object(w);
}

/* The sentences, one a line, as an array. */
static void write_lines(struct json_writer *w, struct span lines)
{
    json_write_array(w);
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(lines, SPAN("\n"), at);
        json_write_span(w, span_slice(lines, at, end));
        at = end + 1;
    }
    json_write_end_array(w);
}

/* ---- sft ----------------------------------------------------------------------------------------
 */

static bool few_completions(const struct sft_result *r)
{
    return r->n_prompts && r->per_prompt_mean < SELECT_WANTED_TRIES;
}

static void note_completions(const struct sft_result *r, struct buf *out)
{
    buf_format(
        out,
        "rejection sampling wants %d to %d completions a prompt and has %.2f on average (median "
        "%zu, most %zu; %zu of %zu prompts have one)",
        SELECT_WANTED_TRIES, SELECT_WANTED_TRIES_TOP, r->per_prompt_mean, r->per_prompt_median,
        r->per_prompt_max, r->n_single_prompts, r->n_prompts);
    if (r->per_prompt_median <= 1)
        buf_text(out, ", so nothing was picked from anything and the random control says nothing");
    buf_text(out, "; draw more with --repeats");
}

void select_sft_notes(const struct sft_options *o, const struct sft_result *r, struct buf *out)
{
    if (few_completions(r)) {
        note_completions(r, out);
        buf_byte(out, '\n');
    }
    if (r->n_eligible && r->reward_spread == 0.0 && o->rule != SFT_RANDOM_OVERALL &&
        o->rule != SFT_RANDOM_PER_PROMPT)
        buf_format(
            out,
            "every eligible row has the same reward, so %s could not rank; compare with --select "
            "random_k_overall --min-reward 0 at the same count\n",
            SFT_RULE_NAMES[o->rule]);
    if (r->eval_sourced)
        buf_format(
            out,
            "%zu selected rows were scored by the held-out scorer; training on them makes it the "
            "reward model; grade the training rows with another\n",
            r->eval_sourced);
}

void select_sft_report(const struct select_facts *facts, const struct sft_options *o,
                       const struct sft_result *r, struct json_writer *w)
{
    json_write_object(w);
    write_text(w, "wai_report", "wai-select sft");
    json_write_count(w, "n", r->n);
    write_leaks(facts, r->n_checked, r->n_leaks, w);
    json_write_count(w, "n_eligible", r->n_eligible);
    json_write_count(w, "n_selected", r->picked.count);
    json_write_count(w, "n_not_pass", r->n_not_pass);
    json_write_count(w, "n_unjudged", r->n_unjudged);
    json_write_count(w, "n_junk", r->n_junk);
    json_write_count(w, "unique_behaviors", r->unique_behaviors);
    json_write_count(w, "behaviors_covered", r->behaviors_covered);
    json_write_count(w, "target", o->target);
    write_text(w, "selection", SFT_RULE_NAMES[o->rule]);
    json_write_key(w, "min_reward");
    json_write_real(w, o->min_reward);
    write_rate(w, "reward_mean_eligible", r->mean_eligible, RATE_DIGITS);
    write_rate(w, "reward_mean_selected", r->mean_selected, RATE_DIGITS);
    json_write_key(w, "reward_spread");
    json_write_real(w, r->reward_spread);
    json_write_count(w, "eval_sourced", r->eval_sourced);
    if (o->rule == SFT_TOP_OVERALL || o->rule == SFT_RANDOM_OVERALL)
        json_write_count(w, "k", o->k ? o->k : o->target);
    if (o->quota.limit) {
        json_write_key(w, "quota");
        json_write_object(w);
        write_text(w, "key", facts->wants.quota_key);
        json_write_count(w, "limit", o->quota.limit);
        json_write_count(w, "passed_over", r->passed_over);
        json_write_end_object(w);
    }
    struct buf lines = {0};
    select_sft_notes(o, r, &lines);
    json_write_key(w, "warnings");
    write_lines(w, buf_span(&lines));
    json_write_count(w, "completions_per_prompt_max", r->per_prompt_max);
    write_rate(w, "completions_per_prompt_mean", r->per_prompt_mean, 2);
    json_write_count(w, "completions_per_prompt_median", r->per_prompt_median);
    json_write_count(w, "prompts_with_one_completion", r->n_single_prompts);
    if (r->n_prompts)
        write_text(w, "selection_effective",
                   r->per_prompt_median <= 1 ? "pass_filter" : SFT_RULE_NAMES[o->rule]);
    buf_clear(&lines);
    if (few_completions(r))
        note_completions(r, &lines);
    json_write_key(w, "note");
    json_write_span(w, buf_span(&lines));
    write_text(w, "mode", "sft");
    json_write_end_object(w);
    buf_free(&lines);
}

/* ---- rl -----------------------------------------------------------------------------------------
 */

static struct interval task_interval(const struct rl_task *task)
{
    struct interval i = stat_wilson((double)task->passes, (double)task->n, STAT_Z95);
    return (struct interval){number_round(i.low, RATE_DIGITS), number_round(i.high, RATE_DIGITS)};
}

static void write_interval(struct json_writer *w, struct interval i)
{
    json_write_key(w, "pass_rate_ci95");
    json_write_array(w);
    json_write_real(w, i.low);
    json_write_real(w, i.high);
    json_write_end_array(w);
}

static void write_rl_calibration(const struct select_facts *facts, const struct rl_options *o,
                                 const struct rl_result *r, struct json_writer *w)
{
    if (o->calibration_excludes_leaks) {
        json_write_key(w, "calibration_excludes_leaks");
        json_write_bool(w, true);
    }
    json_write_key(w, "calibration");
    json_write_object(w);
    json_write_count(w, "n_tasks", r->n_graded_tasks);
    json_write_count(w, "n_rows", r->picked.count);
    size_t stamped = 0;
    for (size_t i = 0; i < r->picked.count; i++)
        stamped += r->graded[facts->items[r->picked.rows[i]].task].n > 0;
    json_write_count(w, "n_stamped", stamped);
    json_write_key(w, "tasks");
    json_write_array(w);
    bool *seen = mem_zero(facts->tasks.count, sizeof *seen);
    for (size_t i = 0; i < r->picked.count; i++) {
        uint32_t task = facts->items[r->picked.rows[i]].task;
        const struct rl_task *t = &r->graded[task];
        if (seen[task] || !t->n)
            continue;
        seen[task] = true;
        json_write_object(w);
        json_write_key(w, "task_id");
        json_write_span(w, facts->tasks.keys[task]);
        json_write_count(w, "n", t->n);
        json_write_key(w, "pass_rate");
        json_write_real(w, (double)t->passes / (double)t->n);
        write_interval(w, task_interval(t));
        json_write_end_object(w);
    }
    free(seen);
    json_write_end_array(w);
    json_write_end_object(w);
}

static void write_rl_gates(const struct rl_options *o, const struct rl_result *r,
                           struct json_writer *w)
{
    json_write_count(w, "n_after_gates", r->n_after_gates);
    json_write_key(w, "gates");
    json_write_object(w);
    json_write_count(w, "do_nothing", r->n_do_nothing);
    json_write_count(w, "incomplete_junk", r->n_junk);
    json_write_count(w, "unusable_label", r->n_unusable);
    json_write_end_object(w);
    json_write_count(w, "kept_verified_zero", r->kept_verified_zero);
    json_write_key(w, "text_gates");
    json_write_object(w);
    write_text(w, "mode", RL_TEXT_NAMES[o->text_gates]);
    json_write_key(w, "applied");
    json_write_bool(w, r->text_gates_on);
    write_text(w, "reason",
               r->text_gates_on ? ""
               : o->text_gates == RL_TEXT_SKIP
                   ? "--text-gates skip"
                   : "no row has a reply, a tool call or an assistant turn");
    json_write_end_object(w);
    json_write_count(w, "n_after_trim", r->n_after_trim);
    json_write_count(w, "unanimous_groups_dropped", r->unanimous);
    json_write_count(w, "collapsed_groups_dropped", r->collapsed);
    json_write_count(w, "n_selected", r->picked.count);
    json_write_count(w, "groups_selected", r->groups_selected);
}

static void write_rl_duplicates(const struct rl_result *r, struct json_writer *w)
{
    json_write_key(w, "duplicates");
    json_write_object(w);
    if (r->dedupe_ran) {
        json_write_count(w, "n", r->n_after_gates);
        json_write_count(w, "n_kept", r->n_deduped);
    }
    json_write_count(w, "n_dropped", r->n_duplicates);
    json_write_count(w, "groups_affected", r->groups_affected);
    if (r->dedupe_ran) {
        json_write_key(w, "duplicate_rate");
        json_write_real(w, r->n_after_gates ? (double)r->n_duplicates / (double)r->n_after_gates
                                            : 0.0);
    }
    json_write_count(w, "conflicting_rewards", r->conflicting_rewards);
    json_write_end_object(w);
}

/* Reply lengths of the selected rows, overall and within each prompt. */
static struct length_report measure_lengths(const struct select_facts *facts,
                                            const struct rl_result *r)
{
    size_t n = r->picked.count, cut = 0;
    struct length_report l;
    uint64_t *lengths = mem_zero(n, sizeof *lengths);
    uint32_t *prompts = mem_zero(n, sizeof *prompts);
    for (size_t i = 0; i < n; i++) {
        const struct select_fact *f = &facts->items[r->picked.rows[i]];
        lengths[i] = f->reply_length;
        prompts[i] = f->prompt;
        cut += (f->flags & SELECT_TRUNCATED) != 0;
    }
    length_measure(lengths, prompts, n, facts->prompts.count, SELECT_MAX_SPREAD, &l);
    l.n_truncated = cut;
    free(prompts);
    free(lengths);
    return l;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Median tries of the stamped tasks, and half the width of their intervals. */
static size_t median_tries(const struct select_facts *facts, const struct rl_result *r,
                           double *half)
{
    size_t n = 0, n_tasks = facts->tasks.count;
    uint64_t *tries = mem_zero(n_tasks, sizeof *tries), *widths = mem_zero(n_tasks, sizeof *widths);
    bool *seen = mem_zero(n_tasks, sizeof *seen);
    for (size_t i = 0; i < r->picked.count; i++) {
        uint32_t task = facts->items[r->picked.rows[i]].task;
        if (seen[task] || !r->graded[task].n)
            continue;
        seen[task] = true;
        struct interval ci = task_interval(&r->graded[task]);
        tries[n] = r->graded[task].n;
        widths[n++] = (uint64_t)((ci.high - ci.low) * 5000.0 + 0.5); /* half, in ten thousandths */
    }
    size_t middle = 0;
    *half = 0.0;
    if (n) {
        qsort(tries, n, sizeof *tries, by_size);
        qsort(widths, n, sizeof *widths, by_size);
        middle = (size_t)tries[n / 2];
        *half = (n % 2 ? (double)widths[n / 2]
                       : ((double)widths[n / 2 - 1] + (double)widths[n / 2]) / 2.0) /
                10000.0;
    }
    free(seen);
    free(widths);
    free(tries);
    return middle;
}

static void note_nothing(const struct rl_result *r, struct buf *out)
{
    if (r->picked.count || !r->n_graded_rows)
        return;
    buf_format(
        out,
        "nothing was selected although %zu graded rows came in: %zu tasks are unanimous (%zu of "
        "them by duplicates or cuts), %zu too easy, %zu too hard; more --repeats, a stricter "
        "grader or a wider --band\n",
        r->n_graded_rows, r->unanimous, r->collapsed, r->too_easy, r->too_hard);
    if (r->eval_sourced_input)
        buf_format(out, "%zu of the rows that came in were scored by the held-out scorer\n",
                   r->eval_sourced_input);
}

static void note_replies(const struct select_facts *facts, const struct rl_result *r,
                         struct buf *out)
{
    struct length_report l = measure_lengths(facts, r);
    if (r->n_duplicates) {
        buf_format(out, "%zu duplicates in %zu asks were dropped", r->n_duplicates,
                   r->groups_affected);
        if (r->conflicting_rewards)
            buf_format(out,
                       "; %zu of them carried another reward than the row they repeat, which is "
                       "noise of the judge",
                       r->conflicting_rewards);
        buf_byte(out, '\n');
    }
    if (l.n_truncated)
        buf_format(out,
                   "%zu selected replies end in the middle; raise the token cap or pass "
                   "--truncated drop\n",
                   l.n_truncated);
    if (l.n_wide)
        buf_format(out,
                   "%zu asks have a reply over %g times as long as their median; length can stand "
                   "in for quality\n",
                   l.n_wide, SELECT_MAX_SPREAD);
}

/* What the reward follows, and what an audit of the verifier found. */
static void note_reward(const struct rl_beside *beside, struct buf *out)
{
    const struct correlation_report *c = beside->correlations;
    for (size_t i = 0; c && i < c->count; i++)
        if (c->items[i].flagged)
            buf_format(out, "the reward %s %s (r %.2f); look at the judge before training\n",
                       c->items[i].r > 0 ? "pays for" : "punishes", c->items[i].name,
                       c->items[i].r);
    for (size_t i = 0; beside->hacks && i < beside->hacks->findings.count; i++)
        if (beside->hacks->findings.items[i].level != FINDING_NOTE)
            buf_format(out, "hack scan: %s\n", beside->hacks->findings.items[i].text);
    if (beside->misses > SELECT_MISSES_WARNED)
        buf_format(out,
                   "the audit found %.0f %% (%.0f to %.0f) of the right answers scored 0, of %.0f "
                   "rows; mend the verifier\n",
                   100.0 * beside->misses, 100.0 * beside->misses_low, 100.0 * beside->misses_high,
                   beside->audited);
}

void select_rl_notes(const struct select_facts *facts, const struct rl_options *o,
                     const struct rl_result *r, const struct rl_beside *beside, struct buf *out)
{
    note_replies(facts, r, out);
    note_reward(beside, out);
    if (!r->text_gates_on)
        buf_format(out, "no gate looked at the replies (%s); --text-gates require insists\n",
                   o->text_gates == RL_TEXT_SKIP ? "--text-gates skip" : "no row holds any text");
    double half;
    size_t tries = median_tries(facts, r, &half);
    if (tries && tries < SELECT_FIRM_TRIES)
        buf_format(out,
                   "pass rates rest on %zu tries a task (interval about +-%.1f); %d repeats place "
                   "a task in the band firmly\n",
                   tries, half, SELECT_FIRM_TRIES);
    if (r->eval_sourced)
        buf_format(
            out,
            "%zu selected rows were scored by the held-out scorer; training on them makes it the "
            "reward model\n",
            r->eval_sourced);
    note_nothing(r, out);
    if (beside->before && beside->signal && !isnan(beside->before->rates.pass_at_k) &&
        isnan(beside->signal->rates.pass_at_k))
        buf_format(out,
                   "pass@k could be measured before selection (k %lld) and not after (k %lld); "
                   "take the k-way numbers before selecting\n",
                   (long long)beside->before->rates.k, (long long)beside->signal->rates.k);
}

static void write_beside(const struct rl_options *o, const struct rl_result *r,
                         const struct rl_beside *beside, struct json_writer *w)
{
    if (beside->correlations) {
        json_write_key(w, "correlations");
        correlation_write(beside->correlations, w);
    }
    write_text(w, "group_key", beside->group_key);
    json_write_key(w, "hack_scan");
    if (beside->hacks) {
        json_write_object(w);
        hack_report_write(beside->hacks, w);
        json_write_end_object(w);
    } else {
        json_write_null(w);
    }
    if (beside->signal) {
        json_write_key(w, "signal");
        signal_write(beside->signal, w);
        json_write_key(w, "warning");
        json_write_text(w, beside->signal->n_mixed
                               ? ""
                               : "no_mixed_groups: in no task do some rollouts pass and some fail, "
                                 "so every advantage would be 0; grade more strictly or ask for "
                                 "more");
    }
    json_write_key(w, "audit");
    json_write_raw(w, beside->audit.len ? beside->audit : SPAN("null"));
    json_write_key(w, "prior");
    json_write_raw(w, beside->prior.len ? beside->prior : SPAN("null"));
    if (beside->quota_key) {
        json_write_key(w, "quota");
        json_write_object(w);
        write_text(w, "key", beside->quota_key);
        json_write_count(w, "limit", o->quota.limit);
        json_write_count(w, "passed_over", r->passed_over);
        json_write_end_object(w);
    }
}

static void write_fates(const struct select_facts *facts, const struct rl_result *r,
                        struct json_writer *w)
{
    size_t counts[RL_FATES] = {0};
    for (size_t t = 0; t < facts->tasks.count; t++)
        counts[r->fates[t]]++;
    json_write_key(w, "groups_dropped");
    json_write_object(w);
    for (size_t f = 0; f < RL_SELECTED; f++)
        json_write_count(w, RL_FATE_NAMES[f], counts[f]);
    json_write_end_object(w);
}

void select_rl_report(const struct select_facts *facts, const struct rl_options *o,
                      const struct rl_result *r, const struct rl_beside *beside,
                      struct json_writer *w)
{
    json_write_object(w);
    write_text(w, "wai_report", "wai-select rl");
    json_write_count(w, "n", r->n);
    write_leaks(facts, r->n_checked, r->n_leaks, w);
    write_rl_gates(o, r, w);
    json_write_key(w, "fault_kinds");
    json_write_object(w);
    for (size_t i = 0; i < r->n_faults; i++) {
        json_write_key_span(w, facts->faults.keys[r->fault_names[i]]);
        json_write_int(w, (int64_t)r->fault_tasks[i]);
    }
    json_write_end_object(w);
    json_write_count(w, "target", o->target);
    json_write_key(w, "band");
    json_write_array(w);
    json_write_real(w, o->low);
    json_write_real(w, o->high);
    json_write_end_array(w);
    json_write_key(w, "enforce_band");
    json_write_bool(w, o->enforce_band);
    json_write_count(w, "band_groups_dropped", r->too_easy + r->too_hard);
    json_write_key(w, "band_dropped");
    json_write_object(w);
    json_write_count(w, "too_easy", r->too_easy);
    json_write_count(w, "too_hard", r->too_hard);
    json_write_end_object(w);
    write_rl_duplicates(r, w);
    json_write_count(w, "truncated_dropped", r->truncated_dropped);
    write_text(w, "truncated_policy", RL_TRUNCATED_NAMES[o->truncated]);
    json_write_count(w, "truncated_kept",
                     o->truncated == RL_TRUNCATED_KEEP ? r->truncated_marked : 0);
    json_write_count(w, "truncated_penalized",
                     o->truncated == RL_TRUNCATED_PENALIZE ? r->truncated_marked : 0);
    json_write_count(w, "truncated_selected", r->truncated_selected);
    struct length_report lengths = measure_lengths(facts, r);
    json_write_key(w, "length");
    length_write(&lengths, w);
    write_beside(o, r, beside, w);
    write_fates(facts, r, w);
    json_write_count(w, "eval_sourced", r->eval_sourced);
    json_write_count(w, "eval_sourced_input", r->eval_sourced_input);
    write_rl_calibration(facts, o, r, w);
    struct buf lines = {0};
    select_rl_notes(facts, o, r, beside, &lines);
    json_write_key(w, "hygiene_warnings");
    write_lines(w, buf_span(&lines));
    buf_free(&lines);
    write_text(w, "mode", "rl");
    json_write_end_object(w);
}
