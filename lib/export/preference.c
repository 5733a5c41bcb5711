/* preference.c: see preference.h. */
#include "export/preference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/signals.h"
#include "export/carried.h"
#include "export/defaults.h"
#include "export/leaks.h"
#include "export/sharegpt.h"
#include "row/store.h"
#include "row/value.h"
#include "text/number.h"
#include "json/pyjson.h"

static const char FAULT_NO_PAIR[] =
    "it is no pair: `chosen` and `rejected` must each be a row; make pairs "
    "of graded rows first";

enum side { CHOSEN, REJECTED, SIDES };
static const char *const SIDE_NAMES[SIDES] = {"chosen", "rejected"};

/* What the work on a pair tells the loop. */
enum tally {
    TALLY_TIE,
    TALLY_NO_COMPLETION, /* left out */
    TALLY_CALLS,
    TALLY_BAD_CALLS,
    TALLY_CUT,        /* later turns went */
    TALLY_LEAK_FIRST, /* enum leak_result of the two sides */
    TALLY_LEAK_SECOND,
    TALLY_ROLES,
    TALLY_PARTS,
    TALLY_SYSTEMS_DIFFER,
    TALLY_NOT_ALTERNATING, /* llamafactory: left out */
    TALLY_CALL_TEXTS,      /* llamafactory: words beside calls, left out */
    TALLY_COUNT,
};

struct side_state {
    struct row row; /* scrubbed */
    struct export_turns turns;
    struct buf clean;
    struct json_members members, own_members;
};

struct pair_worker {
    struct side_state sides[SIDES];
    struct arena arena;
    struct buf clean, needle;
    struct json_members members;
};

struct export_preference {
    const struct export_preference_options *options;
    struct pair_worker *workers;
    int n_workers;
    struct row_store *store;
    uint64_t n_pairs, n_written;
    uint64_t total[TALLY_COUNT];
    struct export_leaks leaks;
    /* over the pairs that count (fireworks: also those without a one-turn contrast) */
    uint64_t n_lengths, n_longer, n_identical, n_told, n_margins;
    double margins;
};

struct export_preference *export_preference_new(const struct export_preference_options *options,
                                                int jobs)
{
    struct export_preference *p = mem_zero(1, sizeof *p);
    p->options = options;
    p->n_workers = jobs < 1 ? 1 : jobs;
    p->workers = mem_zero((size_t)p->n_workers, sizeof *p->workers);
    p->store = row_store_new(STORE_MEMORY);
    return p;
}

void export_preference_free(struct export_preference *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n_workers; i++) {
        struct pair_worker *worker = &p->workers[i];
        for (int side = 0; side < SIDES; side++) {
            export_turns_free(&worker->sides[side].turns);
            buf_free(&worker->sides[side].clean);
            json_members_free(&worker->sides[side].members);
            json_members_free(&worker->sides[side].own_members);
        }
        arena_free(&worker->arena);
        buf_free(&worker->clean);
        buf_free(&worker->needle);
        json_members_free(&worker->members);
    }
    free(p->workers);
    export_leaks_free(&p->leaks);
    row_store_free(p->store);
    free(p);
}

/* ---- one pair -----------------------------------------------------------------------------------
 */

static bool same_span(struct span a, struct span b)
{
    return (a.ptr != NULL) == (b.ptr != NULL) && span_equal(a, b);
}

/* By value: as a trainer sees arguments in that format. */
static bool same_arguments(const struct export_call *a, const struct export_call *b,
                           enum export_format format)
{
    struct buf left = {0}, right = {0};
    bool objects = format == EXPORT_TRL && !a->text.ptr && !b->text.ptr && a->arguments.text.ptr &&
                   b->arguments.text.ptr;
    if (objects) {
        json_pyjson_sorted(a->arguments, &left);
        json_pyjson_sorted(b->arguments, &right);
    } else {
        export_arguments_text(a, &left);
        export_arguments_text(b, &right);
    }
    bool same = span_equal(buf_span(&left), buf_span(&right));
    buf_free(&left);
    buf_free(&right);
    return same;
}

/* fireworks and llamafactory files hold neither the name nor the id of a tool turn, so they do not
 * tell turns apart. */
