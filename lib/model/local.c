/* local.c: models without a network: exec:COMMAND, a line in and a line out (world 10.1), and
 * replay:FILE, a list of replies (grade 14.4). */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/signals.h"
#include "model/defaults.h"
#include "model/inside.h"
#include "text/fold.h"

/* ---- exec: ----------------------------------------------------------------------------------- */

static struct coproc *take_worker(struct model *m)
{
    struct coproc *worker = NULL;
    pthread_mutex_lock(&m->lock);
    if (m->n_idle)
        worker = m->idle[--m->n_idle];
    pthread_mutex_unlock(&m->lock);
    return worker ? worker : coproc_open(m->target, NULL);
}

static void give_back(struct model *m, struct coproc *worker)
{
    pthread_mutex_lock(&m->lock);
    m->idle = mem_grow(m->idle, &m->idle_cap, m->n_idle + 1, sizeof *m->idle);
    m->idle[m->n_idle++] = worker;
    pthread_mutex_unlock(&m->lock);
}

void exec_close(struct model *m)
{
    for (size_t i = 0; i < m->n_idle; i++)
        coproc_close(m->idle[i]);
    free(m->idle);
}

static void write_ask(const struct chat_request *request, struct buf *line)
{
    struct json_writer w;
    json_write_start(&w, line, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "messages");
    json_write_raw(&w, request->messages.text);
    wire_openai_tools(request->tools, false, &w);
    if (!isnan(request->temperature)) {
        json_write_key(&w, "temperature");
        json_write_real(&w, request->temperature);
    }
    json_write_key(&w, "max_tokens");
    json_write_int(&w, request->max_tokens > 0 ? request->max_tokens : CHAT_REPLY_DEFAULT);
    if (request->has_seed) {
        json_write_key(&w, "seed");
        json_write_int(&w, request->seed);
    }
    json_write_end_object(&w);
}

static struct json_value member(struct json_value object, const char *key)
{
    struct json_value value = {0};
    json_get(object, span_text(key), &value);
    return value;
}

/* A text, or a message with finish_reason and usage beside it, as a chat completion. */
static void as_completion(struct json_value said, struct buf *body)
{
    struct json_writer w;
    struct json_value finish = member(said, "finish_reason"), usage = member(said, "usage");
    json_write_start(&w, body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "choices");
    json_write_array(&w);
    json_write_object(&w);
    json_write_key(&w, "message");
    if (said.type == JSON_VALUE_OBJECT) {
        json_write_raw(&w, said.text);
    } else {
        json_write_object(&w);
        json_write_key(&w, "content");
        json_write_raw(&w, said.text);
        json_write_end_object(&w);
    }
    if (finish.type == JSON_VALUE_STRING) {
        json_write_key(&w, "finish_reason");
        json_write_raw(&w, finish.text);
    }
    json_write_end_object(&w);
    json_write_end_array(&w);
    if (usage.type == JSON_VALUE_OBJECT) {
        static const char *const KEYS[2][2] = {{"prompt_tokens", "input_tokens"},
                                               {"completion_tokens", "output_tokens"}};
        json_write_key(&w, "usage");
        json_write_object(&w);
        for (int i = 0; i < 2; i++) {
            struct json_value count = member(usage, KEYS[i][0]);
            if (json_value_null(count))
                count = member(usage, KEYS[i][1]);
            if (count.text.ptr) {
                json_write_key(&w, KEYS[i][0]);
                json_write_raw(&w, count.text);
            }
        }
        json_write_end_object(&w);
    }
    json_write_end_object(&w);
}

/* Reads a text or a message. */
static int take_said(struct json_value said, const struct chat_request *request,
                     struct chat_reply *reply, const char *whose, struct error *error)
{
    struct buf body = {0};
    const char *fault = "it is neither a text nor a message with content or tool_calls";
    struct json_value unused;
    bool good = said.type == JSON_VALUE_STRING ||
                (said.type == JSON_VALUE_OBJECT && (json_get(said, SPAN("content"), &unused) ||
                                                    json_get(said, SPAN("tool_calls"), &unused)));
    if (good) {
        as_completion(said, &body);
        good = wire_read(WIRE_OPENAI, buf_span(&body), request->logprobs, reply, &fault);
    }
    buf_free(&body);
    if (!good)
        return chat_fail(reply, error, CHAT_BAD_REPLY, "%s: the reply cannot be used, %s", whose,
                         fault);
    reply->failure = CHAT_OK;
    return 0;
}

static int exec_failed(struct model *m, enum coproc_result result, const struct child_exit *ended,
                       const struct error *why, struct chat_reply *reply, struct error *error)
{
    const char *command = m->called;
    switch (result) {
    case COPROC_TIMEOUT:
        return chat_fail(reply, error, CHAT_TIMED_OUT, "%s: no reply in time", command);
    case COPROC_DIED:
        return chat_fail(reply, error, CHAT_TRANSIENT, "%s: it ended (%s %d) before it replied",
                         command, ended->signal ? "signal" : "status",
                         ended->signal ? ended->signal : ended->status);
    case COPROC_TOO_LONG:
        return chat_fail(reply, error, CHAT_BAD_REPLY, "%s: its line is too long", command);
    default:
        return chat_fail(reply, error,
                         why->code == ERROR_INTERRUPTED ? CHAT_INTERRUPTED : CHAT_TRANSIENT, "%s",
                         why->text);
    }
}

