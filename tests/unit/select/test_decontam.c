/* test_decontam.c: decontamination against a direct implementation that compares every window of a row with
 * every window of every evaluation text; template-heavy sets too, where the index puts long lists off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "rng/rng.h"
#include "select/decontam.h"

enum { MAX_WORDS = 64, MAX_TEXTS = 3000 };

/* A text as numbers of words: what the direct implementation works on. */
struct text {
    int words[MAX_WORDS];
    int n;
};

static struct text tests[MAX_TEXTS];

static struct span row_text(const struct text *t, struct buf *out)
{
    buf_clear(out);
    buf_text(out, "{\"prompt\":\"");
    for (int i = 0; i < t->n; i++)
        buf_format(out, i % 3 ? " w%d" : ",  W%d", t->words[i]);
    buf_text(out, "\"}");
    return buf_span(out);
}

static bool same_text(const struct text *a, const struct text *b)
{
    return a->n == b->n && memcmp(a->words, b->words, sizeof *a->words * (size_t)a->n) == 0;
}

/* Words of `row` inside a window of n words that `test` has too; *first is the first window. */
static size_t directly_covered(const struct text *row, const struct text *test, int n,
                               size_t *first)
{
    bool in[MAX_WORDS] = {false};
    size_t covered = 0;
    *first = MAX_WORDS;
    for (int i = 0; i + n <= row->n; i++)
        for (int j = 0; j + n <= test->n; j++)
            if (memcmp(row->words + i, test->words + j, sizeof *row->words * (size_t)n) == 0) {
                if (*first == MAX_WORDS)
                    *first = (size_t)i;
                for (int k = 0; k < n; k++)
                    in[i + k] = true;
            }
    for (int i = 0; i < row->n; i++)
        covered += in[i];
    return covered;
}

static struct decontam_finding directly(const struct text *row, int n_tests,
                                        const struct decontam_options *o)
{
    struct decontam_finding finding = {.words = (size_t)row->n};
    for (int t = 0; t < n_tests; t++) {
        size_t first, covered;
        if (same_text(row, &tests[t]))
            return (struct decontam_finding){.rule = DECONTAM_EXACT};
        covered = directly_covered(row, &tests[t], (int)o->ngram, &first);
        if (covered > finding.covered) {
            finding.covered = covered;
            finding.first_word = first;
        }
    }
    double coverage = row->n ? (double)finding.covered / row->n : 0;
    if (finding.covered && (o->overlap <= 0 || coverage >= o->overlap))
        finding.rule = DECONTAM_NEAR;
    return finding;
}

static void add_words(struct rng *r, struct text *t, const struct text *from, int vocabulary)
{
    if (from) {
        memcpy(t->words + t->n, from->words, sizeof *t->words * (size_t)from->n);
        t->n += from->n;
        return;
    }
    for (int left = (int)rng_below(r, 4); left > 0; left--)
        t->words[t->n++] = (int)rng_below(r, (uint64_t)vocabulary);
}

/* Up to three fixed sentences with words of its own between them. */
static struct text write_text(struct rng *r, const struct text *sentences, int vocabulary)
{
    struct text t = {.n = 0};
    for (int i = 0; i < 3; i++) {
        if (rng_below(r, 10))
            add_words(r, &t, &sentences[i], vocabulary);
        add_words(r, &t, NULL, vocabulary);
    }
    if (t.n == 0)
        t.words[t.n++] = 0;
    return t;
}

static void check_set(struct rng *r, int n_tests, int n_rows, int vocabulary)
{
    static const double OVERLAPS[] = {0, 0.2, 0.5, 2.0 / 3, 0.8, 0.9, 1};
    static const struct span FIELDS[] = {{"prompt", 6}};
    struct decontam_options o = {.ngram = 1 + (size_t)rng_below(r, 8),
                                 .overlap = OVERLAPS[rng_below(r, 7)],
                                 .fields = FIELDS,
                                 .n_fields = 1};
    struct text sentences[3];
    for (int i = 0; i < 3; i++) {
        sentences[i].n = 2 + (int)rng_below(r, 14);
        for (int k = 0; k < sentences[i].n; k++)
            sentences[i].words[k] = (int)rng_below(r, (uint64_t)vocabulary);
    }
    struct decontam_index *index = decontam_index_new(o.ngram, DECONTAM_ASCII);
    struct buf line = {0};
    struct row row;
    struct json_members members = {0};
    for (int t = 0; t < n_tests; t++) {
        tests[t] = write_text(r, sentences, vocabulary);
        assert_int_equal(row_of_text(row_text(&tests[t], &line), &row, &members, NULL), 0);
        assert_int_equal(decontam_index_add(index, &row, NULL), 0);
    }
    decontam_index_seal(index);
    struct decontam_scratch *s = decontam_scratch_new(index);
    for (int i = 0; i < n_rows; i++) {
        struct text t = write_text(r, sentences, vocabulary);
        struct decontam_finding want = directly(&t, n_tests, &o);
        assert_int_equal(row_of_text(row_text(&t, &line), &row, &members, NULL), 0);
        struct decontam_finding got = decontam_check(index, &o, &row, true, s);
        assert_int_equal(got.rule, want.rule);
        assert_int_equal(decontam_check(index, &o, &row, false, s).rule, want.rule);
        if (want.rule != DECONTAM_NEAR)
            continue;
        assert_int_equal(got.covered, want.covered);
        assert_int_equal(got.words, want.words);
        assert_int_equal(got.first_word, want.first_word);
    }
    decontam_scratch_free(s);
    decontam_index_free(index);
    json_members_free(&members);
    buf_free(&line);
}

