/* run.c: one process for each rollout (world 14.3): the message goes in, and what it prints is read
 * as a done line, as plain words, or as a coding agent's stream. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/defaults.h"
#include "agent/program.h"
#include "agent/protocol.h"
#include "agent/start_line.h"
#include "agent/transcript.h"
#include "text/fold.h"
#include "text/term.h"
#include "json/write.h"

enum run_format { RUN_CLAUDE, RUN_CODEX, RUN_PI, RUN_JSON, RUN_TEXT };

struct run_agent {
    struct agent agent;
    const struct agent_setting *setting;
    const char *command; /* borrowed */
    char *name;
    enum run_format format;
    double timeout_s;
    int opened; /* workers */
};

struct run_worker {
    int number;
    struct arena arena;
    struct buf message, command, out, err, line;
};

/* ---- the command ----------------------------------------------------------------------------- */

static const struct span PLACE = {"{prompt}", 8};

/* A word of the shell, whatever it holds; a NUL cannot be in one. */
static void shell_quote(struct span text, struct buf *out)
{
    buf_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\'')
            buf_text(out, "'\\''");
        else if (text.ptr[i])
            buf_byte(out, text.ptr[i]);
    }
    buf_byte(out, '\'');
}

/* The command with the message in the places of {prompt}. False: it has none. */
static bool fill_command(struct span command, struct span message, struct buf *out)
{
    bool found = false;
    size_t at;
    for (; (at = span_find(command, PLACE, 0)) != SIZE_MAX; found = true) {
        buf_span_add(out, span_slice(command, 0, at));
        shell_quote(message, out);
        command = span_slice(command, at + PLACE.len, command.len);
    }
    buf_span_add(out, command);
    return found;
}

/* ---- what came of it ------------------------------------------------------------------------- */

static void hear(const struct run_agent *a, const struct run_worker *w)
{
    const struct agent_program *p = &a->setting->program;
    struct span text = buf_span(&w->err);
    while (p->heard && text.len) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        size_t n = newline ? (size_t)(newline - text.ptr) : text.len;
        p->heard(p->heard_data, w->number, span_slice(text, 0, n));
        text = span_slice(text, n + (newline != NULL), text.len);
    }
}

static void lose(const struct run_worker *w, struct rollout *out, const char *what)
{
    rollout_lose(out, what, buf_span(&w->err));
}

static void read_done(struct run_worker *w, struct rollout *out)
{
    struct agent_line line;
    bool ignored;
    buf_clear(&w->line);
    agent_line_read(buf_span(&w->out), &line);
    if (line.says == AGENT_SAYS_NOTHING) {
        struct buf head = {0}, what = {0};
        term_add_head(&head, text_strip(buf_span(&w->out)), AGENT_QUOTE_CHARACTERS);
        buf_format(&what, "what the agent printed %s: %s", line.what, buf_cstr(&head));
        lose(w, out, buf_cstr(&what));
        buf_free(&head);
        buf_free(&what);
        return;
    }
    json_compact(line.done.text, &w->line); /* it may be printed on many lines */
    agent_line_read(buf_span(&w->line), &line);
    if (line.says == AGENT_SAYS_ERROR)
        rollout_fail_by_word(out, line.text);
    else
        agent_done_read(line.done, false, out, &ignored);
}

static void read_output(const struct run_agent *a, struct run_worker *w, struct rollout *out)
{
    struct buf failure = {0};
    switch (a->format) {
    case RUN_JSON: read_done(w, out); break;
    case RUN_TEXT:
        buf_text(&out->steps, "[]");
        buf_span_add(&out->final_text, text_strip(buf_span(&w->out)));
        break;
    default:
        transcript_read((enum transcript_format)a->format, buf_span(&w->out), &out->steps,
                        &out->final_text, &failure);
        if (failure.len)
            lose(w, out, buf_cstr(&failure));
    }
    buf_free(&failure);
}

