/* environment.h: an environment package for on-policy trainers: tasks, tools, a world and a reward
 * in a folder that verifiers 0.4 loads, or an OpenEnv server (select 16). With package false: the tasks alone, for a
 * trainer with its own rollouts (select 15, prompts).
 *
 *     e = export_environment_new(&options, error)
 *     export_environment_row(e, row)             each row, in order
 *     export_environment_close(e, error)         band and split; ERROR_INPUT when nothing is left
 *     export_environment_write(e, error)         the folder; or export_environment_lines */
#ifndef WAI_EXPORT_ENVIRONMENT_H
#define WAI_EXPORT_ENVIRONMENT_H

#include "base/options.h"
#include "export/tasks.h"

struct export_environment_options {
    const char *out, *runtime, *name, *reward, *execute, *holdout, *band, *description, *world;
    int64_t max_turns, ngram; /* -1: the defaults */
    bool one_phrasing;
    /* set by the caller */
    bool package;
    int64_t context_tokens;           /* of the model's window, for max_turns; 0: not known */
    struct span system_prompt, tools; /* a JSON array of OpenAI envelopes */
};

/* clang-format off */
#define EXPORT_ENVIRONMENT_DEFAULT {.max_turns = -1, .ngram = -1}

#define EXPORT_ENVIRONMENT_OPTIONS(type, field)                                                       \
    {.kind = OPTION_TEXT, .name = "out", .offset = offsetof(type, field.out), .arg = "DIR",           \
     .help = "environment: the folder of the package", .file = true},                                 \
    {.kind = OPTION_CHOICE, .name = "runtime", .offset = offsetof(type, field.runtime), .arg = "verifiers|openenv", \
     .help = "environment: what runs it (verifiers)", .choices = "verifiers|openenv"},                \
    {.kind = OPTION_TEXT, .name = "name", .offset = offsetof(type, field.name), .arg = "NAME",        \
     .help = "environment: the package's name (the folder's)"},                                       \
    {.kind = OPTION_TEXT, .name = "reward", .offset = offsetof(type, field.reward), .arg = "SCORER|MODULE:NAME", \
     .help = "environment: what scores a rollout (checklist)"},                                       \
    {.kind = OPTION_TEXT, .name = "execute", .offset = offsetof(type, field.execute), .arg = "cmd:COMMAND|MODULE:NAME", \
     .help = "environment: what answers the tools (a mock world)"},                                   \
    {.kind = OPTION_TEXT, .name = "world", .offset = offsetof(type, field.world), .arg = "FILE|JSON", \
     .help = "environment: options of the mock world", .file = true},                                 \
    {.kind = OPTION_TEXT, .name = "holdout", .offset = offsetof(type, field.holdout), .arg = "SHARE|@FILE", \
     .help = "environment, prompts: tasks held out, a share or the prompts listed (0.2; prompts: 0)"}, \
    {.kind = OPTION_TEXT, .name = "band", .offset = offsetof(type, field.band), .arg = "LO,HI|none",  \
     .help = "environment, prompts: pass rates of graded tasks that are kept (0.2,0.8)"},             \
    {.kind = OPTION_INT, .name = "max-turns", .offset = offsetof(type, field.max_turns), .arg = "N",  \
     .help = "environment: turns of a rollout (by the context and the tools)", .min = 1, .max = 1e6}, \
    {.kind = OPTION_TEXT, .name = "description", .offset = offsetof(type, field.description), .arg = "TEXT", \
     .help = "environment: what the package says of itself (the start of the system prompt)"},        \
    {.kind = OPTION_INT, .name = "ngram", .offset = offsetof(type, field.ngram), .arg = "N",          \
     .help = "environment, prompts: words that overlap between training and held-out prompts (8)", .min = 1, .max = 1e6}, \
    {.kind = OPTION_FLAG, .name = "one-per-scenario", .offset = offsetof(type, field.one_phrasing),   \
     .help = "environment, prompts: keep one phrasing of each scenario"}
/* clang-format on */

struct export_environment;

/* Borrows the options. NULL: ERROR_USAGE or ERROR_INPUT. */
struct export_environment *export_environment_new(const struct export_environment_options *options,
                                                  struct error *error);
void export_environment_free(struct export_environment *e);
void export_environment_row(struct export_environment *e, const struct row *row);
int export_environment_close(struct export_environment *e, struct error *error);

/* The package; its project file comes last, so a folder that was not finished does not install. */
int export_environment_write(struct export_environment *e, struct error *error);

/* Where the training tasks of the package lie, and where its data card goes. Appended. */
void export_environment_paths(const struct export_environment *e, struct buf *tasks,
                              struct buf *card);

/* The tasks alone, training before held-out. */
void export_environment_lines(const struct export_environment *e, struct buf *lines);

void export_environment_report(const struct export_environment *e, const char *path,
                               struct json_writer *w);
void export_environment_notes(const struct export_environment *e, struct buf *lines);
void export_environment_summary(const struct export_environment *e, struct buf *line);

#endif