static bool same_turn(const struct export_turns *a, const struct export_turn *left,
                      const struct export_turns *b, const struct export_turn *right,
                      enum export_format format)
{
    bool bare = format == EXPORT_FIREWORKS || format == EXPORT_LLAMAFACTORY;
    if (left->role != right->role || !span_equal(left->content, right->content) ||
        left->n_calls != right->n_calls ||
        (!bare &&
         (!same_span(left->name, right->name) || !same_span(left->call_id, right->call_id))))
        return false;
    for (size_t i = 0; i < left->n_calls; i++) {
        const struct export_call *x = &a->calls[left->first_call + i];
        const struct export_call *y = &b->calls[right->first_call + i];
        if (!span_equal(x->id, y->id) || !span_equal(x->name, y->name) ||
            !same_arguments(x, y, format))
            return false;
    }
    return true;
}

static size_t common_prefix(const struct export_turns *a, const struct export_turns *b,
                            enum export_format format)
{
    size_t k = 0;
    while (k < a->count && k < b->count && same_turn(a, &a->items[k], b, &b->items[k], format))
        k++;
    return k;
}

static void count_calls(struct export_turns *t, size_t from, size_t to, int64_t *tally)
{
    for (size_t i = from; i < to; i++) {
        const struct export_turn *turn = &t->items[i];
        for (size_t c = 0; c < turn->n_calls; c++) {
            tally[TALLY_CALLS]++;
            tally[TALLY_BAD_CALLS] += !export_call_is_sound(t, &t->calls[turn->first_call + c]);
        }
    }
}

struct pair {
    const struct export_preference_options *options;
    struct pair_worker *worker;
    struct row row; /* scrubbed */
    struct export_turns *sides[SIDES];
};

static void write_turns(const struct export_turns *t, const char *key, size_t from, size_t to,
                        bool bare, enum export_format format, struct json_writer *w)
{
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = from; i < to; i++) {
        if (bare)
            export_write_bare_turn(t, &t->items[i], w);
        else
            export_write_turn(t, &t->items[i], format, EXPORT_WEIGHT_NONE, w);
    }
    json_write_end_array(w);
}

static void write_tail(const struct pair *p, struct json_writer *w)
{
    export_write_tools(p->options->tools, p->options->format, w);
    for (size_t i = 0; i < EXPORT_PREFERENCE_KEYS.count; i++)
        export_write_carried(&p->row, EXPORT_PREFERENCE_KEYS.names[i], &p->worker->arena, w);
    json_write_key(w, "schema_version");
    json_write_text(w, "1");
}

/* Both conversations whole. */
static void write_openai(const struct pair *p, struct json_writer *w)
{
    const struct json_value *prompt = row_get(&p->row, SPAN("prompt"));
    json_write_key(w, "prompt");
    json_write_raw(w, prompt ? export_finite(&p->worker->arena, *prompt).text : SPAN("null"));
    for (int side = 0; side < SIDES; side++)
        write_turns(p->sides[side], SIDE_NAMES[side], 0, p->sides[side]->count, false,
                    EXPORT_OPENAI, w);
    write_tail(p, w);
}

static void write_trl(const struct pair *p, size_t k, struct json_writer *w)
{
    write_turns(p->sides[CHOSEN], "prompt", 0, k, false, EXPORT_TRL, w);
    for (int side = 0; side < SIDES; side++)
        write_turns(p->sides[side], SIDE_NAMES[side], k, k + 1, false, EXPORT_TRL, w);
    write_tail(p, w);
}

/* For a reward model: both sides to their end, which TRL scores as wholes, and the margin. */
static void write_whole(const struct pair *p, size_t k, struct json_writer *w)
{
    const struct json_value *margin = row_get(&p->row, SPAN("margin"));
    write_turns(p->sides[CHOSEN], "prompt", 0, k, false, EXPORT_TRL, w);
    for (int side = 0; side < SIDES; side++)
        write_turns(p->sides[side], SIDE_NAMES[side], k, p->sides[side]->count, false, EXPORT_TRL,
                    w);
    export_write_tools(p->options->tools, p->options->format, w);
    if (margin && margin->type == JSON_VALUE_NUMBER && isfinite(json_number(*margin))) {
        json_write_key(w, "margin");
        json_write_raw(w, margin->text);
    }
}

