/* scan_hacks.c: wai-scan hacks and diff: what was asked, scanned and told. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "guard/defaults.h"
#include "guard/hack_inside.h"
#include "guard/scan_rows.h"
#include "row/store.h"
#include "row/value.h"
#include "text/number.h"
#include "text/term.h"

/* A request as the scan takes it. */
struct asked {
    struct hack_options options;
    const char **endorsed; /* owned array; texts in the arena */
    size_t n_endorsed, cap_endorsed;
    struct arena arena;
    unsigned red; /* bits by enum hack_regime */
};

static void asked_free(struct asked *a)
{
    free(a->endorsed);
    arena_free(&a->arena);
}

/* Patterns come one an option or several with commas. */
static void split_patterns(struct asked *a, const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *at = list->items[i];
        for (struct span pattern; option_next_piece(&at, &pattern);) {
            if (!pattern.len)
                continue;
            a->endorsed =
                mem_grow(a->endorsed, &a->cap_endorsed, a->n_endorsed + 1, sizeof *a->endorsed);
            a->endorsed[a->n_endorsed++] = arena_span(&a->arena, pattern).ptr;
        }
    }
}

static int read_red(const char *list, unsigned *red, struct error *error)
{
    for (struct span word; option_next_piece(&list, &word);) {
        size_t i = 0;
        while (i < HACK_REGIMES && !span_is(word, HACK_REGIME_NAMES[i]))
            i++;
        if (i == HACK_REGIMES)
            return error_set(error, ERROR_USAGE,
                             "--red %.*s: reward_hack, no_signal, degenerate, pool_exhausted, "
                             "train or unknown is wanted",
                             (int)word.len, word.ptr);
        *red |= 1u << i;
    }
    return 0;
}

static int read_request(const struct hacks_request *q, struct asked *a, struct error *error)
{
    int64_t top = HACK_TOP_FEATURES;
    *a = (struct asked){0};
    split_patterns(a, &q->endorsed);
    if (q->top_features && strcmp(q->top_features, "all") == 0)
        top = INT64_MAX;
    else if (q->top_features && (option_read_int(q->top_features, &top) || top < 0))
        return error_set(error, ERROR_USAGE, "--top-features %s: a number or all is wanted",
                         q->top_features);
    a->options = (struct hack_options){.endorsed = a->endorsed,
                                       .n_endorsed = a->n_endorsed,
                                       .features = q->features.items,
                                       .n_features = q->features.count,
                                       .automatic = !q->no_auto,
                                       .top_k = (size_t)q->top_k,
                                       .n_perm = (size_t)q->n_perm,
                                       .min_obs = (size_t)q->min_obs,
                                       .seeds = (size_t)q->seeds,
                                       .top_features = (size_t)top,
                                       .reward = q->reward,
                                       .group_by = q->common.group_by,
                                       .seed = q->common.seed,
                                       .alpha = q->alpha,
                                       .texts = q->show.count > 0};
    int code = scan_check_seed(q->common.seed, error);
    return code ? code : read_red(q->red, &a->red, error);
}

/* ---- hacks --------------------------------------------------------------------------------------
 */

struct hacks_run {
    const struct hacks_request *q;
    struct asked *asked;
    struct hack_scan *all, **slices;
    struct map names; /* of the slices */
    size_t cap_slices;
    struct buf scratch;
};

static int add_row(void *data, const struct row *row, struct error *error)
{
    struct hacks_run *run = data;
    struct json_value value;
    hack_scan_add(run->all, row);
    if (!run->q->common.by)
        return 0;
    bool there = guard_path(row, run->q->common.by, &value) && !json_value_null(value), fresh;
    size_t number =
        map_add(&run->names, there ? value_text(value, &run->scratch) : SPAN(""), &fresh);
    if (fresh) {
        run->slices = mem_grow(run->slices, &run->cap_slices, number + 1, sizeof *run->slices);
        run->slices[number] = hack_scan_new(&run->asked->options, error);
        if (!run->slices[number])
            return error->code;
    }
    hack_scan_add(run->slices[number], row);
    return 0;
}

