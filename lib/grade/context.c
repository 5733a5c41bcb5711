/* context.c: see context.h. */
#include "grade/context.h"

#include "base/file.h"
#include "grade/defaults.h"

int grade_context_read(struct grade_context *c, const char *tools, const char *policy,
                       const char *system_prompt, struct scorer_setup *setup, struct error *error)
{
    struct buf other = {0};
    int rc = 0;
    if (tools && (rc = row_tools_read(&c->tools, tools, error)) == 0) {
        row_tools_join(&c->tools, &c->json);
        setup->tools = buf_span(&c->json);
    }
    if (!rc && policy)
        rc = file_read(policy, GRADE_TEXT_MAX, &c->policy, error);
    if (!rc && system_prompt)
        rc = file_text_or_at(system_prompt, GRADE_TEXT_MAX, policy ? &other : &c->policy, error);
    if (!rc && policy && system_prompt && !span_equal(buf_span(&other), buf_span(&c->policy)))
        rc = error_set(error, ERROR_USAGE, "--policy and --system-prompt differ; give one");
    if (!rc && (policy || system_prompt))
        setup->policy = span_make(buf_cstr(&c->policy), c->policy.len);
    buf_free(&other);
    return rc;
}

void grade_context_free(struct grade_context *c)
{
    row_tools_free(&c->tools);
    buf_free(&c->json);
    buf_free(&c->policy);
    *c = (struct grade_context){0};
}
