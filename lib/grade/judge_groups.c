/* judge_groups.c: a model as the grader of groups (grade 16): it ranks the passes of a group, shown in two
 * orders, or rates one pass; see judge.h. The answer is in the verdict's metadata, as a program's is. */
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/judge.h"
#include "grade/judge_payload.h"
#include "grade/judge_reply.h"
#include "rng/rng.h"
#include "text/digest.h"

struct candidate {
    int64_t id;
    struct json_value row;
    int64_t rank[2]; /* position of its tier in each order; -1: that order was not read */
    bool hack[2];
    size_t tier; /* which candidates it ties with */
};

struct group_worker {
    struct judge_sitting sitting;
    struct candidate *items;
    size_t count, cap;
    size_t *order;
    struct buf user, record, ranking;
    struct json_members members;
};

struct group_scorer {
    struct scorer head;
    struct judge_model *judge;
    bool synthesis;
    struct payload_options payload;
    struct row_tools declared;
    struct arena arena;
    struct buf system, version;
    struct group_worker *workers;
};

/* ---- a ranking --------------------------------------------------------------------------------- */

struct rank_reading {
    struct group_worker *w;
    int order;
};

static struct candidate *candidate_of(struct group_worker *w, struct json_value id)
{
    int64_t number;
    for (size_t i = 0; json_int64(id, &number) && i < w->count; i++)
        if (w->items[i].id == number)
            return &w->items[i];
    return NULL;
}

/* Puts one id into a tier. false: it is no candidate, or stands there twice. */
static bool place(struct group_worker *w, int order, struct json_value id, int64_t tier)
{
    struct candidate *c = candidate_of(w, id);
    if (!c || c->rank[order] >= 0)
        return false;
    c->rank[order] = tier;
    return true;
}

static bool read_tiers(struct group_worker *w, int order, struct json_value ranking)
{
    struct json_cursor c = json_enter(ranking);
    struct json_value item, inner;
    for (int64_t tier = 0; json_next_item(&c, &item); tier++) {
        struct json_cursor t = json_enter(item);
        if (item.type != JSON_VALUE_ARRAY && !place(w, order, item, tier))
            return false;
        while (item.type == JSON_VALUE_ARRAY && json_next_item(&t, &inner))
            if (!place(w, order, inner, tier))
                return false;
    }
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].rank[order] < 0)
            return false;
    return true;
}

static bool read_ranking(void *data, struct span reply)
{
    struct rank_reading *r = data;
    struct json_value object, ranking, hacks, item;
    struct buf scratch = {0};
    for (size_t i = 0; i < r->w->count; i++) {
        r->w->items[i].rank[r->order] = -1;
        r->w->items[i].hack[r->order] = false;
    }
    bool good = judge_reply_object(reply, &scratch, &object) &&
                json_get(object, SPAN("ranking"), &ranking) && ranking.type == JSON_VALUE_ARRAY &&
                read_tiers(r->w, r->order, ranking);
    if (good && json_get(object, SPAN("hacks"), &hacks) && hacks.type == JSON_VALUE_ARRAY)
        for (struct json_cursor c = json_enter(hacks); json_next_item(&c, &item);) {
            struct candidate *named = candidate_of(r->w, item);
            if (named)
                named->hack[r->order] = true;
        }
    if (!good)
        for (size_t i = 0; i < r->w->count; i++)
            r->w->items[i].rank[r->order] = -1;
    buf_free(&scratch);
    return good;
}

/* Two that the orders put differently tie, and with them whoever ties with either. */
static void join_ties(struct group_worker *w)
{
    for (size_t i = 0; i < w->count; i++)
        w->items[i].tier = i;
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct candidate *a = &w->items[i], *b = &w->items[k];
            int64_t first = a->rank[0] - b->rank[0], second = a->rank[1] - b->rank[1];
            if ((first < 0 && second < 0) || (first > 0 && second > 0))
                continue;
            size_t from = a->tier, to = b->tier;
            for (size_t j = 0; j < w->count; j++)
                if (w->items[j].tier == from)
                    w->items[j].tier = to;
        }
}

