/* trace_steps.h: steps out of messages (rows 11.3). Internal to the room. */
#ifndef WAI_ROW_TRACE_STEPS_H
#define WAI_ROW_TRACE_STEPS_H

#include "row/trace.h"
#include "json/write.h"

/* A step as JSON texts that live in the tracer's arena; ptr NULL: not there. */
struct trace_step {
    struct span user, text;              /* a user's or an agent's turn */
    struct span tool, arguments, result; /* a call */
    size_t id;                           /* the call's number among the ids, or MAP_NONE */
    size_t next_same;                    /* the next call of the same tool, or MAP_NONE */
};

/* The calls of one tool in order; those before head are answered. */
struct trace_line {
    size_t head, tail;
};

/* Fills the tracer's steps. false: *what says what is wrong with the messages. */
bool trace_messages(struct row_tracer *t, struct json_value messages, const char **what);
void trace_write_steps(const struct row_tracer *t, struct json_writer *w);

/* The text of a message's content: a string itself, the text blocks of a list joined by newlines,
 * null
 * "", anything else as its text. Borrows content or scratch (which is cleared). */
struct span trace_content_text(struct json_value content, struct buf *scratch);

/* The same when value is a list of text blocks and nothing else; false otherwise. */
bool trace_blocks_text(struct json_value value, struct buf *scratch);

/* The content of the first user turn of a list of messages; false when it is none. */
bool trace_first_user(struct json_value array, struct json_value *content);

#endif
