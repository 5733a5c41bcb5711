/* ci_junit.c: JUnit XML: a test case per gate and, when asked, per task. */
#include <math.h>

#include "measure/ci.h"
#include "text/utf8.h"

enum { REPLACEMENT = 0xfffd };

/* Characters that XML 1.0 has (section 2.2). */
static bool in_xml(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) ||
           (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

/* A text as the value of an attribute. */
static void attribute(struct buf *out, const char *name, struct span text)
{
    buf_format(out, " %s=\"", name);
    for (size_t at = 0; at < text.len;) {
        uint32_t c = utf8_next(text, &at);
        if (c == '&')
            buf_text(out, "&amp;");
        else if (c == '<')
            buf_text(out, "&lt;");
        else if (c == '>')
            buf_text(out, "&gt;");
        else if (c == '"')
            buf_text(out, "&quot;");
        else if (c == '\t' || c == '\n' || c == '\r')
            buf_format(out, "&#%u;", (unsigned)c); /* else it would be read as a space */
        else
            utf8_add(out, in_xml(c) ? c : REPLACEMENT);
    }
    buf_byte(out, '"');
}

static void failure(struct buf *out, const char *type, const char *message)
{
    buf_text(out, "<failure");
    attribute(out, "type", span_text(type));
    attribute(out, "message", span_text(message));
    buf_text(out, "/>");
}

static void gate_case(struct buf *out, const char *tool, const struct gate *gate)
{
    struct buf name = {0}, class = {0};
    buf_format(&class, "%s.gate", tool);
    buf_format(&name, "%s %s", gate->metric, gate->rule);
    if (!isnan(gate->limit))
        buf_format(&name, " %.6g", gate->limit);
    buf_text(out, "    <testcase");
    attribute(out, "classname", buf_span(&class));
    attribute(out, "name", buf_span(&name));
    if (gate->red) {
        buf_byte(out, '>');
        failure(out, gate->rule, gate->text);
        buf_text(out, "</testcase>\n");
    } else {
        buf_text(out, "/>\n");
    }
    buf_free(&name);
    buf_free(&class);
}

static void open_task(struct buf *out, const char *tool, struct span key)
{
    struct buf class = {0};
    buf_format(&class, "%s.task", tool);
    buf_text(out, "    <testcase");
    attribute(out, "classname", buf_span(&class));
    attribute(out, "name", key);
    buf_free(&class);
}

static bool task_fails(const struct task_rate *task, double floor)
{
    return task->mean < floor - MEASURE_GATE_SLACK;
}

static void task_cases(struct buf *out, const struct ci_report *report, double floor)
{
    for (size_t i = 0; i < report->n_tasks; i++) {
        const struct task_rate *task = &report->tasks[i];
        open_task(out, report->tool, task->key);
        if (!task_fails(task, floor)) {
            buf_text(out, "/>\n");
            continue;
        }
        struct buf message = {0};
        buf_format(&message, "%.0f of %llu tries pass, %.4g; the floor is %.4g", task->sum,
                   (unsigned long long)task->n, task->mean, floor);
        buf_byte(out, '>');
        failure(out, "task-floor", buf_cstr(&message));
        buf_text(out, "</testcase>\n");
        buf_free(&message);
    }
    for (size_t i = 0; i < report->n_unjudged; i++) {
        open_task(out, report->tool, report->unjudged[i]);
        buf_text(out, "><skipped/></testcase>\n");
    }
}

void ci_junit(const struct ci_report *report, const struct ci_options *options, struct buf *out)
{
    size_t failures = gates_red(report->gates), tests = report->gates->count, skipped = 0;
    if (options->junit_tasks) {
        tests += report->n_tasks + report->n_unjudged;
        skipped = report->n_unjudged;
        for (size_t i = 0; i < report->n_tasks; i++)
            failures += task_fails(&report->tasks[i], options->task_floor);
    }
    buf_format(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"%s\" tests=\"%zu\" "
               "failures=\"%zu\" errors=\"0\">\n  <testsuite name=\"%s\" tests=\"%zu\" "
               "failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n    <properties>\n",
               report->tool, tests, failures, report->tool, tests, failures, skipped);
    for (size_t i = 0; i < report->n_properties; i++) {
        buf_text(out, "      <property");
        attribute(out, "name", span_text(report->properties[i].name));
        attribute(out, "value", report->properties[i].value);
        buf_text(out, "/>\n");
    }
    buf_text(out, "    </properties>\n");
    for (size_t i = 0; i < report->gates->count; i++)
        gate_case(out, report->tool, &report->gates->items[i]);
    if (options->junit_tasks)
        task_cases(out, report, options->task_floor);
    buf_text(out, "  </testsuite>\n</testsuites>\n");
}
