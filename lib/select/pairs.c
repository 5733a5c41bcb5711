/* pairs.c: chosen and rejected replies from the contrast inside one prompt (select 5.1), matched by length
 * so that a preference for length is not what is learned. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "row/conversation.h"
#include "row/reply.h"
#include "row/value.h"
#include "select/job.h"
#include "text/fold.h"
#include "text/number.h"
#include "json/pyjson.h"

enum { MARGIN_DIGITS = 6, SHARE_DIGITS = 3 };

/* What a pair wants to know of a row. */
struct reply {
    size_t number; /* in the store */
    uint32_t prompt;
    double reward;
    int64_t length;
    bool used, eval_sourced;
    struct span prompt_json, model, first_turn, reason, failure_class, lineage; /* JSON, or empty */
};

struct pair {
    const struct reply *chosen, *rejected;
};

struct pairs {
    struct select_job *job;
    struct map prompts;
    struct reply *replies;
    size_t n_replies, cap_replies;
    struct pair *items;
    size_t n, cap;
    size_t n_status, n_reward, n_prompt; /* rows left out: not judged, no number, no prompt */
    size_t with_contrast;
    struct row_conversation conversation;
    struct arena arena;
    struct buf scratch;
};

static struct span keep_json(struct pairs *p, const struct row *row, struct span key)
{
    const struct json_value *value = row_get_set(row, key);
    return value ? arena_span(&p->arena, value->text) : (struct span){0};
}

/* The first step with a tool, by name and arguments. */
static bool first_call(const struct row *row, struct buf *out)
{
    const struct json_value *steps = row_get(row, SPAN("steps"));
    if (!steps || steps->type != JSON_VALUE_ARRAY)
        return false;
    struct json_cursor c = json_enter(*steps);
    struct json_value step, tool, arguments;
    while (json_next_item(&c, &step)) {
        if (!json_get(step, SPAN("tool"), &tool) || !json_truthy(tool))
            continue;
        buf_text(out, "{\"arguments\": ");
        if ((json_get(step, SPAN("arguments"), &arguments) && json_truthy(arguments)) ||
            (json_get(step, SPAN("args"), &arguments) && json_truthy(arguments)))
            json_pyjson_sorted(arguments, out);
        else
            buf_text(out, "{}");
        buf_text(out, ", \"name\": ");
        json_pyjson_sorted(tool, out);
        buf_byte(out, '}');
        return true;
    }
    return false;
}

static bool first_words(struct span text, struct buf *out)
{
    text = text_strip(text);
    buf_span_add(out, text);
    return text.len > 0;
}

/* What the agent did first: what a trainer that sees only the first turn tells replies apart by. */
static void first_turn(struct pairs *p, const struct row *row, struct buf *out)
{
    struct buf scratch = {0};
    struct json_value step, text;
    const struct json_value *steps = row_get(row, SPAN("steps"));
    const struct json_value *final = row_get_set(row, SPAN("final_text"));
    bool found = first_call(row, out);
    struct json_cursor c =
        steps && steps->type == JSON_VALUE_ARRAY ? json_enter(*steps) : (struct json_cursor){0};
    while (!found && json_next_item(&c, &step))
        found = json_get(step, SPAN("text"), &text) && text.type == JSON_VALUE_STRING &&
                first_words(json_text(text, &scratch), out);
    for (size_t i = 0; i < p->conversation.count && !found; i++)
        found = p->conversation.items[i].role == ROW_ROLE_ASSISTANT &&
                first_words(row_message_text(&p->conversation, &p->conversation.items[i]), out);
    if (!found && final)
        first_words(value_text(*final, &scratch), out);
    buf_free(&scratch);
}

/* A row that can be half of a pair: judged, scored in [0, 1] by a number, with a prompt. */
static bool usable(struct pairs *p, const struct row *row, double *reward, struct buf *folded)
{
    const struct json_value *status = row_get(row, SPAN("judge_status"));
    const struct json_value *score = row_get(row, SPAN("reward"));
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    if (status && !span_is(status->text, "\"ok\"")) {
        p->n_status++;
        return false;
    }
    *reward = score && score->type == JSON_VALUE_NUMBER ? json_number(*score) : NAN;
    if (!(*reward >= 0.0 && *reward <= 1.0)) {
        p->n_reward++;
        return false;
    }
    if (prompt && json_truthy(*prompt))
        text_fold(value_text(*prompt, &p->scratch), folded);
    p->n_prompt += folded->len == 0;
    return folded->len > 0;
}

