/* embedder.h: which vectors, in one string (world 18.1; --embedder of every binary).
 *
 *     hash                       words and pairs of neighbours; no model (embed.h)
 *     ollama:[MODEL]             OLLAMA_HOST or this machine, /api/embed
 *     openai:[MODEL]             OPENAI_BASE_URL or api.openai.com, /embeddings
 *     http(s)://…/v1/embeddings  any server of that form, with --embed-model
 *     hosted, modal[:URL]        WHILEAI_EMBED; hash stands in when nothing answers
 *     cmd:COMMAND                a line {"texts": […]} in, a line {"embeddings": [[…], …]} out
 *     file:FILE                  JSONL {"text", "vector"}, by exact text
 *     key:KEY                    the row's own member: the caller reads it with embedding_read
 *
 * All vectors have length 1. A wrong count, another size than before, and what is no number are
 * errors: vectors of two kinds are never mixed. */
#ifndef WAI_MODEL_EMBEDDER_H
#define WAI_MODEL_EMBEDDER_H

#include "base/error.h"
#include "model/cassette.h"
#include "model/embed.h"
#include "net/http.h"
#include "json/scan.h"

struct embedder;

struct embedder_settings {
    struct http_client *http;  /* NULL: nothing may be sent */
    struct cassette *cassette; /* NULL: none */
    const char *model;         /* --embed-model */
    const char *key_env;
    double timeout_s; /* of a request; 0: 30 */
};

/* NULL: ERROR_USAGE (the spec), ERROR_INPUT (its file), ERROR_REMOTE (no key). spec NULL: hash. */
struct embedder *embedder_open(const char *spec, const struct embedder_settings *settings,
                               struct error *error);
void embedder_close(struct embedder *embedder);

const char *embedder_name(const struct embedder *embedder); /* for reports */
bool embedder_semantic(const struct embedder *embedder);    /* not hash vectors */
bool embedder_fell_back(const struct embedder *embedder);   /* semantic_embedding_unavailable */
const char *embedder_key(const struct embedder *embedder);  /* of key:, else NULL */

/* A vector for each text, in order, in batches of 128; the caller frees them. On failure none is
 * left. ERROR_REMOTE, or ERROR_INPUT for a text that file: lacks. Not for two threads at once. */
int embedder_embed(struct embedder *embedder, const struct span *texts, size_t n,
                   struct embedding *out, struct error *error);

/* An array of numbers as a vector of length 1. false: it is none. */
bool embedding_read(struct json_value array, struct embedding *out, size_t *size);

#endif
