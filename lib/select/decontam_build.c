/* decontam_build.c: the evaluation side of decontamination, row by row, and its sealing into an image. */
#include <stdlib.h>

#include "select/decontam_index.h"
#include "text/digest.h"

static const struct span TEXT_KEYS[] = {{"prompt", 6}, {"answer", 6}, {"reference", 9}};
enum { TEXT_KEY_COUNT = 3 };

struct decontam_index *decontam_index_new(size_t ngram, enum decontam_tokens tokens)
{
    struct decontam_index *index = mem_zero(1, sizeof *index);
    index->n = ngram ? ngram : 1;
    index->tokens = tokens;
    /* While it is built, the hash is the process's secret: no holdout can aim at collisions. */
    index->hash = decontam_hash_make(index->n, map_hash(SPAN("decontamination")));
    index->builder = mem_zero(1, sizeof *index->builder);
    return index;
}

void decontam_builder_free(struct decontam_builder *b)
{
    if (!b)
        return;
    map_free(&b->tasks);
    map_free(&b->texts);
    map_free(&b->wordless);
    map_free(&b->words);
    map_free(&b->asked);
    arena_free(&b->arena);
    free(b->prompts);
    free(b->prompt_task);
    free(b->ids);
    free(b->slots);
    free(b->gram_at);
    free(b->gram_last);
    free(b->postings);
    buf_free(&b->scratch);
    buf_free(&b->folded);
    free(b);
}

/* ---- n-grams --------------------------------------------------------------------------------------- */

static struct decontam_slot *slot_of(const struct decontam_index *index, uint64_t hash,
                                     const uint32_t *words)
{
    const struct decontam_builder *b = index->builder;
    return (struct decontam_slot *)decontam_slot_of(b->slots, b->n_slots, b->ids, b->gram_at,
                                                    index->n, hash, words);
}

static void grow_slots(const struct decontam_index *index)
{
    struct decontam_builder *b = index->builder;
    free(b->slots);
    b->n_slots = b->n_slots ? b->n_slots * 2 : 1024;
    b->slots = mem_zero(b->n_slots, sizeof *b->slots);
    for (size_t g = 0; g < b->n_grams; g++) {
        const uint32_t *words = b->ids + b->gram_at[g];
        uint64_t hash = decontam_hash_words(&index->hash, words);
        *slot_of(index, hash, words) = (struct decontam_slot){(uint32_t)g + 1, decontam_tag(hash)};
    }
}

