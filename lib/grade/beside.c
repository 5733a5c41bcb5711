/* beside.c: see beside.h. */
#include "grade/beside.h"

#include <stdlib.h>

#include "row/key.h"
#include "row/reply.h"
#include "text/digest.h"

struct grade_beside {
    struct engine_judge judge;
    struct scorer *scorer;
    struct verdict *verdicts; /* of each worker */
    struct json_members *members;
    char *run_id;
};

/* A row that the length cap cut says nothing of what its agent can do: it stays unjudged. */
static int cut(struct grade_beside *g, int worker, const struct row *row, struct buf *out)
{
    struct verdict_stamp stamp = {.judge_name = SPAN("length_cap"),
                                  .run_id = span_text(g->run_id),
                                  .source = SPAN("simulate")};
    struct verdict *v = &g->verdicts[worker];
    verdict_clear(v);
    verdict_none(v);
    verdict_land(v, &stamp, row, out);
    return 0;
}

/* A number that is the row's own whatever the order, for recordings of a judge. */
static uint64_t number_of(const struct row *row)
{
    struct buf id = {0};
    row_identity(row, &id);
    uint64_t number = digest_number(buf_span(&id), 8);
    buf_free(&id);
    return number;
}

static int verdict(void *data, int worker, struct span line, bool truncated, struct buf *out,
                   bool *failed, struct error *error)
{
    struct grade_beside *g = data;
    struct verdict *v = &g->verdicts[worker];
    struct json_fault fault;
    struct row row;
    if (row_of_text(line, &row, &g->members[worker], &fault) != 0)
        return error_set(error, ERROR_INPUT, "a row is no JSON at byte %zu: %s", fault.offset,
                         fault.what);
    if (truncated)
        return cut(g, worker, &row, out);
    if (g->scorer->judge)
        row.index = number_of(&row);
    int code = scorer_verdict(g->scorer, worker, &row, v, error);
    if (code < 0)
        return error_prefix(error, "--grader");
    struct verdict_stamp stamp = {.judge_name = span_text(g->scorer->name),
                                  .run_id = span_text(g->run_id),
                                  .source = SPAN("simulate")};
    *failed = v->status == VERDICT_ERROR || v->status == VERDICT_TIMEOUT;
    verdict_land(v, &stamp, &row, out);
    return 0;
}

struct grade_beside *grade_beside_open(const char *spec, const struct scorer_setup *setup,
                                       const char *run_id, struct error *error)
{
    struct grade_beside *g = mem_zero(1, sizeof *g);
    g->scorer = scorer_open(spec, setup, error);
    if (!g->scorer) {
        free(g);
        error_prefix(error, "--grader");
        return NULL;
    }
    g->run_id = mem_text(run_id);
    g->verdicts = mem_zero((size_t)g->scorer->threads, sizeof *g->verdicts);
    g->members = mem_zero((size_t)g->scorer->threads, sizeof *g->members);
    g->judge = (struct engine_judge){g->scorer->name, g->scorer->threads, verdict, g};
    return g;
}

const struct engine_judge *grade_beside_judge(const struct grade_beside *g)
{
    return g ? &g->judge : NULL;
}

bool grade_beside_model(const struct grade_beside *g)
{
    return g && g->scorer->judge;
}

/* The line with `label_source` beside what the verdict put there. */
static int name_source(struct grade_beside *g, struct span line, struct buf *out,
                       struct error *error)
{
    struct json_edit edit = {0};
    struct json_fault fault;
    struct row row;
    if (row_of_text(line, &row, &g->members[0], &fault) != 0)
        return error_set(error, ERROR_INPUT, "a graded row is no JSON: %s", fault.what);
    json_edit_text(&edit, SPAN("label_source"), span_text(g->scorer->name));
    json_edit_apply(&edit, line, &g->members[0], out);
    json_edit_free(&edit);
    return 0;
}

int grade_beside_ungraded(struct grade_beside *g, struct span line, struct buf *out,
                          struct error *error)
{
    struct json_fault fault;
    struct buf graded = {0};
    struct row row;
    bool failed = false;
    if (row_of_text(line, &row, &g->members[0], &fault) != 0)
        return error_set(error, ERROR_INPUT, "a row is no JSON at byte %zu: %s", fault.offset,
                         fault.what);
    if (row_get_set(&row, SPAN("reward")) || row_is_truncated(&row))
        return 0;
    int code = verdict(g, 0, line, false, &graded, &failed, error);
    if (code == 0)
        code = name_source(g, buf_span(&graded), out, error);
    buf_free(&graded);
    return code;
}

void grade_beside_close(struct grade_beside *g)
{
    if (!g)
        return;
    for (int i = 0; i < g->scorer->threads; i++) {
        verdict_free(&g->verdicts[i]);
        json_members_free(&g->members[i]);
    }
    free(g->verdicts);
    free(g->members);
    free(g->run_id);
    scorer_close(g->scorer);
    free(g);
}
