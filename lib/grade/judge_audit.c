/* judge_audit.c: see judge_audit.h. */
#include "grade/judge_audit.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/map.h"
#include "base/pool.h"
#include "base/signals.h"
#include "grade/defaults.h"
#include "model/defaults.h"
#include "row/gold.h"
#include "row/store.h"
#include "row/value.h"
#include "text/number.h"
#include "text/term.h"
#include "text/utf8.h"

/* One label under way. */
struct label {
    uint64_t number;
    struct buf line;
    bool graded;    /* the label */
    int auditor;    /* 0, 1, or -1: none */
    struct buf why; /* the auditor's reason, or what went wrong */
    int code;
    struct error error;
};

struct by_reason {
    uint64_t audited, disagreed;
    struct buf examples; /* JSON texts with commas between */
    int shown;
};

struct judge_audit {
    const struct scorer_setup *setup;
    struct scorer *auditor;
    struct verdict *verdicts;
    struct row_store *store;
    bool *labels; /* of the stored rows */
    size_t n, cap;
    struct map graders; /* models, or names, that gave the labels */
    struct buf spec;
    bool replaced; /* the auditor that was named is the grader */
    uint64_t audited, unreachable, agreed, disagreed, false_pass, false_fail;
    struct map reasons;
    struct by_reason *by_reason;
    size_t cap_reasons;
    struct buf disagreements, errors; /* JSON values with commas between */
    int n_errors;
    double seconds;
};

/* ---- rows --------------------------------------------------------------------------------------- */

/* Who gave the row its label: the model, else the judge's name. */
static void add_grader(struct judge_audit *a, const struct row *row)
{
    const struct json_value *meta = row_get(row, SPAN("judge_meta"));
    const struct json_value *name = row_get(row, SPAN("judge_name"));
    struct json_value model = {0};
    struct buf scratch = {0};
    if (meta)
        json_get(*meta, SPAN("model"), &model);
    if (model.type != JSON_VALUE_STRING && name)
        model = *name;
    if (model.type == JSON_VALUE_STRING && a->graders.count < AUDIT_GRADERS)
        map_add(&a->graders, json_text(model, &scratch), NULL);
    buf_free(&scratch);
}

static int gather(struct judge_audit *a, const struct row_source *source, int64_t limit,
                  struct error *error)
{
    struct row_reader *reader = row_reader_open(source, error);
    struct row row;
    int got = 0, rc = reader ? 0 : error->code;
    while (!rc && (got = row_reader_next(reader, &row, error)) > 0) {
        enum row_label label = row_binary(&row);
        size_t at;
        if (label == ROW_LABEL_NONE || (limit >= 0 && (int64_t)a->n >= limit))
            continue;
        rc = row_store_add(a->store, row.line, &at, error);
        a->labels = mem_grow(a->labels, &a->cap, a->n + 1, sizeof *a->labels);
        a->labels[a->n++] = label == ROW_LABEL_PASS;
        add_grader(a, &row);
    }
    if (!rc && got < 0)
        rc = got;
    int closed = reader ? row_reader_close(reader, rc ? &(struct error){0} : error) : 0;
    return rc ? rc : closed;
}

/* ---- the auditor -------------------------------------------------------------------------------- */

static bool is_grader(const struct judge_audit *a, const char *spec, bool *hosted)
{
    struct model_spec parsed = {0};
    bool same = false;
    *hosted = false;
    if (model_spec_parse(spec, &parsed, NULL) == 0) {
        same = map_find(&a->graders, span_text(model_spec_name(&parsed))) != MAP_NONE;
        *hosted = parsed.hosted;
    }
    model_spec_free(&parsed);
    return same;
}

static int choose(struct judge_audit *a, const char *spec, struct error *error)
{
    bool hosted, unused;
    buf_text(&a->spec, spec);
    if (!is_grader(a, spec, &hosted))
        return 0;
    const char *other =
        is_grader(a, MODEL_HOSTED_JUDGE, &unused) ? MODEL_HOSTED_AGENT : MODEL_HOSTED_JUDGE;
    if (!hosted || is_grader(a, other, &unused))
        return error_set(error, ERROR_USAGE,
                         "%s gave these labels itself; name another model with --judge", spec);
    a->replaced = true;
    buf_clear(&a->spec);
    buf_text(&a->spec, other);
    return 0;
}

/* ---- labels under way --------------------------------------------------------------------------- */

