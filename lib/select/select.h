/* select.h: which rows a trainer should see. Two modes over the same facts; each answers with the
 * numbers of the chosen rows in training order and a report that counts what every gate dropped.
 *
 * SFT: rejection sampling (select 2): passing, diverse demonstrations. RL: whole groups of tasks
 * that are sometimes solved (select 3); difficulty band of DAPO, arXiv:2503.14476. */
#ifndef WAI_SELECT_SELECT_H
#define WAI_SELECT_SELECT_H

#include "guard/hack_scan.h"
#include "guard/hygiene.h"
#include "measure/measure.h"
#include "select/facts.h"
#include "json/write.h"

struct select_picked {
    size_t *rows; /* numbers in the store, training order; owned */
    size_t count, cap;
};

void select_picked_add(struct select_picked *picked, size_t row);
void select_picked_free(struct select_picked *picked);

/* At most `limit` rows (sft) or groups (rl) for each value of facts->quota_key. */
struct select_quota {
    size_t limit; /* 0: no quota */
};

/* "KEY=N" into facts and quota; NULL: no quota. ERROR_USAGE. */
int select_quota_read(const char *text, struct select_facts *facts, struct select_quota *quota,
                      struct error *error);
/* Takes one of a value's places in `used`, one item for each of facts->quotas. false: none is left. */
bool select_quota_take(const struct select_quota *quota, size_t *used,
                       const struct select_fact *fact);

/* Says how many rows have messages that stand in for a prompt or a final text of their own. */
void select_say_stand_ins(struct buf *notes, const struct select_facts *facts);

/* Lines, each with "note: " in front. */
void select_say_lines(struct buf *notes, struct span lines);

/* What a grouped update finds in rows of these tasks and labels (select 3.7, measure 4.2). labels:
 * enum row_label, by row number. */
void select_signal(const struct select_facts *facts, const size_t *rows, size_t n,
                   const int8_t *labels, double low, double high, struct signal_report *out);

/* ---- sft ----------------------------------------------------------------------------------------
 */

enum sft_rule { SFT_TOP_PER_PROMPT, SFT_RANDOM_PER_PROMPT, SFT_TOP_OVERALL, SFT_RANDOM_OVERALL };

struct sft_options {
    enum sft_rule rule;
    size_t target; /* rows */
    size_t k;      /* overall rules: how many; 0: target */
    double min_reward;
    const char *seed; /* decimal */
    struct select_quota quota;
};

struct sft_result {
    struct select_picked picked;
    size_t n, n_leaks, n_checked, n_not_pass, n_unjudged, n_junk, n_eligible;
    size_t unique_behaviors, behaviors_covered, eval_sourced;
    double mean_eligible, mean_selected; /* NaN when empty */
    double reward_spread;                /* over the eligible */
    size_t passed_over;                  /* by the quota */
    size_t per_prompt_max, per_prompt_median, n_prompts, n_single_prompts;
    double per_prompt_mean;
};

extern const char *const SFT_RULE_NAMES[]; /* by enum sft_rule */

void select_sft(const struct select_facts *facts, const struct sft_options *options,
                struct sft_result *result);
void select_sft_report(const struct select_facts *facts, const struct sft_options *options,
                       const struct sft_result *result, struct json_writer *w);

/* ---- rl -----------------------------------------------------------------------------------------
 */

enum rl_truncated { RL_TRUNCATED_DROP, RL_TRUNCATED_KEEP, RL_TRUNCATED_PENALIZE };
enum rl_order { RL_ORDER_SPREAD, RL_ORDER_MIDDLE };
enum rl_text_gates { RL_TEXT_AUTO, RL_TEXT_REQUIRE, RL_TEXT_SKIP };

struct rl_options {
    size_t target;    /* rows; the last group may pass it */
    double low, high; /* band, edges inside */
    bool enforce_band, dedupe, has_tools;
    bool calibration_excludes_leaks; /* rates of tasks are without the rows that leaked */
    enum rl_truncated truncated;
    enum rl_order order;
    enum rl_text_gates text_gates;
    struct select_quota quota;
};

/* Why a task's rows did not leave. */
enum rl_fate {
    RL_NO_ROWS, /* the row gates took all of them */
    RL_UNANIMOUS,
    RL_COLLAPSED, /* duplicates or cuts left one opinion */
    RL_TOO_EASY,
    RL_TOO_HARD,
    RL_OVER_QUOTA,
    RL_PAST_TARGET,
    RL_SELECTED,
    RL_FATES,
};
extern const char *const RL_FATE_NAMES[RL_FATES];

/* What the row gates and the group gates dropped, and what is left to stamp. */
struct rl_result {
    struct select_picked picked;
    bool *marked; /* per row: cut, and kept or penalised under the policy */
    bool text_gates_on;
    size_t n, n_leaks, n_checked;
    size_t n_do_nothing, n_junk, n_unusable, n_after_gates, kept_verified_zero;
    size_t n_duplicates, groups_affected, conflicting_rewards, n_deduped;
    bool dedupe_ran;
    size_t truncated_dropped, truncated_marked, truncated_selected;
    size_t unanimous, collapsed; /* tasks; unanimous counts both */
    size_t too_easy, too_hard;   /* tasks */
    size_t n_after_trim, groups_selected;
    size_t eval_sourced, eval_sourced_input;
    struct rl_task { /* per task number: labels as the rows came in (leaks counted) */
        size_t n, passes;
    } * graded;
    size_t n_graded_tasks, n_graded_rows;
    uint32_t *fault_names; /* buckets in first-seen order: number in faults, tasks in it */
    size_t *fault_tasks;
    size_t n_faults;
    enum rl_fate *fates; /* by task number */
    size_t passed_over;  /* groups, by the quota */
};

/* What is measured beside the choice; a member that was not asked for is NULL. */
struct rl_beside {
    const struct correlation_report *correlations;
    const struct hack_report *hacks;
    const struct signal_report *signal, *before; /* of the selected rows; of all that came in */
    struct span audit;                           /* its object as the report has it, or empty */
    double misses, misses_low, misses_high; /* of the audit: right answers scored 0; NaN: none */
    double audited;                         /* rows */
    struct span prior;                      /* its object, or empty */
    const char *quota_key;
    const char *group_key; /* what the hack scan calls one ask */
};

extern const char *const RL_TRUNCATED_NAMES[], *const RL_TEXT_NAMES[];

void select_rl(const struct select_facts *facts, const struct rl_options *options,
               struct rl_result *result);
void select_rl_report(const struct select_facts *facts, const struct rl_options *options,
                      const struct rl_result *result, const struct rl_beside *beside,
                      struct json_writer *w);
int8_t *select_rl_labels(const struct select_facts *facts, const struct rl_options *options,
                         const struct rl_result *result); /* as the rows leave; free it */
/* A line of JSON for each task: what became of it. */
void select_rl_explain(const struct select_facts *facts, const struct rl_result *result,
                       struct buf *out);
void select_rl_free(struct rl_result *result);

/* The row as it leaves RL selection: its calibration, and the marks of the truncation policy. */
void select_rl_stamp(const struct select_facts *facts, const struct rl_options *options,
                     const struct rl_result *result, const struct row *row, size_t number,
                     struct buf *out);

/* Sentences that go with a report: what would mislead a trainer. One line each, '\n' behind it. */
void select_sft_notes(const struct sft_options *options, const struct sft_result *result,
                      struct buf *out);
void select_rl_notes(const struct select_facts *facts, const struct rl_options *options,
                     const struct rl_result *result, const struct rl_beside *beside,
                     struct buf *out);

#endif
