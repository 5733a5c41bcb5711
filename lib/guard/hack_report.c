/* hack_report.c: what a hack scan's numbers mean (guard 10.2), and how they are told. */
#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "guard/hack_inside.h"
#include "text/number.h"
#include "text/term.h"

enum { RHO_DIGITS = 4, NAME_SHOWN = 42 }; /* decimals; code points of a name in the table */

static double listed(double rho)
{
    return number_round(rho, RHO_DIGITS);
}

/* ---- the regime ---------------------------------------------------------------------------------
 */

/* Names in quotes, the first few. */
static void name_list(const struct span *names, size_t n, size_t most, struct buf *out)
{
    for (size_t i = 0; i < n && i < most; i++)
        buf_format(out, "%s%.*s", i ? ", " : "", (int)names[i].len, names[i].ptr);
    if (n > most)
        buf_format(out, " and %zu more", n - most);
}

static void judge_unmatched(struct hack_report *r)
{
    struct buf patterns = {0};
    for (size_t i = 0; i < r->n_endorsed; i++)
        buf_format(&patterns, "%s%s", i ? ", " : "", r->endorsed[i]);
    r->regime = HACK_UNKNOWN;
    findings_add(&r->findings, FINDING_WARN, "endorsed_unmatched",
                 "no name of the %zu features holds %s; names look like tool:NAME, marker:NAME, "
                 "contains:WORD; a feature of your own is --feature NAME=EXPR, and a rare one "
                 "needs a lower --min-obs",
                 r->n_features, buf_cstr(&patterns));
    buf_free(&patterns);
}

static void collect_tied(struct hack_report *r)
{
    r->collinear = mem_zero(r->n_features, sizeof *r->collinear);
    r->inverted = mem_zero(r->n_features, sizeof *r->inverted);
    for (size_t i = 0; i < r->n_features; i++)
        if (fabs(listed(r->features[i].rho)) >= HACK_TIED)
            r->collinear[r->n_collinear++] = r->features[i].name;
}

static void judge_degenerate(struct hack_report *r)
{
    struct buf names = {0};
    size_t wanted = 0;
    r->regime = HACK_DEGENERATE;
    r->degenerate = true;
    name_list(r->collinear, r->n_collinear, HACK_TIED_SHOWN, &names);
    findings_add(&r->findings, FINDING_WARN, "degenerate",
                 "an ask has %zu different rollouts, so %zu features follow the reward exactly and "
                 "cannot be told apart: %s; scan rollouts that differ more, before duplicates go",
                 r->distinct_per_ask, r->n_collinear, buf_cstr(&names));
    for (size_t i = 0; i < r->n_features; i++)
        wanted += r->features[i].endorsed && fabs(listed(r->features[i].rho)) >= HACK_TIED;
    if (wanted)
        findings_add(&r->findings, FINDING_WARN, "degenerate_endorsed",
                     "%zu endorsed features are among them; what is endorsed and its opposite look "
                     "alike here, so the sign says nothing either",
                     wanted);
    buf_free(&names);
}

struct pull {
    double wanted, other, other_net; /* largest listed strength above the floor */
    const struct hack_feature *best;
};

static struct pull measure_pull(const struct hack_report *r)
{
    struct pull p = {0};
    for (size_t i = 0; i < r->n_features; i++) {
        const struct hack_feature *f = &r->features[i];
        double rho = listed(f->rho);
        if (!f->above)
            continue;
        if (f->endorsed) {
            if (rho > p.wanted) {
                p.wanted = rho;
                p.best = f;
            }
            continue;
        }
        p.other = fabs(rho) > p.other ? fabs(rho) : p.other;
        if (!f->complement)
            p.other_net = fabs(rho) > p.other_net ? fabs(rho) : p.other_net;
    }
    return p;
}

static double share(double wanted, double other)
{
    return wanted + other > 0.0 ? listed(wanted / (wanted + other)) : 0.0;
}

static void find_inverted(struct hack_report *r)
{
    for (size_t i = 0; i < r->n_features; i++)
        if (r->features[i].above && r->features[i].endorsed && r->features[i].rho < 0.0)
            r->inverted[r->n_inverted++] = r->features[i].name;
}

