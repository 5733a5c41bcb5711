/* url.c: see url.h. */
#include "net/url.h"

#include <strings.h>

enum { HTTP_PORT = 80, HTTPS_PORT = 443, PORT_MAX = 65535, HOST_MAX = 253 };

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool starts_any_case(struct span s, struct span prefix)
{
    return s.len >= prefix.len && strncasecmp(s.ptr, prefix.ptr, prefix.len) == 0;
}

static bool host_good(struct span host, bool bracketed)
{
    if (host.len == 0 || host.len > HOST_MAX)
        return false;
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        if (bracketed ? !is_hex(c) && c != ':' && c != '.'
                      : !is_alnum(c) && c != '-' && c != '.' && c != '_')
            return false;
    }
    return host.ptr[0] != '.' && host.ptr[0] != '-';
}

static bool port_read(struct span digits, unsigned *port)
{
    unsigned value = 0;
    if (digits.len == 0 || digits.len > 5)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return false;
        value = value * 10 + (unsigned)(digits.ptr[i] - '0');
    }
    *port = value;
    return value > 0 && value <= PORT_MAX;
}

/* Visible ASCII without the characters that readers of addresses disagree on. */
static bool text_good(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 127 || strchr("\\\"<>^`{}|", text.ptr[i]))
            return false;
    return true;
}

static int authority_read(struct span authority, struct url *url, struct error *error)
{
    struct span port = {0};
    if (memchr(authority.ptr, '@', authority.len))
        return error_set(error, ERROR_USAGE,
                         "the address holds a user name or password; leave it out, keys come from "
                         "the environment");
    size_t end = authority.len;
    url->bracketed = authority.len > 0 && authority.ptr[0] == '[';
    if (url->bracketed) {
        end = span_find(authority, SPAN("]"), 0);
        if (end == (size_t)-1)
            return error_set(error, ERROR_USAGE, "the address opens [ and does not close it");
        url->host = span_slice(authority, 1, end);
        port = span_slice(authority, end + 1, authority.len);
    } else {
        size_t colon = span_find(authority, SPAN(":"), 0);
        end = colon == (size_t)-1 ? authority.len : colon;
        url->host = span_slice(authority, 0, end);
        port = span_slice(authority, end, authority.len);
    }
    if (!host_good(url->host, url->bracketed))
        return error_set(error, ERROR_USAGE, "the address names no host; write https://HOST/PATH");
    url->port = url->secure ? HTTPS_PORT : HTTP_PORT;
    if (port.len && (port.ptr[0] != ':' || !port_read(span_slice(port, 1, port.len), &url->port)))
        return error_set(error, ERROR_USAGE, "the port of the address is no number of 1 to %d",
                         PORT_MAX);
    return 0;
}

int url_parse(struct span text, struct url *url, struct error *error)
{
    *url = (struct url){0};
    size_t scheme = 0;
    if (starts_any_case(text, SPAN("https://"))) {
        url->secure = true;
        scheme = strlen("https://");
    } else if (starts_any_case(text, SPAN("http://"))) {
        scheme = strlen("http://");
    } else {
        return error_set(error, ERROR_USAGE, "the address does not begin with https:// or http://");
    }
    if (!text_good(text))
        return error_set(error, ERROR_USAGE,
                         "the address holds a character that no address may hold; escape it");
    struct span rest = span_slice(text, scheme, text.len);
    size_t fragment = span_find(rest, SPAN("#"), 0);
    if (fragment != (size_t)-1)
        rest.len = fragment;
    size_t slash = 0;
    while (slash < rest.len && rest.ptr[slash] != '/' && rest.ptr[slash] != '?')
        slash++;
    if (authority_read(span_slice(rest, 0, slash), url, error) < 0)
        return ERROR_USAGE;
    struct span tail = span_slice(rest, slash, rest.len);
    size_t query = span_find(tail, SPAN("?"), 0);
    if (query == (size_t)-1)
        query = tail.len;
    url->path = span_slice(tail, 0, query);
    url->query = span_slice(tail, query, tail.len);
    return 0;
}

static bool host_equal(struct span a, struct span b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

bool url_same_origin(const struct url *a, const struct url *b)
{
    return a->secure == b->secure && a->port == b->port && a->bracketed == b->bracketed &&
           host_equal(a->host, b->host);
}

/* Four decimal numbers, the first 127. */
static bool is_127(struct span host)
{
    int parts = 0;
    for (size_t at = 0; at <= host.len; parts++) {
        size_t from = at;
        int value = 0;
        while (at < host.len && host.ptr[at] >= '0' && host.ptr[at] <= '9' && at - from < 3)
            value = value * 10 + host.ptr[at++] - '0';
        bool dot = at < host.len && host.ptr[at] == '.';
        if (at == from || value > 255 || (at < host.len && !dot) || (parts == 0 && value != 127) ||
            (at - from > 1 && host.ptr[from] == '0'))
            return false;
        at++;
    }
    return parts == 4;
}

bool url_loopback(const struct url *url)
{
    if (url->bracketed)
        return span_is(url->host, "::1");
    return host_equal(url->host, SPAN("localhost")) || is_127(url->host);
}

bool url_host_is(const struct url *url, const char *name)
{
    struct span wanted = span_text(name), host = url->host;
    if (url->bracketed)
        return false;
    if (name[0] != '.')
        return host_equal(host, wanted);
    return host_equal(host, span_slice(wanted, 1, wanted.len)) ||
           (host.len > wanted.len &&
            host_equal(span_slice(host, host.len - wanted.len, host.len), wanted));
}

void url_host_add(const struct url *url, struct buf *out)
{
    if (url->bracketed)
        buf_byte(out, '[');
    buf_span_add(out, url->host);
    if (url->bracketed)
        buf_byte(out, ']');
    if (url->port != (url->secure ? HTTPS_PORT : HTTP_PORT))
        buf_format(out, ":%u", url->port);
}

void url_escape_add(struct span text, struct buf *out)
{
    static const char HEX[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (is_alnum((char)c) || c == '-' || c == '.' || c == '_' || c == '~') {
            buf_byte(out, (char)c);
        } else {
            buf_byte(out, '%');
            buf_byte(out, HEX[c >> 4]);
            buf_byte(out, HEX[c & 15]);
        }
    }
}
