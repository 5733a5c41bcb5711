/* session.c: see session.h. */
#include "grade/session.h"

#include <sys/random.h>

#include "text/digest.h"

int grade_session_open(struct grade_session *s, const struct judge_options *judge,
                       const struct grade_files *files, bool judged, struct error *error)
{
    const struct model_options *m = &judge->models;
    int rc = grade_context_read(&s->context, files->tools, files->policy, files->system_prompt,
                                &s->setup, error);
    if (rc)
        return rc;
    if (!judged && (files->judge_log || m->record || m->replay || m->price))
        return error_set(error, ERROR_USAGE,
                         "--judge-log, --record, --replay and --price are about calls of a model; "
                         "give --judge");
    rc = model_access_open(&s->models, m, s->setup.jobs > 0 ? s->setup.jobs : JUDGE_JOBS, error);
    if (!rc)
        rc = judge_choice_read(&s->choice, judge, &s->models, error);
    if (!rc && files->judge_log && !(s->judge_log = row_writer_open(files->judge_log, error)))
        rc = error->code;
    s->setup.models = &s->models;
    return rc;
}

int grade_session_scorer(struct grade_session *s, const struct judge_options *judge,
                         const struct scorer_options *programs, struct error *error)
{
    return judge_choice_open(&s->choice, judge, programs, &s->setup, error);
}

int grade_session_grader(struct grade_session *s, const struct groupwise_options *groups,
                         const struct judge_options *judge, const struct scorer_options *programs,
                         const struct mark_options *marks, struct error *error)
{
    bool program = scorer_options_count(programs) > 0, wanted = groupwise_needs_scorer(groups);
    if (wanted != (program || judge->judge))
        return error_set(error, ERROR_USAGE,
                         "a grader of groups is --expr, --cmd or --judge alone, and none is wanted "
                         "with --verdicts-inline and --scores");
    int rc = grade_session_alone(judge, programs, marks, true, "a grader of groups", error);
    if (rc || !wanted)
        return rc;
    if (program) {
        s->setup.jobs = s->setup.jobs > 0 ? s->setup.jobs : 1;
        return grade_session_scorer(s, judge, programs, error);
    }
    bool synthesis = groups->mode && *groups->mode == 'r';
    s->choice.scorer = scorer_judge_groups_open(&s->choice.judge, synthesis, &s->setup, error);
    return s->choice.scorer ? 0 : error->code;
}

int grade_session_stamps(struct grade_session *s, const struct judge_options *judge,
                         const struct rubric_writer_options *rubrics, struct marks *marks,
                         struct error *error)
{
    struct rubric rubric = {0};
    struct buf json = {0};
    int rc = 0;
    if (judge->constitution) {
        json_quote(&json, s->choice.constitution.id);
        marks_set(marks, SPAN("spec_id"), buf_span(&json));
        buf_clear(&json);
        json_quote(&json, s->choice.constitution.version);
        marks_set(marks, SPAN("spec_version"), buf_span(&json));
    }
    if (rubrics->attach && (rc = rubric_read(&rubric, rubrics->attach, error)) == 0) {
        buf_clear(&json);
        rubric_object(&rubric, "hand", SPAN(""), &json);
        marks_attach_rubric(marks, buf_span(&json), rubrics->no_overwrite);
    }
    rubric_free(&rubric);
    buf_free(&json);
    return rc;
}

int grade_session_alone(const struct judge_options *judge, const struct scorer_options *programs,
                        const struct mark_options *marks, bool program_too, const char *what,
                        struct error *error)
{
    size_t n = scorer_options_count(programs);
    bool program = programs->expr || programs->expr_file || programs->cmd;
    bool extras = mark_options_any(marks) || judge->rubric || judge->row_rubric || judge->trait ||
                  judge->advisory || judge->votes || judge->constitution;
    bool one = n ? program_too && program && n == 1 && !judge->judge : true;
    if (!extras && one)
        return 0;
    return error_set(error, ERROR_USAGE, "%s is %s alone, without rubric, votes and marks", what,
                     program_too ? "--judge, --expr or --cmd" : "--judge");
}

void grade_session_name(struct buf *out)
{
    uint8_t bytes[6] = {0};
    char hex[13];
    if (getrandom(bytes, sizeof bytes, 0) < 0)
        memset(bytes, 0, sizeof bytes);
    digest_hex(bytes, sizeof bytes, hex);
    buf_format(out, "score_%s", hex);
}

int grade_session_close(struct grade_session *s, struct error *error)
{
    struct error later;
    int rc = s->judge_log ? row_writer_close(s->judge_log, error) : 0;
    judge_choice_close(&s->choice);
    int closed = model_access_close(&s->models, rc < 0 ? &later : error);
    grade_context_free(&s->context);
    return rc < 0 ? rc : closed;
}
