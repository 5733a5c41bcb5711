/* report_writer.h: the part of a report that tells of who wrote the messages. Inside the room. */
#ifndef WAI_SCENE_REPORT_WRITER_H
#define WAI_SCENE_REPORT_WRITER_H

#include "scene/report.h"
#include "json/write.h"

/* Member: writer (null without one). */
void report_write_writer(struct json_writer *w, const struct engine_setting *setting,
                         const struct engine_report *report);

void report_warn_writer(const struct engine_setting *setting, const struct engine_report *report,
                        struct warnings *warnings);

#endif
