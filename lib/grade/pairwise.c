/* pairwise.c: see pairwise.h. */
#include "grade/pairwise.h"

#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/judge_payload.h"
#include "grade/judge_reply.h"
#include "row/filter.h"
#include "row/gold.h"
#include "text/number.h"
#include "text/utf8.h"
#include "json/edit.h"

enum side { SIDE_CHOSEN, SIDE_REJECTED };

struct pair_answer {
    enum judge_winner winner; /* as asked: A or B */
    struct buf reason;
    bool failed; /* the call, not the answer */
};

struct pair_worker {
    struct judge_sitting sitting;
    struct buf user, records[2], log;
    struct pair_answer answers[2];
    struct verdict verdict;
    struct json_members members[2], asked;
};

struct pair_run {
    const struct pairwise_options *o;
    const struct pairwise_setup *s;
    struct judge_model *judge;
    struct payload_options payload;
    struct row_tools declared;
    struct buf system, version;
    struct pair_worker *workers;
    int threads;
    struct pairwise_counts counts;
    uint64_t broken; /* pairs of which every call failed */
    struct buf disagreements;
    int64_t shown;
};

/* ---- the pair ---------------------------------------------------------------------------------- */

struct pair {
    struct row sides[2];
    struct span request; /* borrows scratch */
};

static bool read_pair(struct pair_worker *w, const struct row *row, struct pair *pair,
                      struct buf *scratch)
{
    static const struct span NAMES[] = {{"chosen", 6}, {"rejected", 8}};
    struct json_fault fault;
    for (int i = 0; i < 2; i++) {
        const struct json_value *side = row_get(row, NAMES[i]);
        if (!side || side->type != JSON_VALUE_OBJECT ||
            row_of_text(side->text, &pair->sides[i], &w->members[i], &fault) < 0)
            return false;
    }
    const struct json_value *prompt = row_get_set(row, SPAN("prompt"));
    if (!prompt)
        prompt = row_get_set(&pair->sides[SIDE_CHOSEN], SPAN("prompt"));
    pair->request = prompt ? row_content_text(*prompt, scratch) : SPAN("");
    return true;
}

/* ---- one question ------------------------------------------------------------------------------ */

struct winner_reading {
    struct pair_answer *answer;
};

static bool read_winner(void *data, struct span reply)
{
    struct winner_reading *r = data;
    r->answer->winner = judge_reply_winner(reply, &r->answer->reason);
    return r->answer->winner != JUDGE_WINNER_NONE;
}

static void write_request(struct pair_run *p, struct json_writer *w, const struct pair *pair)
{
    struct buf cut = {0};
    payload_cut(pair->request, (size_t)p->o->request_chars, &cut);
    json_write_key(w, "request");
    json_write_span(w, buf_span(&cut));
    buf_free(&cut);
}

/* first: the side that is A. */
static void write_question(struct pair_run *p, struct pair_worker *w, const struct pair *pair,
                           enum side first)
{
    struct json_writer writer;
    buf_clear(&w->user);
    json_write_start(&writer, &w->user, JSON_STYLE_SPACED);
    json_write_object(&writer);
    write_request(p, &writer, pair);
    for (int i = 0; i < 2; i++) {
        json_write_key(&writer, i ? "B" : "A");
        json_write_raw(&writer, p->judge ? buf_span(&w->records[i ^ (int)first])
                                         : pair->sides[i ^ (int)first].line);
    }
    json_write_end_object(&writer);
}

static void trouble(struct pair_worker *w, struct pair_answer *a)
{
    a->failed = true;
    buf_clear(&a->reason);
    if (w->sitting.trouble == JUDGE_TROUBLE_LATE)
        buf_text(&a->reason, "not judged: no answer in time");
    else
        buf_format(&a->reason, "not judged: %s", buf_cstr(&w->sitting.why));
}

/* The winner question of a decision judge (14.10). */
static void write_decision(struct pair_run *p, struct pair_worker *w, struct buf *state)
{
    struct json_value asked, part;
    struct json_fault fault;
    struct json_writer writer;
    json_scan(buf_span(&w->user), &asked, NULL, &fault);
    json_write_start(&writer, state, JSON_STYLE_COMPACT);
    json_write_object(&writer);
    json_write_key(&writer, "instructions");
    json_write_span(&writer, buf_span(&p->system));
    json_write_key(&writer, "record");
    json_write_object(&writer);
    for (int i = 0; i < 2; i++) {
        json_get(asked, i ? SPAN("B") : SPAN("A"), &part);
        json_write_key(&writer, i ? "B" : "A");
        json_write_raw(&writer, part.text);
    }
    json_write_end_object(&writer);
    json_get(asked, SPAN("request"), &part);
    json_write_key(&writer, "request");
    json_write_raw(&writer, part.text);
    json_write_end_object(&writer);
}

