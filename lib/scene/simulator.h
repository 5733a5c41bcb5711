/* simulator.h: who writes the messages of a run (`--simulator`): the template writer, a model, a
 * program (cmd:) or a file (file:), opened with what they need. */
#ifndef WAI_SCENE_SIMULATOR_H
#define WAI_SCENE_SIMULATOR_H

#include "scene/engine.h"
#include "scene/setup.h"
#include "scene/talk.h"

/* `struct simulator x = {0}` is the template writer. */
struct simulator {
    const char *name; /* writer_model of the rows; NULL: the template writer */
    struct model *model;
    struct embedder *embedder; /* that chooses among messages; NULL: hash vectors */
    struct writer_setting writer;
    struct task_list written; /* of file: */
    bool from_file, falls_back;
    size_t seeds_given, seeds_wanted; /* wanted 0: none were to be added */
    struct buf brief;
};

/* A policy without tools, to be played by a model: the tools are drafted by the writer's model, else by
 * the agent's. What fails is a warning with a flag. ERROR_USAGE, ERROR_REMOTE: no such model. */
int simulator_draft_tools(struct simulate_setup *in, const struct talk_setup *talk,
                          struct error *error);

/* talk is open. Asks the model for a brief, for results of tools (into in->shapes) and for more seeds
 * where there are fewer than --situations; what fails is a warning with a flag. ERROR_USAGE,
 * ERROR_INPUT, ERROR_REMOTE. */
int simulator_open(struct simulator *x, struct simulate_setup *in, const struct talk_setup *talk,
                   struct error *error);
void simulator_use(const struct simulator *x, struct engine_setting *e);
void simulator_close(struct simulator *x);

/* Options that do not go together: ERROR_USAGE. */
int simulator_check(const struct simulate_options *s, struct error *error);

/* Does the spec name a model? */
bool simulator_is_model(const char *spec);

#endif
