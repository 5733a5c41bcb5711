/* judge_prompt.h: what a model that judges is told (grade 13.3, 14.3, 14.5-14.8, 16): the duties, then
 * the form of its answer. An edited word is a new judge: the version is a digest of the whole. */
#ifndef WAI_GRADE_JUDGE_PROMPT_H
#define WAI_GRADE_JUDGE_PROMPT_H

#include "base/buf.h"

enum prompt_kind {
    PROMPT_FLOOR,    /* 0 or 1 by conduct */
    PROMPT_RUBRIC,   /* 0 or 1 by a task's rubric and conduct */
    PROMPT_CRITERIA, /* an answer per criterion */
    PROMPT_ADVISORY, /* from 0 to 1 */
    PROMPT_AUDIT,    /* was a label fair */
    PROMPT_PAIR,     /* A, B or a tie */
    PROMPT_WRITER,   /* writes a rubric */
    PROMPT_RANK,     /* ranks the passes of a group */
    PROMPT_SCORES,   /* solution and behaviour of one pass */
};

struct prompt_parts {
    enum prompt_kind kind;
    struct span rubric; /* of PROMPT_RUBRIC */
    bool privileged;    /* the record has judge_only */
    bool duties_only;   /* without the form of the answer, for a judge that has its own */
    int least, most;    /* criteria of PROMPT_WRITER */
};

/* Appends the system prompt. */
void prompt_write(const struct prompt_parts *parts, struct buf *out);

/* Said when a reply could not be used. */
const char *prompt_again(enum prompt_kind kind);

#endif
