/* dispatch.c: see dispatch.h. Nothing is run to learn what a tool is for: the purposes of ours
 * stand in a table, others are listed by name. */
#include "platform/dispatch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *purpose;
} PURPOSES[] = {
    {"compare", "before and after, paired by task: what changed and how sure that is"},
    {"decontam", "drop training rows that overlap the holdout"},
    {"export", "files in the shape that a trainer loads"},
    {"grade", "put a verdict on every row"},
    {"harness", "fingerprint, run, diff and attribute the program around the model"},
    {"judge", "is the judge any good: labels read again"},
    {"locald", "the stand-in of the hosted service, on this machine"},
    {"passat", "pass@1, pass^k, pass@k with intervals; gate for CI"},
    {"plan", "how much to run: sizes, detectable effects, self-check"},
    {"report", "one page that a person can read"},
    {"rows", "check, convert and split rows; benchmarks and traces into rows"},
    {"scan", "reward hacks, hygiene, what changed"},
    {"select", "choose the rows that carry gradient"},
    {"simulate", "situations, a mock world, and rollouts in it"},
    {"train", "a training run: native, hosted, or an existing trainer"},
};

static const struct dispatch_alias ALIASES[] = {
    {"self-check", "plan", "self-check"},
};

static const char PREFIX[] = "wai-";

int dispatch_folder(struct buf *folder, struct error *error)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);
    if (len < 0)
        return error_errno(error, ERROR_SYSTEM, "cannot tell where this program lies; mount /proc");
    path[len] = '\0';
    char *slash = strrchr(path, '/');
    buf_clear(folder);
    buf_add(folder, path, slash && slash > path ? (size_t)(slash - path) : 1);
    buf_cstr(folder);
    return 0;
}

bool dispatch_is_name(const char *word)
{
    if (*word < 'a' || *word > 'z')
        return false;
    return word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_")] == '\0';
}

const struct dispatch_alias *dispatch_alias(const char *word)
{
    for (size_t i = 0; i < sizeof ALIASES / sizeof *ALIASES; i++)
        if (strcmp(ALIASES[i].word, word) == 0)
            return &ALIASES[i];
    return NULL;
}

/* ---- finding ------------------------------------------------------------------------------------
 */

static bool is_program(int folder, const char *name)
{
    struct stat info;
    return fstatat(folder, name, &info, 0) == 0 && S_ISREG(info.st_mode) &&
           faccessat(folder, name, X_OK, AT_EACCESS) == 0;
}

/* The next folder of a PATH; an empty one is the working folder. false at the end. */
static bool next_folder(const char **path, struct buf *folder)
{
    if (!*path)
        return false;
    size_t len = strcspn(*path, ":");
    buf_clear(folder);
    buf_add(folder, *path, len);
    if (!len)
        buf_byte(folder, '.');
    buf_cstr(folder);
    *path = (*path)[len] ? *path + len + 1 : NULL;
    return true;
}

bool dispatch_find(const char *folder, const char *path, const char *name, struct buf *out)
{
    struct buf where = {0};
    bool found = false;
    buf_text(&where, folder);
    do {
        buf_clear(out);
        buf_format(out, "%s/%s%s", buf_cstr(&where), PREFIX, name);
        found = is_program(AT_FDCWD, buf_cstr(out));
    } while (!found && next_folder(&path, &where));
    buf_free(&where);
    return found;
}

struct listing {
    struct command *items;
    size_t count, cap;
    struct arena *arena;
};

static const char *purpose_of(const char *name)
{
    for (size_t i = 0; i < sizeof PURPOSES / sizeof *PURPOSES; i++)
        if (strcmp(PURPOSES[i].name, name) == 0)
            return PURPOSES[i].purpose;
    return NULL;
}

static void list_folder(struct listing *l, const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return; /* PATH may name folders that are not there */
    for (struct dirent *entry; (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0 ||
            !dispatch_is_name(name + sizeof PREFIX - 1) || !is_program(dirfd(entries), name))
            continue;
        name = arena_text(l->arena, name + sizeof PREFIX - 1);
        l->items = mem_grow(l->items, &l->cap, l->count + 1, sizeof *l->items);
        l->items[l->count++] = (struct command){.name = name, .purpose = purpose_of(name)};
    }
    closedir(entries);
}

static int by_name(const void *a, const void *b)
{
    const struct command *left = a, *right = b;
    return strcmp(left->name, right->name);
}

struct command *dispatch_list(const char *folder, const char *path, struct arena *arena,
                              size_t *count)
{
    struct listing l = {.arena = arena};
    struct buf where = {0};
    list_folder(&l, folder);
    while (next_folder(&path, &where))
        list_folder(&l, buf_cstr(&where));
    buf_free(&where);
    if (l.count)
        qsort(l.items, l.count, sizeof *l.items, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < l.count; i++)
        if (kept == 0 || strcmp(l.items[kept - 1].name, l.items[i].name) != 0)
            l.items[kept++] = l.items[i];
    l.items = mem_grow(l.items, &l.cap, kept + 1, sizeof *l.items);
    l.items[kept] = (struct command){0};
    *count = kept;
    return l.items;
}

int dispatch_unknown(const struct command *tools, const char *name, struct error *error)
{
    const char **names = NULL;
    size_t count = 0, cap = 0;
    for (; tools->name; tools++) {
        names = mem_grow(names, &cap, count + 1, sizeof *names);
        names[count++] = tools->name;
    }
    const char *word =
        strncmp(name, PREFIX, sizeof PREFIX - 1) == 0 ? name + sizeof PREFIX - 1 : name;
    const char *near = option_nearest(word, names, count);
    free(names);
    return error_set(error, ERROR_USAGE,
                     "there is no tool %s%s%s%s (wai --help lists what there is)", name,
                     near ? "; did you mean `wai " : "", near ? near : "", near ? "`?" : "");
}

/* ---- manual pages -------------------------------------------------------------------------------
 */

void dispatch_manual(const char *folder, const char *name, const char *old, struct buf *page,
                     struct buf *manpath)
{
    struct buf beside = {0};
    buf_clear(page);
    buf_clear(manpath);
    buf_format(&beside, "%s/../man/%s.1", folder, name);
    if (access(buf_cstr(&beside), R_OK) == 0)
        buf_span_add(page, buf_span(&beside));
    buf_clear(&beside);
    buf_format(&beside, "%s/../share/man", folder);
    /* An empty part of MANPATH stands for the system's own list. */
    if (access(buf_cstr(&beside), R_OK | X_OK) == 0)
        buf_format(manpath, "%s:%s", beside.data, old ? old : "");
    buf_free(&beside);
}
