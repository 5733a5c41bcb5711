/* marks.h: what is put on rows beside a verdict: stock markers (grade 17), stamps (17.6), the class
 * of a failure (12). A reward is never touched. */
#ifndef WAI_GRADE_MARKS_H
#define WAI_GRADE_MARKS_H

#include "base/options.h"
#include "grade/grounding.h"

struct mark_options {
    struct option_list marks; /* style, trace, grounding, behavioral, all, or one marker */
    const char *phrases;      /* file of phrase lists, or NULL */
    const char *kinds;        /* kinds of tools, or a file of them, or NULL */
    const char *stamps;       /* "signature,fault,truncated,leak,tools"; NULL: none */
    const char *evidence;     /* full, names, none: what trace_flags says; NULL: full */
    struct option_list ignore_keys, allow; /* of argument_grounding */
    bool classify;
};

/* clang-format off */
#define MARK_OPTIONS(type, field) \
    {.kind = OPTION_LIST, .letter = 'm', .name = "mark", .offset = offsetof(type, field.marks), .arg = "NAME|all", \
     .help = "stock markers: style, trace, grounding, behavioral, all, or one by name"}, \
    {.kind = OPTION_TEXT, .name = "phrases", .offset = offsetof(type, field.phrases), .arg = "FILE", .file = true, \
     .help = "phrase lists of your own for style markers: an object from marker to phrases"}, \
    {.kind = OPTION_TEXT, .name = "kinds", .offset = offsetof(type, field.kinds), .arg = "TOOL=KIND,...|FILE", .file = true, \
     .help = "what tools are to the trace markers: write, read, delete, command, none"}, \
    {.kind = OPTION_CHOICE, .name = "evidence", .offset = offsetof(type, field.evidence), .choices = "full|names|none", \
     .help = "what trace_flags says of each flag that fired (full)"}, \
    {.kind = OPTION_LIST, .name = "ignore-keys", .offset = offsetof(type, field.ignore_keys), .arg = "KEY,KEY", \
     .help = "arguments that argument_grounding leaves out: free text, commands"}, \
    {.kind = OPTION_LIST, .name = "allow", .offset = offsetof(type, field.allow), .arg = "VALUE", \
     .help = "a value that argument_grounding takes as known"}, \
    {.kind = OPTION_TEXT, .name = "stamp", .offset = offsetof(type, field.stamps), .arg = "LIST", \
     .help = "stamps: signature, fault, truncated, leak, tools"}, \
    {.kind = OPTION_FLAG, .name = "classify", .offset = offsetof(type, field.classify), \
     .help = "failure_class on rows whose reward is 0, from their reason"}
/* clang-format on */

struct marks;

bool mark_options_any(const struct mark_options *options); /* something is asked for */

/* NULL: ERROR_USAGE, a name that is none. */
struct marks *marks_open(const struct mark_options *options, int threads, struct error *error);

/* A sentence about the marks that people should know, or NULL. */
const char *marks_warning(const struct marks *m);

/* A member that every row gets. json: a valid value; both are copied. */
void marks_set(struct marks *m, struct span key, struct span json);

/* A rubric (JSON) for privileged.rubric of every row. keep: rows that have one keep theirs. */
void marks_attach_rubric(struct marks *m, struct span json, bool keep);

/* The row's line with all of it spliced in, newline not included, appended to out, and the members
 * of that line. */
void marks_apply(struct marks *m, int worker, const struct row *row, struct buf *out,
                 struct json_members *written);
void marks_close(struct marks *m);
void mark_options_free(struct mark_options *options); /* its lists */

#endif
