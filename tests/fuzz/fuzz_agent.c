/* Lines of agents and worlds of the user's own: whatever they write, the rollout's steps and members
 * are JSON, or there is a reason why not. The first byte says whether a step is there already, and
 * whether the line is a world's. */
#include <stdint.h>
#include <stdlib.h>

#include "agent/answer.h"
#include "agent/protocol.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_json(const struct buf *text, const char *before, const char *behind)
{
    struct json_value value;
    struct json_fault fault;
    struct buf whole = {0};
    buf_text(&whole, before);
    buf_span_add(&whole, buf_span(text));
    buf_text(&whole, behind);
    REQUIRE(json_scan(buf_span(&whole), &value, NULL, &fault) == 0);
    REQUIRE(!memchr(whole.data, '\n', whole.len));
    buf_free(&whole);
}

static void play(const struct agent_line *line, bool recorded, struct rollout *out)
{
    bool ignored;
    switch (line->says) {
    case AGENT_SAYS_NOTHING: REQUIRE(line->what); return;
    case AGENT_SAYS_CALL: REQUIRE(line->tool.type == JSON_VALUE_STRING); return;
    case AGENT_SAYS_STEP: REQUIRE(line->step.type == JSON_VALUE_OBJECT); return;
    case AGENT_SAYS_DONE: break;
    default: REQUIRE(line->text.type == JSON_VALUE_STRING); return;
    }
    if (!agent_done_read(line->done, recorded, out, &ignored)) {
        REQUIRE(out->fate == ROLLOUT_ERROR && out->error.len);
        return;
    }
    require_json(&out->steps, "[[[[[", recorded ? "]]]]]]" : "]]]]]");
    require_json(&out->members, "{", "}");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rollout out = {0};
    struct buf result = {0};
    struct agent_line line;
    if (size == 0)
        return 0;
    struct span text = {(const char *)data + 1, size - 1};
    if (memchr(text.ptr, '\n', text.len))
        text.len = (size_t)((const char *)memchr(text.ptr, '\n', text.len) - text.ptr);
    if (data[0] & 2) {
        if (execute_reply_read(text, &result))
            require_json(&result, "[[[[[", "]]]]]");
    } else {
        if (data[0] & 1)
            buf_text(&out.steps, "[{\"text\":\"t\",\"logprob\":-1}");
        agent_line_read(text, &line);
        agent_line_is_of(&line, SPAN("a-0"));
        play(&line, data[0] & 1, &out);
    }
    rollout_free(&out);
    buf_free(&result);
    return 0;
}
