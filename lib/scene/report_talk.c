/* report_talk.c: what a run tells of the models that played in it: calls, tokens and money, the person's
 * lines, rollouts that were lost, and what to mend (world 16.3-16.5). */
#include "scene/report_talk.h"

#include <math.h>
#include <string.h>

#include "scene/defaults.h"
#include "scene/report_keys.h"

const char *lost_reason_name(enum lost_reason reason)
{
    static const char *const NAMES[LOST_COUNT] = {"agent_error", "empty_reply", "tool_markup"};
    return NAMES[reason];
}

/* ---- the object ------------------------------------------------------------------------------ */

static void write_role(struct json_writer *w, const struct rollout_usage *u)
{
    key_int(w, "calls", u->calls);
    key_int(w, "input_tokens", u->input);
    key_int(w, "output_tokens", u->output);
    key_int(w, "retries", u->retries);
    key_int(w, "calls_without_usage", u->without);
}

/* Of the model that wrote the messages, side passes among them. */
static struct rollout_usage writer_usage(const struct engine_setting *s)
{
    struct rollout_usage u = {0};
    if (!s->writer || !s->writer->model)
        return u;
    struct model_counts c = model_counts(s->writer->model);
    u.calls = (int64_t)c.calls;
    u.retries = (int64_t)c.retries;
    u.without = (int64_t)c.without_usage;
    u.input = c.input_tokens;
    u.output = c.output_tokens;
    return u;
}

static void write_usage(struct json_writer *w, const struct engine_setting *s,
                        const struct rollout_counts *t)
{
    const struct rollout_usage *a = &t->agent, *u = &t->user, wr = writer_usage(s);
    const struct rollout_usage all = {
        a->calls + u->calls + wr.calls, a->retries + u->retries + wr.retries,
        a->without + u->without + wr.without, a->input + u->input + wr.input,
        a->output + u->output + wr.output};
    json_write_key(w, "usage");
    json_write_object(w);
    write_role(w, &all);
    json_write_key(w, "agent");
    json_write_object(w);
    write_role(w, a);
    json_write_end_object(w);
    json_write_key(w, "user");
    json_write_object(w);
    write_role(w, u);
    json_write_end_object(w);
    json_write_key(w, "writer");
    json_write_object(w);
    write_role(w, &wr);
    json_write_end_object(w);
    json_write_end_object(w);
    if (s->priced) {
        json_write_key(w, "cost");
        json_write_real(w, budget_state(s->spent).cost);
    }
}

static void write_lost_list(struct json_writer *w, const struct engine_setting *s,
                            const struct engine_report *r)
{
    json_write_key(w, "lost_rollouts");
    json_write_array(w);
    for (size_t i = 0; i < r->n_lost_listed; i++) {
        const struct lost_rollout *l = &r->lost_list[i];
        json_write_object(w);
        json_write_key(w, "scenario_id");
        json_write_span(w, l->scenario_id);
        key_int(w, "rollout_index", l->index);
        if (s->runs > 1)
            key_int(w, "eval_run", l->eval_run);
        json_write_key(w, "reason");
        json_write_text(w, l->timed_out ? "timed_out" : lost_reason_name(l->reason));
        json_write_key(w, "error");
        if (l->error.len)
            json_write_span(w, l->error);
        else
            json_write_null(w);
        json_write_end_object(w);
    }
    json_write_end_array(w);
}

void report_write_talk(struct json_writer *w, const struct engine_setting *s,
                       const struct engine_report *r)
{
    const struct rollout_counts *t = &r->talk;
    write_lost_list(w, s, r);
    json_write_key(w, "user_think");
    json_write_object(w);
    key_int(w, "user_turns", t->user_turns);
    key_int(w, "stripped", t->stripped);
    key_int(w, "unclosed", t->unclosed);
    key_share(w, "stripped_share", t->stripped, t->user_turns);
    key_share(w, "unclosed_share", t->unclosed, t->user_turns);
    json_write_end_object(w);
    key_int(w, "followup_misses", t->followup_misses);
    json_write_key(w, "ended_on_question");
    json_write_object(w);
    key_share(w, "share", r->asked, r->rows);
    key_int(w, "n", r->rows);
    key_int(w, "user_left", r->user_left);
    json_write_end_object(w);
    key_int(w, "prompt_truncated_rows", r->cut_rows);
    write_usage(w, s, t);
}

