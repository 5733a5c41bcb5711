/* make-rows: graded rows of a made-up shop agent, for benchmarks and tests. The same arguments give
 * the same bytes on every machine.
 *
 *     make-rows --rows 100000 --seed 1 > rows.jsonl       100,000 rows of 25,000 tasks, about 284
 * MB
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "json/write.h"

enum {
    ROLLOUTS = 4,           /* of a task */
    BYTES_PER_ROW = 2840,   /* as measured on rows of real runs: ten turns with tool results */
    FLUSH_BYTES = 64 << 10, /* a write(2) */
    TAIL_BYTES = 1254,      /* of a row behind its conversation, about */
};

struct options {
    int64_t rows, seed, bytes;
};

static const struct option OPTIONS[] = {
    {.kind = OPTION_INT,
     .name = "rows",
     .offset = offsetof(struct options, rows),
     .arg = "N",
     .help = "how many (100000)",
     .max = 1e12},
    {.kind = OPTION_INT,
     .name = "seed",
     .offset = offsetof(struct options, seed),
     .arg = "N",
     .help = "of every draw (1)"},
    {.kind = OPTION_INT,
     .name = "bytes-per-row",
     .offset = offsetof(struct options, bytes),
     .arg = "N",
     .help = "mean length of a line, newline and all (2840)",
     .min = 1200,
     .max = 1e9},
    {0},
};

static const struct command COMMAND = {
    .name = "make-rows",
    .synopsis = "[--rows N] [--seed N] [--bytes-per-row N]",
    .purpose = "writes graded rows for benchmarks",
    .options = OPTIONS,
};

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)((draw(state) >> 32) * n >> 32);
}

static double uniform(uint64_t *state)
{
    return (double)(draw(state) >> 11) * 0x1p-53;
}

static const char *const WORDS[] = {
    "order",      "refund",   "the",      "a",        "policy",    "customer",    "address",
    "please",     "is",       "was",      "not",      "delivered", "on",          "Tuesday",
    "item",       "size",     "exchange", "within",   "thirty",    "days",        "account",
    "card",       "ending",   "in",       "check",    "status",    "and",         "then",
    "confirm",    "with",     "you",      "before",   "it",        "ships",       "warehouse",
    "carrier",    "tracking", "number",   "says",     "returned",  "to",          "sender",
    "gift",       "receipt",  "balance",  "will",     "be",        "credited",    "after",
    "inspection", "cannot",   "change",   "once",     "processed", "50%",         "e-mail",
    "ok",         "sorry",    "thanks",   "\"blue\"", "C:\\tmp",   "line\nbreak", "tab\there",
};
static const char *const FOREIGN[] = {"café",         "Zürich", "naïve",    "10 €",
                                      "“final sale”", "東京",   "доставка", "😀"};
enum {
    N_WORDS = sizeof WORDS / sizeof *WORDS,
    N_FOREIGN = sizeof FOREIGN / sizeof *FOREIGN,
    FOREIGN_EVERY = 32, /* words */
};

static void words(uint64_t *s, struct buf *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (i)
            buf_byte(out, ' ');
        buf_text(out,
                 below(s, FOREIGN_EVERY) ? WORDS[below(s, N_WORDS)] : FOREIGN[below(s, N_FOREIGN)]);
    }
}

static const char *const TOOLS[] = {"get_order",      "refund_order", "find_user",
                                    "update_address", "list_items",   "cancel_order"};
enum { N_TOOLS = sizeof TOOLS / sizeof *TOOLS };

struct task {
    uint64_t number, seed;
    double rate; /* chance that a rollout passes */
    struct buf prompt;
};

static void make_task(struct task *t, uint64_t seed, uint64_t number)
{
    t->number = number;
    t->seed = seed ^ (number * 0xd1342543de82ef95u);
    t->rate = uniform(&t->seed);
    buf_clear(&t->prompt);
    words(&t->seed, &t->prompt, 12 + below(&t->seed, 20));
}

