/* graded.c: see graded.h. */
#include "guard/graded.h"

#include <stdlib.h>

#include "guard/defaults.h"
#include "measure/measure.h"
#include "rng/rng.h"

struct graded {
    struct facts_reader *facts;
    struct passat *passat;
    struct label_trust *trust; /* NULL: off */
};

/* The reward that this run gave: an earlier one, kept in qwen_reward, says nothing of this scorer. */
static const char *const REWARD[] = {"reward"};

struct graded *graded_new(bool trust)
{
    struct graded *g = mem_zero(1, sizeof *g);
    g->facts = facts_open(&(struct facts_options){.reward_keys = REWARD, .n_reward_keys = 1});
    g->passat = passat_new(&(struct passat_options){0});
    g->trust = trust ? label_trust_new() : NULL;
    return g;
}

void graded_free(struct graded *g)
{
    if (!g)
        return;
    facts_close(g->facts);
    passat_free(g->passat);
    label_trust_free(g->trust);
    free(g);
}

void graded_row(struct graded *g, const struct row *row)
{
    struct row_facts facts;
    facts_read(g->facts, row, &facts);
    passat_add(g->passat, &facts);
    if (g->trust)
        label_trust_row(g->trust, row);
}

/* ---- one screen -------------------------------------------------------------------------------- */

static void say(void (*line)(const char *text), struct buf *text)
{
    if (line)
        line(buf_cstr(text));
    buf_clear(text);
}

static void pass_rate(const struct graded *g, struct buf *out)
{
    struct rng rng;
    struct passat_report report;
    rng_seed(&rng, 0);
    const struct passat_settings settings = {
        .min_k = MEASURE_MIN_K,
        .boot = {.start = &rng, .draws = STAT_BOOT_DRAWS, .level = STAT_LEVEL}};
    passat_report_make(g->passat, &settings, &report);
    passat_headline(&report, out);
    passat_report_free(&report);
}

static void tell_reason(void *data, const char *text)
{
    const struct graded_lines *lines = data;
    struct buf line = {0};
    buf_format(&line, "  %s", text);
    say(lines->note, &line);
    buf_free(&line);
}

static void tell_warning(void *data, const char *text)
{
    const struct graded_lines *lines = data;
    lines->warning(text);
}

/* On how many rows the checklist had an outcome to check. */
static void tell_checked(const struct grade_run *run, const struct graded_lines *lines)
{
    double checked;
    struct buf text = {0};
    uint64_t n = grade_run_marker(run, SPAN("outcome_checked"), &checked);
    if (n && checked > 0) {
        buf_format(&text, "an outcome was checked on %.0f of %llu rows", checked,
                   (unsigned long long)n);
        say(lines->note, &text);
    } else if (n) {
        lines->warning("no row says what its task asks for: the reward is conduct alone, which a "
                       "policy maximises by calling nothing; keep scenario_dimensions on the rows");
    }
    buf_free(&text);
}

void graded_tell(const struct graded *g, const struct grade_run *run, const struct scorer *scorer,
                 bool checklist, const struct graded_lines *lines)
{
    const struct grade_counts *c = grade_run_counts(run);
    struct buf text = {0};
    if (!c->rows) {
        buf_text(&text, "no row arrived");
        say(lines->note, &text);
    } else {
        if (lines->note) /* the interval is work that nobody would see */
            pass_rate(g, &text);
        say(lines->note, &text);
        if (scorer)
            buf_format(&text,
                       "%llu rows scored by %s, %llu with a verdict, %llu passed on as they were",
                       (unsigned long long)c->scored, scorer->name, (unsigned long long)c->graded,
                       (unsigned long long)(c->skipped + c->resumed));
        else
            buf_text(&text, "no scorer: rewards stay as they are");
        say(lines->note, &text);
    }
    if (c->failures && lines->note) {
        lines->note("most frequent reasons of failure:");
        grade_run_reasons(run, GRADED_REASONS, tell_reason, (void *)lines);
    }
    buf_free(&text);
    if (checklist)
        tell_checked(run, lines);
    grade_run_warnings(run, tell_warning, (void *)lines);
}

/* ---- trust ------------------------------------------------------------------------------------- */

void graded_report(const struct graded *g, struct json_writer *w)
{
    if (!g->trust)
        return;
    struct label_trust_summary s = label_trust_summary(g->trust);
    json_write_key(w, "trust");
    label_trust_write(&s, w);
}

bool graded_doubt(const struct graded *g, struct buf *out)
{
    buf_clear(out);
    if (!g->trust)
        return false;
    struct label_trust_summary s = label_trust_summary(g->trust);
    return label_trust_warning(&s, out);
}
