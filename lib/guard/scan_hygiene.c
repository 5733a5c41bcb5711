/* scan_hygiene.c: wai-scan hygiene: what was asked, scanned and told. */
#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "guard/hack_inside.h"
#include "guard/hygiene.h"
#include "guard/scan_rows.h"
#include "row/value.h"
#include "row/writer.h"
#include "text/term.h"

struct hygiene_run {
    const struct hygiene_request *q;
    const struct hygiene_options *options;
    struct hygiene *all, **slices;
    struct map names;
    size_t cap_slices;
    struct row_writer *kept; /* NULL: not asked */
    struct buf scratch;
};

static int add_row(void *data, const struct row *row, struct error *error)
{
    struct hygiene_run *run = data;
    struct json_value value;
    bool fresh = hygiene_add(run->all, row);
    if (fresh && run->kept) {
        int code = row_writer_line(run->kept, row->line, error);
        if (code)
            return code;
    }
    if (!run->q->common.by)
        return 0;
    bool there = guard_path(row, run->q->common.by, &value) && !json_value_null(value), added;
    size_t number =
        map_add(&run->names, there ? value_text(value, &run->scratch) : SPAN(""), &added);
    if (added) {
        run->slices = mem_grow(run->slices, &run->cap_slices, number + 1, sizeof *run->slices);
        run->slices[number] = hygiene_new(run->options);
    }
    hygiene_add(run->slices[number], row);
    return 0;
}

static void tell_slices(struct hygiene_run *run, struct json_writer *w, struct buf *text)
{
    if (!run->q->common.by)
        return;
    json_write_key(w, "by");
    json_write_object(w);
    for (size_t i = 0; i < run->names.count; i++) {
        struct hygiene_report r;
        hygiene_measure(run->slices[i], &r);
        json_write_key_span(w, run->names.keys[i]);
        json_write_object(w);
        json_write_key(w, "duplicates");
        duplicate_write(&r.duplicates, w);
        json_write_key(w, "lengths");
        length_write(&r.lengths, w);
        json_write_key(w, "correlations");
        correlation_write(&r.correlations, w);
        json_write_end_object(w);
        buf_text(text, "by ");
        term_add(text, run->names.keys[i]);
        buf_format(text, ": %zu rows, %zu repeats, %zu cut, median length %g\n", r.duplicates.n,
                   r.duplicates.n_dropped, r.lengths.n_truncated, r.lengths.median);
        hygiene_report_free(&r);
    }
    json_write_end_object(w);
}

static int tell(struct hygiene_run *run, const struct scan_counts *counts, struct scan_output *out,
                struct error *error)
{
    struct hygiene_report r;
    struct json_writer w;
    hygiene_measure(run->all, &r);
    scan_open_report("hygiene", counts, &w, &out->json);
    hygiene_write(run->all, &r, &w);
    hygiene_text(&r, &out->text);
    tell_slices(run, &w, &out->text);
    json_write_end_object(&w);
    if (counts->left_out)
        buf_format(&out->text, "%llu rows were left out by --where\n",
                   (unsigned long long)counts->left_out);
    findings_append(&out->findings, &r.findings);
    const char *why = "more repeats or cut replies than allowed";
    for (size_t i = r.findings.count; i-- > 0;)
        why = r.findings.items[i].level == FINDING_RED ? r.findings.items[i].text : why;
    int code = scan_close_report(&run->q->common, "hygiene", &r.findings, r.red, why, error);
    hygiene_report_free(&r);
    return code;
}

int scan_hygiene(const struct hygiene_request *q, const struct operands *operands,
                 struct scan_output *out, struct error *error)
{
    struct row_tools tools = {0};
    struct hygiene_options options = {
        .near = q->near,
        .max_spread = q->max_spread,
        .threshold = q->threshold,
        .group_by = q->common.group_by,
        .tools = q->tools ? &tools : NULL,
        .max_duplicates = q->max_duplicates_given ? q->max_duplicates : (double)NAN,
        .max_truncated = q->max_truncated_given ? q->max_truncated : (double)NAN};
    struct hygiene_run run = {.q = q, .options = &options};
    struct scan_counts counts;
    int code = q->tools ? row_tools_read(&tools, q->tools, error) : 0;
    if (!code && q->dedupe_out && !(run.kept = row_writer_open(q->dedupe_out, error)))
        code = error->code;
    run.all = hygiene_new(&options);
    if (!code)
        code =
            scan_rows(&q->common, operands->items, operands->count, add_row, &run, &counts, error);
    if (run.kept && code)
        row_writer_abandon(run.kept);
    else if (run.kept)
        code = row_writer_close(run.kept, error);
    if (!code)
        code = tell(&run, &counts, out, error);
    hygiene_free(run.all);
    for (size_t i = 0; i < run.names.count; i++)
        hygiene_free(run.slices[i]);
    free(run.slices);
    map_free(&run.names);
    buf_free(&run.scratch);
    row_tools_free(&tools);
    return code;
}
