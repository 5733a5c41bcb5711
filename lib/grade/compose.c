/* compose.c: one verifier as a scorer, or several that combine (grade 9). */
#include <stdlib.h>

#include "base/options.h"
#include "grade/defaults.h"
#include "grade/scorer.h"
#include "grade/verify.h"
#include "text/number.h"
#include "json/write.h"

struct verify_scorer {
    struct scorer head;
    enum verify_compose compose;
    struct verifier **parts;
    char **labels; /* of the parts: their names, a repeated one with #2, #3 */
    double *weights;
    double total;
    size_t n;
    struct workspace { /* per worker */
        struct buf scratch[VERIFY_SCRATCH];
        struct verdict *verdicts; /* one per part */
    } * workspaces;
};

static const char *const COMPOSED[] = {"All", "Any", "Weighted"};

/* ---- combining
 * ---------------------------------------------------------------------------------------- */

static void take(struct verdict *to, const struct verdict *from)
{
    struct buf text = {0};
    verdict_store(from, &text);
    verdict_load(to, buf_span(&text));
    buf_free(&text);
}

static void set_parts_list(struct verdict *v, const struct verdict *parts, size_t n)
{
    struct buf json = {0};
    buf_byte(&json, '[');
    for (size_t i = 0, written = 0; i < n; i++) {
        if (!parts[i].judged)
            continue;
        if (written++)
            buf_byte(&json, ',');
        buf_span_add(&json, buf_span(&parts[i].reward));
    }
    buf_byte(&json, ']');
    verdict_meta(v, SPAN("parts"), buf_span(&json));
    buf_free(&json);
}

static const struct verdict *first_unjudged(const struct verify_scorer *s,
                                            const struct verdict *parts)
{
    for (size_t i = 0; i < s->n; i++)
        if (!parts[i].judged)
            return &parts[i];
    return NULL;
}

static void combine_extreme(const struct verify_scorer *s, const struct verdict *parts,
                            struct verdict *out)
{
    const struct verdict *best = NULL, *missing = first_unjudged(s, parts);
    bool all = s->compose == VERIFY_ALL;
    for (size_t i = 0; i < s->n; i++) {
        if (!parts[i].judged)
            continue;
        if (!best || (all ? parts[i].value < best->value : parts[i].value > best->value))
            best = &parts[i];
    }
    if (missing && (all || !best)) {
        take(out, missing);
        return;
    }
    verdict_score(out, best->value);
    buf_span_add(&out->reason, buf_span(&best->reason));
    set_parts_list(out, parts, s->n);
}

static void combine_weighted(const struct verify_scorer *s, const struct verdict *parts,
                             struct verdict *out)
{
    const struct verdict *missing = first_unjudged(s, parts);
    if (missing) {
        take(out, missing);
        struct buf reason = {0};
        buf_text(&reason, "Weighted: ");
        buf_span_add(&reason, buf_span(&out->reason));
        buf_free(&out->reason);
        out->reason = reason;
        return;
    }
    struct buf json = {0};
    double sum = 0;
    buf_byte(&json, '{');
    for (size_t i = 0; i < s->n; i++) {
        sum += s->weights[i] * parts[i].value;
        if (i)
            buf_byte(&json, ',');
        json_quote(&json, span_text(s->labels[i]));
        buf_byte(&json, ':');
        buf_span_add(&json, buf_span(&parts[i].reward));
    }
    buf_byte(&json, '}');
    verdict_score(out, number_round(sum / s->total, 4));
    verdict_reason(out, "weighted mean %.*s of %zu checks", (int)out->reward.len, out->reward.data,
                   s->n);
    verdict_meta(out, SPAN("parts"), buf_span(&json));
    buf_free(&json);
}

static int composed_verdict(struct scorer *head, int worker, const struct row *row,
                            struct verdict *v, struct error *error)
{
    struct verify_scorer *s = (struct verify_scorer *)head;
    struct workspace *w = &s->workspaces[worker];
    if (s->n == 1)
        return verifier_run(s->parts[0], worker, row, w->scratch, v, error);
    for (size_t i = 0; i < s->n; i++) {
        int rc = verifier_run(s->parts[i], worker, row, w->scratch, &w->verdicts[i], error);
        if (rc < 0)
            return rc;
    }
    if (s->compose == VERIFY_WEIGHTED)
        combine_weighted(s, w->verdicts, v);
    else
        combine_extreme(s, w->verdicts, v);
    verdict_meta_text(v, SPAN("verifier"), COMPOSED[s->compose]);
    return 0;
}

