/* decontam.c: one training row against the index. See decontam.h. */
#include "select/decontam.h"

#include <math.h>
#include <stdlib.h>

#include "select/decontam_index.h"
#include "select/defaults.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/utf8.h"

const char *const DECONTAM_RULE_NAMES[DECONTAM_RULES] = {"clean", "same_task", "exact", "near",
                                                         "semantic"};

const char *const DECONTAM_TOKEN_NAMES[] = {"ascii", "unicode"};

/* Consecutive windows whose texts are the same list: words start … end-1 of the row. */
struct run {
    uint32_t list;
    bool hot; /* its list is among the long ones that are looked at last */
    size_t start, end;
};

struct decontam_scratch {
    struct buf text, folded;
    uint32_t *ids; /* words of the text, DECONTAM_NONE for one that no evaluation text has */
    size_t n_ids, cap_ids;
    struct run *runs;
    size_t n_runs, cap_runs;
    size_t *covered, *end; /* by evaluation text: words covered; where its last run ends */
    uint32_t *touched;     /* texts with covered != 0 */
    size_t n_touched;
};

struct decontam_scratch *decontam_scratch_new(const struct decontam_index *index)
{
    struct decontam_scratch *s = mem_zero(1, sizeof *s);
    size_t texts = decontam_index_texts(index);
    s->covered = mem_zero(texts, sizeof *s->covered);
    s->end = mem_zero(texts, sizeof *s->end);
    s->touched = mem_zero(texts, sizeof *s->touched);
    return s;
}

void decontam_scratch_free(struct decontam_scratch *s)
{
    if (!s)
        return;
    buf_free(&s->text);
    buf_free(&s->folded);
    free(s->ids);
    free(s->runs);
    free(s->covered);
    free(s->end);
    free(s->touched);
    free(s);
}

/* ---- windows of the row ---------------------------------------------------------------------------- */

static void read_words(const struct decontam_index *index, struct decontam_scratch *s)
{
    struct span folded = buf_span(&s->folded), word;
    size_t at = 0;
    s->n_ids = 0;
    while (decontam_next_word(index->tokens, folded, &at, &word)) {
        s->ids = mem_grow(s->ids, &s->cap_ids, s->n_ids + 1, sizeof *s->ids);
        size_t id = decontam_find(index, &index->words, word);
        s->ids[s->n_ids++] = id == MAP_NONE ? DECONTAM_NONE : (uint32_t)id;
    }
}

static void add_window(struct decontam_scratch *s, uint32_t list, size_t start, size_t n)
{
    struct run *last = s->n_runs ? &s->runs[s->n_runs - 1] : NULL;
    if (last && last->list == list && last->end + 1 == start + n) {
        last->end++;
        return;
    }
    s->runs = mem_grow(s->runs, &s->cap_runs, s->n_runs + 1, sizeof *s->runs);
    s->runs[s->n_runs++] = (struct run){list, false, start, start + n};
}

/* The windows that evaluation texts share, in order, as runs. An unknown word breaks all over it. */
static void find_runs(const struct decontam_index *index, struct decontam_scratch *s)
{
    struct decontam_roll roll = {0};
    s->n_runs = 0;
    for (size_t i = 0; i < s->n_ids; i++) {
        if (s->ids[i] == DECONTAM_NONE) {
            roll = (struct decontam_roll){0};
            continue;
        }
        decontam_roll_add(&index->hash, &roll, s->ids + i);
        if (roll.length < index->n)
            continue;
        size_t start = i + 1 - index->n;
        uint32_t gram = decontam_gram(index, roll.hash, s->ids + start);
        if (gram != DECONTAM_NONE)
            add_window(s, index->gram_list[gram], start, index->n);
    }
}

/* ---- how much of the row a text covers --------------------------------------------------------------- */

static void forget(struct decontam_scratch *s)
{
    for (size_t i = 0; i < s->n_touched; i++) {
        s->covered[s->touched[i]] = 0;
        s->end[s->touched[i]] = 0;
    }
    s->n_touched = 0;
}

static const uint32_t *texts_of(const struct decontam_index *index, const struct run *run)
{
    return index->members + index->lists[run->list].at;
}

static size_t length_of(const struct decontam_index *index, const struct run *run)
{
    return index->lists[run->list].count;
}

/* Words that a run adds to what ends at `end`: runs come in order of both ends. */
static size_t added(const struct run *run, size_t end)
{
    return run->end - (end > run->start ? end : run->start);
}

/* Gives each text of each run (or of the cold ones) the words it covers. Stops with true when one has
 * `needed` of them; 0: never. */