void report_write_asked(struct json_writer *w, const struct engine_setting *s)
{
    static const char *const LOGPROBS[] = {"none", "sum", "tokens"};
    const struct agent *a = s->agent;
    json_write_key(w, "user_model");
    if (a->user_model)
        json_write_text(w, a->user_model);
    else
        json_write_null(w);
    if (!a->timeout_s)
        return;
    key_real(w, "temperature", a->temperature);
    key_int(w, "max_turns", a->max_turns);
    key_real(w, "timeout", a->timeout_s);
    if (!s->talk)
        return;
    key_real(w, "avg_turns", s->talk->avg_turns);
    json_write_key(w, "logprobs");
    json_write_text(w, LOGPROBS[s->talk->logprobs]);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn_person(const struct engine_setting *s, const struct engine_report *r,
                        struct warnings *w)
{
    const struct rollout_counts *t = &r->talk;
    if (t->stripped)
        warnings_add(w, NULL,
                     "%lld of %lld replies for the person held thoughts, which were taken out "
                     "(%lld never ended); name a --user-model that does not think aloud, or take "
                     "--thinking off",
                     (long long)t->stripped, (long long)t->user_turns, (long long)t->unclosed);
    if (t->followup_misses >= SCENE_MISSES && t->followup_misses >= r->rows / 4)
        warnings_add(w, "followups_starved",
                     "%lld follow-ups of the person were wanted and none was usable, in %lld "
                     "rows: the set goes single-turn; name another --user-model",
                     (long long)t->followup_misses, (long long)r->rows);
    if (s->agent->user_model && t->user.calls &&
        strcmp(s->agent->user_model, s->agent->version) == 0)
        warnings_add(w, "same_model",
                     "%s plays the agent and the person; --user-model separates them",
                     s->agent->version);
}

static void warn_replies(const struct engine_setting *s, const struct engine_report *r,
                         struct warnings *w)
{
    const struct rollout_counts *t = &r->talk;
    if (r->timed_out && s->agent->own_clock)
        warnings_add(w, NULL, "%lld rollouts ran over %g s; --agent-timeout gives them longer",
                     (long long)r->timed_out, s->agent->timeout_s);
    else if (r->timed_out)
        warnings_add(w, NULL,
                     "%lld calls of the agent ran over %g s; an endpoint that starts cold takes "
                     "minutes: warm it up, or raise --timeout",
                     (long long)r->timed_out, s->agent->timeout_s);
    if (r->cut_rows)
        warnings_add(w, "prompt_truncated",
                     "%lld of %lld rows were asked with a prompt that was cut to the window, by "
                     "%lld characters at most; set --context-tokens to the window there is",
                     (long long)r->cut_rows, (long long)r->rows, (long long)r->cut_most);
    if (t->logprobs_dropped)
        warnings_add(w, NULL,
                     "%lld replies came without the log-probabilities that --logprobs asks for: "
                     "the server does not have them",
                     (long long)t->logprobs_dropped);
    if (t->many_calls)
        warnings_add(w, NULL, "%lld replies held more than 64 tool calls each; all were answered",
                     (long long)t->many_calls);
    if (t->long_results)
        warnings_add(w, NULL, "%lld tool results are longer than 1 MiB; the rows hold them whole",
                     (long long)t->long_results);
}

void report_warn_talk(const struct engine_setting *s, const struct engine_report *r,
                      struct warnings *w)
{
    warn_replies(s, r, w);
    warn_person(s, r, w);
    if (r->stop == STOP_COST)
        warnings_add(w, NULL,
                     "the run ended at --max-cost with %lld rows of %lld; %lld rollouts were given "
                     "up on the way",
                     (long long)r->rows, (long long)r->requested, (long long)r->dropped);
}

/* What to do about rollouts that were lost for this reason. */
const char *lost_reason_mend(enum lost_reason reason)
{
    static const char *const MENDS[LOST_COUNT] = {
        "make the agent answer (first_agent_error says what it met)",
        "give it more tokens, or a model that speaks",
        "start the server with a tool parser",
    };
    return MENDS[reason];
}
