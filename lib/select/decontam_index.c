/* decontam_index.c: builds the evaluation side: words to numbers, windows of n words to n-grams, n-grams
 * to the list of texts that have them. See decontam_index.h. */
#include "select/decontam_index.h"

#include <stdlib.h>

#include "row/key.h"
#include "row/value.h"
#include "text/fold.h"

static const uint64_t PRIME = ((uint64_t)1 << 61) - 1;

static const struct span TASK_NAMES[] = {{"scenario_id", 11}, {"task_id", 7}};
static const struct row_key_list TASK_KEYS = {TASK_NAMES, 2};
static const struct span TEXT_KEYS[] = {{"prompt", 6}, {"answer", 6}, {"reference", 9}};
enum { TEXT_KEY_COUNT = 3 };

/* ---- texts of a row -------------------------------------------------------------------------------- */

static void add_content(struct json_value content, struct buf *out)
{
    struct json_cursor parts = json_enter(content);
    struct json_value part, text;
    if (content.type == JSON_VALUE_STRING)
        json_text_add(content, out);
    if (content.type != JSON_VALUE_ARRAY)
        return;
    while (json_next_item(&parts, &part)) {
        if (json_get(part, SPAN("text"), &text) && text.type == JSON_VALUE_STRING) {
            json_text_add(text, out);
            buf_byte(out, '\n');
        }
    }
}

/* What the user says in a list of messages; false when it is no such list. */
static bool user_words(struct json_value list, struct buf *out)
{
    struct json_cursor cursor = json_enter(list);
    struct json_value item, role, content;
    size_t messages = 0;
    struct buf scratch = {0};
    buf_clear(out);
    for (; json_next_item(&cursor, &item); messages++) {
        if (!json_get(item, SPAN("role"), &role) || role.type != JSON_VALUE_STRING)
            break;
        if (span_is(json_text(role, &scratch), "user") &&
            json_get(item, SPAN("content"), &content)) {
            add_content(content, out);
            buf_byte(out, '\n');
        }
    }
    buf_free(&scratch);
    return messages && messages == json_count(list);
}

struct span decontam_row_text(const struct row *row, struct span key, struct buf *scratch)
{
    const struct json_value *value = row_get(row, key);
    if (!value || !json_truthy(*value))
        return SPAN("");
    if (value->type == JSON_VALUE_ARRAY && span_is(key, "prompt") && user_words(*value, scratch))
        return buf_span(scratch);
    return value_text(*value, scratch);
}

struct span decontam_row_task(const struct row *row, struct buf *scratch)
{
    return row_key(row, TASK_KEYS, scratch);
}

void decontam_fold(struct span text, struct buf *folded)
{
    buf_clear(folded);
    text_fold(text, folded);
}

static bool word_byte(unsigned char c)
{
    return (unsigned char)(c - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

bool decontam_next_word(struct span folded, size_t *at, struct span *word)
{
    size_t start = *at;
    while (start < folded.len && !word_byte((unsigned char)folded.ptr[start]))
        start++;
    size_t end = start;
    while (end < folded.len && word_byte((unsigned char)folded.ptr[end]))
        end++;
    *word = span_slice(folded, start, end);
    *at = end;
    return end > start;
}

/* ---- windows --------------------------------------------------------------------------------------- */

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t folded = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);
    return folded >= PRIME ? folded - PRIME : folded;
}

void decontam_roll_add(const struct decontam_index *index, struct decontam_roll *roll,
                       const uint32_t *word)
{
    uint64_t hash = roll->hash;
    if (roll->length == index->n) {
        uint64_t leaving = multiply((uint64_t) * (word - index->n) + 1, index->top);
        hash = hash >= leaving ? hash - leaving : hash + PRIME - leaving;
    } else {
        roll->length++;
    }
    hash = multiply(hash, index->base) + *word + 1;
    roll->hash = hash >= PRIME ? hash - PRIME : hash;
}

