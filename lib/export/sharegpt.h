/* sharegpt.h: conversations as LLaMA-Factory reads them, from/value turns that alternate strictly
 * (its data README; llamafactory 0.9): people and tools at odd places, the model at even ones. Its
 * own loader passes over a row that does not, so such a row is told apart here.
 *
 * Results that follow each other are one `observation`, joined as its OpenAI reader joins them. A
 * turn with calls is a `function_call`, which has no room for words beside the calls. */
#ifndef WAI_EXPORT_SHAREGPT_H
#define WAI_EXPORT_SHAREGPT_H

#include "export/wire.h"

/* Turns 0 … end-1 as members `conversations` and, when it begins with system turns, `system` of the
 * open object. Call only when export_sharegpt_fits. */
void export_sharegpt_write(const struct export_turns *t, size_t end, struct json_writer *w);

/* Turn i as {from, value}: one side of a pair. */
void export_sharegpt_turn(const struct export_turns *t, size_t i, struct json_writer *w);

/* They alternate, beginning with a person; the last is the model's (answered), or is not. *texts:
 * the turns whose words beside calls are lost. */
bool export_sharegpt_fits(const struct export_turns *t, size_t end, bool answered, int64_t *texts);

/* The entry of dataset_info.json that says how the file is to be read. */
enum export_sharegpt_kind { SHAREGPT_TRAINING, SHAREGPT_PREFERENCE, SHAREGPT_KTO };
void export_sharegpt_info(enum export_sharegpt_kind kind, const char *path, bool tools,
                          struct json_writer *w);

#endif
