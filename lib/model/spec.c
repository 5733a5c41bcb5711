/* spec.c: see spec.h. */
#include "model/spec.h"

#include <stdlib.h>
#include <strings.h>

#include "model/defaults.h"
#include "net/credentials.h"
#include "text/fold.h"

struct provider_row {
    const char *name;
    enum model_provider provider;
    const char *url;      /* NULL: the spec must give one */
    const char *variable; /* names another base; may be NULL */
    const char *model;    /* default; NULL: the spec must name one; "": the server's first */
    bool at_url;          /* MODEL@URL */
};

static const struct provider_row ROWS[] = {
    {"openai", MODEL_OPENAI, MODEL_OPENAI_URL, "OPENAI_BASE_URL", MODEL_OPENAI_DEFAULT, false},
    {"anthropic", MODEL_ANTHROPIC, MODEL_ANTHROPIC_URL, "ANTHROPIC_BASE_URL",
     MODEL_ANTHROPIC_DEFAULT, false},
    {"fireworks", MODEL_FIREWORKS, MODEL_FIREWORKS_URL, NULL, MODEL_FIREWORKS_DEFAULT, false},
    {"bedrock", MODEL_BEDROCK, NULL, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", MODEL_BEDROCK_DEFAULT,
     false},
    {"vllm", MODEL_COMPATIBLE, NULL, NULL, NULL, true},
    {"ollama", MODEL_OLLAMA, MODEL_OLLAMA_URL, "OLLAMA_HOST", MODEL_OLLAMA_DEFAULT, false},
    {"openrouter", MODEL_COMPATIBLE, MODEL_OPENROUTER_URL, NULL, NULL, false},
    {"sglang", MODEL_COMPATIBLE, MODEL_SGLANG_URL, NULL, "", true},
    {"tgi", MODEL_COMPATIBLE, MODEL_TGI_URL, NULL, "", true},
    {"lmstudio", MODEL_COMPATIBLE, MODEL_LMSTUDIO_URL, NULL, "", true},
    {"llamacpp", MODEL_COMPATIBLE, MODEL_LLAMACPP_URL, NULL, "", true},
    {"typesafe", MODEL_TYPESAFE, MODEL_TYPESAFE_URL, "TYPESAFE_BASE_URL", MODEL_TYPESAFE_DEFAULT,
     false},
    {"endpoint", MODEL_ENDPOINT, NULL, NULL, NULL, false},
    {"exec", MODEL_EXEC, NULL, NULL, NULL, false},
    {"replay", MODEL_REPLAY, NULL, NULL, NULL, false},
};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

static bool is_url(struct span text)
{
    return (text.len >= 8 && strncasecmp(text.ptr, "https://", 8) == 0) ||
           (text.len >= 7 && strncasecmp(text.ptr, "http://", 7) == 0);
}

static const struct provider_row *row_of(struct span name)
{
    for (int i = 0; i < N_ROWS; i++)
        if (span_is(name, ROWS[i].name))
            return &ROWS[i];
    return NULL;
}

bool model_spec_known(const char *text)
{
    struct span s = span_text(text);
    size_t colon = span_find(s, SPAN(":"), 0);
    return is_url(s) || span_is(s, "hosted") ||
           (colon != (size_t)-1 && row_of(span_slice(s, 0, colon)));
}

static int no_provider(struct span text, struct error *error)
{
    size_t slash = span_find(text, SPAN("/"), 0);
    size_t colon = span_find(text, SPAN(":"), 0);
    if (text.len == 0)
        return error_set(error, ERROR_USAGE,
                         "the model spec is empty; write openai:MODEL, anthropic:MODEL, or "
                         "vllm:MODEL@URL");
    if (colon != (size_t)-1 && (slash == (size_t)-1 || colon < slash))
        return error_set(error, ERROR_USAGE,
                         "%.*s: no such provider; there are openai, anthropic, bedrock, fireworks, "
                         "openrouter, ollama, vllm, sglang, tgi, lmstudio, llamacpp, exec, replay",
                         (int)text.len, text.ptr);
    if (slash != (size_t)-1 && row_of(span_slice(text, 0, slash)))
        return error_set(error, ERROR_USAGE,
                         "%.*s: write %.*s:%.*s; or, when it is the name of a repository, "
                         "vllm:%.*s@URL",
                         (int)text.len, text.ptr, (int)slash, text.ptr, (int)(text.len - slash - 1),
                         text.ptr + slash + 1, (int)text.len, text.ptr);
    return error_set(error, ERROR_USAGE,
                     "%.*s: a model name alone does not say who serves it; write openai:%.*s, or "
                     "vllm:%.*s@URL",
                     (int)text.len, text.ptr, (int)text.len, text.ptr, (int)text.len, text.ptr);
}

/* The address of a base, checked; one without a scheme means https. */
static int base_check(struct span base, const char *whose, struct error *error)
{
    struct url url;
    struct buf whole = {0};
    if (!is_url(base))
        buf_text(&whole, "https://");
    buf_span_add(&whole, base);
    int code = url_parse(buf_span(&whole), &url, error);
    buf_free(&whole);
    return code < 0 ? error_prefix(error, "%s", whose) : 0;
}

