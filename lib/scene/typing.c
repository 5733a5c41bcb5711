/* typing.c: see typing.h. */
#include "scene/typing.h"

#include "agent/simuser.h"
#include "text/fold.h"

enum { SLIP_WORD = 5 }; /* letters of a word that a slip of the fingers is made in, at least */

/* Two neighbours in the middle of the longest plain word change places. */
static bool slip(struct buf *text)
{
    struct span s = buf_span(text), word, best = {NULL, 0};
    for (size_t at = 0; text_next_word(s, &at, &word);) {
        bool plain = word.len > best.len && word.len >= SLIP_WORD;
        for (size_t i = 0; i < word.len && plain; i++)
            plain = word.ptr[i] >= 'a' && word.ptr[i] <= 'z';
        if (plain)
            best = word;
    }
    for (size_t i = best.len / 2; i > 0 && i < best.len; i++) {
        char *pair = text->data + (best.ptr - text->data) + i - 1, first = pair[0];
        if (pair[0] == pair[1])
            continue;
        pair[0] = pair[1];
        pair[1] = first;
        return true;
    }
    return false;
}

bool message_type(const char *texture, struct buf *text)
{
    if (strcmp(texture, "typo") == 0)
        return slip(text);
    simuser_texture(span_text(texture), text);
    return true;
}

const char *message_texture(uint32_t draw)
{
    static const char *const textures[] = {"lowercase", "no_punctuation", "typo",
                                           "standard",  "standard",       "standard",
                                           "standard",  "standard",       "standard"};
    return textures[draw % (sizeof textures / sizeof *textures)];
}
