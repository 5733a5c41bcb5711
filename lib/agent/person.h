/* person.h: the words of the simulated person: what a model's reply is made into before it stands as
 * the user's next line, and which replies are none (world 9.3). */
#ifndef WAI_AGENT_PERSON_H
#define WAI_AGENT_PERSON_H

#include "base/buf.h"

/* The leave mark alone: [leaves], thoughts around it aside. */
bool person_left(struct span reply);

/* Cleans a line: markup, plans in JSON, dashes, emojis, stock closers and service phrases, heading
 * and bold marks; runs of blanks to one. Appends to out. */
void person_scrub(struct span line, struct buf *out);

/* Is this a line the person could have said next? prior: the person's line before it; agent: what
 * the agent said last; thread: earlier lines (prior among them), for words of code. */
bool person_accepts(struct span line, struct span prior, struct span agent);

/* Is it an assistant that speaks, or somebody about the message; or is it a bare acknowledgement? */
bool person_speaks_as_assistant(struct span line);

/* Nearly the words of an earlier line of the person. */
bool person_repeats(struct span line, const struct span *earlier, size_t n);

#endif
