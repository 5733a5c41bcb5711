/* error.h: how a library function fails for the user's reasons: it returns a negative code and
 * fills a struct error with one finished sentence that says where, what, and the mend:
 *     scored.jsonl:17: reward is "high", not a number; grade the rows again or drop the key
 * The program's name is put in front by whoever prints it. The exit status is the code's negative.
 */
#ifndef WAI_BASE_ERROR_H
#define WAI_BASE_ERROR_H

#include <stdarg.h>

enum error_code {
    ERROR_NONE = 0,
    ERROR_CHECK = -1,  /* a check that was asked for is red */
    ERROR_USAGE = -2,  /* bad usage */
    ERROR_INPUT = -3,  /* bad input, named FILE:LINE */
    ERROR_REMOTE = -4, /* a remote service or a child command failed */
    ERROR_SYSTEM = -5, /* I/O or memory */
};

enum { ERROR_INTERRUPTED = -130 }; /* SIGINT: the exit status is 130 */

struct error {
    int code;        /* 0 or one of the above */
    char text[1024]; /* one line, without a newline; cut at a character's edge when longer */
};

/* Fills e (which may be NULL) and returns code, so that `return error_set(e, …);` reads well.
 * Control characters that the arguments bring are shown escaped. */
int error_set(struct error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of errno (as it was on entry) behind the sentence. */
int error_errno(struct error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a prefix and ": " in front of the sentence that is there. Returns e's code. */
int error_prefix(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
