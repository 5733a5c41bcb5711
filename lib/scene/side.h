/* side.h: what the writer's model is asked besides messages (situations 18.7): a brief of the scene,
 * what results of the tools look like, more asks like the ones that were given. Each is a few calls,
 * and a failure is no more than a note. */
#ifndef WAI_SCENE_SIDE_H
#define WAI_SCENE_SIDE_H

#include "model/chat.h"
#include "scene/grid.h"
#include "scene/task.h"

struct side {
    struct model *model; /* borrowed */
    const struct row_tools *tools;
    const struct grid *grid;
    struct span policy, kind;
    double brief_s; /* seconds that the brief may take; 0: SIDE_BRIEF_SECONDS */
};

/* Who talks to the assistant, and about what; without lines that recite a rule. false: none. */
bool side_brief(const struct side *s, struct buf *out, struct error *error);

/* {tool: an example result}, for the tools that `known` lacks; NULL: none could be had. */
struct node *side_shapes(const struct side *s, const struct node *known, struct arena *a,
                         struct error *error);

/* Tool schemas that an assistant of this policy would have, as a JSON array, appended to out; each is
 * marked `drafted`. grid may be NULL. false: none could be had. */
bool side_tools(const struct side *s, struct buf *out, struct error *error);

/* Adds asks like those of the list until it has `target`, as far as the model finds new ones. Returns
 * how many were added. asks: of failed traces, examples too. */
size_t side_seeds(const struct side *s, struct task_list *seeds, const struct span *asks,
                  size_t n_asks, size_t target, const char *writer, struct error *error);

#endif
