/* spec.h: what an agent is: its tools and its policy, from options (situations 2). */
#ifndef WAI_SCENE_SPEC_H
#define WAI_SCENE_SPEC_H

#include "base/buf.h"
#include "row/tools.h"

struct scene_spec {
    struct row_tools tools;
    struct buf policy; /* as given; text_strip it before use */
    struct buf asks;   /* `situations` of a spec file: JSON texts, a line each */
    struct buf name;   /* what a spec file calls the assistant; empty: nothing */
    bool demo;         /* nobody gave any: the example is played */
};

struct spec_wish {
    const char *spec;         /* --spec PATH or a line of policy, or NULL */
    const char *const *tools; /* values of --tools */
    size_t n_tools;
    const char *policy;        /* --policy FILE, or NULL */
    const char *system_prompt; /* --system-prompt TEXT|@FILE, or NULL */
    bool demo;                 /* with none of them, take the example */
};

/* 0, ERROR_USAGE (two policies that differ) or ERROR_INPUT. Notes, a line each, are appended to
 * notes. */
int spec_read(struct scene_spec *spec, const struct spec_wish *wish, struct buf *notes,
              struct error *error);
void spec_free(struct scene_spec *spec);

#endif
