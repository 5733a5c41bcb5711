/* file.c: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"

enum {
    LINKS_MAX = 40,   /* symbolic links followed; the kernel's own limit */
    NAME_KEPT = 200,  /* bytes of the target's name in the temporary one (a name has at most 255) */
    NAME_TRIES = 100, /* random names tried */
    READ_BLOCK = 1 << 16, /* bytes */
};

struct file {
    char *name;      /* as the caller wrote it, for messages */
    char *target;    /* links resolved */
    char *temporary; /* NULL: written in place */
    int fd;
    int ticket;
};

static const char *mend_of(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT: return "; free some space and run again";
    case ENOENT:
    case ENOTDIR: return "; make its folder first";
    case EACCES:
    case EPERM:
    case EROFS: return "; change its permissions or name another file";
    case EISDIR: return "; name a file in it";
    case EMFILE:
    case ENFILE: return "; close some files or raise `ulimit -n`";
    case EFBIG: return "; raise `ulimit -f`";
    case EBADF: return "; it is closed, so open it or redirect it";
    default: return "";
    }
}

static int system_error(struct error *e, const char *name, const char *what, int number)
{
    return error_set(e, ERROR_SYSTEM, "%s: %s (%s)%s", name, what, strerror(number),
                     mend_of(number));
}

/* ---- writing ------------------------------------------------------------------------------------
 */

/* Follows the links of the last component, one that leads nowhere too. NULL with errno. */
static char *resolve(const char *path)
{
    char *at = mem_text(path);
    for (int i = 0; i < LINKS_MAX; i++) {
        char link[PATH_MAX];
        ssize_t len = readlink(at, link, sizeof link - 1);
        if (len < 0)
            return at;
        link[len] = '\0';
        const char *slash = link[0] == '/' ? NULL : strrchr(at, '/');
        struct buf next = {0};
        if (slash)
            buf_add(&next, at, (size_t)(slash - at) + 1);
        buf_text(&next, link);
        free(at);
        at = buf_take(&next);
    }
    free(at);
    errno = ELOOP;
    return NULL;
}

static void random_name(const char *target, struct buf *out)
{
    static const char LETTERS[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    unsigned char bytes[6] = {0};
    buf_clear(out);
    buf_add(out, target, (size_t)(name - target));
    buf_format(out, ".%.*s.", NAME_KEPT, name);
    ssize_t got = getrandom(bytes, sizeof bytes, 0);
    (void)got; /* a name that is taken is tried again */
    for (size_t i = 0; i < sizeof bytes; i++)
        buf_byte(out, LETTERS[bytes[i] & 63]);
}

/* A new file beside the target. 0 or an errno. */
static int open_temporary(struct file *f, const struct stat *existing)
{
    struct buf name = {0};
    int number = EEXIST;
    for (int i = 0; i < NAME_TRIES && number == EEXIST; i++) {
        random_name(f->target, &name);
        f->ticket = signals_guard_path(buf_cstr(&name));
        f->fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        number = f->fd < 0 ? errno : 0;
        if (f->fd < 0)
            signals_release_path(f->ticket);
    }
    if (number == 0 && existing)
        fchmod(f->fd,
               existing->st_mode & 0777); /* best effort: the content is what was asked for */
    f->temporary = number == 0 ? buf_take(&name) : NULL;
    buf_free(&name);
    return number;
}

/* A pipe, a device, or the name of an open descriptor (/dev/stdout, a shell's >(command)): what its
 * link leads to cannot be replaced by another file. */
static bool in_place(const char *path)
{
    static const char *const DESCRIPTORS[] = {"/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/"};
    struct stat existing;
    if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode))
        return true;
    for (size_t i = 0; i < sizeof DESCRIPTORS / sizeof *DESCRIPTORS; i++)
        if (strncmp(path, DESCRIPTORS[i], strlen(DESCRIPTORS[i])) == 0)
            return true;
    return false;
}

