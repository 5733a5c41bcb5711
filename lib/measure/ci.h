/* ci.h: a report with gates in the forms that CI systems read: JUnit XML, GitHub annotations, a
 * Markdown summary (measure 11). For every tool that has gates. */
#ifndef WAI_MEASURE_CI_H
#define WAI_MEASURE_CI_H

#include "measure/gate.h"

struct ci_options {
    const char *junit;
    bool junit_tasks;
    double task_floor;   /* pass rate under which a task fails */
    bool github;         /* asked for, or GITHUB_ACTIONS=true */
    const char *summary; /* NULL: none; "": the file that GITHUB_STEP_SUMMARY names */
};

/* clang-format off */
#define CI_OPTIONS(type, field)                                                                       \
    {.kind = OPTION_TEXT, .name = "junit", .offset = offsetof(type, field.junit), .arg = "FILE",      \
     .help = "write the gates as JUnit XML to FILE", .file = true},                                   \
    {.kind = OPTION_FLAG, .name = "junit-tasks", .offset = offsetof(type, field.junit_tasks),         \
     .help = "a JUnit test case per task too"},                                                       \
    {.kind = OPTION_REAL, .name = "task-floor", .offset = offsetof(type, field.task_floor), .arg = "X", \
     .help = "a task under this pass rate fails in JUnit (1)", .max = 1},                             \
    {.kind = OPTION_FLAG, .name = "github", .offset = offsetof(type, field.github),                   \
     .help = "GitHub annotations on standard error (on when GITHUB_ACTIONS is true)"},                \
    {.kind = OPTION_FLAG, .name = "no-github", .offset = offsetof(type, field.github), .negative = true, \
     .help = "no annotations"},                                                                       \
    {.kind = OPTION_OPTIONAL, .name = "summary", .offset = offsetof(type, field.summary), .arg = "FILE", \
     .help = "write a Markdown table to FILE; without a name it is added to $GITHUB_STEP_SUMMARY", .file = true}
/* clang-format on */

/* github as the environment has it, and the default floor. */
#define CI_OPTIONS_DEFAULT                                         \
    {                                                              \
        .task_floor = MEASURE_TASK_FLOOR, .github = ci_in_github() \
    }
bool ci_in_github(void);

struct ci_property {
    const char *name;
    struct span value;
};

struct ci_row {
    const char *metric; /* as reports spell it */
    double value;
    struct interval interval;
    size_t n_tasks;
};

struct ci_report {
    const char *tool;     /* "wai-passat" */
    const char *headline; /* one line, safe to show */
    const struct gates *gates;
    const struct notes *notes, *warnings;
    const struct ci_property *properties;
    size_t n_properties;
    const struct ci_row *rows; /* of the summary's table */
    size_t n_rows;
    const struct task_rate *tasks; /* those with a verdict */
    size_t n_tasks;
    const struct span *unjudged; /* keys of the tasks without one */
    size_t n_unjudged;
};

void ci_junit(const struct ci_report *report, const struct ci_options *options, struct buf *out);
void ci_github(const struct ci_report *report, struct buf *out);  /* lines for standard error */
void ci_summary(const struct ci_report *report, struct buf *out); /* Markdown */

/* Writes the files that are asked for. 0, ERROR_USAGE (no GITHUB_STEP_SUMMARY) or ERROR_SYSTEM. */
int ci_write(const struct ci_report *report, const struct ci_options *options, struct error *error);

/* ERROR_USAGE when --summary has no file to go to; before the rows are read. */
int ci_check(const struct ci_options *options, struct error *error);

#endif
