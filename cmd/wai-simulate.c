/* wai-simulate: an agent, a mock world that answers its tool calls and sometimes breaks, rows out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "grade/beside.h"
#include "model/wire_filter.h"
#include "row/reader.h"
#include "row/writer.h"
#include "scene/aim.h"
#include "scene/defaults.h"
#include "scene/plan.h"
#include "scene/report.h"
#include "scene/simulate_options.h"
#include "scene/spec.h"
#include "text/fold.h"
#include "world/serve.h"

enum { WORLD_FILE_MAX = 64 << 20, PROGRESS_SECONDS = 10 };

/* What main builds from the settings. */
struct session {
    struct simulate_options s;
    struct arena arena;
    struct scene_spec spec;
    struct world_options *world;
    const struct node *shapes, *plan;
    struct topology topology;
    struct grid grid;
    struct aim aim;
    const struct aim *aimed; /* NULL: no traces */
    struct task_list tasks, seeds;
    struct row_writer *writer;
    struct warnings warnings;
    time_t last_progress;
    struct grade_beside *grader;
    struct checkpoint *checkpoint;
};

static int usage(struct error *error, const char *text)
{
    return error_set(error, ERROR_USAGE, "%s", text);
}

static int read_world(struct session *x, struct error *error)
{
    struct buf text = {0};
    const char *value = x->s.world;
    int code = 0;
    x->world = world_options_new();
    if (value && (*value == '{' || *value == '['))
        buf_text(&text, value);
    else if (value)
        code = file_read(value + (*value == '@'), WORLD_FILE_MAX, &text, error);
    if (!code && value)
        code =
            world_options_read(x->world, buf_span(&text), *value == '{' ? "--world" : value, error);
    buf_free(&text);
    if (!code && x->s.shapes &&
        !(x->shapes = node_of_option(&x->arena, "--result-shapes", x->s.shapes, error)))
        code = error->code;
    if (!code && x->shapes && x->shapes->type != JSON_VALUE_OBJECT)
        code = error_set(error, ERROR_INPUT, "--result-shapes is one object tool: example result");
    if (!code && x->s.faults &&
        !(x->plan = node_of_option(&x->arena, "--faults", x->s.faults, error)))
        code = error->code;
    if (!code && x->plan && (code = world_plan_check(x->plan, error)))
        error_prefix(error, "--faults");
    return code;
}

static void tell_lines(struct span lines)
{
    struct span line;
    for (size_t at = 0; text_next_line(lines, &at, &line);)
        log_note("%.*s", (int)line.len, line.ptr);
}

static int read_spec(struct session *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct spec_wish wish = {s->spec,   s->tools.items,   s->tools.count,
                             s->policy, s->system_prompt, !s->world_only};
    struct buf notes = {0};
    int code = spec_read(&x->spec, &wish, &notes, error);
    tell_lines(buf_span(&notes));
    buf_free(&notes);
    return code;
}

/* Two spellings of one number. */
static int merge(bool given, int64_t value, bool alias_given, int64_t alias, const char *names,
                 bool *has, int64_t *out, struct error *error)
{
    if (given && alias_given && value != alias)
        return error_set(error, ERROR_USAGE, "%s are the same option and got different numbers",
                         names);
    *has = given || alias_given;
    *out = given ? value : alias;
    return 0;
}

static int read_budget(const char *text, int64_t *budget, struct error *error)
{
    *budget = SCENE_BUDGET;
    if (text && strcmp(text, "none") == 0)
        *budget = SCENE_BUDGET_MAX;
    else if (text &&
             (option_read_int(text, budget) || *budget < 0 || *budget > (int64_t)SIMULATE_MANY))
        return error_set(error, ERROR_USAGE,
                         "--budget %s: a whole number of rows, at most 1000000000, or none", text);
    return 0;
}

