/* A writer's reply: whatever comes, messages out of it are valid UTF-8, within their bounds, and fine only
 * when they can be played. */
#include <stdint.h>
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/letters.h"
#include "text/utf8.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct span tools[] = {{"get_order", 9}};
    static const struct letter_rules rules = {
        tools, 1, {"people who wait for a parcel of theirs", 38}};
    struct letters letters = {0};
    struct arena arena = {0};
    struct buf text = {0};
    letters_read(&letters, span_make((const char *)data, size), &arena);
    REQUIRE(letters.count <= WRITER_OBJECTS);
    for (size_t i = 0; i < letters.count; i++) {
        REQUIRE(letters.items[i].text.len > 0);
        letter_clean(letters.items[i].text, &text);
        REQUIRE(utf8_valid(buf_span(&text)));
        if (letter_check(buf_span(&text), &rules) == LETTER_FINE) {
            REQUIRE(utf8_length(buf_span(&text)) >= WRITER_MESSAGE_LEAST);
            REQUIRE(!memchr(text.data, '\0', text.len));
        }
    }
    letters_free(&letters);
    arena_free(&arena);
    buf_free(&text);
    return 0;
}
