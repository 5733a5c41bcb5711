/* spec.c: see spec.h. */
#include "scene/spec.h"

#include "base/file.h"
#include "scene/defaults.h"
#include "scene/demo.h"
#include "scene/specfile.h"
#include "text/fold.h"
#include "text/utf8.h"

static int read_policy(struct scene_spec *spec, const struct spec_wish *wish, struct error *error)
{
    struct buf other = {0};
    struct buf *text = wish->policy ? &other : &spec->policy;
    int code = 0;
    if (wish->policy)
        code = file_read(wish->policy, SCENE_TEXT_MAX, &spec->policy, error);
    if (!code && wish->system_prompt)
        code = file_text_or_at(wish->system_prompt, SCENE_TEXT_MAX, text, error);
    if (!code && wish->policy && wish->system_prompt &&
        !span_equal(text_strip(buf_span(&other)), text_strip(buf_span(&spec->policy))))
        code =
            error_set(error, ERROR_USAGE, "--policy and --system-prompt differ; give one of them");
    if (!code && !utf8_valid(buf_span(&spec->policy)))
        code = error_set(error, ERROR_INPUT, "the policy is not UTF-8; convert it");
    buf_free(&other);
    return code;
}

/* The specification's own policy goes behind the options'. */
static int read_file(struct scene_spec *spec, const char *text, struct error *error)
{
    struct buf policy = {0};
    int code = spec_file_read(spec, text, &policy, error);
    struct span own = text_strip(buf_span(&policy));
    spec->policy.len = text_strip_right(buf_span(&spec->policy)).len;
    if (own.len && spec->policy.len)
        buf_byte(&spec->policy, '\n');
    buf_span_add(&spec->policy, own);
    buf_free(&policy);
    return code;
}

int spec_read(struct scene_spec *spec, const struct spec_wish *wish, struct buf *notes,
              struct error *error)
{
    int code = read_policy(spec, wish, error);
    for (size_t i = 0; i < wish->n_tools && !code; i++)
        code = row_tools_read(&spec->tools, wish->tools[i], error);
    if (!code && wish->spec)
        code = read_file(spec, wish->spec, error);
    spec->demo =
        wish->demo && !wish->spec && !wish->n_tools && !wish->policy && !wish->system_prompt;
    if (!code && spec->demo) {
        code = row_tools_parse(&spec->tools, span_text(DEMO_TOOLS), "example", error);
        buf_text(&spec->policy, DEMO_POLICY);
        buf_text(notes, "no --spec, --tools or --policy: a small shop of four tools is played, as "
                        "an example\n");
    }
    if (!code && spec->tools.nameless)
        buf_format(notes, "%zu tool%s no name and %s left out; the first is entry %zu of %.*s\n",
                   spec->tools.nameless, spec->tools.nameless == 1 ? " has" : "s have",
                   spec->tools.nameless == 1 ? "is" : "are", spec->tools.nameless_at,
                   (int)spec->tools.nameless_in.len, spec->tools.nameless_in.ptr);
    if (!code && spec->tools.replaced)
        buf_format(notes, "%zu tools have the name of an earlier one and take its place\n",
                   spec->tools.replaced);
    return code;
}

void spec_free(struct scene_spec *spec)
{
    row_tools_free(&spec->tools);
    buf_free(&spec->policy);
    buf_free(&spec->asks);
    buf_free(&spec->name);
}
