/* cmd_scorer.c: --cmd: a command reads a row a line and answers a verdict a line (grade 4.2). */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/coproc_many.h"
#include "grade/defaults.h"
#include "grade/scorer.h"
#include "text/term.h"

struct cmd_scorer {
    struct scorer head;
    char *command;
    int jobs; /* processes */
    double timeout_s;
    struct verdict_scale scale;
    bool envelope;
    int batch;                 /* requests under way per process with the envelope */
    struct coproc **children;  /* one per process, a line in, a line out */
    struct coproc_many **many; /* with the envelope */
    atomic_int deaths;         /* in a row without a reply */
};

static void environment_of(int worker, struct buf *number, const char *environment[3])
{
    buf_format(number, "WAI_WORKER=%d", worker);
    environment[0] = "WAI_PROTOCOL=1";
    environment[1] = buf_cstr(number);
    environment[2] = NULL;
}

/* ---- replies
 * ------------------------------------------------------------------------------------------ */

static void read_reply(const struct cmd_scorer *s, struct span reply, struct verdict *v)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(reply, &value, NULL, &fault) == 0) {
        verdict_read_row(v, value, &s->scale);
        return;
    }
    struct buf shown = {0};
    size_t n = reply.len < REPLY_QUOTE_BYTES ? reply.len : REPLY_QUOTE_BYTES;
    term_add(&shown, span_slice(reply, 0, n));
    verdict_failed(v, "the command's reply is no JSON: %.*s", (int)shown.len,
                   shown.data ? shown.data : "");
    buf_free(&shown);
}

/* A death without a reply: the row's error; the third in a row stops the run. */
static int died(struct cmd_scorer *s, const struct child_exit *ended, struct verdict *v,
                struct error *error)
{
    char how[64];
    if (ended->signal)
        snprintf(how, sizeof how, "was ended by signal %d", ended->signal);
    else
        snprintf(how, sizeof how, "ended with exit status %d", ended->status);
    verdict_failed(v, "the command %s before it replied", how);
    if (atomic_fetch_add(&s->deaths, 1) + 1 >= CMD_DEATHS_MAX)
        return error_set(error, ERROR_REMOTE,
                         "%s: %s %d times in a row without a reply; mend the command, then go on "
                         "with --resume",
                         s->command, how, CMD_DEATHS_MAX);
    return 0;
}

static int settle(struct cmd_scorer *s, enum coproc_result result, struct span reply,
                  const struct child_exit *ended, struct verdict *v, struct error *error)
{
    switch (result) {
    case COPROC_OK:
        atomic_store(&s->deaths, 0);
        read_reply(s, reply, v);
        return 0;
    case COPROC_TIMEOUT: verdict_timed_out(v, s->timeout_s); return 0;
    case COPROC_TOO_LONG:
        verdict_failed(v, "the command's reply is longer than %d bytes", CHILD_LINE_MAX);
        return 0;
    case COPROC_DIED: return died(s, ended, v, error);
    case COPROC_FAILED: return error->code;
    }
    return 0;
}

/* {"i":N,"verdict":V}: N. */
static bool envelope_number(struct span line, int64_t *number)
{
    struct json_value value, i;
    struct json_fault fault;
    return json_scan(line, &value, NULL, &fault) == 0 && json_get(value, SPAN("i"), &i) &&
           json_int64(i, number);
}

/* The verdict in an envelope, whose number has been read; the whole line when it is none. */
static struct span envelope_verdict(struct span line)
{
    struct json_value value, verdict;
    struct json_fault fault;
    int64_t number;
    if (!envelope_number(line, &number) || json_scan(line, &value, NULL, &fault))
        return line;
    return json_get(value, SPAN("verdict"), &verdict) ? verdict.text : SPAN("{}");
}

static int ask_enveloped(struct cmd_scorer *s, int worker, const struct row *row, struct verdict *v,
                         struct error *error)
{
    struct child_exit ended = {0};
    struct buf line = {0}, reply = {0};
    buf_format(&line, "{\"i\":%llu,\"row\":", (unsigned long long)row->index);
    buf_span_add(&line, row->line);
    buf_byte(&line, '}');
    enum coproc_result result =
        coproc_many_ask(s->many[worker % s->jobs], (int64_t)row->index, buf_span(&line),
                        s->timeout_s, &reply, &ended, error);
    int rc = settle(s, result, envelope_verdict(buf_span(&reply)), &ended, v, error);
    buf_free(&line);
    buf_free(&reply);
    return rc;
}

static int cmd_verdict(struct scorer *head, int worker, const struct row *row, struct verdict *v,
                       struct error *error)
{
    struct cmd_scorer *s = (struct cmd_scorer *)head;
    struct child_exit ended = {0};
    struct span reply = {0};
    if (s->envelope)
        return ask_enveloped(s, worker, row, v, error);
    enum coproc_result result =
        coproc_ask(s->children[worker], row->line, s->timeout_s, &reply, &ended, error);
    return settle(s, result, reply, &ended, v, error);
}

/* ---- opening and closing
 * ------------------------------------------------------------------------------ */

static void cmd_close(struct scorer *head)
{
    struct cmd_scorer *s = (struct cmd_scorer *)head;
    for (int j = 0; j < s->jobs; j++) {
        coproc_close(s->children[j]);
        coproc_many_close(s->many[j]);
    }
    free(s->children);
    free(s->many);
    free(s->command);
    free(head->name);
    free(s);
}

struct scorer *scorer_cmd_open(const struct scorer_cmd_options *options,
                               const struct scorer_setup *setup, struct error *error)
{
    static const struct scorer_kind kind = {cmd_verdict, cmd_close};
    if (!options->command[strspn(options->command, " \t\n")]) {
        error_set(error, ERROR_USAGE, "the command is empty; write cmd:COMMAND or -c COMMAND");
        return NULL;
    }
    struct cmd_scorer *s = mem_zero(1, sizeof *s);
    struct buf number = {0};
    const char *environment[3];
    s->head.kind = &kind;
    s->head.name = child_command_name(options->command);
    s->head.meta_kind = options->kind;
    s->head.slow = true;
    s->head.children = true;
    s->command = mem_text(options->command);
    s->jobs = scorer_jobs(setup, CMD_JOBS_MAX);
    s->envelope = options->envelope;
    s->batch = !s->envelope ? 1 : options->batch > 0 ? options->batch : CMD_BATCH;
    if (s->jobs > CMD_THREADS_MAX / s->batch)
        s->batch = s->jobs < CMD_THREADS_MAX ? CMD_THREADS_MAX / s->jobs : 1;
    s->head.threads = s->jobs * s->batch;
    s->timeout_s = setup->timeout_s > 0 ? setup->timeout_s : CMD_TIMEOUT_S;
    s->scale = setup->scale;
    s->children = mem_zero((size_t)s->jobs, sizeof *s->children);
    s->many = mem_zero((size_t)s->jobs, sizeof *s->many);
    for (int j = 0; j < s->jobs; j++) {
        buf_clear(&number);
        environment_of(j, &number, environment);
        if (s->envelope)
            s->many[j] = coproc_many_open(s->command, environment, s->batch, envelope_number);
        else
            s->children[j] = coproc_open(s->command, environment);
    }
    buf_free(&number);
    return &s->head;
}