static void write_fireworks(const struct pair *p, size_t k, struct json_writer *w)
{
    json_write_key(w, "input");
    json_write_object(w);
    write_turns(p->sides[CHOSEN], "messages", 0, k, true, EXPORT_FIREWORKS, w);
    json_write_key(w, "tools");
    json_write_raw(w, p->options->tools.len ? p->options->tools : SPAN("[]"));
    json_write_end_object(w);
    write_turns(p->sides[CHOSEN], "preferred_output", k, k + 1, true, EXPORT_FIREWORKS, w);
    write_turns(p->sides[REJECTED], "non_preferred_output", k, k + 1, true, EXPORT_FIREWORKS, w);
}

static void write_llamafactory(const struct pair *p, size_t k, struct json_writer *w)
{
    export_sharegpt_write(p->sides[CHOSEN], k, w);
    for (int side = 0; side < SIDES; side++) {
        json_write_key(w, SIDE_NAMES[side]);
        export_sharegpt_turn(p->sides[side], k, w);
    }
    export_write_tools(p->options->tools, EXPORT_LLAMAFACTORY, w);
}

/* One turn against one turn behind what the two have in common. false: there is no such contrast.
 */
static bool has_contrast(const struct pair *p, size_t k)
{
    for (int side = 0; side < SIDES; side++)
        if (k < 1 || p->sides[side]->count <= k ||
            p->sides[side]->items[k].role != ROW_ROLE_ASSISTANT)
            return false;
    return true;
}

/* Where whole sides begin: the last place, at or before the first difference, at which both have an
 * assistant turn. TRL's templates need a prompt that ends before one. 0: nowhere. */
static size_t whole_from(const struct pair *p)
{
    const struct export_turns *a = p->sides[CHOSEN], *b = p->sides[REJECTED];
    size_t k = common_prefix(a, b, EXPORT_TRL);
    if (k == a->count && k == b->count)
        return 0; /* the same conversation twice */
    while (k > 0 && (k >= a->count || k >= b->count || a->items[k].role != ROW_ROLE_ASSISTANT ||
                     b->items[k].role != ROW_ROLE_ASSISTANT))
        k--;
    return k;
}

