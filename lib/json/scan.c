/* scan.c: the scanner's front: takes the fastest path that this processor has. */
#include "json/scan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan_path.h"

typedef bool path_function(struct span, struct json_value *, struct json_members *);
typedef const char *skip_function(const char *, const char *);

struct path {
    const char *name;
    path_function *scan; /* NULL: the portable path, which words faults too */
    skip_function *skip;
    bool (*there)(void); /* NULL: always */
};

/* The fastest first. */
static const struct path PATHS[] = {
#ifdef __x86_64__
    {"avx512", scan_avx512, skip_avx512, scan_avx512_there},
    {"avx2", scan_avx2, skip_avx2, scan_avx2_there},
#endif
    {"portable", NULL, skip_portable, NULL},
};
enum { N_PATHS = sizeof PATHS / sizeof *PATHS };

static _Atomic(const struct path *) chosen; /* NULL: not yet. Threads that choose at once agree. */

static bool there(const struct path *path)
{
    return !path->there || path->there();
}

static const struct path *path_in_use(void)
{
    const struct path *path = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (__builtin_expect(!path, 0)) {
        for (path = PATHS; !there(path);)
            path++;
        atomic_store_explicit(&chosen, path, memory_order_relaxed);
    }
    return path;
}

const char *json_scan_path(void)
{
    return path_in_use()->name;
}

int json_scan_use(const char *name)
{
    for (size_t i = 0; i < N_PATHS; i++) {
        if (strcmp(PATHS[i].name, name) == 0 && there(&PATHS[i])) {
            atomic_store_explicit(&chosen, &PATHS[i], memory_order_relaxed);
            return 0;
        }
    }
    return -1;
}

int json_scan(struct span text, struct json_value *value, struct json_members *members,
              struct json_fault *fault)
{
    const struct path *path = path_in_use();
    if (!text.ptr)
        text.ptr = "";
    if (path->scan && path->scan(text, value, members))
        return 0;
    return scan_portable(text, value, members, fault);
}

bool scan_fast(struct span text, struct json_value *value, struct json_members *members)
{
    const struct path *path = path_in_use();
    struct json_fault fault;
    if (!text.ptr)
        text.ptr = "";
    if (path->scan)
        return path->scan(text, value, members);
    return scan_portable(text, value, members, &fault) == 0;
}

const char *skip_fast(const char *p, const char *end)
{
    return path_in_use()->skip(p, end);
}

void json_members_free(struct json_members *members)
{
    free(members->items);
    *members = (struct json_members){0};
}
