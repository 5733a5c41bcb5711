/* judge_scorer.c: a model judge opened, and its 0 or 1; see judge.h. */
#include <math.h>
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/judge_inside.h"
#include "grade/judge_reply.h"
#include "text/number.h"
#include "text/utf8.h"

/* ---- what a verdict says ----------------------------------------------------------------------- */

static void meta_int(struct verdict *v, struct span key, int64_t value)
{
    struct buf json = {0};
    buf_format(&json, "%lld", (long long)value);
    verdict_meta(v, key, buf_span(&json));
    buf_free(&json);
}

static void meta_span(struct verdict *v, struct span key, struct span text)
{
    struct buf json = {0};
    json_quote(&json, text);
    verdict_meta(v, key, buf_span(&json));
    buf_free(&json);
}

void judge_meta(const struct judge_scorer *j, struct verdict *v, double temperature,
                int64_t max_tokens)
{
    struct buf json = {0};
    verdict_meta_text(v, SPAN("model"), judge_model_name(j->judge));
    verdict_meta_text(v, SPAN("prompt_sha"), j->prompt_digest);
    number_add(&json, temperature);
    verdict_meta(v, SPAN("temperature"), buf_span(&json));
    meta_int(v, SPAN("max_tokens"), max_tokens);
    meta_int(v, SPAN("payload_chars"), (int64_t)j->payload.cap);
    if (j->o.privileged)
        verdict_meta(v, SPAN("privileged"), SPAN("true"));
    meta_span(v, SPAN("version"), buf_span(&j->version));
    buf_free(&json);
}

void judge_trouble_verdict(const struct judge_scorer *j, const struct judge_sitting *s,
                           struct verdict *v)
{
    if (s->trouble == JUDGE_TROUBLE_LATE)
        verdict_timed_out(v, judge_model_timeout(j->judge));
    else
        verdict_failed(v, "%.*s", (int)s->why.len, s->why.len ? s->why.data : "");
    meta_span(v, SPAN("version"), buf_span(&j->version));
}

void judge_label_verdict(const struct judge_scorer *j, const struct row *row, int label,
                         struct span reason, const char *class, struct verdict *v)
{
    struct buf json = {0};
    verdict_score(v, label);
    buf_clear(&v->reason);
    buf_span_add(&v->reason, reason);
    if (label == 0 && !class)
        class = failure_class_by_reason(j->classes, row, reason);
    if (label == 0 && class)
        verdict_meta_text(v, SPAN("failure_class"), class);
    if (j->o.trait) {
        buf_text(&json, "{\"");
        buf_text(&json, "trait:");
        struct buf name = {0};
        json_quote(&name, span_text(j->o.trait));
        buf_span_add(&json, span_slice(buf_span(&name), 1, name.len));
        buf_text(&json, label ? ": 1.0}" : ": 0.0}");
        verdict_meta(v, SPAN("markers"), buf_span(&json));
        buf_free(&name);
    }
    buf_free(&json);
}

/* No verdict could be read: the reply is kept. */
static void unreadable(const struct judge_sitting *s, struct verdict *v)
{
    verdict_unjudged(v, "the judge's reply holds no verdict");
    meta_span(v, SPAN("reply"), utf8_head(s->said, JUDGE_QUOTE_CHARS));
}

/* ---- 0 or 1 ------------------------------------------------------------------------------------ */

struct label_reading {
    int label;
    struct buf *reason;
};

static bool read_label(void *data, struct span reply)
{
    struct label_reading *r = data;
    r->label = judge_reply_label(reply, r->reason);
    return r->label != JUDGE_LABEL_NONE;
}

static struct judge_question question(const struct judge_scorer *j, const struct judge_worker *w,
                                      double temperature, int64_t max_tokens)
{
    return (struct judge_question){buf_span(&j->system), buf_span(&w->user), temperature,
                                   max_tokens, j->kind};
}

static int one_label(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                     struct verdict *v, struct error *error)
{
    struct label_reading r = {.reason = &w->reason};
    bool accepted;
    const struct judge_question q = question(j, w, 0, JUDGE_REPLY_TOKENS);
    int rc = judge_sitting_ask(&w->sitting, &q, read_label, &r, &accepted, error);
    if (rc < 0)
        return rc;
    if (w->sitting.trouble) {
        judge_trouble_verdict(j, &w->sitting, v);
        return 0;
    }
    judge_meta(j, v, 0, JUDGE_REPLY_TOKENS);
    if (accepted)
        judge_label_verdict(j, row, r.label, buf_span(&w->reason), NULL, v);
    else
        unreadable(&w->sitting, v);
    return 0;
}