static void small_sets(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 1);
    for (int i = 0; i < 150; i++)
        check_set(&r, (int)rng_below(&r, 30), 20, i % 2 ? 4 : 300);
}

/* More than DECONTAM_BUDGET evaluation texts share each n-gram of a template. */
static void template_heavy_sets(void **state)
{
    (void)state;
    struct rng r;
    rng_seed(&r, 2);
    for (int i = 0; i < 12; i++)
        check_set(&r, MAX_TEXTS, 6, i % 2 ? 30 : 5000);
}

/* A row that long lists alone cover just enough, and one word less. */
static void long_lists_alone(void **state)
{
    (void)state;
    static const struct span FIELDS[] = {{"prompt", 6}};
    struct decontam_options o = {.ngram = 3, .overlap = 0.8, .fields = FIELDS, .n_fields = 1};
    struct decontam_index *index = decontam_index_new(o.ngram, DECONTAM_ASCII);
    struct buf line = {0};
    struct row row;
    struct json_members members = {0};
    for (int i = 0; i < 5000; i++) {
        buf_clear(&line);
        buf_format(&line, "{\"prompt\":\"what is the state of my order %d\"}", 1000 + i);
        assert_int_equal(row_of_text(buf_span(&line), &row, &members, NULL), 0);
        decontam_index_add(index, &row, NULL);
    }
    decontam_index_seal(index);
    struct decontam_scratch *s = decontam_scratch_new(index);
    row_of_text(SPAN("{\"prompt\":\"x what is the state of my order\"}"), &row, &members, NULL);
    assert_int_equal(decontam_check(index, &o, &row, false, s).rule, DECONTAM_NEAR);
    row_of_text(SPAN("{\"prompt\":\"x what is the state of my y z\"}"), &row, &members, NULL);
    assert_int_equal(decontam_check(index, &o, &row, false, s).rule, DECONTAM_CLEAN);
    o.overlap = 7.0 / 8;
    row_of_text(SPAN("{\"prompt\":\"x what is the state of my order\"}"), &row, &members, NULL);
    assert_int_equal(decontam_check(index, &o, &row, false, s).rule, DECONTAM_NEAR);
    decontam_scratch_free(s);
    decontam_index_free(index);
    json_members_free(&members);
    buf_free(&line);
}

static struct decontam_finding check_line(const struct decontam_index *index, const char *text)
{
    static const struct span FIELDS[] = {{"prompt", 6}, {"final_text", 10}};
    struct decontam_options o = {8, 0.8, FIELDS, 2};
    struct decontam_scratch *s = decontam_scratch_new(index);
    struct row row;
    struct json_members members = {0};
    assert_int_equal(row_of_text(span_text(text), &row, &members, NULL), 0);
    struct decontam_finding finding = decontam_check(index, &o, &row, true, s);
    json_members_free(&members);
    decontam_scratch_free(s);
    return finding;
}

static void identity_and_unreadable_texts(void **state)
{
    (void)state;
    struct decontam_index *index = decontam_index_new(8, DECONTAM_ASCII);
    static const char *const ROWS[] = {
        "{\"scenario_id\":0,\"task_id\":\"t\",\"prompt\":\"\xe4\xbd\xa0\xe5\xa5\xbd\"}",
        "{\"scenario_id\":12,\"prompt\":\"One two\",\"answer\":\"one  TWO\",\"reference\":3.0}",
        "{\"prompt\":\"  \"}",
    };
    struct row row;
    struct json_members members = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(row_of_text(span_text(ROWS[i]), &row, &members, NULL), 0);
        assert_int_equal(decontam_index_add(index, &row, NULL), 0);
    }
    json_members_free(&members);
    decontam_index_seal(index);
    assert_int_equal(decontam_index_rows(index), 3);
    assert_int_equal(decontam_index_tasks(index), 2);
    assert_int_equal(decontam_index_texts(index), 2);
    assert_int_equal(check_line(index, "{\"task_id\":\"t\"}").rule, DECONTAM_SAME_TASK);
    assert_int_equal(check_line(index, "{\"scenario_id\":\"12\"}").rule, DECONTAM_SAME_TASK);
    assert_int_equal(check_line(index, "{\"scenario_id\":\"u\",\"task_id\":\"t\"}").rule,
                     DECONTAM_CLEAN);
    assert_int_equal(check_line(index, "{\"prompt\":\"\xe4\xbd\xa0\xe5\xa5\xbd \"}").rule,
                     DECONTAM_EXACT);
    struct decontam_finding f =
        check_line(index, "{\"prompt\":\"\xe4\xbd\xa0\",\"final_text\":3.0}");
    assert_int_equal(f.rule, DECONTAM_EXACT);
    assert_int_equal(f.field, 1);
    assert_true(f.unreadable);
    assert_int_equal(check_line(index, "{\"prompt\":null}").rule, DECONTAM_CLEAN);
    decontam_index_free(index);
}

