/* Replies of providers, whole and streamed, and text with tool calls in it: whatever comes, what is made of
 * it is a valid message. The first byte names the form. */
#include <stdint.h>
#include <stdlib.h>

#include "model/inside.h"
#include "model/markup.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require_json(const struct buf *text)
{
    struct json_value value;
    struct json_fault fault;
    REQUIRE(json_scan(buf_span(text), &value, NULL, &fault) == 0);
}

static void read_body(enum wire_form form, struct span body)
{
    struct chat_reply reply = {0};
    struct json_writer w;
    struct buf out = {0};
    const char *fault = NULL;
    if (wire_read(form, body, CHAT_LOGPROBS_TOKENS, &reply, &fault)) {
        REQUIRE(reply.n_choices > 0);
        json_write_start(&w, &out, JSON_STYLE_COMPACT);
        chat_reply_write(&reply, &w);
        require_json(&out);
    } else {
        REQUIRE(fault);
    }
    chat_reply_free(&reply);
    buf_free(&out);
}

static void read_text(struct span text)
{
    struct arena arena = {0};
    struct chat_choice choice = {0};
    struct json_writer w;
    struct buf out = {0}, scratch = {0};
    choice.n_calls = markup_calls(&arena, text, &choice.calls);
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    chat_message_write(&choice, NULL, &w);
    require_json(&out);
    struct span left = markup_strip(text, &scratch);
    REQUIRE(left.len <= text.len);
    REQUIRE(markup_trim_cut(text).len <= text.len);
    arena_free(&arena);
    buf_free(&out);
    buf_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span text = {(const char *)data + 1, size - 1};
    enum wire_form form = (enum wire_form)(data[0] & 3);
    struct buf body = {0}, words = {0};
    const char *fault = NULL;
    if (data[0] & 8) {
        read_text(text);
    } else if (data[0] & 4) {
        if (wire_unstream(form == WIRE_ANTHROPIC ? form : WIRE_OPENAI, text, &body, &fault))
            read_body(form == WIRE_ANTHROPIC ? form : WIRE_OPENAI, buf_span(&body));
        require_json(&body);
    } else {
        read_body(form, text);
    }
    chat_error_words(text, &words);
    REQUIRE(words.len > 0 && !memchr(words.data, '\n', words.len));
    buf_free(&body);
    buf_free(&words);
    return 0;
}
