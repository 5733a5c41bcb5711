/* pools.c: the words a world speaks with unless --world brings others (world 6). People mix first
 * and last names of different regions, so that no pair is a known person. */
#include "world/inside.h"

static const char *const PEOPLE[] = {
    "maeve nakagawa",    "tobias adeleke",   "lucia bergstrom",   "farid novak",
    "anneke obi",        "samir lindahl",    "joana petrovic",    "kofi larsson",
    "elena mwangi",      "haruki dubois",    "nadia fitzpatrick", "emil castro",
    "wanjiku schneider", "pedro haugen",     "aisha kowalczyk",   "jun moretti",
    "ingrid salazar",    "omar vestergaard", "chloe banerjee",    "mateus ivanova",
    "sunita olofsson",   "diego marchetti",  "freya okonjo",      "karim vandermeer",
    "yuki rasmussen",    "bruno chaudhary",  "leah zelenko",      "amadou keller",
    "rosa tanabe",       "viktor mendes",    "zara hollister",    "nils agarwal",
    "camila jonsson",    "tendai bianchi",   "marta yilmaz",      "hassan lemaire",
    "ida fonseca",       "minh callahan",    "greta mutasa",      "rafael stenberg",
};

static const char *const ADJECTIVES[] = {
    "routine",  "draft",    "urgent",   "archived",  "monthly",   "pending",
    "express",  "standard", "combined", "temporary", "corrected", "duplicate",
    "seasonal", "partial",  "internal", "regional",  "early",     "late",
    "shared",   "returned", "reviewed", "reserved",  "split",     "spare",
};

static const char *const TOPICS[] = {
    "billing",  "audit",   "rollout",   "triage",    "intake",  "renewal", "handover",
    "delivery", "payroll", "forecast",  "retention", "survey",  "upgrade", "warranty",
    "dispatch", "refund",  "licensing", "training",  "archive", "catalog",
};

static const char *const STATUSES[] = {"completed", "in_progress", "pending",  "failed",
                                       "active",    "queued",      "approved", "open"};
static const char *const CODE_VERBS[] = {"load",   "parse",    "render", "sync",   "build",
                                         "handle", "validate", "merge",  "format", "dispatch"};
static const char *const CODE_NOUNS[] = {"config", "payload", "record",  "client", "worker",
                                         "schema", "queue",   "session", "index",  "router"};
static const char *const CHECKS[] = {"lint",     "tests",    "typecheck", "build",
                                     "coverage", "security", "format"};
static const char *const STEMS[] = {"app",    "util",   "worker",  "client",
                                    "schema", "router", "session", "queue"};

#define POOL(words)                            \
    {                                          \
        words, sizeof(words) / sizeof *(words) \
    }
const struct pool_default POOL_PEOPLE = POOL(PEOPLE), POOL_ADJECTIVES = POOL(ADJECTIVES),
                          POOL_TOPICS = POOL(TOPICS), POOL_STATUSES = POOL(STATUSES),
                          POOL_CODE_VERBS = POOL(CODE_VERBS), POOL_CODE_NOUNS = POOL(CODE_NOUNS),
                          POOL_CHECKS = POOL(CHECKS), POOL_STEMS = POOL(STEMS);