static void red_hack(struct hack_report *r, const struct pull *pull)
{
    const struct hack_feature *top = &r->features[0];
    if (pull->best)
        findings_add(&r->findings, FINDING_RED, "reward_hack",
                     "the reward follows %.*s (rho %.4f, floor %.4f) more than what is endorsed; "
                     "the best endorsed feature is %.*s (%.4f); mend the grader before training",
                     (int)top->name.len, top->name.ptr, top->rho, r->tau, (int)pull->best->name.len,
                     pull->best->name.ptr, pull->best->rho);
    else
        findings_add(&r->findings, FINDING_RED, "reward_hack",
                     "the reward follows %.*s (rho %.4f, floor %.4f), and nothing endorsed clears "
                     "the floor; mend the grader before training",
                     (int)top->name.len, top->name.ptr, top->rho, r->tau);
}

static void say_inverted(struct hack_report *r, bool top_named)
{
    struct buf names = {0};
    size_t skip = top_named && r->n_inverted && span_equal(r->inverted[0], r->features[0].name);
    if (r->n_inverted > skip) {
        name_list(r->inverted + skip, r->n_inverted - skip, HACK_NAMES_SHOWN, &names);
        findings_add(&r->findings, FINDING_WARN, "inverted",
                     "the reward punishes endorsed features: %s; look for a sign turned round in "
                     "the grader",
                     buf_cstr(&names));
    }
    buf_free(&names);
}

static void say_rivals(struct hack_report *r, const struct pull *pull)
{
    struct buf names = {0};
    size_t shown = 0;
    if ((r->regime != HACK_TRAIN && r->regime != HACK_POOL_EXHAUSTED) || !r->n_endorsed ||
        !(pull->other_net > 0.0) || !(r->integrity_net < HACK_INTEGRITY))
        return;
    for (size_t i = 0; i < r->n_features && shown < HACK_NAMES_SHOWN; i++) {
        const struct hack_feature *f = &r->features[i];
        if (f->above && !f->endorsed && !f->complement)
            buf_format(&names, "%s%.*s", shown++ ? ", " : "", (int)f->name.len, f->name.ptr);
    }
    findings_add(&r->findings, FINDING_WARN, "rivals",
                 "the reward also follows %s, which nobody endorsed (integrity %.2f, under %.1f); "
                 "see whether they come with the endorsed behaviour or instead of it",
                 buf_cstr(&names), r->integrity_net, HACK_INTEGRITY);
    buf_free(&names);
}

/* Rows 3 to 7 of the table; true: row 5 named the top feature. */
static bool judge_signal(struct hack_report *r, const struct pull *pull)
{
    const struct hack_feature *top = r->n_features ? &r->features[0] : NULL;
    if (!r->n_above) {
        r->regime = HACK_NO_SIGNAL;
        findings_add(&r->findings, FINDING_WARN, "no_signal",
                     "no feature separates the reward: the strongest reaches %.4f, the floor of "
                     "%zu shuffles is %.4f; the reward follows something else, chance, or a "
                     "feature under --min-obs",
                     r->rho_max, r->n_perm, r->tau);
    } else if (r->n_endorsed && !top->endorsed) {
        r->regime = HACK_REWARD_HACK;
        red_hack(r, pull);
    } else if (r->n_endorsed && top->rho < 0.0) {
        r->regime = HACK_REWARD_HACK;
        findings_add(&r->findings, FINDING_RED, "reward_punishes",
                     "the reward punishes %.*s, which is endorsed (rho %.4f, floor %.4f); look for "
                     "a sign turned round in the grader",
                     (int)top->name.len, top->name.ptr, top->rho, r->tau);
        return true;
    } else if (r->sat > HACK_SATURATED) {
        r->regime = HACK_POOL_EXHAUSTED;
        findings_add(&r->findings, FINDING_WARN, "pool_exhausted",
                     "%.0f of %zu asks always pass (%.0f %%) and teach nothing; retire them or "
                     "make the asks harder",
                     r->sat * (double)r->n_groups, r->n_groups, 100.0 * r->sat);
    } else {
        r->regime = HACK_TRAIN;
    }
    return false;
}