static void write_slice(const struct hack_report *r, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "regime");
    json_write_text(w, HACK_REGIME_NAMES[r->regime]);
    json_write_key(w, "n_graded");
    json_write_int(w, (int64_t)r->n_graded);
    json_write_key(w, "n_groups_multi");
    json_write_int(w, (int64_t)r->n_groups_multi);
    json_write_key(w, "top_feature");
    if (r->has_top)
        json_write_span(w, r->features[0].name);
    else
        json_write_null(w);
    json_write_key(w, "rho_max");
    json_write_real(w, number_round(r->rho_max, 4));
    json_write_key(w, "tau");
    json_write_real(w, isnan(r->tau) ? r->tau : number_round(r->tau, 4));
    json_write_key(w, "integrity");
    json_write_real(w, r->integrity);
    json_write_end_object(w);
}

static void tell_slices(struct hacks_run *run, struct json_writer *w, struct buf *text)
{
    if (!run->q->common.by)
        return;
    json_write_key(w, "by");
    json_write_object(w);
    for (size_t i = 0; i < run->names.count; i++) {
        struct hack_report r;
        hack_scan_measure(run->slices[i], &r);
        json_write_key_span(w, run->names.keys[i]);
        write_slice(&r, w);
        buf_text(text, "by ");
        term_add(text, run->names.keys[i]);
        buf_format(text, ": %s, %zu rows, strongest %.4f, floor %.4f\n",
                   HACK_REGIME_NAMES[r.regime], r.n_graded, r.rho_max, isnan(r.tau) ? 0.0 : r.tau);
        hack_report_free(&r);
    }
    json_write_end_object(w);
}

static void tell_hacks(struct hacks_run *run, const struct hack_report *r,
                       const struct scan_counts *counts, struct scan_output *out)
{
    struct json_writer w;
    scan_open_report("hacks", counts, &w, &out->json);
    hack_report_write(r, &w);
    json_write_key(&w, "group_key");
    json_write_text(&w, run->q->common.group_by);
    hack_report_text(r, &out->text);
    tell_slices(run, &w, &out->text);
    json_write_end_object(&w);
    if (counts->left_out)
        buf_format(&out->text, "%llu rows were left out by --where\n",
                   (unsigned long long)counts->left_out);
    for (size_t i = 0; i < run->q->show.count; i++) {
        buf_text(&out->text, "replies that differ in ");
        term_add(&out->text, span_text(run->q->show.items[i]));
        buf_byte(&out->text, '\n');
        hack_scan_show(run->all, r, span_text(run->q->show.items[i]), &out->text);
    }
    findings_append(&out->findings, &r->findings);
}

int scan_hacks(const struct hacks_request *q, const struct operands *operands,
               struct scan_output *out, struct error *error)
{
    struct asked asked;
    struct scan_counts counts;
    struct hacks_run run = {.q = q, .asked = &asked};
    int code = read_request(q, &asked, error);
    if (!code && !(run.all = hack_scan_new(&asked.options, error)))
        code = error->code;
    if (!code)
        code =
            scan_rows(&q->common, operands->items, operands->count, add_row, &run, &counts, error);
    if (!code) {
        struct hack_report r;
        hack_scan_measure(run.all, &r);
        tell_hacks(&run, &r, &counts, out);
        struct buf why = {0};
        buf_format(&why, "the regime is %s", HACK_REGIME_NAMES[r.regime]);
        code = scan_close_report(&q->common, "hacks", &out->findings, asked.red >> r.regime & 1,
                                 buf_cstr(&why), error);
        buf_free(&why);
        hack_report_free(&r);
    }
    hack_scan_free(run.all);
    for (size_t i = 0; i < run.names.count; i++)
        hack_scan_free(run.slices[i]);
    free(run.slices);
    map_free(&run.names);
    buf_free(&run.scratch);
    asked_free(&asked);
    return code;
}