static struct decontam_slot *slot_of(const struct decontam_index *index, uint64_t hash,
                                     const uint32_t *words)
{
    uint32_t tag = (uint32_t)(hash >> 29);
    size_t mask = index->n_slots - 1;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        struct decontam_slot *slot = &index->slots[at];
        if (!slot->gram)
            return slot;
        if (slot->tag == tag && memcmp(index->ids + index->gram_at[slot->gram - 1], words,
                                       index->n * sizeof *words) == 0)
            return slot;
    }
}

uint32_t decontam_gram(const struct decontam_index *index, uint64_t hash, const uint32_t *words)
{
    if (!index->n_grams)
        return DECONTAM_NONE;
    return slot_of(index, hash, words)->gram - 1; /* 0 - 1 is DECONTAM_NONE */
}

static uint64_t hash_at(const struct decontam_index *index, const uint32_t *words)
{
    struct decontam_roll roll = {0};
    for (size_t i = 0; i < index->n; i++)
        decontam_roll_add(index, &roll, words + i);
    return roll.hash;
}

static void grow_slots(struct decontam_index *index)
{
    free(index->slots);
    index->n_slots = index->n_slots ? index->n_slots * 2 : 1024;
    index->slots = mem_zero(index->n_slots, sizeof *index->slots);
    for (size_t g = 0; g < index->n_grams; g++) {
        const uint32_t *words = index->ids + index->gram_at[g];
        uint64_t hash = hash_at(index, words);
        *slot_of(index, hash, words) =
            (struct decontam_slot){(uint32_t)g + 1, (uint32_t)(hash >> 29)};
    }
}

static void add_window(struct decontam_index *index, uint32_t text, uint64_t hash, size_t at)
{
    if (index->n_grams + index->n_grams / 2 >= index->n_slots)
        grow_slots(index);
    struct decontam_slot *slot = slot_of(index, hash, index->ids + at);
    if (!slot->gram) {
        index->gram_at =
            mem_grow(index->gram_at, &index->cap_grams, index->n_grams + 1, sizeof *index->gram_at);
        index->gram_last = mem_grow(index->gram_last, &index->cap_last, index->n_grams + 1,
                                    sizeof *index->gram_last);
        index->gram_at[index->n_grams] = (uint32_t)at;
        index->gram_last[index->n_grams] = DECONTAM_NONE;
        *slot = (struct decontam_slot){(uint32_t)++index->n_grams, (uint32_t)(hash >> 29)};
    }
    uint32_t gram = slot->gram - 1;
    if (index->gram_last[gram] == text) /* twice in one text counts once */
        return;
    index->gram_last[gram] = text;
    index->postings = mem_grow(index->postings, &index->cap_postings, index->n_postings + 1,
                               sizeof *index->postings);
    index->postings[index->n_postings++] = (struct decontam_posting){gram, text};
}

/* ---- rows ------------------------------------------------------------------------------------------ */

struct decontam_index *decontam_index_new(size_t ngram)
{
    struct decontam_index *index = mem_zero(1, sizeof *index);
    index->n = ngram ? ngram : 1;
    /* The hash of a text is the process's secret. */
    index->base = map_hash(SPAN("decontamination")) % (PRIME - 1000) + 500;
    index->top = 1;
    for (size_t i = 1; i < index->n; i++)
        index->top = multiply(index->top, index->base);
    return index;
}

static int add_words(struct decontam_index *index, struct span folded, uint32_t text,
                     struct error *error)
{
    size_t at = 0, start = index->n_ids;
    struct span word;
    while (decontam_next_word(folded, &at, &word)) {
        if (index->n_ids >= DECONTAM_NONE - 1)
            return error_set(error, ERROR_INPUT,
                             "the evaluation texts have more than %u words; split the holdout and "
                             "pass the rows through one part after the other",
                             DECONTAM_NONE - 1);
        index->ids = mem_grow(index->ids, &index->cap_ids, index->n_ids + 1, sizeof *index->ids);
        index->ids[index->n_ids++] = (uint32_t)map_add(&index->words, word, NULL);
    }
    struct decontam_roll roll = {0};
    for (size_t i = start; i < index->n_ids; i++) {
        decontam_roll_add(index, &roll, index->ids + i);
        if (roll.length == index->n)
            add_window(index, text, roll.hash, i + 1 - index->n);
    }
    return 0;
}

