/* judge_options.c: see judge_options.h. */
#include "grade/judge_options.h"

#include <stdlib.h>

#include "base/file.h"
#include "grade/defaults.h"
#include "model/defaults.h"
#include "text/fold.h"

bool judge_options_asked(const struct judge_options *o)
{
    return o->judge || o->rubric || o->row_rubric || o->advisory || o->trait;
}

const char *judge_spec(const struct judge_options *o, struct model_access *models,
                       const char **told)
{
    enum model_role_source source;
    bool named = o->judge && strcmp(o->judge, "default") != 0;
    *told = NULL;
    if (!o->judge && o->advisory)
        return JUDGE_ADVISORY_SPEC;
    const char *spec = model_role(&models->roles, ROLE_JUDGE, named ? o->judge : NULL, &source);
    if (source == ROLE_FROM_FILE)
        *told = "the judge is that of wai.yaml";
    return !spec || !strcmp(spec, "hosted") ? MODEL_HOSTED_JUDGE : spec;
}

/* ---- what goes together ------------------------------------------------------------------------ */

static int check_judge(const struct judge_options *o, struct error *error)
{
    if (o->rubric && o->row_rubric)
        return error_set(error, ERROR_USAGE, "--rubric and --row-rubric are two; give one");
    if (o->trait && (o->rubric || o->row_rubric))
        return error_set(error, ERROR_USAGE, "--trait is a rubric of its own; leave --rubric out");
    if (o->trait && !o->constitution)
        return error_set(error, ERROR_USAGE, "--trait needs --constitution FILE, where it stands");
    if ((o->list || o->spec_id) && !o->constitution)
        return error_set(error, ERROR_USAGE, "--list and --spec-id need --constitution FILE");
    if (o->advisory && (o->rubric || o->row_rubric || o->trait))
        return error_set(error, ERROR_USAGE,
                         "--advisory is a second opinion without a rubric; leave the rubric out");
    if (o->votes && o->votes % 2 == 0)
        return error_set(error, ERROR_USAGE, "--votes %lld can be a tie; give an odd number",
                         (long long)o->votes);
    bool criteria = o->row_rubric || (o->rubric && rubric_is_criteria(o->rubric));
    if (o->votes > 1 && (criteria || o->advisory))
        return error_set(error, ERROR_USAGE,
                         "--votes counts verdicts of 0 or 1; criteria and "
                         "--advisory have none");
    if (o->unanswered && !criteria)
        return error_set(error, ERROR_USAGE, "--unanswered needs a rubric of criteria");
    return 0;
}

/* ---- files ------------------------------------------------------------------------------------- */

static int read_rubric(struct judge_choice *c, const struct judge_options *o, struct error *error)
{
    if (!o->rubric)
        return 0;
    if (rubric_is_criteria(o->rubric))
        return rubric_read(&c->rubric, o->rubric, error);
    int rc = file_read(o->rubric, RUBRIC_FILE_MAX, &c->prose, error);
    if (!rc && text_blank(buf_span(&c->prose)))
        rc = error_set(error, ERROR_INPUT, "%s: it is empty; say what a good run is", o->rubric);
    return rc;
}

static int read_constitution(struct judge_choice *c, const struct judge_options *o,
                             struct error *error)
{
    if (!o->constitution)
        return 0;
    int rc = constitution_read(&c->constitution, o->constitution, o->spec_id, error);
    if (rc || !o->trait)
        return rc;
    const struct trait *trait = constitution_find(&c->constitution, o->trait);
    if (!trait)
        return error_set(error, ERROR_USAGE,
                         "--trait %s: %s has no such trait; --list prints their ids", o->trait,
                         o->constitution);
    buf_span_add(&c->prose, trait->principle);
    return 0;
}

int judge_choice_read(struct judge_choice *c, const struct judge_options *o,
                      struct model_access *models, struct error *error)
{
    int rc = check_judge(o, error);
    if (!rc)
        rc = read_rubric(c, o, error);
    if (!rc)
        rc = read_constitution(c, o, error);
    if (!rc && o->prompt)
        rc = file_read(o->prompt, GRADE_TEXT_MAX, &c->prompt, error);
    c->judge = (struct scorer_judge_options){
        .spec = judge_spec(o, models, &c->told),
        .key_env = o->key_env,
        .prompt = o->prompt ? span_make(buf_cstr(&c->prompt), c->prompt.len) : (struct span){0},
        .prose = c->prose.len ? buf_span(&c->prose) : (struct span){0},
        .rubric = c->rubric.count ? &c->rubric : NULL,
        .row_rubric = o->row_rubric,
        .trait = o->trait,
        .advisory = o->advisory,
        .privileged = o->privileged,
        .miss = o->unanswered && *o->unanswered == 'm',
        .payload_chars = o->payload_chars,
        .retries = (int)o->retries,
        .votes = (int)o->votes};
    return rc;
}

/* ---- one scorer -------------------------------------------------------------------------------- */

static int open_program(struct judge_choice *c, const struct judge_options *o,
                        const struct scorer_options *programs, struct scorer_setup *setup,
                        struct error *error)
{
    bool answers =
        o->rubric && !o->judge && (programs->expr || programs->expr_file || programs->cmd);
    if (judge_options_asked(o) && !answers)
        return error_set(error, ERROR_USAGE,
                         "two scorers; name one program or one judge (--rubric with criteria goes "
                         "with --expr and --cmd, too)");
    if (answers && !c->rubric.count)
        return error_set(error, ERROR_USAGE,
                         "%s is prose, which a model reads; with a program a rubric is criteria "
                         "(.json, .yaml)",
                         o->rubric);
    int rc = scorer_choice_open(&c->program, programs, setup, error);
    if (rc)
        return rc;
    c->backend = c->program.backend;
    c->scorer = c->program.scorer;
    if (answers) {
        c->program.scorer = NULL;
        c->scorer = scorer_rubric_open(c->scorer, &c->rubric, c->judge.miss);
    }
    return 0;
}

int judge_choice_open(struct judge_choice *c, const struct judge_options *o,
                      const struct scorer_options *programs, struct scorer_setup *setup,
                      struct error *error)
{
    if (scorer_options_count(programs) || !judge_options_asked(o))
        return open_program(c, o, programs, setup, error);
    if (programs->scale)
        return error_set(error, ERROR_USAGE,
                         "--scale reads ratings of --expr and --cmd; a judge's "
                         "verdict has a form of its own");
    c->backend = c->judge.spec;
    c->scorer = scorer_judge_open(&c->judge, setup, error);
    return c->scorer ? 0 : error->code;
}

void judge_choice_close(struct judge_choice *c)
{
    if (c->scorer != c->program.scorer)
        scorer_close(c->scorer);
    scorer_choice_close(&c->program);
    constitution_free(&c->constitution);
    rubric_free(&c->rubric);
    buf_free(&c->prose);
    buf_free(&c->prompt);
    *c = (struct judge_choice){0};
}
