/* passat_ci.c: a report of pass rates in the forms of ci.h. */
#include <stdlib.h>

#include "measure/ci.h"
#include "measure/passat_set.h"

enum { ROWS = 9, EXTRA = 5 }; /* metrics of the table; properties beside the settings */

static size_t table(const struct passat_report *report, struct ci_row rows[ROWS])
{
    size_t n = 0;
    for (; n < ROWS && PASSAT_METRICS[n]; n++) {
        struct metric_value found;
        passat_metric(report, span_text(PASSAT_METRICS[n]), &found);
        rows[n] = (struct ci_row){PASSAT_METRICS[n], found.value, found.interval, found.n_tasks};
    }
    return n;
}

/* How the rows were made and the intervals drawn. texts holds what the properties borrow. */
static size_t properties(const struct passat_view *view, struct buf texts[2],
                         struct ci_property out[SETTINGS + EXTRA])
{
    const struct boot_options *boot = &view->settings->boot;
    size_t n = 0;
    for (size_t i = 0; i < SETTINGS; i++)
        if (view->report->settings[i].json.ptr)
            out[n++] = (struct ci_property){SETTING_NAMES[i], view->report->settings[i].json};
    buf_format(&texts[0], "%lld", (long long)boot->draws);
    buf_format(&texts[1], "%g", boot->level);
    out[n++] = (struct ci_property){"seed", span_text(view->seed)};
    out[n++] = (struct ci_property){"n_boot", buf_span(&texts[0])};
    out[n++] = (struct ci_property){"level", buf_span(&texts[1])};
    out[n++] = (struct ci_property){"interval", span_text(interval_kind_name(boot->kind))};
    out[n++] = (struct ci_property){"scheme", span_text(boot_scheme_name(view->report->scheme))};
    return n;
}

/* The keys of the tasks that have no verdict. */
static struct span *unjudged(const struct map *tasks, const struct passat_report *report,
                             size_t *count)
{
    struct map judged = {0};
    struct span *keys = mem_zero(tasks->count, sizeof *keys);
    for (size_t i = 0; tasks->count && i < report->n_tasks; i++)
        map_add(&judged, report->tasks[i].key, NULL);
    *count = 0;
    for (size_t i = 0; i < tasks->count; i++)
        if (map_find(&judged, tasks->keys[i]) == MAP_NONE)
            keys[(*count)++] = tasks->keys[i];
    map_free(&judged);
    return keys;
}

int passat_ci_write(const struct passat_set *set, const struct passat_view *view,
                    const struct ci_options *options, struct error *error)
{
    const struct passat_report *report = view->report;
    struct ci_row rows[ROWS];
    struct ci_property made[SETTINGS + EXTRA];
    struct buf texts[2] = {{0}}, headline = {0};
    passat_headline(report, &headline);
    struct ci_report ci = {.tool = "wai-passat",
                           .headline = buf_cstr(&headline),
                           .gates = view->gates,
                           .notes = &report->notes,
                           .warnings = &report->warnings,
                           .properties = made,
                           .n_properties = properties(view, texts, made),
                           .rows = rows,
                           .n_rows = table(report, rows),
                           .tasks = report->tasks,
                           .n_tasks = report->n_tasks};
    struct span *rest = unjudged(&set->tasks, report, &ci.n_unjudged);
    ci.unjudged = rest;
    int code = ci_write(&ci, options, error);
    free(rest);
    buf_free(&headline);
    buf_free(&texts[0]);
    buf_free(&texts[1]);
    return code;
}
