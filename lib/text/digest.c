/* digest.c: see digest.h. */
#include "text/digest.h"

#include <stdio.h>

#include <nettle/sha1.h>

void digest_sha1(struct span data, uint8_t out[SHA1_BYTES])
{
    struct sha1_ctx context;
    sha1_init(&context);
    sha1_update(&context, data.len, (const uint8_t *)data.ptr);
    sha1_digest(&context, SHA1_BYTES, out);
}

void digest_git_blob(struct span data, uint8_t out[SHA1_BYTES])
{
    struct sha1_ctx context;
    char head[32];
    int n = snprintf(head, sizeof head, "blob %zu", data.len);
    sha1_init(&context);
    sha1_update(&context, (size_t)n + 1, (const uint8_t *)head);
    sha1_update(&context, data.len, (const uint8_t *)data.ptr);
    sha1_digest(&context, SHA1_BYTES, out);
}

void digest_sha256(struct span data, uint8_t out[SHA256_BYTES])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, data.len, (const uint8_t *)data.ptr);
    sha256_digest(&context, SHA256_BYTES, out);
}

void digest_sha512(struct span data, uint8_t out[SHA512_BYTES])
{
    struct sha512_ctx context;
    sha512_init(&context);
    sha512_update(&context, data.len, (const uint8_t *)data.ptr);
    sha512_digest(&context, SHA512_BYTES, out);
}

void digest_start(struct digest_stream *d)
{
    sha256_init(&d->context);
}

void digest_add(struct digest_stream *d, struct span bytes)
{
    sha256_update(&d->context, bytes.len, (const uint8_t *)bytes.ptr);
}

void digest_end(struct digest_stream *d, uint8_t out[SHA256_BYTES])
{
    sha256_digest(&d->context, SHA256_BYTES, out);
}

uint64_t digest_number(struct span text, int hex_digits)
{
    uint8_t d[SHA256_BYTES];
    uint64_t n = 0;
    digest_sha256(text, d);
    for (int i = 0; i < 8; i++)
        n = n << 8 | d[i];
    return n >> (64 - 4 * hex_digits);
}

void digest_hex(const uint8_t *bytes, size_t n, char *out)
{
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = hex[bytes[i] >> 4];
        out[2 * i + 1] = hex[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

void digest_name(struct span text, char out[DIGEST_NAME + 1])
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static const uint8_t KEY[] = {'w', 'a', 'i'};
    struct sha256_ctx context;
    uint8_t d[SHA256_BYTES];
    sha256_init(&context);
    sha256_update(&context, sizeof KEY, KEY);
    sha256_update(&context, text.len, (const uint8_t *)text.ptr);
    sha256_digest(&context, SHA256_BYTES, d);
    for (size_t i = 0; i < DIGEST_NAME;
         i++) { /* six bits each of sixteen bytes, the last two alone */
        size_t bit = 6 * i;
        unsigned pair = (unsigned)d[bit / 8] << 8 | (bit / 8 + 1 < 16 ? d[bit / 8 + 1] : 0);
        out[i] = DIGITS[pair >> (10 - bit % 8) & 63];
    }
    out[DIGEST_NAME] = '\0';
}