static int region_of(struct span rest, struct model_spec *spec, struct error *error)
{
    struct span region = {0}, given = rest;
    for (size_t at = given.len; at-- > 0 && !region.ptr;) {
        if (given.ptr[at] == '@') {
            region = span_slice(given, at + 1, given.len);
            rest = span_slice(given, 0, at);
        }
    }
    if (!region.len && !environment_value("AWS_REGION", &region) &&
        !environment_value("AWS_DEFAULT_REGION", &region))
        region = SPAN(MODEL_BEDROCK_REGION);
    for (size_t i = 0; i < region.len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", region.ptr[i]))
            return error_set(error, ERROR_USAGE,
                             "bedrock: the region %.*s is none; write bedrock:MODEL@eu-west-1",
                             (int)region.len, region.ptr);
    buf_span_add(&spec->region, region);
    buf_span_add(&spec->model, rest.len ? rest : SPAN(MODEL_BEDROCK_DEFAULT));
    struct span other;
    if (environment_value("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", &other))
        buf_span_add(&spec->url, other);
    else
        buf_format(&spec->url, "https://bedrock-runtime.%s.amazonaws.com", buf_cstr(&spec->region));
    if (span_has(buf_span(&spec->model), SPAN(":imported-model/")))
        spec->provider = MODEL_BEDROCK_INVOKE;
    return base_check(buf_span(&spec->url), "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", error);
}

/* OLLAMA_HOST is written HOST, HOST:PORT or a URL, without /v1. */
static void ollama_url(struct span host, struct buf *url)
{
    if (!is_url(host))
        buf_text(url, "http://");
    buf_span_add(url, host);
    while (url->len && url->data[url->len - 1] == '/')
        url->len--;
    struct url pieces;
    if (url_parse(buf_span(url), &pieces, NULL) == 0 && pieces.port == 80 && !is_url(host) &&
        !span_has(host, SPAN(":")))
        buf_text(url, ":11434");
    if (!span_ends(buf_span(url), SPAN("/v1")))
        buf_text(url, "/v1");
}

static void base_of(const struct provider_row *row, struct buf *url)
{
    struct span other;
    if (!row->variable || !environment_value(row->variable, &other))
        buf_text(url, row->url);
    else if (row->provider == MODEL_OLLAMA)
        ollama_url(other, url);
    else
        buf_span_add(url, other);
    if (row->provider == MODEL_ANTHROPIC && !span_ends(buf_span(url), SPAN("/v1"))) {
        while (url->len && url->data[url->len - 1] == '/')
            url->len--;
        buf_text(url, "/v1"); /* the variable is the official client's, which adds it too */
    }
}

static int at_url(const struct provider_row *row, struct span rest, struct model_spec *spec,
                  struct error *error)
{
    size_t at = span_find(rest, SPAN("@"), 0);
    struct span model = at == (size_t)-1 ? rest : span_slice(rest, 0, at);
    struct span url = at == (size_t)-1 ? (struct span){0} : span_slice(rest, at + 1, rest.len);
    if ((!url.len && !row->url) || (!model.len && !row->model))
        return error_set(error, ERROR_USAGE,
                         "%s: it lacks the %s; write %s:MODEL@http://localhost:8000/v1", row->name,
                         url.len ? "model" : "address", row->name);
    if (!model.len)
        spec->provider = MODEL_ENDPOINT;
    buf_span_add(&spec->model, model);
    if (url.len)
        buf_span_add(&spec->url, url);
    else
        base_of(row, &spec->url);
    return base_check(buf_span(&spec->url), row->name, error);
}

static int rest_read(const struct provider_row *row, struct span rest, struct model_spec *spec,
                     struct error *error)
{
    spec->provider = row->provider;
    if (row->at_url)
        return at_url(row, rest, spec, error);
    switch (row->provider) {
    case MODEL_BEDROCK: return region_of(rest, spec, error);
    case MODEL_EXEC:
    case MODEL_REPLAY:
        buf_span_add(&spec->model, rest);
        return rest.len ? 0
                        : error_set(error, ERROR_USAGE, "%s: it names no %s", row->name,
                                    row->provider == MODEL_EXEC ? "command" : "file");
    case MODEL_ENDPOINT: buf_span_add(&spec->url, rest); return base_check(rest, row->name, error);
    default: break;
    }
    if (!rest.len && !row->model)
        return error_set(error, ERROR_USAGE, "%s: it names no model; write %s:MODEL", row->name,
                         row->name);
    buf_span_add(&spec->model, rest.len ? rest : span_text(row->model));
    base_of(row, &spec->url);
    return base_check(buf_span(&spec->url), row->variable ? row->variable : row->name, error);
}

int model_spec_parse(const char *text, struct model_spec *spec, struct error *error)
{
    struct span given = text_strip(span_text(text));
    model_spec_free(spec);
    if (span_is(given, "hosted"))
        given = SPAN(MODEL_HOSTED_AGENT);
    buf_span_add(&spec->text, given);
    given = buf_span(&spec->text);
    size_t colon = span_find(given, SPAN(":"), 0);
    const struct provider_row *row =
        colon == (size_t)-1 ? NULL : row_of(span_slice(given, 0, colon));
    int code;
    if (is_url(given)) {
        spec->provider = MODEL_ENDPOINT;
        buf_span_add(&spec->url, given);
        code = base_check(given, "the model's address", error);
    } else if (!row) {
        code = no_provider(given, error);
    } else {
        code = rest_read(row, span_slice(given, colon + 1, given.len), spec, error);
    }
    struct url url;
    spec->hosted =
        code == 0 && url_parse(buf_span(&spec->url), &url, NULL) == 0 && url_account(&url);
    if (code < 0)
        model_spec_free(spec);
    return code;
}

void model_spec_free(struct model_spec *spec)
{
    buf_free(&spec->text);
    buf_free(&spec->url);
    buf_free(&spec->model);
    buf_free(&spec->region);
    *spec = (struct model_spec){0};
}

const char *model_spec_name(struct model_spec *spec)
{
    return buf_cstr(spec->model.len ? &spec->model : &spec->url);
}

void model_spec_base(const struct model_spec *spec, struct buf *out)
{
    if (!is_url(buf_span(&spec->url)))
        buf_text(out, "https://");
    buf_span_add(out, buf_span(&spec->url));
}