static int add_text(struct decontam_index *index, struct span text, struct buf *folded,
                    struct error *error)
{
    decontam_fold(text, folded);
    struct span norm = buf_span(folded), word;
    size_t at = 0;
    bool fresh;
    if (!norm.len)
        return 0;
    if (!decontam_next_word(norm, &at, &word)) {
        map_add(&index->wordless, norm, NULL);
        return 0;
    }
    size_t id = map_add(&index->texts, norm, &fresh);
    return fresh ? add_words(index, norm, (uint32_t)id, error) : 0;
}

int decontam_index_add(struct decontam_index *index, const struct row *row, struct error *error)
{
    struct buf scratch = {0}, folded = {0};
    index->rows++;
    struct span task = decontam_row_task(row, &scratch);
    if (task.len) {
        index->rows_with_task++;
        map_add(&index->tasks, task, NULL);
    }
    int code = 0;
    for (size_t i = 0; i < TEXT_KEY_COUNT && code == 0; i++)
        code = add_text(index, decontam_row_text(row, TEXT_KEYS[i], &scratch), &folded, error);
    buf_free(&scratch);
    buf_free(&folded);
    return code;
}

/* ---- sealing --------------------------------------------------------------------------------------- */

/* Text ids by n-gram: a counting sort, which keeps them ascending. *starts is by n-gram and one more. */
static uint32_t *sort_postings(struct decontam_index *index, size_t **starts)
{
    size_t *at = mem_zero(index->n_grams + 2, sizeof *at);
    for (size_t i = 0; i < index->n_postings; i++)
        at[index->postings[i].gram + 2]++;
    for (size_t g = 2; g < index->n_grams + 2; g++)
        at[g] += at[g - 1];
    uint32_t *texts = mem_zero(index->n_postings, sizeof *texts);
    for (size_t i = 0; i < index->n_postings; i++)
        texts[at[index->postings[i].gram + 1]++] = index->postings[i].text;
    *starts = at;
    return texts;
}

static void add_list(struct decontam_index *index, struct span texts)
{
    size_t count = texts.len / sizeof(uint32_t);
    index->lists =
        mem_grow(index->lists, &index->cap_lists, index->n_lists + 1, sizeof *index->lists);
    index->lists[index->n_lists++] = (struct decontam_list){index->n_members, (uint32_t)count};
    index->members = mem_grow(index->members, &index->cap_members, index->n_members + count,
                              sizeof *index->members);
    memcpy(index->members + index->n_members, texts.ptr, texts.len);
    index->n_members += count;
}

void decontam_index_seal(struct decontam_index *index)
{
    size_t *starts;
    uint32_t *texts = sort_postings(index, &starts);
    free(index->postings);
    index->postings = NULL;
    free(index->gram_last);
    index->gram_last = NULL;
    struct map seen = {0};
    index->gram_list = mem_zero(index->n_grams, sizeof *index->gram_list);
    for (size_t g = 0; g < index->n_grams; g++) {
        bool fresh;
        struct span bytes = span_make((const char *)(texts + starts[g]),
                                      (starts[g + 1] - starts[g]) * sizeof *texts);
        index->gram_list[g] = (uint32_t)map_add(&seen, bytes, &fresh);
        if (fresh)
            add_list(index, bytes);
    }
    map_free(&seen);
    free(texts);
    free(starts);
}

size_t decontam_index_rows(const struct decontam_index *index)
{
    return index->rows;
}

size_t decontam_index_tasks(const struct decontam_index *index)
{
    return index->rows_with_task;
}

size_t decontam_index_texts(const struct decontam_index *index)
{
    return index->texts.count;
}

void decontam_index_free(struct decontam_index *index)
{
    if (!index)
        return;
    map_free(&index->tasks);
    map_free(&index->texts);
    map_free(&index->wordless);
    map_free(&index->words);
    free(index->ids);
    free(index->slots);
    free(index->gram_at);
    free(index->gram_last);
    free(index->postings);
    free(index->gram_list);
    free(index->lists);
    free(index->members);
    free(index);
}
