/* conversation.h: the messages of a row: its own when it has any, else built from opener, prompt,
 * steps and final_text so that nothing said is lost and no ask is said twice (rows 5). The one
 * conversation builder of the toolchain. */
#ifndef WAI_ROW_CONVERSATION_H
#define WAI_ROW_CONVERSATION_H

#include "base/arena.h"
#include "row/row.h"
#include "json/write.h"

enum row_role { ROW_ROLE_OTHER, ROW_ROLE_SYSTEM, ROW_ROLE_USER, ROW_ROLE_ASSISTANT, ROW_ROLE_TOOL };

struct row_message {
    enum row_role role;
    struct json_value own;     /* the message as the row has it; text.ptr NULL: it was built */
    struct json_value content; /* its content, null when absent; of a built tool turn the result */
    struct json_value calls;   /* tool_calls of an own message; text.ptr NULL: none */
    struct json_value
        tool; /* built assistant turn with a call, and its tool turn: the tool's name */
    struct json_value arguments; /* built assistant turn with a call; text.ptr NULL stands for {} */
    struct span text;            /* set by row_message_text; ptr NULL before */
};

/* `struct row_conversation c = {0}` is empty; reuse it from row to row. Borrows the row. */
struct row_conversation {
    struct row_message *items;
    size_t count, cap;
    bool built; /* not the row's own messages */
    struct arena arena;
    struct buf scratch;
};

void row_conversation_read(struct row_conversation *c, const struct row *row);

/* The same built from prompt and steps even when the row has messages of its own. */
void row_conversation_build(struct row_conversation *c, const struct row *row);

void row_conversation_free(struct row_conversation *c);

/* The words of a message: a string itself, null "", the text parts of a list joined by newlines; of
 * a built tool turn the string result or PYJSON of it. Kept in the conversation. */
struct span row_message_text(struct row_conversation *c, struct row_message *message);

/* Name of a role as messages spell it; "" for ROW_ROLE_OTHER. */
const char *row_role_name(enum row_role role);

/* The whole array of messages, own ones byte for byte. */
void row_conversation_write(struct row_conversation *c, struct json_writer *w);

#endif