/* ---- the kept set of the quadratic rule ---------------------------------------------------------------- */

enum { SAMPLE = 2000, BITS = 1024 };

static uint64_t mixed(const int *words, size_t n)
{
    uint64_t h = 0;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint64_t)words[i]) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

/* Which windows a text may have, so that most pairs need no look at their words. */
static void mark_windows(const struct text *t, size_t n, uint64_t *marks)
{
    memset(marks, 0, BITS / 8);
    for (size_t i = 0; i + n <= (size_t)t->n; i++) {
        uint64_t bit = mixed(t->words + i, n) % BITS;
        marks[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static bool marks_meet(const uint64_t *a, const uint64_t *b)
{
    uint64_t both = 0;
    for (size_t i = 0; i < BITS / 64; i++)
        both |= a[i] & b[i];
    return both;
}

/* A training text: of its own, or a test with a few words changed, or one that is framed. */
static struct text write_row(struct rng *r, int vocabulary)
{
    struct text t = {.n = 0};
    if (rng_below(r, 4))
        t = tests[rng_below(r, SAMPLE)];
    for (int edits = (int)rng_below(r, 3); edits > 0 && t.n; edits--)
        t.words[rng_below(r, (uint64_t)t.n)] = (int)rng_below(r, (uint64_t)vocabulary);
    for (int more = (int)rng_below(r, 6); more > 0 && t.n < MAX_WORDS; more--)
        t.words[t.n++] = (int)rng_below(r, (uint64_t)vocabulary);
    if (!t.n)
        t.words[t.n++] = 1;
    return t;
}

/* 2,000 rows against 2,000 tests, every pair: the same rows stay. */
static void same_kept_set_as_all_pairs(void **state)
{
    (void)state;
    static const struct span FIELDS[] = {{"prompt", 6}};
    static uint64_t marks[SAMPLE][BITS / 64], mine[BITS / 64];
    struct decontam_options o = {.ngram = 8, .overlap = 0.8, .fields = FIELDS, .n_fields = 1};
    struct decontam_index *index = decontam_index_new(o.ngram, DECONTAM_ASCII);
    struct json_members members = {0};
    struct buf line = {0};
    struct row row;
    struct rng r;
    size_t kept = 0, near = 0;
    rng_seed(&r, 7);
    for (int i = 0; i < SAMPLE; i++) {
        tests[i].n = 0;
        for (int k = 8 + (int)rng_below(&r, 25); k > 0; k--)
            tests[i].words[tests[i].n++] = (int)rng_below(&r, 3000);
        mark_windows(&tests[i], o.ngram, marks[i]);
        row_of_text(row_text(&tests[i], &line), &row, &members, NULL);
        decontam_index_add(index, &row, NULL);
    }
    decontam_index_seal(index);
    struct decontam_scratch *s = decontam_scratch_new(index);
    for (int i = 0; i < SAMPLE; i++) {
        struct text t = write_row(&r, 3000);
        enum decontam_rule want = DECONTAM_CLEAN;
        mark_windows(&t, o.ngram, mine);
        for (int k = 0; k < SAMPLE && want != DECONTAM_EXACT; k++) {
            size_t first;
            if (same_text(&t, &tests[k]))
                want = DECONTAM_EXACT;
            else if (marks_meet(mine, marks[k]) &&
                     (double)directly_covered(&t, &tests[k], (int)o.ngram, &first) / t.n >=
                         o.overlap)
                want = DECONTAM_NEAR;
        }
        row_of_text(row_text(&t, &line), &row, &members, NULL);
        assert_int_equal(decontam_check(index, &o, &row, false, s).rule, want);
        kept += want == DECONTAM_CLEAN;
        near += want == DECONTAM_NEAR;
    }
    assert_in_range(kept, SAMPLE / 4, SAMPLE - SAMPLE / 8); /* the sample asks both questions */
    assert_in_range(near, SAMPLE / 20, SAMPLE);
    decontam_scratch_free(s);
    decontam_index_free(index);
    json_members_free(&members);
    buf_free(&line);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(small_sets),
        cmocka_unit_test(template_heavy_sets),
        cmocka_unit_test(long_lists_alone),
        cmocka_unit_test(identity_and_unreadable_texts),
        cmocka_unit_test(same_kept_set_as_all_pairs),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
