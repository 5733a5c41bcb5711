/* digest.h: SHA digests (by nettle) and their hexadecimal text. */
#ifndef WAI_TEXT_DIGEST_H
#define WAI_TEXT_DIGEST_H

#include <stdint.h>

#include "base/buf.h"

enum { SHA1_BYTES = 20, SHA256_BYTES = 32, SHA512_BYTES = 64 };

void digest_sha1(struct span data, uint8_t out[SHA1_BYTES]);
void digest_sha256(struct span data, uint8_t out[SHA256_BYTES]);
void digest_sha512(struct span data, uint8_t out[SHA512_BYTES]);
void digest_hex(const uint8_t *bytes, size_t n, char *out); /* 2n characters and a NUL, lower case */

/* First 8 bytes of the SHA-256 as a big-endian integer, and the like, are built on these by their users. */

#endif
