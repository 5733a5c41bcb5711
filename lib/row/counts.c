/* counts.c: see counts.h. */
#include "row/counts.h"

#include <stdlib.h>

#include "row/defaults.h"
#include "text/term.h"

void name_counts_add_many(struct name_counts *c, struct span name, uint64_t n)
{
    if (c->names.count == 0 || !span_equal(c->names.keys[c->last], name)) {
        bool fresh;
        c->last = map_add(&c->names, name, &fresh);
        if (fresh) {
            c->counts = mem_grow(c->counts, &c->cap, c->last + 1, sizeof *c->counts);
            c->counts[c->last] = 0;
        }
    }
    c->counts[c->last] += n;
}

void name_counts_add(struct name_counts *c, struct span name)
{
    name_counts_add_many(c, name, 1);
}

void name_counts_free(struct name_counts *c)
{
    map_free(&c->names);
    free(c->counts);
}

void name_counts_write(struct json_writer *w, const char *key, const struct name_counts *c)
{
    json_write_key(w, key);
    json_write_object(w);
    for (size_t i = 0; i < c->names.count; i++) {
        json_write_key_span(w, c->names.keys[i]);
        json_write_int(w, (int64_t)c->counts[i]);
    }
    json_write_end_object(w);
}

void name_counts_text(const char *what, const struct name_counts *c, struct buf *out)
{
    if (c->names.count == 0)
        return;
    buf_format(out, "%-10s", what);
    for (size_t i = 0; i < c->names.count; i++) {
        buf_text(out, i ? ", " : "");
        term_add_head(out, c->names.keys[i], ROW_CHECK_NAME);
        buf_format(out, " %llu", (unsigned long long)c->counts[i]);
    }
    buf_byte(out, '\n');
}
