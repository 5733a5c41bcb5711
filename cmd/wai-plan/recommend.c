/* recommend.c: wai-plan recommend: how many rows to make. The grid is that of room scene, which room measure
 * knows nothing of. */
#include "scene/recommend.h"
#include "base/log.h"
#include "cmd/wai-plan/verbs.h"
#include "scene/defaults.h"
#include "scene/spec.h"
#include "text/fold.h"

struct recommend_verb {
    struct output output;
    struct option_list tools;
    const char *spec, *policy, *system_prompt;
    struct recommend_wish asked;
};
/* clang-format off */
#define OPTIONS recommend_verb
static const struct recommend_verb RECOMMEND_DEFAULTS = {
    .asked = {.mode = "sft", .mixed_rate = RECOMMEND_MIXED}};
const struct option RECOMMEND_OPTIONS[] = {
    {.kind = OPTION_TEXT, .name = "spec", AT(spec), .arg = "PATH", .file = true,
     .help = "the agent's specification: file or folder"},
    {.kind = OPTION_LIST, .name = "tools", AT(tools), .arg = "FILE|JSON", .file = true,
     .help = "the agent's tool schemas; repeatable"},
    {.kind = OPTION_TEXT, .name = "policy", AT(policy), .arg = "FILE", .file = true,
     .help = "its system prompt"},
    {.kind = OPTION_TEXT, .name = "system-prompt", AT(system_prompt), .arg = "TEXT|@FILE",
     .help = "the same as a text"},
    {.kind = OPTION_TEXT, .name = "mode", ASKED(mode), .arg = "sft|rl",
     .help = "what the rows are for (sft); any other word is sized as rl"},
    {.kind = OPTION_INT, .name = "target", ASKED(target), .arg = "N",
     .help = "rows to end up with (800)"},
    {.kind = OPTION_REAL, .name = "mixed-rate", ASKED(mixed_rate), .arg = "X",
     .help = "rl: share of tasks whose rollouts differ (0.5)"},
    OUTPUT_OPTIONS,
    {0},
};
#undef OPTIONS
/* clang-format on */

static int plan_recommend(const struct recommend_verb *v, struct plan_report *report,
                          struct error *error)
{
    struct spec_wish wish = {v->spec,   v->tools.items,   v->tools.count,
                             v->policy, v->system_prompt, false};
    struct scene_spec spec = {0};
    struct world_options *world = world_options_new();
    struct grid grid = {0};
    struct recommendation r;
    struct buf notes = {0};
    int code = spec_read(&spec, &wish, &notes, error);
    struct grid_setting setting = {.tools = &spec.tools,
                                   .policy = text_strip(buf_span(&spec.policy)),
                                   .prefer_success = true,
                                   .world = world};
    if (!code)
        code = grid_build(&grid, &setting, &notes, error);
    if (!code)
        code = recommend(&grid, &v->asked, &r, error);
    if (!code) {
        recommend_json(&r, &report->json);
        recommend_text(&r, &report->text);
    }
    struct span line;
    for (size_t at = 0; text_next_line(buf_span(&notes), &at, &line);)
        log_note("%.*s", (int)line.len, line.ptr);
    grid_free(&grid);
    spec_free(&spec);
    world_options_free(world);
    buf_free(&notes);
    return code;
}

static int make_recommend(const void *options, const struct operands *operands,
                          struct plan_report *report, struct error *error)
{
    (void)operands;
    return plan_recommend(options, report, error);
}
static void release_recommend(void *options)
{
    option_list_free(&((struct recommend_verb *)options)->tools);
}

const struct verb RECOMMEND_VERB = {&RECOMMEND_DEFAULTS, sizeof RECOMMEND_DEFAULTS, false,
                                    make_recommend, release_recommend};
