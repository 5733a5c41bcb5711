/* compare_warn_config.c: were the two sides made alike (measure 6.11): judge, sampling, prompt, who
 * wrote the tasks and played the user, how much of each side was graded and answered at all. */
#include <math.h>

#include "measure/compare_inside.h"
#include "measure/passat.h"
#include "text/term.h"

/* A setting of a side, decoded when it is a text; ptr NULL: none or several. */
static struct span setting_text(const struct compare_report *r, int side,
                                enum measure_setting setting, struct buf *scratch)
{
    struct span json = r->config[side].settings[setting].json;
    struct json_value value;
    struct json_fault fault;
    if (!json.ptr || json_scan(json, &value, NULL, &fault) < 0 || value.type != JSON_VALUE_STRING)
        return json;
    struct span text = json_text(value, scratch);
    return text.ptr ? text : SPAN("");
}

static bool both_known(const struct compare_report *r, enum measure_setting setting)
{
    return r->config[BEFORE].settings[setting].json.ptr &&
           r->config[AFTER].settings[setting].json.ptr;
}

static bool settings_differ(const struct compare_report *r, enum measure_setting setting)
{
    if (!both_known(r, setting))
        return false;
    struct position start = {0, 0};
    struct setting_value a = setting_value_of(r->config[BEFORE].settings[setting].json, start);
    struct setting_value b = setting_value_of(r->config[AFTER].settings[setting].json, start);
    return !setting_equal(&a, &b);
}

/* "X before and Y after" */
static const char *both(struct compare_report *r, enum measure_setting setting)
{
    struct buf text = {0};
    term_add_head(&text, r->config[BEFORE].settings[setting].json, MEASURE_REASON_MAX);
    buf_text(&text, " before and ");
    term_add_head(&text, r->config[AFTER].settings[setting].json, MEASURE_REASON_MAX);
    buf_text(&text, " after");
    const char *kept = arena_span(&r->arena, buf_span(&text)).ptr;
    buf_free(&text);
    return kept;
}

static void warn_settings(struct compare_report *r)
{
    if (settings_differ(r, SETTING_JUDGE_VERSION))
        notes_add(&r->warnings, "judge_version_differs",
                  "the judge is %s: the change may be the judge's; grade both sides with one",
                  both(r, SETTING_JUDGE_VERSION));
    if (settings_differ(r, SETTING_PROMPT_HASH)) {
        compare_cause(r, "prompt_hash", false);
        notes_add(&r->warnings, "not_comparable_prompt_hash",
                  "NOT COMPARABLE: the system prompt is %s; unless the prompt is the change, run "
                  "both sides with one",
                  both(r, SETTING_PROMPT_HASH));
    }
    if (settings_differ(r, SETTING_TEMPERATURE))
        notes_add(&r->warnings, "temperature_differs",
                  "the temperature is %s: sample both sides alike", both(r, SETTING_TEMPERATURE));
    if (settings_differ(r, SETTING_MAX_TOKENS))
        notes_add(&r->warnings, "max_tokens_differs",
                  "the token cap is %s: sample both sides alike", both(r, SETTING_MAX_TOKENS));
    double a = r->config[BEFORE].truncated_share, b = r->config[AFTER].truncated_share;
    if (fabs(a - b) > MEASURE_TRUNCATED_GAP)
        notes_add(&r->warnings, "truncated_share_differs",
                  "the token cap cut %.1f%% of the replies before and %.1f%% after: raise it, or "
                  "the change may be the cap's",
                  100.0 * a, 100.0 * b);
}

/* ---- shares -------------------------------------------------------------------------------------
 */

/* By how much selection alone could move the difference of the rates: a share d of ungraded rows
 * moves a mean over the graded by at most d / (1 - d). */
static double bias_of(double graded_share)
{
    double lost = 1.0 - graded_share;
    return lost >= 1.0 ? 1.0 : lost / (1.0 - lost);
}

static double graded_bar(const struct compared *headline)
{
    if (!isnan(headline->noise_band))
        return headline->noise_band;
    struct interval ci = headline->change.ci95;
    return (ci.high - ci.low) / 2.0; /* NaN without one */
}

static void warn_graded(struct compare_report *r)
{
    double a = r->config[BEFORE].graded_share, b = r->config[AFTER].graded_share;
    r->graded_bias = NAN;
    if (isnan(a) || isnan(b))
        return;
    double bias = r->graded_bias = bias_of(a) + bias_of(b);
    double delta = fabs(r->headline->change.delta);
    if (bias > 0.0 && bias > graded_bar(r->headline)) {
        if (bias >= delta) {
            compare_cause(r, "graded_share", true);
            notes_add(&r->warnings, "not_comparable_graded_share",
                      "NOT COMPARABLE: %.1f%% of the rows are graded before and %.1f%% after; the "
                      "missing ones alone can move the difference by %.3f, as much as was seen "
                      "(%.3f); grade them",
                      100.0 * a, 100.0 * b, bias, delta);
        } else {
            notes_add(&r->warnings, "graded_share_bound",
                      "%.1f%% of the rows are graded before and %.1f%% after: the missing ones can "
                      "move the difference by up to %.3f; grade them",
                      100.0 * a, 100.0 * b, bias);
        }
    } else if (fmin(a, b) < MEASURE_GRADED_WARN) {
        notes_add(&r->warnings, "graded_share_low",
                  "only %.1f%% of the rows of a side are graded: both rates are of the rows that "
                  "were; grade the others",
                  100.0 * fmin(a, b));
    }
}

