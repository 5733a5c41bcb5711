/* cmd.c: the agent behind a co-process (world 13): several processes of one command, a rollout at a
 * time each. What goes wrong with a line or a process is that rollout's loss, with its reason. */
#include "agent/program.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "agent/answer.h"
#include "agent/defaults.h"
#include "agent/dialogue.h"
#include "agent/protocol.h"
#include "agent/start_line.h"
#include "base/pool.h"
#include "model/defaults.h"
#include "text/fold.h"
#include "text/term.h"

struct cmd_agent {
    struct agent agent;
    const struct agent_setting *setting;
    char *name;
    struct crew *crew;
    struct start_line start;
    struct dialogue_setting dialogue;
    struct model *person_model; /* NULL: only scripted turns */
    struct simuser person;
    double timeout_s;
    /* A command that ends before its first line on every process cannot be played at all. */
    atomic_bool spoke;
    pthread_mutex_t lock;
    bool *stillborn;
    int n_stillborn;
};

struct cmd_worker {
    struct answerer *world;
    struct dialogue dialogue;
    struct arena arena; /* arguments of the call in hand */
    struct buf id, line, scratch, text, answer;
};

/* One rollout in hand. */
struct talk {
    struct cmd_agent *a;
    struct cmd_worker *w;
    const struct agent_task *task;
    struct rollout *out;
    struct crew_hand *hand;
    double left_s; /* of its time, without the waits for the world */
    bool broken;   /* the process is out of step, or gone */
    bool gone;     /* it ended by itself */
    bool spoke;    /* with the person */
    int64_t calls;
};

/* ---- what went wrong ------------------------------------------------------------------------- */

static void lose(struct talk *t, const char *what)
{
    t->broken = true;
    rollout_lose(t->out, what, coproc_said(t->hand->process));
}

static void lose_line(struct talk *t, struct span line, const char *what)
{
    struct buf text = {0}, head = {0};
    term_add_head(&head, line, AGENT_QUOTE_CHARACTERS);
    buf_format(&text, "the agent's line %s: %s", what, buf_cstr(&head));
    lose(t, buf_cstr(&text));
    buf_free(&text);
    buf_free(&head);
}

/* It ended before its first line, as every process has so far. */
static void note_stillborn(struct talk *t)
{
    struct cmd_agent *a = t->a;
    if (atomic_load(&a->spoke))
        return;
    pthread_mutex_lock(&a->lock);
    a->n_stillborn += !a->stillborn[t->hand->number];
    a->stillborn[t->hand->number] = true;
    if (a->n_stillborn == crew_size(a->crew))
        t->out->failure = ROLLOUT_DEAD;
    pthread_mutex_unlock(&a->lock);
}

