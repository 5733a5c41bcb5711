/* hygiene.c: see hygiene.h. */
#include "guard/hygiene.h"

#include <math.h>
#include <stdlib.h>

#include "guard/defaults.h"
#include "guard/hack_inside.h"
#include "row/reply.h"
#include "row/signature.h"
#include "row/value.h"
#include "text/digest.h"
#include "text/fold.h"

struct hygiene {
    const struct hygiene_options *o;
    struct map asks, seen; /* seen: ask, signature, reply */
    int8_t *first_label;   /* by number among the seen */
    size_t cap_first;
    bool *affected; /* by ask */
    size_t cap_affected;
    uint64_t *lengths;
    uint32_t *group;
    size_t n, cap_lengths, cap_group, n_truncated;
    struct duplicate_report duplicates;
    struct correlator *correlator;
    struct coverage *coverage;
    struct row_conversation conversation;
    struct buf scratch, folded;
};

struct hygiene *hygiene_new(const struct hygiene_options *options)
{
    struct hygiene *h = mem_zero(1, sizeof *h);
    h->o = options;
    h->correlator = correlator_new();
    h->coverage = coverage_new();
    return h;
}

void hygiene_free(struct hygiene *h)
{
    if (!h)
        return;
    map_free(&h->asks);
    map_free(&h->seen);
    free(h->first_label);
    free(h->affected);
    free(h->lengths);
    free(h->group);
    correlator_free(h->correlator);
    coverage_free(h->coverage);
    row_conversation_free(&h->conversation);
    buf_free(&h->scratch);
    buf_free(&h->folded);
    free(h);
}

/* The reply says, and the calls do, what an earlier rollout of the ask did. */
static bool is_repeat(struct hygiene *h, const struct row *row, size_t ask)
{
    struct {
        uint64_t ask;
        char signature[ROW_SIGNATURE_LENGTH + 4];
        uint8_t reply[SHA256_BYTES];
    } key = {.ask = ask};
    const struct json_value *final = row_get(row, SPAN("final_text"));
    bool fresh;
    buf_clear(&h->folded);
    text_fold(final && json_truthy(*final) ? value_text(*final, &h->scratch) : SPAN(""),
              &h->folded);
    digest_sha256(buf_span(&h->folded), key.reply);
    row_signature(row, key.signature);
    size_t number = map_add(&h->seen, span_make((const char *)&key, sizeof key), &fresh);
    int8_t label = (int8_t)row_label(row);
    h->first_label = mem_grow(h->first_label, &h->cap_first, number + 1, sizeof *h->first_label);
    if (fresh) {
        h->first_label[number] = label;
        return false;
    }
    h->duplicates.n_dropped++;
    h->duplicates.conflicting +=
        label >= 0 && h->first_label[number] >= 0 && label != h->first_label[number];
    h->duplicates.groups_affected += !h->affected[ask];
    h->affected[ask] = true;
    return true;
}

bool hygiene_add(struct hygiene *h, const struct row *row)
{
    bool fresh;
    size_t ask = map_add(&h->asks, guard_group(row, h->o->group_by, &h->scratch), &fresh);
    h->affected = mem_grow(h->affected, &h->cap_affected, ask + 1, sizeof *h->affected);
    if (fresh)
        h->affected[ask] = false;
    row_conversation_read(&h->conversation, row);
    h->lengths = mem_grow(h->lengths, &h->cap_lengths, h->n + 1, sizeof *h->lengths);
    h->group = mem_grow(h->group, &h->cap_group, h->n + 1, sizeof *h->group);
    h->lengths[h->n] = row_reply_length(row, &h->conversation);
    h->group[h->n++] = (uint32_t)ask;
    h->n_truncated += row_is_truncated(row);
    h->duplicates.n++;
    correlator_add(h->correlator, row, &h->conversation);
    coverage_add(h->coverage, row);
    return !is_repeat(h, row, ask);
}

static double share(size_t part, size_t all)
{
    return all ? (double)part / (double)all : 0.0;
}

