/* call_match.h: do the calls of a row match the calls that were wanted: the rule of the Berkeley
 * Function Calling Leaderboard, by the shape of calls and not by running them.
 *
 * The wanted calls are a list of {NAME: {ARGUMENT: [allowed, …]}}; "" among the allowed says that the
 * argument may be left out. A plain call {name, arguments} allows one value each. Call by call:
 *   - the name is the same, or with `_` for each `.` of it;
 *   - no argument is given that is not wanted (or that the tool does not declare), none is missing
 *     that is required or not allowed to be left out;
 *   - its value has the declared type (integer, float or number, string, boolean, array, tuple, dict
 *     or object); a whole number stands for a float. An allowed value of another type (a variable's
 *     name) is matched to the letter. Without a declaration the type is that of the allowed values;
 *   - texts are equal without case, blanks and `, . / - _ * ^`, with ' as "; also as items of a list
 *     and values of an object; other values are equal as JSON, numbers by value;
 *   - an object's members each have their list of allowed values.
 * Several calls match in any order. */
#ifndef WAI_GRADE_CALL_MATCH_H
#define WAI_GRADE_CALL_MATCH_H

#include "row/calls.h"

struct call_wish {
    struct span name;
    struct json_value arguments; /* an object */
    bool plain;                  /* values as they are, not lists of allowed ones */
    bool subset;                 /* further arguments are fine */
    struct json_value schema;    /* the tool's parameters; text.ptr NULL: not known */
};

/* Whether one call is the one wanted; *why, a clause about the call, when it is not. */
bool call_matches(const struct call_wish *wish, const struct row_call *call, bool literals,
                  struct buf *why);

/* Each wish has a call of its own and no call is left over. `ordered`: in the order given. */
bool calls_match(const struct call_wish *wishes, size_t n, const struct row_calls *calls,
                 bool ordered, bool literals, struct buf *why);

#endif
