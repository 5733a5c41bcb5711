/* template.h: the writer that needs no model: a message put together from sentences, told by the
 * cell and a variant, so that the same run writes the same prompts (situations 17). */
#ifndef WAI_SCENE_TEMPLATE_H
#define WAI_SCENE_TEMPLATE_H

#include "scene/grid.h"

struct template_writer;

/* Borrows both. */
struct template_writer *template_open(const struct grid *grid, const struct row_tools *tools);
void template_close(struct template_writer *t);

/* What the person calls the record that a message for the cell is about; nothing when none is known
 * or made up. Appended. */
void template_reference(const struct template_writer *t, const struct cell *cell, uint32_t variant,
                        struct buf *out);

enum message_length { MESSAGE_SHORT, MESSAGE_MEDIUM, MESSAGE_LONG };
const char *message_length_name(enum message_length length);
enum message_length message_length_of(struct span text);

/* Writes a message for the cell that no earlier message equals (ids and numbers masked); *variant
 * is where to begin, and behind the one taken on return. false: none was found. */
/* *texture: how it is typed, when it is in some way. */
bool template_write(struct template_writer *t, const struct cell *cell, uint32_t *variant,
                    struct buf *out, const char **texture);

/* The text with lower case and with every word that holds a digit masked: what two messages are
 * compared by. */
void message_masked(struct span text, struct buf *out);

#endif
