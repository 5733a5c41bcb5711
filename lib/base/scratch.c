/* scratch.c: scratch folders (file.h). What is inside may be hostile (a candidate's program ran
 * there): folders nested deeper than a path can be long, names without permissions, links that lead
 * out. */
#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/signals.h"

static bool is_dot(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int open_folder(int parent, const char *name)
{
    fchmodat(parent, name, 0700, 0); /* a link would be followed, but unlinkat took links before */
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Files of the folder go; folders in it move up to `top` under a name of their own, so that depth
 * costs neither descriptors nor stack. Returns 0 when it is empty now. */
static int flatten(int top, const char *name, unsigned long *serial)
{
    int fd = open_folder(top, name);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    int result = 0;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (is_dot(entry->d_name) || unlinkat(fd, entry->d_name, 0) == 0)
            continue;
        char moved[32];
        do
            snprintf(moved, sizeof moved, ".%lu", ++*serial);
        while (faccessat(top, moved, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        if (renameat(fd, entry->d_name, top, moved) != 0)
            result = -1;
    }
    closedir(folder);
    return result;
}

/* One pass over the top folder: true when something was removed. */
static bool sweep(int top, unsigned long *serial, bool *empty)
{
    int again = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again < 0 ? NULL : fdopendir(again);
    bool progress = false;
    *empty = true;
    if (!folder) {
        if (again >= 0)
            close(again);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (is_dot(entry->d_name))
            continue;
        *empty = false;
        if (unlinkat(top, entry->d_name, 0) == 0)
            progress = true;
        else if (flatten(top, entry->d_name, serial) == 0 &&
                 unlinkat(top, entry->d_name, AT_REMOVEDIR) == 0)
            progress = true;
    }
    closedir(folder);
    return progress;
}

int scratch_remove_tree(const char *path)
{
    unsigned long serial = 0;
    bool empty = false;
    int top = open_folder(AT_FDCWD, path);
    if (top < 0)
        return errno == ENOENT ? 0 : -1;
    while (sweep(top, &serial, &empty))
        continue;
    close(top);
    return rmdir(path);
}

int scratch_make(struct buf *path, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !*folder)
        folder = "/tmp";
    buf_clear(path);
    buf_format(path, "%s/wai.XXXXXX", folder);
    buf_cstr(path);
    if (!mkdtemp(path->data))
        return error_errno(
            error, ERROR_SYSTEM,
            "cannot make a scratch folder in %s; set TMPDIR to a folder that can be written",
            folder);
    signals_guard_path(path->data);
    return 0;
}

void scratch_remove(const char *path)
{
    scratch_remove_tree(path);
    signals_release_path(signals_ticket(path));
}