static const char QUESTION[] =
    "{\"winner\":{\"type\":\"choice\",\"instructions\":\"Which reply helped the user more, by the "
    "instructions?\",\"criteria\":{\"A\":\"Reply A did.\",\"B\":\"Reply B did.\",\"tie\":\"Neither "
    "is "
    "ahead.\"}}}";

static int ask_decision(struct pair_run *p, struct pair_worker *w, struct pair_answer *a,
                        struct error *error)
{
    struct buf state = {0};
    write_decision(p, w, &state);
    int rc = judge_sitting_decide(&w->sitting, buf_span(&state), span_text(QUESTION), error);
    buf_free(&state);
    if (rc < 0 || w->sitting.trouble)
        return rc;
    const struct decision_answer *winner = decision_find(&w->sitting.decision, SPAN("winner"));
    if (winner && winner->type == DECISION_CHOICE) {
        a->winner = span_is(winner->label, "A")     ? JUDGE_WINNER_A
                    : span_is(winner->label, "B")   ? JUDGE_WINNER_B
                    : span_is(winner->label, "tie") ? JUDGE_WINNER_TIE
                                                    : JUDGE_WINNER_NONE;
        buf_format(&a->reason, "jev: %.*s (%.2f)", (int)winner->label.len, winner->label.ptr,
                   winner->probability);
    }
    return 0;
}

static int ask_judge(struct pair_run *p, struct pair_worker *w, struct pair_answer *a,
                     struct error *error)
{
    struct winner_reading r = {a};
    bool accepted;
    const struct judge_question q = {.system = buf_span(&p->system),
                                     .user = buf_span(&w->user),
                                     .max_tokens = JUDGE_REPLY_TOKENS,
                                     .kind = PROMPT_PAIR};
    int rc = judge_model_decides(p->judge)
                 ? ask_decision(p, w, a, error)
                 : judge_sitting_ask(&w->sitting, &q, read_winner, &r, &accepted, error);
    if (rc == 0 && w->sitting.trouble)
        trouble(w, a);
    return rc;
}

/* A program's answer comes back through the verdict's metadata. */
static int ask_program(struct pair_run *p, int worker, struct pair_worker *w, struct pair_answer *a,
                       uint64_t index, struct error *error)
{
    struct row asked;
    struct json_fault fault;
    struct json_value word;
    struct buf object = {0};
    row_of_text(buf_span(&w->user), &asked, &w->asked, &fault);
    asked.index = index;
    int rc = scorer_verdict(p->s->program, worker, &asked, &w->verdict, error);
    if (rc < 0)
        return rc;
    struct span winner = verdict_meta_find(&w->verdict, "winner");
    a->failed = w->verdict.status == VERDICT_ERROR || w->verdict.status == VERDICT_TIMEOUT;
    buf_span_add(&a->reason, buf_span(&w->verdict.reason));
    if (a->failed) {
        struct span why = verdict_meta_find(&w->verdict, "error");
        buf_clear(&a->reason);
        buf_text(&a->reason, "not judged: ");
        if (why.ptr && json_scan(why, &word, NULL, &fault) == 0)
            json_text_add(word, &a->reason);
        else
            buf_text(&a->reason, verdict_status_name(w->verdict.status));
    } else if (winner.ptr) {
        buf_text(&object, "{\"winner\": ");
        buf_span_add(&object, winner);
        buf_byte(&object, '}');
        if (json_scan(buf_span(&object), &word, NULL, &fault) == 0)
            a->winner = judge_winner_of(word);
    }
    buf_free(&object);
    return 0;
}

/* ---- the result -------------------------------------------------------------------------------- */

enum outcome { OUTCOME_NONE, OUTCOME_CHOSEN, OUTCOME_REJECTED, OUTCOME_TIE };
static const char *const OUTCOMES[] = {NULL, "chosen", "rejected", "tie"};

