/* dialogue.c: see dialogue.h. */
#include "agent/dialogue.h"

#include <stdlib.h>

#include "agent/defaults.h"
#include "agent/turns.h"
#include "text/digest.h"
#include "text/fold.h"
#include "text/utf8.h"

enum { SCOPE_HEX = 12 }; /* digits of the prompt's hash in the name of a rollout */

void dialogue_free(struct dialogue *d)
{
    arena_free(&d->arena);
    buf_free(&d->final);
    buf_free(&d->last_text);
    buf_free(&d->line);
    buf_free(&d->transcript);
    buf_free(&d->scope);
    free(d->said);
    free(d->ends);
    chat_reply_free(&d->reply);
}

static void name_scope(struct dialogue *d)
{
    uint8_t digest[SHA256_BYTES];
    char hash[SCOPE_HEX + 1];
    digest_sha256(d->task->prompt, digest);
    digest_hex(digest, SCOPE_HEX / 2, hash);
    buf_clear(&d->scope);
    if (d->task->eval_run)
        buf_format(&d->scope, "%lld:", (long long)d->task->eval_run);
    buf_span_add(&d->scope, d->task->scenario_id);
    buf_format(&d->scope, ":%s:%lld", hash, (long long)d->task->rollout_index);
    buf_cstr(&d->scope);
}

static void transcribe(struct dialogue *d, const char *who, struct span text)
{
    buf_text(&d->transcript, who);
    buf_span_add(&d->transcript, text);
    buf_byte(&d->transcript, '\n');
}

