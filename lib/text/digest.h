/* digest.h: SHA digests (by nettle), BLAKE2b, and their hexadecimal text. */
#ifndef WAI_TEXT_DIGEST_H
#define WAI_TEXT_DIGEST_H

#include <stdint.h>

#include <nettle/sha2.h>

#include "base/buf.h"

enum { SHA1_BYTES = 20, SHA256_BYTES = 32, SHA512_BYTES = 64 };

void digest_sha1(struct span data, uint8_t out[SHA1_BYTES]);
void digest_sha256(struct span data, uint8_t out[SHA256_BYTES]);
void digest_sha512(struct span data, uint8_t out[SHA512_BYTES]);
void digest_blake2b(struct span data, uint8_t *out, size_t n);   /* n bytes, 1 to 64; no key */
void digest_git_blob(struct span data, uint8_t out[SHA1_BYTES]); /* git's name of a file's bytes */
void digest_hex(const uint8_t *bytes, size_t n,
                char *out); /* 2n characters and a NUL, lower case */

/* The SHA-256 of bytes that come piece by piece. `struct digest_stream d; digest_start(&d)`. */
struct digest_stream {
    struct sha256_ctx context;
};
void digest_start(struct digest_stream *d);
void digest_add(struct digest_stream *d, struct span bytes);
void digest_end(struct digest_stream *d, uint8_t out[SHA256_BYTES]); /* starts anew */

/* A text's name of 128 bits, the same in every process: base64url of the first half of the SHA-256 of
 * "wai" and the text. */
enum { DIGEST_NAME = 22 };
void digest_name(struct span text, char out[DIGEST_NAME + 1]);

/* ---- hash draws (world 2, situations) ------------------------------------------------------------ */

/* H(text, n): the first n hex digits of the SHA-256 as an integer, 1 <= n <= 16. */
uint64_t digest_number(struct span text, int hex_digits);

/* N32(text) = H(text, 8), U(text) = N32(text) / (2^32 - 1): from 0 to 1, both possible. */
static inline uint32_t digest_n32(struct span text)
{
    return (uint32_t)digest_number(text, 8);
}

static inline double digest_u(struct span text)
{
    return digest_n32(text) / 4294967295.0;
}

#endif