/* Several samples, and what most of all of them say. */
static int voted_label(struct judge_scorer *j, struct judge_worker *w, const struct row *row,
                       struct verdict *v, struct error *error)
{
    struct buf reasons[2] = {{0}}, json = {0};
    int counts[2] = {0}, rc = 0;
    const struct judge_question q = question(j, w, JUDGE_VOTE_TEMPERATURE, JUDGE_REPLY_TOKENS);
    for (int i = 0; i < j->o.votes && !rc; i++) {
        struct label_reading r = {.reason = &w->reason};
        bool accepted;
        rc = judge_sitting_ask(&w->sitting, &q, read_label, &r, &accepted, error);
        if (rc < 0 || w->sitting.trouble || !accepted)
            continue;
        if (!reasons[r.label].len)
            buf_span_add(&reasons[r.label], buf_span(&w->reason));
        counts[r.label]++;
    }
    int label = counts[1] > counts[0];
    if (!rc && counts[0] + counts[1] == 0 && w->sitting.trouble) {
        judge_trouble_verdict(j, &w->sitting, v);
    } else if (!rc) {
        judge_meta(j, v, JUDGE_VOTE_TEMPERATURE, JUDGE_REPLY_TOKENS);
        buf_format(&json, "{\"0\": %d, \"1\": %d}", counts[0], counts[1]);
        verdict_meta(v, SPAN("votes"), buf_span(&json));
        if (counts[label] * 2 > j->o.votes)
            judge_label_verdict(j, row, label, buf_span(&reasons[label]), NULL, v);
        else
            verdict_unjudged(v, "%d votes for 0 and %d for 1 of %d: no majority", counts[0],
                             counts[1], j->o.votes);
    }
    buf_free(&reasons[0]);
    buf_free(&reasons[1]);
    buf_free(&json);
    return rc;
}

/* ---- a second opinion -------------------------------------------------------------------------- */

struct advice_reading {
    double score;
    struct buf *reason;
};

static bool read_advice(void *data, struct span reply)
{
    struct advice_reading *r = data;
    return judge_reply_advice(reply, &r->score, r->reason);
}

static int advice(struct judge_scorer *j, struct judge_worker *w, struct verdict *v,
                  struct error *error)
{
    struct advice_reading r = {.reason = &w->reason};
    bool accepted;
    const struct judge_question q = question(j, w, 0, JUDGE_REPLY_TOKENS);
    int rc = judge_sitting_ask(&w->sitting, &q, read_advice, &r, &accepted, error);
    if (rc < 0)
        return rc;
    if (w->sitting.trouble) {
        judge_trouble_verdict(j, &w->sitting, v);
    } else if (!accepted) {
        unreadable(&w->sitting, v);
    } else {
        verdict_score(v, r.score);
        buf_span_add(&v->reason, w->reason.len ? buf_span(&w->reason) : SPAN("unstated"));
    }
    return 0;
}

/* ---- one row ----------------------------------------------------------------------------------- */

/* The label that the row has, in front of its record (14.7). */
static void write_audited(const struct row *row, struct span payload, struct buf *out)
{
    const struct json_value *reward = row_get(row, SPAN("reward"));
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_SPACED);
    json_write_object(&w);
    json_write_key(&w, "existing_label");
    json_write_raw(&w, reward ? reward->text : SPAN("null"));
    json_write_key(&w, "record");
    json_write_raw(&w, payload);
    json_write_end_object(&w);
}

static void write_user(struct judge_scorer *j, struct judge_worker *w, const struct row *row)
{
    buf_clear(&w->payload);
    buf_clear(&w->user);
    payload_write(&j->payload, row, &w->payload);
    bool own_words = !j->o.prompt.ptr && !j->o.advisory;
    if (own_words && j->kind != PROMPT_CRITERIA && payload_fault_lead(row, &w->user))
        buf_byte(&w->user, '\n');
    if (j->o.audit && !judge_model_decides(j->judge))
        write_audited(row, buf_span(&w->payload), &w->user);
    else
        buf_span_add(&w->user, buf_span(&w->payload));
}