static int open_target(struct file *f)
{
    struct stat existing;
    bool there = stat(f->target, &existing) == 0;
    if (there && S_ISDIR(existing.st_mode))
        return EISDIR;
    if (!in_place(f->target)) {
        /* A rename would replace a file that may not be written. */
        if (there && faccessat(AT_FDCWD, f->target, W_OK, AT_EACCESS) != 0)
            return errno;
        return open_temporary(f, there ? &existing : NULL);
    }
    f->fd = open(f->target, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    return f->fd < 0 ? errno : 0;
}

static void release(struct file *f)
{
    free(f->name);
    free(f->target);
    free(f->temporary);
    free(f);
}

struct file *file_create(const char *path, struct error *error)
{
    struct file *f = mem_zero(1, sizeof *f);
    f->fd = f->ticket = -1;
    f->name = mem_text(path);
    f->target = in_place(path) ? mem_text(path) : resolve(path);
    int number = !*path ? ENOENT : f->target ? open_target(f) : errno;
    if (number == 0)
        return f;
    system_error(error, *path ? path : "\"\"", "cannot be created", number);
    release(f);
    return NULL;
}

int file_write(struct file *f, struct span bytes, struct error *error)
{
    return file_write_all(f->fd, f->name, bytes, error);
}

int file_descriptor(const struct file *f)
{
    return f->fd;
}

int file_commit(struct file *f, struct error *error)
{
    int code = 0;
    /* Some file systems report a full disk only here. */
    if (close(f->fd) != 0 && errno != EINTR)
        code = system_error(error, f->name, "could not be written", errno);
    if (code == 0 && f->temporary && rename(f->temporary, f->target) != 0)
        code = system_error(error, f->name, "could not be put in place", errno);
    if (code != 0 && f->temporary)
        unlink(f->temporary);
    signals_release_path(f->ticket);
    release(f);
    return code;
}

void file_abandon(struct file *f)
{
    if (!f)
        return;
    close(f->fd);
    if (f->temporary)
        unlink(f->temporary);
    signals_release_path(f->ticket);
    release(f);
}

int file_write_all(int fd, const char *name, struct span bytes, struct error *error)
{
    while (bytes.len) {
        ssize_t written = write(fd, bytes.ptr, bytes.len);
        if (written >= 0) {
            bytes = span_slice(bytes, (size_t)written, bytes.len);
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return system_error(error, name, "could not be written", errno);
        }
    }
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------------
 */

static int read_all(int fd, const char *name, size_t limit, struct buf *out, struct error *error)
{
    for (;;) {
        ssize_t got = read(fd, buf_reserve(out, READ_BLOCK), READ_BLOCK);
        if (got == 0)
            return 0;
        if (got > 0) {
            out->len += (size_t)got;
            if (out->len > limit)
                return error_set(error, ERROR_INPUT,
                                 "%s: is longer than %zu bytes; give a shorter file", name, limit);
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            poll(&wait, 1, -1);
        } else if (errno == EISDIR) {
            return error_set(error, ERROR_INPUT, "%s: is a folder; name a file in it", name);
        } else if (errno != EINTR) {
            return system_error(error, name, "could not be read", errno);
        } else if (signals_caught()) {
            return error_set(error, ERROR_INTERRUPTED, "%s: interrupted while it was read", name);
        }
    }
}

int file_save(const char *path, struct span bytes, struct error *error)
{
    struct file *file = file_create(path, error);
    if (!file)
        return error->code;
    int code = file_write(file, bytes, error);
    if (code == 0)
        return file_commit(file, error);
    file_abandon(file);
    return code;
}

int file_read(const char *path, size_t limit, struct buf *out, struct error *error)
{
    buf_clear(out);
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", limit, out, error);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        int number = errno;
        const char *mend = number == ENOENT || number == ENOTDIR ? "check the name"
                           : number == EACCES                    ? "change its permissions"
                                                                 : "name another file";
        return error_set(error, ERROR_INPUT, "%s: cannot be opened (%s); %s", *path ? path : "\"\"",
                         strerror(number), mend);
    }
    int code = read_all(fd, path, limit, out, error);
    close(fd);
    return code;
}

int file_text_or_at(const char *value, size_t limit, struct buf *out, struct error *error)
{
    if (value[0] == '@')
        return file_read(value + 1, limit, out, error);
    buf_clear(out);
    buf_text(out, value);
    return 0;
}
