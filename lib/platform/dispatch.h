/* dispatch.h: `wai NAME …` is `wai-NAME …` (platform A): which tools there are, where they are,
 * their manual pages, and completion that hands its words on to each tool's own. */
#ifndef WAI_PLATFORM_DISPATCH_H
#define WAI_PLATFORM_DISPATCH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/options.h"

/* Folder of the running binary, links resolved. 0 or ERROR_SYSTEM. */
int dispatch_folder(struct buf *folder, struct error *error);

/* Whether a word can name a tool: a lower-case letter, then lower-case letters, digits, '-', '_'.
 */
bool dispatch_is_name(const char *word);

/* Path of the executable wai-NAME in `folder`, else in the folders of `path` (as PATH is written;
 * may be NULL). false: there is none. */
bool dispatch_find(const char *folder, const char *path, const char *name, struct buf *out);

/* The tools that are found: their names without "wai-", in the order of the alphabet, each once,
 * with the purpose when the tool is one of ours. Texts live in the arena. The array ends with {0}
 * and is the caller's to free. */
struct command *dispatch_list(const char *folder, const char *path, struct arena *arena,
                              size_t *count);

/* A name that is none: ERROR_USAGE with the nearest ones. */
int dispatch_unknown(const struct command *tools, const char *name, struct error *error);

/* A word that stands for a verb of a tool: "self-check" is `wai-plan self-check`. NULL: none. */
struct dispatch_alias {
    const char *word, *tool, *verb;
};
const struct dispatch_alias *dispatch_alias(const char *word);

/* Where man(1) finds the page wai-NAME. *page: a file beside the binary's folder (in a source
 * tree), or empty. *manpath: the value MANPATH needs so that an installed page beside the binary is
 * found first, or empty. old: MANPATH as it is, or NULL. */
void dispatch_manual(const char *folder, const char *name, const char *old, struct buf *page,
                     struct buf *manpath);

/* The completion script of `wai` itself. shell: bash, zsh or fish. */
void dispatch_completion(const struct command *tools, const char *shell, struct buf *out);

#endif
