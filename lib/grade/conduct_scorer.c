/* conduct_scorer.c: --conduct and --checklist: the rules of conduct.h and the outcome of checklist.h
 * as scorers. */
#include <stdlib.h>

#include "grade/checklist.h"
#include "grade/conduct.h"
#include "grade/defaults.h"
#include "grade/scorer.h"
#include "row/tools.h"
#include "json/write.h"

struct conduct_worker {
    struct conduct_row row;
    struct conduct_verdict verdict;
    struct buf json;
};

struct conduct_scorer {
    struct scorer head;
    bool checklist;
    struct conduct_words *words;
    struct row_tools tools;
    struct map declared;
    struct tool_hints hints;
    struct conduct_worker *workers;
};

static void conduct_close(struct scorer *s)
{
    struct conduct_scorer *c = (struct conduct_scorer *)s;
    for (int i = 0; i < c->head.threads; i++) {
        conduct_row_free(&c->workers[i].row);
        buf_free(&c->workers[i].verdict.reason);
        buf_free(&c->workers[i].json);
    }
    free(c->workers);
    conduct_words_free(c->words);
    row_tools_free(&c->tools);
    map_free(&c->declared);
    tool_hints_free(&c->hints);
    free(c->head.name);
    free(c);
}

static void write_markers(const struct conduct_verdict *conduct,
                          const struct checklist_outcome *outcome, struct buf *out)
{
    struct json_writer w;
    buf_clear(out);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "conduct");
    json_write_real(&w, conduct->reward);
    json_write_key(&w, "outcome_checked");
    json_write_real(&w, outcome->checked);
    for (size_t i = 0; i < outcome->n_checks; i++) {
        json_write_key(&w, outcome->checks[i].marker);
        json_write_real(&w, outcome->checks[i].value);
    }
    if (outcome->checked) {
        json_write_key(&w, "outcome");
        json_write_real(&w, outcome->met);
    }
    json_write_end_object(&w);
}

static int conduct_verdict_of(struct scorer *s, int worker, const struct row *row,
                              struct verdict *v, struct error *error)
{
    struct conduct_scorer *c = (struct conduct_scorer *)s;
    struct conduct_worker *w = &c->workers[worker];
    struct checklist_outcome outcome = {0};
    (void)error;
    conduct_row_read(&w->row, row);
    conduct_judge(&w->row, c->words, &c->declared, &w->verdict);
    if (c->checklist)
        checklist_read(&w->row, c->words, &c->hints, &outcome);
    const struct conduct_verdict *conduct = &w->verdict;
    double reward = outcome.checked && !outcome.met ? 0 : conduct->reward;
    struct span reason = buf_span(&conduct->reason);
    if (outcome.checked && conduct->reward > 0)
        reason = span_text(outcome.reason);
    verdict_score(v, reward);
    verdict_reason(v, "%.*s", (int)reason.len, reason.ptr);
    v->fault = conduct->fault_detected ? VERDICT_FAULT_DETECTED : VERDICT_FAULT_NONE;
    verdict_meta_text(v, SPAN("rule"), conduct_rule_name(conduct->rule));
    verdict_meta(v, SPAN("fault_detected"), conduct->fault_detected ? SPAN("true") : SPAN("false"));
    const char *class = conduct_rule_class(conduct->rule);
    if (reward == 0 && class)
        verdict_meta_text(v, SPAN("failure_class"), class);
    if (c->checklist) {
        write_markers(conduct, &outcome, &w->json);
        verdict_meta(v, SPAN("markers"), buf_span(&w->json));
    }
    return 0;
}

static struct scorer *open_conduct(const struct scorer_setup *setup, bool checklist,
                                   struct error *error)
{
    static const struct scorer_kind kind = {conduct_verdict_of, conduct_close};
    struct conduct_scorer *c = mem_zero(1, sizeof *c);
    c->head.kind = &kind;
    c->head.name = mem_text(checklist ? "task_checklist" : "conduct");
    c->head.meta_kind = "rule";
    c->head.threads = scorer_jobs(setup, CONDUCT_JOBS_MAX);
    c->checklist = checklist;
    c->words = conduct_words_new();
    c->workers = mem_zero((size_t)c->head.threads, sizeof *c->workers);
    if (setup->tools.len && row_tools_parse(&c->tools, setup->tools, "--tools", error) < 0) {
        conduct_close(&c->head);
        return NULL;
    }
    for (size_t i = 0; i < c->tools.count; i++)
        map_add(&c->declared, c->tools.items[i].name, NULL);
    tool_hints_read(&c->hints, &c->tools);
    return &c->head;
}

struct scorer *scorer_conduct_open(const struct scorer_setup *setup, struct error *error)
{
    return open_conduct(setup, false, error);
}

struct scorer *scorer_checklist_open(const struct scorer_setup *setup, struct error *error)
{
    return open_conduct(setup, true, error);
}
