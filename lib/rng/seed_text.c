/* seed_text.c: seeding by a text, apart from rng.c so that a tool without it loads no digest
 * library. */
#include <stdlib.h>

#include "base/mem.h"
#include "rng/rng.h"
#include "text/digest.h"

void rng_seed_text(struct rng *r, struct span utf8)
{
    uint8_t digest[SHA512_BYTES];
    digest_sha512(utf8, digest);
    size_t bytes = utf8.len + SHA512_BYTES;
    size_t n = (bytes + 3) / 4;
    uint32_t *key = mem_zero(n, sizeof *key);
    for (size_t i = 0; i < bytes; i++) { /* i counts from the big-endian number's last byte */
        size_t at = bytes - 1 - i;
        uint8_t byte = at < utf8.len ? (uint8_t)utf8.ptr[at] : digest[at - utf8.len];
        key[i / 4] |= (uint32_t)byte << (i % 4 * 8);
    }
    while (n > 1 && key[n - 1] == 0) /* a text may begin with NUL */
        n--;
    rng_seed_words(r, key, n);
    free(key);
}
