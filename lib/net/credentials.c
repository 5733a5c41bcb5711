/* credentials.c: see credentials.h. */
#include "net/credentials.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "net/defaults.h"
#include "text/fold.h"
#include "json/scan.h"

#define ACCOUNT_FILE "credentials.json"

bool environment_value(const char *name, struct span *value)
{
    *value = text_strip(span_text(getenv(name)));
    return value->len > 0;
}

static void wipe(struct buf *secret)
{
    if (secret->data)
        explicit_bzero(secret->data, secret->cap);
    buf_free(secret);
}

/* ---- the service's places -------------------------------------------------------------------- */

static bool starts_any_case(struct span s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.len >= n && strncasecmp(s.ptr, prefix, n) == 0;
}

bool url_account(const struct url *url)
{
    return url_host_is(url, ".modal.run") &&
           (starts_any_case(url->host, "zeroproofai--whileai-serve-") ||
            starts_any_case(url->host, "zeroproofai--zeroproof-serve-"));
}

bool url_platform(const struct url *url)
{
    return url_host_is(url, ".while.ai") || url_host_is(url, ".withwhile.com") ||
           url_host_is(url, ".zeroproofai.com") || url_account(url);
}

int config_folder(struct buf *path, struct error *error)
{
    struct span value;
    buf_clear(path);
    if (environment_value("WHILEAI_HOME", &value)) {
        buf_span_add(path, value);
        return 0;
    }
    if (!environment_value("HOME", &value))
        return error_set(error, ERROR_SYSTEM,
                         "neither WHILEAI_HOME nor HOME is set; set one, keys are kept there");
    buf_span_add(path, value);
    buf_text(path, "/.whileai");
    return 0;
}

static int config_file(const char *name, struct buf *path, struct error *error)
{
    int code = config_folder(path, error);
    if (code == 0)
        buf_format(path, "/%s", name);
    return code;
}

/* ---- the credentials file -------------------------------------------------------------------- */

static void member_text(struct json_value object, struct span key, struct buf *out)
{
    struct json_value value;
    buf_clear(out);
    if (json_get(object, key, &value) && value.type == JSON_VALUE_STRING)
        json_text_add(value, out);
}

static int credentials_parse(struct credentials *c, const char *path, struct error *error)
{
    struct json_value object;
    struct json_fault fault;
    if (json_scan(buf_span(&c->json), &object, NULL, &fault) < 0)
        return error_set(error, ERROR_INPUT, "%s: %s at byte %zu; run wai login again", path,
                         fault.what, fault.offset);
    if (object.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_INPUT, "%s: it holds no JSON object; run wai login again",
                         path);
    member_text(object, SPAN("api_key"), &c->api_key);
    member_text(object, SPAN("api_url"), &c->api_url);
    c->found = true;
    return 0;
}

int credentials_read(struct credentials *c, struct error *error)
{
    struct buf path = {0};
    credentials_free(c);
    int code = config_file(ACCOUNT_FILE, &path, NULL);
    if (code < 0 || access(buf_cstr(&path), F_OK) < 0) {
        buf_free(&path);
        return 0;
    }
    code = file_read(buf_cstr(&path), CREDENTIALS_MAX, &c->json, error);
    if (code == 0)
        code = credentials_parse(c, buf_cstr(&path), error);
    buf_free(&path);
    return code;
}

void credentials_free(struct credentials *c)
{
    wipe(&c->json);
    wipe(&c->api_key);
    buf_free(&c->api_url);
    c->found = false;
}

int credentials_save(const char *name, struct span json, struct error *error)
{
    struct buf path = {0};
    int code = config_folder(&path, error);
    if (code == 0 && mkdir(buf_cstr(&path), 0700) < 0 && errno != EEXIST)
        code = error_errno(error, ERROR_SYSTEM, "%s", buf_cstr(&path));
    if (code == 0)
        code = config_file(name, &path, error);
    struct file *file = code == 0 ? file_create(buf_cstr(&path), error) : NULL;
    if (file) {
        /* Before a byte of it is there. */
        if (fchmod(file_descriptor(file), 0600) < 0)
            code = error_errno(error, ERROR_SYSTEM, "%s", buf_cstr(&path));
        if (code == 0)
            code = file_write(file, json, error);
        if (code == 0)
            code = file_commit(file, error);
        else
            file_abandon(file);
    } else if (code == 0) {
        code = ERROR_SYSTEM;
    }
    buf_free(&path);
    return code;
}

