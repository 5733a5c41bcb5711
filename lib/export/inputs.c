/* inputs.c: see inputs.h. */
#include "export/inputs.h"

#include "base/file.h"
#include "export/defaults.h"
#include "export/wire.h"
#include "row/tools.h"

int export_read_prompt(const char *system_prompt, const char *policy, struct buf *out,
                       struct error *error)
{
    struct buf other = {0};
    int code = 0;
    if (system_prompt)
        code = file_text_or_at(system_prompt, EXPORT_PROMPT_MAX, out, error);
    if (code == 0 && policy)
        code = file_read(policy, EXPORT_PROMPT_MAX, &other, error);
    if (code == 0 && policy && system_prompt && !span_equal(buf_span(&other), buf_span(out)))
        code = error_set(error, ERROR_USAGE,
                         "--system-prompt and --policy say different things; give one of them");
    if (code == 0 && policy && !system_prompt)
        buf_span_add(out, buf_span(&other));
    buf_free(&other);
    return code;
}

int export_read_tools(const char *file, struct buf *out, struct buf *notes, struct error *error)
{
    struct row_tools tools = {0};
    int code = file ? row_tools_read(&tools, file, error) : 0;
    if (code == 0) {
        export_tools_json(&tools, out);
        if (tools.nameless)
            buf_format(notes, "%zu tools have no name and were left out\n", tools.nameless);
        if (tools.replaced)
            buf_format(notes, "%zu tools have the name of an earlier one and took its place\n",
                       tools.replaced);
    }
    row_tools_free(&tools);
    return code;
}
