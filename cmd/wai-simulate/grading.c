/* grading.c: see grading.h. */
#include "cmd/wai-simulate/grading.h"

#include <stdio.h>
#include <sys/stat.h>

#include "scene/defaults.h"
#include "text/fold.h"

int grading_choose(struct grading *g, struct simulate_options *s, struct error *error)
{
    struct stat there;
    if (!s->grade || strcmp(s->grade, "rubric") != 0)
        return 0;
    if (s->grader)
        return error_set(error, ERROR_USAGE,
                         "--grade rubric and --grader are two graders beside one loop; leave one "
                         "of them out");
    if (s->spec)
        buf_format(&g->rubric, "rubric:%s/rubric.md", s->spec);
    if (!s->spec || stat(buf_cstr(&g->rubric) + strlen("rubric:"), &there) != 0)
        return error_set(
            error, ERROR_USAGE,
            "--grade rubric takes rubric.md of the folder that --spec names, and there "
            "is none; name a rubric with --grader rubric:FILE");
    s->grader = g->rubric.data;
    return 0;
}

int grading_open(struct grading *g, struct simulate_setup *in, struct model_access *models,
                 struct error *error)
{
    char run_id[32];
    struct buf tools = {0};
    const struct simulate_options *s = &in->s;
    bool conduct = s->grade && strcmp(s->grade, "conduct") == 0;
    struct scorer_setup setup = {
        .jobs = (int)(s->rows.jobs < SCENE_GRADER_JOBS ? s->rows.jobs : SCENE_GRADER_JOBS),
        .models = models,
        .policy = text_strip(buf_span(&in->spec.policy))};
    if ((!s->grader && !conduct) || s->dry_run)
        return 0;
    row_tools_join(&in->spec.tools, &tools);
    setup.tools = arena_span(&in->arena, buf_span(&tools));
    buf_free(&tools);
    snprintf(run_id, sizeof run_id, "simulate_%lld", (long long)s->seed);
    if (s->grader && !(g->beside = grade_beside_open(s->grader, &setup, run_id, error)))
        return error->code;
    setup.jobs = 1;
    if (conduct && !(g->after = grade_beside_open("conduct", &setup, run_id, error)))
        return error->code;
    return 0;
}

int grading_row(struct grading *g, struct span *line, struct error *error)
{
    if (!g->after)
        return 0;
    buf_clear(&g->line);
    int code = grade_beside_ungraded(g->after, *line, &g->line, error);
    if (code == 0 && g->line.len)
        *line = buf_span(&g->line);
    return code;
}

void grading_close(struct grading *g)
{
    grade_beside_close(g->beside);
    grade_beside_close(g->after);
    buf_free(&g->rubric);
    buf_free(&g->line);
}
