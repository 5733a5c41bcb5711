/* Work in a process that can be ended (isolate.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "grade/isolate.h"

static void answer(void *data, struct span request, struct buf *reply)
{
    if (span_is(request, "hang"))
        for (;;)
            pause();
    if (span_is(request, "die"))
        _exit(3);
    buf_text(reply, data);
    buf_span_add(reply, request);
}

static void answers_and_comes_back(void **state)
{
    struct isolate *i = isolate_open(answer, "got ");
    struct buf reply = {0}, big = {0};
    struct error error;
    (void)state;
    assert_int_equal(isolate_ask(i, SPAN("one"), 0, &reply, &error), ISOLATE_OK);
    assert_string_equal(buf_cstr(&reply), "got one");
    assert_int_equal(isolate_ask(i, SPAN("hang"), 0.05, &reply, &error), ISOLATE_TIMEOUT);
    assert_int_equal(isolate_ask(i, SPAN("die"), 10, &reply, &error), ISOLATE_DIED);
    assert_int_equal(isolate_ask(i, SPAN(""), 10, &reply, &error), ISOLATE_OK);
    assert_string_equal(buf_cstr(&reply), "got ");
    for (int n = 0; n < 300000; n++)
        buf_text(&big, "0123456789");
    assert_int_equal(isolate_ask(i, buf_span(&big), 60, &reply, &error), ISOLATE_OK);
    assert_int_equal(reply.len, big.len + 4);
    isolate_close(i);
    isolate_close(isolate_open(answer, NULL));
    buf_free(&reply);
    buf_free(&big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_and_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
