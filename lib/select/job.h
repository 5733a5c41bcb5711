/* job.h: one run of wai-select while it goes on: the rows that were read, and how its results leave.
 * Inside room `select`. */
#ifndef WAI_SELECT_JOB_H
#define WAI_SELECT_JOB_H

#include "row/store.h"
#include "select/request.h"
#include "select/select.h"
#include "json/write.h"

struct select_job {
    const struct select_request *q;
    const struct operands *operands;
    struct select_output *out;
    struct row_store *store;
    struct select_facts facts; /* when facts are wanted */
    uint64_t bad;              /* lines skipped or moved */
};

/* A row as it comes, before it is kept: false leaves it out. */
typedef bool job_wanted(void *data, const struct row *row);

/* All rows into the store, with their facts. wanted may be NULL. */
int job_read(struct select_job *job, bool facts, job_wanted *wanted, void *data,
             struct error *error);

/* A row as it leaves: into out, which is clear. NULL writes lines as they came. */
typedef void job_stamp(void *data, const struct row *row, size_t number, struct buf *out);

/* The rows of these numbers to --output; with --keep-order in the order of the input. */
int job_write(struct select_job *job, struct select_picked *picked, job_stamp *stamp, void *data,
              struct error *error);

/* Lines that are not rows of the store, whole with their newlines. */
int job_write_lines(struct select_job *job, struct span lines, struct error *error);

/* Calls use for each row of these numbers as it leaves. */
typedef void job_use(void *data, const struct row *row);
int job_each(struct select_job *job, const struct select_picked *picked, job_stamp *stamp,
             void *stamp_data, job_use *use, void *data, struct error *error);

/* ERROR_CHECK when --fail-under asked for more. */
int job_fail_under(const struct select_job *job, size_t count, const char *what,
                   struct error *error);

/* The report's start and end: an open object, "wai_report": "wai-select MODE" first. */
void job_open_report(struct select_job *job, struct json_writer *w);

/* Members of a report. */
void job_real(struct json_writer *w, const char *key, double value);
void job_rate(struct json_writer *w, const char *key, double rate); /* 4 decimals; NaN: null */
void job_text(struct json_writer *w, const char *key, const char *text);
void job_bool(struct json_writer *w, const char *key, bool value);
void job_band(struct json_writer *w, const char *key, double low, double high);

/* --band, --lo, --hi. strict: low must be under high. */
int job_band_read(const struct select_request *q, bool strict, double *low, double *high,
                  struct error *error);
int job_seed_check(const char *seed, struct error *error);

/* The modes. */
int select_mode_sft(struct select_job *job, struct error *error);
int select_mode_rl(struct select_job *job, struct error *error);
int select_mode_pairs(struct select_job *job, struct error *error);
int select_mode_curriculum(struct select_job *job, struct error *error);
int select_mode_retire(struct select_job *job, struct error *error);
int select_mode_next_round(struct select_job *job, struct error *error);
int select_mode_gate(struct select_job *job, struct error *error);
int select_mode_calibrate(struct select_job *job, struct error *error);
bool select_trim_writes_rows(const struct select_request *q);
int select_mode_trim(struct select_job *job, struct error *error);
int select_mode_stage(struct select_job *job, struct error *error);
int select_mode_filter(struct select_job *job, struct error *error);

#endif
