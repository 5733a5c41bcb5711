/* edit.h: splices changes into the bytes of an object and leaves every other byte as it was. */
#ifndef WAI_JSON_EDIT_H
#define WAI_JSON_EDIT_H

#include "json/scan.h"

/* A list of changes; `struct json_edit e = {0}` is empty. Keys are decoded names. Later changes of
 * one key win. Texts are copied. */
struct json_edit {
    struct json_change *items;
    size_t count, cap;
    struct buf bytes;
};

void json_edit_set(struct json_edit *e, struct span key,
                   struct span json); /* json: a valid value; white space around it is left out */
void json_edit_text(struct json_edit *e, struct span key, struct span utf8); /* a string value */
void json_edit_remove(struct json_edit *e, struct span key);
void json_edit_clear(struct json_edit *e);
void json_edit_free(struct json_edit *e);

/* Whether an object was written with a space behind its first colon, so that what is added can
 * match. */
bool json_written_spaced(const struct json_members *members);

/* Writes object (its text and members) with the changes to out. A key that is there is changed in
 * place (the last one when it is there twice); a new one is appended in the order of the calls; a
 * removed one goes, all of its duplicates with it. With no change the bytes are the same. A member
 * is appended behind the last one as `, "key": value` when the object was written with spaces after
 * its separators, as `,"key":value` otherwise. */
void json_edit_apply(const struct json_edit *e, struct span object,
                     const struct json_members *members, struct buf *out);

/* The same, and the members of what was written, so that it need not be scanned: their spans lie in
 * out until it changes; one byte may be added. `written` is reused, not freed, between calls. */
void json_edit_apply_members(const struct json_edit *e, struct span object,
                             const struct json_members *members, struct buf *out,
                             struct json_members *written);

#endif
