/* ci.c: annotations, the Markdown summary, and the writing of files; JUnit is in ci_junit.c. */
#include "measure/ci.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "text/term.h"

/* ---- GitHub annotations -------------------------------------------------------------------------
 */

/* The text of a workflow command; in a property ':' and ',' end it. */
static void escape(struct buf *out, const char *text, bool property)
{
    for (; *text; text++) {
        if (*text == '%')
            buf_text(out, "%25");
        else if (*text == '\r')
            buf_text(out, "%0D");
        else if (*text == '\n')
            buf_text(out, "%0A");
        else if (property && *text == ':')
            buf_text(out, "%3A");
        else if (property && *text == ',')
            buf_text(out, "%2C");
        else
            buf_byte(out, *text);
    }
}

static void annotate(struct buf *out, const char *command, const char *tool, const char *text)
{
    buf_format(out, "::%s title=", command);
    escape(out, tool, true);
    buf_text(out, "::");
    escape(out, text, false);
    buf_byte(out, '\n');
}

static void annotate_rest(struct buf *out, const char *command, const char *tool, size_t count)
{
    if (count <= MEASURE_ANNOTATIONS)
        return;
    struct buf text = {0};
    buf_format(&text, "and %zu more", count - MEASURE_ANNOTATIONS);
    annotate(out, command, tool, buf_cstr(&text));
    buf_free(&text);
}

void ci_github(const struct ci_report *report, struct buf *out)
{
    size_t errors = 0;
    for (size_t i = 0; i < report->gates->count; i++) {
        const struct gate *gate = &report->gates->items[i];
        if (gate->red && ++errors <= MEASURE_ANNOTATIONS)
            annotate(out, "error", report->tool, gate->text);
    }
    annotate_rest(out, "error", report->tool, errors);
    for (size_t i = 0; i < report->warnings->count && i < MEASURE_ANNOTATIONS; i++)
        annotate(out, "warning", report->tool, report->warnings->items[i].text);
    annotate_rest(out, "warning", report->tool, report->warnings->count);
    annotate(out, "notice", report->tool, report->headline);
}

/* ---- Markdown -----------------------------------------------------------------------------------
 */

/* One line of text in a table's cell: what Markdown and HTML would read as theirs is escaped. */
static void cell(struct buf *out, const char *text)
{
    struct buf safe = {0};
    term_add(&safe, span_text(text));
    for (size_t i = 0; i < safe.len; i++) {
        char c = safe.data[i];
        if (c == '<')
            buf_text(out, "&lt;");
        else if (c == '&')
            buf_text(out, "&amp;");
        else if (strchr("|`*[]\\", c) && c)
            buf_format(out, "\\%c", c);
        else
            buf_byte(out, c);
    }
    buf_free(&safe);
}

static void number_cell(struct buf *out, double value)
{
    buf_text(out, " | ");
    if (isnan(value))
        buf_text(out, "n/a");
    else
        buf_format(out, "%.4g", value);
}

static void interval_cell(struct buf *out, struct interval interval)
{
    if (interval_known(interval))
        buf_format(out, " | %.4g..%.4g", interval.low, interval.high);
    else
        buf_text(out, " | ");
}

void ci_summary(const struct ci_report *report, struct buf *out)
{
    buf_format(
        out,
        "### %s\n\n| metric | value | interval | n | gate |\n| --- | --- | --- | --- | --- |\n",
        report->tool);
    for (size_t i = 0; i < report->n_rows; i++) {
        const struct ci_row *row = &report->rows[i];
        buf_text(out, "| ");
        cell(out, row->metric);
        number_cell(out, row->value);
        interval_cell(out, row->interval);
        buf_format(out, " | %zu | |\n", row->n_tasks);
    }
    for (size_t i = 0; i < report->gates->count; i++) {
        const struct gate *gate = &report->gates->items[i];
        buf_text(out, "| ");
        cell(out, gate->metric);
        number_cell(out, gate->value);
        interval_cell(out, gate->interval);
        buf_format(out, " | %zu | %s %s", gate->n_tasks, gate->red ? "red" : "ok", gate->rule);
        if (!isnan(gate->limit))
            buf_format(out, " %.6g", gate->limit);
        if (gate->red)
            buf_format(out, ": %s", gate->reason);
        buf_text(out, " |\n");
    }
    buf_byte(out, '\n');
    for (size_t i = 0; i < report->notes->count; i++) {
        buf_text(out, "- ");
        cell(out, report->notes->items[i].text);
        buf_byte(out, '\n');
    }
    for (size_t i = 0; i < report->warnings->count; i++) {
        buf_text(out, "- warning: ");
        cell(out, report->warnings->items[i].text);
        buf_byte(out, '\n');
    }
}

/* ---- files --------------------------------------------------------------------------------------
 */

bool ci_in_github(void)
{
    const char *value = getenv("GITHUB_ACTIONS");
    return value && strcmp(value, "true") == 0;
}

static const char *step_summary(void)
{
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    return path && *path ? path : NULL;
}

int ci_check(const struct ci_options *options, struct error *error)
{
    if (options->summary && !*options->summary && !step_summary())
        return error_set(
            error, ERROR_USAGE,
            "--summary: GITHUB_STEP_SUMMARY is not set; name a file with --summary=FILE");
    return 0;
}

/* The file of a workflow step holds what earlier commands of the step wrote. */
static int append(const char *path, struct span text, struct error *error)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_errno(error, ERROR_SYSTEM, "%s: cannot be written", path);
    int code = file_write_all(fd, path, text, error);
    if (close(fd) < 0 && code == 0)
        code = error_errno(error, ERROR_SYSTEM, "%s: cannot be written", path);
    return code;
}

int ci_write(const struct ci_report *report, const struct ci_options *options, struct error *error)
{
    struct buf text = {0};
    int code = 0;
    if (options->junit) {
        ci_junit(report, options, &text);
        code = file_save(options->junit, buf_span(&text), error);
    }
    if (code == 0 && options->summary) {
        buf_clear(&text);
        ci_summary(report, &text);
        code = *options->summary ? file_save(options->summary, buf_span(&text), error)
                                 : append(step_summary(), buf_span(&text), error);
    }
    if (code == 0 && options->github) {
        buf_clear(&text);
        ci_github(report, &text);
        code = file_write_all(STDERR_FILENO, "standard error", buf_span(&text), error);
    }
    buf_free(&text);
    return code;
}