static void add_whole(const struct pair *p, struct row_result *result)
{
    struct json_writer w;
    size_t k = whole_from(p);
    if (k == 0) {
        result->tally[TALLY_NO_COMPLETION] = 1;
        return;
    }
    for (int side = 0; side < SIDES; side++)
        count_calls(p->sides[side], 0, p->sides[side]->count, result->tally);
    json_write_start(&w, &result->out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_whole(p, k, &w);
    json_write_end_object(&w);
}

/* What the sides share must alternate and end before the model speaks. */
static bool fit_sharegpt(const struct pair *p, size_t k, struct row_result *result)
{
    int64_t texts = 0;
    if (!export_sharegpt_fits(p->sides[CHOSEN], k, false, &texts)) {
        result->tally[TALLY_NOT_ALTERNATING] = 1;
        return false;
    }
    for (int side = 0; side < SIDES; side++) {
        const struct export_turn *turn = &p->sides[side]->items[k];
        texts += turn->n_calls && turn->content.len;
    }
    result->tally[TALLY_CALL_TEXTS] = texts;
    return true;
}

static void write_pair(const struct pair *p, struct row_result *result)
{
    enum export_format format = p->options->format;
    struct json_writer w;
    size_t k = format == EXPORT_OPENAI ? 0 : common_prefix(p->sides[0], p->sides[1], format);
    if (format != EXPORT_OPENAI && !has_contrast(p, k)) {
        result->tally[TALLY_NO_COMPLETION] = 1;
        if (format == EXPORT_TRL)
            return;
    }
    if (format == EXPORT_LLAMAFACTORY && !result->tally[TALLY_NO_COMPLETION] &&
        !fit_sharegpt(p, k, result))
        return;
    for (int side = 0; side < SIDES; side++) {
        struct export_turns *t = p->sides[side];
        /* trl: the one turn that is written; the others: what the pair held before it was cut. */
        count_calls(t, format == EXPORT_TRL ? k : 0, format == EXPORT_TRL ? k + 1 : t->count,
                    result->tally);
        if (format != EXPORT_OPENAI && t->count > k + 1)
            result->tally[TALLY_CUT] = 1;
    }
    if (result->tally[TALLY_NO_COMPLETION]) {
        result->tally[TALLY_CUT] = 0;
        return;
    }
    json_write_start(&w, &result->out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (format == EXPORT_OPENAI)
        write_openai(p, &w);
    else if (format == EXPORT_TRL)
        write_trl(p, k, &w);
    else if (format == EXPORT_LLAMAFACTORY)
        write_llamafactory(p, k, &w);
    else
        write_fireworks(p, k, &w);
    json_write_end_object(&w);
}

/* One side of the pair as a row of its own. */
static void side_row(const struct row *row, struct json_value value, struct side_state *state,
                     struct row *own)
{
    struct json_fault fault;
    row_of_text(value.text, own, &state->own_members, &fault);
    own->file = row->file;
    own->line_number = row->line_number;
    state->row = export_scrubbed(own, &state->clean, &state->members);
}

static void look_for_leak(struct pair_worker *worker, const struct row *own, enum side side,
                          struct row_result *result)
{
    struct buf field = {0};
    buf_clear(&worker->needle);
    enum leak_result found = leak_find(own, &field, &worker->needle);
    result->tally[TALLY_LEAK_FIRST + side] = (int64_t)found;
    if (found == LEAK_FOUND) { /* field NUL needle NUL, side by side */
        buf_span_add(&result->note, buf_span(&field));
        buf_byte(&result->note, '\0');
        buf_span_add(&result->note, buf_span(&worker->needle));
        buf_byte(&result->note, '\0');
    }
    buf_free(&field);
}

int export_preference_work(void *context, int worker_number, const struct row *row,
                           struct row_result *result, struct error *error)
{
    (void)error;
    struct export_preference *p = context;
    struct pair_worker *worker = &p->workers[worker_number];
    const struct json_value *tie = row_get(row, SPAN("tie"));
    struct pair pair = {.options = p->options, .worker = worker};
    const char *fault = FAULT_NO_PAIR;
    for (int side = 0; side < SIDES; side++) {
        const struct json_value *value = row_get(row, span_text(SIDE_NAMES[side]));
        if (!value || value->type != JSON_VALUE_OBJECT)
            goto bad;
    }
    if (tie && json_truthy(*tie) && !p->options->keep_ties) {
        result->tally[TALLY_TIE] = 1;
        return 0;
    }
    arena_clear(&worker->arena);
    pair.row = export_scrubbed(row, &worker->clean, &worker->members);
    for (int side = 0; side < SIDES; side++) {
        struct side_state *state = &worker->sides[side];
        struct row own;
        side_row(row, *row_get(row, span_text(SIDE_NAMES[side])), state, &own);
        if (export_turns_read(&state->turns, &state->row, &p->options->build, &fault) != 0)
            goto bad;
        pair.sides[side] = &state->turns;
        result->tally[TALLY_ROLES] += state->turns.roles_dropped;
        result->tally[TALLY_PARTS] += state->turns.parts_dropped;
        result->tally[TALLY_SYSTEMS_DIFFER] |= state->turns.systems_differ;
        look_for_leak(worker, &own, (enum side)side, result);
    }
    if (p->options->whole)
        add_whole(&pair, result);
    else
        write_pair(&pair, result);
    return 0;
bad:
    buf_clear(&result->out);
    buf_text(&result->out, fault);
    result->fate = ROW_BAD;
    return 0;
}

/* ---- all pairs, in order ------------------------------------------------------------------------
 */

static bool number_of(const struct row *row, struct span key, double *out)
{
    const struct json_value *value = row_get(row, key);
    if (!value || value->type != JSON_VALUE_NUMBER)
        return false;
    *out = json_number(*value);
    return isfinite(*out);
}

static void count_facts(struct export_preference *p, const struct row *row)
{
    const struct json_value *differs = row_get(row, SPAN("first_turn_differs"));
    double number;
    if (number_of(row, SPAN("length_delta"), &number)) {
        p->n_lengths++;
        p->n_longer += number > 0;
    }
    if (number_of(row, SPAN("margin"), &number)) {
        p->n_margins++;
        p->margins += number;
    }
    p->n_told += differs && differs->type != JSON_VALUE_NULL;
    p->n_identical += differs && differs->type == JSON_VALUE_FALSE;
}

static struct span next_part(struct span *left)
{
    size_t len = strnlen(left->ptr, left->len);
    struct span part = span_slice(*left, 0, len);
    *left = span_slice(*left, len < left->len ? len + 1 : len, left->len);
    return part;
}

/* The note holds `field NUL needle NUL` for each side that leaked. */
static void count_leaks(struct export_preference *p, const struct row *row,
                        const struct row_result *result)
{
    struct span left = buf_span(&result->note);
    for (int side = 0; side < SIDES; side++) {
        enum leak_result found = (enum leak_result)result->tally[TALLY_LEAK_FIRST + side];
        struct span record = left;
        if (found == LEAK_FOUND) {
            next_part(&left);
            struct span needle = next_part(&left);
            record.len = (size_t)(needle.ptr + needle.len - record.ptr);
        }
        export_leaks_add(&p->leaks, found, record, row, SIDE_NAMES[side]);
    }
}

int export_preference_done(void *context, const struct row *row, struct row_result *result,
                           struct error *error)
{
    struct export_preference *p = context;
    p->n_pairs++;
    for (int i = 0; i < TALLY_COUNT; i++)
        p->total[i] += (uint64_t)result->tally[i];
    if (result->tally[TALLY_TIE])
        return 0;
    count_leaks(p, row, result);
    if (result->out.len || p->options->format == EXPORT_FIREWORKS)
        count_facts(p, row);
    if (!result->out.len)
        return 0;
    size_t unused;
    p->n_written++;
    return row_store_add(p->store, buf_span(&result->out), &unused, error);
}

size_t export_preference_count(const struct export_preference *p)
{
    return p->n_written;
}

int export_preference_check(const struct export_preference *p, struct error *error)
{
    if (p->leaks.n_leaked)
        return error_set(error, ERROR_INPUT,
                         "%llu sides of pairs quote their privileged block in a reply, and a model "
                         "trained on them "
                         "learns to; drop those pairs or write them with --no-validate",
                         (unsigned long long)p->leaks.n_leaked);
    if (p->total[TALLY_BAD_CALLS])
        return error_set(error, ERROR_INPUT,
                         "%llu of %llu tool calls have arguments that are no JSON object; mend or "
                         "drop those pairs, "
                         "or write them with --no-validate",
                         (unsigned long long)p->total[TALLY_BAD_CALLS],
                         (unsigned long long)p->total[TALLY_CALLS]);
    if (!p->n_written)
        return error_set(
            error, ERROR_INPUT,
            "no pair is left of %llu (%llu ties, %llu without a one-turn contrast), so no file is "
            "written; make more pairs, or take ties with --keep-ties",
            (unsigned long long)p->n_pairs, (unsigned long long)p->total[TALLY_TIE],
            (unsigned long long)(p->total[TALLY_NO_COMPLETION] + p->total[TALLY_NOT_ALTERNATING]));
    return 0;
}

int export_preference_write(struct export_preference *p, struct row_writer *writer,
                            struct error *error)
{
    struct buf scratch = {0};
    int code = 0;
    for (size_t i = 0; i < p->n_written && code == 0; i++) {
        struct span line;
        code = row_store_get(p->store, i, &scratch, &line, error);
        if (code == 0)
            code = row_writer_line(writer, line, error);
        if (code == 0 && signals_caught())
            code = error_set(error, ERROR_INTERRUPTED, "interrupted; %zu of %zu pairs were written",
                             i + 1, (size_t)p->n_written);
    }
    buf_free(&scratch);
    return code;
}

/* ---- report -------------------------------------------------------------------------------------
 */

static void write_some(struct json_writer *w, const char *key, uint64_t count)
{
    if (count)
        json_write_count(w, key, count);
}

static double longer_share(const struct export_preference *p)
{
    return (double)p->n_longer / (double)p->n_lengths;
}

static void write_facts(const struct export_preference *p, struct json_writer *w)
{
    if (p->n_lengths) {
        json_write_key(w, "chosen_longer_frac");
        json_write_real(w, number_round(longer_share(p), 3));
    }
    write_some(w, "first_turn_identical", p->n_identical);
    if (p->n_margins) {
        json_write_key(w, "mean_margin");
        json_write_real(w, number_round(p->margins / (double)p->n_margins, 4));
    }
}

static void write_warnings(const struct export_preference *p, struct json_writer *w)
{
    struct buf lines = {0};
    export_preference_notes(p, &lines);
    if (lines.len)
        export_write_lines("warnings", buf_span(&lines), w);
    buf_free(&lines);
}

void export_preference_report(const struct export_preference *p, const char *path, bool written,
                              struct json_writer *w)
{
    enum export_format format = p->options->format;
    char cut[32];
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-export");
    json_write_key(w, "kind");
    json_write_text(w, p->options->whole ? "reward" : "preference");
    json_write_count(w, "pairs", p->n_written);
    json_write_key(w, "format");
    json_write_text(w, EXPORT_FORMAT_NAMES[format]);
    json_write_key(w, "tool_call_roundtrip");
    json_write_object(w);
    json_write_count(w, "checked", p->total[TALLY_CALLS]);
    json_write_count(w, "invalid", p->total[TALLY_BAD_CALLS]);
    json_write_key(w, "encoding");
    json_write_text(w, format == EXPORT_TRL ? "dict" : "json_string");
    json_write_end_object(w);
    snprintf(cut, sizeof cut, "%s_turns_cut", EXPORT_FORMAT_NAMES[format]);
    write_some(w, cut, p->total[TALLY_CUT]);
    write_some(w, "ties_dropped", p->total[TALLY_TIE]);
    write_some(w, "no_completion_dropped", p->total[TALLY_NO_COMPLETION]);
    write_some(w, "not_alternating_dropped", p->total[TALLY_NOT_ALTERNATING]);
    write_some(w, "call_texts_dropped", p->total[TALLY_CALL_TEXTS]);
    if (format == EXPORT_LLAMAFACTORY) {
        json_write_key(w, "dataset_info");
        export_sharegpt_info(SHAREGPT_PREFERENCE, path, p->options->tools.len > 0, w);
    }
    write_some(w, "roles_dropped", p->total[TALLY_ROLES]);
    write_some(w, "parts_dropped", p->total[TALLY_PARTS]);
    json_write_key(w, "privileged_leaks");
    export_leaks_report(&p->leaks, w);
    write_facts(p, w);
    write_warnings(p, w);
    json_write_key(w, "path");
    if (path && written)
        json_write_text(w, path);
    else
        json_write_null(w);
    json_write_end_object(w);
}

static void note(struct buf *lines, uint64_t count, uint64_t of, const char *sentence)
{
    if (count)
        buf_format(lines, "%llu of %llu %s\n", (unsigned long long)count, (unsigned long long)of,
                   sentence);
}

void export_preference_notes(const struct export_preference *p, struct buf *lines)
{
    bool longer = p->n_lengths >= EXPORT_LONGER_PAIRS_ALL && p->n_longer == p->n_lengths;
    if (p->n_lengths >= EXPORT_LONGER_PAIRS && longer_share(p) >= EXPORT_LONGER_SHARE)
        longer = true;
    note(lines, p->leaks.n_leaked, p->leaks.n_rows,
         "sides quote their privileged block in a reply");
    note(lines, p->total[TALLY_BAD_CALLS], p->total[TALLY_CALLS],
         "tool calls have arguments that are no JSON object");
    if (longer)
        note(lines, p->n_longer, p->n_lengths,
             "pairs prefer the longer reply, so length alone explains them; pair replies of like "
             "length");
    note(lines, p->n_identical, p->n_told,
         "pairs begin with the same turn on both sides; a trainer that compares first turns alone "
         "learns nothing from them");
    note(lines, p->total[TALLY_CUT], p->n_written,
         "pairs go on behind the first turn that differs; the later turns were cut");
    note(lines, p->total[TALLY_NO_COMPLETION], p->n_pairs,
         p->options->whole
             ? "pairs have no assistant turn to tell their sides apart by and were "
               "left out"
             : "pairs have no single assistant turn against another and were left out");
    note(
        lines, p->total[TALLY_NOT_ALTERNATING], p->n_pairs,
        "pairs do not alternate between people and the model, which LLaMA-Factory passes over, and "
        "were left out");
    note(
        lines, p->total[TALLY_CALL_TEXTS], p->total[TALLY_CALL_TEXTS],
        "turns have words beside their tool calls, which LLaMA-Factory has no place for; the words "
        "were left out");
    note(lines, p->total[TALLY_SYSTEMS_DIFFER], p->n_pairs,
         "pairs bring a system turn of their own beside the one given; --replace-system drops "
         "theirs");
}

void export_preference_summary(const struct export_preference *p, struct buf *line)
{
    buf_format(line, "%llu pairs (%s) of %llu; %llu ties left out",
               (unsigned long long)p->n_written, EXPORT_FORMAT_NAMES[p->options->format],
               (unsigned long long)p->n_pairs, (unsigned long long)p->total[TALLY_TIE]);
}
