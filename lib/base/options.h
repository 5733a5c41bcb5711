/* options.h: one declarative table per binary (or verb) gives parsing, --help, shell completion and
 * the check against the manual page.
 *
 * Conventions (design.md): long options with conventional short ones; options may follow operands;
 * "--" ends them; --name=VALUE and --name VALUE are the same; short flags combine (-qv, -k4); an
 * unambiguous beginning of a long name is NOT accepted (scripts would break when an option is
 * added). Every binary has --help, --version and --completion bash|zsh|fish without listing them.
 * An unknown option, verb or choice names the nearest known one. All bad usage is ERROR_USAGE. */
#ifndef WAI_BASE_OPTIONS_H
#define WAI_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum option_kind {
    OPTION_END = 0,
    OPTION_FLAG,     /* bool: set to true. With .negative, set to false */
    OPTION_TEXT,     /* const char *, borrowed from argv; NULL when absent */
    OPTION_OPTIONAL, /* const char *: --name alone gives "", --name=VALUE the value (never the next
                        word) */
    OPTION_LIST,     /* struct option_list: repeatable text, in order */
    OPTION_INT,      /* int64_t, decimal, within min..max (both 0: any) */
    OPTION_REAL,     /* double, finite, within min..max (both 0: any) */
    OPTION_SIZE,     /* uint64_t bytes; suffix K M G T (powers of 1024), optional iB or B */
    OPTION_CHOICE,   /* const char *, one of .choices, "a|b|c" */
};

struct option_list {
    const char **items; /* borrowed texts in an owned array */
    size_t count, cap;
};

/* Fields left out are 0. The value lands at `offset` in the caller's options struct; what the
 * caller put there before parsing is the default. */
struct option {
    enum option_kind kind;
    char letter;      /* 0: none */
    const char *name; /* long name without dashes */
    size_t offset;    /* offsetof(struct my_options, field) */
    const char *arg;  /* what --help calls the value: "N", "FILE", "a|b" */
    const char
        *help;   /* one sentence, lower case, no full stop; the default in it where it matters */
    size_t seen; /* offsetof a bool that becomes true when given; 0: none */
    double min, max; /* OPTION_INT, OPTION_REAL */
    const char *choices;
    bool negative; /* OPTION_FLAG: stores false */
    bool file;     /* the value is a file name: completion offers files */
};

struct command {
    const char *name;             /* "wai-rows", or a verb's name */
    const char *synopsis;         /* "[OPTIONS] [FILE...]" */
    const char *purpose;          /* one sentence */
    const struct option *options; /* ends with {0}; NULL: none */
    const struct command *verbs;  /* ends with {0}; NULL: none */
    const char *verbs_heading;    /* what --help calls them; NULL: "Verbs" and how to learn more */
    const char *default_verb;     /* when the first argument is no verb; NULL: a verb is required,
                                     unless the command has options of its own */
    const char *examples;         /* lines, printed indented under "Examples:"; NULL: none */
    const char *exit_status;      /* lines beside the common ones; NULL: the common ones */
    const void *data;             /* the caller's, per verb (a function to run, say) */
};

struct operands {
    const char **items; /* borrowed from argv; owned array */
    size_t count, cap;
};

enum options_result {
    OPTIONS_RUN = 0,  /* go on */
    OPTIONS_DONE = 1, /* --help, --version or --completion has been answered: exit 0 */
};

/* Parses argv into `values` by the table. Returns OPTIONS_RUN, OPTIONS_DONE (printed on standard
 * output) or ERROR_USAGE (or ERROR_SYSTEM when standard output could not be written). */
int options_parse(const struct command *command, int argc, char **argv, void *values,
                  struct operands *operands, struct error *error);

/* Which verb argv asks for; *argc and *argv move past it. command->verbs must be set. The answers
 * to a bare --help, --version, --completion are given here too (OPTIONS_DONE). On OPTIONS_RUN *verb
 * is set. */
int options_verb(const struct command *command, int *argc, char ***argv,
                 const struct command **verb, struct error *error);

/* Number of a text as the table reads it; for values with a grammar of their own ("LO,HI"). */
int option_read_int(const char *text, int64_t *value);                 /* 0 or -1 */
int option_read_real(const char *text, double *value);                 /* 0 or -1: finite decimal */
int option_read_pair(const char *text, double *first, double *second); /* "A,B", the same of each */

/* The pieces of a value between its commas, empty ones too: *at begins at the value (NULL: no piece).
 * false: none is left. */
bool option_next_piece(const char **at, struct span *piece);

int option_read_size(const char *text, uint64_t *value); /* 0 or -1 */

void option_list_free(struct option_list *list);
void operands_free(struct operands *operands);

/* Nearest of the "a|b|c" names to a mistyped one, for "did you mean": NULL when none is near. */
const char *option_nearest(const char *typed, const char *const *names, size_t count);

#endif
