/* tool_name.h: a tool's name in words, and what the words say: does it read or write (grade 11.1).
 * Inside room `grade`. */
#ifndef WAI_GRADE_TOOL_NAME_H
#define WAI_GRADE_TOOL_NAME_H

#include "base/map.h"
#include "row/tools.h"

/* Words of a tool's name, lower-cased: split at what is no letter or digit, and before an
 * upper-case letter that follows a lower-case one. What is over the limits is left out. */
enum { NAME_WORDS = 8, NAME_WORD = 24 };
struct name_words {
    char items[NAME_WORDS][NAME_WORD];
    size_t count;
};
void name_words_split(struct span name, struct name_words *words);

bool name_word_in(const char *word, const char *const *list); /* list ends with NULL */

/* What the declared tools say of themselves: annotations readOnlyHint and destructiveHint.
 * `struct tool_hints h = {0}` knows nothing. */
struct tool_hints {
    struct map names;
    bool *reads;
    size_t cap;
};
void tool_hints_read(struct tool_hints *h, const struct row_tools *tools);
void tool_hints_free(struct tool_hints *h);

/* Clearly a read: by its annotation, else when its first word reads and no later one writes. */
bool tool_reads(const struct tool_hints *hints, struct span name);

#endif