/* Tiers from best to worst, written as {"ranking": …}'s value. A tier's place is that of its best. */
static void write_ranking(struct group_worker *w, struct buf *out)
{
    struct json_writer writer;
    bool *written = mem_zero(w->count + 1, sizeof *written);
    json_write_start(&writer, out, JSON_STYLE_COMPACT);
    json_write_array(&writer);
    for (size_t n = 0; n < w->count; n++) {
        size_t best = w->count;
        for (size_t i = 0; i < w->count; i++) {
            int64_t sum = w->items[i].rank[0] + w->items[i].rank[1];
            if (!written[i] &&
                (best == w->count || sum < w->items[best].rank[0] + w->items[best].rank[1]))
                best = i;
        }
        if (best == w->count)
            break;
        json_write_array(&writer);
        for (size_t i = 0; i < w->count; i++)
            if (w->items[i].tier == w->items[best].tier) {
                json_write_int(&writer, w->items[i].id);
                written[i] = true;
            }
        json_write_end_array(&writer);
    }
    json_write_end_array(&writer);
    free(written);
}

static void write_hacks(struct group_worker *w, struct buf *out)
{
    struct json_writer writer;
    json_write_start(&writer, out, JSON_STYLE_COMPACT);
    json_write_array(&writer);
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].hack[0] && w->items[i].hack[1])
            json_write_int(&writer, w->items[i].id);
    json_write_end_array(&writer);
}

/* ---- what the judge is shown ------------------------------------------------------------------- */

static void write_record(struct group_scorer *s, struct group_worker *w, struct json_value line,
                         size_t cap)
{
    struct payload_options options = s->payload;
    struct row row;
    struct json_fault fault;
    buf_clear(&w->record);
    options.cap = cap;
    if (row_of_text(line.text, &row, &w->members, &fault) == 0)
        payload_write(&options, &row, &w->record);
    if (!w->record.len)
        buf_text(&w->record, "{}");
}

/* The passes of the items. */
static void read_items(struct group_worker *w, const struct row *items)
{
    struct json_cursor c = json_enter(items->value);
    struct json_value item, passed, index;
    w->count = 0;
    while (json_next_item(&c, &item)) {
        struct candidate one = {.rank = {-1, -1}};
        if (!json_get(item, SPAN("passed"), &passed) || passed.type != JSON_VALUE_TRUE ||
            !json_get(item, SPAN("index"), &index) || !json_int64(index, &one.id) ||
            !json_get(item, SPAN("row"), &one.row))
            continue;
        w->items = mem_grow(w->items, &w->cap, w->count + 1, sizeof *w->items);
        w->items[w->count++] = one;
    }
}

/* A shuffled order, the same for the same group whatever the run; the second is its reverse. */
static void shuffle(struct group_worker *w)
{
    struct rng rng;
    rng_seed(&rng, digest_n32(span_text(w->sitting.scope)));
    w->order = mem_resize(w->order, (w->count + 1) * sizeof *w->order);
    for (size_t i = 0; i < w->count; i++)
        w->order[i] = i;
    for (size_t i = w->count; i > 1; i--) {
        size_t k = (size_t)rng_below(&rng, i), held = w->order[i - 1];
        w->order[i - 1] = w->order[k];
        w->order[k] = held;
    }
}

