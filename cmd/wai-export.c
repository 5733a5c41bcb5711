/* wai-export: rows in, a file in the shape that a trainer loads out. */
#include "base/log.h"
#include "base/signals.h"
#include "cmd/wai-export/verbs.h"

#define FIELD(name) offsetof(struct settings, name)
static const struct option options[] = {
    {OPTION_CHOICE, 0, "kind", FIELD(kind), "KIND",
     "training, preference (pairs), kto (rows with a label), reward (pairs for a reward model), "
     "prompts (tasks), environment (a package), config (of a trainer) (training)",
     .choices = "training|preference|kto|reward|prompts|environment|config"},
    {OPTION_CHOICE, 'f', "format", FIELD(format), "FORMAT",
     "whose trainer reads it: openai, trl, fireworks, axolotl or llamafactory (openai; kto and "
     "reward: trl)",
     .choices = "openai|trl|fireworks|axolotl|llamafactory"},
    {OPTION_TEXT, 'o', "output", FIELD(output), "FILE",
     "write to FILE, compressed when it ends in .zst (standard output)", .file = true},
    {OPTION_TEXT, 0, "report", FIELD(report), "FILE", "write the report to FILE as one JSON object",
     .file = true},
    {OPTION_FLAG, 0, "json", FIELD(json), NULL,
     "with --output: print the report on standard output"},
    {OPTION_TEXT, 0, "system-prompt", FIELD(system_prompt), "TEXT|@FILE",
     "a system turn in front of every conversation"},
    {OPTION_TEXT, 0, "policy", FIELD(policy), "FILE", "the same from a file", .file = true},
    {OPTION_TEXT, 0, "tools", FIELD(tools), "FILE|JSON", "tool schemas, put on every row",
     .file = true},
    {OPTION_CHOICE, 0, "mask-mode", FIELD(mask_mode), "assistant|final",
     "training: learn from every assistant turn, or from the last one alone (assistant)",
     .choices = "assistant|final"},
    {OPTION_FLAG, 0, "unroll", FIELD(unroll), NULL, "training: a row for each assistant turn"},
    {OPTION_INT, 0, "max-tool-output-chars", FIELD(max_tool_output), "N",
     "cut tool results behind N characters", .min = 0, .max = 1e15},
    {OPTION_FLAG, 0, "no-strip-think", FIELD(no_strip_think), NULL, "keep <think> blocks"},
    {OPTION_FLAG, 0, "replace-system", FIELD(replace_system), NULL,
     "with a system prompt given: drop system turns that rows bring"},
    {OPTION_FLAG, 0, "drop-parts", FIELD(drop_parts), NULL,
     "drop parts of messages that are no text (such a row is bad otherwise)"},
    {OPTION_FLAG, 0, "no-card", FIELD(no_card), NULL,
     "with --output: no data card (FILE.card.md) beside it"},
    {OPTION_LIST, 0, "step-report", FIELD(step_reports), "FILE",
     "the report of an earlier step, for the data card; repeatable", .file = true},
    {OPTION_LIST, 0, "marker-reward", FIELD(markers), "NAME",
     "training: the marker NAME as a column reward_NAME, null where a row has none; repeatable"},
    {OPTION_FLAG, 0, "keep-ties", FIELD(keep_ties), NULL,
     "preference, reward: take pairs marked as ties too"},
    {OPTION_FLAG, 0, "no-validate", FIELD(no_validate), NULL,
     "write although a gate is red; it still warns"},
    {OPTION_TEXT, 0, "push-to", FIELD(push_to), "NS/NAME",
     "then push it to that repository of the Hugging Face Hub"},
    {OPTION_FLAG, 0, "public", FIELD(is_public), NULL,
     "with --push-to: everybody may read it (private)"},
    EXPORT_ENVIRONMENT_OPTIONS(struct settings, environment),
    EXPORT_CONFIG_OPTIONS(struct settings, config),
    ROW_OPTIONS(struct settings, rows),
    {0},
};

static const struct command command = {
    .name = "wai-export",
    .synopsis = "[--kind KIND] [--format FORMAT] [OPTIONS] [FILE...]",
    .purpose =
        "Writes rows in the shape that a trainer loads, with nothing broken in it and nothing of "
        "the teacher's.",
    .options = options,
    .verbs = HUB_VERBS,
    .verbs_heading = "Verbs (wai-export VERB --help tells more; without one rows are written)",
    .examples = "wai-export --tools tools.json --policy policy.md -o sft.jsonl selected.jsonl\n"
                "wai-select --mode sft scored.jsonl | wai-export --format trl --mask-mode final > "
                "sft.jsonl\n"
                "wai-export --kind preference --format trl -o dpo.jsonl pairs.jsonl",
};

int main(int argc, char **argv)
{
    struct error error = {0};
    struct operands operands = {0};
    struct settings settings = {.rows = ROW_OPTIONS_DEFAULT,
                                .config = EXPORT_CONFIG_DEFAULT,
                                .environment = EXPORT_ENVIRONMENT_DEFAULT,
                                .kind = "training",
                                .mask_mode = "assistant",
                                .max_tool_output = -1};
    const struct command *verb;
    signals_open();
    log_open("wai-export");
    int code = options_verb(&command, &argc, &argv, &verb, &error);
    if (code == OPTIONS_RUN && verb != &command)
        return hub_verb(verb, argc, argv);
    if (code == OPTIONS_RUN)
        code = options_parse(&command, argc, argv, &settings, &operands, &error);
    log_quiet(settings.rows.quiet);
    if (code == OPTIONS_RUN)
        code = strcmp(settings.kind, "config") == 0
                   ? export_run_config(&settings, &operands, &error)
                   : export_run_rows(&settings, &operands, &error);
    operands_free(&operands);
    option_list_free(&settings.step_reports);
    option_list_free(&settings.markers);
    option_list_free(&settings.config.set);
    return code < 0 ? log_fail(&error) : 0;
}
