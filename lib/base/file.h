/* file.h: files that are written whole or not at all, and reads of small files.
 *
 * file_create writes to a temporary name beside the target, file_commit syncs the data out of the
 * process and renames it. A file that is not committed is removed: by file_abandon, at exit, and
 * when a signal ends the process (signals.h). A symbolic link is followed, an existing file keeps
 * its permissions. Paths that are not regular files (/dev/null, a pipe) are written in place. */
#ifndef WAI_BASE_FILE_H
#define WAI_BASE_FILE_H

#include "base/buf.h"
#include "base/error.h"

struct file; /* being written */

struct file *file_create(const char *path, struct error *error); /* NULL: ERROR_SYSTEM */
int file_write(struct file *f, struct span bytes, struct error *error);
int file_descriptor(const struct file *f);
int file_commit(struct file *f, struct error *error); /* frees f, also on failure */
void file_abandon(struct file *f);

/* These bytes as the whole of a file: create, write, commit. ERROR_SYSTEM leaves what was there. */
int file_save(const char *path, struct span bytes, struct error *error);

/* The whole of a file, up to `limit` bytes. "-" is standard input. ERROR_INPUT when it cannot be
 * opened or is too long, ERROR_SYSTEM when a read breaks off, ERROR_INTERRUPTED by a caught signal.
 */
int file_read(const char *path, size_t limit, struct buf *out, struct error *error);

/* The value of an option written TEXT|@FILE: the text itself, or the content of FILE. */
int file_text_or_at(const char *value, size_t limit, struct buf *out, struct error *error);

/* Writes bytes to a descriptor, retrying short writes. Closed pipe: SIGPIPE ends the process. Full
 * disk and the like: ERROR_SYSTEM with `name` and what to do. */
int file_write_all(int fd, const char *name, struct span bytes, struct error *error);

/* A folder of the process's own under $TMPDIR, removed with all in it by scratch_remove, at exit
 * and on a signal. */
int scratch_make(struct buf *path, struct error *error);
void scratch_remove(const char *path);

#endif
