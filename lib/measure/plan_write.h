/* plan_write.h: what the reports of plan.h write alike. Inside room `measure`. */
#ifndef WAI_MEASURE_PLAN_WRITE_H
#define WAI_MEASURE_PLAN_WRITE_H

#include "measure/notes.h"
#include "stat/stat.h"

void plan_write_report(struct json_writer *w,
                       const char *verb); /* opens the object, "wai_report" first */
void plan_write_text(struct json_writer *w, const char *key, const char *value); /* NULL: null */
void plan_write_bool(struct json_writer *w, const char *key, bool value);
void plan_write_real(struct json_writer *w, const char *key, double value); /* NaN: null */
void plan_write_rounded(struct json_writer *w, const char *key, double value, int digits);
void plan_write_whole(struct json_writer *w, const char *key,
                      double value); /* an integer of any size */
void plan_write_interval(struct json_writer *w, const char *key, struct interval interval);
/* "notes": […], "note_codes": […], and the same of warnings. */
void plan_write_notes(struct json_writer *w, const struct notes *notes,
                      const struct notes *warnings);

void plan_note_lines(struct buf *out, const struct notes *notes, const struct notes *warnings);
/* "0.52 [0.40..0.64]": a rate with its interval, when it has one. */
void plan_rate(struct buf *out, double value, struct interval interval);

/* The interval that wai-passat prints of the same rates: 2000 draws, seed 0, 95 %. */
struct interval plan_ci95(const double *rates, size_t n);

#endif
