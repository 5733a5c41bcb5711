/* quota.c: how much of the choice one value of a key may have; and lines of notes. */
#include "base/options.h"
#include "select/select.h"

int select_quota_read(const char *text, struct select_facts *facts, struct select_quota *quota,
                      struct error *error)
{
    const char *equals = text ? strrchr(text, '=') : NULL;
    int64_t limit;
    if (!text)
        return 0;
    if (!equals || equals == text || option_read_int(equals + 1, &limit) || limit < 1)
        return error_set(error, ERROR_USAGE, "--max-per %s: KEY=N is wanted, N at least 1", text);
    facts->wants.quota_key =
        arena_span(&facts->arena, span_make(text, (size_t)(equals - text))).ptr;
    quota->limit = (size_t)limit;
    return 0;
}

bool select_quota_take(const struct select_quota *quota, size_t *used,
                       const struct select_fact *fact)
{
    if (!quota->limit)
        return true;
    if (used[fact->quota] >= quota->limit)
        return false;
    used[fact->quota]++;
    return true;
}

void select_say_lines(struct buf *notes, struct span lines)
{
    for (size_t at = 0; at < lines.len;) {
        size_t end = span_find(lines, SPAN("\n"), at);
        buf_text(notes, "note: ");
        buf_span_add(notes, span_slice(lines, at, end + 1));
        at = end + 1;
    }
}