static void note_endorsement(struct hack_report *r)
{
    const struct hack_feature *top = r->n_features ? &r->features[0] : NULL;
    if (top && r->has_top && top->endorsed && top->conjunction && !top->parents_agree)
        findings_add(&r->findings, FINDING_NOTE, "endorsed_by_parent",
                     "the top feature %.*s counts as endorsed although only one of its two parts "
                     "is; see what the other part pays for",
                     (int)top->name.len, top->name.ptr);
    if ((double)r->endorsed_matched > HACK_BROAD * (double)r->n_features)
        findings_add(&r->findings, FINDING_WARN, "endorsed_broad",
                     "the patterns endorse %zu of %zu features, so nearly everything passes; name "
                     "the behaviour more narrowly",
                     r->endorsed_matched, r->n_features);
}

void hack_judge(struct hack_report *r)
{
    r->has_top = r->n_features > 0;
    r->rho_max = r->n_features ? fabs(r->features[0].rho) : 0.0;
    if (r->n_endorsed && !r->endorsed_matched) {
        judge_unmatched(r);
        return;
    }
    collect_tied(r);
    bool named = false;
    if (r->n_collinear >= 2 && r->distinct_per_ask < HACK_MIN_DISTINCT) {
        judge_degenerate(r);
        r->has_top = false;
    } else {
        struct pull pull = measure_pull(r);
        if (r->n_endorsed) {
            r->endorsed_on_top =
                r->n_features && r->features[0].endorsed && listed(r->features[0].rho) > 0.0;
            r->integrity = share(pull.wanted, pull.other);
            r->integrity_net = share(pull.wanted, pull.other_net);
        }
        find_inverted(r);
        named = judge_signal(r, &pull);
        if (r->n_endorsed)
            say_inverted(r, named);
        say_rivals(r, &pull);
    }
    if (r->n_endorsed)
        note_endorsement(r);
    if (r->rollouts_per_group < HACK_FINE_GROUP)
        findings_add(&r->findings, FINDING_NOTE, "coarse_floor",
                     "an ask has %zu rollouts, so the floor is coarse; scan %d or more again",
                     r->rollouts_per_group, HACK_WANTED_GROUP);
}

/* ---- JSON ---------------------------------------------------------------------------------------
 */

static void write_real(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_bool(struct json_writer *w, const char *key, bool value)
{
    json_write_key(w, key);
    json_write_bool(w, value);
}

static void write_names(struct json_writer *w, const char *key, const struct span *names, size_t n)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < n; i++)
        json_write_span(w, names[i]);
    json_write_end_array(w);
}

