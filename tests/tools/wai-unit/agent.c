/* agent.c: wai-unit's functions of the rooms agent and model: the text rules of a conversation. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "agent/person.h"
#include "agent/turns.h"
#include "model/markup.h"
#include "scene/topology.h"
#include "text/reasoning.h"

static struct span member_text(struct json_value object, const char *key, struct buf *out)
{
    struct json_value value;
    buf_clear(out);
    if (json_get(object, span_text(key), &value) && value.type == JSON_VALUE_STRING)
        json_text_add(value, out);
    return buf_span(out);
}

static void write_calls(struct span text, struct json_writer *out)
{
    struct arena arena = {0};
    struct chat_choice choice = {0};
    struct buf message = {0};
    struct json_writer w;
    struct json_value value, calls;
    struct json_fault fault;
    choice.n_calls = markup_calls(&arena, text, &choice.calls);
    json_write_start(&w, &message, JSON_STYLE_COMPACT);
    chat_message_write(&choice, NULL, &w);
    if (json_scan(buf_span(&message), &value, NULL, &fault) == 0 &&
        json_get(value, SPAN("tool_calls"), &calls))
        json_write_raw(out, calls.text);
    else
        json_write_raw(out, SPAN("[]"));
    buf_free(&message);
    arena_free(&arena);
}

static void write_reasoning(struct span s, struct buf *scratch, struct json_writer *out)
{
    struct text_reasoning r = text_split_reasoning(s, scratch);
    json_write_array(out);
    json_write_span(out, r.spoken);
    json_write_int(out, (int64_t)r.closed);
    json_write_bool(out, r.unclosed);
    json_write_end_array(out);
}

static bool accepts(struct json_value in)
{
    struct buf text = {0}, prior = {0}, agent = {0};
    bool yes = person_accepts(member_text(in, "text", &text), member_text(in, "prior", &prior),
                              member_text(in, "agent", &agent));
    buf_free(&text);
    buf_free(&prior);
    buf_free(&agent);
    return yes;
}

static bool repeats(struct json_value in)
{
    enum { MOST = 16 };
    struct json_value list = {0}, item;
    struct buf text = {0}, lines[MOST] = {{0}};
    struct span earlier[MOST];
    size_t n = 0;
    json_get(in, SPAN("user_turns"), &list);
    struct json_cursor c = json_enter(list);
    while (n < MOST && list.type == JSON_VALUE_ARRAY && json_next_item(&c, &item)) {
        json_text_add(item, &lines[n]);
        earlier[n] = buf_span(&lines[n]);
        n++;
    }
    bool yes = person_repeats(member_text(in, "text", &text), earlier, n);
    for (size_t i = 0; i < MOST; i++)
        buf_free(&lines[i]);
    buf_free(&text);
    return yes;
}

static void finish(struct json_value in, struct json_writer *out)
{
    struct json_value steps = {0}, step;
    struct buf carried = {0}, scratch = {0};
    size_t keep;
    json_get(in, SPAN("steps"), &steps);
    struct span words =
        turn_finish(steps, member_text(in, "final_text", &carried), &keep, &scratch);
    struct json_cursor c = json_enter(steps);
    json_write_object(out);
    json_write_key(out, "steps");
    json_write_array(out);
    for (size_t i = 0; i < keep && json_next_item(&c, &step); i++)
        json_write_raw(out, step.text);
    json_write_end_array(out);
    json_write_key(out, "final_text");
    json_write_span(out, words);
    json_write_end_object(out);
    buf_free(&carried);
    buf_free(&scratch);
}

/* {f, in} */
static int text(struct json_value in, struct json_writer *out, struct error *error)
{
    enum { REASONING, CALLS, STRIP, TRIM, ACCEPT, LEFT, REPEATS, UNFINISHED, SCRUB, FINISH, N };
    static const char *const NAMES[N] = {"split_reasoning", "text_tool_calls",  "strip_tool_markup",
                                         "trim_length_cut", "accept_followup",  "user_left",
                                         "repeats_history", "looks_unfinished", "scrub_user_line",
                                         "finish_on_agent"};
    struct buf words = {0}, made = {0};
    struct json_value value;
    int which = unit_which(in, NAMES, N, error);
    if (which < 0 || unit_get(in, "in", &value, error) < 0)
        return ERROR_INPUT;
    if (value.type == JSON_VALUE_STRING)
        json_text_add(value, &words);
    struct span s = buf_span(&words);
    switch (which) {
    case REASONING: write_reasoning(s, &made, out); break;
    case CALLS: write_calls(s, out); break;
    case STRIP: json_write_span(out, markup_strip(s, &made)); break;
    case TRIM: json_write_span(out, markup_trim_cut(s)); break;
    case ACCEPT: json_write_bool(out, accepts(value)); break;
    case LEFT: json_write_bool(out, person_left(s)); break;
    case REPEATS: json_write_bool(out, repeats(value)); break;
    case UNFINISHED: json_write_bool(out, turn_looks_unfinished(s)); break;
    case SCRUB:
        person_scrub(s, &made);
        json_write_span(out, buf_span(&made));
        break;
    case FINISH: finish(value, out); break;
    }
    buf_free(&words);
    buf_free(&made);
    return 0;
}