static int judge_verdict(struct scorer *head, int worker, const struct row *row, struct verdict *v,
                         struct error *error)
{
    struct judge_scorer *j = (struct judge_scorer *)head;
    struct judge_worker *w = &j->workers[worker];
    bool decides = judge_model_decides(j->judge);
    int rc;
    judge_sitting_begin(&w->sitting, j->judge, "row", row->index);
    write_user(j, w, row);
    if (j->kind == PROMPT_CRITERIA)
        rc = judge_criteria_verdict(j, w, row, v, error);
    else if (j->o.advisory)
        rc = decides ? judge_decide_advice(j, w, row, v, error) : advice(j, w, v, error);
    else if (decides)
        rc = judge_decide_label(j, w, row, v, error);
    else if (j->o.votes > 1)
        rc = voted_label(j, w, row, v, error);
    else
        rc = one_label(j, w, row, v, error);
    if (rc == 0 && !decides)
        judge_sitting_entry(&w->sitting, &v->log);
    return rc;
}

static void judge_report(struct scorer *head, struct json_writer *w)
{
    struct judge_scorer *j = (struct judge_scorer *)head;
    struct judge_warm_up up = judge_model_warm_up(j->judge);
    json_write_key(w, "rubric");
    json_write_text(w, j->o.prompt.ptr                                      ? "prompt"
                       : j->o.trait                                         ? "spec"
                       : j->kind == PROMPT_FLOOR || j->kind == PROMPT_AUDIT ? "conduct_floor"
                                                                            : "rubric");
    json_write_key(w, "warmup");
    if (up.tried) {
        json_write_object(w);
        json_write_key(w, "ok");
        json_write_bool(w, up.ok);
        json_write_key(w, "seconds");
        json_write_real(w, number_round(up.seconds, 3));
        json_write_end_object(w);
    } else {
        json_write_null(w);
    }
    json_write_key(w, "unsure");
    json_write_int(w, (int64_t)atomic_load(&j->unsure));
}

/* ---- opening and closing ----------------------------------------------------------------------- */

static void judge_close(struct scorer *head)
{
    struct judge_scorer *j = (struct judge_scorer *)head;
    for (int i = 0; j->workers && i < head->threads; i++) {
        struct judge_worker *w = &j->workers[i];
        judge_sitting_free(&w->sitting);
        buf_free(&w->user);
        buf_free(&w->payload);
        buf_free(&w->reason);
        buf_free(&w->text);
        rubric_free(&w->own);
        free(w->answers);
    }
    free(j->workers);
    judge_model_close(j->judge);
    rubric_free(&j->rubric);
    row_tools_free(&j->declared);
    buf_free(&j->system);
    buf_free(&j->questions);
    buf_free(&j->version);
    failure_classes_free(j->classes);
    arena_free(&j->arena);
    free(head->name);
    free(j);
}

static void write_system(struct judge_scorer *j)
{
    const struct prompt_parts parts = {.kind = j->kind,
                                       .rubric = j->o.prose,
                                       .privileged = j->o.privileged || j->o.trait,
                                       .duties_only = judge_model_decides(j->judge)};
    if (j->o.prompt.ptr)
        buf_span_add(&j->system, j->o.prompt);
    else
        prompt_write(&parts, &j->system);
    judge_digest(buf_span(&j->system), j->prompt_digest);
    if (judge_model_decides(j->judge) && !j->o.row_rubric)
        judge_decide_questions(j, &j->rubric, &j->questions);
    judge_model_version(j->judge, buf_span(&j->system), j->rubric.version, buf_span(&j->questions),
                        &j->version);
}

static void name_it(struct judge_scorer *j)
{
    struct buf name = {0};
    bool floor = j->kind == PROMPT_FLOOR && !j->o.prompt.ptr;
    buf_format(&name, "judge:%s%s", judge_model_name(j->judge), floor ? ":conduct-floor" : "");
    j->head.name = buf_take(&name);
    j->head.model = judge_model_name(j->judge);
    j->head.version = buf_cstr(&j->version);
    j->head.judge = true;
    j->head.floor = floor;
    j->head.criteria = j->kind == PROMPT_CRITERIA;
    j->head.advisory = j->o.advisory;
    j->head.slow = true;
}

struct judge_model *judge_model_of(const struct scorer_judge_options *o, bool chats,
                                   const struct scorer_setup *setup, struct error *error)
{
    const struct judge_model_options model = {.spec = o->spec,
                                              .models = setup->models,
                                              .key_env = o->key_env,
                                              .timeout_s = setup->timeout_s > 0 ? setup->timeout_s
                                                                                : JUDGE_TIMEOUT_S,
                                              .retries = o->retries};
    struct judge_model *judge = judge_model_open(&model, error);
    if (judge && chats && judge_model_decides(judge)) {
        judge_model_close(judge);
        judge = NULL;
        error_set(error, ERROR_USAGE,
                  "%s answers questions about one record; name a model that chats", o->spec);
    }
    return judge;
}

