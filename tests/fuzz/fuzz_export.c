/* Training and preference files: any row, every format. What comes out is one JSON object a line,
 * holds no member of the teacher's block outside arguments and results, and calls that passed the
 * gate are objects. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/preference.h"
#include "export/training.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool truth, const char *what)
{
    if (truth)
        return;
    fprintf(stderr, "fuzz_export: %s\n", what);
    abort();
}

static void check_lines(struct span left)
{
    struct json_members members = {0};
    struct json_value value;
    struct json_fault fault;
    while (left.len) {
        size_t len = span_find(left, SPAN("\n"), 0);
        struct span line = len == (size_t)-1 ? left : span_slice(left, 0, len);
        demand(json_scan(line, &value, &members, &fault) == 0, "not JSON");
        demand(value.type == JSON_VALUE_OBJECT, "not an object");
        demand(!json_find(&members, SPAN("privileged")), "privileged");
        left = line.len == left.len ? SPAN("") : span_slice(left, line.len + 1, left.len);
    }
    json_members_free(&members);
}

typedef int export_work(void *context, int worker, const struct row *row, struct row_result *result,
                        struct error *error);
typedef int export_done(void *context, const struct row *row, struct row_result *result,
                        struct error *error);

static void run(export_work *do_work, export_done *do_done, void *context, const struct row *row)
{
    struct row_result result = {0};
    struct error error;
    demand(do_work(context, 0, row, &result, &error) == 0, "work fails");
    if (result.fate == ROW_BAD) {
        demand(result.out.len > 0, "no reason");
    } else {
        check_lines(buf_span(&result.out));
        demand(do_done(context, row, &result, &error) == 0, "done fails");
    }
    buf_free(&result.out);
    buf_free(&result.note);
}

static void run_kinds(enum export_format format, unsigned choice, const struct row *row)
{
    struct export_build build = {.system_prompt = choice & 1 ? SPAN("S") : SPAN(""),
                                 .replace_system = choice & 2,
                                 .keep_think = choice & 4,
                                 .drop_parts = choice & 8,
                                 .max_tool_output = choice & 16 ? 3 : -1};
    struct export_training_options training = {.format = format, .build = build};
    training.mask = choice & 32 ? EXPORT_MASK_FINAL : EXPORT_MASK_ASSISTANT;
    training.unroll = choice & 64;
    struct export_preference_options preference = {
        .format = format, .build = build, .keep_ties = true};
    struct export_training *t = export_training_new(&training, 1);
    run(export_training_work, export_training_done, t, row);
    run(export_training_work, export_training_done, t,
        row); /* the state of one row must not reach the next */
    export_training_free(t);
    struct export_preference *p = export_preference_new(&preference, 1);
    run(export_preference_work, export_preference_done, p, row);
    export_preference_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    if (size < 2 || memchr(data, '\n', size)) /* a row is a line */
        return 0;
    if (row_of_text(span_make((const char *)data + 1, size - 1), &row, &members, &fault) == 0 &&
        row.value.type == JSON_VALUE_OBJECT) {
        row.file = "-";
        for (int format = 0; format < EXPORT_FORMATS; format++)
            run_kinds((enum export_format)format, data[0], &row);
    }
    json_members_free(&members);
    return 0;
}
