/* environment_inside.h: what environment*.c share. Not for other rooms. */
#ifndef WAI_EXPORT_ENVIRONMENT_INSIDE_H
#define WAI_EXPORT_ENVIRONMENT_INSIDE_H

#include "base/arena.h"
#include "export/environment.h"

#define OPENENV_REQUIREMENTS "openenv>=0.5\nfastapi>=0.115.0\nuvicorn>=0.24.0\n"

/* Python of the packages, with @NAME@, @CLASS@ and @FUNCTION@ (is the reward a function of Python?) to
 * fill in. Between a HEAD and a TAIL stands what all share. */
extern const char ENVIRONMENT_COMMON[], VERIFIERS_HEAD[], VERIFIERS_TAIL[];
extern const char OPENENV_SERVER_HEAD[], OPENENV_SERVER_TAIL[], OPENENV_APP[], OPENENV_CLIENT[],
    OPENENV_INIT[], OPENENV_DOCKERFILE[];

struct export_environment {
    const struct export_environment_options *options;
    struct export_tasks_options tasks_options;
    struct export_tasks *tasks;
    struct buf name, world; /* world: JSON, or empty */
    struct arena arena;
    size_t n_tools;
    bool function; /* the reward is MODULE:NAME */
    bool openenv;  /* the runtime; else verifiers */
    int64_t max_turns;
};

void environment_spec(const struct export_environment *e, struct buf *out);
void environment_project(const struct export_environment *e, struct buf *out);
void environment_readme(const struct export_environment *e, struct buf *out);
void environment_describe(const struct export_environment *e, struct buf *out); /* in one line */

/* The name as a Python class has it: its parts capitalised. */
void environment_class(const struct export_environment *e, struct buf *out);

/* Files of an OpenEnv package. */
void openenv_manifest(const struct export_environment *e, struct buf *out);
void openenv_project(const struct export_environment *e, struct buf *out);
void openenv_front_matter(const struct export_environment *e, struct buf *out);
void openenv_quick_start(const struct export_environment *e, struct buf *out);

/* The reward's text, the default when none was given. */
const char *environment_reward(const struct export_environment *e);

/* Name, description and parameters of the tool, "" and an empty schema when it has none. */
struct environment_tool {
    struct json_value name, description, parameters; /* text.ptr NULL: not there */
};
bool environment_next_tool(struct json_cursor *cursor, struct environment_tool *tool);

#endif
