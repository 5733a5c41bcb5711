/* log.c: see log.h. Each message is one write, so lines of several processes do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/signals.h"

enum { CHILD_PIECE = 240 }; /* bytes of a co-process's line; each may be shown as four */

static const char *program_name = "wai";
static bool be_quiet;

void log_quiet(bool quiet)
{
    be_quiet = quiet;
}

bool log_is_quiet(void)
{
    return be_quiet;
}

const char *log_program(void)
{
    return program_name;
}

static void put_line(const char *kind, const char *text)
{
    struct buf line = {0};
    buf_format(&line, "%s: %s%s\n", program_name, kind, text);
    /* Nothing sensible is left to do when standard error itself cannot be written. */
    ssize_t written = write(STDERR_FILENO, line.data, line.len);
    (void)written;
    buf_free(&line);
}

/* The sentence goes through struct error, whose text is safe for a terminal. */
static void put_format(const char *kind, const char *format, va_list args)
{
    struct buf text = {0};
    struct error safe;
    buf_vformat(&text, format, args);
    error_set(&safe, 0, "%s", buf_cstr(&text));
    put_line(kind, safe.text);
    buf_free(&text);
}

/* A line of a co-process, in pieces that fit. */
static void put_child_line(int number, struct span line)
{
    struct error safe;
    char who[32] = "child: ";
    if (number >= 0)
        snprintf(who, sizeof who, "child %d: ", number);
    do {
        size_t n = line.len < CHILD_PIECE ? line.len : CHILD_PIECE;
        error_set(&safe, 0, "%.*s", (int)n, line.ptr ? line.ptr : "");
        put_line(who, safe.text);
        line = span_slice(line, n, line.len);
    } while (line.len);
}

void log_open(const char *program)
{
    const char *slash = strrchr(program, '/');
    program_name = slash ? slash + 1 : program;
    child_hear_by_default(put_child_line);
}

void log_note(const char *format, ...)
{
    if (be_quiet)
        return;
    va_list args;
    va_start(args, format);
    put_format("", format, args);
    va_end(args);
}

void log_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_format("warning: ", format, args);
    va_end(args);
}

void log_error(const struct error *e)
{
    put_line("", e->text);
}

int log_fail(const struct error *e)
{
    log_error(e);
    return e->code == ERROR_INTERRUPTED && signals_caught() ? signals_exit_status() : -e->code;
}
