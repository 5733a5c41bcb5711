/* protocol.h: the lines that an agent of the user's own writes, whatever brings them: a co-process
 * (world 13.3), a command run once (14.3), a web service (14.2). A line is told by its keys:
 *
 *     {"tool", "arguments", "call"?, "text"?}   a call: the world answers
 *     {"step": {…}}                             something it did itself
 *     {"say": TEXT}                             an utterance; the person's next line answers
 *     {"final_text", "steps"?, …} or "TEXT"     it is done
 *     {"error": TEXT}                           it failed */
#ifndef WAI_AGENT_PROTOCOL_H
#define WAI_AGENT_PROTOCOL_H

#include "agent/agent.h"

enum agent_says {
    AGENT_SAYS_NOTHING, /* none of these: `what` says why, a clause */
    AGENT_SAYS_CALL,
    AGENT_SAYS_STEP,
    AGENT_SAYS_LINE,
    AGENT_SAYS_DONE,
    AGENT_SAYS_ERROR,
};

/* Borrows the line. A value that is not there has text.ptr NULL. */
struct agent_line {
    enum agent_says says;
    struct json_value id;
    struct json_value tool, arguments, call; /* of a call; tool is a string */
    struct json_value text;                  /* of a call, a line, an error: a string */
    struct json_value step;                  /* an object that names a tool or holds a text */
    struct json_value done;                  /* an object, or a string */
    const char *what;                        /* static */
};

void agent_line_read(struct span line, struct agent_line *out);

/* Nested so deep that the row it goes into could not be read again. */
bool agent_json_deep(struct span json);

/* Does its id, when it has one, name this rollout? */
bool agent_line_is_of(const struct agent_line *line, struct span id);

/* A done line's content into the rollout: last words (empty when it brings none), how it ended,
 * usage, sums of log-probabilities, and the keys of its own that a row does not own; and its steps,
 * a whole array (empty when it brings none), into out->steps unless some are recorded there.
 * *ignored: it brought steps beside those. False: it is no rollout; out->error says why. */
bool agent_done_read(struct json_value done, bool recorded, struct rollout *out, bool *ignored);

/* The rollout is lost: one sentence. */
void rollout_fail(struct rollout *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, with the end of what the program said on standard error. */
void rollout_lose(struct rollout *out, const char *what, struct span said);

/* "the agent failed: …", for an error line's text. */
void rollout_fail_by_word(struct rollout *out, struct json_value text);

#endif
