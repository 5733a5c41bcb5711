/* model.c: a model opened: its spec, key, address and window; what it has been asked so far. */
#include <stdlib.h>

#include "model/defaults.h"
#include "model/inside.h"
#include "text/fold.h"

static void window_of(struct model *m)
{
    struct span text;
    int64_t tokens = m->settings.context_tokens;
    if (tokens <= 0 && environment_value("ZP_CONTEXT_TOKENS", &text))
        tokens = strtoll(text.ptr, NULL, 10);
    m->context_known = tokens > 0 || m->spec.hosted;
    if (tokens <= 0) {
        switch (m->spec.provider) {
        case MODEL_OPENAI:
        case MODEL_ANTHROPIC:
        case MODEL_BEDROCK:
        case MODEL_BEDROCK_INVOKE:
        case MODEL_FIREWORKS: tokens = CHAT_CONTEXT_LARGE; break;
        default: tokens = CHAT_CONTEXT_DEFAULT;
        }
    }
    m->context = tokens < CHAT_CONTEXT_LEAST ? CHAT_CONTEXT_LEAST : tokens;
}

/* The host of m->url. */
static int address_of(struct model *m, struct error *error)
{
    struct url url;
    if (url_parse(buf_span(&m->url), &url, error) < 0)
        return error_prefix(error, "%s", buf_cstr(&m->spec.text));
    url_host_add(&url, &m->host);
    return 0;
}

/* The variable that names the provider's address, if it is set. */
static const char *base_variable(const struct model_spec *spec)
{
    struct span value;
    const char *name = NULL;
    switch (spec->provider) {
    case MODEL_OPENAI: name = "OPENAI_BASE_URL"; break;
    case MODEL_ANTHROPIC: name = "ANTHROPIC_BASE_URL"; break;
    case MODEL_TYPESAFE: name = "TYPESAFE_BASE_URL"; break;
    case MODEL_BEDROCK:
    case MODEL_BEDROCK_INVOKE: name = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"; break;
    default: return NULL;
    }
    return environment_value(name, &value) ? name : NULL;
}

/* Keys are of use only where something may be sent: a replay needs none. */
static int find_key(struct model *m, struct error *error)
{
    struct url url;
    bool named = m->settings.key_env && *m->settings.key_env;
    if (!m->settings.http || url_parse(buf_span(&m->url), &url, error) < 0 ||
        (m->spec.provider == MODEL_OLLAMA && !named))
        return 0;
    int code = key_for(&url, base_variable(&m->spec), m->settings.key_env, &m->key, error);
    if (code == 0 && m->key.kind == KEY_AWS)
        m->aws = aws_chain_open(m->settings.http);
    return code;
}

/* The first model of GET …/models. */
static int ask_models(struct model *m, struct error *error)
{
    struct http_reply reply = {0};
    struct json_value body, list, first, id;
    struct json_fault fault;
    struct buf url = {0};
    bool missing;
    wire_openai_path(&m->spec, "/models", &url);
    struct exchange what = {.method = "GET", .url = buf_span(&url), .timeout_s = CHAT_TIMEOUT_S};
    int code = model_exchange(m, &what, &reply, &missing, error);
    if (code == 0) {
        struct json_cursor c = {0};
        if (reply.status == 200 && json_scan(buf_span(&reply.body), &body, NULL, &fault) == 0 &&
            json_get(body, SPAN("data"), &list) && list.type == JSON_VALUE_ARRAY)
            c = json_enter(list);
        if (c.at && json_next_item(&c, &first) && json_get(first, SPAN("id"), &id) &&
            id.type == JSON_VALUE_STRING)
            json_text_add(id, &m->spec.model);
        else
            code = error_set(error, ERROR_REMOTE,
                             "%s: it does not say which models it has (%d); name one with "
                             "--agent-model, or write vllm:MODEL@URL",
                             m->at, reply.status);
    }
    buf_free(&url);
    http_reply_free(&reply);
    return code;
}

static void name_parts(struct model *m)
{
    m->called = buf_cstr(&m->spec.text);
    m->at = buf_cstr(&m->host);
    m->target = model_spec_name(&m->spec);
}

int model_reach(struct model *m, struct error *error)
{
    int code = address_of(m, error);
    name_parts(m);
    return code < 0 ? code : find_key(m, error);
}

static int open_parts(struct model *m, const char *spec, struct error *error)
{
    int code = model_spec_parse(spec, &m->spec, error);
    if (code < 0)
        return code;
    if (m->spec.provider == MODEL_TYPESAFE)
        return error_set(error, ERROR_USAGE,
                         "%s: it answers questions about a record and cannot chat; it is a judge: "
                         "wai-grade --judge %s",
                         spec, spec);
    window_of(m);
    name_parts(m);
    if (m->spec.provider == MODEL_EXEC)
        return 0;
    if (m->spec.provider == MODEL_REPLAY)
        return replay_open(m, error);
    wire_url(&m->spec, &m->url);
    code = model_reach(m, error);
    if (code == 0 && m->spec.provider == MODEL_ENDPOINT) {
        if (m->settings.model && *m->settings.model)
            buf_text(&m->spec.model, m->settings.model);
        else
            code = ask_models(m, error);
        name_parts(m);
    }
    return code;
}

struct model *model_new(const struct model_settings *settings)
{
    struct model *m = mem_zero(1, sizeof *m);
    m->settings = *settings;
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

struct model *model_open(const char *spec, const struct model_settings *settings,
                         struct error *error)
{
    struct model *m = model_new(settings);
    if (open_parts(m, spec, error) < 0) {
        model_close(m);
        return NULL;
    }
    return m;
}

void model_close(struct model *m)
{
    if (!m)
        return;
    exec_close(m);
    aws_chain_close(m->aws);
    key_free(&m->key);
    model_spec_free(&m->spec);
    buf_free(&m->url);
    buf_free(&m->host);
    buf_free(&m->tape);
    free(m->entries);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

const char *model_name(const struct model *model)
{
    return model->target;
}

const struct model_spec *model_spec_of(const struct model *model)
{
    return &model->spec;
}

int64_t model_context(const struct model *model, bool *known)
{
    if (known)
        *known = model->context_known;
    return model->context;
}

struct model_counts model_counts(struct model *model)
{
    pthread_mutex_lock(&model->lock);
    struct model_counts counts = model->counts;
    pthread_mutex_unlock(&model->lock);
    return counts;
}
