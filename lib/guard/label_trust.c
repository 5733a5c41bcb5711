/* label_trust.c: see label_trust.h. */
#include "guard/label_trust.h"

#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "row/reply.h"
#include "row/value.h"
#include "stat/stat.h"
#include "text/number.h"

struct labelled {
    bool gold, passed;
    size_t length; /* code points of the reply */
};

struct label_trust {
    struct labelled *rows;
    size_t count, cap;
    uint64_t n_gold, fractional;
    struct row_conversation conversation;
};

struct label_trust *label_trust_new(void)
{
    return mem_zero(1, sizeof(struct label_trust));
}

void label_trust_free(struct label_trust *t)
{
    if (!t)
        return;
    row_conversation_free(&t->conversation);
    free(t->rows);
    free(t);
}

/* A number, or text that is one; booleans are none. */
static bool number_of(const struct json_value *value, double *x)
{
    return value && value->type != JSON_VALUE_TRUE && value->type != JSON_VALUE_FALSE &&
           value_num(*value, x);
}

void label_trust_row(struct label_trust *t, const struct row *row)
{
    const struct json_value *kind = row_get(row, SPAN("gold_kind"));
    double gold, reward;
    if (!kind || !span_is(kind->text, "\"human\"") ||
        !number_of(row_get(row, SPAN("gold_reward")), &gold) || (gold != 0 && gold != 1))
        return;
    t->n_gold++;
    if (!number_of(row_get(row, SPAN("reward")), &reward))
        return;
    if (reward != 0 && reward != 1) {
        t->fractional++;
        return;
    }
    row_conversation_read(&t->conversation, row);
    t->rows = mem_grow(t->rows, &t->cap, t->count + 1, sizeof *t->rows);
    t->rows[t->count++] =
        (struct labelled){gold == 1, reward == 1, row_reply_length(row, &t->conversation)};
}

/* ---- do passes go with length (guard 3.1) ------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Upper median of the lengths under one label; *n counts them. */
static size_t median_length(const struct label_trust *t, bool gold, size_t *n)
{
    size_t *lengths = mem_zero(t->count + 1, sizeof *lengths), median;
    *n = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].gold == gold)
            lengths[(*n)++] = t->rows[i].length;
    if (*n)
        qsort(lengths, *n, sizeof *lengths, by_size);
    median = lengths[*n / 2];
    free(lengths);
    return median;
}

static bool length_bias_under(const struct label_trust *t, bool gold)
{
    size_t n;
    size_t median = median_length(t, gold, &n);
    double counts[2] = {0}, passes[2] = {0};
    if (n < TRUST_LENGTH_ROWS)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->rows[i].gold != gold)
            continue;
        int is_long = t->rows[i].length >= median;
        counts[is_long]++;
        passes[is_long] += t->rows[i].passed;
    }
    if (counts[0] == 0)
        return false;
    double gap = passes[1] / counts[1] - passes[0] / counts[0];
    double pool = (passes[0] + passes[1]) / (double)n;
    double error = sqrt(pool * (1 - pool) * (1 / counts[0] + 1 / counts[1]));
    double p = error > 0  ? 2 * (1 - 0.5 * (1 + erf(fabs(gap) / error / sqrt(2.0))))
               : gap != 0 ? 0
                          : 1;
    return fabs(gap) >= TRUST_LENGTH_GAP && p < TRUST_LENGTH_P;
}

/* ---- the summary ------------------------------------------------------------------------------- */

struct label_trust_summary label_trust_summary(const struct label_trust *t)
{
    double tp = 0, fp = 0, fn = 0, tn = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct labelled *r = &t->rows[i];
        tp += r->gold && r->passed;
        fp += !r->gold && r->passed;
        fn += r->gold && !r->passed;
        tn += !r->gold && !r->passed;
    }
    double n = (double)t->count, failures = fp + tn;
    struct label_trust_summary s = {.n_gold = t->count,
                                    .passed_failures = (uint64_t)fp,
                                    .agreement = NAN,
                                    .low = NAN,
                                    .kappa = stat_kappa(tp, fp, fn, tn),
                                    .one_class = t->count && (failures == 0 || tp + fn == 0)};
    if (t->n_gold)
        s.skipped_share = number_round((double)t->fractional / (double)t->n_gold, 4);
    if (!t->count)
        return s;
    s.agreement = number_round((tp + tn) / n, 4);
    s.low = stat_wilson(tp + tn, n, TRUST_Z).low;
    s.length_bias = !s.one_class && (length_bias_under(t, true) || length_bias_under(t, false));
    bool leaks = fp >= 1 && fp / failures >= TRUST_LEAK;
    s.ok = !leaks && !s.one_class && !s.length_bias && s.low >= TRUST_MIN_AGREEMENT &&
           s.kappa >= TRUST_MIN_KAPPA && s.skipped_share <= TRUST_MAX_SKIPPED;
    s.low = number_round(s.low, 4);
    return s;
}

void label_trust_write(const struct label_trust_summary *s, struct json_writer *w)
{
    if (!s->n_gold) {
        json_write_null(w);
        return;
    }
    json_write_object(w);
    json_write_key(w, "agreement");
    json_write_real(w, s->agreement);
    json_write_key(w, "agreement_low");
    json_write_real(w, s->low);
    json_write_key(w, "kappa");
    json_write_real(w, s->kappa);
    json_write_key(w, "n_gold");
    json_write_int(w, (int64_t)s->n_gold);
    json_write_key(w, "ok");
    json_write_bool(w, s->ok);
    json_write_end_object(w);
}

bool label_trust_warning(const struct label_trust_summary *s, struct buf *out)
{
    unsigned long long n = s->n_gold;
    buf_clear(out);
    if (!n) {
        buf_text(out,
                 "how good the judge is was not measured: no row has a person's label; label 50 "
                 "(gold_reward 0 or 1, gold_kind \"human\") and grade again");
        return true;
    }
    if (s->ok)
        return false;
    buf_format(out,
               "the judge agrees with %llu human labels at %.2f (lower bound %.2f, floor %.2f), "
               "kappa %.2f (floor %.2f)",
               n, s->agreement, s->low, TRUST_MIN_AGREEMENT, s->kappa, TRUST_MIN_KAPPA);
    if (s->one_class)
        buf_text(out, "; every label is the same, so no judge can be told from a constant");
    if (s->passed_failures)
        buf_format(out, "; it passed %llu that people failed",
                   (unsigned long long)s->passed_failures);
    if (s->length_bias)
        buf_text(out, "; it passes by length");
    if (s->skipped_share > TRUST_MAX_SKIPPED)
        buf_format(out, "; %.0f %% of the labelled rows have fractional rewards",
                   100 * s->skipped_share);
    buf_text(out, "; label more, or change the judge's prompt or model");
    return true;
}
