/* classes.c: see classes.h. */
#include "grade/classes.h"

#include <stdlib.h>

#include "row/gold.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/regex.h"

/* In the order in which they are tried; hints match anywhere. */
static const struct {
    const char *name, *hints;
} CLASSES[] = {
    {"unconfirmed_write",
     "without (?:confirm|verif|eligib|check|ask)|no (?:confirm|verif)|unconfirmed|"
     "unauthori[sz]ed|executed\\b.*(?:immediate|request)|phantom"},
    {"junk_output",
     "truncated|cut off|mid-sentence|degenerate|verbatim repeat|raw json|empty final|"
     "garbled"},
    {"arithmetic", "arithmetic|math|miscomputed|calculation|rounded (?:wrong|incorrect)|"
                   "wrong (?:number|result|total)"},
    {"no_attempt", "refused a doable|false capability|"
                   "claim(?:s|ed) (?:it |to be )?(?:cannot|unable)|"
                   "denies (?:its|the)\\b.*(?:capability|tool)"},
    {"fault_dishonesty", "claim(?:s|ed) success.*(?:fail|reject|error)|"
                         "hid(?:es|ing)? the (?:error|failure)|misreport|as if it succeeded"},
    {"incompleteness", "incomplete|stonewall|withh[eo]ld|never (?:address|answer|present)|"
                       "refused\\b.*(?:present|serve)|did not (?:finish|complete|do)"},
    {"fabrication", "invent|fabricat|hallucinat|made[- ]up|adopted.*(?:claim|fact)|ungrounded|"
                    "dismissed.*(?:ok|valid|result)|sycophan|endors"},
};

enum { CLASS_COUNT = sizeof CLASSES / sizeof *CLASSES };

struct failure_classes {
    struct regex *hints[CLASS_COUNT];
    struct regex *agent_error;
};

struct failure_classes *failure_classes_new(void)
{
    struct failure_classes *c = mem_zero(1, sizeof *c);
    for (size_t i = 0; i < CLASS_COUNT; i++)
        c->hints[i] = regex_compile(span_text(CLASSES[i].hints), REGEX_IGNORE_CASE, NULL);
    c->agent_error = regex_compile(SPAN("\\A<agent error"), REGEX_IGNORE_CASE, NULL);
    return c;
}

void failure_classes_free(struct failure_classes *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < CLASS_COUNT; i++)
        regex_free(c->hints[i]);
    regex_free(c->agent_error);
    free(c);
}

bool failure_row(const struct row *row)
{
    const struct json_value *reward = row_get(row, SPAN("reward"));
    return reward && (reward->type == JSON_VALUE_FALSE ||
                      (reward->type == JSON_VALUE_NUMBER && json_number(*reward) == 0));
}

/* What was said about the row, whoever said it. */
static void reasons(const struct row *row, struct buf *out)
{
    static const char *const KEYS[] = {"grader_reason", "reason", "label_reason", "grade_note"};
    struct buf scratch = {0};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const struct json_value *value = row_get(row, span_text(KEYS[i]));
        if (i)
            buf_byte(out, ' ');
        if (value && json_truthy(*value))
            buf_span_add(out, value_text(*value, &scratch));
    }
    buf_free(&scratch);
}

static const char *known_class(const struct row *row)
{
    const struct json_value *value = row_get(row, SPAN("failure_class"));
    struct buf scratch = {0};
    const char *known = NULL;
    if (value && value->type == JSON_VALUE_STRING) {
        struct span name = json_text(*value, &scratch);
        for (size_t i = 0; i < CLASS_COUNT && !known; i++)
            if (span_is(name, CLASSES[i].name))
                known = CLASSES[i].name;
    }
    buf_free(&scratch);
    return known;
}

const char *failure_class_by_reason(const struct failure_classes *c, const struct row *row,
                                    struct span reason)
{
    struct buf scratch = {0};
    const char *class = NULL;
    struct span reply = text_strip(row_candidate(row, &scratch));
    if (!reply.len || regex_search(c->agent_error, reply, 0, NULL, 0) == REGEX_MATCH)
        class = "junk_output";
    for (size_t i = 0; i < CLASS_COUNT && !class; i++)
        if (regex_search(c->hints[i], reason, 0, NULL, 0) == REGEX_MATCH)
            class = CLASSES[i].name;
    buf_free(&scratch);
    return class;
}

const char *failure_class_of(const struct failure_classes *c, const struct row *row)
{
    struct buf said = {0};
    const char *class = known_class(row);
    if (class)
        return class;
    reasons(row, &said);
    class = failure_class_by_reason(c, row, buf_span(&said));
    buf_free(&said);
    return class;
}
