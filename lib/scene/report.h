/* report.h: what a run tells about itself: warnings, the report object (world 16.3, 16.4;
 * situations 20.4, 21) and the screen at the end. */
#ifndef WAI_SCENE_REPORT_H
#define WAI_SCENE_REPORT_H

#include "scene/engine.h"

struct warning {
    const char *flag; /* of `degraded`; NULL: a warning only */
    struct span text; /* in the list's arena */
    bool mild;        /* said as a note: true of every such run */
};

struct warnings {
    struct arena arena;
    struct warning *items;
    size_t count, cap;
};

void warnings_add(struct warnings *w, const char *flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void warnings_free(struct warnings *w);

/* What there is to warn of after a run. stand_in: the seeded agent played. */
void report_warnings(const struct engine_setting *setting, const struct engine_report *report,
                     bool stand_in, struct warnings *warnings);

/* Tools whose calls hardly ever work: the Wilson 95 % upper bound of ok over answered and not
 * injected is under 0.30, with 3 of them or more (world 16.6). */
bool tool_is_dead(const struct tool_outcome *tool);

void report_write(const struct engine_setting *setting, const struct engine_report *report,
                  const struct warnings *warnings, struct buf *out);

/* The sidecar of a run's rows (rows 6.1): the agent's prompt and tools, which no row has, and what the
 * report says of the whole. rates: the rows' pass rates, a JSON object; empty: null. */
void report_write_meta(const struct engine_setting *setting, const struct engine_report *report,
                       const struct warnings *warnings, struct span rates, struct buf *out);

/* Writes it beside the rows when these are a regular file: NAME.meta.json beside NAME.jsonl or
 * NAME.jsonl.zst, else PATH.meta.json. rows NULL, or no meta: nothing. ERROR_SYSTEM. */
int report_save_meta(const char *rows, struct span meta, struct error *error);

/* Lines for people, each ended by a newline. */
void report_screen(const struct engine_setting *setting, const struct engine_report *report,
                   struct buf *out);

#endif
