/* baseline.h: the run that a gate compares with: graded rows, a partial summary, or a saved report
 * of wai-passat that has per_task (measure 11). */
#ifndef WAI_MEASURE_BASELINE_H
#define WAI_MEASURE_BASELINE_H

#include "base/arena.h"
#include "measure/measure.h"
#include "row/reader.h"

struct baseline {
    struct task_rate *tasks; /* in first-seen order */
    size_t n;
    struct span settings[SETTINGS]; /* JSON text; empty: none or several */
    struct arena arena;             /* the texts */
};

/* Which of the forms the file has is told by its first line. ERROR_INPUT when it has none of them.
 */
int baseline_read(const char *path, const struct facts_options *facts,
                  const struct row_options *rows, struct baseline *out, struct error *error);
void baseline_free(struct baseline *baseline);

/* Warns of what was measured otherwise then: judge_version, temperature, max_tokens, user_model.
 * The policy and its prompt are expected to differ. */
void baseline_warn(const struct baseline *baseline, const struct passat_report *now,
                   struct notes *warnings);

#endif
