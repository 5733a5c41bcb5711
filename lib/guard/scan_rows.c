/* scan_rows.c: see scan_rows.h. */
#include "guard/scan_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/pool.h"
#include "json/expr.h"

void scan_output_free(struct scan_output *output)
{
    buf_free(&output->json);
    buf_free(&output->text);
    findings_free(&output->findings);
}

int scan_check_seed(const char *seed, struct error *error)
{
    const char *digits = seed + (*seed == '-' || *seed == '+');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return error_set(error, ERROR_USAGE, "--seed %s: a whole number is wanted", seed);
    return 0;
}

/* jq's truth of the program's only output; an error or several outputs are false. */
static bool where_true(struct expr_program *where, const struct row *row, struct buf *scratch)
{
    int count = 0;
    buf_clear(scratch);
    return !expr_run_value(where, row->value, (int64_t)row->index, scratch, &count, NULL) &&
           count == 1 && !span_is(buf_span(scratch), "null") &&
           !span_is(buf_span(scratch), "false");
}

static int read_rows(struct row_reader *reader, struct expr_program *where, scan_use *use,
                     void *data, struct scan_counts *counts, struct error *error)
{
    struct row row;
    struct buf scratch = {0};
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        if (where && !where_true(where, &row, &scratch)) {
            counts->left_out++;
            continue;
        }
        counts->rows++;
        if ((got = use(data, &row, error)) < 0)
            break;
    }
    buf_free(&scratch);
    return got;
}

int scan_rows(const struct scan_common *common, const char *const *paths, size_t n_paths,
              scan_use *use, void *data, struct scan_counts *counts, struct error *error)
{
    struct row_source source = {.paths = paths, .n_paths = n_paths, .options = common->rows};
    struct expr_program *where = NULL;
    *counts = (struct scan_counts){0};
    if (!source.options.jobs)
        source.options.jobs = pool_cpu_count();
    if (common->where && !(where = expr_compile(common->where, NULL, NULL, 0, false, error)))
        return error_prefix(error, "--where");
    struct row_reader *reader = row_reader_open(&source, error);
    int code = reader ? read_rows(reader, where, use, data, counts, error) : error->code;
    if (reader) {
        counts->bad = row_reader_counts(reader).bad;
        int closed = row_reader_close(reader, code < 0 ? NULL : error);
        code = code < 0 ? code : closed;
    }
    if (where)
        expr_free(where);
    return code;
}

void scan_open_report(const char *verb, const struct scan_counts *counts, struct json_writer *w,
                      struct buf *out)
{
    struct buf name = {0};
    json_write_start(w, out, JSON_STYLE_INDENTED);
    json_write_object(w);
    json_write_key(w, "wai_report");
    buf_format(&name, "wai-scan %s", verb);
    json_write_span(w, buf_span(&name));
    json_write_key(w, "n_left_out");
    json_write_int(w, (int64_t)counts->left_out);
    json_write_key(w, "n_bad_lines");
    json_write_int(w, (int64_t)counts->bad);
    buf_free(&name);
}

static void add_gate(struct gates *gates, const char *metric, const char *rule, bool red,
                     const char *text)
{
    gates->items = mem_grow(gates->items, &gates->cap, gates->count + 1, sizeof *gates->items);
    gates->items[gates->count++] = (struct gate){.metric = mem_text(metric),
                                                 .rule = rule,
                                                 .limit = (double)NAN,
                                                 .on = "point",
                                                 .value = (double)NAN,
                                                 .interval = INTERVAL_NONE,
                                                 .red = red,
                                                 .reason = red ? "finding" : "",
                                                 .text = mem_text(text)};
}

static int write_ci(const struct scan_common *common, const char *verb,
                    const struct findings *findings, bool red, const char *why, struct error *error)
{
    struct gates gates = {0};
    struct notes none = {0};
    struct buf headline = {0};
    if (!common->ci.junit && !common->ci.github && !common->ci.summary)
        return 0;
    add_gate(&gates, verb, "gate", red, red ? why : "the check is green");
    for (size_t i = 0; i < findings->count; i++)
        add_gate(&gates, findings->items[i].code, "finding",
                 findings->items[i].level == FINDING_RED ||
                     (common->strict && findings->items[i].level != FINDING_NOTE),
                 findings->items[i].text);
    buf_format(&headline, "%s: %s, %zu findings", verb, red ? "red" : "green", findings->count);
    struct ci_report report = {.tool = "wai-scan",
                               .headline = buf_cstr(&headline),
                               .gates = &gates,
                               .notes = &none,
                               .warnings = &none};
    int code = ci_write(&report, &common->ci, error);
    gates_free(&gates);
    buf_free(&headline);
    return code;
}

int scan_close_report(const struct scan_common *common, const char *verb,
                      const struct findings *findings, bool red, const char *why,
                      struct error *error)
{
    int code = write_ci(common, verb, findings, red, why, error);
    if (code)
        return code;
    if (common->gate && red)
        return error_set(error, ERROR_CHECK, "%s", why);
    for (size_t i = 0; common->strict && i < findings->count; i++)
        if (findings->items[i].level != FINDING_NOTE)
            return error_set(error, ERROR_CHECK, "--strict: %s", findings->items[i].text);
    return 0;
}