static bool cover(const struct decontam_index *index, struct decontam_scratch *s, bool cold_only,
                  size_t needed)
{
    forget(s);
    for (size_t r = 0; r < s->n_runs; r++) {
        const struct run *run = &s->runs[r];
        if (cold_only && run->hot)
            continue;
        const uint32_t *texts = texts_of(index, run);
        for (size_t i = 0, n = length_of(index, run); i < n; i++) {
            uint32_t text = texts[i];
            if (!s->covered[text])
                s->touched[s->n_touched++] = text;
            s->covered[text] += added(run, s->end[text]);
            s->end[text] = run->end;
            if (needed && s->covered[text] >= needed)
                return true;
        }
    }
    return false;
}

static bool has_text(const struct decontam_index *index, const struct run *run, uint32_t text)
{
    const uint32_t *texts = texts_of(index, run);
    size_t low = 0, high = length_of(index, run);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (texts[middle] < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length_of(index, run) && texts[low] == text;
}

static size_t covered_by(const struct decontam_index *index, const struct decontam_scratch *s,
                         uint32_t text)
{
    size_t covered = 0, end = 0;
    for (size_t r = 0; r < s->n_runs; r++) {
        if (!has_text(index, &s->runs[r], text))
            continue;
        covered += added(&s->runs[r], end);
        end = s->runs[r].end;
    }
    return covered;
}

/* Marks the runs of the longest lists hot, class by class of a power of two, until the others together
 * fit the budget. Returns how many words of the row the hot ones cover. */
static size_t mark_hot(const struct decontam_index *index, struct decontam_scratch *s)
{
    size_t sums[32] = {0}, cold = 0;
    for (size_t r = 0; r < s->n_runs; r++) {
        size_t length = length_of(index, &s->runs[r]);
        sums[31 - __builtin_clz((unsigned)length)] += length;
    }
    int hottest = 0; /* lists of 2^hottest texts and more are hot */
    while (hottest < 32 && cold + sums[hottest] <= DECONTAM_BUDGET)
        cold += sums[hottest++];
    size_t covered = 0, end = 0;
    for (size_t r = 0; r < s->n_runs; r++) {
        struct run *run = &s->runs[r];
        run->hot = length_of(index, run) >> hottest;
        if (run->hot) {
            covered += added(run, end);
            end = run->end;
        }
    }
    return covered;
}

/* Does one evaluation text cover `needed` words? When the lists are long (texts written from a template)
 * and what the long ones cover together is not enough, only texts in a short list can. */
static bool reaches(const struct decontam_index *index, struct decontam_scratch *s, size_t needed)
{
    size_t total = 0;
    for (size_t r = 0; r < s->n_runs; r++)
        total += length_of(index, &s->runs[r]);
    if (total > DECONTAM_BUDGET) {
        size_t hot = mark_hot(index, s);
        if (hot < needed) {
            if (cover(index, s, true, needed))
                return true;
            for (size_t i = 0; i < s->n_touched; i++) {
                uint32_t text = s->touched[i];
                if (s->covered[text] + hot >= needed && covered_by(index, s, text) >= needed)
                    return true;
            }
            return false;
        }
    }
    return cover(index, s, false, needed);
}

/* The least number of `words` words that is a share of at least `overlap`, as a division says it. */
static size_t words_needed(size_t words, double overlap)
{
    if (overlap <= 0)
        return 1;
    size_t needed = (size_t)ceil(overlap * (double)words);
    while (needed > 1 && (double)(needed - 1) / (double)words >= overlap)
        needed--;
    while ((double)needed / (double)words < overlap)
        needed++;
    return needed ? needed : 1;
}

/* The text that covers most, ties to the earliest, and its first window. */
static void find_best(const struct decontam_index *index, struct decontam_scratch *s,
                      struct decontam_finding *finding)
{
    cover(index, s, false, 0);
    uint32_t best = s->touched[0];
    for (size_t i = 1; i < s->n_touched; i++) {
        uint32_t text = s->touched[i];
        size_t mine = s->covered[text], most = s->covered[best];
        if (mine > most || (mine == most && text < best))
            best = text;
    }
    size_t r = 0;
    while (!has_text(index, &s->runs[r], best))
        r++;
    finding->covered = s->covered[best];
    finding->words = s->n_ids;
    finding->first_word = s->runs[r].start;
}

struct span decontam_field_text(const struct row *row, struct span field,
                                struct decontam_scratch *s)
{
    return decontam_row_text(row, field, &s->text);
}

/* ---- a row ------------------------------------------------------------------------------------------- */

static enum decontam_rule check_text(const struct decontam_index *index,
                                     const struct decontam_options *options, struct span text,
                                     bool details, struct decontam_scratch *s,
                                     struct decontam_finding *finding)
{
    decontam_fold(text, &s->folded);
    struct span norm = buf_span(&s->folded), word;
    size_t at = 0;
    if (!norm.len)
        return DECONTAM_CLEAN;
    if (!decontam_next_word(index->tokens, norm, &at, &word)) {
        if (decontam_find(index, &index->wordless, norm) != MAP_NONE)
            return DECONTAM_EXACT;
        finding->unreadable = true;
        return DECONTAM_CLEAN;
    }
    if (decontam_find(index, &index->texts, norm) != MAP_NONE)
        return DECONTAM_EXACT;
    read_words(index, s);
    find_runs(index, s);
    if (!s->n_runs || !reaches(index, s, words_needed(s->n_ids, options->overlap)))
        return DECONTAM_CLEAN;
    if (details)
        find_best(index, s, finding);
    return DECONTAM_NEAR;
}

struct decontam_finding decontam_check(const struct decontam_index *index,
                                       const struct decontam_options *options,
                                       const struct row *row, bool details,
                                       struct decontam_scratch *s)
{
    struct decontam_finding finding = {0};
    struct span task = decontam_row_task(row, &s->text);
    finding.has_task = task.len > 0;
    if (task.len && decontam_find(index, &index->tasks, task) != MAP_NONE) {
        finding.rule = DECONTAM_SAME_TASK;
        return finding;
    }
    for (; finding.field < options->n_fields; finding.field++) {
        struct span text = decontam_row_text(row, options->fields[finding.field], &s->text);
        finding.rule = check_text(index, options, text, details, s, &finding);
        if (finding.rule != DECONTAM_CLEAN)
            return finding;
    }
    return finding;
}

/* The first shared n-gram of a near finding: its words, spaces between them, cut. */
static void add_match(const struct decontam_finding *finding, const struct decontam_index *index,
                      struct span text, struct decontam_scratch *s, struct buf *out)
{
    decontam_fold(text, &s->folded);
    struct span word;
    size_t at = 0;
    for (size_t i = 0; i < finding->first_word; i++)
        decontam_next_word(index->tokens, buf_span(&s->folded), &at, &word);
    for (size_t i = 0; i < index->n && utf8_length(buf_span(out)) <= DECONTAM_MATCH_MAX; i++) {
        if (i)
            buf_byte(out, ' ');
        decontam_next_word(index->tokens, buf_span(&s->folded), &at, &word);
        buf_span_add(out, word);
    }
    out->len = utf8_head(buf_span(out), DECONTAM_MATCH_MAX).len;
}

static void write_semantic(const struct decontam_finding *finding,
                           const struct decontam_index *index, struct json_writer *w)
{
    double similarity = finding->similarity < 1 ? finding->similarity : 1;
    json_write_text(w, DECONTAM_RULE_NAMES[DECONTAM_SEMANTIC]);
    json_write_key(w, "similarity");
    json_write_real(w, number_round(similarity, DECONTAM_SIMILARITY_DIGITS));
    json_write_key(w, "eval_prompt");
    json_write_span(w,
                    utf8_head(decontam_index_prompt(index, finding->prompt), DECONTAM_PROMPT_MAX));
}

void decontam_finding_write(const struct decontam_finding *finding,
                            const struct decontam_index *index,
                            const struct decontam_options *options, const struct row *row,
                            struct decontam_scratch *s, struct json_writer *w)
{
    bool task = finding->rule == DECONTAM_SAME_TASK;
    double coverage = 1;
    json_write_key(w, "field");
    if (task)
        json_write_text(w, "task");
    else
        json_write_span(w, options->fields[finding->field]);
    json_write_key(w, "match");
    if (finding->rule == DECONTAM_SEMANTIC) {
        write_semantic(finding, index, w);
        return;
    }
    if (finding->rule == DECONTAM_NEAR) {
        struct buf match = {0};
        struct span text = decontam_row_text(row, options->fields[finding->field], &s->text);
        add_match(finding, index, text, s, &match);
        json_write_span(w, buf_span(&match));
        buf_free(&match);
        coverage = number_round((double)finding->covered / (double)finding->words,
                                DECONTAM_COVERAGE_DIGITS);
    } else {
        json_write_text(w, DECONTAM_RULE_NAMES[finding->rule]);
    }
    json_write_key(w, "coverage");
    json_write_real(w, coverage);
    if (task) {
        json_write_key(w, "task");
        json_write_span(w, decontam_row_task(row, &s->text));
    }
}