/* ---- opening
 * ------------------------------------------------------------------------------------------ */

static void composed_close(struct scorer *head)
{
    struct verify_scorer *s = (struct verify_scorer *)head;
    for (size_t i = 0; s->parts && i < s->n; i++)
        verifier_close(s->parts[i]);
    for (size_t i = 0; s->labels && i < s->n; i++)
        free(s->labels[i]);
    for (int j = 0; s->workspaces && j < head->threads; j++) {
        for (size_t k = 0; k < VERIFY_SCRATCH; k++)
            buf_free(&s->workspaces[j].scratch[k]);
        for (size_t i = 0; i < s->n; i++)
            verdict_free(&s->workspaces[j].verdicts[i]);
        free(s->workspaces[j].verdicts);
    }
    free(s->workspaces);
    free(s->parts);
    free(s->labels);
    free(s->weights);
    free(head->name);
    free(s);
}

static int read_weights(struct verify_scorer *s, const char *text, struct error *error)
{
    s->weights = mem_zero(s->n, sizeof *s->weights);
    for (size_t i = 0; i < s->n; i++) {
        char word[64];
        size_t n = strcspn(text, ",");
        if (n == 0 || n >= sizeof word)
            return error_set(error, ERROR_USAGE,
                             "--weights gives %zu numbers for %zu verifiers; give one each", i,
                             s->n);
        memcpy(word, text, n);
        word[n] = '\0';
        if (option_read_real(word, &s->weights[i]) || !(s->weights[i] > 0))
            return error_set(error, ERROR_USAGE,
                             "--weights: %s is no weight; a number above 0 is wanted", word);
        s->total += s->weights[i];
        text += n + (text[n] == ',');
    }
    if (*text)
        return error_set(error, ERROR_USAGE,
                         "--weights gives more numbers than the %zu verifiers; give one each",
                         s->n);
    return 0;
}

static void label_parts(struct verify_scorer *s)
{
    s->labels = mem_zero(s->n, sizeof *s->labels);
    for (size_t i = 0; i < s->n; i++) {
        size_t same = 1;
        for (size_t j = 0; j < i; j++)
            same += strcmp(s->parts[j]->name, s->parts[i]->name) == 0;
        struct buf label = {0};
        buf_text(&label, s->parts[i]->name);
        if (same > 1)
            buf_format(&label, "#%zu", same);
        s->labels[i] = buf_take(&label);
    }
}

static int open_parts(struct verify_scorer *s, const struct scorer_verify_options *options,
                      const struct scorer_setup *setup, struct error *error)
{
    s->head.threads = scorer_jobs(setup, EXPR_JOBS_MAX);
    for (size_t i = 0; i < options->n_specs; i++)
        if (verify_slow(options->specs[i]))
            s->head.slow = true;
    if (s->head.slow)
        s->head.threads = scorer_jobs(setup, CMD_JOBS_MAX);
    for (size_t i = 0; i < s->n; i++) {
        s->parts[i] = verifier_open(options->specs[i], s->head.threads, setup->timeout_s, error);
        if (!s->parts[i])
            return ERROR_USAGE;
        if (s->parts[i]->warning && !s->head.warning)
            s->head.warning = s->parts[i]->warning;
    }
    return options->compose == VERIFY_WEIGHTED ? read_weights(s, options->weights, error) : 0;
}

struct scorer *scorer_verify_open(const struct scorer_verify_options *options,
                                  const struct scorer_setup *setup, struct error *error)
{
    static const struct scorer_kind kind = {composed_verdict, composed_close};
    struct verify_scorer *s = mem_zero(1, sizeof *s);
    s->head.kind = &kind;
    s->head.meta_kind = "rule";
    s->compose = options->compose;
    s->n = options->n_specs;
    s->parts = mem_zero(s->n, sizeof *s->parts);
    if (open_parts(s, options, setup, error) < 0) {
        composed_close(&s->head);
        return NULL;
    }
    label_parts(s);
    s->head.children = s->head.slow;
    s->head.name = mem_text(s->n == 1 ? s->parts[0]->name : COMPOSED[s->compose]);
    s->workspaces = mem_zero((size_t)s->head.threads, sizeof *s->workspaces);
    for (int j = 0; j < s->head.threads; j++)
        s->workspaces[j].verdicts = mem_zero(s->n, sizeof(struct verdict));
    return &s->head;
}