static void add_window(const struct decontam_index *index, uint32_t text, uint64_t hash, size_t at)
{
    struct decontam_builder *b = index->builder;
    if (b->n_grams + b->n_grams / 2 >= b->n_slots)
        grow_slots(index);
    struct decontam_slot *slot = slot_of(index, hash, b->ids + at);
    if (!slot->number) {
        b->gram_at = mem_grow(b->gram_at, &b->cap_grams, b->n_grams + 1, sizeof *b->gram_at);
        b->gram_last = mem_grow(b->gram_last, &b->cap_last, b->n_grams + 1, sizeof *b->gram_last);
        b->gram_at[b->n_grams] = (uint32_t)at;
        b->gram_last[b->n_grams] = DECONTAM_NONE;
        *slot = (struct decontam_slot){(uint32_t)++b->n_grams, decontam_tag(hash)};
    }
    uint32_t gram = slot->number - 1;
    if (b->gram_last[gram] == text) /* twice in one text counts once */
        return;
    b->gram_last[gram] = text;
    b->postings = mem_grow(b->postings, &b->cap_postings, b->n_postings + 1, sizeof *b->postings);
    b->postings[b->n_postings++] = (struct decontam_posting){gram, text};
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static int add_words(const struct decontam_index *index, struct span folded, uint32_t text,
                     struct error *error)
{
    struct decontam_builder *b = index->builder;
    size_t at = 0, start = b->n_ids;
    struct span word;
    while (decontam_next_word(index->tokens, folded, &at, &word)) {
        if (b->n_ids >= DECONTAM_NONE - 1)
            return error_set(error, ERROR_INPUT,
                             "the evaluation texts have more than %u words; split the holdout and "
                             "pass the rows through one part after the other",
                             DECONTAM_NONE - 1);
        b->ids = mem_grow(b->ids, &b->cap_ids, b->n_ids + 1, sizeof *b->ids);
        b->ids[b->n_ids++] = (uint32_t)map_add(&b->words, word, NULL);
    }
    struct decontam_roll roll = {0};
    for (size_t i = start; i < b->n_ids; i++) {
        decontam_roll_add(&index->hash, &roll, b->ids + i);
        if (roll.length == index->n)
            add_window(index, text, roll.hash, i + 1 - index->n);
    }
    return 0;
}

static int add_folded(const struct decontam_index *index, struct span norm, struct error *error)
{
    struct decontam_builder *b = index->builder;
    struct span word;
    size_t at = 0;
    bool fresh;
    if (!norm.len)
        return 0;
    if (!decontam_next_word(index->tokens, norm, &at, &word)) {
        map_add(&b->wordless, norm, NULL);
        return 0;
    }
    size_t id = map_add(&b->texts, norm, &fresh);
    return fresh ? add_words(index, norm, (uint32_t)id, error) : 0;
}

/* task: number + 1, or 0. norm is the text's. */
static void add_prompt(struct decontam_builder *b, struct span text, struct span norm,
                       uint32_t task)
{
    bool fresh;
    size_t i = map_add(&b->asked, norm, &fresh);
    if (!fresh)
        return;
    b->prompts = mem_grow(b->prompts, &b->cap_prompts, i + 1, sizeof *b->prompts);
    b->prompt_task = mem_grow(b->prompt_task, &b->cap_prompt_task, i + 1, sizeof *b->prompt_task);
    b->prompts[i] = arena_span(&b->arena, text);
    b->prompt_task[i] = task;
}

int decontam_index_add(struct decontam_index *index, const struct row *row, struct error *error)
{
    struct decontam_builder *b = index->builder;
    uint32_t task_number = 0;
    b->rows++;
    struct span task = decontam_row_task(row, &b->scratch);
    if (task.len) {
        b->rows_with_task++;
        task_number = (uint32_t)map_add(&b->tasks, task, NULL) + 1;
    }
    int code = 0;
    for (size_t i = 0; i < TEXT_KEY_COUNT && code == 0; i++) {
        struct span text = decontam_row_text(row, TEXT_KEYS[i], &b->scratch);
        decontam_fold(text, &b->folded);
        struct span norm = buf_span(&b->folded);
        if (i == 0 && norm.len)
            add_prompt(b, text, norm, task_number);
        code = add_folded(index, norm, error);
    }
    return code;
}

int decontam_index_join(struct decontam_index *index, const struct decontam_index *other,
                        struct error *error)
{
    struct decontam_builder *b = index->builder;
    uint32_t *task_of = mem_zero(other->tasks.count + 1, sizeof *task_of);
    int code = 0;
    b->rows += other->rows;
    b->rows_with_task += other->rows_with_task;
    for (size_t i = 0; i < other->tasks.count; i++)
        task_of[i + 1] = (uint32_t)map_add(&b->tasks, decontam_string(&other->tasks, i), NULL) + 1;
    const struct decontam_table *texts[] = {&other->texts, &other->wordless};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < texts[t]->count && code == 0; i++)
            code = add_folded(index, decontam_string(texts[t], i), error);
    for (size_t i = 0; i < other->prompts.count; i++) {
        struct span text = decontam_string(&other->prompts, i);
        decontam_fold(text, &b->folded);
        add_prompt(b, text, buf_span(&b->folded), task_of[other->prompt_task[i]]);
    }
    free(task_of);
    return code;
}

/* ---- lists ----------------------------------------------------------------------------------------- */