int judge_payload_of(const struct scorer_judge_options *o, const struct scorer_setup *setup,
                     struct row_tools *declared, struct payload_options *payload,
                     struct error *error)
{
    *payload = (struct payload_options){.tools = declared,
                                        .policy = setup->policy,
                                        .privileged = o->privileged,
                                        .cap = o->payload_chars > 0 ? (size_t)o->payload_chars
                                                                    : JUDGE_PAYLOAD_CHARS};
    return setup->tools.len ? row_tools_parse(declared, setup->tools, "--tools", error) : 0;
}

static int read_declared(struct judge_scorer *j, const struct scorer_setup *setup,
                         struct error *error)
{
    int rc = judge_payload_of(&j->o, setup, &j->declared, &j->payload, error);
    j->payload.advisory = j->o.advisory;
    if (j->o.audit)
        j->payload.cap -= AUDIT_LABEL_CHARS;
    if (setup->policy.ptr)
        j->payload.policy = arena_span(&j->arena, setup->policy);
    if (j->o.trait)
        j->payload.principle = j->o.prose;
    return rc;
}

static enum prompt_kind kind_of(const struct scorer_judge_options *o)
{
    return o->advisory                                                       ? PROMPT_ADVISORY
           : o->audit && !span_starts(span_text(o->spec), SPAN("typesafe:")) ? PROMPT_AUDIT
           : o->rubric || o->row_rubric                                      ? PROMPT_CRITERIA
           : o->prose.ptr                                                    ? PROMPT_RUBRIC
                                                                             : PROMPT_FLOOR;
}

/* The options' texts outlive what they came from. */
static void keep_texts(struct judge_scorer *j, const struct scorer_judge_options *options)
{
    struct buf json = {0};
    struct json_writer w;
    struct json_value value;
    struct json_fault fault;
    j->o = *options;
    if (options->prompt.ptr)
        j->o.prompt = arena_span(&j->arena, options->prompt);
    if (options->prose.ptr)
        j->o.prose = arena_span(&j->arena, options->prose);
    if (options->trait)
        j->o.trait = arena_text(&j->arena, options->trait);
    if (options->rubric) {
        json_write_start(&w, &json, JSON_STYLE_COMPACT);
        rubric_write(options->rubric, &w);
        json_scan(buf_span(&json), &value, NULL, &fault);
        rubric_of_value(&j->rubric, value, "rubric", NULL);
    }
    buf_free(&json);
}

static double timeout_of(const struct scorer_judge_options *o, const struct scorer_setup *setup)
{
    if (setup->timeout_s > 0)
        return setup->timeout_s;
    if (span_starts(span_text(o->spec), SPAN("typesafe:")))
        return JUDGE_DECISION_TIMEOUT_S;
    return o->advisory ? JUDGE_ADVISORY_TIMEOUT_S : JUDGE_TIMEOUT_S;
}

struct scorer *scorer_judge_open(const struct scorer_judge_options *options,
                                 const struct scorer_setup *setup, struct error *error)
{
    static const struct scorer_kind kind = {judge_verdict, judge_close, judge_report};
    struct judge_scorer *j = mem_zero(1, sizeof *j);
    j->head.kind = &kind;
    j->kind = kind_of(options);
    keep_texts(j, options);
    const struct judge_model_options model = {.spec = options->spec,
                                              .models = setup->models,
                                              .key_env = options->key_env,
                                              .model = options->model,
                                              .timeout_s = timeout_of(options, setup),
                                              .retries = options->retries};
    int rc = setup->models
                 ? 0
                 : error_set(error, ERROR_USAGE, "%s: no model can judge here", options->spec);
    if (!rc)
        rc = read_declared(j, setup, error);
    if (!rc && !(j->judge = judge_model_open(&model, error)))
        rc = error->code;
    if (rc) {
        judge_close(&j->head);
        return NULL;
    }
    write_system(j);
    name_it(j);
    j->classes = failure_classes_new();
    j->head.threads = judge_model_threads(j->judge, setup->jobs);
    j->workers = mem_zero((size_t)j->head.threads, sizeof *j->workers);
    return &j->head;
}