static void work(void *context, int worker, void *job)
{
    struct judge_audit *a = context;
    struct label *l = job;
    struct verdict *v = &a->verdicts[worker];
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    l->auditor = -1;
    l->code = signals_caught() ? error_set(&l->error, ERROR_INTERRUPTED, "interrupted") : 0;
    if (!l->code && row_of_text(buf_span(&l->line), &row, &members, &fault) == 0) {
        row.index = l->number;
        l->code = scorer_verdict(a->auditor, worker, &row, v, &l->error);
        if (!l->code && v->judged)
            l->auditor = v->value == 1;
        struct span error = verdict_meta_find(v, "error");
        if (l->code || v->judged || !error.ptr)
            buf_span_add(&l->why, buf_span(&v->reason));
        else
            buf_span_add(&l->why, span_slice(error, 1, error.len - 1));
        if (!v->judged && !l->why.len)
            buf_text(&l->why, verdict_status_name(v->status));
    }
    json_members_free(&members);
}

static struct span text_of(const struct row *row, const char *key, struct buf *scratch)
{
    const struct json_value *value = row_get_set(row, span_text(key));
    return value ? row_content_text(*value, scratch) : SPAN("");
}

static void comma(struct buf *list)
{
    if (list->len)
        buf_byte(list, ',');
}

static void member(struct json_writer *w, const char *key, struct span text, size_t limit)
{
    json_write_key(w, key);
    json_write_span(w, utf8_head(text, limit));
}

static void add_disagreement(struct judge_audit *a, const struct label *l, struct span prompt,
                             struct span reason)
{
    struct json_writer w;
    comma(&a->disagreements);
    json_write_start(&w, &a->disagreements, JSON_STYLE_COMPACT);
    json_write_object(&w);
    member(&w, "prompt", prompt, AUDIT_PROMPT_CHARS);
    json_write_key(&w, "graded");
    json_write_int(&w, l->graded);
    json_write_key(&w, "auditor");
    json_write_int(&w, l->auditor);
    member(&w, "judge_reason", reason, AUDIT_REASON_CHARS);
    member(&w, "audit_reason", buf_span(&l->why), AUDIT_REASON_CHARS);
    json_write_end_object(&w);
}

static struct by_reason *reason_entry(struct judge_audit *a, struct span reason)
{
    bool fresh;
    struct span key =
        reason.len ? utf8_head(reason, AUDIT_REASON_CHARS) : SPAN("(no reason given)");
    size_t at = map_add(&a->reasons, key, &fresh);
    a->by_reason = mem_grow(a->by_reason, &a->cap_reasons, at + 1, sizeof *a->by_reason);
    if (fresh)
        a->by_reason[at] = (struct by_reason){0};
    return &a->by_reason[at];
}

static void add_error(struct judge_audit *a, const struct label *l)
{
    a->unreachable++;
    if (a->n_errors++ >= AUDIT_ERRORS)
        return;
    comma(&a->errors);
    json_quote(&a->errors, buf_span(&l->why));
}

/* Counts a label that has been read again. */
static void settle(struct judge_audit *a, const struct label *l)
{
    struct row row;
    struct json_members members = {0};
    struct json_fault fault;
    struct buf scratch = {0}, said = {0};
    if (l->auditor < 0) {
        add_error(a, l);
        return;
    }
    row_of_text(buf_span(&l->line), &row, &members, &fault);
    struct span prompt = text_of(&row, "prompt", &scratch), reason = text_of(&row, "reason", &said);
    struct by_reason *entry = reason_entry(a, reason);
    a->audited++;
    entry->audited++;
    if (l->auditor == (int)l->graded) {
        a->agreed++;
    } else {
        a->disagreed++;
        a->false_pass += l->graded;
        a->false_fail += !l->graded;
        entry->disagreed++;
        if (entry->shown++ < AUDIT_EXAMPLES) {
            comma(&entry->examples);
            json_quote(&entry->examples, utf8_head(prompt, AUDIT_PROMPT_CHARS));
        }
        add_disagreement(a, l, prompt, reason);
    }
    json_members_free(&members);
    buf_free(&scratch);
    buf_free(&said);
}

static void free_label(struct label *l)
{
    buf_free(&l->line);
    buf_free(&l->why);
    free(l);
}

/* Takes one that is done. 1: there is none; a code of its own stops the run. */
static int take(struct judge_audit *a, struct pool *pool, struct error *error)
{
    struct label *l = pool_take(pool, POOL_WAIT);
    if (!l)
        return 1;
    int code = l->code;
    if (code)
        *error = l->error;
    else
        settle(a, l);
    free_label(l);
    return code;
}

