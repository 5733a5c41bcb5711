/* members.c: see members.h. */
#include "row/members.h"

#include <stdlib.h>

#include "base/map.h"

enum { FEW_MEMBERS = 24 }; /* up to so many are compared pair by pair */

void member_list_add(struct member_list *list, const struct json_member *member)
{
    list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
    list->items[list->count++] = *member;
}

static bool same_key(const struct json_member *a, const struct json_member *b)
{
    if (!a->key_escaped && !b->key_escaped)
        return span_equal(a->key, b->key);
    struct buf scratch = {0};
    bool same = json_key_is(b, json_key(a, &scratch));
    buf_free(&scratch);
    return same;
}

static void settle_few(struct member_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t j = 0;
        while (j < kept && !same_key(&list->items[j], &list->items[i]))
            j++;
        if (j < kept)
            list->items[j].value = list->items[i].value;
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static void settle_many(struct member_list *list)
{
    struct map seen = {0};
    struct buf scratch = {0};
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool fresh;
        size_t at = map_add(&seen, json_key(&list->items[i], &scratch), &fresh);
        if (fresh)
            list->items[kept++] = list->items[i];
        else
            list->items[at].value = list->items[i].value;
    }
    list->count = kept;
    map_free(&seen);
    buf_free(&scratch);
}

void member_list_settle(struct member_list *list)
{
    if (list->count <= FEW_MEMBERS)
        settle_few(list);
    else
        settle_many(list);
}

void member_list_free(struct member_list *list)
{
    free(list->items);
    *list = (struct member_list){0};
}