static void write_words(struct json_writer *w, const char *key, uint64_t *s, unsigned count)
{
    struct buf text = {0};
    words(s, &text, count);
    json_write_key(w, key);
    json_write_span(w, buf_span(&text));
    buf_free(&text);
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    json_write_key(w, key);
    json_write_text(w, text);
}

static void write_int(struct json_writer *w, const char *key, int64_t value)
{
    json_write_key(w, key);
    json_write_int(w, value);
}

static void write_call(struct json_writer *w, const char *name_key, const char *tool, uint64_t *s)
{
    write_text(w, name_key, tool);
    json_write_key(w, "arguments");
    json_write_object(w);
    write_int(w, "order_id", 100000 + below(s, 900000));
    json_write_key(w, "verify");
    json_write_bool(w, below(s, 2));
    json_write_end_object(w);
}

/* One step, and the messages of such a turn. */
static void write_step(struct json_writer *steps, struct json_writer *messages, uint64_t *s)
{
    uint64_t same = *s;
    const char *tool = TOOLS[below(s, N_TOOLS)];
    json_write_object(steps);
    write_call(steps, "tool", tool, s);
    json_write_key(steps, "result");
    json_write_object(steps);
    write_text(steps, "status", below(s, 5) ? "ok" : "not_found");
    write_words(steps, "detail", s, 6 + below(s, 16));
    write_int(steps, "total_cents", below(s, 50000));
    json_write_end_object(steps);
    write_words(steps, "text", s, 3 + below(s, 10));
    json_write_end_object(steps);

    below(&same, N_TOOLS);
    json_write_object(messages);
    write_text(messages, "role", "assistant");
    write_words(messages, "content", &same, 3 + below(&same, 10));
    json_write_key(messages, "tool_calls");
    json_write_array(messages);
    json_write_object(messages);
    write_call(messages, "name", tool, &same);
    json_write_end_object(messages);
    json_write_end_array(messages);
    json_write_end_object(messages);
    json_write_object(messages);
    write_text(messages, "role", "tool");
    write_text(messages, "name", tool);
    write_words(messages, "content", &same, 6 + below(&same, 16));
    json_write_end_object(messages);
}

static void write_verdict(struct json_writer *w, const struct task *t, uint64_t *s)
{
    bool pass = uniform(s) < t->rate;
    write_int(w, "reward", pass);
    write_words(w, "reason", s, 8);
    write_text(w, "judge_name", "checklist");
    write_text(w, "judge_status", "ok");
    json_write_key(w, "judge_meta");
    json_write_object(w);
    write_text(w, "version", "3");
    write_text(w, "scorer_kind", "rule");
    json_write_key(w, "checks");
    json_write_array(w);
    for (int i = 0; i < 4; i++)
        json_write_bool(w, pass || below(s, 2));
    json_write_end_array(w);
    json_write_end_object(w);
    json_write_key(w, "markers");
    json_write_object(w);
    write_int(w, "asked_first", below(s, 2));
    json_write_key(w, "length_ratio");
    json_write_real(w, (double)below(s, 4000) / 1000);
    write_int(w, "grounded", below(s, 2));
    json_write_end_object(w);
}

static void write_facts(struct json_writer *w, const struct task *t, unsigned rollout, uint64_t *s)
{
    static const char *const TONES[] = {"curt", "polite", "angry", "rambling"};
    char text[40];
    write_int(w, "seed", (int64_t)(t->number % 1000003));
    write_int(w, "rollout_index", rollout);
    write_text(w, "tone", TONES[t->number % 4]);
    write_text(w, "model_version", "shop-agent-7b");
    write_text(w, "policy_version", "shop-agent-7b@9f86d081884c7d65");
    snprintf(text, sizeof text, "%012" PRIx64, draw(s) >> 16);
    write_text(w, "behavior_signature", text);
    write_text(w, "finish_reason", below(s, 20) ? "stop" : "length");
    json_write_key(w, "logprob");
    json_write_real(w, -(double)below(s, 100000000) / 1e6);
    write_int(w, "n_tokens", 100 + below(s, 900));
    json_write_key(w, "usage");
    json_write_object(w);
    write_int(w, "input_tokens", 1000 + below(s, 9000));
    write_int(w, "output_tokens", 100 + below(s, 900));
    json_write_end_object(w);
    json_write_key(w, "lineage");
    json_write_object(w);
    write_text(w, "system_prompt_sha", "2c26b46b68ffc68f");
    write_text(w, "source", "grade");
    snprintf(text, sizeof text, "score_%012" PRIx64, t->seed >> 16);
    write_text(w, "scoring_run_id", text);
    json_write_end_object(w);
}