static bool take_row(void *data, const struct row *row)
{
    struct pairs *p = data;
    struct buf folded = {0}, text = {0};
    struct json_value source;
    double reward;
    if (usable(p, row, &reward, &folded)) {
        const struct json_value *lineage = row_get(row, SPAN("lineage"));
        row_conversation_read(&p->conversation, row);
        first_turn(p, row, &text);
        p->replies = mem_grow(p->replies, &p->cap_replies, p->n_replies + 1, sizeof *p->replies);
        p->replies[p->n_replies++] = (struct reply){
            .number = row_store_count(p->job->store),
            .prompt = (uint32_t)map_add(&p->prompts, buf_span(&folded), NULL),
            .reward = reward,
            .length = (int64_t)row_reply_length(row, &p->conversation),
            .eval_sourced = lineage && json_get(*lineage, SPAN("source"), &source) &&
                            span_is(source.text, "\"eval\""),
            .prompt_json = keep_json(p, row, SPAN("prompt")),
            .model = keep_json(p, row, SPAN("model_version")),
            .first_turn = arena_span(&p->arena, buf_span(&text)),
            .reason = keep_json(p, row, SPAN("reason")),
            .failure_class = keep_json(p, row, SPAN("failure_class")),
            .lineage = keep_json(p, row, SPAN("lineage")),
        };
    }
    buf_free(&folded);
    buf_free(&text);
    return true;
}

/* ---- pairing ------------------------------------------------------------------------------------
 */

static int by_reward(const void *left, const void *right)
{
    const struct reply *a = *(struct reply *const *)left, *b = *(struct reply *const *)right;
    if (a->reward != b->reward)
        return a->reward > b->reward ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* The partner of a chosen reply: the nearest in length, or the best ranked. */
static struct reply *partner(const struct select_request *q, struct reply **ranked, size_t n,
                             const struct reply *chosen)
{
    struct reply *best = NULL;
    int64_t nearest = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        struct reply *r = ranked[i];
        if (r == chosen || r->used || !(chosen->reward - r->reward >= q->min_margin))
            continue;
        if (q->no_length_match)
            return r;
        int64_t off = chosen->length - r->length;
        off = off < 0 ? -off : off;
        if (off < nearest) {
            nearest = off;
            best = r;
        }
    }
    return best;
}

static void pair_group(struct pairs *p, struct reply **ranked, size_t n)
{
    const struct select_request *q = p->job->q;
    size_t made = 0;
    qsort(ranked, n, sizeof *ranked, by_reward);
    for (size_t i = 0; i < n && made < (size_t)q->max_pairs; i++) {
        struct reply *other = ranked[i]->used ? NULL : partner(q, ranked, n, ranked[i]);
        if (!other)
            continue;
        ranked[i]->used = other->used = true;
        p->items = mem_grow(p->items, &p->cap, p->n + 1, sizeof *p->items);
        p->items[p->n++] = (struct pair){ranked[i], other};
        made++;
    }
    p->with_contrast += made > 0;
}

static void pair_all(struct pairs *p)
{
    size_t *start = mem_zero(p->prompts.count + 1, sizeof *start);
    size_t *fill = mem_zero(p->prompts.count, sizeof *fill);
    struct reply **ranked = mem_zero(p->n_replies, sizeof *ranked);
    for (size_t i = 0; i < p->n_replies; i++)
        start[p->replies[i].prompt + 1]++;
    for (size_t g = 0; g < p->prompts.count; g++)
        start[g + 1] += start[g];
    for (size_t i = 0; i < p->n_replies; i++)
        ranked[start[p->replies[i].prompt] + fill[p->replies[i].prompt]++] = &p->replies[i];
    for (size_t g = 0; g < p->prompts.count; g++)
        pair_group(p, ranked + start[g], start[g + 1] - start[g]);
    free(ranked);
    free(fill);
    free(start);
}

/* ---- what is written ----------------------------------------------------------------------------
 */

static void write_raw(struct json_writer *w, const char *key, struct span json)
{
    json_write_key(w, key);
    json_write_raw(w, json.len ? json : SPAN("null"));
}

