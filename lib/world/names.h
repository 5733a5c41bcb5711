/* names.h: what a world reads off names: verbs and kinds of tools, cues in words, patterns of keys
 * (world 3.2, 3.3, 4.1, 4.3, 4.4). All tests ignore ASCII case. Inside the room only. */
#ifndef WAI_WORLD_NAMES_H
#define WAI_WORLD_NAMES_H

#include <stdint.h>

#include "base/buf.h"

enum name_verb {
    VERB_CREATE = 1,
    VERB_READ = 2,
    VERB_DELETE = 4,
    VERB_FILE_MUTATE = 8,
    VERB_SEARCH = 16,    /* answers with a list */
    VERB_CALCULATE = 32, /* may be a calculator */
};

enum world_kind {
    KIND_RECORD,
    KIND_SHELL,
    KIND_GREP,
    KIND_FILE,
    KIND_FILES,
    KIND_GIT,
    KIND_CI,
    KIND_MONEY,
    KIND_COUNT,
};

/* What a tool's name alone says about its kind; the keys of a call decide the rest. */
enum name_hint {
    HINT_SHELL = 1,
    HINT_SHELL_VERB = 2,
    HINT_GREP = 4,
    HINT_FILE = 8,
    HINT_FILE_VERB = 16,
    HINT_NOT_FILE = 32,
    HINT_FILES = 64,
    HINT_LIST = 128, /* starts with list and lists no records */
    HINT_GIT = 256,
    HINT_CI = 512,
    HINT_MONEY = 1024,
};

enum key_class {
    KEYS_COMMAND = 1, /* command cmd argv */
    KEYS_PATTERN = 2, /* pattern regex */
    KEYS_SCOPE = 4,   /* path glob directory dir */
    KEYS_FILE = 8,    /* path file file_path filepath filename */
    KEYS_CI = 16,     /* sha commit number */
};

enum word_cue { CUE_QUANTITY = 1, CUE_MONEY = 2, CUE_DATE = 4, CUE_PEOPLE = 8 };

/* lower: a name already in lower case. */
unsigned name_verbs(struct span lower);
unsigned name_hints(struct span lower);
unsigned key_classes(struct span lower);
unsigned word_cues(struct span lower);
bool name_speaks_of_ci(struct span lower_description); /* \b(ci|check run) */

/* First rule that fires (world 4.1). */
enum world_kind kind_of(unsigned hints, unsigned classes, bool speaks_of_ci);
const char *kind_name(enum world_kind kind);
int kind_of_name(struct span name); /* -1: no such kind */
static inline bool kind_is_code(enum world_kind kind)
{
    return kind != KIND_RECORD && kind != KIND_MONEY;
}

/* Last part of a tool's name in the singular: get_orders → order. A slice of lower. */
struct span name_noun(struct span lower);

bool key_is_reference(struct span key);
bool key_is_idish(struct span key);
bool key_is_dateish(struct span key);
bool key_is_personish(struct span key);
bool key_is_title(struct span key);   /* grounded: title, name, description, … */
bool key_is_locator(struct span key); /* a caller's value overwrites the record's */

/* Lower case into scratch (cleared); ASCII fast, else Unicode. */
struct span name_lower(struct span s, struct buf *scratch);

#endif
