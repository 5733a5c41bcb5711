/* rows.c: the agent that answers from recorded rows (situations 1.3), so that an allocation can be
 * played again without a model: the row with the prompt and the rollout's index, else the index
 * modulo the rows of that prompt. */
#include <stdlib.h>

#include "agent/agent.h"
#include "base/map.h"
#include "row/reader.h"

struct recorded {
    struct span steps;      /* JSON array text */
    struct span final_text; /* decoded, as the next two */
    struct span opener, ended_by;
    bool talked;           /* the person spoke in a step */
    int64_t rollout_index; /* -1: it has none */
    size_t next;           /* the prompt's next row, or NONE */
};

#define NONE ((size_t)-1)

struct rows_agent {
    struct agent agent;
    struct map prompts;
    size_t *first, *last; /* by prompt */
    size_t first_cap, last_cap;
    struct recorded *rows;
    size_t n_rows, cap;
    struct arena arena;
};

static void close_rows(struct agent *agent)
{
    struct rows_agent *a = (struct rows_agent *)agent;
    map_free(&a->prompts);
    arena_free(&a->arena);
    free(a->first);
    free(a->last);
    free(a->rows);
    free(a);
}

static struct span kept_text(struct rows_agent *a, const struct row *row, struct span key,
                             struct buf *scratch)
{
    const struct json_value *v = row_get(row, key);
    return v && v->type == JSON_VALUE_STRING ? arena_span(&a->arena, json_text(*v, scratch))
                                             : SPAN("");
}

static bool has_user(struct json_value steps)
{
    struct json_cursor c = json_enter(steps);
    struct json_value step, user;
    while (json_next_item(&c, &step))
        if (json_get(step, SPAN("user"), &user))
            return true;
    return false;
}

/* NULL, or what is wrong with the row. */
static const char *add_row(struct rows_agent *a, const struct row *row, struct buf *scratch)
{
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *steps = row_get_set(row, SPAN("steps"));
    const struct json_value *final_text = row_get_set(row, SPAN("final_text"));
    const struct json_value *index = row_get_set(row, SPAN("rollout_index"));
    struct recorded r = {.steps = SPAN("[]"), .rollout_index = -1, .next = NONE};
    if (!prompt || prompt->type != JSON_VALUE_STRING)
        return "a recorded rollout needs its prompt as a text";
    if (steps && steps->type != JSON_VALUE_ARRAY)
        return "steps is not an array";
    if (final_text && final_text->type != JSON_VALUE_STRING)
        return "final_text is not a text";
    if (steps) {
        r.steps = arena_span(&a->arena, steps->text);
        r.talked = has_user(*steps);
    }
    r.opener = kept_text(a, row, SPAN("opener"), scratch);
    r.ended_by = kept_text(a, row, SPAN("ended_by"), scratch);
    if (final_text)
        r.final_text = arena_span(&a->arena, json_text(*final_text, scratch));
    if (index && !json_int64(*index, &r.rollout_index))
        r.rollout_index = -1;
    bool fresh;
    size_t p = map_add(&a->prompts, json_text(*prompt, scratch), &fresh);
    a->first = mem_grow(a->first, &a->first_cap, p + 1, sizeof *a->first);
    a->last = mem_grow(a->last, &a->last_cap, p + 1, sizeof *a->last);
    a->rows = mem_grow(a->rows, &a->cap, a->n_rows + 1, sizeof *a->rows);
    a->rows[a->n_rows] = r;
    if (fresh)
        a->first[p] = a->n_rows;
    else
        a->rows[a->last[p]].next = a->n_rows;
    a->last[p] = a->n_rows++;
    return NULL;
}

struct agent *agent_rows_open(const char *path, struct error *error)
{
    struct rows_agent *a = mem_zero(1, sizeof *a);
    a->agent = (struct agent){.kind = &AGENT_ROWS, .version = "rows"};
    struct row_source source = {.paths = &path, .n_paths = 1, .options = ROW_OPTIONS_DEFAULT};
    struct row_reader *reader = row_reader_open(&source, error);
    struct row row;
    struct buf scratch = {0};
    int got = reader ? 0 : ERROR_INPUT;
    while (got >= 0 && (got = row_reader_next(reader, &row, error)) > 0) {
        const char *what = add_row(a, &row, &scratch);
        if (what)
            got = row_reader_reject(reader, &row, what, error);
    }
    if (reader && row_reader_close(reader, got < 0 ? NULL : error) && got >= 0)
        got = ERROR_SYSTEM;
    buf_free(&scratch);
    if (got < 0) {
        close_rows(&a->agent);
        return NULL;
    }
    return &a->agent;
}

static void play_rows(struct agent *agent, void *worker, const struct agent_task *task,
                      struct rollout *out)
{
    struct rows_agent *a = (struct rows_agent *)agent;
    size_t p = map_find(&a->prompts, task->prompt), count = 0, hit = NONE;
    (void)worker;
    if (p == MAP_NONE) {
        struct span head =
            span_slice(task->prompt, 0, task->prompt.len < 80 ? task->prompt.len : 80);
        out->fate = ROLLOUT_ERROR;
        buf_format(&out->error, "the recorded rows lack the prompt \"%.*s\"", (int)head.len,
                   head.ptr);
        return;
    }
    for (size_t i = a->first[p]; i != NONE; i = a->rows[i].next, count++)
        if (hit == NONE && a->rows[i].rollout_index == task->rollout_index)
            hit = i;
    if (hit == NONE) {
        size_t n = (size_t)task->rollout_index % count;
        for (hit = a->first[p]; n; n--)
            hit = a->rows[hit].next;
    }
    buf_span_add(&out->steps, a->rows[hit].steps);
    buf_span_add(&out->final_text, a->rows[hit].final_text);
    buf_span_add(&out->opener, a->rows[hit].opener);
    buf_span_add(&out->ended_by, a->rows[hit].ended_by);
    out->turns_played = a->rows[hit].talked;
}

const struct agent_kind AGENT_ROWS = {
    .prefix = "rows:",
    .help = "rows:FILE",
    .play = play_rows,
    .close = close_rows,
};