static int ask_all(struct judge_audit *a, struct error *error)
{
    struct pool *pool = pool_open(a->auditor->threads, 0, work, a);
    struct buf scratch = {0};
    struct error later;
    int rc = 0, last;
    for (size_t i = 0; i < a->n && !rc; i++) {
        struct label *l = mem_zero(1, sizeof *l);
        struct span line;
        l->number = i;
        l->graded = a->labels[i];
        rc = row_store_get(a->store, i, &scratch, &line, error);
        if (!rc)
            buf_span_add(&l->line, line);
        while (!rc && pool_full(pool))
            rc = take(a, pool, error);
        if (rc)
            free_label(l);
        else
            pool_submit(pool, l);
    }
    while ((last = take(a, pool, rc ? &later : error)) <= 0)
        rc = rc ? rc : last;
    pool_close(pool);
    buf_free(&scratch);
    return rc;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct judge_audit *judge_audit_run(const struct judge_audit_options *options,
                                    const struct scorer_setup *setup,
                                    const struct row_source *source, struct error *error)
{
    struct judge_audit *a = mem_zero(1, sizeof *a);
    struct scorer_judge_options judge = options->judge;
    a->setup = setup;
    a->store = row_store_new(STORE_MEMORY);
    int rc = gather(a, source, options->limit, error);
    if (!rc)
        rc = choose(a, judge.spec, error);
    judge.spec = buf_cstr(&a->spec);
    judge.audit = true;
    if (!rc && !(a->auditor = scorer_judge_open(&judge, setup, error)))
        rc = error->code;
    if (!rc) {
        double start = now_s();
        a->verdicts = mem_zero((size_t)a->auditor->threads, sizeof *a->verdicts);
        rc = ask_all(a, error);
        a->seconds = now_s() - start;
    }
    if (rc) {
        judge_audit_free(a);
        return NULL;
    }
    return a;
}

void judge_audit_free(struct judge_audit *a)
{
    if (!a)
        return;
    for (int i = 0; a->verdicts && i < a->auditor->threads; i++)
        verdict_free(&a->verdicts[i]);
    for (size_t i = 0; i < a->reasons.count; i++)
        buf_free(&a->by_reason[i].examples);
    free(a->verdicts);
    scorer_close(a->auditor);
    row_store_free(a->store);
    map_free(&a->graders);
    map_free(&a->reasons);
    free(a->by_reason);
    free(a->labels);
    buf_free(&a->spec);
    buf_free(&a->disagreements);
    buf_free(&a->errors);
    free(a);
}

bool judge_audit_unreachable(const struct judge_audit *a)
{
    return a->n && !a->audited;
}

/* ---- findings ----------------------------------------------------------------------------------- */

static double rate_of(const struct by_reason *r)
{
    return number_round((double)r->disagreed / (double)r->audited, 3);
}

struct finding {
    const char *code, *level;
    struct buf text;
};

static void give(void (*each)(void *data, const struct finding *f), void *data, struct finding *f)
{
    each(data, f);
    buf_free(&f->text);
}

static void reason_findings(const struct judge_audit *a,
                            void (*each)(void *data, const struct finding *f), void *data)
{
    bool *told = mem_zero(a->reasons.count + 1, sizeof *told);
    for (;;) { /* the most disagreements first */
        size_t worst = a->reasons.count;
        for (size_t i = 0; i < a->reasons.count; i++) {
            const struct by_reason *r = &a->by_reason[i];
            if (!told[i] && r->disagreed >= 2 && rate_of(r) >= AUDIT_REASON_RATE &&
                (worst == a->reasons.count || r->disagreed > a->by_reason[worst].disagreed))
                worst = i;
        }
        if (worst == a->reasons.count)
            break;
        told[worst] = true;
        const struct by_reason *r = &a->by_reason[worst];
        struct finding f = {"reason_disputed", "warn", {0}};
        buf_format(&f.text, "the auditor disputes %llu of %llu labels given for: ",
                   (unsigned long long)r->disagreed, (unsigned long long)r->audited);
        term_add(&f.text, a->reasons.keys[worst]);
        give(each, data, &f);
    }
    free(told);
}

static void findings(const struct judge_audit *a, void (*each)(void *data, const struct finding *f),
                     void *data)
{
    struct finding f = {"false_pass", "red", {0}};
    if (a->false_pass >= 2) {
        buf_format(
            &f.text,
            "%llu rows that the grader passed fail with the auditor; training on them trains "
            "the failure",
            (unsigned long long)a->false_pass);
        give(each, data, &f);
    }
    f = (struct finding){"false_fail", "warn", {0}};
    if (a->false_fail >= 2) {
        buf_format(&f.text, "%llu rows that the grader failed pass with the auditor",
                   (unsigned long long)a->false_fail);
        give(each, data, &f);
    }
    reason_findings(a, each, data);
    f = (struct finding){"auditor_replaced", "note", {0}};
    if (a->replaced) {
        buf_format(&f.text,
                   "the auditor that was named gave these labels itself; %s reads them "
                   "instead",
                   buf_cstr((struct buf *)&a->spec));
        give(each, data, &f);
    }
}

/* ---- the report --------------------------------------------------------------------------------- */

static void write_finding(void *data, const struct finding *f)
{
    struct json_writer *w = data;
    json_write_object(w);
    json_write_key(w, "code");
    json_write_text(w, f->code);
    json_write_key(w, "level");
    json_write_text(w, f->level);
    json_write_key(w, "text");
    json_write_span(w, buf_span(&f->text));
    json_write_end_object(w);
}

static void write_list(struct json_writer *w, const char *key, const struct buf *items)
{
    struct buf list = {0};
    buf_byte(&list, '[');
    buf_span_add(&list, buf_span(items));
    buf_byte(&list, ']');
    json_write_key(w, key);
    json_write_raw(w, buf_span(&list));
    buf_free(&list);
}

static void write_reasons(const struct judge_audit *a, struct json_writer *w)
{
    json_write_key(w, "by_judge_reason");
    json_write_object(w);
    for (size_t i = 0; i < a->reasons.count; i++) {
        const struct by_reason *r = &a->by_reason[i];
        json_write_key_span(w, a->reasons.keys[i]);
        json_write_object(w);
        json_write_count(w, "audited", r->audited);
        json_write_count(w, "disagreed", r->disagreed);
        write_list(w, "examples", &r->examples);
        json_write_key(w, "disagree_rate");
        json_write_real(w, rate_of(r));
        json_write_end_object(w);
    }
    json_write_end_object(w);
}

static const char *status_of(const struct judge_audit *a)
{
    return !a->n ? "empty" : a->audited ? "audited" : "unreachable";
}

static void write_grader(const struct judge_audit *a, struct json_writer *w)
{
    json_write_key(w, "grader");
    if (a->graders.count)
        json_write_span(w, a->graders.keys[0]);
    else
        json_write_null(w);
}

void judge_audit_json(const struct judge_audit *a, struct buf *out)
{
    struct json_writer writer, *w = &writer;
    json_write_start(w, out, JSON_STYLE_COMPACT);
    json_write_object(w);
    json_write_key(w, "wai_report");
    json_write_text(w, "wai-judge audit");
    json_write_key(w, "status");
    json_write_text(w, status_of(a));
    json_write_count(w, "audited", a->audited);
    json_write_count(w, "unreachable", a->unreachable);
    json_write_count(w, "agreed", a->agreed);
    json_write_count(w, "disagreed", a->disagreed);
    write_list(w, "disagreements", &a->disagreements);
    write_reasons(a, w);
    json_write_key(w, "findings");
    json_write_array(w);
    findings(a, write_finding, w);
    json_write_end_array(w);
    json_write_count(w, "false_pass", a->false_pass);
    json_write_count(w, "false_fail", a->false_fail);
    write_list(w, "errors", &a->errors);
    json_write_key(w, "backend");
    json_write_span(w, buf_span(&a->spec));
    write_grader(a, w);
    json_write_key(w, "auditor");
    json_write_text(w, a->auditor->version);
    a->auditor->kind->report(a->auditor, w);
    model_access_report(a->setup->models, w);
    json_write_key(w, "seconds");
    json_write_real(w, a->seconds);
    json_write_key(w, "seconds_per_row");
    json_write_real(w, a->n ? a->seconds / (double)a->n : NAN);
    json_write_end_object(w);
    buf_byte(out, '\n');
}

static void tell_finding(void *data, const struct finding *f)
{
    struct buf *out = data;
    buf_format(out, "! %s: ", f->level);
    buf_span_add(out, buf_span(&f->text));
    buf_byte(out, '\n');
}

void judge_audit_text(const struct judge_audit *a, struct buf *out)
{
    buf_format(out, "%llu labels read again by %s: %llu agreed, %llu disagreed",
               (unsigned long long)a->audited, a->auditor->model, (unsigned long long)a->agreed,
               (unsigned long long)a->disagreed);
    if (a->audited)
        buf_format(out, " (%.1f %%)", 100 * (double)a->disagreed / (double)a->audited);
    buf_format(out, "\npassed by the grader, failed by the auditor: %llu; the other way: %llu\n",
               (unsigned long long)a->false_pass, (unsigned long long)a->false_fail);
    if (a->unreachable)
        buf_format(out, "%llu labels got no answer\n", (unsigned long long)a->unreachable);
    findings(a, tell_finding, out);
}
