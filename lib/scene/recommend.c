/* recommend.c: see recommend.h. */
#include "scene/recommend.h"

#include <math.h>
#include <strings.h>

#include "scene/defaults.h"
#include "json/write.h"

/* Rows are counted in whole numbers that every JSON reader keeps. */
#define TARGET_MAX ((int64_t)1 << 40)

int recommend(const struct grid *grid, const struct recommend_wish *wish,
              struct recommendation *out, struct error *error)
{
    struct recommendation r = {.cells = (int64_t)grid->count};
    if (wish->target < 0 || wish->target > TARGET_MAX)
        return error_set(error, ERROR_USAGE,
                         "--target %lld: a number of rows from 0 to 2 to the power 40",
                         (long long)wish->target);
    r.sft = !wish->mode || strcasecmp(wish->mode, "sft") == 0;
    r.target = wish->target ? wish->target : RECOMMEND_TARGET;
    if (r.sft) {
        int64_t by_grid = RECOMMEND_VISITS * r.cells, by_target = RECOMMEND_CHOICE * r.target;
        r.grid_decides = by_grid > by_target;
        int64_t rows = r.grid_decides ? by_grid : by_target;
        r.budget = (rows + RECOMMEND_ROUND - 1) / RECOMMEND_ROUND * RECOMMEND_ROUND;
    } else {
        double rate = wish->mixed_rate < RECOMMEND_RATE_MIN ? RECOMMEND_RATE_MIN : wish->mixed_rate;
        r.mixed_rate = rate > 1 ? 1 : rate;
        int64_t by_grid = RECOMMEND_RL_VISITS * r.cells;
        int64_t by_target = (int64_t)ceil((double)r.target / (RECOMMEND_REPEATS * r.mixed_rate));
        r.grid_decides = by_grid > by_target;
        r.situations = r.grid_decides ? by_grid : by_target;
        r.budget = RECOMMEND_REPEATS * r.situations;
        r.successive = (double)r.situations *
                       (r.mixed_rate * RECOMMEND_REPEATS + (1 - r.mixed_rate) * SCENE_PROBE);
    }
    *out = r;
    return 0;
}

static void command_lines(const struct recommendation *r, struct buf *simulate, struct buf *select)
{
    if (r->sft) {
        buf_format(simulate, "wai-simulate --mode sft --budget %lld", (long long)r->budget);
        buf_format(select, "wai-select --mode sft --target %lld", (long long)r->target);
    } else {
        buf_format(simulate, "wai-simulate --mode rl --situations %lld --budget %lld",
                   (long long)r->situations, (long long)r->budget);
        buf_format(select, "wai-select --mode rl --target %lld", (long long)r->target);
    }
}

/* One sentence to a line. */
static void reasons(const struct recommendation *r, struct buf *out)
{
    buf_format(out, "the agent's grid has %lld situations\n", (long long)r->cells);
    if (r->sft) {
        buf_format(out,
                   "%d visits of each are %lld rows; to choose from, %d times the target is %lld\n",
                   RECOMMEND_VISITS, (long long)(RECOMMEND_VISITS * r->cells), RECOMMEND_CHOICE,
                   (long long)(RECOMMEND_CHOICE * r->target));
        buf_format(out, "%s is larger and decides: generate %lld rows to select %lld\n",
                   r->grid_decides ? "the grid" : "the target", (long long)r->budget,
                   (long long)r->target);
        buf_text(out, "a run of this size stops on its rows, not on a clock\n");
        return;
    }
    buf_format(out,
               "each task is played %d times; %g of the tasks are taken to be mixed, which is "
               "where reinforcement finds a gradient\n",
               RECOMMEND_REPEATS, r->mixed_rate);
    buf_text(out,
             "measure that share before you pay for it: play 12 asks, grade them, and count the "
             "groups whose rewards differ; it is the headroom between pass@k and pass@1\n");
    buf_format(
        out,
        "%s decides: %lld situations, %lld rows; a low share needs many tasks for few that teach\n",
        r->grid_decides ? "the grid (two visits of each situation)" : "the target",
        (long long)r->situations, (long long)r->budget);
    buf_format(
        out,
        "under the successive policy, where groups that agree stop after %d, expect %.0f rows\n",
        SCENE_PROBE, r->successive);
}

static void key_int(struct json_writer *w, const char *key, int64_t n)
{
    json_write_key(w, key);
    json_write_int(w, n);
}

static void write_arguments(struct json_writer *w, const struct recommendation *r)
{
    json_write_key(w, "simulate_kwargs");
    json_write_object(w);
    json_write_key(w, "mode");
    json_write_text(w, r->sft ? "sft" : "rl");
    if (!r->sft)
        key_int(w, "situations", r->situations);
    key_int(w, "budget", r->budget);
    json_write_key(w, "time_budget");
    json_write_null(w);
    json_write_end_object(w);
}

static void write_lines(struct json_writer *w, const char *key, struct span lines)
{
    json_write_key(w, key);
    json_write_array(w);
    while (lines.len) {
        const char *end = memchr(lines.ptr, '\n', lines.len);
        size_t n = end ? (size_t)(end - lines.ptr) : lines.len;
        json_write_span(w, span_slice(lines, 0, n));
        lines = span_slice(lines, n + (end != NULL), lines.len);
    }
    json_write_end_array(w);
}

void recommend_json(const struct recommendation *r, struct buf *out)
{
    struct json_writer w;
    struct buf lines = {0}, simulate = {0}, select = {0};
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-plan recommend");
    json_write_key(&w, "mode");
    json_write_text(&w, r->sft ? "sft" : "rl");
    key_int(&w, "grid_cells", r->cells);
    key_int(&w, "budget", r->budget);
    if (!r->sft) {
        key_int(&w, "situations", r->situations);
        key_int(&w, "rollouts_per_request", RECOMMEND_REPEATS);
        json_write_key(&w, "mixed_rate");
        json_write_real(&w, r->mixed_rate);
        json_write_key(&w, "expected_rows_successive");
        json_write_real(&w, r->successive);
    }
    key_int(&w, "optimize_target", r->target);
    write_arguments(&w, r);
    reasons(r, &lines);
    write_lines(&w, "reasoning", buf_span(&lines));
    command_lines(r, &simulate, &select);
    buf_byte(&simulate, '\n');
    buf_span_add(&simulate, buf_span(&select));
    write_lines(&w, "commands", buf_span(&simulate));
    json_write_end_object(&w);
    buf_free(&lines);
    buf_free(&simulate);
    buf_free(&select);
}

void recommend_text(const struct recommendation *r, struct buf *out)
{
    struct buf simulate = {0}, select = {0};
    command_lines(r, &simulate, &select);
    if (r->sft)
        buf_format(out, "%lld rows, to select %lld\n", (long long)r->budget, (long long)r->target);
    else
        buf_format(out, "%lld situations x %d rollouts = %lld rows, for %lld that teach\n",
                   (long long)r->situations, RECOMMEND_REPEATS, (long long)r->budget,
                   (long long)r->target);
    reasons(r, out);
    buf_format(out, "\n  %s\n  %s\n", buf_cstr(&simulate), buf_cstr(&select));
    buf_free(&simulate);
    buf_free(&select);
}
