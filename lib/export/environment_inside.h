/* environment_inside.h: what environment*.c share. Not for other rooms. */
#ifndef WAI_EXPORT_ENVIRONMENT_INSIDE_H
#define WAI_EXPORT_ENVIRONMENT_INSIDE_H

#include "base/arena.h"
#include "export/environment.h"

/* The package's module: head, True or False (is the reward a function of Python?), tail. */
extern const char ENVIRONMENT_GLUE_HEAD[], ENVIRONMENT_GLUE_TAIL[];

struct export_environment {
    const struct export_environment_options *options;
    struct export_tasks_options tasks_options;
    struct export_tasks *tasks;
    struct buf name, world; /* world: JSON, or empty */
    struct arena arena;
    size_t n_tools;
    bool function; /* the reward is MODULE:NAME */
    int64_t max_turns;
};

void environment_spec(const struct export_environment *e, struct buf *out);
void environment_project(const struct export_environment *e, struct buf *out);
void environment_readme(const struct export_environment *e, struct buf *out);

/* The reward's text, the default when none was given. */
const char *environment_reward(const struct export_environment *e);

/* Name, description and parameters of the tool, "" and an empty schema when it has none. */
struct environment_tool {
    struct json_value name, description, parameters; /* text.ptr NULL: not there */
};
bool environment_next_tool(struct json_cursor *cursor, struct environment_tool *tool);

#endif
