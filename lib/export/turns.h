/* turns.h: the conversation of a row as a trainer wants it (select 13.1): four roles, texts without
 * thoughts, every call with an id and every tool result tied to one, arguments decoded once and for
 * all. How it is written is wire.h's affair. */
#ifndef WAI_EXPORT_TURNS_H
#define WAI_EXPORT_TURNS_H

#include "row/conversation.h"

struct export_call {
    struct span id, name;
    struct json_value arguments; /* decoded; text.ptr NULL: {} */
    struct span text;            /* what did not decode, as it is; ptr NULL: it did */
};

struct export_turn {
    enum row_role role;
    struct span content;
    size_t first_call, n_calls;
    struct span name;    /* of a tool result; ptr NULL: none */
    struct span call_id; /* of a tool result; ptr NULL: none */
};

/* What the user asked of the conversion. */
struct export_build {
    struct span system_prompt; /* len 0: none */
    bool replace_system;       /* the row's own system turns go */
    bool keep_think;           /* thoughts stay */
    bool drop_parts;           /* parts of a content that are no text go */
    int64_t max_tool_output;   /* code points of a tool result; < 0: any */
};

/* `struct export_turns t = {0}` is empty; reuse it from row to row. Borrows the row. */
struct export_turns {
    struct export_turn *items;
    size_t count, cap;
    struct export_call *calls;
    size_t n_calls, cap_calls;
    /* what happened on the way */
    int64_t cut, cut_chars; /* tool results over the limit, code points that went */
    int64_t roles_dropped;  /* turns of a role that no trainer knows */
    int64_t parts_dropped;  /* parts of contents */
    bool systems_differ;    /* the row brought another system turn than the one given */
    /* scratch */
    struct span *waiting; /* ids of calls that no result answered */
    size_t n_waiting, cap_waiting;
    struct row_conversation conversation;
    struct arena arena;
    struct buf scratch, steps;
    struct json_members members;
};

/* 0, or -1 with *fault, a clause with the mend: the row has something that no trainer file can
 * hold. */
int export_turns_read(struct export_turns *t, const struct row *row,
                      const struct export_build *build, const char **fault);
void export_turns_free(struct export_turns *t);

/* NaN and the infinities, which are no JSON, become null. Most values are returned as they are. */
struct json_value export_finite(struct arena *arena, struct json_value value);

#endif
