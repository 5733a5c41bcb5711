/* options_table.h: what the files of the options table share: options.c parses, options_help.c
 * prints --help, options_complete.c writes completion scripts. Not for other rooms. */
#ifndef WAI_BASE_OPTIONS_TABLE_H
#define WAI_BASE_OPTIONS_TABLE_H

#include "base/buf.h"
#include "base/options.h"

/* The options that every command has behind those of its table. */
enum option_own {
    OPTION_OWN_NONE = -1,
    OPTION_OWN_HELP,
    OPTION_OWN_VERSION,
    OPTION_OWN_COMPLETION
};

extern const struct option OPTIONS_OWN[]; /* in the order of enum option_own, ends with {0} */

/* A program's name starts with "wai"; a verb's never does. A verb has no --completion of its own.
 */
bool options_is_program(const struct command *command);

/* The number of own options that the command has: they are the first ones of OPTIONS_OWN. */
size_t options_own_count(const struct command *command);

/* Option i of the command, its table's first, then its own; NULL behind the last. */
const struct option *options_at(const struct command *command, size_t i);

/* Whether --name is followed by a value, in its own word or behind '='. */
bool option_takes_value(const struct option *option);

/* What --help calls the value: .arg, else .choices, else a word for the kind. */
const char *option_argument(const struct option *option);

/* The letter the option answers to here: -h is --help's unless the table uses it. 0: none. */
char option_letter(const struct command *command, const struct option *option);

void options_help(const struct command *command, struct buf *out);

/* shell: bash, zsh or fish. */
int options_completion(const struct command *command, const char *shell, struct buf *out,
                       struct error *error);

#endif
