/* simulator.c: see simulator.h. */
#include "scene/simulator.h"

#include <string.h>

#include "scene/defaults.h"
#include "scene/side.h"
#include "text/fold.h"

static bool is_template(const char *spec)
{
    return !spec || strcmp(spec, "template") == 0 || strcmp(spec, "false") == 0;
}

bool simulator_is_model(const char *spec)
{
    return !is_template(spec) && strncmp(spec, "cmd:", 4) != 0 && strncmp(spec, "file:", 5) != 0;
}

int simulator_check(const struct simulate_options *s, struct error *error)
{
    const struct option_list *list = &s->simulators;
    if (s->search.embed_model && !s->search.embedder)
        return error_set(error, ERROR_USAGE,
                         "--embed-model is for an embedder that is a URL: give --embedder URL");
    if (s->search.embedder && (!list->count || is_template(list->items[0])))
        return error_set(error, ERROR_USAGE,
                         "--embedder chooses among the messages of a writer: give --simulator, a "
                         "model, cmd:COMMAND or file:PATH");
    if (!list->count)
        return 0;
    if (list->count > 2 || (list->count == 2 && !is_template(list->items[1])))
        return error_set(error, ERROR_USAGE,
                         "--simulator is given once, and once more as \"template\" for the writer "
                         "that goes on where the first one cannot");
    if (list->count == 2 && is_template(list->items[0]))
        return error_set(error, ERROR_USAGE, "--simulator template needs no other to go on");
    if (!is_template(list->items[0]) && (s->tasks || s->plan))
        return error_set(error, ERROR_USAGE, "%s writes nothing; leave --simulator out",
                         s->tasks ? "--tasks plays prompts as they are and" : "--plan");
    if (!is_template(list->items[0]) && strncmp(list->items[0], "file:", 5) != 0 && s->dry_run)
        return error_set(error, ERROR_USAGE,
                         "--dry-run spends nothing, and --simulator %.60s would be asked; take the "
                         "template writer or a file:",
                         list->items[0]);
    return 0;
}

/* ---- a file ---------------------------------------------------------------------------------- */

/* Text lines, or rows with a prompt. */
static int read_file(struct simulator *x, const struct simulate_setup *in, const char *path,
                     struct error *error)
{
    struct row_options rows = in->s.rows;
    struct error other;
    x->from_file = true;
    int code = tasks_read(&x->written, path, &rows, error);
    if (code == ERROR_INPUT) { /* lines of text, then */
        task_list_free(&x->written);
        x->written = (struct task_list){0};
        code = seeds_read(&x->written, path, &other);
        code = code || !x->written.count ? error->code : 0;
    }
    for (size_t i = 0; !code && i < x->written.count; i++) {
        struct scene_task *t = &x->written.items[i];
        t->writer_model = SPAN("file");
        if (span_is(t->arm, "pinned"))
            t->arm = t->dimensions ? SPAN("structured") : SPAN("open_ended");
    }
    return code;
}

/* ---- a model --------------------------------------------------------------------------------- */

static void grow_seeds(struct simulator *x, struct simulate_setup *in, const struct side *side)
{
    struct error why = {0};
    size_t n_asks = in->aimed ? in->aim.n_asks : 0;
    size_t target = in->s.situations_given && in->s.situations > 0 ? (size_t)in->s.situations : 0;
    x->seeds_given = in->seeds.count;
    if ((!in->seeds.count && !n_asks) || in->seeds.count >= target)
        return;
    x->seeds_wanted = target;
    size_t grown = side_seeds(side, &in->seeds, in->aimed ? in->aim.asks : NULL, n_asks, target,
                              x->name, &why);
    if (why.code)
        warnings_add(&in->warnings, NULL, "the seeds grew by %zu of %zu asks: %s", grown,
                     target - x->seeds_given, why.text);
}

static void use_shapes(struct simulate_setup *in, const struct side *side)
{
    struct error why = {0};
    struct node *shapes;
    if (!in->spec.tools.count || in->s.execute)
        return;
    shapes = side_shapes(side, in->shapes, &in->arena, &why);
    if (!shapes) {
        warnings_add(&in->warnings, "result_shapes_unavailable",
                     "the writer's model made up no results of the tools; the mock world's are its "
                     "own: %s",
                     why.code ? why.text : "none of its replies could be read");
        return;
    }
    for (const struct node *known = in->shapes ? in->shapes->first : NULL; known;
         known = known->next)
        node_set(shapes, known->key, node_copy(&in->arena, known));
    in->shapes = shapes;
}

