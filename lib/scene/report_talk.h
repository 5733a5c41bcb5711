/* report_talk.h: the parts of a report that tell of models. Inside the room. */
#ifndef WAI_SCENE_REPORT_TALK_H
#define WAI_SCENE_REPORT_TALK_H

#include "scene/report.h"
#include "json/write.h"

const char *lost_reason_name(enum lost_reason reason); /* "agent_error", … */
const char *lost_reason_mend(enum lost_reason reason); /* a clause */

/* Members: lost_rollouts, user_think, followup_misses, ended_on_question, prompt_truncated_rows, usage, cost. */
void report_write_talk(struct json_writer *w, const struct engine_setting *setting,
                       const struct engine_report *report);

/* Members: user_model, and of a model how it was asked. */
void report_write_asked(struct json_writer *w, const struct engine_setting *setting);

void report_warn_talk(const struct engine_setting *setting, const struct engine_report *report,
                      struct warnings *warnings);

#endif
