/* report_search.h: the parts of a report that tell what was searched and what it brought (situations
 * 20.4). Inside the room. */
#ifndef WAI_SCENE_REPORT_SEARCH_H
#define WAI_SCENE_REPORT_SEARCH_H

#include "scene/report.h"
#include "json/write.h"

/* The objects coverage, coverage_curve and search, the split among the arms, stages and timings, each
 * with its key. */
void report_write_coverage(struct json_writer *w, const struct engine_setting *setting,
                           const struct engine_report *report);
void report_write_curve(struct json_writer *w, const struct engine_report *report);
void report_write_search(struct json_writer *w, const struct engine_setting *setting,
                         const struct engine_report *report);
void report_write_arms(struct json_writer *w, const struct engine_setting *setting,
                       const struct engine_report *report);
void report_write_stages(struct json_writer *w, const struct engine_setting *setting,
                         const struct engine_report *report);
void report_write_times(struct json_writer *w, const struct engine_setting *setting,
                        const struct engine_report *report);

void report_write_weights(struct json_writer *w, const char *key, const double weights[ARM_COUNT]);

/* Did verdicts take more of the run than they should? */
bool report_idle_on_judge(const struct engine_setting *setting, const struct engine_report *report);

/* Settings that were asked for and not delivered, a budget that was not reached, a slow judge. */
void report_warn_search(const struct engine_setting *setting, const struct engine_report *report,
                        struct warnings *warnings);

const char *report_writer_model(const struct engine_setting *setting); /* NULL: a replay */

/* Arrays degraded and warnings; inside report.c. */
void report_write_told(struct json_writer *w, const struct warnings *warnings);

/* Objects that stand in more than one place of a report; inside report.c. */
void report_write_rollouts(struct json_writer *w, const struct engine_setting *setting,
                           const struct engine_report *report);
void report_write_tools(struct json_writer *w, const struct engine_report *report);
void report_write_groups(struct json_writer *w, const struct engine_setting *setting,
                         const struct engine_report *report);
void report_write_tier_mix(struct json_writer *w, const struct engine_setting *setting,
                           const struct engine_report *report);

#endif
