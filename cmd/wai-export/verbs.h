/* verbs.h: what the files of wai-export share. */
#ifndef WAI_EXPORT_VERBS_H
#define WAI_EXPORT_VERBS_H

#include "base/options.h"
#include "export/config.h"
#include "export/environment.h"
#include "export/hub.h"
#include "row/reader.h"

/* What the command line says. */
struct settings {
    struct row_options rows;
    struct export_config_options config;
    struct export_environment_options environment;
    const char *kind, *format, *system_prompt, *policy, *tools, *mask_mode, *output, *report;
    int64_t max_tool_output;
    struct option_list step_reports, markers;
    bool no_card, no_strip_think, unroll, no_validate, keep_ties, drop_parts, replace_system, json;
    const char *push_to;
    bool is_public;
};

/* Rows to a file or a package; a trainer's configuration. 0 or a negative code. */
int export_run_rows(const struct settings *s, const struct operands *operands, struct error *error);
int export_run_config(const struct settings *s, const struct operands *operands,
                      struct error *error);

/* push and pull; ends with {0}. */
extern const struct command HUB_VERBS[];

/* Runs one of them. Returns the exit status. */
int hub_verb(const struct command *verb, int argc, char **argv);

/* --push-to after an export: what it wrote. The report is appended. */
int hub_push_files(const char *const *paths, size_t n, const char *name, bool is_public,
                   struct buf *report, struct error *error);

#endif
