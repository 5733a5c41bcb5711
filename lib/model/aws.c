/* aws.c: the AWS credential chain (world 10.6): environment, shared files of a profile with
 * credential_process, container, instance metadata. See sigv4.h. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/child.h"
#include "base/file.h"
#include "model/sigv4.h"
#include "net/credentials.h"
#include "text/fold.h"
#include "json/scan.h"

enum {
    AWS_FILE_MAX = 1 << 20, /* bytes of a credentials or config file */
    AWS_EARLY_S = 300,      /* seconds before their end that credentials are asked for again */
    AWS_PROCESS_S = 60,     /* seconds a credential_process may take */
    AWS_KEEP_S = 900,       /* seconds credentials without an end are kept */
};
#define AWS_METADATA_S 1.0 /* seconds the metadata service may take (world 10.6) */
#define AWS_METADATA   "http://169.254.169.254/latest/"
#define AWS_CONTAINER  "http://169.254.170.2"

struct aws_chain {
    struct http_client *client;
    pthread_mutex_t lock;
    struct aws_credentials now;
    time_t until; /* 0: nothing yet */
};

static void wipe(struct buf *secret)
{
    if (secret->data)
        explicit_bzero(secret->data, secret->cap);
    buf_free(secret);
}

void aws_credentials_free(struct aws_credentials *c)
{
    wipe(&c->access_key);
    wipe(&c->secret_key);
    wipe(&c->session_token);
}

struct aws_chain *aws_chain_open(struct http_client *client)
{
    struct aws_chain *chain = mem_zero(1, sizeof *chain);
    chain->client = client;
    pthread_mutex_init(&chain->lock, NULL);
    return chain;
}

void aws_chain_close(struct aws_chain *chain)
{
    if (!chain)
        return;
    aws_credentials_free(&chain->now);
    pthread_mutex_destroy(&chain->lock);
    free(chain);
}

static void set(struct buf *b, struct span text)
{
    buf_clear(b);
    buf_span_add(b, text);
}

static bool complete(const struct aws_credentials *c)
{
    return c->access_key.len && c->secret_key.len;
}

/* ---- environment ----------------------------------------------------------------------------- */

static bool from_environment(struct aws_credentials *out)
{
    struct span id, secret, token;
    if (!environment_value("AWS_ACCESS_KEY_ID", &id) ||
        !environment_value("AWS_SECRET_ACCESS_KEY", &secret))
        return false;
    set(&out->access_key, id);
    set(&out->secret_key, secret);
    if (environment_value("AWS_SESSION_TOKEN", &token))
        set(&out->session_token, token);
    return true;
}

/* ---- shared files ---------------------------------------------------------------------------- */

static void shared_file(const char *variable, const char *name, struct buf *path)
{
    struct span value;
    if (environment_value(variable, &value)) {
        buf_span_add(path, value);
    } else if (environment_value("HOME", &value)) {
        buf_span_add(path, value);
        buf_format(path, "/.aws/%s", name);
    }
}

/* "[profile name]" in the config file, "[name]" in the other. */
static bool section_is(struct span line, struct span profile)
{
    struct span name = text_strip(span_slice(line, 1, line.len - 1));
    if (span_starts(name, SPAN("profile ")))
        name = text_strip(span_slice(name, 8, name.len));
    return span_equal(name, profile);
}