int credentials_remove(const char *name, bool *was, struct error *error)
{
    struct buf path = {0};
    int code = config_file(name, &path, error);
    *was = false;
    if (code == 0) {
        *was = unlink(buf_cstr(&path)) == 0;
        if (!*was && errno != ENOENT && errno != ENOTDIR)
            code = error_errno(error, ERROR_SYSTEM, "%s", buf_cstr(&path));
    }
    buf_free(&path);
    return code;
}

/* ---- keys ------------------------------------------------------------------------------------ */

struct destination {
    const char *host; /* ".x" fits subdomains too; NULL: only the base */
    const char *base; /* variable whose URL names another host of it; may be NULL */
    enum key_kind kind;
    const char *variables[2];
    bool optional; /* needed only where any other host needs one */
};

static const struct destination DESTINATIONS[] = {
    {"api.anthropic.com", NULL, KEY_ANTHROPIC, {"WHILEAI_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"}},
    {NULL,
     "ANTHROPIC_BASE_URL",
     KEY_ANTHROPIC,
     {"WHILEAI_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"},
     true},
    {"api.fireworks.ai", NULL, KEY_BEARER, {"FIREWORKS_API_KEY"}},
    {"openrouter.ai", NULL, KEY_BEARER, {"OPENROUTER_API_KEY"}},
    {"api.typesafe.ai", NULL, KEY_BEARER, {"WHILEAI_TYPESAFE_API_KEY", "TYPESAFE_API_KEY"}},
    {NULL, "TYPESAFE_BASE_URL", KEY_BEARER, {"WHILEAI_TYPESAFE_API_KEY", "TYPESAFE_API_KEY"}, true},
    {"api.openai.com", NULL, KEY_BEARER, {"OPENAI_API_KEY"}},
    {NULL, "OPENAI_BASE_URL", KEY_BEARER, {"OPENAI_API_KEY"}, true},
};
static const struct destination BEDROCK = {
    NULL,
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    KEY_BEARER,
    {"WHILEAI_AWS_BEARER_TOKEN_BEDROCK", "AWS_BEARER_TOKEN_BEDROCK"}};
static const struct destination OTHER = {NULL, NULL, KEY_BEARER, {"VLLM_API_KEY"}, true};

/* Whether the URL that a variable holds has this origin. */
static bool at_base(const struct url *url, const char *variable)
{
    struct span base;
    struct url there;
    return variable && environment_value(variable, &base) && url_parse(base, &there, NULL) == 0 &&
           url_same_origin(url, &there);
}

/* A base without a hint is OPENAI_BASE_URL's: the one an OpenAI-compatible spec may repeat. */
static bool is_destination(const struct destination *d, const struct url *url, const char *base)
{
    if (d->host)
        return !base && url_host_is(url, d->host);
    return strcmp(d->base, base ? base : "OPENAI_BASE_URL") == 0 && at_base(url, d->base);
}

static const struct destination *destination_of(const struct url *url, const char *base)
{
    if (starts_any_case(url->host, "bedrock-runtime.") && url_host_is(url, ".amazonaws.com"))
        return &BEDROCK;
    if (base && !at_base(url, base))
        base = NULL;
    if (base && strcmp(base, BEDROCK.base) == 0)
        return &BEDROCK;
    for (size_t i = 0; i < sizeof DESTINATIONS / sizeof *DESTINATIONS; i++)
        if (is_destination(&DESTINATIONS[i], url, base))
            return &DESTINATIONS[i];
    return base ? destination_of(url, NULL) : &OTHER;
}

static bool needs_key(const struct url *url)
{
    return url->secure && !url_loopback(url) && !url_host_is(url, ".local");
}

static int plain_http(const struct url *url, const struct key *key, struct error *error)
{
    struct buf host = {0};
    url_host_add(url, &host);
    error_set(error, ERROR_REMOTE,
              "%s: the key of %s would travel over plain http; use https, or name the variable "
              "with --agent-key-env",
              buf_cstr(&host), key->variable);
    buf_free(&host);
    return ERROR_REMOTE;
}