static void lose_exchange(struct talk *t, enum coproc_result result, const struct child_exit *ended,
                          const struct error *error)
{
    struct buf what = {0};
    switch (result) {
    case COPROC_TIMEOUT:
        buf_format(&what, "no reply from the agent in %g s", t->a->timeout_s);
        t->out->failure = ROLLOUT_TIMED_OUT;
        break;
    case COPROC_TOO_LONG:
        buf_format(&what, "the agent's line is longer than %d bytes", CHILD_LINE_MAX);
        break;
    case COPROC_FAILED:
        buf_text(&what, error->text);
        if (error->code == ERROR_SYSTEM)
            t->out->failure = ROLLOUT_DEAD;
        break;
    default:
        if (ended->signal)
            buf_format(&what, "the agent was ended by signal %d", ended->signal);
        else if (ended->status >= 0)
            buf_format(&what, "the agent ended with exit status %d", ended->status);
        else
            buf_text(&what, "the agent has ended");
        break;
    }
    t->gone = result == COPROC_DIED;
    lose(t, buf_cstr(&what));
    if (t->gone)
        note_stillborn(t);
    if (result == COPROC_FAILED && error->code == ERROR_INTERRUPTED)
        t->out->fate = ROLLOUT_DROPPED;
    buf_free(&what);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Its time runs while it is waited for. What is left is never 0: that would be no limit. */
static double time_left(const struct talk *t)
{
    return fmax(t->left_s, AGENT_LEAST_S);
}

static bool send(struct talk *t)
{
    struct child_exit ended;
    struct error error;
    double from = seconds_now();
    enum coproc_result got =
        coproc_send(t->hand->process, buf_span(&t->w->line), time_left(t), &ended, &error);
    t->left_s -= seconds_now() - from;
    if (got != COPROC_OK)
        lose_exchange(t, got, &ended, &error);
    return got == COPROC_OK;
}

static bool receive(struct talk *t, struct span *line)
{
    struct child_exit ended;
    struct error error;
    double from = seconds_now();
    enum coproc_result got = coproc_next(t->hand->process, time_left(t), line, &ended, &error);
    t->left_s -= seconds_now() - from;
    if (got != COPROC_OK) {
        lose_exchange(t, got, &ended, &error);
        return false;
    }
    atomic_store(&t->a->spoke, true);
    return true;
}

/* {"id":ID,"KEY": */
static void begin_line(struct talk *t, const char *key)
{
    buf_clear(&t->w->line);
    buf_text(&t->w->line, "{\"id\":");
    json_quote(&t->w->line, buf_span(&t->w->id));
    buf_format(&t->w->line, ",\"%s\":", key);
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* The person, when the tool is one, else the world. false: the rollout has failed. */
static bool answer_for(struct talk *t, struct span tool, const struct node *arguments,
                       struct span *result)
{
    struct cmd_worker *w = t->w;
    if (!dialogue_is_human(&w->dialogue, t->a->setting->tools, tool)) {
        *result = answerer_call(w->world, tool, arguments, t->out).json;
        return true;
    }
    const struct node *said = dialogue_ask(&w->dialogue, arguments, &w->arena);
    if (!said) {
        t->broken = true;
        return false;
    }
    buf_clear(&w->answer);
    node_json(said, false, &w->answer);
    *result = buf_span(&w->answer);
    return true;
}

static bool answer_call(struct talk *t, const struct agent_line *line)
{
    struct cmd_worker *w = t->w;
    arena_clear(&w->arena);
    const struct node *arguments =
        line->arguments.text.ptr ? node_parse(&w->arena, line->arguments) : NULL;
    struct span tool = json_text(line->tool, &w->scratch);
    struct span result;
    if (!answer_for(t, tool, arguments, &result))
        return false;
    bool says = line->text.type == JSON_VALUE_STRING;
    struct dialogue_step step = {
        .tool = tool,
        .arguments = line->arguments.text.ptr ? line->arguments.text : SPAN("{}"),
        .result = result,
        .text = says ? json_text(line->text, &w->text) : SPAN(""),
    };
    dialogue_call(&w->dialogue, &step);
    begin_line(t, "call");
    if (line->call.text.ptr)
        buf_span_add(&w->line, line->call.text);
    else
        buf_format(&w->line, "%lld", (long long)t->calls);
    buf_text(&w->line, ",\"result\":");
    buf_span_add(&w->line, result);
    buf_byte(&w->line, '}');
    t->calls++;
    return send(t);
}

/* The done line. after_end: the thread had ended; what was said then stands unless it says more. */
static void done(struct talk *t, struct json_value line, bool after_end)
{
    struct dialogue *d = &t->w->dialogue;
    struct buf words = {0};
    bool ignored, recorded = d->n_steps > 0;
    if (after_end) {
        dialogue_finish(d);
        t->out->steps.len--; /* open again: the line's own sums are held against the steps' */
        buf_span_add(&words, buf_span(&t->out->final_text));
    }
    if (agent_done_read(line, recorded, t->out, &ignored))
        t->out->counts.steps_ignored += ignored;
    if (recorded)
        dialogue_close(d);
    if (!t->out->final_text.len)
        buf_span_add(&t->out->final_text, buf_span(&words));
    buf_free(&words);
}

/* The thread is over: it may still bring what it knows of the rollout. */
static void end_thread(struct talk *t)
{
    struct agent_line line;
    struct child_exit ended;
    struct error error;
    struct span text;
    const char *reason = t->out->ended_by.len            ? "user_left"
                         : t->w->dialogue.remaining <= 0 ? "turns"
                                                         : "done";
    begin_line(t, "end");
    buf_format(&t->w->line, "\"%s\"}", reason);
    if (!send(t))
        return;
    enum coproc_result got = coproc_next(t->hand->process, AGENT_END_WAIT_S, &text, &ended, &error);
    /* One that says nothing now is started anew, so that a late line is not taken for another
     * rollout's. */
    t->broken = got != COPROC_OK;
    if (got == COPROC_FAILED && error.code == ERROR_INTERRUPTED) {
        t->out->fate = ROLLOUT_DROPPED;
        return;
    }
    if (got != COPROC_OK) {
        dialogue_finish(&t->w->dialogue);
        return;
    }
    agent_line_read(text, &line);
    if (line.says == AGENT_SAYS_DONE && agent_line_is_of(&line, buf_span(&t->w->id)))
        done(t, line.done, true);
    else
        lose_line(t, text, "after `end` is no done line");
}

/* The person's next line, or the end of the thread. True: it goes on. */
static bool answer_line(struct talk *t, const struct agent_line *line)
{
    struct dialogue *d = &t->w->dialogue;
    struct span said = json_text(line->text, &t->w->text);
    t->spoke = true;
    dialogue_turn(d);
    dialogue_heard(d, said);
    switch (dialogue_said(d, said, SPAN(""))) {
    case DIALOGUE_USER: break;
    case DIALOGUE_FAILED: t->broken = true; return false;
    default: end_thread(t); return false;
    }
    begin_line(t, "user");
    json_quote(&t->w->line, buf_span(&d->line));
    buf_byte(&t->w->line, '}');
    return send(t);
}

/* One line of its. True: it goes on. */
static bool handle(struct talk *t, struct span text)
{
    struct agent_line line;
    agent_line_read(text, &line);
    if (line.says == AGENT_SAYS_NOTHING) {
        lose_line(t, text, line.what);
        return false;
    }
    if (!agent_line_is_of(&line, buf_span(&t->w->id))) {
        lose_line(t, text, "has the id of no rollout in hand");
        return false;
    }
    if (t->out->steps.len > AGENT_ROLLOUT_MAX) {
        lose(t, "the agent's rollout grows without end");
        return false;
    }
    switch (line.says) {
    case AGENT_SAYS_CALL: return answer_call(t, &line);
    case AGENT_SAYS_STEP: dialogue_record(&t->w->dialogue, line.step); return true;
    case AGENT_SAYS_LINE: return answer_line(t, &line);
    case AGENT_SAYS_ERROR: rollout_fail_by_word(t->out, line.text); return false;
    default: done(t, line.done, false); return false;
    }
}

/* The start line, and the first answer. A process that ended after an earlier rollout takes nothing
 * with it: another one is asked. */
static bool begin(struct talk *t, struct span *text)
{
    bool used = t->hand->used;
    if (coproc_pending(t->hand->process)) /* it has said something between two rollouts */
        coproc_discard(t->hand->process);
    buf_clear(&t->w->line);
    start_line_write(&t->a->start, t->task, buf_span(&t->w->id), t->w->dialogue.turns,
                     t->w->dialogue.n_turns, &t->w->line);
    if (send(t) && receive(t, text))
        return true;
    if (!used || !t->gone)
        return false;
    t->broken = t->gone = false;
    t->out->fate = ROLLOUT_DONE;
    buf_clear(&t->out->error);
    return send(t) && receive(t, text);
}

static void talk(struct talk *t)
{
    struct span text;
    for (bool on = begin(t, &text); on;)
        on = handle(t, text) && receive(t, &text);
    t->out->turns_played = t->spoke;
}

/* ---- the kind -------------------------------------------------------------------------------- */

static void play_cmd(struct agent *agent, void *worker, const struct agent_task *task,
                     struct rollout *out)
{
    struct cmd_agent *a = (struct cmd_agent *)agent;
    struct cmd_worker *w = worker;
    struct talk t = {.a = a, .w = w, .task = task, .out = out, .left_s = a->timeout_s};
    t.hand = crew_take(a->crew);
    if (!t.hand || (task->stop && atomic_load(task->stop))) {
        out->fate = ROLLOUT_DROPPED;
    } else {
        coproc_stop_when(t.hand->process, task->stop);
        buf_clear(&w->id);
        agent_task_id(task, &w->id);
        dialogue_start(&w->dialogue, &a->dialogue, task, out);
        answerer_start(w->world, task, buf_span(&w->id));
        talk(&t);
        answerer_end(w->world);
    }
    if (t.hand)
        crew_give(a->crew, t.hand, t.broken);
}

static void *cmd_worker(struct agent *agent)
{
    struct cmd_agent *a = (struct cmd_agent *)agent;
    struct cmd_worker *w = mem_zero(1, sizeof *w);
    w->world = answerer_new(a->setting);
    return w;
}

static void cmd_worker_free(void *worker)
{
    struct cmd_worker *w = worker;
    struct buf *all[] = {&w->id, &w->line, &w->scratch, &w->text, &w->answer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_free(all[i]);
    answerer_free(w->world);
    dialogue_free(&w->dialogue);
    arena_free(&w->arena);
    free(w);
}

static void close_cmd(struct agent *agent)
{
    struct cmd_agent *a = (struct cmd_agent *)agent;
    crew_close(a->crew);
    simuser_free(&a->person);
    model_close(a->person_model);
    start_line_free(&a->start);
    pthread_mutex_destroy(&a->lock);
    free(a->stillborn);
    free(a->name);
    free(a);
}

/* The person speaks only when a model is named for it. */
static int open_person(struct cmd_agent *a, struct error *error)
{
    const struct agent_talk *talk = &a->setting->talk;
    if (!talk->user_model)
        return 0;
    if (!(a->person_model = simuser_model(talk, error)))
        return error->code;
    simuser_open(&a->person, a->person_model, a->setting,
                 talk->timeout_s > 0 ? talk->timeout_s : CHAT_TIMEOUT_S);
    a->dialogue.person = &a->person;
    a->agent.user_model = model_name(a->person_model);
    return 0;
}

static void open_dialogue(struct cmd_agent *a)
{
    const struct agent_talk *talk = &a->setting->talk;
    a->dialogue = (struct dialogue_setting){
        .max_turns = talk->max_turns > 0
                         ? talk->max_turns
                         : turn_cap(AGENT_WINDOW, (int64_t)a->setting->tools->count),
        .min_user_turns = talk->min_user_turns,
        .avg_turns = talk->avg_turns,
        .patience = talk->patience,
        .speaks_up = true,
    };
    a->agent.max_turns = a->dialogue.max_turns;
    a->agent.temperature = NAN;
    a->agent.timeout_s = a->timeout_s;
    a->agent.own_clock = true;
}

struct agent *agent_cmd_open(const char *command, const struct agent_setting *setting,
                             struct error *error)
{
    const struct agent_program *p = &setting->program;
    int64_t workers = p->workers > 0 ? p->workers : pool_cpu_count();
    if (!text_strip(span_text(command)).len) {
        error_set(error, ERROR_USAGE, "the agent's command is empty; write cmd:COMMAND");
        return NULL;
    }
    if (workers > setting->jobs)
        workers = setting->jobs > 1 ? setting->jobs : 1;
    if (workers > AGENT_WORKERS_MAX)
        workers = AGENT_WORKERS_MAX;
    struct cmd_agent *a = mem_zero(1, sizeof *a);
    a->name = child_command_name(command);
    a->agent = (struct agent){
        .kind = &AGENT_CMD, .version = a->name, .uses_world = true, .waits = true, .most = workers};
    a->setting = setting;
    a->timeout_s = p->timeout_s > 0 ? p->timeout_s : AGENT_TIMEOUT_S;
    a->crew = crew_open(command, (int)workers, p->heard, p->heard_data);
    a->stillborn = mem_zero((size_t)workers, sizeof *a->stillborn);
    pthread_mutex_init(&a->lock, NULL);
    start_line_open(&a->start, setting);
    open_dialogue(a);
    if (open_person(a, error) == 0)
        return &a->agent;
    close_cmd(&a->agent);
    return NULL;
}

const struct agent_kind AGENT_CMD = {
    .prefix = "cmd:",
    .help = "cmd:COMMAND",
    .worker = cmd_worker,
    .worker_free = cmd_worker_free,
    .play = play_cmd,
    .close = close_cmd,
};