static void take_setting(struct span line, struct aws_credentials *out, struct buf *process)
{
    size_t equals = span_find(line, SPAN("="), 0);
    if (equals == (size_t)-1)
        return;
    struct span key = text_strip(span_slice(line, 0, equals));
    struct span value = text_strip(span_slice(line, equals + 1, line.len));
    struct {
        const char *name;
        struct buf *to;
    } const settings[] = {{"aws_access_key_id", &out->access_key},
                          {"aws_secret_access_key", &out->secret_key},
                          {"aws_session_token", &out->session_token},
                          {"credential_process", process}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (span_is(key, settings[i].name) && settings[i].to->len == 0)
            set(settings[i].to, value);
}

static void from_file(const char *variable, const char *name, struct span profile,
                      struct aws_credentials *out, struct buf *process)
{
    struct buf path = {0}, text = {0};
    struct span line;
    size_t at = 0;
    bool inside = false;
    shared_file(variable, name, &path);
    if (path.len && file_read(buf_cstr(&path), AWS_FILE_MAX, &text, NULL) == 0) {
        while (text_next_line(buf_span(&text), &at, &line)) {
            line = text_strip(line);
            if (line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == ';')
                continue;
            if (line.ptr[0] == '[' && line.ptr[line.len - 1] == ']')
                inside = section_is(line, profile);
            else if (inside)
                take_setting(line, out, process);
        }
    }
    wipe(&text);
    buf_free(&path);
}

/* ---- answers in JSON ------------------------------------------------------------------------- */

static void text_member(struct json_value object, const char *key, struct buf *out)
{
    struct json_value value;
    if (json_get(object, span_text(key), &value) && value.type == JSON_VALUE_STRING) {
        buf_clear(out);
        json_text_add(value, out);
    }
}

/* {AccessKeyId, SecretAccessKey, Token|SessionToken, Expiration} */
static bool from_json(struct span text, struct aws_credentials *out, time_t *until)
{
    struct json_value value;
    struct json_fault fault;
    struct buf end = {0};
    struct tm utc = {0};
    if (json_scan(text, &value, NULL, &fault) < 0)
        return false;
    text_member(value, "AccessKeyId", &out->access_key);
    text_member(value, "SecretAccessKey", &out->secret_key);
    text_member(value, "Token", &out->session_token);
    text_member(value, "SessionToken", &out->session_token);
    text_member(value, "Expiration", &end);
    if (end.len && strptime(buf_cstr(&end), "%Y-%m-%dT%H:%M:%S", &utc))
        *until = timegm(&utc) - AWS_EARLY_S;
    buf_free(&end);
    return complete(out);
}

static bool from_process(struct buf *command, struct aws_credentials *out, time_t *until)
{
    struct child_run run = {.command = buf_cstr(command), .timeout_s = AWS_PROCESS_S};
    struct child_exit ended;
    struct buf said = {0}, complained = {0};
    bool good = child_run(&run, &said, &complained, &ended, NULL) == 0 && ended.status == 0 &&
                from_json(buf_span(&said), out, until);
    wipe(&said);
    buf_free(&complained);
    return good;
}

static bool from_profile(struct aws_credentials *out, time_t *until)
{
    struct span profile;
    struct buf process = {0};
    if (!environment_value("AWS_PROFILE", &profile))
        profile = SPAN("default");
    from_file("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile, out, &process);
    if (!complete(out))
        from_file("AWS_CONFIG_FILE", "config", profile, out, &process);
    bool good = complete(out) || (process.len && from_process(&process, out, until));
    buf_free(&process);
    return good;
}

/* ---- services on the machine ----------------------------------------------------------------- */

static bool ask(struct aws_chain *chain, struct http_request *request, struct buf *body)
{
    struct http_reply reply = {0};
    if (!chain->client)
        return false;
    request->retries = -1;
    request->timeout_s = AWS_METADATA_S;
    bool good = http_send(chain->client, request, &reply, NULL) == 0 && reply.status == 200;
    if (good)
        set(body, buf_span(&reply.body));
    wipe(&reply.body);
    http_reply_free(&reply);
    return good;
}

static bool from_container(struct aws_chain *chain, struct aws_credentials *out, time_t *until)
{
    struct span value, token;
    struct buf url = {0}, body = {0};
    struct url pieces;
    if (environment_value("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", &value))
        buf_text(&url, AWS_CONTAINER);
    else if (!environment_value("AWS_CONTAINER_CREDENTIALS_FULL_URI", &value))
        return false;
    buf_span_add(&url, value);
    struct http_header header = {"Authorization", {0}, true};
    struct http_request request = {.url = buf_span(&url)};
    if (environment_value("AWS_CONTAINER_AUTHORIZATION_TOKEN", &token)) {
        header.value = token;
        request.headers = &header;
        request.n_headers = 1;
    }
    /* The token goes over plain http to this machine and the container's own address only. */
    bool near = url_parse(buf_span(&url), &pieces, NULL) == 0 &&
                (pieces.secure || url_loopback(&pieces) || span_is(pieces.host, "169.254.170.2") ||
                 span_is(pieces.host, "169.254.170.23"));
    bool good = near && ask(chain, &request, &body) && from_json(buf_span(&body), out, until);
    wipe(&body);
    buf_free(&url);
    return good;
}

static bool from_instance(struct aws_chain *chain, struct aws_credentials *out, time_t *until)
{
    struct buf token = {0}, role = {0}, body = {0}, url = {0};
    struct span off;
    if (environment_value("AWS_EC2_METADATA_DISABLED", &off) && span_is(off, "true"))
        return false;
    struct http_header ttl = {"X-aws-ec2-metadata-token-ttl-seconds", SPAN("21600"), false};
    struct http_request request = {.method = "PUT",
                                   .url = SPAN(AWS_METADATA "api/token"),
                                   .headers = &ttl,
                                   .n_headers = 1,
                                   .has_body = true,
                                   .body = SPAN("")};
    bool good = ask(chain, &request, &token);
    struct http_header header = {"X-aws-ec2-metadata-token", buf_span(&token), true};
    struct http_request get = {.url = SPAN(AWS_METADATA "meta-data/iam/security-credentials/"),
                               .headers = &header,
                               .n_headers = 1};
    good = good && ask(chain, &get, &role);
    if (good) {
        buf_text(&url, AWS_METADATA "meta-data/iam/security-credentials/");
        buf_span_add(&url, text_strip(buf_span(&role)));
        get.url = buf_span(&url);
        good = ask(chain, &get, &body) && from_json(buf_span(&body), out, until);
    }
    wipe(&token);
    wipe(&body);
    buf_free(&role);
    buf_free(&url);
    return good;
}

/* ---- the chain ------------------------------------------------------------------------------- */

static bool find(struct aws_chain *chain, struct aws_credentials *out, time_t *until)
{
    *until = time(NULL) + AWS_KEEP_S;
    return from_environment(out) || from_profile(out, until) || from_container(chain, out, until) ||
           from_instance(chain, out, until);
}

int aws_chain_get(struct aws_chain *chain, struct aws_credentials *out, struct error *error)
{
    int code = 0;
    pthread_mutex_lock(&chain->lock);
    if (!complete(&chain->now) || time(NULL) >= chain->until) {
        struct aws_credentials found = {0};
        if (find(chain, &found, &chain->until)) {
            aws_credentials_free(&chain->now);
            chain->now = found;
        } else {
            aws_credentials_free(&found);
            code = error_set(error, ERROR_REMOTE,
                             "bedrock: no credentials; set AWS_BEARER_TOKEN_BEDROCK, or "
                             "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE (single "
                             "sign-on and assumed roles through its credential_process)");
        }
    }
    if (code == 0) {
        set(&out->access_key, buf_span(&chain->now.access_key));
        set(&out->secret_key, buf_span(&chain->now.secret_key));
        set(&out->session_token, buf_span(&chain->now.session_token));
    }
    pthread_mutex_unlock(&chain->lock);
    return code;
}
