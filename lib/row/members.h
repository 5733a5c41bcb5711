/* members.h: members of an object to be written somewhere else, each name once: of names that come
 * twice the last value at the first place, as Python reads them. */
#ifndef WAI_ROW_MEMBERS_H
#define WAI_ROW_MEMBERS_H

#include "json/scan.h"

/* `struct member_list l = {0}` is empty; set count to 0 to use it again. Borrows the members'
 * texts. */
struct member_list {
    struct json_member *items;
    size_t count, cap;
};

void member_list_add(struct member_list *list, const struct json_member *member);
void member_list_settle(struct member_list *list); /* takes the duplicates out; linear */
void member_list_free(struct member_list *list);

#endif