static int read_topology(struct session *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct topology_wish wish = {
        .mode = s->mode, .policy = s->repeat_policy, .unique = s->unique, .probe = s->probe};
    int code = merge(s->phrasings_given, s->phrasings, s->phrasings_alias_given, s->phrasings_alias,
                     "--phrasings and --requests-per-situation", &wish.has_phrasings,
                     &wish.phrasings, error);
    if (!code)
        code =
            merge(s->repeats_given, s->repeats, s->repeats_alias_given, s->repeats_alias,
                  "--repeats and --rollouts-per-request", &wish.has_repeats, &wish.repeats, error);
    if (!code && s->tasks && !wish.has_repeats) { /* as many as any task has rows */
        wish.has_repeats = true;
        wish.repeats = (int64_t)x->tasks.most_rows;
    }
    wish.has_fault_rate = s->fault_rate_given || s->risk_given;
    wish.fault_rate = s->risk_given ? s->risk : s->fault_rate;
    return code ? code : topology_resolve(&wish, &x->topology, error);
}

static int read_sets(struct session *x, struct error *error)
{
    if (x->s.tasks && x->s.seeds)
        return usage(error, "--tasks plays a set as it is; leave --seeds out");
    int code = x->s.tasks ? tasks_read(&x->tasks, x->s.tasks, &x->s.rows, error) : 0;
    if (!code && x->tasks.skipped)
        log_warning("%zu rows of %s have no prompt and are left out", x->tasks.skipped, x->s.tasks);
    if (!code && x->s.seeds)
        code = seeds_read(&x->seeds, x->s.seeds, error);
    return code || x->s.tasks ? code
                              : seeds_parse(&x->seeds, buf_span(&x->spec.asks), x->s.spec, error);
}

static int read_grid(struct session *x, struct error *error)
{
    struct buf notes = {0};
    struct grid_setting setting = {
        .tools = &x->spec.tools,
        .policy = text_strip(buf_span(&x->spec.policy)),
        .dimensions = x->s.dimensions.items,
        .n_dimensions = x->s.dimensions.count,
        .prefer_success = x->s.prefer_success ? *x->s.prefer_success == 'y'
                                              : x->topology.mode != MODE_RL &&
                                                    !(x->aimed && x->aim.traces.faults.count),
        .world = x->world,
        .aim = x->aimed,
    };
    int code = grid_build(&x->grid, &setting, &notes, error);
    struct span line;
    for (size_t at = 0; text_next_line(buf_span(&notes), &at, &line);)
        warnings_add(&x->warnings, NULL, "%.*s", (int)line.len, line.ptr);
    buf_free(&notes);
    return code;
}

/* Real results of a tool make the mock world's like them, unless --result-shapes has the tool. */
static void use_exemplars(struct session *x)
{
    struct node *shapes = traces_result_shapes(&x->aim.traces);
    for (const struct node *given = x->shapes ? x->shapes->first : NULL; given; given = given->next)
        node_set(shapes, given->key, node_copy(&x->arena, given));
    if (shapes->count)
        x->shapes = shapes;
}

static int read_traces(struct session *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct aim_wish wish = {s->traces, s->strategy, s->targeted_regions};
    if (!s->traces || s->world_only)
        return 0;
    int code = aim_open(&x->aim, &wish, &s->rows, error);
    x->aimed = &x->aim;
    if (!code)
        use_exemplars(x);
    return code;
}

static int serve(struct session *x, struct error *error)
{
    struct world_setting setting = {&x->spec.tools,  x->world,
                                    x->shapes,       x->plan,
                                    x->s.world_seed, world_state_of(span_text(x->s.world_state))};
    return world_serve(&setting, &x->s.rows, x->writer, error);
}