int exec_chat(struct model *m, const struct chat_request *request, struct chat_reply *reply,
              struct error *error)
{
    struct buf line = {0};
    struct span said;
    struct child_exit ended = {0};
    struct error why = {0};
    struct json_value value;
    struct json_fault fault;
    double limit = request->timeout_s > 0 ? request->timeout_s : CHAT_TIMEOUT_S;
    struct coproc *worker = take_worker(m);
    write_ask(request, &line);
    reply->requests = 1;
    enum coproc_result result = coproc_ask(worker, buf_span(&line), limit, &said, &ended, &why);
    int code;
    if (result != COPROC_OK) {
        code = exec_failed(m, result, &ended, &why, reply, error);
    } else if (json_scan(said, &value, NULL, &fault) < 0) {
        code = chat_fail(reply, error, CHAT_BAD_REPLY, "%s: its line is not JSON: %s at byte %zu",
                         m->called, fault.what, fault.offset);
    } else if (member(value, "error").type == JSON_VALUE_STRING) {
        struct buf words = {0};
        chat_error_words(said, &words);
        code = chat_fail(reply, error, CHAT_BAD_REPLY, "%s: %s", m->called, buf_cstr(&words));
        buf_free(&words);
    } else {
        code = take_said(value, request, reply, m->called, error);
    }
    give_back(m, worker);
    buf_free(&line);
    return code;
}

/* ---- replay: --------------------------------------------------------------------------------- */

int replay_open(struct model *m, struct error *error)
{
    const char *path = m->target;
    struct span line;
    size_t at = 0, number = 0;
    int code = file_read(path, REPLAY_MAX, &m->tape, error);
    while (code == 0 && at < m->tape.len) {
        size_t end = span_find(buf_span(&m->tape), SPAN("\n"), at);
        end = end == (size_t)-1 ? m->tape.len : end;
        line = text_strip(span_slice(buf_span(&m->tape), at, end));
        at = end + 1;
        number++;
        if (!line.len)
            continue;
        struct json_value value;
        struct json_fault fault;
        if (json_scan(line, &value, NULL, &fault) < 0 || value.type != JSON_VALUE_OBJECT)
            code = error_set(error, ERROR_INPUT,
                             "%s:%zu: no JSON object; each line is {\"reply\": TEXT}, "
                             "{\"replies\": [TEXT, …]} or {\"error\": TEXT}",
                             path, number);
        m->entries = mem_grow(m->entries, &m->entries_cap, m->n_entries + 1, sizeof *m->entries);
        m->entries[m->n_entries++] = line;
    }
    return code;
}

static bool nth_reply(struct json_value entry, int64_t call, struct json_value *said)
{
    struct json_value list;
    if (json_get(entry, SPAN("reply"), said))
        return true; /* the one reply, however often it is asked for */
    if (!json_get(entry, SPAN("replies"), &list) || list.type != JSON_VALUE_ARRAY)
        return false;
    struct json_cursor c = json_enter(list);
    for (int64_t i = 0; json_next_item(&c, said); i++)
        if (i == call)
            return true;
    return false;
}

int replay_chat(struct model *m, const struct chat_request *request, struct chat_reply *reply,
                struct error *error)
{
    struct json_value entry, said, failed;
    struct json_fault fault;
    const char *path = m->target;
    size_t at = (size_t)request->item;
    if (request->item < 0) {
        pthread_mutex_lock(&m->lock);
        at = m->next_entry++;
        pthread_mutex_unlock(&m->lock);
    }
    reply->requests = 1;
    if (at >= m->n_entries)
        return chat_fail(reply, error, CHAT_NOT_RECORDED, "%s: it has %zu entries, no entry %zu",
                         path, m->n_entries, at + 1);
    json_scan(m->entries[at], &entry, NULL, &fault);
    if (json_get(entry, SPAN("error"), &failed)) {
        struct buf words = {0};
        json_text_add(failed, &words);
        bool late = span_is(buf_span(&words), "timeout");
        chat_fail(reply, error, late ? CHAT_TIMED_OUT : CHAT_TRANSIENT, "%s: entry %zu: %s", path,
                  at + 1, buf_cstr(&words));
        buf_free(&words);
        return error->code;
    }
    if (!nth_reply(entry, request->call, &said))
        return chat_fail(reply, error, CHAT_NOT_RECORDED, "%s: entry %zu has no reply %lld", path,
                         at + 1, (long long)request->call + 1);
    return take_said(said, request, reply, path, error);
}