static void write_group(struct group_scorer *s, struct group_worker *w, bool reverse)
{
    struct json_writer writer;
    size_t share = s->payload.cap * GROUP_RECORDS / (w->count ? w->count : 1);
    size_t cap = share > s->payload.cap        ? s->payload.cap
                 : share < JUDGE_PAYLOAD_LEAST ? JUDGE_PAYLOAD_LEAST
                                               : share;
    buf_clear(&w->user);
    json_write_start(&writer, &w->user, JSON_STYLE_SPACED);
    json_write_object(&writer);
    json_write_key(&writer, "candidates");
    json_write_array(&writer);
    for (size_t i = 0; i < w->count; i++) {
        const struct candidate *c = &w->items[w->order[reverse ? w->count - 1 - i : i]];
        write_record(s, w, c->row, cap);
        json_write_object(&writer);
        json_write_key(&writer, "id");
        json_write_int(&writer, c->id);
        json_write_key(&writer, "record");
        json_write_raw(&writer, buf_span(&w->record));
        json_write_end_object(&writer);
    }
    json_write_end_array(&writer);
    json_write_end_object(&writer);
}

/* ---- answers ----------------------------------------------------------------------------------- */

static void trouble(struct group_scorer *s, struct group_worker *w, struct verdict *v)
{
    if (w->sitting.trouble == JUDGE_TROUBLE_LATE)
        verdict_timed_out(v, judge_model_timeout(s->judge));
    else
        verdict_failed(v, "%s", buf_cstr(&w->sitting.why));
}

static int rank_group(struct group_scorer *s, struct group_worker *w, const struct row *items,
                      struct verdict *v, struct error *error)
{
    bool read[2] = {false, false};
    int rc = 0;
    read_items(w, items);
    shuffle(w);
    for (int order = 0; order < 2 && !rc; order++) {
        struct rank_reading r = {w, order};
        write_group(s, w, order == 1);
        const struct judge_question q = {.system = buf_span(&s->system),
                                         .user = buf_span(&w->user),
                                         .max_tokens = JUDGE_RUBRIC_TOKENS,
                                         .kind = PROMPT_RANK};
        rc = judge_sitting_ask(&w->sitting, &q, read_ranking, &r, &read[order], error);
        if (w->sitting.trouble)
            break;
    }
    if (rc < 0)
        return rc;
    if (!read[0] && !read[1]) {
        if (w->sitting.trouble)
            trouble(s, w, v);
        return 0;
    }
    for (size_t i = 0; i < w->count; i++) /* one order alone decides */
        for (int order = 0; order < 2; order++)
            if (!read[order]) {
                w->items[i].rank[order] = w->items[i].rank[1 - order];
                w->items[i].hack[order] = w->items[i].hack[1 - order];
            }
    join_ties(w);
    buf_clear(&w->ranking);
    write_ranking(w, &w->ranking);
    verdict_meta(v, SPAN("ranking"), buf_span(&w->ranking));
    buf_clear(&w->ranking);
    write_hacks(w, &w->ranking);
    verdict_meta(v, SPAN("hacks"), buf_span(&w->ranking));
    return 0;
}

struct score_reading {
    struct verdict *v;
};

static bool read_scores(void *data, struct span reply)
{
    struct score_reading *r = data;
    struct json_value object, part[2];
    struct buf scratch = {0};
    bool good = judge_reply_object(reply, &scratch, &object) &&
                json_get(object, SPAN("solution"), &part[0]) &&
                json_get(object, SPAN("behavior"), &part[1]);
    for (int i = 0; i < 2 && good; i++) {
        double x = json_number(part[i]);
        good = part[i].type == JSON_VALUE_NUMBER && x >= 0 && x <= 1;
    }
    if (good) {
        verdict_meta(r->v, SPAN("solution"), part[0].text);
        verdict_meta(r->v, SPAN("behavior"), part[1].text);
    }
    buf_free(&scratch);
    return good;
}