struct lists {
    uint32_t *of_gram;
    struct decontam_list *items;
    size_t n, cap;
    uint32_t *members;
    size_t n_members, cap_members;
};

/* Text ids by n-gram: a counting sort, which keeps them ascending. *starts is by n-gram and one more. */
static uint32_t *sort_postings(const struct decontam_builder *b, size_t **starts)
{
    size_t *at = mem_zero(b->n_grams + 2, sizeof *at);
    for (size_t i = 0; i < b->n_postings; i++)
        at[b->postings[i].gram + 2]++;
    for (size_t g = 2; g < b->n_grams + 2; g++)
        at[g] += at[g - 1];
    uint32_t *texts = mem_zero(b->n_postings, sizeof *texts);
    for (size_t i = 0; i < b->n_postings; i++)
        texts[at[b->postings[i].gram + 1]++] = b->postings[i].text;
    *starts = at;
    return texts;
}

static void add_list(struct lists *l, struct span texts)
{
    size_t count = texts.len / sizeof(uint32_t);
    l->items = mem_grow(l->items, &l->cap, l->n + 1, sizeof *l->items);
    l->items[l->n++] = (struct decontam_list){(uint32_t)l->n_members, (uint32_t)count};
    l->members = mem_grow(l->members, &l->cap_members, l->n_members + count, sizeof *l->members);
    memcpy(l->members + l->n_members, texts.ptr, texts.len);
    l->n_members += count;
}

/* Releases what only building needs. */
static struct lists make_lists(struct decontam_builder *b)
{
    struct lists l = {0};
    size_t *starts;
    uint32_t *texts = sort_postings(b, &starts);
    free(b->postings);
    free(b->gram_last);
    free(b->slots);
    b->postings = NULL;
    b->gram_last = NULL;
    b->slots = NULL;
    struct map seen = {0};
    l.of_gram = mem_zero(b->n_grams, sizeof *l.of_gram);
    for (size_t g = 0; g < b->n_grams; g++) {
        bool fresh;
        struct span bytes = span_make((const char *)(texts + starts[g]),
                                      (starts[g + 1] - starts[g]) * sizeof *texts);
        l.of_gram[g] = (uint32_t)map_add(&seen, bytes, &fresh);
        if (fresh)
            add_list(&l, bytes);
    }
    map_free(&seen);
    free(texts);
    free(starts);
    return l;
}

/* ---- the image ------------------------------------------------------------------------------------- */

/* A power of two that is at most three quarters full. */
static uint64_t slots_for(uint64_t count)
{
    uint64_t n = 2;
    while (n / 4 * 3 <= count || n <= count)
        n *= 2;
    return n;
}

/* The hash of the tables is drawn from all that is indexed: the same rows give the same bytes, and whoever
 * does not know the holdout cannot aim at its tables. */
static void draw_key(const struct decontam_index *index, uint64_t key[2])
{
    const struct decontam_builder *b = index->builder;
    const struct map *maps[] = {&b->tasks, &b->texts, &b->wordless, &b->words, &b->asked};
    struct digest_stream d;
    uint8_t digest[SHA256_BYTES];
    uint64_t numbers[] = {index->n, index->tokens, b->rows, b->rows_with_task};
    digest_start(&d);
    digest_add(&d, span_make((const char *)numbers, sizeof numbers));
    for (size_t m = 0; m < sizeof maps / sizeof *maps; m++)
        for (size_t i = 0; i < maps[m]->count; i++) {
            digest_add(&d, maps[m]->keys[i]);
            digest_add(&d, span_make((const char *)&maps[m]->keys[i].len, sizeof(size_t)));
        }
    digest_end(&d, digest);
    memcpy(key, digest, 2 * sizeof *key);
    key[0] |= 1;
    key[1] |= 1;
}

