/* constitution.h: the principles that an agent is to live by, in a file (grade 15): a list of traits, or
 * an object {id?, version?, source?, traits|principles}. */
#ifndef WAI_GRADE_CONSTITUTION_H
#define WAI_GRADE_CONSTITUTION_H

#include "base/arena.h"
#include "base/error.h"

struct trait {
    struct span id, name, principle, authority; /* authority: must, should or may */
};

/* `struct constitution c = {0}` is empty. Texts live in the arena, NUL behind them. */
struct constitution {
    struct span id, version;
    struct trait *items;
    size_t count, cap;
    struct arena arena;
};

/* JSON or YAML. spec_id: instead of the file's id; NULL: none. ERROR_INPUT names the trait. */
int constitution_read(struct constitution *c, const char *path, const char *spec_id,
                      struct error *error);

/* The same from a text; name is for messages. */
int constitution_parse(struct constitution *c, struct span json, const char *name,
                       const char *spec_id, struct error *error);
const struct trait *constitution_find(const struct constitution *c, const char *id); /* or NULL */
void constitution_free(struct constitution *c);

#endif
