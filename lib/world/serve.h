/* serve.h: a world as a filter (world 3.9): a line {"tool", "arguments"} in, the result out;
 * {"reset": true} begins a new life, with another seed, faults, world_state or options when they
 * stand beside it. */
#ifndef WAI_WORLD_SERVE_H
#define WAI_WORLD_SERVE_H

#include "row/reader.h"
#include "row/writer.h"
#include "world/world.h"

struct world_server;

/* What the command line says; all borrowed. A reset that leaves a key out returns to these. */
struct world_setting {
    const struct row_tools *tools;
    const struct world_options *options;
    const struct node *shapes; /* or NULL */
    const struct node *plan;   /* or NULL */
    int64_t seed;
    enum world_state state;
};

struct world_server *world_server_new(const struct world_setting *setting);

/* Answers one line: the reply, without a newline, into out (appended). NULL, or a clause that says
 * what is wrong with the line. */
const char *world_server_line(struct world_server *s, const struct row *row, struct buf *out);
void world_server_free(struct world_server *s);

/* The whole filter: lines from standard input, replies to the writer, flushed before each wait. A
 * bad line follows on_bad. 0 or a negative code. */
int world_serve(const struct world_setting *setting, const struct row_options *options,
                struct row_writer *writer, struct error *error);

#endif
