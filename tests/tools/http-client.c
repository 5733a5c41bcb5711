/* http-client.c: the HTTP client for tests. Each line of standard input is a request
 *
 *     {"url", "method"?, "body"?, "headers"? {name: value}, "secrets"? {name: value}, "timeout_s"?,
 *      "retries"?, "retry"? "any"|"unsent"|"never", "redirect"? "never"|"origin"|"get",
 *      "response_max"?, "cancel_ms"?, "count"? (times over), "wait"? (end those before it first)}
 *
 * all of them in flight at once; each outcome is a line, in order. --per-host N. --quiet prints one
 * line for all: {"ok", "failed": {NAME: N}, "status": {CODE: N}, "ms"}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "net/http.h"
#include "json/write.h"

enum { HEADERS_MAX = 16 };

struct job {
    struct http_request request;
    struct http_header headers[HEADERS_MAX];
    struct buf texts[4 + 2 * HEADERS_MAX];
    size_t n_texts;
    struct http_call *call;
    size_t pieces, piece_bytes;
    int data_attempt;
};

static struct job **jobs;
static size_t n_jobs, jobs_cap;

static struct span text_of(struct job *job, struct json_value v)
{
    struct buf *b = &job->texts[job->n_texts++];
    json_text_add(v, b);
    buf_cstr(b);
    return buf_span(b);
}

static void headers_of(struct job *job, struct json_value object, bool secret)
{
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (job->request.n_headers < HEADERS_MAX && json_next_member(&c, &m)) {
        struct http_header *h = &job->headers[job->request.n_headers++];
        struct buf *name = &job->texts[job->n_texts++];
        buf_span_add(name, m.key);
        h->name = buf_cstr(name);
        h->value = text_of(job, m.value);
        h->secret = secret;
    }
    job->request.headers = job->headers;
}

static void on_data(void *data, int attempt, struct span piece)
{
    struct job *job = data;
    if (attempt != job->data_attempt)
        job->piece_bytes = 0;
    job->data_attempt = attempt;
    job->pieces++;
    job->piece_bytes += piece.len;
}

static int word_of(struct json_value in, const char *key, const char *const *words)
{
    struct json_value v;
    struct buf scratch = {0};
    int found = 0;
    if (json_get(in, span_text(key), &v)) {
        struct span text = json_text(v, &scratch);
        for (int i = 0; words[i]; i++)
            if (span_is(text, words[i]))
                found = i;
    }
    buf_free(&scratch);
    return found;
}

static double real_of(struct json_value in, const char *key, double otherwise)
{
    struct json_value v;
    return json_get(in, span_text(key), &v) ? json_number(v) : otherwise;
}

static struct job *job_of(struct json_value in)
{
    static const char *const RETRY[] = {"any", "unsent", "never", NULL};
    static const char *const REDIRECT[] = {"never", "origin", "get", NULL};
    struct job *job = mem_zero(1, sizeof *job);
    struct http_request *r = &job->request;
    struct json_value v;
    if (json_get(in, SPAN("url"), &v))
        r->url = text_of(job, v);
    if (json_get(in, SPAN("method"), &v))
        r->method = text_of(job, v).ptr;
    if (json_get(in, SPAN("body"), &v)) {
        r->has_body = true;
        r->body = text_of(job, v);
    }
    if (json_get(in, SPAN("headers"), &v))
        headers_of(job, v, false);
    if (json_get(in, SPAN("secrets"), &v))
        headers_of(job, v, true);
    r->timeout_s = real_of(in, "timeout_s", 0);
    r->retries = (int)real_of(in, "retries", 0);
    r->response_max = (size_t)real_of(in, "response_max", 0);
    r->retry = (enum http_retry)word_of(in, "retry", RETRY);
    r->redirect = (enum http_redirect)word_of(in, "redirect", REDIRECT);
    r->on_data = on_data;
    r->data = job;
    return job;
}

static void report(const struct job *job, const struct http_reply *reply, int code,
                   const struct error *error)
{
    struct buf out = {0};
    struct json_writer w;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "code");
    json_write_int(&w, code);
    json_write_key(&w, "failure");
    json_write_text(&w, http_failure_name(reply->failure));
    json_write_key(&w, "status");
    json_write_int(&w, reply->status);
    json_write_key(&w, "body");
    json_write_span(&w, buf_span(&reply->body));
    json_write_key(&w, "attempts");
    json_write_int(&w, reply->attempts);
    json_write_key(&w, "retries");
    json_write_int(&w, reply->retries);
    json_write_key(&w, "http");
    json_write_text(&w, reply->http);
    json_write_key(&w, "pieces");
    json_write_int(&w, (int64_t)job->pieces);
    json_write_key(&w, "piece_bytes");
    json_write_int(&w, (int64_t)job->piece_bytes);
    json_write_key(&w, "ms");
    json_write_real(&w, reply->ms);
    json_write_key(&w, "error");
    json_write_text(&w, code < 0 ? error->text : "");
    json_write_end_object(&w);
    buf_byte(&out, '\n');
    fwrite(out.data, 1, out.len, stdout);
    buf_free(&out);
}

static size_t ok, by_failure[8], by_status[600];

static void job_end(struct job *job, bool quiet)
{
    struct http_reply reply = {0};
    struct error error = {0};
    int code = http_wait(job->call, &reply, &error);
    job->call = NULL;
    if (!quiet)
        report(job, &reply, code, &error);
    ok += code == 0 && reply.status == 200;
    by_failure[reply.failure]++;
    by_status[reply.status < 600 ? reply.status : 0]++;
    http_reply_free(&reply);
    for (size_t i = 0; i < job->n_texts; i++)
        buf_free(&job->texts[i]);
    free(job);
}

static void end_all(bool quiet)
{
    for (size_t i = 0; i < n_jobs; i++)
        job_end(jobs[i], quiet);
    n_jobs = 0;
}

static void line_in(struct http_client *client, struct span line, bool quiet)
{
    struct json_value in, v;
    struct json_fault fault;
    if (json_scan(line, &in, NULL, &fault) < 0) {
        fprintf(stderr, "http-client: %s\n", fault.what);
        exit(3);
    }
    if (json_get(in, SPAN("wait"), &v))
        end_all(quiet);
    int count = (int)real_of(in, "count", 1);
    for (int i = 0; i < count; i++) {
        struct job *job = job_of(in);
        jobs = mem_grow(jobs, &jobs_cap, n_jobs + 1, sizeof *jobs);
        jobs[n_jobs++] = job;
        job->call = http_start(client, &job->request, NULL, NULL);
        if (json_get(in, SPAN("cancel_ms"), &v)) {
            usleep((useconds_t)(json_number(v) * 1000));
            http_cancel(job->call);
        }
    }
}

static void summary(void)
{
    printf("{\"ok\":%zu,\"failed\":{", ok);
    const char *comma = "";
    for (int i = 1; i < 8; i++) {
        if (by_failure[i])
            printf("%s\"%s\":%zu", comma, http_failure_name((enum http_failure)i), by_failure[i]);
        comma = by_failure[i] ? "," : comma;
    }
    printf("},\"status\":{");
    comma = "";
    for (int i = 0; i < 600; i++) {
        if (by_status[i])
            printf("%s\"%d\":%zu", comma, i, by_status[i]);
        comma = by_status[i] ? "," : comma;
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    struct http_settings settings = {0};
    struct error error = {0};
    bool quiet = false;
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0)
            quiet = true;
        else if (strcmp(argv[i], "--per-host") == 0 && i + 1 < argc)
            settings.per_host = atoi(argv[++i]);
    }
    signals_open();
    struct http_client *client = http_open(&settings, &error);
    if (!client) {
        fprintf(stderr, "http-client: %s\n", error.text);
        return 5;
    }
    while ((len = getline(&line, &cap, stdin)) >= 0)
        line_in(client, span_make(line, (size_t)len), quiet);
    end_all(quiet);
    http_close(client);
    if (quiet)
        summary();
    free(jobs);
    free(line);
    return signals_caught() ? signals_exit_status() : 0;
}
