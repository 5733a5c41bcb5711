/* correlations.c: what a reward tracks that is cheap to produce, and reply lengths, see hygiene.h.
 */
#include <math.h>
#include <stdlib.h>

#include "grade/style.h"
#include "grade/trace_flags.h"
#include "guard/hygiene.h"
#include "row/reply.h"
#include "row/value.h"
#include "stat/stat.h"
#include "text/number.h"

enum { SIZES = 3, TICS = 4, FIXED = SIZES + TICS, COLUMNS = FIXED + TRACE_FLAGS, R_DIGITS = 3 };

static const enum style_kind TIC_KINDS[TICS] = {STYLE_BOILERPLATE, STYLE_HEDGING, STYLE_SYCOPHANCY,
                                                STYLE_REFUSAL};

struct correlator {
    double *columns[COLUMNS], *labels;
    size_t n, cap;
    bool fired[TRACE_FLAGS];
    struct trace_reader *traces;
    struct style_bank *style;
    struct buf text;
};

struct correlator *correlator_new(void)
{
    struct correlator *c = mem_zero(1, sizeof *c);
    c->traces = trace_reader_new();
    c->style = style_bank_new();
    return c;
}

void correlator_free(struct correlator *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < COLUMNS; i++)
        free(c->columns[i]);
    free(c->labels);
    trace_reader_free(c->traces);
    style_bank_free(c->style);
    buf_free(&c->text);
    free(c);
}

static void grow(struct correlator *c)
{
    size_t cap = c->cap;
    c->labels = mem_grow(c->labels, &cap, c->n + 1, sizeof *c->labels);
    if (cap != c->cap)
        for (size_t i = 0; i < COLUMNS; i++)
            c->columns[i] = mem_resize(c->columns[i], cap * sizeof *c->columns[i]);
    c->cap = cap;
}

void correlator_add(struct correlator *c, const struct row *row,
                    struct row_conversation *conversation)
{
    enum row_label label = row_label(row);
    struct trace_found found;
    if (label == ROW_LABEL_NONE)
        return;
    grow(c);
    c->labels[c->n] = label == ROW_LABEL_PASS ? 1.0 : 0.0;
    c->columns[0][c->n] = (double)row_reply_length(row, conversation);
    c->columns[1][c->n] = (double)row_tool_calls(row);
    c->columns[2][c->n] = (double)row_assistant_turns(conversation);
    unsigned tics = style_found(c->style, row, conversation, &c->text);
    for (size_t i = 0; i < TICS; i++)
        c->columns[SIZES + i][c->n] = tics & 1U << TIC_KINDS[i] ? 1.0 : 0.0;
    trace_flags_read(c->traces, row, &found);
    for (size_t i = 0; i < TRACE_FLAGS; i++)
        c->columns[FIXED + i][c->n] = 0.0;
    for (size_t i = 0; i < found.count; i++) {
        c->columns[FIXED + found.flags[i]][c->n] = 1.0;
        c->fired[found.flags[i]] = true;
    }
    c->n++;
}

void correlator_measure(const struct correlator *c, double threshold,
                        struct correlation_report *report)
{
    static const char *const NAMES[SIZES] = {"reply_length", "tool_calls", "assistant_turns"};
    *report = (struct correlation_report){.n_graded = c->n, .threshold = threshold};
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i >= FIXED && !c->fired[i - FIXED])
            continue;
        double r = stat_pearson(c->columns[i], c->labels, c->n);
        report->items[report->count++] =
            (struct correlation){i < SIZES   ? NAMES[i]
                                 : i < FIXED ? STYLE_LISTS[TIC_KINDS[i - SIZES]].tic
                                             : TRACE_FLAG_NAMES[i - FIXED],
                                 r, fabs(r) >= threshold};
    }
}

static void write_rounded(struct json_writer *w, const struct correlation *c)
{
    json_write_key(w, c->name);
    json_write_real(w, isnan(c->r) ? c->r : number_round(c->r, R_DIGITS));
}

void correlation_write(const struct correlation_report *report, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "n_graded");
    json_write_int(w, (int64_t)report->n_graded);
    json_write_key(w, "threshold");
    json_write_real(w, report->threshold);
    json_write_key(w, "correlations");
    json_write_object(w);
    for (size_t i = 0; i < report->count; i++)
        write_rounded(w, &report->items[i]);
    json_write_end_object(w);
    json_write_key(w, "flagged");
    json_write_object(w);
    for (size_t i = 0; i < report->count; i++)
        if (report->items[i].flagged)
            write_rounded(w, &report->items[i]);
    json_write_end_object(w);
    json_write_end_object(w);
}

/* ---- reply lengths ------------------------------------------------------------------------------
 */

static int by_length(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* True median of sorted lengths. */
static double median(const uint64_t *sorted, size_t n)
{
    if (!n)
        return 0.0;
    return n % 2 ? (double)sorted[n / 2]
                 : ((double)sorted[n / 2 - 1] + (double)sorted[n / 2]) / 2.0;
}

void length_measure(const uint64_t *lengths, const uint32_t *groups, size_t n, size_t n_groups,
                    double max_spread, struct length_report *r)
{
    uint64_t *sorted = mem_zero(n, sizeof *sorted);
    size_t *starts = mem_zero(n_groups + 1, sizeof *starts),
           *fill = mem_zero(n_groups, sizeof *fill);
    *r = (struct length_report){.n = n, .max_spread = max_spread};
    for (size_t i = 0; i < n; i++)
        starts[groups[i] + 1]++;
    for (size_t g = 0; g < n_groups; g++)
        starts[g + 1] += starts[g];
    for (size_t i = 0; i < n; i++)
        sorted[starts[groups[i]] + fill[groups[i]]++] = lengths[i];
    for (size_t g = 0; g < n_groups; g++) {
        size_t size = starts[g + 1] - starts[g];
        if (size < 2)
            continue;
        r->n_groups_multi++;
        qsort(sorted + starts[g], size, sizeof *sorted, by_length);
        double middle = median(sorted + starts[g], size);
        r->n_wide += middle > 0.0 && (double)sorted[starts[g + 1] - 1] / middle > max_spread;
    }
    if (n)
        qsort(sorted, n, sizeof *sorted, by_length);
    r->median = median(sorted, n);
    r->max = n ? sorted[n - 1] : 0;
    free(fill);
    free(starts);
    free(sorted);
}

void length_write(const struct length_report *r, struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "n", r->n);
    json_write_key(w, "median_chars");
    json_write_real(w, r->median);
    json_write_count(w, "max_chars", r->max);
    json_write_count(w, "n_truncated", r->n_truncated);
    json_write_count(w, "n_groups_multi", r->n_groups_multi);
    json_write_count(w, "n_groups_wide_spread", r->n_wide);
    json_write_key(w, "max_spread");
    json_write_real(w, r->max_spread);
    json_write_end_object(w);
}