static enum outcome outcome_of(enum judge_winner winner, enum side first)
{
    switch (winner) {
    case JUDGE_WINNER_A: return first == SIDE_CHOSEN ? OUTCOME_CHOSEN : OUTCOME_REJECTED;
    case JUDGE_WINNER_B: return first == SIDE_CHOSEN ? OUTCOME_REJECTED : OUTCOME_CHOSEN;
    case JUDGE_WINNER_TIE: return OUTCOME_TIE;
    case JUDGE_WINNER_NONE: break;
    }
    return OUTCOME_NONE;
}

struct pair_result {
    enum outcome winner;
    bool both, consistent;
};

static struct pair_result combine(const struct pair_answer *answers, int n)
{
    enum outcome first = outcome_of(answers[0].winner, SIDE_CHOSEN);
    enum outcome second = n > 1 ? outcome_of(answers[1].winner, SIDE_REJECTED) : OUTCOME_NONE;
    struct pair_result r = {.winner = first ? first : second};
    if (first && second) {
        r.both = true;
        r.consistent = first == second;
        r.winner = r.consistent ? first : OUTCOME_TIE;
    }
    return r;
}

static void write_reasons(struct json_writer *w, const struct pair_answer *answers, int n)
{
    json_write_array(w);
    for (int i = 0; i < n; i++)
        if (answers[i].reason.len)
            json_write_span(w, buf_span(&answers[i].reason));
        else if (!answers[i].winner)
            json_write_text(w, "not judged: the answer names no winner");
    json_write_end_array(w);
}

static void write_result(const struct pair_run *p, struct pair_worker *worker,
                         const struct pair_result *r, int n, struct json_edit *edit)
{
    struct buf json = {0};
    struct json_writer w;
    json_write_start(&w, &json, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "winner");
    if (r->winner)
        json_write_text(&w, OUTCOMES[r->winner]);
    else
        json_write_null(&w);
    json_write_key(&w, "position_consistent");
    if (r->both)
        json_write_bool(&w, r->consistent);
    else
        json_write_null(&w);
    json_write_key(&w, "swapped");
    json_write_bool(&w, n > 1);
    json_write_key(&w, "reasons");
    write_reasons(&w, worker->answers, n);
    json_write_key(&w, "judge");
    json_write_span(&w, buf_span(&p->version));
    json_write_end_object(&w);
    json_edit_set(edit, SPAN("pairwise"), buf_span(&json));
    json_edit_set(edit, SPAN("tie"), r->winner == OUTCOME_TIE ? SPAN("true") : SPAN("false"));
    buf_free(&json);
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct pair_run *p = context;
    struct pair_worker *w = &p->workers[worker];
    struct pair pair;
    struct buf scratch = {0};
    struct json_edit edit = {0};
    int n = p->o->no_swap ? 1 : 2, rc = 0, failed = 0;
    if (!read_pair(w, row, &pair, &scratch)) {
        result->fate = ROW_BAD;
        buf_text(&result->out, "it is no pair; {\"chosen\": {…}, \"rejected\": {…}} is wanted, as "
                               "wai-select --mode pairs writes them");
        buf_free(&scratch);
        return 0;
    }
    if (p->judge)
        judge_sitting_begin(&w->sitting, p->judge, "pair", row->index);
    for (int i = 0; i < 2 && p->judge; i++) {
        buf_clear(&w->records[i]);
        payload_write(&p->payload, &pair.sides[i], &w->records[i]);
    }
    for (int i = 0; i < n && !rc; i++) {
        struct pair_answer *a = &w->answers[i];
        a->winner = JUDGE_WINNER_NONE;
        a->failed = false;
        buf_clear(&a->reason);
        write_question(p, w, &pair, i ? SIDE_REJECTED : SIDE_CHOSEN);
        rc = p->judge ? ask_judge(p, w, a, error)
                      : ask_program(p, worker, w, a, row->index * 2 + (uint64_t)i, error);
        failed += a->failed;
    }
    const struct pair_result r = combine(w->answers, n);
    if (!rc) {
        write_result(p, w, &r, n, &edit);
        json_edit_apply(&edit, row->line, &row->members, &result->out);
        buf_byte(&result->out, '\n');
        result->fate = ROW_CHANGED;
        result->tally[0] = r.winner;
        result->tally[1] = r.both;
        result->tally[2] = r.consistent;
        result->tally[3] = failed == n;
        if (p->s->judge_log && p->judge)
            judge_sitting_entry(&w->sitting, &result->note);
    }
    json_edit_free(&edit);
    buf_free(&scratch);
    return rc;
}