/* What the model is asked before the first message. */
static void ask_first(struct simulator *x, struct simulate_setup *in)
{
    struct error why = {0};
    bool clocked = in->s.search.time_budget > 0;
    struct side side = {
        .model = x->model,
        .tools = &in->spec.tools,
        .grid = &in->grid,
        .policy = text_strip(buf_span(&in->spec.policy)),
        .kind = x->writer.kind,
        .brief_s = in->knobs.value[clocked ? KNOB_SCENE_JOIN_CLOCKED : KNOB_SCENE_JOIN],
    };
    if (model_spec_of(x->model)->provider == MODEL_REPLAY)
        return; /* its replies are messages */
    if (!side_brief(&side, &x->brief, &why))
        warnings_add(&in->warnings, "scene_brief_unavailable",
                     "the writer's model gave no brief of the scene: %s", why.text);
    use_shapes(in, &side);
    grow_seeds(x, in, &side);
}

int simulator_draft_tools(struct simulate_setup *in, const struct talk_setup *talk,
                          struct error *error)
{
    struct span policy = text_strip(buf_span(&in->spec.policy));
    const char *spec = simulator_is_model(talk->writer) ? talk->writer : talk->agent;
    if (in->spec.tools.count || !policy.len || in->s.tasks || in->s.dry_run ||
        !agent_asks_models(talk->agent) || !model_spec_known(spec))
        return 0;
    struct error why = {0};
    struct buf text = {0};
    struct model_settings settings = model_access_settings(&talk->access);
    struct model *model = model_open(spec, &settings, error);
    if (!model)
        return error->code;
    struct side side = {.model = model, .tools = &in->spec.tools, .policy = policy};
    int code = 0;
    if (model_spec_of(model)->provider == MODEL_REPLAY) {
        /* its replies are a talk's */
    } else if (!side_tools(&side, &text, &why)) {
        warnings_add(&in->warnings, "tool_draft_unavailable",
                     "no --tools, and none could be drafted from the policy: %s", why.text);
    } else if (!(code = row_tools_parse(&in->spec.tools, buf_span(&text), "drafted", error))) {
        buf_format(&in->notes,
                   "no --tools: %zu are drafted from the policy by %s; bring the agent's own\n",
                   in->spec.tools.count, model_name(model));
    }
    model_close(model);
    buf_free(&text);
    return code;
}

static int open_embedder(struct simulator *x, const struct simulate_options *s,
                         const struct talk_setup *talk, struct error *error)
{
    struct model_settings access = model_access_settings(&talk->access);
    struct embedder_settings settings = {
        .http = access.http, .cassette = access.cassette, .model = s->search.embed_model};
    if (!s->search.embedder)
        return 0;
    x->embedder = embedder_open(s->search.embedder, &settings, error);
    if (!x->embedder)
        return error->code;
    if (embedder_key(x->embedder))
        return error_set(error, ERROR_USAGE,
                         "--embedder key: is a member of rows, and messages are none yet; take "
                         "another one");
    return 0;
}

int simulator_open(struct simulator *x, struct simulate_setup *in, const struct talk_setup *talk,
                   struct error *error)
{
    const struct simulate_options *s = &in->s;
    const char *spec = talk->writer;
    if (is_template(spec) || s->tasks)
        return 0;
    if (open_embedder(x, s, talk, error))
        return error->code;
    x->name = spec;
    x->falls_back = s->simulators.count == 2;
    x->writer = (struct writer_setting){
        .cards = {&in->grid, &in->spec.tools, s->seed, CARD_TEXTURE_SHARE},
        .kind = buf_span(&in->spec.name),
        .failing = in->aimed ? in->aim.asks : NULL,
        .n_failing = in->aimed ? in->aim.n_asks : 0,
        .strict = in->topology.unique,
        .round = s->round,
        .budget = in->budget,
        .knobs = &in->knobs,
    };
    if (strncmp(spec, "file:", 5) == 0)
        return read_file(x, in, spec + 5, error);
    if (strncmp(spec, "cmd:", 4) == 0) {
        x->writer.command = spec + 4;
        return spec[4] ? 0 : error_set(error, ERROR_USAGE, "--simulator cmd: names no command");
    }
    struct model_settings settings = model_access_settings(&talk->access);
    x->model = model_open(spec, &settings, error);
    if (!x->model)
        return error->code;
    x->writer.model = x->model;
    x->name = model_name(x->model);
    ask_first(x, in);
    x->writer.brief = buf_span(&x->brief);
    return 0;
}

void simulator_use(const struct simulator *x, struct engine_setting *e)
{
    if (!x->name)
        return;
    e->writer_name = x->name;
    e->embedder = x->embedder;
    e->writer_falls_back = x->falls_back;
    e->seeds_given = x->seeds_given;
    e->seeds_wanted = x->seeds_wanted;
    if (x->from_file)
        e->written = &x->written;
    else
        e->writer = &x->writer;
}

void simulator_close(struct simulator *x)
{
    if (x->model)
        model_close(x->model);
    embedder_close(x->embedder);
    task_list_free(&x->written);
    buf_free(&x->brief);
    *x = (struct simulator){0};
}
