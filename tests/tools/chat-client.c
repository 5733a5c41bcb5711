/* chat-client.c: the model room for tests. Each line of standard input is a call
 *
 *     {"spec", "messages", "tools"?, "temperature"?, "max_tokens"?, "n"?, "logprobs"? "sum"|"tokens",
 *      "extra"?, "stream"?, "timeout_s"?, "scope"?, "seed"?, "item"?, "call"?, "count"? (times over)}
 *
 * and gets a line: {"reply": the normalised message or null, "failure", "error", "code", …}. Options:
 * --jobs N  --record FILE  --replay FILE  --live-miss  --no-network  --price IN,OUT  --max-cost M
 * --context N  --thinking on|off  --key-env NAME  --agent-model NAME  --summary (one line for all) */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/signals.h"
#include "model/chat.h"

enum { MODELS_MAX = 64 };

static struct model *models[MODELS_MAX];
static char *model_specs[MODELS_MAX];
static size_t n_models;
static struct model_settings settings;

struct job {
    char *line; /* NULL: the same line as the job before */
    struct json_value in;
    struct model *model;
    struct error open_error;
    struct buf out;
    int64_t number;
};

static size_t n_ok, failures[16];

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

static struct model *model_of(const char *spec, struct error *error)
{
    for (size_t i = 0; i < n_models; i++)
        if (strcmp(model_specs[i], spec) == 0)
            return models[i];
    struct model *m = n_models < MODELS_MAX ? model_open(spec, &settings, error) : NULL;
    if (m) {
        model_specs[n_models] = mem_text(spec);
        models[n_models++] = m;
    }
    return m;
}

static void take_text(void *data, int attempt, struct span piece)
{
    struct buf *text = data;
    if (attempt > 1 && text->len && text->data[0] != (char)attempt)
        buf_clear(text);
    if (text->len == 0)
        buf_byte(text, (char)attempt);
    buf_span_add(text, piece);
}

static double real_of(struct json_value v, double otherwise)
{
    return v.type == JSON_VALUE_NUMBER ? json_number(v) : otherwise;
}

static void request_of(const struct job *job, struct chat_request *r, struct buf *scope)
{
    struct json_value in = job->in, logprobs = member(in, "logprobs");
    r->messages = member(in, "messages");
    r->tools = member(in, "tools");
    r->temperature = real_of(member(in, "temperature"), NAN);
    r->max_tokens = (int64_t)real_of(member(in, "max_tokens"), 0);
    r->n = (int)real_of(member(in, "n"), 1);
    r->logprobs = span_is(logprobs.text, "\"tokens\"") ? CHAT_LOGPROBS_TOKENS
                  : json_truthy(logprobs)              ? CHAT_LOGPROBS_SUM
                                                       : CHAT_LOGPROBS_NONE;
    r->extra = member(in, "extra");
    r->timeout_s = real_of(member(in, "timeout_s"), 0);
    r->stream = json_truthy(member(in, "stream"));
    r->has_seed = json_int64(member(in, "seed"), &r->seed);
    r->item = (int64_t)real_of(member(in, "item"), -1);
    r->call = (int64_t)real_of(member(in, "call"), 0);
    if (member(in, "scope").type == JSON_VALUE_STRING) {
        json_text_add(member(in, "scope"), scope);
        if (job->number)
            buf_format(scope, "-%lld", (long long)job->number);
        r->scope = buf_cstr(scope);
    }
}

static void write_int(struct json_writer *w, const char *key, int64_t value)
{
    json_write_key(w, key);
    json_write_int(w, value);
}

static void report(struct job *job, const struct chat_reply *reply, int code,
                   const struct error *error, const struct buf *text)
{
    struct json_writer w;
    json_write_start(&w, &job->out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "reply");
    if (code == 0)
        chat_reply_write(reply, &w);
    else
        json_write_null(&w);
    write_int(&w, "code", code);
    json_write_key(&w, "failure");
    json_write_text(&w, chat_failure_name(reply->failure));
    json_write_key(&w, "error");
    json_write_text(&w, code < 0 ? error->text : "");
    write_int(&w, "status", reply->status);
    write_int(&w, "requests", reply->requests);
    write_int(&w, "retries", reply->retries);
    write_int(&w, "repairs", reply->repairs);
    write_int(&w, "max_tokens_sent", reply->max_tokens_sent);
    json_write_key(&w, "text");
    json_write_span(&w, text->len ? span_slice(buf_span(text), 1, text->len) : SPAN(""));
    json_write_end_object(&w);
    buf_byte(&job->out, '\n');
}

static void work(void *context, int worker, void *data)
{
    struct job *job = data;
    struct chat_request request = {0};
    struct chat_reply reply = {0};
    struct error error = job->open_error;
    struct buf scope = {0}, text = {0};
    (void)context;
    (void)worker;
    request_of(job, &request, &scope);
    request.on_text = take_text;
    request.data = &text;
    int code = error.code;
    if (job->model)
        code = model_chat(job->model, &request, &reply, &error);
    report(job, &reply, code, &error, &text);
    job->in = (struct json_value){0};
    job->number = code == 0 ? -1 : (int64_t)reply.failure;
    chat_reply_free(&reply);
    buf_free(&scope);
    buf_free(&text);
}