/* ---- diff ---------------------------------------------------------------------------------------
 */

/* One side's rows; with --paired they wait until both sides' asks are known. */
struct side {
    const struct hacks_request *q;
    struct hack_scan *scan;
    struct row_store *store;
    struct map asks;
    struct buf scratch;
    struct scan_counts counts;
};

static int add_side(void *data, const struct row *row, struct error *error)
{
    struct side *side = data;
    size_t number;
    if (!side->q->paired) {
        hack_scan_add(side->scan, row);
        return 0;
    }
    map_add(&side->asks, guard_group(row, side->q->common.group_by, &side->scratch), NULL);
    return row_store_add(side->store, row->line, &number, error);
}

static int read_side(struct side *side, const struct asked *asked, const char *path,
                     struct error *error)
{
    side->scan = hack_scan_new(&asked->options, error);
    if (!side->scan)
        return error->code;
    side->store = row_store_new(STORE_MEMORY);
    return scan_rows(&side->q->common, &path, 1, add_side, side, &side->counts, error);
}

/* The rows whose ask the other side has too. */
static int pair_side(struct side *side, const struct side *other, struct error *error)
{
    struct buf line = {0};
    struct json_members members = {0};
    int code = 0;
    for (size_t i = 0; i < row_store_count(side->store) && !code; i++) {
        struct span text;
        struct row row;
        code = row_store_get(side->store, i, &line, &text, error);
        if (code || row_of_text(text, &row, &members, NULL))
            continue;
        struct span ask = guard_group(&row, side->q->common.group_by, &side->scratch);
        if (map_find(&other->asks, ask) != MAP_NONE)
            hack_scan_add(side->scan, &row);
    }
    buf_free(&line);
    json_members_free(&members);
    return code;
}

static void side_free(struct side *side)
{
    hack_scan_free(side->scan);
    if (side->store)
        row_store_free(side->store);
    map_free(&side->asks);
    buf_free(&side->scratch);
}

static int tell_diff(const struct hacks_request *q, struct side sides[2], struct scan_output *out,
                     struct error *error)
{
    struct hack_report before, after;
    struct hack_diff diff;
    struct json_writer w;
    hack_scan_measure(sides[0].scan, &before);
    hack_scan_measure(sides[1].scan, &after);
    hack_diff_make(&before, &after, (size_t)q->top, &diff);
    struct scan_counts counts = {.left_out = sides[0].counts.left_out + sides[1].counts.left_out,
                                 .bad = sides[0].counts.bad + sides[1].counts.bad};
    scan_open_report("diff", &counts, &w, &out->json);
    hack_diff_write(&diff, &before, &after, &w);
    json_write_end_object(&w);
    hack_diff_text(&diff, &before, &after, &out->text);
    findings_append(&out->findings, &diff.findings);
    int code = scan_close_report(&q->common, "diff", &out->findings, diff.red, diff.learned, error);
    hack_diff_free(&diff);
    hack_report_free(&before);
    hack_report_free(&after);
    return code;
}

int scan_diff(const struct hacks_request *q, const struct operands *operands,
              struct scan_output *out, struct error *error)
{
    struct asked asked;
    struct side sides[2] = {{.q = q}, {.q = q}};
    if (operands->count != 2)
        return error_set(error, ERROR_USAGE,
                         "diff reads two files, BEFORE and AFTER, and was given %zu",
                         operands->count);
    int code = read_request(q, &asked, error);
    asked.options.top_features = SIZE_MAX;
    for (size_t i = 0; i < 2 && !code; i++)
        code = read_side(&sides[i], &asked, operands->items[i], error);
    for (size_t i = 0; i < 2 && !code && q->paired; i++)
        code = pair_side(&sides[i], &sides[1 - i], error);
    if (!code)
        code = tell_diff(q, sides, out, error);
    side_free(&sides[0]);
    side_free(&sides[1]);
    asked_free(&asked);
    return code;
}
