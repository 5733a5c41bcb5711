/* verbs.h: what the files of wai-plan share. */
#ifndef WAI_PLAN_VERBS_H
#define WAI_PLAN_VERBS_H

#include "base/options.h"
#include "measure/plan_run.h"

/* Every verb's options begin with these. */
struct output {
    bool json;
    const char *report;
};

/* What every verb is. make returns 0, 1 (a check that was asked for is red) or a negative code. */
struct verb {
    const void *defaults; /* of the options struct that the table fills */
    size_t size;
    bool files; /* takes operands */
    int (*make)(const void *options, const struct operands *operands, struct plan_report *report,
                struct error *error);
    void (*release)(void *options); /* of what parsing allocated; NULL: nothing */
};

extern const struct verb RECOMMEND_VERB;
extern const struct option RECOMMEND_OPTIONS[];

/* clang-format off */

/* OPTIONS is the options struct of the verb at hand. */
#define AT(field)     .offset = offsetof(struct OPTIONS, field)
#define SEEN(field)   .seen = offsetof(struct OPTIONS, field)
#define ASKED(field)  AT(asked.field)
#define GIVEN(field)  SEEN(asked.field)
#define ROWS_DEFAULT  {.reader = ROW_OPTIONS_DEFAULT}
#define NO_MAX        -1 /* a maximum under the minimum is none */

#define OUTPUT_OPTIONS                                                                             \
    {.kind = OPTION_FLAG, .name = "json", AT(output.json),                                         \
     .help = "the report as one JSON object"},                                                     \
    {.kind = OPTION_TEXT, .name = "report", AT(output.report), .arg = "FILE", .file = true,        \
     .help = "that object in FILE too"}
/* clang-format on */

#endif
