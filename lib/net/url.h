/* url.h: addresses, read strictly: what a key is pinned to must be what the connection is made to,
 * so every text that two parsers could read differently is refused (RFC 3986 without user names,
 * white space, controls, backslashes, or escapes in the host). */
#ifndef WAI_NET_URL_H
#define WAI_NET_URL_H

#include "base/buf.h"
#include "base/error.h"

/* Pieces borrow the text. */
struct url {
    bool secure;       /* https */
    struct span host;  /* a name, or an address without its brackets; any case */
    bool bracketed;    /* the host is an IPv6 address */
    unsigned port;     /* 80 or 443 when none was given */
    struct span path;  /* from its '/' on, "" when there is none; no query */
    struct span query; /* with its '?', "" when there is none; no fragment */
};

/* 0, or ERROR_USAGE with what is wrong; the message never holds the address itself when it could
 * hold a password. */
int url_parse(struct span text, struct url *url, struct error *error);

/* Same scheme, host and port. */
bool url_same_origin(const struct url *a, const struct url *b);

/* localhost, 127.0.0.0/8, ::1. */
bool url_loopback(const struct url *url);

/* The name, its subdomains when it begins with a dot: ".while.ai" fits while.ai and api.while.ai.
 */
bool url_host_is(const struct url *url, const char *name);

/* Appends host, and ":port" when it is not the scheme's own: for messages. */
void url_host_add(const struct url *url, struct buf *out);

/* Percent-escapes every byte but the unreserved ones (A-Z a-z 0-9 - . _ ~). */
void url_escape_add(struct span text, struct buf *out);

#endif