/* 1, 0, or -1 when a side does not say. */
static int same_policy(const struct pair *pair)
{
    if (!pair->chosen->model.len || !pair->rejected->model.len)
        return -1;
    return span_equal(pair->chosen->model, pair->rejected->model);
}

static void write_pair(const struct pair *pair, struct span chosen, struct span rejected,
                       struct buf *out)
{
    const struct reply *c = pair->chosen, *r = pair->rejected;
    int same = same_policy(pair);
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_raw(&w, "prompt", c->prompt_json);
    write_raw(&w, "chosen", chosen);
    write_raw(&w, "rejected", rejected);
    job_real(&w, "chosen_score", c->reward);
    job_real(&w, "rejected_score", r->reward);
    job_real(&w, "margin", number_round(c->reward - r->reward, MARGIN_DIGITS));
    write_raw(&w, "chosen_model", c->model);
    write_raw(&w, "rejected_model", r->model);
    write_raw(&w, "same_policy", same < 0 ? SPAN("null") : same ? SPAN("true") : SPAN("false"));
    json_write_key(&w, "length_delta");
    json_write_int(&w, c->length - r->length);
    job_bool(&w, "first_turn_differs", !span_equal(c->first_turn, r->first_turn));
    write_raw(&w, "chosen_reason", c->reason.len ? c->reason : SPAN("\"\""));
    write_raw(&w, "rejected_reason", r->reason.len ? r->reason : SPAN("\"\""));
    write_raw(&w, "rejected_failure_class", r->failure_class);
    json_write_key(&w, "lineage");
    json_write_object(&w);
    write_raw(&w, "chosen", c->lineage);
    write_raw(&w, "rejected", r->lineage);
    json_write_end_object(&w);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

static int write_pairs(struct pairs *p, struct error *error)
{
    struct buf lines = {0}, first = {0}, second = {0};
    struct span chosen, rejected;
    int code = 0;
    for (size_t i = 0; i < p->n && !code; i++) {
        code = row_store_get(p->job->store, p->items[i].chosen->number, &first, &chosen, error);
        if (!code)
            code = row_store_get(p->job->store, p->items[i].rejected->number, &second, &rejected,
                                 error);
        if (!code)
            write_pair(&p->items[i], chosen, rejected, &lines);
    }
    if (!code)
        code = job_write_lines(p->job, buf_span(&lines), error);
    buf_free(&lines);
    buf_free(&first);
    buf_free(&second);
    return code;
}

struct counts {
    size_t partial, identical, same, mixed, eval_sourced, longer;
    double margins;
    int64_t median;
};

static int by_delta(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static struct counts count_pairs(const struct pairs *p)
{
    struct counts n = {0};
    int64_t *deltas = mem_zero(p->n, sizeof *deltas);
    for (size_t i = 0; i < p->n; i++) {
        const struct reply *c = p->items[i].chosen, *r = p->items[i].rejected;
        int same = same_policy(&p->items[i]);
        bool whole =
            (c->reward == 0.0 || c->reward == 1.0) && (r->reward == 0.0 || r->reward == 1.0);
        deltas[i] = c->length - r->length;
        n.partial += !whole;
        n.identical += span_equal(c->first_turn, r->first_turn);
        n.same += same == 1;
        n.mixed += same == 0;
        n.eval_sourced += c->eval_sourced || r->eval_sourced;
        n.longer += deltas[i] > 0;
        n.margins += number_round(c->reward - r->reward, MARGIN_DIGITS);
    }
    if (p->n) {
        qsort(deltas, p->n, sizeof *deltas, by_delta);
        n.median = deltas[p->n / 2];
    }
    free(deltas);
    return n;
}

/* A warning for each line. */
static void list_warnings(const struct pairs *p, const struct counts *n, struct buf *out)
{
    double share = p->n ? (double)n->longer / (double)p->n : 0.0;
    if ((p->n >= SELECT_CONFOUND_PAIRS && share >= SELECT_CONFOUND_SHARE) ||
        (p->n >= SELECT_CONFOUND_ALL && n->longer == p->n))
        buf_format(out,
                   "the chosen reply is the longer one in %zu of %zu pairs, so length can stand in "
                   "for quality; draw more rollouts, so that lengths can be matched\n",
                   n->longer, p->n);
    if (n->identical)
        buf_format(
            out,
            "%zu pairs begin with the same turn; a trainer that compares first turns has %zu "
            "pairs left and needs %d\n",
            n->identical, p->n - n->identical, SELECT_TRAINER_PAIRS);
    if (n->mixed)
        buf_format(out,
                   "%zu pairs join replies of two policies; their difference is the policies' "
                   "too\n",
                   n->mixed);
    if (n->eval_sourced)
        buf_format(out,
                   "%zu pairs were scored by the held-out scorer; training on them makes it the "
                   "reward model\n",
                   n->eval_sourced);
}

static void note_none(const struct pairs *p, struct buf *out)
{
    if (!p->n)
        buf_format(out,
                   "no pair: a prompt needs two judged replies whose rewards in [0, 1] differ by "
                   "%g or more; more --repeats, or a lower --min-margin",
                   p->job->q->min_margin);
}

static void write_lines(struct json_writer *w, struct span lines)
{
    json_write_array(w);
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(lines, SPAN("\n"), at);
        json_write_span(w, span_slice(lines, at, end));
        at = end + 1;
    }
    json_write_end_array(w);
}

static void write_lengths(const struct pairs *p, const struct counts *n, struct json_writer *w)
{
    json_write_key(w, "length");
    json_write_object(w);
    json_write_key(w, "median_delta");
    if (p->n)
        json_write_int(w, n->median);
    else
        json_write_null(w);
    json_write_count(w, "chosen_longer", n->longer);
    job_real(w, "chosen_longer_frac",
             p->n ? number_round((double)n->longer / (double)p->n, SHARE_DIGITS) : NAN);
    json_write_end_object(w);
}

static void tell(struct pairs *p)
{
    struct counts n = count_pairs(p);
    struct buf warnings = {0}, note = {0};
    struct json_writer w;
    list_warnings(p, &n, &warnings);
    note_none(p, &note);
    job_open_report(p->job, &w);
    json_write_count(&w, "pairs", p->n);
    json_write_count(&w, "prompts_seen", p->prompts.count);
    json_write_count(&w, "prompts_with_contrast", p->with_contrast);
    job_real(&w, "min_margin", p->job->q->min_margin);
    job_rate(&w, "mean_margin", p->n ? n.margins / (double)p->n : NAN);
    json_write_count(&w, "partial_score_pairs", n.partial);
    json_write_count(&w, "first_turn_identical", n.identical);
    json_write_count(&w, "trainer_pairs", p->n - n.identical);
    json_write_count(&w, "same_policy_pairs", n.same);
    json_write_count(&w, "mixed_policy_pairs", n.mixed);
    json_write_count(&w, "eval_sourced", n.eval_sourced);
    write_lengths(p, &n, &w);
    json_write_key(&w, "skipped");
    json_write_object(&w);
    json_write_count(&w, "status", p->n_status);
    json_write_count(&w, "reward", p->n_reward);
    json_write_count(&w, "prompt", p->n_prompt);
    json_write_end_object(&w);
    json_write_key(&w, "warnings");
    write_lines(&w, buf_span(&warnings));
    json_write_key(&w, "note");
    json_write_span(&w, buf_span(&note));
    json_write_end_object(&w);
    buf_format(&p->job->out->notes,
               "%zu pairs from %zu of %zu prompts; rows left out: %zu not judged, %zu without a "
               "reward in [0, 1], %zu without a prompt\n",
               p->n, p->with_contrast, p->prompts.count, p->n_status, p->n_reward, p->n_prompt);
    if (note.len)
        buf_byte(&note, '\n');
    select_say_lines(&p->job->out->notes, buf_span(&note));
    select_say_lines(&p->job->out->notes, buf_span(&warnings));
    buf_free(&warnings);
    buf_free(&note);
}

int select_mode_pairs(struct select_job *job, struct error *error)
{
    struct pairs p = {.job = job};
    if (!(job->q->min_margin > 0.0))
        return error_set(error, ERROR_USAGE, "--min-margin %g: a number above 0 is wanted",
                         job->q->min_margin);
    int code = job_read(job, false, take_row, &p, error);
    if (!code) {
        pair_all(&p);
        code = write_pairs(&p, error);
    }
    if (!code) {
        tell(&p);
        code = job_fail_under(job, p.n, "pairs", error);
    }
    map_free(&p.prompts);
    free(p.replies);
    free(p.items);
    row_conversation_free(&p.conversation);
    arena_free(&p.arena);
    buf_free(&p.scratch);
    return code;
}