/* ---- the account ------------------------------------------------------------------------------- */

static void write_score(struct json_writer *w, const char *key, const struct row *row)
{
    const struct json_value *value = row_get(row, span_text(key));
    json_write_key(w, key);
    json_write_raw(w, value ? value->text : SPAN("null"));
}

/* A pair whose rejected side won, for the report. row: as it came. */
static void add_disagreement(struct pair_run *p, const struct row *row, struct span written)
{
    struct json_value line, pairwise, reasons;
    struct json_fault fault;
    struct json_writer w;
    struct buf scratch = {0};
    const struct json_value *prompt = row_get_set(row, SPAN("prompt"));
    if (p->shown++ >= p->o->examples)
        return;
    if (p->disagreements.len)
        buf_byte(&p->disagreements, ',');
    json_write_start(&w, &p->disagreements, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "prompt");
    json_write_span(&w, prompt
                            ? utf8_head(row_content_text(*prompt, &scratch), PAIRWISE_PROMPT_CHARS)
                            : SPAN(""));
    write_score(&w, "chosen_score", row);
    write_score(&w, "rejected_score", row);
    json_write_key(&w, "reasons");
    if (json_scan(written, &line, NULL, &fault) == 0 &&
        json_get(line, SPAN("pairwise"), &pairwise) &&
        json_get(pairwise, SPAN("reasons"), &reasons))
        json_write_raw(&w, reasons.text);
    else
        json_write_null(&w);
    json_write_end_object(&w);
    buf_free(&scratch);
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct pair_run *p = context;
    struct pairwise_counts *c = &p->counts;
    enum outcome winner = (enum outcome)result->tally[0];
    c->n++;
    c->judged += winner != OUTCOME_NONE;
    c->failed += winner == OUTCOME_NONE;
    c->both += result->tally[1] != 0;
    c->flips += result->tally[1] && !result->tally[2];
    c->ties += winner == OUTCOME_TIE;
    c->agrees += winner == OUTCOME_CHOSEN;
    c->prefers_rejected += winner == OUTCOME_REJECTED;
    p->broken += result->tally[3] != 0;
    if (winner == OUTCOME_REJECTED)
        add_disagreement(p, row, span_slice(buf_span(&result->out), 0, result->out.len - 1));
    return p->s->judge_log && result->note.len
               ? row_writer_line(p->s->judge_log, buf_span(&result->note), error)
               : 0;
}

static double rate(uint64_t part, uint64_t whole)
{
    return whole ? number_round((double)part / (double)whole, 4) : NAN;
}

static void warnings(const struct pair_run *p, void (*tell)(void *data, const char *text),
                     void *data)
{
    const struct pairwise_counts *c = &p->counts;
    struct buf text = {0};
    if (c->both && (double)c->flips / (double)c->both >= p->o->flip_flag) {
        buf_format(&text,
                   "%llu of %llu answers changed when A and B changed places; the judge prefers a "
                   "place, so trust its ties alone or name another",
                   (unsigned long long)c->flips, (unsigned long long)c->both);
        tell(data, buf_cstr(&text));
    }
    buf_clear(&text);
    if (c->judged && (double)c->prefers_rejected / (double)c->judged >= p->o->rejected_flag) {
        buf_format(&text,
                   "the rejected side wins %llu of %llu pairs; scores and judge do not mean the "
                   "same by good",
                   (unsigned long long)c->prefers_rejected, (unsigned long long)c->judged);
        tell(data, buf_cstr(&text));
    }
    buf_clear(&text);
    if (c->failed) {
        buf_format(&text, "%llu of %llu pairs were not judged; pairwise.reasons says why",
                   (unsigned long long)c->failed, (unsigned long long)c->n);
        tell(data, buf_cstr(&text));
    }
    buf_free(&text);
}

static void add_warning(void *data, const char *text)
{
    json_write_text(data, text);
}

static void write_rate(struct json_writer *w, const char *key, double value)
{
    json_write_key(w, key);
    json_write_real(w, value);
}

