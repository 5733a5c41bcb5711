/* facts.h: what selection wants to know of each row, read once, in a record of fixed size. The
 * gates and the rankings work on these records; the rows themselves wait in a row_store until they
 * are chosen. */
#ifndef WAI_SELECT_FACTS_H
#define WAI_SELECT_FACTS_H

#include "base/map.h"
#include "row/row.h"

enum select_flag {
    SELECT_CHECKED = 1 << 0,        /* the row has a privileged text to look for */
    SELECT_LEAKED = 1 << 1,         /* and the reply says it */
    SELECT_JUNK = 1 << 2,           /* incomplete: section 3.2, all but the length rule */
    SELECT_LONG = 1 << 3,           /* over SELECT_LONG_REPLY and not finished */
    SELECT_OVERLONG = 1 << 4,       /* the row says so itself */
    SELECT_TRUNCATED = 1 << 5,      /* cut by the token cap */
    SELECT_HAS_TOOL = 1 << 6,       /* a tool was called */
    SELECT_WANTS_TOOL = 1 << 7,     /* the situation wants one */
    SELECT_CONTENT = 1 << 8,        /* there is something to train on */
    SELECT_TRUSTED = 1 << 9,        /* a trusted rule labelled it, and it has content */
    SELECT_ZERO = 1 << 10,          /* reward itself is 0 */
    SELECT_EVAL = 1 << 11,          /* lineage.source is "eval" */
    SELECT_PROMPT_STANDS = 1 << 13, /* no prompt: the first user message stands in */
    SELECT_FINAL_STANDS = 1 << 14, /* no final_text: the last message, the assistant's, stands in */
    SELECT_OUT = 1 << 12, /* it leaves in no case (select_wants): what else is known of it is 0 */
};

/* What is to be read. */
struct select_wants {
    const char *quota_key; /* dotted path of what a quota counts, or NULL */
    /* Of rows whose reward is below min_reward, or none, only what counts them: the reward, leaks, the
     * folded prompt. */
    bool passing_only;
    bool strict_keys; /* messages stand in for no key that is absent */
    double min_reward;
};

struct select_fact {
    uint32_t task;         /* number in tasks */
    uint32_t prompt;       /* number in prompts */
    uint32_t folded;       /* number in folded: the prompt folded */
    uint32_t duplicate;    /* number of (prompt, signature, folded final_text) */
    uint32_t signature;    /* number in signatures */
    uint32_t fault;        /* number in faults */
    uint32_t quota;        /* number in quotas */
    uint16_t flags;        /* enum select_flag */
    int8_t label;          /* enum row_label */
    double scalar;         /* first numeric reward; NaN: none */
    double carried_rate;   /* pass rate that came with the row; NaN: none */
    double carried_n;      /* tries behind it; 0: unknown */
    uint64_t reply_length; /* code points */
};

/* A row that leaked; spans in the facts' arena. */
struct select_leak {
    struct span scenario_id, rollout_index; /* JSON as on the row; len 0: absent */
    struct span field, needle;
};

struct select_reader; /* what reading one row needs: patterns, buffers; one for each thread */

struct select_facts {
    struct select_fact *items; /* items[i]: row i of the store */
    size_t count, cap;
    struct map tasks, prompts, folded, duplicates, signatures, faults, quotas;
    struct select_wants wants; /* set before the first row */
    struct select_leak *leaks; /* the first SELECT_LEAKS_SHOWN */
    size_t n_leaks_shown, cap_leaks;
    struct arena arena;
    struct select_reader *reader; /* of select_facts_add */
    struct buf note;
};

struct select_reader *select_reader_new(const struct select_wants *wants);
void select_reader_free(struct select_reader *reader);

/* What is to be known of a row, appended to note: the record with the texts that its numbers will stand
 * for. Rows may be read on several threads, in any order. */
void select_read(struct select_reader *reader, const struct row *row, struct buf *note);

/* Numbers the texts of a note and keeps the record: notes come in the order of the rows. The record
 * stays where it is until the next one. */
const struct select_fact *select_facts_take(struct select_facts *facts, struct span note);

/* Both, on one thread. */
void select_facts_add(struct select_facts *facts, const struct row *row);
/* The pass rate that came with a row (select 3.4): its own, else its calibration's; NaN: none. n: the
 * tries behind it, 0 when unknown. */
double select_carried_rate(const struct row *row, double *n);

void select_facts_free(struct select_facts *facts);

/* SHA-256 hex of "salt:text": an order that no input order decides (select 0.4). */
enum { SELECT_STABLE_MAX = 65 };
void select_stable(struct span text, struct span salt, char out[SELECT_STABLE_MAX]);

#endif
