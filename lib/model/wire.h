/* wire.h: requests and replies as each provider writes them (world 10.2-10.5). Private to this
 * room. */
#ifndef WAI_MODEL_WIRE_H
#define WAI_MODEL_WIRE_H

#include "model/chat.h"

/* What repairs and the window have made of a request. */
struct wire_shape {
    int64_t max_tokens;     /* as sent */
    bool completion_tokens; /* the budget's key is max_completion_tokens */
    bool no_n, no_logprobs, no_temperature;
    struct buf last_user; /* replaces the text of the last user message … */
    size_t last_user_at;  /* … which is this one; SIZE_MAX: none */
    enum chat_thinking thinking;
    struct span extra; /* of the model; the request's own comes after it */
};

/* Appends the address of a chat request. */
void wire_url(const struct model_spec *spec, struct buf *out);

/* Appends base and "/models" (or another last part) for an OpenAI-compatible server. */
void wire_openai_path(const struct model_spec *spec, const char *last, struct buf *out);

/* Appends the body, compact JSON. */
void wire_body(const struct model_spec *spec, const struct chat_request *request,
               const struct wire_shape *shape, struct buf *out);
void wire_openai_body(const struct model_spec *spec, const struct chat_request *request,
                      const struct wire_shape *shape, struct buf *out);
void wire_invoke_body(const struct chat_request *request, const struct wire_shape *shape,
                      struct buf *out);
void wire_anthropic_body(const struct model_spec *spec, const struct chat_request *request,
                         const struct wire_shape *shape, struct buf *out);
void wire_converse_body(const struct chat_request *request, const struct wire_shape *shape,
                        struct buf *out);

/* Name of the budget's key in the provider's body. */
const char *wire_budget_key(const struct model_spec *spec, const struct wire_shape *shape);
bool wire_streams(const struct model_spec *spec); /* has streams that are read here */

/* The member of a message that the shape replaces: the text, or the message's own content. */
struct json_value wire_content(const struct wire_shape *shape, size_t at, struct json_value message,
                               struct buf *scratch);

/* Appends a content's words: a string itself, the text parts of an array one after another; of
 * anything but null its JSON text. */
void wire_text(struct json_value content, struct buf *out);

/* Merges the members of an object into body (an object), which replace those that are there. */
void wire_merge(struct buf *body, struct json_value extra);

/* Tools in the OpenAI form, without what is only ours. */
void wire_openai_tools(struct json_value tools, bool bare, struct json_writer *w);

/* An object schema, or the empty one. */
void wire_schema(struct json_value schema, struct json_writer *w);

enum wire_form { WIRE_OPENAI, WIRE_INVOKE, WIRE_ANTHROPIC, WIRE_CONVERSE };
enum wire_form wire_form_of(const struct model_spec *spec);

/* Reads a reply's body, a whole JSON value, into reply. false: *fault says what is wrong with it. */
bool wire_read(enum wire_form form, struct span body, enum chat_logprobs logprobs,
               struct chat_reply *reply, const char **fault);

/* A stream of events as the body that would have come without one. false: it broke off, or is none;
 * *fault says what. */
bool wire_unstream(enum wire_form form, struct span events, struct buf *body, const char **fault);

/* Reads the text that an event adds; for on_text. */
void wire_event_text(enum wire_form form, struct span data, struct buf *out);

/* ---- the window (world 8.3) ------------------------------------------------------------------ */

int64_t wire_estimate(const struct chat_request *request, const struct wire_shape *shape);

/* Fits the request into the window as far as it can be; fills reply->what_cut. */
void wire_fit(const struct chat_request *request, int64_t context, struct wire_shape *shape,
              struct chat_reply *reply);

/* Halves the last user message. false: it is too short for that, or no text. */
bool wire_halve(const struct chat_request *request, struct wire_shape *shape);
void wire_shape_free(struct wire_shape *shape);

#endif