static void finish(struct job *job, bool summary)
{
    if (!summary)
        fwrite(job->out.data, 1, job->out.len, stdout);
    if (job->number == -1)
        n_ok++;
    else
        failures[job->number & 15]++;
    buf_free(&job->out);
    free(job->line);
    free(job);
}

static struct json_value scanned(const char *line)
{
    struct json_value value = {0};
    struct json_fault fault;
    if (json_scan(span_text(line), &value, NULL, &fault) < 0) {
        fprintf(stderr, "chat-client: %s\n", fault.what);
        exit(3);
    }
    return value;
}

static void read_lines(struct pool *pool, bool summary)
{
    char *line = NULL;
    size_t cap = 0;
    struct job *job;
    while (getline(&line, &cap, stdin) >= 0) {
        struct buf spec = {0};
        struct json_value in = scanned(line);
        int64_t count = (int64_t)real_of(member(in, "count"), 1);
        json_text_add(member(in, "spec"), &spec);
        for (int64_t i = 0; i < count; i++) {
            job = mem_zero(1, sizeof *job);
            job->line = mem_text(line);
            job->in = scanned(job->line);
            job->number = i;
            job->model = model_of(buf_cstr(&spec), &job->open_error);
            pool_submit(pool, job);
            while ((job = pool_take(pool, pool_full(pool) ? POOL_WAIT : POOL_READY)))
                finish(job, summary);
        }
        buf_free(&spec);
    }
    while ((job = pool_take(pool, POOL_WAIT)))
        finish(job, summary);
    free(line);
}

static void write_summary(struct budget *budget)
{
    struct model_counts total = {0};
    for (size_t i = 0; i < n_models; i++) {
        struct model_counts c = model_counts(models[i]);
        total.calls += c.calls;
        total.requests += c.requests;
        total.retries += c.retries;
        total.input_tokens += c.input_tokens;
        total.output_tokens += c.output_tokens;
    }
    printf("{\"ok\":%zu,\"failed\":{", n_ok);
    const char *comma = "";
    for (int i = 1; i < 13; i++) {
        if (!failures[i])
            continue;
        printf("%s\"%s\":%zu", comma, chat_failure_name((enum chat_failure)i), failures[i]);
        comma = ",";
    }
    printf("},\"calls\":%llu,\"requests\":%llu,\"retries\":%llu,\"input_tokens\":%lld,"
           "\"output_tokens\":%lld",
           (unsigned long long)total.calls, (unsigned long long)total.requests,
           (unsigned long long)total.retries, (long long)total.input_tokens,
           (long long)total.output_tokens);
    if (budget)
        printf(",\"cost\":%.9f", budget_state(budget).cost);
    printf("}\n");
}

int main(int argc, char **argv)
{
    const char *record = NULL, *replay = NULL;
    struct budget_limits limits = {0};
    struct error error = {0};
    bool summary = false, network = true, live = false;
    int jobs = 1;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--summary") == 0)
            summary = true;
        else if (strcmp(name, "--no-network") == 0)
            network = false;
        else if (strcmp(name, "--live-miss") == 0)
            live = true;
        else if (++i && strcmp(name, "--jobs") == 0)
            jobs = atoi(value);
        else if (strcmp(name, "--record") == 0)
            record = value;
        else if (strcmp(name, "--replay") == 0)
            replay = value;
        else if (strcmp(name, "--price") == 0)
            budget_read_price(value, &limits, &error);
        else if (strcmp(name, "--max-cost") == 0)
            limits.max_cost = atof(value);
        else if (strcmp(name, "--context") == 0)
            settings.context_tokens = atoll(value);
        else if (strcmp(name, "--thinking") == 0)
            settings.thinking = strcmp(value, "on") ? CHAT_THINKING_OFF : CHAT_THINKING_ON;
        else if (strcmp(name, "--key-env") == 0)
            settings.key_env = value;
        else if (strcmp(name, "--agent-model") == 0)
            settings.model = value;
    }
    signals_open();
    struct http_settings http = {0};
    struct cassette *cassette = NULL;
    if (error.code == 0 && network)
        settings.http = http_open(&http, &error);
    if (error.code == 0 && (record || replay))
        settings.cassette = cassette =
            cassette_open(record, replay, live ? CASSETTE_MISS_LIVE : CASSETTE_MISS_FAIL, &error);
    if (error.code < 0) {
        fprintf(stderr, "chat-client: %s\n", error.text);
        return -error.code;
    }
    struct budget *budget =
        limits.price_in > 0 || limits.price_out > 0 ? budget_open(&limits) : NULL;
    settings.budget = budget;
    struct pool *pool = pool_open(jobs, 0, work, NULL);
    read_lines(pool, summary);
    pool_close(pool);
    if (summary)
        write_summary(budget);
    for (size_t i = 0; i < n_models; i++) {
        model_close(models[i]);
        free(model_specs[i]);
    }
    http_close(settings.http);
    budget_close(budget);
    int code = cassette_close(cassette, &error);
    if (code < 0)
        fprintf(stderr, "chat-client: %s\n", error.text);
    return code < 0 ? -code : 0;
}