static void judge(const struct hygiene *h, struct hygiene_report *r)
{
    const struct duplicate_report *d = &r->duplicates;
    struct findings *f = &r->findings;
    if (d->n_dropped)
        findings_add(
            f, d->conflicting ? FINDING_RED : FINDING_WARN, "duplicates",
            d->conflicting
                ? "%zu rows repeat another of their ask, in %zu asks, and %zu of them with "
                  "another reward: the judge is noisy; grade the rows again"
                : "%zu rows repeat another of their ask, in %zu asks; --dedupe-out writes "
                  "the others",
            d->n_dropped, d->groups_affected, d->conflicting);
    if (r->near.n_pairs)
        findings_add(f, FINDING_WARN, "near_duplicates",
                     "%llu pairs of asks, %zu of %zu asks, share %g of their words or more; they "
                     "are nearly one task",
                     (unsigned long long)r->near.n_pairs, r->near.n_involved, r->near.n_prompts,
                     r->near.threshold);
    if (r->lengths.n_truncated)
        findings_add(f, FINDING_WARN, "truncated",
                     "%zu of %zu replies end in the middle; raise the token cap or drop them",
                     r->lengths.n_truncated, r->lengths.n);
    if (r->lengths.n_wide)
        findings_add(f, FINDING_WARN, "wide_spread",
                     "%zu of %zu asks have a reply over %g times as long as their median; length "
                     "can stand in for quality",
                     r->lengths.n_wide, r->lengths.n_groups_multi, r->lengths.max_spread);
    for (size_t i = 0; i < r->correlations.count; i++)
        if (r->correlations.items[i].flagged)
            findings_add(f, FINDING_RED, "reward_tracks",
                         "the reward %s %s (r %.2f over all rows); wai-scan hacks tells whether "
                         "that holds within an ask",
                         r->correlations.items[i].r > 0 ? "pays for" : "punishes",
                         r->correlations.items[i].name, r->correlations.items[i].r);
    findings_append(f, &r->coverage);
    r->red = d->conflicting > 0 || findings_have(f, "reward_tracks") ||
             share(d->n_dropped, d->n) > h->o->max_duplicates ||
             share(r->lengths.n_truncated, r->lengths.n) > h->o->max_truncated;
}

void hygiene_measure(struct hygiene *h, struct hygiene_report *r)
{
    *r = (struct hygiene_report){.duplicates = h->duplicates};
    near_measure(h->asks.keys, h->asks.count, h->o->near, &r->near);
    length_measure(h->lengths, h->group, h->n, h->asks.count, h->o->max_spread, &r->lengths);
    r->lengths.n_truncated = h->n_truncated;
    correlator_measure(h->correlator, h->o->threshold, &r->correlations);
    coverage_measure(h->coverage, h->o->tools, &r->coverage);
    judge(h, r);
}

void hygiene_report_free(struct hygiene_report *r)
{
    findings_free(&r->coverage);
    findings_free(&r->findings);
}

void duplicate_write(const struct duplicate_report *d, struct json_writer *w)
{
    json_write_object(w);
    json_write_count(w, "n", d->n);
    json_write_count(w, "n_kept", d->n - d->n_dropped);
    json_write_count(w, "n_dropped", d->n_dropped);
    json_write_count(w, "groups_affected", d->groups_affected);
    json_write_key(w, "duplicate_rate");
    json_write_real(w, share(d->n_dropped, d->n));
    json_write_count(w, "conflicting_rewards", d->conflicting);
    json_write_end_object(w);
}

void hygiene_write(const struct hygiene *h, const struct hygiene_report *r, struct json_writer *w)
{
    json_write_key(w, "duplicates");
    duplicate_write(&r->duplicates, w);
    json_write_key(w, "near_duplicates");
    near_write(&r->near, h->asks.keys, w);
    json_write_key(w, "lengths");
    length_write(&r->lengths, w);
    json_write_key(w, "correlations");
    correlation_write(&r->correlations, w);
    json_write_key(w, "coverage");
    json_write_array(w);
    for (size_t i = 0; i < r->coverage.count; i++)
        json_write_text(w, r->coverage.items[i].text);
    json_write_end_array(w);
    findings_write(&r->findings, w);
}

void hygiene_near_write(const struct hygiene *h, const struct hygiene_report *r,
                        struct json_writer *w)
{
    near_write(&r->near, h->asks.keys, w);
}

void hygiene_text(const struct hygiene_report *r, struct buf *out)
{
    buf_format(out, "%zu rows, %zu asks; %zu repeats, %llu pairs of near-duplicate asks\n",
               r->duplicates.n, r->near.n_prompts, r->duplicates.n_dropped,
               (unsigned long long)r->near.n_pairs);
    buf_format(out, "reply length: median %g, longest %llu characters; %zu cut\n",
               r->lengths.median, (unsigned long long)r->lengths.max, r->lengths.n_truncated);
    buf_format(out, "the reward of %zu graded rows and\n", r->correlations.n_graded);
    for (size_t i = 0; i < r->correlations.count; i++) {
        const struct correlation *c = &r->correlations.items[i];
        if (isnan(c->r))
            buf_format(out, "  %-24s no contrast\n", c->name);
        else
            buf_format(out, "  %-24s r %6.3f%s\n", c->name, c->r, c->flagged ? " *" : "");
    }
    findings_lines(&r->findings, out);
}