static void write_report(const struct pair_run *p, struct buf *out)
{
    const struct pairwise_counts *c = &p->counts;
    struct json_writer writer, *w = &writer;
    struct buf list = {0};
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-grade --pairwise");
    json_write_count(w, "n", c->n);
    json_write_count(w, "n_judged", c->judged);
    json_write_count(w, "failed", c->failed);
    json_write_key(w, "judge");
    json_write_span(w, buf_span(&p->version));
    json_write_key(w, "swap");
    json_write_bool(w, !p->o->no_swap);
    write_rate(w, "position_flip_rate", rate(c->flips, c->both));
    write_rate(w, "tie_rate", rate(c->ties, c->judged));
    write_rate(w, "agrees_with_scores", rate(c->agrees, c->judged));
    json_write_count(w, "prefers_rejected", c->prefers_rejected);
    json_write_key(w, "disagreements");
    buf_byte(&list, '[');
    buf_span_add(&list, buf_span(&p->disagreements));
    buf_byte(&list, ']');
    json_write_raw(w, buf_span(&list));
    buf_free(&list);
    json_write_key(w, "warnings");
    json_write_array(w);
    warnings(p, add_warning, w);
    json_write_end_array(w);
    if (p->judge)
        model_access_report(p->s->setup->models, w);
    json_write_end_object(w);
    buf_byte(out, '\n');
}

/* ---- beginning and end ------------------------------------------------------------------------- */

static int open_judge(struct pair_run *p, struct error *error)
{
    const struct scorer_judge_options *o = p->s->judge;
    const struct scorer_setup *setup = p->s->setup;
    p->judge = judge_model_of(o, false, setup, error);
    if (!p->judge)
        return error->code;
    const struct prompt_parts parts = {.kind = PROMPT_PAIR,
                                       .duties_only = judge_model_decides(p->judge)};
    if (o->prompt.ptr)
        buf_span_add(&p->system, o->prompt);
    else
        prompt_write(&parts, &p->system);
    judge_model_version(p->judge, buf_span(&p->system), "",
                        judge_model_decides(p->judge) ? span_text(QUESTION) : SPAN(""),
                        &p->version);
    p->threads = judge_model_threads(p->judge, setup->jobs);
    return judge_payload_of(o, setup, &p->declared, &p->payload, error);
}

static void close_run(struct pair_run *p)
{
    for (int i = 0; p->workers && i < p->threads; i++) {
        struct pair_worker *w = &p->workers[i];
        judge_sitting_free(&w->sitting);
        buf_free(&w->user);
        buf_free(&w->log);
        verdict_free(&w->verdict);
        json_members_free(&w->asked);
        for (int k = 0; k < 2; k++) {
            buf_free(&w->records[k]);
            buf_free(&w->answers[k].reason);
            json_members_free(&w->members[k]);
        }
    }
    free(p->workers);
    judge_model_close(p->judge);
    row_tools_free(&p->declared);
    buf_free(&p->system);
    buf_free(&p->version);
    buf_free(&p->disagreements);
}

static int filter_pairs(struct pair_run *p, const struct row_source *source, const char *output,
                        struct error *error)
{
    struct error later;
    struct row_writer *writer = row_writer_open(output, error);
    if (!writer)
        return error->code;
    const struct row_filter filter = {.source = *source,
                                      .writer = writer,
                                      .jobs = p->threads,
                                      .batch = 1,
                                      .work = work,
                                      .done = done,
                                      .context = p};
    int rc = row_filter_run(&filter, NULL, error);
    int closed = row_writer_close(writer, rc < 0 ? &later : error);
    return rc < 0 ? rc : closed;
}

int pairwise_run(const struct pairwise_options *options, const struct pairwise_setup *setup,
                 const struct row_source *source, const char *output, struct buf *report,
                 void (*tell)(void *data, const char *text), void *data,
                 struct pairwise_counts *counts, struct error *error)
{
    struct pair_run p = {.o = options, .s = setup};
    int rc = 0;
    if (setup->judge) {
        rc = open_judge(&p, error);
    } else {
        p.threads = setup->program->threads;
        buf_text(&p.version, setup->program->name);
    }
    if (!rc) {
        p.workers = mem_zero((size_t)p.threads, sizeof *p.workers);
        rc = filter_pairs(&p, source, output, error);
        write_report(&p, report);
        warnings(&p, tell, data);
        *counts = p.counts;
        if (!rc && p.counts.n && p.broken == p.counts.n)
            rc = error_set(error, ERROR_REMOTE,
                           "no pair could be asked about; pairwise.reasons of the rows says why");
    }
    close_run(&p);
    return rc;
}
