/* simulate_options.c: see simulate_options.h. */
#include "scene/simulate_options.h"

#include "agent/defaults.h"
#include "scene/defaults.h"

#define F(name) offsetof(struct simulate_options, name)
#define MANY SIMULATE_MANY
#define FEW  SIMULATE_FEW
static const struct option options[] = {
    {OPTION_TEXT, 0, "agent", F(agent), "SPEC", "who plays: seeded (default) or rows:FILE"},
    {OPTION_TEXT, 0, "spec", F(spec), "PATH", "the agent's specification: file or folder",
     .file = true},
    {OPTION_LIST, 0, "tools", F(tools), "FILE|JSON", "tool schemas; repeatable", .file = true},
    {OPTION_TEXT, 0, "policy", F(policy), "FILE", "the agent's system prompt", .file = true},
    {OPTION_TEXT, 0, "system-prompt", F(system_prompt), "TEXT|@FILE", "the same as a text"},
    {OPTION_TEXT, 0, "mode", F(mode), "MODE", "explore (default), sft or rl"},
    {OPTION_INT, 0, "situations", F(situations), "N",
     "distinct situations (as many as the budget pays for)", F(situations_given), -MANY, MANY},
    {OPTION_INT, 'n', "phrasings", F(phrasings), "N", "wordings of one situation (by mode)",
     F(phrasings_given), -MANY, FEW},
    {OPTION_INT, 0, "requests-per-situation", F(phrasings_alias), "N", "the same as --phrasings",
     F(phrasings_alias_given), -MANY, FEW},
    {OPTION_INT, 'k', "repeats", F(repeats), "K", "rollouts of one wording (by mode)",
     F(repeats_given), -MANY, FEW},
    {OPTION_INT, 0, "rollouts-per-request", F(repeats_alias), "K", "the same as --repeats",
     F(repeats_alias_given), -MANY, FEW},
    {OPTION_TEXT, 0, "repeat-policy", F(repeat_policy), "POLICY",
     "none, adaptive, successive, fixed or unique (by mode)"},
    {OPTION_FLAG, 0, "unique", F(unique), NULL, "every row a new situation"},
    {OPTION_INT, 0, "probe", F(probe), "N",
     "first rollouts of a prompt under the successive policy (2)", .min = 1, .max = 1e9},
    {OPTION_TEXT, 'b', "budget", F(budget), "N|none", "most rows of a run (1000; none: 50000)"},
    {OPTION_TEXT, 0, "seeds", F(seeds), "FILE", "asks to play first, one a line", .file = true},
    {OPTION_TEXT, 0, "tasks", F(tasks), "FILE",
     "play the prompts of these rows again, nothing else", .file = true},
    {OPTION_INT, 0, "runs", F(runs), "N", "play the set N times (1)", .min = 1, .max = 1e6},
    {OPTION_LIST, 0, "dimensions", F(dimensions), "AXIS=V,V|FILE",
     "pin the values of an axis; repeatable", .file = true},
    {OPTION_REAL, 0, "fault-rate", F(fault_rate), "X",
     "share of fault situations that keep their fault (0.5; 0.8 in rl)", F(fault_rate_given), 0, 1},
    {OPTION_REAL, 0, "risk", F(risk), "X", "the same; wins over --fault-rate", F(risk_given), 0, 1},
    {OPTION_CHOICE, 0, "prefer-success", F(prefer_success), "yes|no",
     "turn most fault situations into successes (yes; no in rl)", .choices = "yes|no"},
    {OPTION_INT, 0, "seed", F(seed), "N", "seed of every draw (0)"},
    {OPTION_INT, 0, "round", F(round), "N",
     "rollouts planned at a time; part of what the rows depend on (32)", .min = 1, .max = 1e6},
    {OPTION_INT, 0, "rerolls", F(rerolls), "N",
     "tries for a prompt's lost rollouts (as many as its repeats)", F(rerolls_given), 0, 1e6},
    {OPTION_REAL, 0, "max-lost", F(max_lost), "SHARE",
     "exit 1 when a larger share of the rollouts was lost", F(max_lost_given), 0, 1},
    {OPTION_REAL, 0, "require-coverage", F(require_coverage), "X",
     "exit 1 when a smaller share of the pairs was met", F(require_coverage_given), 0, 1},
    {OPTION_REAL, 0, "seeded-rate", F(seeded_rate), "R",
     "seeded agent: share of rollouts with a planted mistake (0.35)"},
    {OPTION_INT, 0, "agent-seed", F(agent_seed), "N",
     "seeded agent: seed of its mistakes and of its world (0)", F(agent_seed_given)},
    {OPTION_TEXT, 0, "behaviors", F(behaviors), "A,B",
     "seeded agent: the mistakes to draw from (all six)"},
    {OPTION_TEXT, 0, "model-version", F(model_version), "TAG",
     "model_version of the rows (the agent's name)"},
    {OPTION_TEXT, 0, "world", F(world), "FILE|JSON", "options of the mock world", .file = true},
    {OPTION_INT, 0, "world-seed", F(world_seed), "N",
     "seed of the mock world (a task's own, else the agent's)", F(world_seed_given)},
    {OPTION_TEXT, 0, "result-shapes", F(shapes), "FILE|JSON",
     "tool: example result, to make others like it", .file = true},
    {OPTION_FLAG, 0, "world-only", F(world_only), NULL, "tool calls in, results out"},
    {OPTION_TEXT, 0, "faults", F(faults), "JSON|@FILE", "--world-only: the fault plan"},
    {OPTION_TEXT, 0, "world-state", F(world_state), "S",
     "--world-only: exists, missing or already_done"},
    {OPTION_FLAG, 0, "wire", F(wire), NULL, "chat requests in, what a provider would be sent out"},
    {OPTION_FLAG, 0, "wire-reply", F(wire_reply), NULL,
     "a provider's replies in, what they are read as out"},
    {OPTION_FLAG, 0, "plan", F(plan), NULL, "print the situations, play none"},
    {OPTION_TEXT, 0, "against", F(against), "FILE", "--plan: how many pairs these rows cover",
     .file = true},
    {OPTION_FLAG, 0, "dry-run", F(dry_run), NULL, "print the tasks a run would play, play none"},
    {OPTION_FLAG, 0, "scrub", F(scrub), NULL, "rows without the teacher's block"},
    {OPTION_TEXT, 'o', "output", F(output), "FILE", "write the rows to FILE (standard output)",
     .file = true},
    {OPTION_TEXT, 0, "report", F(report), "FILE", "write the report to FILE as one JSON object",
     .file = true},
    {OPTION_FLAG, 0, "json", F(json), NULL, "the report on standard output; with -o or --plan"},
    ROW_OPTIONS(struct simulate_options, rows),
    {0},
};

const struct command SIMULATE_COMMAND = {
    .name = "wai-simulate",
    .synopsis = "[--agent SPEC] [--spec PATH | --tools FILE --policy FILE] [OPTIONS]",
    .purpose = "play an agent against a mock world and write a row for each rollout",
    .options = options,
    .examples =
        "wai-simulate --tools tools.json --policy policy.md --budget 100 > rows.jsonl\n"
        "wai-simulate --tools tools.json --mode rl --repeats 4 --tasks rows.jsonl > again.jsonl\n"
        "wai-simulate --world-only --tools tools.json < calls.jsonl\n",
    .exit_status = "1  --max-lost or --require-coverage is not met\n"
                   "4  no row could be made because of the agent\n",
};

const struct simulate_options SIMULATE_DEFAULTS = {
    .rows = ROW_OPTIONS_DEFAULT,
    .seeded_rate = AGENT_SEEDED_RATE,
    .agent_seed = AGENT_SEEDED_SEED,
    .probe = SCENE_PROBE,
    .runs = 1,
    .round = SCENE_ROUND,
};
