/* drafts.h: tool schemas drafted from the calls that rows hold (rows 21), for traces that come
 * without a tool list. A draft is a start: it shows only what was called. */
#ifndef WAI_SCENE_DRAFTS_H
#define WAI_SCENE_DRAFTS_H

#include "base/map.h"
#include "json/write.h"

struct draft_argument {
    int64_t calls;  /* that have it */
    unsigned types; /* seen, a bit for each enum json_type */
};

struct draft {
    int64_t calls;
    struct map names; /* of its arguments */
    struct draft_argument *arguments;
    size_t cap;
};

/* `struct drafts d = {0}` is empty. */
struct drafts {
    struct map tools;
    struct draft *items; /* by tool */
    size_t cap;
};

/* One call. arguments: an object, or a text that holds one; anything else counts as {}. */
void drafts_add(struct drafts *d, struct span tool, const struct json_value *arguments);
void drafts_free(struct drafts *d);

/* An array of schemas in the OpenAI form, sorted by name. An argument has the one type that was
 * seen, else string; one that every call has is required. loose: every argument is a string and none
 * required, and a description says where the tool comes from. */
void drafts_write(const struct drafts *d, bool loose, struct json_writer *w);

/* {name: calls}, sorted by name. */
void drafts_write_calls(const struct drafts *d, struct json_writer *w);

#endif
