/* test_letters.c: messages out of a writer's reply, what is taken out of them, which are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene/letters.h"

struct sample {
    const char *reply;
    bool readable;
    const char *found; /* region=text|… */
};

static void replies(void **state)
{
    static const struct sample samples[] = {
        {"[{\"region_id\":\"a\",\"message\":\"one\"},{\"region_id\":\"b\",\"request\":\"two\"}]",
         true, "a=one|b=two|"},
        {"{\"messages\":[{\"region_id\":\"a\",\"message\":\"one\"}]}", true, "a=one|"},
        {"{\"situations\":[\"plain\"]}", true, "=plain|"},
        {"{\"region_id\":\"a\",\"message\":\"one\"}", true, "a=one|"},
        {"Here you are:\n```json\n[{\"region_id\":\"a\",\"message\":\"one\"}]\n```\nHave fun", true,
         "a=one|"},
        {"Sure! [{\"region_id\":\"a\",\"message\":\"one [x]\"}] Done.", true, "a=one [x]|"},
        /* cut off: what is whole stays */
        {"[{\"region_id\":\"a\",\"message\":\"one {\\\"}\"}, {\"region_id\":\"b\",\"mess", true,
         "a=one {\"}|"},
        {"{\"region_id\":\"a\",\"message\":\"one\"}\n{\"region_id\":\"b\",\"message\":\"two\"}",
         true, "a=one|b=two|"},
        {"[{\"region_id\":\"a\",\"turns\":[\"one\",{\"text\":\"two\"},{\"user\":\"three\"},7]}]",
         true, "a=one\n<USER_TURN>\ntwo\n<USER_TURN>\nthree|"},
        /* of other types: nothing, and no harm */
        {"[{\"region_id\":7,\"message\":\"one\"},{\"region_id\":\"b\",\"message\":{\"text\":"
         "\"two\"}},"
         "{\"region_id\":\"c\"},null,5,[],{}]",
         true, "=one|"},
        {"[]", true, ""},
        {"", true, ""},
        {"```\n```", false, ""},
        {"I would rather not.", false, ""},
        {"{\"a\":1}", false, ""},
        {"{{{{{{{{{{", false, ""},
        {"[[[[{\"message\":\"deep\"}", true, "=deep|"},
        {"\"just a text\"", false, ""},
        {"]{\"message\":\"x y\"}[", true, "=x y|"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct letters letters = {0};
        struct arena arena = {0};
        struct buf found = {0};
        struct span reply = span_text(samples[i].reply);
        bool readable = letters_read(&letters, reply.len ? reply : (struct span){NULL, 0}, &arena);
        for (size_t j = 0; j < letters.count; j++) {
            buf_span_add(&found, letters.items[j].region);
            buf_byte(&found, '=');
            buf_span_add(&found, letters.items[j].text);
            buf_byte(&found, '|');
        }
        if (readable != samples[i].readable || !span_is(buf_span(&found), samples[i].found))
            fail_msg("%s: %d %s", samples[i].reply, readable, buf_cstr(&found));
        letters_free(&letters);
        arena_free(&arena);
        buf_free(&found);
    }
}

static void cleaned(void **state)
{
    static const char *const samples[][2] = {
        {"I lost my lamp \xe2\x80\x94 can you help?", "I lost my lamp, can you help?"},
        {"Where is my order? (use get_order)", "Where is my order?"},
        {"Find it [call search.flights] now", "Find it now"},
        {"  Hello   there\n<USER_TURN>\n\n<USER_TURN>\n and more ",
         "Hello there\n<USER_TURN>\nand more"},
        {"<tool_call>{\"name\":\"x\"}</tool_call>", ""},
        {"bad \xff bytes", ""},
        {"", ""},
    };
    struct buf out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        letter_clean(span_text(samples[i][0]), &out);
        if (!span_is(buf_span(&out), samples[i][1]))
            fail_msg("%s: \"%s\"", samples[i][0], buf_cstr(&out));
    }
    buf_free(&out);
}

static void refused(void **state)
{
    static const struct span tools[] = {{"get_order", 9}, {"refund", 6}};
    static const struct letter_rules rules = {
        tools, 2, {"shoppers who wait for a parcel that is late", 43}};
    static const struct {
        const char *text;
        enum letter_fault fault;
    } samples[] = {
        {"My parcel has not come, where is it?", LETTER_FINE},
        {"i want my refund for the red kettle", LETTER_FINE},
        {"Your manager promised me a discount, just give it to me", LETTER_FINE},
        {"No punctuation needed on my side of the fence please", LETTER_CAPTION},
        {"hi", LETTER_LENGTH},
        {"How can I help you with your order?", LETTER_VOICE},
        {"Let me check that for you right away", LETTER_VOICE},
        {"Thanks, got it, sounds good!", LETTER_EMPTY},
        {"Short message: where is my lamp", LETTER_CAPTION},
        {"Entity missing: order A1, please look", LETTER_CAPTION},
        {"The user wants to return a lamp", LETTER_CAPTION},
        {"please do it now", LETTER_EMPTY},
        {"help me, please help me", LETTER_EMPTY},
        {"run get_order on A1 for me", LETTER_TOOL},
        {"We are shoppers who wait for a parcel that is late again", LETTER_BRIEF},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        enum letter_fault fault = letter_check(span_text(samples[i].text), &rules);
        if (fault != samples[i].fault)
            fail_msg("%s: %s", samples[i].text, letter_fault_name(fault));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(replies), cmocka_unit_test(cleaned),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
