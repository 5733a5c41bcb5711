/* decision.h: a service that answers typed questions about a record instead of chatting (world 10.7):
 * typesafe:[MODEL]. Thread-safe: many threads may use one. */
#ifndef WAI_MODEL_DECISION_H
#define WAI_MODEL_DECISION_H

#include "model/chat.h"

struct decision;

/* NULL: ERROR_USAGE (no such spec), ERROR_REMOTE (no key). */
struct decision *decision_open(const char *spec, const struct model_settings *settings,
                               struct error *error);
void decision_close(struct decision *decision);
const char *decision_name(const struct decision *decision); /* the model's name */

enum decision_type { DECISION_NOUL, DECISION_CHOICE, DECISION_SCORE };

struct decision_option {
    struct span name;
    double probability;
};

struct decision_answer {
    struct span name; /* of the question */
    enum decision_type type;
    double probability;              /* of yes (noul), or of the label (choice) */
    struct span label;               /* choice; "" when it names none */
    double value;                    /* score: the expected level */
    struct decision_option *options; /* as the service gave them */
    size_t n_options;
};

struct decision_request {
    struct json_value state, questions; /* objects */
    double timeout_s;                   /* 0: DECISION_TIMEOUT_S */
    const char *scope;                  /* as chat_request's */
};

/* `struct decision_reply r = {0}` is empty; reuse it. Texts live in chat.arena. */
struct decision_reply {
    struct decision_answer *answers; /* those that could be read */
    size_t n_answers;
    struct chat_reply chat; /* failure, status, counts */
};
void decision_reply_free(struct decision_reply *reply);

/* As model_chat. */
int decision_ask(struct decision *decision, const struct decision_request *request,
                 struct decision_reply *reply, struct error *error);

/* NULL: it was not answered. */
const struct decision_answer *decision_find(const struct decision_reply *reply, struct span name);

/* Asks for the service's models, which wakes it. */
int decision_warm_up(struct decision *decision, double timeout_s, struct error *error);

/* Reads a reply's body into the answers; for tests, too. false: it holds none. */
bool decision_read(struct span body, struct decision_reply *reply);

#endif
