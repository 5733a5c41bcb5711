/* facts.h: what the measurements read of one row, taken out of it in one pass over its members
 * (measure 1). Everything borrows the row, or the reader until its next row. */
#ifndef WAI_MEASURE_FACTS_H
#define WAI_MEASURE_FACTS_H

#include "row/row.h"
#include "row/value.h"

/* The settings of a run that its rows tell (measure 4.2), in the order of the report. */
enum measure_setting {
    SETTING_TEMPERATURE,
    SETTING_MAX_TOKENS,
    SETTING_POLICY_VERSION,
    SETTING_JUDGE_VERSION,
    SETTING_PROMPT_HASH,
    SETTING_USER_MODEL,
    SETTING_WRITER_MODEL,
    SETTINGS,
};
extern const char *const SETTING_NAMES[SETTINGS];

/* How a setting's value is shown. */
enum setting_form {
    SETTING_ABSENT = 0,
    SETTING_AS_IS,   /* the JSON value */
    SETTING_AS_TEXT, /* its text (measure 1.3) */
    SETTING_SUFFIX,  /* what follows the first '@' of its text */
};

struct setting_fact {
    enum setting_form form;
    struct json_value value;
};

struct row_facts {
    struct span task; /* task key; borrows the row or the reader */
    struct reward_reading reward;
    struct setting_fact settings[SETTINGS];
    bool has_finish, cut;                  /* finish_reason is a text; it is `length` */
    bool has_reply, answered, unclosed;    /* measure 1.4 */
    const struct json_value *judge_status; /* truthy, or NULL */
    const struct json_value *reason;       /* truthy, or NULL */
    const struct json_value *markers;      /* an object, or NULL */
    bool partial_summary;                  /* not a row: a line of --partial */
    bool report;                           /* not a row: a report of one of the tools */
    bool has_slice;
    struct span slice;   /* text of the key that --by names; not empty */
    struct span cluster; /* text of the key that --cluster names; empty: none */
};

struct facts_options {
    const char *const *task_keys; /* NULL: scenario_id, task_id, prompt */
    size_t n_task_keys;
    const char *const *reward_keys; /* NULL: reward, qwen_reward */
    size_t n_reward_keys;
    bool bool_rewards;   /* true and false count as 1 and 0 */
    const char *by;      /* key of the slices, or NULL */
    bool hash_keys;      /* a task goes by digest_name of its key */
    const char *cluster; /* key of the tasks' sources, or NULL */
};

struct facts_reader;

struct facts_reader *facts_open(const struct facts_options *options); /* options are copied */
void facts_read(struct facts_reader *reader, const struct row *row, struct row_facts *facts);
void facts_close(struct facts_reader *reader);

/* The key lists in force, for partial summaries and messages. */
struct facts_keys {
    const char *const *names;
    size_t count;
};
struct facts_keys facts_task_keys(const struct facts_reader *reader);
struct facts_keys facts_reward_keys(const struct facts_reader *reader);

#endif