static void fill_table(const struct decontam_index *index, const struct decontam_table *table,
                       const struct span *strings)
{
    uint64_t *at = (uint64_t *)table->at;
    struct decontam_slot *slots = (struct decontam_slot *)table->slots;
    at[0] = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (strings[i].len)
            memcpy((char *)table->bytes + at[i], strings[i].ptr, strings[i].len);
        at[i + 1] = at[i] + strings[i].len;
        if (!table->n_slots)
            continue;
        uint64_t hash = map_hash_keyed(strings[i], index->key);
        size_t place = (size_t)hash & (table->n_slots - 1);
        while (slots[place].number)
            place = (place + 1) & (table->n_slots - 1);
        slots[place] = (struct decontam_slot){(uint32_t)i + 1, decontam_tag(hash)};
    }
}

static void fill_grams(const struct decontam_index *index)
{
    struct decontam_slot *slots = (struct decontam_slot *)index->slots;
    for (size_t g = 0; g < index->n_grams; g++) {
        uint64_t hash = decontam_hash_words(&index->hash, index->ids + index->gram_at[g]);
        size_t place = (size_t)hash & (index->n_slots - 1);
        while (slots[place].number)
            place = (place + 1) & (index->n_slots - 1);
        slots[place] = (struct decontam_slot){(uint32_t)g + 1, decontam_tag(hash)};
    }
}

static void copy_numbers(const void *to, const void *from, size_t n, size_t size)
{
    if (n)
        memcpy((void *)to, from, n * size);
}

void decontam_index_seal(struct decontam_index *index)
{
    struct decontam_builder *b = index->builder;
    struct lists lists = make_lists(b);
    struct decontam_header h = {.order = 1,
                                .n = index->n,
                                .tokens = index->tokens,
                                .rows = b->rows,
                                .rows_with_task = b->rows_with_task,
                                .n_ids = b->n_ids,
                                .n_grams = b->n_grams,
                                .n_slots = slots_for(b->n_grams),
                                .n_lists = lists.n,
                                .n_members = lists.n_members};
    const struct span *strings[] = {b->tasks.keys, b->texts.keys, b->wordless.keys, b->words.keys,
                                    b->prompts};
    size_t counts[] = {b->tasks.count, b->texts.count, b->wordless.count, b->words.count,
                       b->asked.count};
    memcpy(h.magic, DECONTAM_MAGIC, sizeof h.magic);
    draw_key(index, h.key);
    for (size_t t = 0; t < 5; t++) {
        h.tables[t].count = counts[t];
        h.tables[t].n_slots = t < 4 ? slots_for(counts[t]) : 0; /* prompts are not looked up */
        for (size_t i = 0; i < counts[t]; i++)
            h.tables[t].bytes += strings[t][i].len;
    }
    size_t size = 0;
    decontam_image_place(index, &h, NULL, 0, &size);
    char *image = mem_zero(size, 1);
    decontam_image_place(index, &h, image, size, NULL);
    const struct decontam_table *tables[] = {&index->tasks, &index->texts, &index->wordless,
                                             &index->words, &index->prompts};
    for (size_t t = 0; t < 5; t++)
        fill_table(index, tables[t], strings[t]);
    copy_numbers(index->prompt_task, b->prompt_task, counts[4], sizeof *b->prompt_task);
    copy_numbers(index->ids, b->ids, b->n_ids, sizeof *b->ids);
    copy_numbers(index->gram_at, b->gram_at, b->n_grams, sizeof *b->gram_at);
    copy_numbers(index->gram_list, lists.of_gram, b->n_grams, sizeof *lists.of_gram);
    copy_numbers(index->lists, lists.items, lists.n, sizeof *lists.items);
    copy_numbers(index->members, lists.members, lists.n_members, sizeof *lists.members);
    fill_grams(index);
    memcpy(image, &h, sizeof h);
    decontam_image_digest(image, size, h.digest);
    memcpy(image, &h, sizeof h);
    free(lists.of_gram);
    free(lists.items);
    free(lists.members);
    decontam_builder_free(b);
    index->builder = NULL;
}
