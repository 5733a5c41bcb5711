/* input.h: the bytes of one operand, decompressed when they begin as zstd does (RFC 8878, several
 * frames and skippable ones too). Used by lines.h; everybody else reads rows. */
#ifndef WAI_ROW_INPUT_H
#define WAI_ROW_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct input;

/* Can the operand be read, as far as one can tell without opening it? ERROR_INPUT names it. "-" is
 * standard input. A FIFO is not opened here: that would wait for its writer. */
int input_probe(const char *path, struct error *error);

/* NULL: ERROR_INPUT. path is borrowed until input_close. */
struct input *input_open(const char *path, struct error *error);
void input_close(struct input *in);

/* One step: *got bytes at `room` are new. 1: more may follow (*got may be 0: nothing came of this
 * step). 0: the end. Negative: a read broke off (ERROR_SYSTEM), compressed data is cut or damaged
 * (ERROR_INPUT), or a signal was caught (ERROR_INTERRUPTED). */
int input_read(struct input *in, char *room, size_t size, size_t *got, struct error *error);

/* Would input_read return at once? */
bool input_ready(struct input *in);

/* The descriptor a caller may poll with others of its own, when input_ready says no. */
int input_descriptor(const struct input *in);

/* Waits until one of the descriptors (other_fd may be -1) can be read or a signal is caught
 * (ERROR_INTERRUPTED). */
int input_wait(int fd, int other_fd, struct error *error);

#endif