static void warn_policy(struct compare_report *r)
{
    if (both_known(r, SETTING_POLICY_VERSION) && !settings_differ(r, SETTING_POLICY_VERSION))
        notes_add(&r->warnings, "same_policy_version",
                  "policy_version is %s: are these two policies?", both(r, SETTING_POLICY_VERSION));
}

/* What the rows say about why replies stayed empty. */
static void add_reason(const struct compare_report *r, struct buf *text)
{
    const struct passat_report *a = &r->config[BEFORE], *b = &r->config[AFTER];
    if (a->unclosed_think_share > 0.0 || b->unclosed_think_share > 0.0)
        buf_format(text, "; %.1f%% and %.1f%% end inside their thinking: raise the token cap",
                   100.0 * a->unclosed_think_share, 100.0 * b->unclosed_think_share);
    else if (a->truncated_share > 0.0 || b->truncated_share > 0.0)
        buf_format(text, "; the token cap cut %.1f%% and %.1f%%: raise it",
                   100.0 * (isnan(a->truncated_share) ? 0.0 : a->truncated_share),
                   100.0 * (isnan(b->truncated_share) ? 0.0 : b->truncated_share));
    else
        buf_text(text, "; read finish_reason of the empty ones");
}

static void warn_answered(struct compare_report *r)
{
    const struct compare_request *asked = r->options->asked;
    const struct passat *a = r->rows->sides[BEFORE].rows, *b = r->rows->sides[AFTER].rows;
    double share_a = r->config[BEFORE].answered_share, share_b = r->config[AFTER].answered_share;
    r->answered_p = NAN;
    if (isnan(share_a) || isnan(share_b))
        return;
    r->answered_p = stat_two_proportion_p((double)a->n_answered, (double)a->n_replies,
                                          (double)b->n_answered, (double)b->n_replies);
    if (!(r->answered_p < asked->answered_alpha))
        return;
    double bar = isnan(r->headline->noise_band) ? asked->answered_gap : r->headline->noise_band;
    struct buf reason = {0};
    add_reason(r, &reason);
    if (fabs(share_a - share_b) > bar) {
        compare_cause(r, "answered", true);
        notes_add(&r->warnings, "not_comparable_answered",
                  "NOT COMPARABLE: %.1f%% of the rows before and %.1f%% after say anything to the "
                  "user, more apart than %.3f%s",
                  100.0 * share_a, 100.0 * share_b, bar, buf_cstr(&reason));
    } else {
        notes_add(&r->warnings, "answered_differs",
                  "%.1f%% of the rows before and %.1f%% after say anything to the user (p %.2g)%s",
                  100.0 * share_a, 100.0 * share_b, r->answered_p, buf_cstr(&reason));
    }
    buf_free(&reason);
}

/* ---- environment --------------------------------------------------------------------------------
 */

/* Writers that write from a table, whatever they are called. */
static bool offline_writer(struct span name)
{
    static const char *const NAMES[] = {"seed", "template", "pinned", "callable-writer"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (span_is(name, NAMES[i]))
            return true;
    return false;
}

/* The policies' common name before '@'; ptr NULL when they are the same or share none. */
static struct span policy_name(const struct compare_report *r, struct buf *scratch)
{
    struct buf other = {0};
    struct span none = {NULL, 0};
    if (!both_known(r, SETTING_POLICY_VERSION) || !settings_differ(r, SETTING_POLICY_VERSION))
        return none;
    struct span a = setting_text(r, BEFORE, SETTING_POLICY_VERSION, scratch);
    struct span b = setting_text(r, AFTER, SETTING_POLICY_VERSION, &other);
    const char *at_a = a.len ? memchr(a.ptr, '@', a.len) : NULL;
    const char *at_b = b.len ? memchr(b.ptr, '@', b.len) : NULL;
    struct span head_a = at_a ? span_make(a.ptr, (size_t)(at_a - a.ptr)) : a;
    struct span head_b = at_b ? span_make(b.ptr, (size_t)(at_b - b.ptr)) : b;
    bool same = span_equal(head_a, head_b);
    buf_free(&other);
    return same ? head_a : none;
}

static void warn_model(struct compare_report *r, enum measure_setting setting, const char *who,
                       const char *cause, const char *differs, const char *is_policy)
{
    if (!both_known(r, setting))
        return;
    struct buf a = {0}, b = {0}, policy = {0};
    struct span before = setting_text(r, BEFORE, setting, &a);
    struct span after = setting_text(r, AFTER, setting, &b);
    bool alike = span_equal(before, after) || (setting == SETTING_WRITER_MODEL &&
                                               offline_writer(before) && offline_writer(after));
    struct span name = policy_name(r, &policy);
    if (!alike) {
        compare_cause(r, cause, true);
        notes_add(&r->warnings, differs,
                  "NOT COMPARABLE: %s is %s: the change may be theirs; hold it the same on both "
                  "sides",
                  who, both(r, setting));
    } else if (name.ptr && span_equal(before, name) && span_equal(after, name)) {
        notes_add(&r->warnings, is_policy,
                  "%s runs on the name that is under test, %s: when that name serves another model "
                  "after, they moved with the policy; pin another model",
                  who, both(r, setting));
    }
    buf_free(&a);
    buf_free(&b);
    buf_free(&policy);
}

void compare_warn_config(struct compare_report *r)
{
    warn_settings(r);
    warn_graded(r);
    warn_policy(r);
    warn_answered(r);
    warn_model(r, SETTING_USER_MODEL, "the simulated user", "user_model",
               "not_comparable_user_model", "user_model_is_policy");
    warn_model(r, SETTING_WRITER_MODEL, "the writer of the tasks", "writer_model",
               "not_comparable_writer_model", "writer_model_is_policy");
}
