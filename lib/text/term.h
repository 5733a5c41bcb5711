/* term.h: texts of rows, models and services, made safe to show to people. A row may hold anything; what
 * reaches a terminal must not move its cursor, set its title, hide or reorder what is read. Escaped, as
 * \n, \t, \x1b, \u202e, \U000e0041: controls (C0, DEL, C1), format characters (bidirectional controls,
 * zero-width ones, soft hyphen, tags), line and paragraph separators, private use, unassigned, and bytes
 * that are not UTF-8 (\xff). A backslash in the text is doubled, so that an escape is never mistaken. */
#ifndef WAI_TEXT_TERM_H
#define WAI_TEXT_TERM_H

#include "base/buf.h"

/* In one line: line feeds and tabs are escaped too. */
void term_add(struct buf *out, struct span untrusted);

/* Many lines: line feeds and tabs stay, a CR before a line feed goes, backslashes are left as they are. */
void term_add_lines(struct buf *out, struct span untrusted);

/* As term_add, at most `limit` code points of the text, "…" behind it when it was cut. */
void term_add_head(struct buf *out, struct span untrusted, size_t limit);

#endif
