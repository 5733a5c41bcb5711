/* session.h: what a tool that grades opens before its first row: the agent's context, the way to models,
 * the files that options name, the one scorer. */
#ifndef WAI_GRADE_SESSION_H
#define WAI_GRADE_SESSION_H

#include "grade/context.h"
#include "grade/groupwise_run.h"
#include "grade/judge_options.h"
#include "grade/marks.h"
#include "grade/rubric_writer.h"
#include "row/writer.h"

/* The options beside the groups; each may be NULL. */
struct grade_files {
    const char *tools, *policy, *system_prompt, *judge_log;
};

/* `struct grade_session s = {0}` is empty; setup's jobs, timeout_s and debug are the caller's. */
struct grade_session {
    struct scorer_setup setup;
    struct model_access models;
    struct judge_choice choice;
    struct grade_context context;
    struct row_writer *judge_log;
};

/* Opens all but the scorer. judged: a model is asked in this run. */
int grade_session_open(struct grade_session *s, const struct judge_options *judge,
                       const struct grade_files *files, bool judged, struct error *error);

/* Opens the scorer: s->choice.scorer. */
int grade_session_scorer(struct grade_session *s, const struct judge_options *judge,
                         const struct scorer_options *programs, struct error *error);

/* Opens the grader of groups, when one is wanted: a model or a program. */
int grade_session_grader(struct grade_session *s, const struct groupwise_options *groups,
                         const struct judge_options *judge, const struct scorer_options *programs,
                         const struct mark_options *marks, struct error *error);

/* Members that every row gets: the constitution's, a rubric from a file. */
int grade_session_stamps(struct grade_session *s, const struct judge_options *judge,
                         const struct rubric_writer_options *rubrics, struct marks *marks,
                         struct error *error);

/* A pair judge, a grader of groups, a writer of rubrics: --judge or a program alone. ERROR_USAGE names
 * what it does. */
int grade_session_alone(const struct judge_options *judge, const struct scorer_options *programs,
                        const struct mark_options *marks, bool program_too, const char *what,
                        struct error *error);

/* The name of a run that has none: score_ and 12 random digits. Appended. */
void grade_session_name(struct buf *out);

/* What was recorded and logged is whole, or an error. */
int grade_session_close(struct grade_session *s, struct error *error);

#endif
