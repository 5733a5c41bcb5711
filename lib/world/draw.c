/* draw.c: the hash draws of world 2 and 4, and the small texts built from them. */
#include <stdio.h>

#include "text/digest.h"
#include "world/inside.h"

uint32_t draw_entity(struct world *w, struct span text)
{
    buf_clear(&w->scratch);
    buf_add(&w->scratch, "entity:", 7);
    buf_span_add(&w->scratch, text);
    return digest_n32(buf_span(&w->scratch));
}

struct node *draw_date(struct world *w, uint64_t k, uint64_t i)
{
    struct range years = w->options->years;
    uint64_t year = (uint64_t)years.low + (k / 13 + 3 * i) % (uint64_t)years.high;
    char text[40];
    int len = snprintf(text, sizeof text, "%04u-%02u-%02u", (unsigned)year,
                       (unsigned)(1 + (k / 31 + i) % 12), (unsigned)(1 + (k + 7 * i) % 28));
    return node_text(&w->arena, span_make(text, (size_t)len));
}

struct span node_str(struct world *w, const struct node *v)
{
    if (v->type == JSON_VALUE_STRING || v->type == JSON_VALUE_NUMBER)
        return v->text;
    buf_clear(&w->scratch);
    node_pystr(v, &w->scratch);
    return arena_span(&w->arena, buf_span(&w->scratch));
}

struct node *first_truthy_text(struct world *w, const struct node *arguments,
                               const char *const *names, const char *otherwise)
{
    for (; *names; names++) {
        const struct node *v = node_find(arguments, *names);
        if (node_truthy(v))
            return node_borrow(&w->arena, node_str(w, v));
    }
    return node_borrow(&w->arena, span_text(otherwise));
}
