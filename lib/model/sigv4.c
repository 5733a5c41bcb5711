/* sigv4.c: the signature; aws.c finds the credentials. See sigv4.h. */
#include "model/sigv4.h"

#include <nettle/hmac.h>
#include <time.h>

#include "text/digest.h"

enum { HEX = 2 * SHA256_BYTES + 1 };

void sigv4_time(char out[17])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, 17, "%Y%m%dT%H%M%SZ", &utc);
}

static void hmac(struct span key, struct span text, uint8_t out[SHA256_BYTES])
{
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, key.len, (const uint8_t *)key.ptr);
    hmac_sha256_update(&context, text.len, (const uint8_t *)text.ptr);
    hmac_sha256_digest(&context, SHA256_BYTES, out);
}

static struct span bytes(const uint8_t *digest)
{
    return span_make((const char *)digest, SHA256_BYTES);
}

static void hex_digest(struct span text, char out[HEX])
{
    uint8_t digest[SHA256_BYTES];
    digest_sha256(text, digest);
    digest_hex(digest, SHA256_BYTES, out);
}

/* The path as sent, its segments escaped once more. */
static void canonical_path(struct span path, struct buf *out)
{
    if (path.len == 0)
        buf_byte(out, '/');
    for (size_t at = 0; at < path.len;) {
        size_t slash = span_find(path, SPAN("/"), at);
        size_t end = slash == (size_t)-1 ? path.len : slash;
        url_escape_add(span_slice(path, at, end), out);
        if (slash != (size_t)-1)
            buf_byte(out, '/');
        at = end + 1;
    }
}

/* Requests here have no query, or one parameter list that is in order already. */
static void canonical_request(const struct sigv4_request *r, struct span path, struct buf *out)
{
    char hex[HEX];
    struct buf host = {0};
    struct span query =
        r->url.query.len ? span_slice(r->url.query, 1, r->url.query.len) : (struct span){"", 0};
    url_host_add(&r->url, &host);
    buf_format(out, "%s\n", r->method);
    buf_span_add(out, path);
    buf_byte(out, '\n');
    buf_span_add(out, query);
    buf_text(out, "\ncontent-type:");
    buf_span_add(out, r->type);
    buf_text(out, "\nhost:");
    buf_span_add(out, buf_span(&host));
    buf_format(out, "\nx-amz-date:%s\n", r->time);
    if (r->session_token.len) {
        buf_text(out, "x-amz-security-token:");
        buf_span_add(out, r->session_token);
        buf_byte(out, '\n');
    }
    buf_format(out, "\ncontent-type;host;x-amz-date%s\n",
               r->session_token.len ? ";x-amz-security-token" : "");
    hex_digest(r->body, hex);
    buf_text(out, hex);
    buf_free(&host);
}

static void scope_of(const struct sigv4_request *r, struct buf *out)
{
    buf_add(out, r->time, 8);
    buf_byte(out, '/');
    buf_span_add(out, r->region);
    buf_byte(out, '/');
    buf_span_add(out, r->service);
    buf_text(out, "/aws4_request");
}

static void signing_key(const struct sigv4_request *r, uint8_t out[SHA256_BYTES])
{
    struct buf first = {0};
    buf_text(&first, "AWS4");
    buf_span_add(&first, r->secret_key);
    hmac(buf_span(&first), span_make(r->time, 8), out);
    hmac(bytes(out), r->region, out);
    hmac(bytes(out), r->service, out);
    hmac(bytes(out), SPAN("aws4_request"), out);
    explicit_bzero(first.data, first.len);
    buf_free(&first);
}

void sigv4_sign(const struct sigv4_request *r, struct buf *authorization, struct buf *canonical_uri)
{
    struct buf path = {0}, canonical = {0}, scope = {0}, text = {0};
    uint8_t key[SHA256_BYTES], signature[SHA256_BYTES];
    char hex[HEX];
    canonical_path(r->url.path, &path);
    canonical_request(r, buf_span(&path), &canonical);
    scope_of(r, &scope);
    hex_digest(buf_span(&canonical), hex);
    buf_format(&text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", r->time, buf_cstr(&scope), hex);
    signing_key(r, key);
    hmac(bytes(key), buf_span(&text), signature);
    digest_hex(signature, SHA256_BYTES, hex);
    buf_text(authorization, "AWS4-HMAC-SHA256 Credential=");
    buf_span_add(authorization, r->access_key);
    buf_format(authorization, "/%s, SignedHeaders=content-type;host;x-amz-date%s, Signature=%s",
               buf_cstr(&scope), r->session_token.len ? ";x-amz-security-token" : "", hex);
    if (canonical_uri)
        buf_span_add(canonical_uri, buf_span(&path));
    explicit_bzero(key, sizeof key);
    buf_free(&path);
    buf_free(&canonical);
    buf_free(&scope);
    buf_free(&text);
}