static int print_plan(struct session *x, int64_t budget, struct error *error)
{
    struct pairs planned, covered = {0};
    const struct simulate_options *s = &x->s;
    plan_pairs(&x->grid, &planned);
    int code =
        s->against ? plan_cover(&x->grid, &planned, s->against, &s->rows, &covered, error) : 0;
    struct plan_view view = {&x->grid, &x->topology, budget, &planned, s->against ? &covered : NULL,
                             x->aimed};
    if (!code)
        code = plan_print(&view, s->json || s->against, x->writer, error);
    if (!code && s->against && s->require_coverage_given &&
        (double)covered.count < s->require_coverage * (double)planned.count)
        code = error_set(error, ERROR_CHECK, "the rows meet %zu of %zu pairs, less than %g of them",
                         covered.count, planned.count, s->require_coverage);
    pairs_free(&planned);
    pairs_free(&covered);
    return code;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int write_row(void *data, struct span line, struct error *error)
{
    struct session *x = data;
    return row_writer_line(x->writer, line, error);
}

static int flush_rows(void *data, struct error *error)
{
    struct session *x = data;
    return row_writer_flush(x->writer, error);
}

static void show_progress(void *data, int64_t landed, int64_t cap, int64_t lost)
{
    struct session *x = data;
    time_t now = time(NULL);
    if (!x->last_progress)
        x->last_progress = now;
    if (cap < SCENE_PROGRESS_ROWS || now - x->last_progress < PROGRESS_SECONDS)
        return;
    x->last_progress = now;
    log_note("%lld of %lld rows, %lld lost", (long long)landed, (long long)cap, (long long)lost);
}

static bool interrupted(void)
{
    return signals_caught() != 0;
}

static int write_report(struct session *x, const struct engine_setting *setting,
                        const struct engine_report *report, struct error *error)
{
    struct buf out = {0};
    report_write(setting, report, &x->warnings, &out);
    buf_byte(&out, '\n');
    int code = x->s.json ? file_write_all(1, "standard output", buf_span(&out), error) : 0;
    if (!code && x->s.report)
        code = file_save(x->s.report, buf_span(&out), error);
    buf_free(&out);
    return code;
}

static void tell(struct session *x, const struct engine_setting *setting,
                 const struct engine_report *report)
{
    struct buf screen = {0};
    report_screen(setting, report, &screen);
    tell_lines(buf_span(&screen));
    for (size_t i = 0; i < x->warnings.count; i++)
        (x->warnings.items[i].mild ? log_note : log_warning)(
            "%.*s", (int)x->warnings.items[i].text.len, x->warnings.items[i].text.ptr);
    buf_free(&screen);
}

static int judge(struct session *x, const struct engine_report *r, struct error *error)
{
    if (stop_is_failure(r->stop) && r->rows == 0)
        return error_set(error, ERROR_REMOTE, "no row: %s%s%.300s", stop_reason_name(r->stop),
                         r->first_error ? ": " : "", r->first_error ? r->first_error : "");
    if (r->stop == STOP_INTERRUPTED)
        return error_set(error, ERROR_INTERRUPTED, "interrupted; %lld whole rows were written",
                         (long long)r->rows);
    if (x->s.max_lost_given && r->requested &&
        (double)r->lost > x->s.max_lost * (double)r->requested)
        return error_set(error, ERROR_CHECK,
                         "%lld of %lld rollouts were lost, more than --max-lost %g",
                         (long long)r->lost, (long long)r->requested, x->s.max_lost);
    if (r->grader.scored && r->grader.errors == r->grader.scored)
        return error_set(error, ERROR_REMOTE, "the grader failed on every one of %lld rows",
                         (long long)r->grader.scored);
    if (x->s.require_coverage_given &&
        (double)r->pairs_covered < x->s.require_coverage * (double)r->pairs_planned)
        return error_set(error, ERROR_CHECK,
                         "%zu of %zu pairs were met, less than --require-coverage %g",
                         r->pairs_covered, r->pairs_planned, x->s.require_coverage);
    return 0;
}

static int open_grader(struct session *x, struct error *error)
{
    char run_id[32];
    struct buf tools = {0};
    struct scorer_setup setup = {.jobs = (int)x->s.rows.jobs,
                                 .policy = text_strip(buf_span(&x->spec.policy))};
    if (!x->s.grader || x->s.dry_run)
        return 0;
    buf_byte(&tools, '[');
    for (size_t i = 0; i < x->spec.tools.count; i++) {
        if (i)
            buf_byte(&tools, ',');
        buf_span_add(&tools, x->spec.tools.items[i].entry.text);
    }
    buf_byte(&tools, ']');
    setup.tools = arena_span(&x->arena, buf_span(&tools));
    buf_free(&tools);
    snprintf(run_id, sizeof run_id, "simulate_%lld", (long long)x->s.seed);
    x->grader = grade_beside_open(x->s.grader, &setup, run_id, error);
    return x->grader ? 0 : error->code;
}

static int open_checkpoint(struct session *x, struct error *error)
{
    bool torn;
    if (!x->s.checkpoint || x->s.dry_run)
        return 0;
    x->checkpoint = checkpoint_open(x->s.checkpoint, &torn, error);
    if (!x->checkpoint)
        return error->code;
    if (torn)
        log_note("%s: the last line was cut short; it is taken off and played again",
                 x->s.checkpoint);
    return 0;
}

static int run(struct session *x, int64_t budget, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct world_tools *world_tools = world_tools_new(&x->spec.tools, x->world, x->shapes);
    struct agent_setting agent = {&x->spec.tools, world_tools,   x->world,
                                  s->seeded_rate, s->agent_seed, s->behaviors};
    struct engine_setting e = {
        .tools = &x->spec.tools,
        .world = x->world,
        .grid = &x->grid,
        .topology = x->topology,
        .policy = text_strip(buf_span(&x->spec.policy)),
        .seed = s->seed,
        .world_seed = s->agent_seed,
        .world_seed_rules = s->world_seed_given,
        .budget = budget,
        .round = s->round,
        .jobs = s->rows.jobs ? s->rows.jobs : SCENE_JOBS,
        .runs = s->runs,
        .scrub = s->scrub,
        .hard_share = s->hard_share,
        .hard_share_given = s->hard_share_given,
        .situations = s->situations_given && s->situations < 1 ? 1 : s->situations,
        .rerolls = s->rerolls_given ? s->rerolls : x->topology.repeats,
        .tasks = s->tasks ? &x->tasks : NULL,
        .seeds = x->seeds.count ? &x->seeds : NULL,
        .keep_graded_failures = s->keep_graded_failures,
        .aim = s->tasks ? NULL : x->aimed,
        .events = {write_row, flush_rows, show_progress, interrupted, x},
    };
    struct engine_report report = {0};
    e.world_seed = s->world_seed_given ? s->world_seed : s->agent_seed;
    e.agent = agent_open(s->agent ? s->agent : "seeded", &agent, error);
    int code = e.agent ? open_grader(x, error) : error->code;
    if (!code)
        code = open_checkpoint(x, error);
    e.judge = grade_beside_judge(x->grader);
    e.checkpoint = x->checkpoint;
    if (!code) {
        e.model_version = s->model_version ? s->model_version : e.agent->version;
        code = s->dry_run ? engine_dry_run(&e, error) : engine_run(&e, &report, error);
    }
    if (!code && !s->dry_run) {
        report_warnings(&e, &report, e.agent->kind == &AGENT_SEEDED, &x->warnings);
        code = row_writer_flush(x->writer, error);
        int reported = code ? code : write_report(x, &e, &report, error);
        tell(x, &e, &report);
        code = reported ? reported : judge(x, &report, error);
    }
    agent_close(e.agent);
    grade_beside_close(x->grader);
    checkpoint_close(x->checkpoint);
    engine_report_free(&report);
    world_tools_free(world_tools);
    return code;
}

static int check_usage(const struct session *x, const struct operands *operands,
                       struct error *error)
{
    const struct simulate_options *s = &x->s;
    int inputs = s->world_only + s->wire + s->wire_reply;
    for (size_t i = 0; i < s->tools.count; i++)
        inputs += strcmp(s->tools.items[i], "-") == 0;
    inputs += s->tasks && strcmp(s->tasks, "-") == 0;
    inputs += s->seeds && strcmp(s->seeds, "-") == 0;
    inputs += s->against && strcmp(s->against, "-") == 0;
    inputs += s->traces && strcmp(s->traces, "-") == 0;
    inputs += s->agent && strcmp(s->agent, "rows:-") == 0;
    if (operands->count)
        return error_set(error, ERROR_USAGE,
                         "there is no operand \"%.60s\"; tasks, seeds and tools come by option",
                         operands->items[0]);
    if (!s->traces &&
        (s->targeted_regions || (s->strategy && (strcmp(s->strategy, "trace") == 0 ||
                                                 strcmp(s->strategy, "targeted") == 0))))
        return usage(error,
                     "--strategy trace and targeted and --targeted-regions need --traces FILE");
    if (inputs > 1)
        return usage(error, "standard input can be read once; name files for the others");
    if (s->json && !s->output && !s->plan)
        return usage(error, "--json needs -o FILE for the rows, or --plan; or write --report FILE");
    if (!s->world_only && (s->faults || s->world_state))
        return usage(error, "--faults and --world-state are for --world-only; a run takes them "
                            "from its situations");
    return 0;
}

static int show_wire(struct session *x, struct error *error)
{
    x->writer = row_writer_open(x->s.output, error);
    if (!x->writer)
        return error->code;
    int code = wire_filter(x->s.wire_reply, &x->s.rows, x->writer, error);
    if (code < 0) {
        row_writer_abandon(x->writer);
        return code;
    }
    return row_writer_close(x->writer, error);
}

static int work(struct session *x, struct error *error)
{
    int64_t budget;
    if (x->s.wire || x->s.wire_reply)
        return show_wire(x, error);
    int code = read_budget(x->s.budget, &budget, error);
    if (code || (code = read_world(x, error)) || (code = read_traces(x, error)) ||
        (code = read_spec(x, error)))
        return code;
    x->writer = row_writer_open(x->s.plan || x->s.world_only ? NULL : x->s.output, error);
    if (!x->writer)
        return error->code;
    if (x->s.world_only) {
        code = serve(x, error);
    } else if (!(code = read_sets(x, error)) && !(code = read_topology(x, error)) &&
               !(x->s.tasks && !x->s.plan ? 0 : (code = read_grid(x, error)))) {
        if (!x->s.agent && !x->s.plan && !x->s.dry_run)
            log_note("no --agent: the seeded agent stands in, and no model is tested");
        code = x->s.plan ? print_plan(x, budget, error) : run(x, budget, error);
    }
    if (code < 0 && code != ERROR_INTERRUPTED && code != ERROR_CHECK && code != ERROR_REMOTE) {
        row_writer_abandon(x->writer);
        return code;
    }
    int closed = row_writer_close(x->writer, code ? NULL : error);
    return code ? code : closed;
}

int main(int argc, char **argv)
{
    struct session x = {.s = SIMULATE_DEFAULTS};
    struct operands operands = {0};
    struct error error = {0};
    signals_open();
    log_open("wai-simulate");
    int code = options_parse(&SIMULATE_COMMAND, argc, argv, &x.s, &operands, &error);
    if (code == OPTIONS_RUN) {
        log_quiet(x.s.rows.quiet);
        if (!x.s.agent && getenv("WHILEAI_AGENT") && *getenv("WHILEAI_AGENT"))
            x.s.agent = getenv("WHILEAI_AGENT");
        code = check_usage(&x, &operands, &error);
        if (!code)
            code = work(&x, &error);
    }
    warnings_free(&x.warnings);
    task_list_free(&x.tasks);
    task_list_free(&x.seeds);
    aim_free(&x.aim);
    grid_free(&x.grid);
    spec_free(&x.spec);
    world_options_free(x.world);
    arena_free(&x.arena);
    option_list_free(&x.s.tools);
    option_list_free(&x.s.dimensions);
    operands_free(&operands);
    return code < 0 ? log_fail(&error) : 0;
}
