/* The person's words: whatever a model writes for the person, cleaning, typing and judging it ends, and what
 * is kept is no longer than what came. Three lines: the reply, the opening line, what the agent said. */
#include <stdint.h>
#include <stdlib.h>

#include "agent/person.h"
#include "agent/simuser.h"
#include "agent/turns.h"
#include "text/fold.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const TEXTURES[] = {"lowercase", "no_punctuation", "standard", ""};
    struct span rest = {(const char *)data, size}, parts[3] = {{NULL, 0}};
    struct arena arena = {0};
    struct span *turns;
    struct agent_task task = {.prompt = rest};
    for (int i = 0; i < 3; i++) {
        size_t end = span_find(rest, SPAN("\n"), 0);
        end = end == (size_t)-1 || i == 2 ? rest.len : end;
        parts[i] = span_slice(rest, 0, end);
        rest = span_slice(rest, end < rest.len ? end + 1 : end, rest.len);
    }
    for (size_t i = 0; i < sizeof TEXTURES / sizeof *TEXTURES; i++) {
        struct buf line = {0};
        person_scrub(parts[0], &line);
        REQUIRE(line.len <= 2 * parts[0].len);
        simuser_texture(span_text(TEXTURES[i]), &line);
        REQUIRE(line.len <= 6 * parts[0].len + 1);
        bool good = person_accepts(buf_span(&line), parts[1], parts[2]);
        REQUIRE(!good || text_strip(buf_span(&line)).len);
        person_repeats(buf_span(&line), parts + 1, 2);
        buf_free(&line);
    }
    person_left(parts[0]);
    struct buf notes = {0};
    simuser_notes(&task, parts[1], &notes);
    simuser_typing(&task, parts[1]);
    buf_free(&notes);
    size_t n = turn_scripted(task.prompt, &arena, &turns);
    REQUIRE(n >= 1);
    for (size_t i = 0; i < n; i++)
        REQUIRE(turns[i].len <= size);
    arena_free(&arena);
    return 0;
}
