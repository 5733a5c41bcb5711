/* inside.h: what the files behind chat.h share: model.c opens a model, chat.c asks it over the
 * network, repair.c mends refused requests, local.c asks commands and files. Private to this room. */
#ifndef WAI_MODEL_INSIDE_H
#define WAI_MODEL_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/child.h"
#include "model/sigv4.h"
#include "model/wire.h"
#include "net/credentials.h"

struct model {
    struct model_spec spec;
    struct model_settings settings;
    struct buf url, host; /* of a chat request; of its messages */
    /* The texts of these buffers, made once: threads share a model. */
    const char *called, *at, *target; /* spec; host; model, command or file */
    struct key key;
    struct aws_chain *aws; /* NULL: the key is enough */
    int64_t context;
    bool context_known;
    atomic_bool no_temperature; /* it has refused one (world 10.3) */
    pthread_mutex_t lock;
    struct model_counts counts;
    /* exec: */
    struct coproc **idle;
    size_t n_idle, idle_cap;
    /* replay: */
    struct buf tape;
    struct span *entries;
    size_t n_entries, entries_cap;
    size_t next_entry;
};

/* A model without its parts; model_close frees it. */
struct model *model_new(const struct model_settings *settings);

/* Host and key of m->url; m->called, m->at, m->target. */
int model_reach(struct model *model, struct error *error);

/* One exchange with the model's server, recorded or replayed. */
struct exchange {
    const char *method, *scope;
    struct span url, body; /* body.ptr NULL: none */
    double timeout_s;
    int retries; /* as http_request's */
    void (*on_data)(void *data, int attempt, struct span piece);
    void *data;
};
int model_exchange(struct model *model, const struct exchange *what, struct http_reply *reply,
                   bool *missing, struct error *error);

/* What an exchange came to: 0 for a reply of 2xx, else the failure in reply and error. code and missing
 * are those of model_exchange. */
int chat_settle(struct model *model, int code, bool missing, const struct http_reply *http,
                struct chat_reply *reply, struct error *error);

/* Adds a finished call to the model's counts. */
void chat_count(struct model *model, const struct chat_reply *reply, int code);

/* Fills reply->failure and error, returns ERROR_REMOTE (or what the failure implies). */
int chat_fail(struct chat_reply *reply, struct error *error, enum chat_failure failure,
              const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A service's own words about a failure: error.message, error, message, detail, else the body;
 * cut short, in one line. */
void chat_error_words(struct span body, struct buf *out);

/* Mends the shape by what a 400 says (its first bytes). false: nothing applies. */
bool chat_repair(struct model *model, const struct chat_request *request, struct span words,
                 struct wire_shape *shape, struct chat_reply *reply);

int exec_chat(struct model *model, const struct chat_request *request, struct chat_reply *reply,
              struct error *error);
void exec_close(struct model *model);
int replay_open(struct model *model, struct error *error);
int replay_chat(struct model *model, const struct chat_request *request, struct chat_reply *reply,
                struct error *error);

#endif