static void judge_end(const struct run_agent *a, struct run_worker *w,
                      const struct child_exit *ended, struct rollout *out)
{
    char what[80];
    if (ended->timed_out) {
        snprintf(what, sizeof what, "no reply from the agent in %g s", a->timeout_s);
        lose(w, out, what);
        out->failure = ROLLOUT_TIMED_OUT;
    } else if (ended->overflow) {
        snprintf(what, sizeof what, "the agent printed more than %d bytes", AGENT_ROLLOUT_MAX);
        lose(w, out, what);
    } else if (ended->signal) {
        snprintf(what, sizeof what, "the agent was ended by signal %d", ended->signal);
        lose(w, out, what);
    } else if (ended->status != 0 && !text_strip(buf_span(&w->out)).len) {
        snprintf(what, sizeof what, "the agent ended with exit status %d and printed nothing",
                 ended->status);
        lose(w, out, what);
    } else {
        read_output(a, w, out);
    }
}

/* ---- the kind -------------------------------------------------------------------------------- */

static void play_run(struct agent *agent, void *worker, const struct agent_task *task,
                     struct rollout *out)
{
    struct run_agent *a = (struct run_agent *)agent;
    struct run_worker *w = worker;
    struct child_exit ended;
    struct error error;
    struct span *turns;
    arena_clear(&w->arena);
    buf_clear(&w->message);
    buf_clear(&w->command);
    size_t n = turn_scripted(task->prompt, &w->arena, &turns);
    start_line_message(turns, n, &w->message);
    bool inside = fill_command(span_text(a->command), buf_span(&w->message), &w->command);
    const struct child_run run = {
        .command = buf_cstr(&w->command),
        .input = inside ? SPAN("") : buf_span(&w->message),
        .timeout_s = a->timeout_s,
        .out_limit = AGENT_ROLLOUT_MAX,
    };
    int code = child_run(&run, &w->out, &w->err, &ended, &error);
    hear(a, w);
    if (code == ERROR_INTERRUPTED) {
        out->fate = ROLLOUT_DROPPED;
    } else if (code != 0) {
        rollout_fail(out, "%s", error.text);
        out->failure = ROLLOUT_DEAD;
    } else {
        judge_end(a, w, &ended, out);
    }
}

static void *run_worker(struct agent *agent)
{
    struct run_worker *w = mem_zero(1, sizeof *w);
    struct run_agent *a = (struct run_agent *)agent;
    w->number = a->opened++;
    return w;
}

static void run_worker_free(void *worker)
{
    struct run_worker *w = worker;
    struct buf *all[] = {&w->message, &w->command, &w->out, &w->err, &w->line};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
    arena_free(&w->arena);
    free(w);
}

static void close_run(struct agent *agent)
{
    struct run_agent *a = (struct run_agent *)agent;
    free(a->name);
    free(a);
}

struct agent *agent_run_open(const char *command, const struct agent_setting *setting,
                             struct error *error)
{
    const struct agent_program *p = &setting->program;
    int format = p->format && strcmp(p->format, "text") == 0 ? RUN_TEXT
                 : p->format && strcmp(p->format, "json")    ? transcript_format_of(p->format)
                                                             : RUN_JSON;
    if (!text_strip(span_text(command)).len) {
        error_set(error, ERROR_USAGE, "the agent's command is empty; write run:COMMAND");
        return NULL;
    }
    struct run_agent *a = mem_zero(1, sizeof *a);
    a->setting = setting;
    a->command = command;
    a->name = child_command_name(command);
    a->format = (enum run_format)format;
    a->timeout_s = p->timeout_s > 0 ? p->timeout_s : AGENT_TIMEOUT_S;
    a->agent = (struct agent){.kind = &AGENT_RUN,
                              .version = a->name,
                              .waits = true,
                              .most = p->workers > 0 ? p->workers : AGENT_WORKERS_MAX,
                              .temperature = NAN,
                              .timeout_s = a->timeout_s,
                              .own_clock = true};
    return &a->agent;
}

const struct agent_kind AGENT_RUN = {
    .prefix = "run:",
    .help = "run:COMMAND",
    .worker = run_worker,
    .worker_free = run_worker_free,
    .play = play_run,
    .close = close_run,
};
