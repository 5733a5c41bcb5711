/* A crew: processes that threads take, talk with, and give back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <pthread.h>

#include "base/crew.h"

static const char ECHO[] =
    "while read -r line; do echo \"$WAI_PROTOCOL $WAI_WORKER $$ $line\"; done";

static void ask(struct crew_hand *hand, const char *line, char out[64])
{
    struct child_exit ended;
    struct error error;
    struct span reply;
    assert_int_equal(coproc_ask(hand->process, span_text(line), 20, &reply, &ended, &error),
                     COPROC_OK);
    assert_true(reply.len < 64);
    memcpy(out, reply.ptr, reply.len);
    out[reply.len] = '\0';
}

static void the_last_one_back_comes_first(void **state)
{
    (void)state;
    struct crew *crew = crew_open(ECHO, 3, NULL, NULL);
    char first[64], second[64], again[64];
    assert_int_equal(crew_size(crew), 3);
    struct crew_hand *a = crew_take(crew), *b = crew_take(crew);
    ask(a, "x", first);
    ask(b, "x", second);
    assert_int_equal(strncmp(first, "1 0 ", 4), 0);
    assert_int_equal(strncmp(second, "1 1 ", 4), 0);
    assert_false(a->used);
    crew_give(crew, a, false);
    struct crew_hand *c = crew_take(crew);
    assert_ptr_equal(c, a);
    assert_true(c->used);
    ask(c, "x", again);
    assert_string_equal(again, first); /* the same process */
    crew_give(crew, c, false);
    crew_give(crew, b, false);
    crew_close(crew);
}

static void a_failed_one_is_started_anew_and_waits_its_turn(void **state)
{
    (void)state;
    struct crew *crew = crew_open(ECHO, 2, NULL, NULL);
    char first[64], again[64];
    struct crew_hand *a = crew_take(crew);
    ask(a, "x", first);
    crew_give(crew, a, true);
    assert_int_equal(a->failures, 1);
    struct crew_hand *b = crew_take(crew);
    assert_int_equal(b->number, 1); /* the other one first */
    struct crew_hand *c = crew_take(crew);
    assert_ptr_equal(c, a);
    assert_false(c->used);
    ask(c, "x", again);
    assert_string_not_equal(again, first); /* another process */
    crew_give(crew, c, false);
    assert_int_equal(c->failures, 0);
    crew_give(crew, b, false);
    crew_close(crew);
}

struct shared {
    struct crew *crew;
    struct buf heard[4];
    int wrong;
};

static void hear(const void *data, int number, struct span line)
{
    struct shared *s = (struct shared *)(uintptr_t)data;
    buf_span_add(&s->heard[number], line);
}

static void *talk(void *data)
{
    struct shared *s = data;
    for (int i = 0; i < 50; i++) {
        struct crew_hand *hand = crew_take(s->crew);
        struct child_exit ended;
        struct error error;
        struct span reply;
        char line[32];
        snprintf(line, sizeof line, "%p %d", (void *)&line, i);
        if (coproc_ask(hand->process, span_text(line), 20, &reply, &ended, &error) != COPROC_OK ||
            !span_is(reply, line))
            __atomic_add_fetch(&s->wrong, 1, __ATOMIC_RELAXED);
        crew_give(s->crew, hand, i % 25 == 24);
    }
    return NULL;
}

static void many_threads_share_few(void **state)
{
    (void)state;
    struct shared s = {0};
    pthread_t threads[8];
    s.crew =
        crew_open("echo $WAI_WORKER >&2; while read -r line; do echo \"$line\"; done", 4, hear, &s);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, talk, &s), 0);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    crew_close(s.crew);
    assert_int_equal(s.wrong, 0);
    for (int i = 0; i < 4; i++) { /* every line came with its own process's number */
        for (size_t j = 0; j < s.heard[i].len; j++)
            assert_int_equal(s.heard[i].data[j], '0' + i);
        buf_free(&s.heard[i]);
    }
}

static void names_of_commands(void **state)
{
    (void)state;
    static const char *const NAMES[][2] = {{"python3 agent.py", "python3"},
                                           {"  ./bin/my-agent --x", "my-agent"},
                                           {"a|b", "a"},
                                           {"", "cmd"},
                                           {"/", "/"},
                                           {"x/ y", "x/"},
                                           {"exec  /a/b c", "b"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        char *name = child_command_name(NAMES[i][0]);
        assert_string_equal(name, NAMES[i][1]);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one_back_comes_first),
        cmocka_unit_test(a_failed_one_is_started_anew_and_waits_its_turn),
        cmocka_unit_test(many_threads_share_few),
        cmocka_unit_test(names_of_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