static int missing(const struct url *url, const char *variable, const char *more,
                   struct error *error)
{
    struct buf host = {0};
    url_host_add(url, &host);
    error_set(error, ERROR_REMOTE, "%s: no key; set %s%s", buf_cstr(&host), variable, more);
    buf_free(&host);
    return ERROR_REMOTE;
}

int account_key(struct key *key, const char **source, struct error *error)
{
    struct span value;
    key->kind = KEY_NONE;
    key->variable = "WHILEAI_API_KEY";
    *source = NULL;
    if (environment_value("WHILEAI_API_KEY", &value)) {
        buf_span_add(&key->value, value);
        *source = "WHILEAI_API_KEY";
    } else {
        struct credentials saved = {0};
        int code = credentials_read(&saved, error);
        if (code < 0)
            return code;
        if (saved.api_key.len) {
            buf_span_add(&key->value, buf_span(&saved.api_key));
            *source = "file";
        }
        credentials_free(&saved);
    }
    if (*source)
        key->kind = KEY_BEARER;
    return 0;
}

static int hosted_key(const struct url *url, struct key *key, struct error *error)
{
    const char *source;
    int code = account_key(key, &source, error);
    if (code == 0 && !source)
        return missing(url, key->variable,
                       " or sign in with wai login, or name an endpoint of your own", error);
    return code;
}

static int named_key(const struct url *url, const char *base, const char *name, struct key *key,
                     struct error *error)
{
    struct span value;
    const struct destination *d = destination_of(url, base);
    key->variable = name;
    if (!environment_value(name, &value))
        return missing(url, name, ", which was named and is unset", error);
    key->kind = d->kind;
    buf_span_add(&key->value, value);
    return 0;
}

/* A key with a line break in it would begin another header. */
static int clean_key(const struct url *url, const struct key *key, struct error *error)
{
    struct buf host = {0};
    bool clean = true;
    for (size_t i = 0; i < key->value.len; i++)
        clean = clean && (unsigned char)key->value.data[i] >= ' ';
    if (clean)
        return 0;
    url_host_add(url, &host);
    error_set(error, ERROR_REMOTE, "%s: %s holds a line break or the like; set it again",
              buf_cstr(&host), key->variable);
    buf_free(&host);
    return ERROR_REMOTE;
}

static int find_key(const struct url *url, const char *base, const char *key_env, struct key *key,
                    struct error *error)
{
    struct span value;
    *key = (struct key){.kind = KEY_NONE};
    if (key_env && *key_env)
        return named_key(url, base, key_env, key, error);
    if (url_account(url))
        return hosted_key(url, key, error);
    const struct destination *d = destination_of(url, base);
    int last = d->variables[1] ? 1 : 0;
    key->variable = d->variables[last];
    for (int i = 0; i <= last && key->kind == KEY_NONE; i++) {
        if (environment_value(d->variables[i], &value)) {
            key->kind = d->kind;
            key->variable = d->variables[i];
            buf_span_add(&key->value, value);
        }
    }
    if (key->kind == KEY_NONE) {
        if (d == &BEDROCK)
            key->kind = KEY_AWS;
        else if (!d->optional || needs_key(url))
            return missing(url, key->variable, "", error);
        return 0;
    }
    if (!url->secure && !url_loopback(url)) {
        if (!d->optional)
            return plain_http(url, key, error);
        key_free(key); /* a server of one's own network may need none */
        key->variable = d->variables[last];
    }
    return 0;
}

int key_for(const struct url *url, const char *base, const char *key_env, struct key *key,
            struct error *error)
{
    int code = find_key(url, base, key_env, key, error);
    return code == 0 ? clean_key(url, key, error) : code;
}

void key_free(struct key *key)
{
    wipe(&key->value);
    key->kind = KEY_NONE;
}

void key_mask(struct span key, struct buf *out)
{
    enum { LONG = 12, HEAD = 7, TAIL = 4 };
    if (key.len <= LONG) {
        buf_text(out, "***");
        return;
    }
    buf_add(out, key.ptr, HEAD);
    buf_text(out, "...");
    buf_add(out, key.ptr + key.len - TAIL, TAIL);
}