static void write_row(const struct task *t, unsigned rollout, size_t bytes, struct buf *out)
{
    uint64_t s = t->seed + 0x632be59bd9b4e019u * (rollout + 1);
    struct buf step_text = {0}, message_text = {0}, final = {0};
    struct json_writer w, steps, messages;
    char id[32];
    size_t goal = bytes > TAIL_BYTES ? bytes - TAIL_BYTES : 0;
    goal = goal / 2 + (size_t)((double)goal * uniform(&s)); /* the mean is the goal */

    json_write_start(&steps, &step_text, JSON_STYLE_COMPACT);
    json_write_array(&steps);
    json_write_start(&messages, &message_text, JSON_STYLE_COMPACT);
    json_write_array(&messages);
    json_write_object(&messages);
    write_text(&messages, "role", "user");
    json_write_key(&messages, "content");
    json_write_span(&messages, buf_span(&t->prompt));
    json_write_end_object(&messages);
    while (step_text.len + message_text.len + 2 * t->prompt.len < goal)
        write_step(&steps, &messages, &s);
    words(&s, &final, 10 + below(&s, 30));
    json_write_object(&messages);
    write_text(&messages, "role", "assistant");
    json_write_key(&messages, "content");
    json_write_span(&messages, buf_span(&final));
    json_write_end_object(&messages);
    json_write_end_array(&steps);
    json_write_end_array(&messages);

    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "prompt");
    json_write_span(&w, buf_span(&t->prompt));
    json_write_key(&w, "steps");
    json_write_raw(&w, buf_span(&step_text));
    json_write_key(&w, "final_text");
    json_write_span(&w, buf_span(&final));
    snprintf(id, sizeof id, "task_%012" PRIx64, t->number * 0x9e3779b97f4au & 0xffffffffffffu);
    write_text(&w, "scenario_id", id);
    json_write_key(&w, "messages");
    json_write_raw(&w, buf_span(&message_text));
    write_facts(&w, t, rollout, &s);
    write_verdict(&w, t, &s);
    write_text(&w, "schema_version", "1");
    json_write_end_object(&w);
    buf_byte(out, '\n');
    buf_free(&step_text);
    buf_free(&message_text);
    buf_free(&final);
}

int main(int argc, char **argv)
{
    struct options o = {.rows = 100000, .seed = 1, .bytes = BYTES_PER_ROW};
    struct operands operands = {0};
    struct task task = {0};
    struct buf out = {0};
    struct error error;
    signals_open();
    log_open("make-rows");
    int rc = options_parse(&COMMAND, argc, argv, &o, &operands, &error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : log_fail(&error);
    for (int64_t i = 0; i < o.rows && rc == 0; i++) {
        if (i % ROLLOUTS == 0)
            make_task(&task, (uint64_t)o.seed, (uint64_t)(i / ROLLOUTS));
        write_row(&task, (unsigned)(i % ROLLOUTS), (size_t)o.bytes, &out);
        if (out.len >= FLUSH_BYTES || i + 1 == o.rows) {
            rc = file_write_all(STDOUT_FILENO, "standard output", buf_span(&out), &error);
            buf_clear(&out);
        }
    }
    buf_free(&out);
    buf_free(&task.prompt);
    operands_free(&operands);
    return rc < 0 ? log_fail(&error) : 0;
}