static void person_said(struct dialogue *d, struct span line)
{
    d->said = mem_grow(d->said, &d->said_cap, d->n_said + 1, sizeof *d->said);
    d->said[d->n_said++] = arena_span(&d->arena, line);
    transcribe(d, "Human: ", line);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void set_budget(struct dialogue *d)
{
    const struct dialogue_setting *s = d->setting;
    int64_t cap = s->avg_turns <= 1 && !s->all_turns ? 1 : s->max_turns;
    int64_t users = larger(1, s->min_user_turns), half = larger(1, cap / 2);
    d->min_users = users < half ? users : half;
    d->budget = larger(turn_budget(d->task->prompt, cap, s->avg_turns, d->task->mean_utterances),
                       2 * d->min_users);
    if (d->budget > cap || s->all_turns)
        d->budget = cap;
    d->remaining = d->budget;
}

void dialogue_start(struct dialogue *d, const struct dialogue_setting *setting,
                    const struct agent_task *task, struct rollout *out)
{
    d->setting = setting;
    d->task = task;
    d->out = out;
    arena_clear(&d->arena);
    d->n_turns = turn_scripted(task->prompt, &d->arena, &d->turns);
    d->next_turn = 1;
    d->turn = d->questions = d->replies = 0;
    d->user_turns = 1;
    d->bonus = d->has_call = false;
    d->n_said = d->n_steps = 0;
    buf_clear(&d->final);
    buf_clear(&d->last_text);
    buf_clear(&d->line);
    buf_clear(&d->transcript);
    name_scope(d);
    set_budget(d);
    person_said(d, d->turns[0]);
    buf_byte(&out->steps, '[');
    out->turns_played = true;
}

bool dialogue_turn(struct dialogue *d)
{
    if (d->remaining <= 0)
        return false;
    d->remaining--;
    d->turn++;
    return true;
}

void dialogue_heard(struct dialogue *d, struct span spoken)
{
    if (!spoken.len)
        return;
    buf_clear(&d->final);
    buf_span_add(&d->final, spoken);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static struct buf *step_begin(struct dialogue *d)
{
    struct buf *b = &d->out->steps;
    buf_text(b, d->n_steps ? ",{" : "{");
    return b;
}

static void step_end(struct dialogue *d, struct span facts)
{
    struct buf *b = &d->out->steps;
    if (facts.len) {
        buf_byte(b, ',');
        buf_span_add(b, facts);
    }
    buf_byte(b, '}');
    d->ends = mem_grow(d->ends, &d->ends_cap, d->n_steps + 1, sizeof *d->ends);
    d->ends[d->n_steps++] = b->len;
}

/* What the agent has said in a step. */
static void note_text(struct dialogue *d, struct span text)
{
    d->questions += span_has(text, SPAN("?"));
    buf_clear(&d->last_text);
    buf_span_add(&d->last_text, text);
    transcribe(d, "Assistant: ", text);
}

static void note_call(struct dialogue *d, const struct dialogue_step *step)
{
    struct buf *b = &d->transcript;
    buf_text(b, "Assistant uses ");
    buf_span_add(b, step->tool);
    buf_byte(b, ' ');
    buf_span_add(b, utf8_head(step->arguments, TALK_TRANSCRIPT_RESULT));
    transcribe(d, ", result: ", utf8_head(step->result, TALK_TRANSCRIPT_RESULT));
}

void dialogue_call(struct dialogue *d, const struct dialogue_step *step)
{
    struct buf *b = step_begin(d);
    buf_text(b, "\"tool\":");
    json_quote(b, step->tool);
    buf_text(b, ",\"arguments\":");
    buf_span_add(b, step->arguments);
    buf_text(b, ",\"result\":");
    buf_span_add(b, step->result);
    if (step->text.len) {
        buf_text(b, ",\"text\":");
        json_quote(b, step->text);
        note_text(d, step->text);
    }
    step_end(d, step->facts);
    note_call(d, step);
    d->has_call = true;
    d->out->counts.long_results += step->result.len > TALK_LONG_RESULT;
}

void dialogue_record(struct dialogue *d, struct json_value step)
{
    struct json_value v;
    struct buf *b = &d->out->steps, scratch = {0};
    if (d->n_steps)
        buf_byte(b, ',');
    buf_span_add(b, step.text);
    d->ends = mem_grow(d->ends, &d->ends_cap, d->n_steps + 1, sizeof *d->ends);
    d->ends[d->n_steps++] = b->len;
    if (json_get(step, SPAN("text"), &v) && v.type == JSON_VALUE_STRING && json_truthy(v))
        note_text(d, json_text(v, &scratch));
    d->has_call |= json_get(step, SPAN("tool"), &v) && json_truthy(v);
    buf_free(&scratch);
}

void dialogue_called(struct dialogue *d)
{
    if (d->remaining > 0 || d->bonus || d->setting->all_turns)
        return;
    d->remaining = 1; /* one closing reply after a call that used up the last turn */
    d->bonus = true;
}

static void push_text(struct dialogue *d, struct span text, struct span facts)
{
    struct buf *b = step_begin(d);
    buf_text(b, "\"text\":");
    json_quote(b, text);
    step_end(d, facts);
    note_text(d, text);
}

static enum dialogue_next push_user(struct dialogue *d, struct span line)
{
    struct buf *b = step_begin(d);
    buf_text(b, "\"user\":");
    json_quote(b, line);
    step_end(d, SPAN(""));
    person_said(d, line);
    d->user_turns++;
    return DIALOGUE_USER;
}

/* ---- who speaks next (world 8.5, steps 5-9) -------------------------------------------------- */

static enum dialogue_next left(struct dialogue *d)
{
    buf_clear(&d->out->ended_by);
    buf_text(&d->out->ended_by, "user_left");
    return DIALOGUE_END;
}

static struct simuser_ask ask_of(struct dialogue *d, struct span agent_text, bool forced)
{
    return (struct simuser_ask){
        .task = d->task,
        .need = d->turns[0],
        .prior = d->said[d->n_said - 1],
        .agent_text = agent_text,
        .transcript = buf_span(&d->transcript),
        .said = d->said,
        .n_said = d->n_said,
        .forced = forced,
        .scope = d->scope.data,
        .call = &d->replies,
    };
}

static enum dialogue_next ask_person(struct dialogue *d, struct span spoken, bool forced)
{
    struct simuser_ask ask = ask_of(d, spoken, forced);
    switch (simuser_next(d->setting->person, &ask, &d->reply, &d->line, d->out)) {
    case SIMUSER_LEFT: return left(d);
    case SIMUSER_FAILED: return DIALOGUE_FAILED;
    case SIMUSER_NOTHING: d->out->counts.followup_misses++; return DIALOGUE_END;
    case SIMUSER_LINE: break;
    }
    if (d->remaining <= 0)
        d->remaining = 1;
    return push_user(d, buf_span(&d->line));
}

/* A step before this one's text: the question that the text may ask itself does not count. */
static enum dialogue_next after_words(struct dialogue *d, struct span spoken, int64_t questions)
{
    bool room = d->remaining > 0;
    if (!d->setting->speaks_up && !d->has_call && turn_looks_unfinished(spoken) && room)
        return DIALOGUE_AGAIN;
    if (room && d->next_turn < d->n_turns) {
        buf_clear(&d->line);
        buf_span_add(&d->line, d->turns[d->next_turn++]);
        return push_user(d, buf_span(&d->line));
    }
    if (!d->setting->person)
        return DIALOGUE_END;
    struct turn_state state = {
        .prompt = d->task->prompt,
        .turn = d->turn,
        .user_turns = d->user_turns,
        .budget = d->budget,
        .agent_text = spoken,
        .questions = questions,
        .patience = d->setting->patience,
    };
    bool force = d->user_turns < d->min_users, open = room || d->user_turns < 2;
    if (open && (force || turn_wants_followup(&state)))
        return ask_person(d, spoken, force);
    int64_t half = larger(2, d->budget / 2);
    if (open && !force && d->user_turns < half && span_has(spoken, SPAN("?")) &&
        turn_walks_away(&state))
        return left(d);
    return DIALOGUE_END;
}

enum dialogue_next dialogue_said(struct dialogue *d, struct span spoken, struct span facts)
{
    int64_t questions = d->questions;
    if (d->n_steps && d->user_turns >= 2 && span_equal(buf_span(&d->last_text), spoken))
        return DIALOGUE_END; /* it repeats itself */
    push_text(d, spoken, facts);
    return after_words(d, spoken, questions);
}

/* ---- tools that are people ------------------------------------------------------------------- */

static const char NO_REPLY[] = "(no reply yet)";

bool dialogue_is_human(const struct dialogue *d, const struct row_tools *tools, struct span tool)
{
    const struct row_tool *declared = row_tools_find(tools, tool);
    return d->setting->person && declared && declared->human;
}

const struct node *dialogue_ask(struct dialogue *d, const struct node *arguments,
                                struct arena *arena)
{
    const struct node *asked = node_find(arguments, "question");
    if (!node_is(asked, JSON_VALUE_STRING))
        asked = node_find(arguments, "summary");
    struct span question = node_is(asked, JSON_VALUE_STRING) ? asked->text : SPAN("");
    struct simuser_ask ask = ask_of(d, question, false);
    if (!simuser_answer(d->setting->person, &ask, question, &d->reply, &d->line, d->out))
        return NULL;
    d->user_turns++;
    struct node *result = node_object(arena);
    node_add(result, "answer",
             node_text(arena, d->line.len ? buf_span(&d->line) : span_text(NO_REPLY)));
    return result;
}

/* ---- the end --------------------------------------------------------------------------------- */

void dialogue_close(struct dialogue *d)
{
    buf_byte(&d->out->steps, ']');
}

void dialogue_finish(struct dialogue *d)
{
    struct json_value steps = {0};
    struct json_fault fault;
    struct buf *b = &d->out->steps, scratch = {0};
    size_t keep = 0;
    buf_byte(b, ']');
    if (json_scan(buf_span(b), &steps, NULL, &fault) == 0) {
        struct span last = turn_finish(steps, buf_span(&d->final), &keep, &scratch);
        buf_span_add(&d->out->final_text, last);
        b->len = keep ? d->ends[keep - 1] : 1;
        buf_byte(b, ']');
    }
    buf_free(&scratch);
}