static double real_or_nan(struct json_value in, const char *key)
{
    struct json_value value;
    return json_get(in, span_text(key), &value) && value.type == JSON_VALUE_NUMBER
               ? json_number(value)
               : NAN;
}

static int followup(struct json_value in, struct json_writer *out, struct error *error)
{
    struct turn_state s = {0};
    struct buf prompt = {0}, agent = {0}, patience = {0};
    s.turn = (int64_t)real_or_nan(in, "turn");
    s.user_turns = (int64_t)real_or_nan(in, "user_turns");
    s.budget = (int64_t)real_or_nan(in, "budget");
    s.questions = (int64_t)real_or_nan(in, "questions");
    s.prompt = member_text(in, "message", &prompt);
    s.agent_text = member_text(in, "agent_text", &agent);
    member_text(in, "patience", &patience);
    int code = patience_read(buf_cstr(&patience), &s.patience, error);
    if (code == 0)
        json_write_bool(out, turn_wants_followup(&s));
    buf_free(&prompt);
    buf_free(&agent);
    buf_free(&patience);
    return code;
}

static int turns(struct json_value in, struct json_writer *out, struct error *error)
{
    enum { BUDGET, FOLLOWUP, MAX, KEEP, OPENS, N };
    static const char *const NAMES[N] = {"turn_budget", "want_followup", "max_turns",
                                         "keep_fault_plan", "agent_opens"};
    struct buf words = {0};
    int which = unit_which(in, NAMES, N, error), code = 0;
    if (which < 0)
        return which;
    struct span s = member_text(in, which == KEEP ? "key" : "message", &words);
    switch (which) {
    case BUDGET:
        json_write_int(out,
                       turn_budget(s, (int64_t)real_or_nan(in, "cap"), real_or_nan(in, "avg_turns"),
                                   real_or_nan(in, "running_mean")));
        break;
    case FOLLOWUP: code = followup(in, out, error); break;
    case MAX:
        json_write_int(out, turn_cap((int64_t)real_or_nan(in, "context_tokens"),
                                     (int64_t)real_or_nan(in, "n_tools")));
        break;
    case KEEP:
        json_write_bool(
            out, scene_keeps_fault((int64_t)real_or_nan(in, "seed"), s, real_or_nan(in, "rate")));
        break;
    case OPENS: json_write_bool(out, turn_agent_opens(s, real_or_nan(in, "opening_rate"))); break;
    }
    buf_free(&words);
    return code;
}

const struct unit_function UNIT_AGENT[] = {
    {"text", text},
    {"turns", turns},
    {0},
};
