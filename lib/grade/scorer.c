/* scorer.c: what all scorers share, and the scorer in one string (grade 4.3). */
#include "grade/scorer.h"

#include <stdlib.h>

#include "base/pool.h"
#include "grade/defaults.h"
#include "grade/judge_options.h"
#include "grade/scrub.h"
#include "grade/verify.h"
#include "row/gold.h"

int scorer_jobs(const struct scorer_setup *setup, int most)
{
    int cpus = pool_cpu_count();
    if (setup->jobs > 0)
        return setup->jobs < SCORER_JOBS_MAX ? setup->jobs : SCORER_JOBS_MAX;
    return cpus < most ? cpus : most;
}

int scorer_verdict(struct scorer *s, int worker, const struct row *row, struct verdict *v,
                   struct error *error)
{
    verdict_clear(v);
    int rc = s->kind->verdict(s, worker, row, v, error);
    if (rc < 0)
        return rc;
    if (s->meta_kind)
        verdict_meta_text(v, SPAN("scorer_kind"), s->meta_kind);
    /* Only what a privileged block holds is kept out. */
    if ((v->reason.len || v->n_meta) && row_get(row, SPAN("privileged"))) {
        struct row_gold gold = row_gold(row, s->gold_field);
        scrub_verdict(v, &gold);
    }
    return 0;
}

void scorer_close(struct scorer *s)
{
    if (s)
        s->kind->close(s);
}

/* ---- a verdict already on the row
 * ----------------------------------------------------------------------- */

struct field_scorer {
    struct scorer head;
    char *path;
    struct verdict_scale scale;
};

static int field_verdict(struct scorer *s, int worker, const struct row *row, struct verdict *v,
                         struct error *error)
{
    struct field_scorer *f = (struct field_scorer *)s;
    struct row_gold found = row_gold(row, span_text(f->path));
    (void)worker;
    (void)error;
    if (found.value.text.ptr)
        verdict_read(v, found.value, &f->scale);
    else
        verdict_none(v);
    return 0;
}

static void field_close(struct scorer *s)
{
    struct field_scorer *f = (struct field_scorer *)s;
    free(f->path);
    free(f->head.name);
    free(f);
}

struct scorer *scorer_field_open(const char *path, const struct scorer_setup *setup,
                                 struct error *error)
{
    static const struct scorer_kind kind = {field_verdict, field_close};
    if (!*path) {
        error_set(error, ERROR_USAGE, "field: names no key; write field:reward");
        return NULL;
    }
    struct field_scorer *f = mem_zero(1, sizeof *f);
    f->head.kind = &kind;
    f->head.name = mem_text(path);
    f->head.meta_kind = "rule";
    f->head.threads = scorer_jobs(setup, 1);
    f->path = mem_text(path);
    f->scale = setup->scale;
    return &f->head;
}

/* ---- a scorer in one string
 * ------------------------------------------------------------------------------- */

static struct scorer *open_verifier(const char *spec, const struct scorer_setup *setup,
                                    struct error *error)
{
    const struct scorer_verify_options options = {.specs = &spec, .n_specs = 1};
    return scorer_verify_open(&options, setup, error);
}

/* spec NULL: the judge `default`. */
static struct scorer *open_judge(const char *spec, struct judge_choice *read,
                                 const struct scorer_setup *setup, struct error *error)
{
    const struct judge_options options = {.judge = spec, .retries = JUDGE_RETRIES};
    struct scorer_judge_options judge = {.retries = JUDGE_RETRIES};
    const char *told;
    if (read)
        judge = read->judge;
    judge.spec = setup->models ? judge_spec(&options, setup->models, &told) : spec;
    return scorer_judge_open(&judge, setup, error);
}

static struct scorer *open_rubric(const char *path, const struct scorer_setup *setup,
                                  struct error *error)
{
    const struct judge_options options = {.rubric = path, .retries = JUDGE_RETRIES};
    struct judge_choice choice = {0};
    struct scorer *s = NULL;
    if (!setup->models)
        error_set(error, ERROR_USAGE, "rubric:%s: no model can judge here", path);
    else if (judge_choice_read(&choice, &options, setup->models, error) == 0)
        s = open_judge(NULL, &choice, setup, error);
    judge_choice_close(&choice);
    return s;
}

struct scorer *scorer_open(const char *spec, const struct scorer_setup *setup, struct error *error)
{
    struct span s = span_text(spec);
    if (span_starts(s, SPAN("expr:"))) {
        const struct scorer_expr_options options = {.program = spec + 5};
        return scorer_expr_open(&options, setup, error);
    }
    if (span_starts(s, SPAN("cmd:"))) {
        const struct scorer_cmd_options options = {.command = spec + 4};
        return scorer_cmd_open(&options, setup, error);
    }
    if (span_starts(s, SPAN("verify:")))
        return open_verifier(spec + 7, setup, error);
    if (span_starts(s, SPAN("field:")))
        return scorer_field_open(spec + 6, setup, error);
    if (span_starts(s, SPAN("rubric:")))
        return open_rubric(spec + 7, setup, error);
    if (model_spec_known(spec) || span_is(s, "default"))
        return open_judge(spec, NULL, setup, error);
    if (span_is(s, "conduct"))
        return scorer_conduct_open(setup, error);
    if (span_is(s, "checklist"))
        return scorer_checklist_open(setup, error);
    if (verify_known(spec))
        return open_verifier(spec, setup, error);
    error_set(
        error, ERROR_USAGE,
        "scorer %s is none of expr:PROG, cmd:COMMAND, verify:NAME[:ARGS], rubric:FILE, field:PATH, "
        "conduct, checklist and a model (openai:MODEL); "
        "the verifiers are %s",
        spec, verify_names());
    return NULL;
}
