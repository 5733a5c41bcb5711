/* decontam_index.h: the evaluation side of decontamination from inside; for decontam*.c alone. */
#ifndef WAI_SELECT_DECONTAM_INDEX_H
#define WAI_SELECT_DECONTAM_INDEX_H

#include "base/map.h"
#include "select/decontam.h"

#define DECONTAM_NONE UINT32_MAX /* no word, n-gram or list */

/* Which evaluation texts have an n-gram, ascending. Equal lists are one list. */
struct decontam_list {
    size_t at; /* in members */
    uint32_t count;
};

struct decontam_slot {
    uint32_t gram; /* number + 1; 0 is a free slot */
    uint32_t tag;  /* upper bits of the hash */
};

struct decontam_index {
    size_t n; /* words of an n-gram */
    size_t rows, rows_with_task;
    struct map tasks;    /* ids */
    struct map texts;    /* folded texts with words; the number is the text's id */
    struct map wordless; /* folded texts without words */
    struct map words;
    uint32_t *ids; /* words of all texts, text by text */
    size_t n_ids, cap_ids;
    struct decontam_slot *slots; /* open addressing, a power of two */
    size_t n_slots;
    uint32_t *gram_at; /* by n-gram: where in ids its first occurrence starts */
    size_t n_grams, cap_grams;
    uint32_t *gram_last; /* by n-gram, while building: the last text that has it */
    size_t cap_last;
    struct decontam_posting {
        uint32_t gram, text;
    } * postings; /* while building */
    size_t n_postings, cap_postings;
    uint32_t *gram_list; /* by n-gram, when sealed: number of its list */
    struct decontam_list *lists;
    size_t n_lists, cap_lists;
    uint32_t *members; /* text ids of all lists */
    size_t n_members, cap_members;
    uint64_t base, top; /* of the rolling hash: base and base^(n-1) modulo 2^61 - 1 */
};

/* Lower-cased text, white space folded: what texts are compared as. */
void decontam_fold(struct span text, struct buf *folded);

/* Runs of a-z and 0-9 of a folded text. */
bool decontam_next_word(struct span folded, size_t *at, struct span *word);

/* The text of a row's key: "" when falsy. A prompt that is a list of messages is what its user says. */
struct span decontam_row_text(const struct row *row, struct span key, struct buf *scratch);

/* The task id of a row (scenario_id, else task_id), "" without one. */
struct span decontam_row_task(const struct row *row, struct buf *scratch);

/* Rolling hash of the n words up to ids[i] (Karp and Rabin 1987), modulo 2^61 - 1 with a secret base, so
 * that no input can aim at collisions. length: words rolled so far, at most n. */
struct decontam_roll {
    uint64_t hash;
    size_t length;
};
void decontam_roll_add(const struct decontam_index *index, struct decontam_roll *roll,
                       const uint32_t *word);

/* The n-gram whose words are words[0 .. n-1], or DECONTAM_NONE. */
uint32_t decontam_gram(const struct decontam_index *index, uint64_t hash, const uint32_t *words);

#endif
