/* decontam_index.h: the evaluation side of decontamination from inside; for decontam*.c alone. */
#ifndef WAI_SELECT_DECONTAM_INDEX_H
#define WAI_SELECT_DECONTAM_INDEX_H

#include "base/map.h"
#include "select/decontam.h"

#define DECONTAM_NONE UINT32_MAX /* no word, n-gram or list */

enum { DECONTAM_WORDS_MAX = 1000000 }; /* of an n-gram */

/* A place of an open-addressed table: a number, and upper bits of its hash. */
struct decontam_slot {
    uint32_t number; /* + 1; 0 is a free slot */
    uint32_t tag;
};

/* Distinct strings, numbered. */
struct decontam_table {
    uint64_t count, n_slots;
    const uint64_t *at; /* string i is bytes[at[i]] … bytes[at[i + 1] - 1] */
    const struct decontam_slot *slots;
    const char *bytes;
};

/* Which evaluation texts have an n-gram, ascending. Equal lists are one list. */
struct decontam_list {
    uint32_t at, count; /* in members; count >= 1 */
};

/* What is built, row by row, until it is sealed. */
struct decontam_builder {
    uint64_t rows, rows_with_task;
    struct map tasks;    /* ids */
    struct map texts;    /* folded texts with words; the number is the text's id */
    struct map wordless; /* folded texts without words */
    struct map words;
    struct map asked;      /* folded prompts; the number is the prompt's */
    struct arena arena;    /* of prompts */
    struct span *prompts;  /* as they came */
    uint32_t *prompt_task; /* number in tasks + 1; 0: none */
    size_t cap_prompts, cap_prompt_task;
    uint32_t *ids; /* words of all texts, text by text */
    size_t n_ids, cap_ids;
    struct decontam_slot *slots;
    size_t n_slots;
    uint32_t *gram_at; /* by n-gram: where in ids its first occurrence starts */
    size_t n_grams, cap_grams;
    uint32_t *gram_last; /* by n-gram: the last text that has it */
    size_t cap_last;
    struct decontam_posting {
        uint32_t gram, text;
    } * postings;
    size_t n_postings, cap_postings;
    struct buf scratch, folded;
};

/* Rolling hash of n words (Karp and Rabin 1987), modulo 2^61 - 1. */
struct decontam_hash {
    uint64_t n, base, top; /* top: base^(n-1) */
};

/* A sealed index is one run of bytes, in memory or a file that is mapped; all pointers lead into it. */
struct decontam_index {
    size_t n; /* words of an n-gram */
    enum decontam_tokens tokens;
    struct decontam_hash hash;
    uint64_t key[2]; /* of the tables' hash */
    uint64_t rows, rows_with_task;
    struct decontam_table tasks, texts, wordless, words, prompts; /* prompts have no slots */
    uint64_t n_ids, n_grams, n_slots, n_lists, n_members;
    const uint32_t *prompt_task; /* number in tasks + 1; 0: none */
    const uint32_t *ids, *gram_at;
    const uint32_t *gram_list; /* by n-gram: number of its list */
    const struct decontam_slot *slots;
    const struct decontam_list *lists;
    const uint32_t *members; /* text ids of all lists */
    char *image;
    size_t size;
    bool mapped;
    struct decontam_builder *builder; /* NULL once sealed */
};

/* ---- the image (decontam_image.c) ------------------------------------------------------------------ */

#define DECONTAM_MAGIC "waidecn1"

/* What stands at the image's start. All numbers in this machine's byte order. */
struct decontam_header {
    char magic[8];
    uint64_t order;     /* 1 */
    uint8_t digest[32]; /* SHA-256 of all that follows */
    uint64_t key[2], n, tokens, rows, rows_with_task;
    struct {
        uint64_t count, n_slots, bytes;
    } tables[5];
    uint64_t n_ids, n_grams, n_slots, n_lists, n_members;
};

/* Fills the pointers from the header at image's start. false: it does not add up to size bytes. With image
 * NULL only *need, the bytes of that header's image, is found. */
bool decontam_image_place(struct decontam_index *index, const struct decontam_header *header,
                          char *image, size_t size, size_t *need);
void decontam_builder_free(struct decontam_builder *builder);
void decontam_image_digest(const char *image, size_t size, uint8_t out[32]);

/* String i; its number, or MAP_NONE. */
struct span decontam_string(const struct decontam_table *table, size_t i);
size_t decontam_find(const struct decontam_index *index, const struct decontam_table *table,
                     struct span string);

/* ---- texts (decontam_text.c) ----------------------------------------------------------------------- */

/* Lower-cased text, white space folded: what texts are compared as. */
void decontam_fold(struct span text, struct buf *folded);

/* The words of a folded text; see enum decontam_tokens. */
bool decontam_next_word(enum decontam_tokens tokens, struct span folded, size_t *at,
                        struct span *word);

/* The text of a row's key: "" when falsy. A prompt that is a list of messages is what its user says. */
struct span decontam_row_text(const struct row *row, struct span key, struct buf *scratch);

/* The task id of a row (scenario_id, else task_id), "" without one. */
struct span decontam_row_task(const struct row *row, struct buf *scratch);

/* ---- n-grams --------------------------------------------------------------------------------------- */

struct decontam_hash decontam_hash_make(size_t n, uint64_t seed);

/* The hash of the n words up to *word; length: words rolled so far, at most n. */
struct decontam_roll {
    uint64_t hash;
    size_t length;
};
void decontam_roll_add(const struct decontam_hash *h, struct decontam_roll *roll,
                       const uint32_t *word);
uint64_t decontam_hash_words(const struct decontam_hash *h, const uint32_t *words);

/* The slot of the n-gram words[0 .. n-1], or the free one where it belongs. */
const struct decontam_slot *decontam_slot_of(const struct decontam_slot *slots, size_t n_slots,
                                             const uint32_t *ids, const uint32_t *gram_at, size_t n,
                                             uint64_t hash, const uint32_t *words);
static inline uint32_t decontam_tag(uint64_t hash)
{
    return (uint32_t)(hash >> 29);
}

/* The n-gram whose words are words[0 .. n-1], or DECONTAM_NONE. */
uint32_t decontam_gram(const struct decontam_index *index, uint64_t hash, const uint32_t *words);

#endif
