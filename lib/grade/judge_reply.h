/* judge_reply.h: what a model that judges has written, read strictly (grade 14.4-14.8). A reply is
 * hostile text: it may quote the row it judges, think aloud, be cut off, or answer another question.
 * Whatever is not clearly a verdict is none, so that it shows as an unjudged row and never as a 0.
 * Pure functions; work is bounded whatever the text is. */
#ifndef WAI_GRADE_JUDGE_REPLY_H
#define WAI_GRADE_JUDGE_REPLY_H

#include "base/buf.h"
#include "json/scan.h"

enum { JUDGE_LABEL_NONE = -1 };

/* 0, 1, or JUDGE_LABEL_NONE. The last complete object of the reply decides; without any, a bare
 * number or a tail that was cut off. reason (cleared) gets its reason, white space collapsed. */
int judge_reply_label(struct span reply, struct buf *reason);

/* A score from 0 to 1 (grade 14.6). false: none. */
bool judge_reply_advice(struct span reply, double *score, struct buf *reason);

enum judge_winner { JUDGE_WINNER_NONE, JUDGE_WINNER_A, JUDGE_WINNER_B, JUDGE_WINNER_TIE };

/* Who wins a comparison (grade 14.8). */
enum judge_winner judge_reply_winner(struct span reply, struct buf *reason);

/* The winner that an object names: {"winner": "A"}. */
enum judge_winner judge_winner_of(struct json_value object);

/* From the first brace to the last one as an object; thoughts are left out. The value borrows the
 * reply or scratch (which is cleared). */
bool judge_reply_object(struct span reply, struct buf *scratch, struct json_value *object);

/* The same for an array in brackets. */
bool judge_reply_array(struct span reply, struct buf *scratch, struct json_value *array);

/* `reason` of an object, white space collapsed, REASON_CHARS long at most; reason is cleared. */
void judge_reason_of(struct json_value object, struct buf *reason);

#endif