static int rate_pass(struct group_scorer *s, struct group_worker *w, const struct row *asked,
                     struct verdict *v, struct error *error)
{
    struct json_value item = {0}, row = {0}, rubric = {0};
    struct json_writer writer;
    struct score_reading r = {v};
    bool accepted;
    json_get(asked->value, SPAN("item"), &item);
    json_get(item, SPAN("row"), &row);
    json_get(asked->value, SPAN("rubric"), &rubric);
    write_record(s, w, row, s->payload.cap);
    buf_clear(&w->user);
    json_write_start(&writer, &w->user, JSON_STYLE_SPACED);
    json_write_object(&writer);
    json_write_key(&writer, "item");
    json_write_raw(&writer, buf_span(&w->record));
    if (!json_value_null(rubric)) {
        json_write_key(&writer, "rubric");
        json_write_raw(&writer, rubric.text);
    }
    json_write_end_object(&writer);
    const struct judge_question q = {.system = buf_span(&s->system),
                                     .user = buf_span(&w->user),
                                     .max_tokens = JUDGE_REPLY_TOKENS,
                                     .kind = PROMPT_SCORES};
    int rc = judge_sitting_ask(&w->sitting, &q, read_scores, &r, &accepted, error);
    if (!rc && w->sitting.trouble)
        trouble(s, w, v);
    return rc;
}

static int group_verdict(struct scorer *head, int worker, const struct row *asked,
                         struct verdict *v, struct error *error)
{
    struct group_scorer *s = (struct group_scorer *)head;
    struct group_worker *w = &s->workers[worker];
    judge_sitting_begin(&w->sitting, s->judge, "group", asked->index);
    int rc = s->synthesis ? rate_pass(s, w, asked, v, error) : rank_group(s, w, asked, v, error);
    if (rc == 0)
        judge_sitting_entry(&w->sitting, &v->log);
    return rc;
}

/* ---- opening and closing ----------------------------------------------------------------------- */

static void group_close(struct scorer *head)
{
    struct group_scorer *s = (struct group_scorer *)head;
    for (int i = 0; s->workers && i < head->threads; i++) {
        struct group_worker *w = &s->workers[i];
        judge_sitting_free(&w->sitting);
        json_members_free(&w->members);
        buf_free(&w->user);
        buf_free(&w->record);
        buf_free(&w->ranking);
        free(w->items);
        free(w->order);
    }
    free(s->workers);
    judge_model_close(s->judge);
    row_tools_free(&s->declared);
    arena_free(&s->arena);
    buf_free(&s->system);
    buf_free(&s->version);
    free(head->name);
    free(s);
}

static int open_parts(struct group_scorer *s, const struct scorer_judge_options *o,
                      const struct scorer_setup *setup, struct error *error)
{
    s->judge = judge_model_of(o, true, setup, error);
    if (!s->judge)
        return error->code;
    int rc = judge_payload_of(o, setup, &s->declared, &s->payload, error);
    if (setup->policy.ptr)
        s->payload.policy = arena_span(&s->arena, setup->policy);
    return rc;
}

struct scorer *scorer_judge_groups_open(const struct scorer_judge_options *options, bool synthesis,
                                        const struct scorer_setup *setup, struct error *error)
{
    static const struct scorer_kind kind = {group_verdict, group_close, NULL};
    struct group_scorer *s = mem_zero(1, sizeof *s);
    struct buf name = {0};
    s->head.kind = &kind;
    s->synthesis = synthesis;
    if (open_parts(s, options, setup, error) < 0) {
        group_close(&s->head);
        return NULL;
    }
    const struct prompt_parts parts = {.kind = synthesis ? PROMPT_SCORES : PROMPT_RANK};
    if (options->prompt.ptr)
        buf_span_add(&s->system, options->prompt);
    else
        prompt_write(&parts, &s->system);
    judge_model_version(s->judge, buf_span(&s->system), "", SPAN(""), &s->version);
    buf_format(&name, "judge:%s", judge_model_name(s->judge));
    s->head.name = buf_take(&name);
    s->head.version = buf_cstr(&s->version);
    s->head.slow = true;
    s->head.threads = judge_model_threads(s->judge, setup->jobs);
    s->workers = mem_zero((size_t)s->head.threads, sizeof *s->workers);
    return &s->head;
}