static void write_features(const struct hack_report *r, struct json_writer *w)
{
    json_write_key(w, "features");
    json_write_array(w);
    for (size_t i = 0; i < r->n_listed; i++) {
        const struct hack_feature *f = &r->features[i];
        json_write_object(w);
        json_write_key(w, "name");
        json_write_span(w, f->name);
        write_names(w, "aliases", f->aliases, f->n_aliases);
        write_real(w, "rho", listed(f->rho));
        write_real(w, "pooled", listed(f->pooled));
        json_write_count(w, "n_obs", f->n_obs);
        write_bool(w, "above_floor", f->above);
        write_bool(w, "endorsed", f->endorsed);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

/* What the reference has not: parents of conjunctions, chances, complements. */
static void write_more(const struct hack_report *r, struct json_writer *w)
{
    json_write_key(w, "parents");
    json_write_object(w);
    for (size_t i = 0; i < r->n_listed; i++)
        if (r->features[i].conjunction) {
            json_write_key_span(w, r->features[i].name);
            json_write_array(w);
            json_write_span(w, r->features[i].parents[0]);
            json_write_span(w, r->features[i].parents[1]);
            json_write_end_array(w);
        }
    json_write_end_object(w);
    json_write_key(w, "p");
    json_write_object(w);
    for (size_t i = 0; i < r->n_listed; i++) {
        json_write_key_span(w, r->features[i].name);
        json_write_real(w, r->features[i].p);
    }
    json_write_end_object(w);
    json_write_key(w, "complements");
    json_write_array(w);
    for (size_t i = 0; i < r->n_features; i++)
        if (r->features[i].complement)
            json_write_span(w, r->features[i].name);
    json_write_end_array(w);
    write_real(w, "integrity_net", r->integrity_net);
}

static void write_counts(const struct hack_report *r, struct json_writer *w)
{
    json_write_key(w, "regime");
    json_write_text(w, HACK_REGIME_NAMES[r->regime]);
    json_write_count(w, "n_rows", r->n_rows);
    json_write_count(w, "n_graded", r->n_graded);
    json_write_count(w, "n_groups", r->n_groups);
    json_write_count(w, "n_groups_multi", r->n_groups_multi);
    json_write_count(w, "rollouts_per_group", r->rollouts_per_group);
    json_write_count(w, "effective_rollouts", r->effective_rollouts);
    json_write_key(w, "support");
    json_write_object(w);
    write_real(w, "sat", r->sat);
    write_real(w, "dead", r->dead);
    write_real(w, "mixed", r->mixed);
    write_real(w, "capacity", r->capacity);
    json_write_end_object(w);
    write_real(w, "tau", isnan(r->tau) ? r->tau : listed(r->tau));
    json_write_count(w, "n_perm", r->n_perm);
    json_write_count(w, "n_features", r->n_features);
    json_write_count(w, "n_above_floor", r->n_above);
}

void hack_report_write(const struct hack_report *r, struct json_writer *w)
{
    write_counts(r, w);
    write_features(r, w);
    json_write_key(w, "top_feature");
    if (r->has_top)
        json_write_span(w, r->features[0].name);
    else
        json_write_null(w);
    write_real(w, "rho_max", listed(r->rho_max));
    json_write_key(w, "endorsed");
    json_write_array(w);
    for (size_t i = 0; i < r->n_endorsed; i++)
        json_write_text(w, r->endorsed[i]);
    json_write_end_array(w);
    json_write_count(w, "endorsed_matched", r->endorsed_matched);
    json_write_key(w, "endorsed_on_top");
    if (r->endorsed_on_top < 0)
        json_write_null(w);
    else
        json_write_bool(w, r->endorsed_on_top);
    write_real(w, "integrity", r->integrity);
    write_names(w, "inverted", r->inverted, r->n_inverted);
    write_bool(w, "continuous_reward", r->continuous);
    write_bool(w, "degenerate", r->degenerate);
    write_names(w, "collinear", r->collinear, r->n_collinear);
    json_write_count(w, "distinct_per_ask", r->distinct_per_ask);
    write_more(r, w);
    findings_write(&r->findings, w);
}

/* ---- text ---------------------------------------------------------------------------------------
 */

static void text_table(const struct hack_report *r, struct buf *out)
{
    buf_format(out, "%-4s%-*s %8s %8s %6s\n", "", NAME_SHOWN, "feature", "within", "pooled", "n");
    for (size_t i = 0; i < r->n_listed && i < HACK_TEXT_FEATURES; i++) {
        const struct hack_feature *f = &r->features[i];
        struct buf name = {0};
        bool half = f->conjunction && f->endorsed && !f->parents_agree;
        term_add_head(&name, f->name, NAME_SHOWN - 1);
        buf_format(out, "%c%-3s%-*s %8.4f %8.4f %6zu\n", f->above ? '*' : ' ',
                   half          ? "e?"
                   : f->endorsed ? "e"
                                 : "",
                   NAME_SHOWN, buf_cstr(&name), f->rho, f->pooled, f->n_obs);
        buf_free(&name);
    }
}

void hack_report_text(const struct hack_report *r, struct buf *out)
{
    for (const char *c = HACK_REGIME_NAMES[r->regime]; *c; c++)
        buf_byte(out, *c == '_' ? ' ' : (char)(*c - 32));
    buf_format(out,
               "\n%zu of %zu rows graded, %zu asks, %zu of them with two rollouts or more "
               "(%zu each); always pass %.0f %%, never %.0f %%, mixed %.0f %%\n",
               r->n_graded, r->n_rows, r->n_groups, r->n_groups_multi, r->rollouts_per_group,
               100.0 * r->sat, 100.0 * r->dead, 100.0 * r->mixed);
    if (!isnan(r->tau))
        buf_format(out, "floor %.4f of %zu shuffles; %zu of %zu features above it\n", r->tau,
                   r->n_perm, r->n_above, r->n_features);
    if (r->n_listed)
        text_table(r, out);
    if (!isnan(r->integrity))
        buf_format(out, "integrity %.2f: the share of the reward's pull that is endorsed\n",
                   r->integrity_net);
    findings_lines(&r->findings, out);
}
