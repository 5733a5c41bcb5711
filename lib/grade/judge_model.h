/* judge_model.h: a model that is asked to judge (grade 14): opened once, asked from many threads, one
 * sitting per row. A sitting is all the calls about one row: the question, the same again when the
 * reply cannot be used, further samples. A call that fails leaves the row unjudged with its reason;
 * nothing stops the run but a signal. */
#ifndef WAI_GRADE_JUDGE_MODEL_H
#define WAI_GRADE_JUDGE_MODEL_H

#include "grade/judge_prompt.h"
#include "model/decision.h"
#include "model/model_options.h"

struct judge_model;

struct judge_model_options {
    const char *spec;                  /* a model spec; typesafe: decides instead of chatting */
    const struct model_access *models; /* borrow */
    const char *key_env, *model;       /* as model_settings; NULL: not given */
    double timeout_s;                  /* per call */
    int retries;                       /* further questions after a reply that cannot be used */
};

/* NULL: ERROR_USAGE (the spec), ERROR_REMOTE (no key). */
struct judge_model *judge_model_open(const struct judge_model_options *options,
                                     struct error *error);
void judge_model_close(struct judge_model *judge);
const char *judge_model_name(const struct judge_model *judge);
bool judge_model_decides(const struct judge_model *judge);
double judge_model_timeout(const struct judge_model *judge);

/* How many sittings at once: the user's number, else the default. One, for a script of replies. */
int judge_model_threads(const struct judge_model *judge, int jobs);

/* The first call waits long for a model that is being loaded (14.1). */
struct judge_warm_up {
    bool tried, ok;
    double seconds;
};
struct judge_warm_up judge_model_warm_up(struct judge_model *judge);

/* `<model>@` and 12 hex digits of what the judge is told (14.1): the system prompt, the version of a
 * rubric ("" for none), the questions of a decision judge. Appended. */
void judge_model_version(const struct judge_model *judge, struct span prompt, const char *rubric,
                         struct span questions, struct buf *out);

/* The first 12 hex digits of the SHA-256. */
enum { JUDGE_DIGEST = 12 };
void judge_digest(struct span text, char out[JUDGE_DIGEST + 1]);

/* ---- a sitting --------------------------------------------------------------------------------- */

enum judge_trouble {
    JUDGE_TROUBLE_NONE,
    JUDGE_TROUBLE_FAILED, /* why says how */
    JUDGE_TROUBLE_LATE,
};

/* `struct judge_sitting s = {0}` is empty; reuse it from row to row. */
struct judge_sitting {
    struct judge_model *judge;
    int64_t item, calls;
    char scope[48];
    struct span said; /* the last reply; until the next call */
    enum judge_trouble trouble;
    struct buf why;
    struct buf log; /* what was said, JSON texts with commas between */
    struct buf messages;
    struct chat_reply reply;
    struct decision_reply decision;
};

/* kind and index name the row in recordings, whatever the order of the calls. */
void judge_sitting_begin(struct judge_sitting *s, struct judge_model *judge, const char *kind,
                         uint64_t index);
void judge_sitting_free(struct judge_sitting *s);

struct judge_question {
    struct span system, user;
    double temperature;
    int64_t max_tokens;
    enum prompt_kind kind; /* names the form of the answer when it is asked for again */
};

/* Asks until read accepts a reply, retries + 1 times at most. *accepted: one was. 0, also when a call
 * failed (s->trouble); ERROR_INTERRUPTED. */
int judge_sitting_ask(struct judge_sitting *s, const struct judge_question *question,
                      bool (*read)(void *data, struct span reply), void *data, bool *accepted,
                      struct error *error);

/* Asks a decision judge; the answers are in s->decision. */
int judge_sitting_decide(struct judge_sitting *s, struct span state, struct span questions,
                         struct error *error);

/* The sitting as an entry of a replay: file: {"replies": […]} or {"error": TEXT}. Appended. */
void judge_sitting_entry(const struct judge_sitting *s, struct buf *out);

#endif
