/* setup.c: see setup.h. */
#include "scene/setup.h"

#include <string.h>

#include "base/file.h"
#include "scene/defaults.h"
#include "scene/simulator.h"
#include "scene/swarm_job.h"
#include "text/fold.h"
#include "world/node.h"

enum { WORLD_FILE_MAX = 64 << 20 }; /* bytes */

static int usage(struct error *error, const char *text)
{
    return error_set(error, ERROR_USAGE, "%s", text);
}

static int read_world(struct simulate_setup *x, struct error *error)
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

/* Traces that come without a tool list: what they call. */
static int draft_tools(struct simulate_setup *x, struct error *error)
{
    struct json_writer w;
    struct buf text = {0};
    json_write_start(&w, &text, JSON_STYLE_COMPACT);
    drafts_write(&x->aim.traces.drafts, true, &w);
    int code = row_tools_parse(&x->spec.tools, buf_span(&text), "--traces", error);
    buf_format(&x->notes,
               "no --tools: %zu are drafted from the calls in %s; they know only what was called, "
               "so bring the agent's own schemas\n",
               x->spec.tools.count, x->s.traces);
    buf_free(&text);
    return code;
}

static int read_spec(struct simulate_setup *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    bool called = x->aimed && x->aim.traces.tools.count;
    struct spec_wish wish = {s->spec,   s->tools.items,   s->tools.count,
                             s->policy, s->system_prompt, !s->world_only && !called};
    int code = spec_read(&x->spec, &wish, &x->notes, error);
    return code || !called || x->spec.tools.count ? code : draft_tools(x, error);
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

bool simulate_saturates(const struct simulate_options *s)
{
    const char *until = s->search.until;
    return until && (strcmp(until, "saturation") == 0 || strcmp(until, "first") == 0);
}

/* The numbers of the search, before anything is made of them. */
static int read_search(struct simulate_setup *x, struct error *error)
{
    const struct search_options *s = &x->s.search;
    int code = 0;
    knobs_default(&x->knobs);
    for (size_t i = 0; i < s->set.count && !code; i++)
        code = knobs_set(&x->knobs, s->set.items[i], error);
    if (!code && s->arm_weights)
        code = arms_read(s->arm_weights, x->arm_weights, error);
    return code;
}

static int read_topology(struct simulate_setup *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct topology_wish wish = {.mode = s->mode,
                                 .policy = s->repeat_policy,
                                 .unique = s->unique,
                                 .probe = s->probe,
                                 .time_budget =
                                     s->search.time_budget > 0 ? s->search.time_budget : 0,
                                 .saturation = simulate_saturates(s)};
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

static int read_sets(struct simulate_setup *x, struct error *error)
{
    if (x->s.tasks && x->s.seeds)
        return usage(error, "--tasks plays a set as it is; leave --seeds out");
    int code = x->s.tasks ? tasks_read(&x->tasks, x->s.tasks, &x->s.rows, error) : 0;
    if (!code && x->tasks.skipped)
        buf_format(&x->notes, "%zu rows of %s have no prompt and are left out\n", x->tasks.skipped,
                   x->s.tasks);
    if (!code && x->s.seeds)
        code = seeds_read(&x->seeds, x->s.seeds, error);
    return code || x->s.tasks ? code
                              : seeds_parse(&x->seeds, buf_span(&x->spec.asks), x->s.spec, error);
}

static int read_grid(struct simulate_setup *x, struct error *error)
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
static void use_exemplars(struct simulate_setup *x)
{
    struct node *shapes = traces_result_shapes(&x->aim.traces);
    for (const struct node *given = x->shapes ? x->shapes->first : NULL; given; given = given->next)
        node_set(shapes, given->key, node_copy(&x->arena, given));
    if (shapes->count)
        x->shapes = shapes;
}

static int read_traces(struct simulate_setup *x, struct error *error)
{
    const struct simulate_options *s = &x->s;
    struct aim_wish wish = {s->traces, s->strategy, s->targeted_regions, &x->knobs};
    if (!s->traces || s->world_only)
        return 0;
    int code = aim_open(&x->aim, &wish, &s->rows, error);
    x->aimed = &x->aim;
    if (!code)
        use_exemplars(x);
    return code;
}

static int check_sampling(const char *text, struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    if (!text)
        return 0;
    if (json_scan(span_text(text), &value, NULL, &fault) == 0 && value.type == JSON_VALUE_OBJECT)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--sampling is \"%.60s\", not a JSON object; write it as {\"temperature\": 0.7}", text);
}

int simulate_check(const struct simulate_options *s, const struct operands *operands,
                   struct error *error)
{
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
    if (!s->traces && s->search.steering_given)
        return usage(error, "--steering-weight follows traces: give --traces FILE with it");
    if (inputs > 1)
        return usage(error, "standard input can be read once; name files for the others");
    bool swarm = s->swarm.topology || s->swarm.calibrate;
    int code = swarm_check(s, error);
    if (!code)
        code = simulator_check(s, error);
    if (code)
        return code;
    if (s->json && !s->output && !s->plan && !swarm)
        return usage(error, "--json needs -o FILE for the rows, or --plan; or write --report FILE");
    if (s->world_only && s->execute)
        return usage(error, "--execute answers a run's calls and --world-only is the mock world; "
                            "take one of them");
    if (!s->execute && (s->execute_workers || s->execute_timeout > 0 || s->execute_sessions))
        return usage(error, "--execute-workers, -timeout and -sessions need --execute cmd:COMMAND");
    if (!s->world_only && (s->faults || s->world_state))
        return usage(error, "--faults and --world-state are for --world-only; a run takes them "
                            "from its situations");
    return check_sampling(s->sampling, error);
}

int simulate_setup_read(struct simulate_setup *x, struct error *error)
{
    int code = read_budget(x->s.budget, &x->budget, error);
    if (code || (code = read_search(x, error)) || (code = read_world(x, error)) ||
        (code = read_traces(x, error)))
        return code;
    return read_spec(x, error);
}

int simulate_setup_situations(struct simulate_setup *x, struct error *error)
{
    int code = read_sets(x, error);
    if (code || (code = read_topology(x, error)) || (x->s.tasks && !x->s.plan))
        return code;
    return read_grid(x, error);
}

void simulate_setup_free(struct simulate_setup *x)
{
    warnings_free(&x->warnings);
    task_list_free(&x->tasks);
    task_list_free(&x->seeds);
    aim_free(&x->aim);
    grid_free(&x->grid);
    spec_free(&x->spec);
    world_options_free(x->world);
    arena_free(&x->arena);
    buf_free(&x->notes);
    option_list_free(&x->s.tools);
    option_list_free(&x->s.dimensions);
    option_list_free(&x->s.simulators);
    option_list_free(&x->s.search.set);
}
