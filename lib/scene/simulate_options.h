/* simulate_options.h: the command line of wai-simulate. */
#ifndef WAI_SCENE_SIMULATE_OPTIONS_H
#define WAI_SCENE_SIMULATE_OPTIONS_H

#include "base/options.h"
#include "model/model_options.h"
#include "row/reader.h"

/* Bounds whose products stay in 64 bits: situations x phrasings x repeats, budget x runs. */
#define SIMULATE_MANY 1e9
#define SIMULATE_FEW  1e4

/* How agents that talk with models are asked (world 1.1). */
struct talk_options {
    struct model_options models;
    const char *agent_model, *key_env, *user_model, *scaffold, *thinking, *logprobs, *extra,
        *opening, *patience;
    double temperature, user_temperature, avg_turns, timeout;
    int64_t reply_tokens, max_turns, min_user_turns, context_tokens;
    bool stream, temperature_given, user_temperature_given, timeout_given, reply_tokens_given;
};

/* Swarm rescue (world 17). */
struct swarm_options {
    const char *topology, *fitness; /* NULL: no swarm */
    int64_t particles, rounds;
    double fitness_seconds;
    bool stop_on_correct, calibrate;
    bool particles_given, rounds_given, fitness_seconds_given;
};

/* How situations are searched for, and when a run ends (situations 6-10, 14.5, 19, 22). */
struct search_options {
    struct option_list set;
    const char *until, *arm_weights, *progress, *embedder, *embed_model;
    double time_budget, steering;
    bool steering_given, keep_failures;
};

struct simulate_options {
    struct talk_options talk;
    struct search_options search;
    struct row_options rows;
    struct swarm_options swarm;
    struct option_list tools, dimensions, simulators;
    const char *spec, *policy, *system_prompt, *agent, *model_version, *behaviors;
    const char *world, *shapes, *faults, *world_state, *budget, *mode, *repeat_policy,
        *prefer_success;
    const char *seeds, *tasks, *against, *output, *report;
    const char *grader, *grade, *checkpoint;
    const char *traces, *strategy, *targeted_regions;
    const char *execute, *sampling, *run_format;
    int64_t agent_workers, execute_workers;
    double agent_timeout, execute_timeout;
    bool execute_sessions, inspect;
    int64_t agent_seed, world_seed, seed, situations, probe, runs, round, rerolls;
    int64_t phrasings, phrasings_alias, repeats, repeats_alias;
    double hard_share, seeded_rate, fault_rate, risk, max_lost, require_coverage;
    bool world_only, plan, dry_run, json, scrub, unique;
    bool wire, wire_reply, hard_share_given, keep_graded_failures;
    bool world_seed_given, agent_seed_given, situations_given, rerolls_given, phrasings_given,
        phrasings_alias_given, repeats_given, repeats_alias_given, fault_rate_given, risk_given,
        max_lost_given, require_coverage_given;
};

extern const struct simulate_options SIMULATE_DEFAULTS;
extern const struct command SIMULATE_COMMAND;

#endif
