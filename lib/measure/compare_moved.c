/* compare_moved.c: which tasks moved: the headline's metric per task, before and after, so that a red
 * gate names what to look at. */
#include <stdlib.h>

#include "base/mem.h"
#include "measure/compare_inside.h"

static double change_of(const struct task_change *task)
{
    return task->after - task->before;
}

static int by_change(const void *left, const void *right)
{
    double a = change_of(left), b = change_of(right);
    if (a != b)
        return a < b ? -1 : 1;
    return span_compare(((const struct task_change *)left)->key,
                        ((const struct task_change *)right)->key);
}

void compare_per_task(struct compare_report *r)
{
    const struct compared *m = r->headline;
    if (!r->options->asked->per_task)
        return;
    struct map before = {0};
    for (size_t i = 0; i < m->n[BEFORE]; i++)
        map_add(&before, m->tasks[BEFORE][i].key, NULL);
    r->tasks = mem_zero(m->n[AFTER], sizeof *r->tasks);
    for (size_t i = 0; before.count && i < m->n[AFTER]; i++) {
        size_t at = map_find(&before, m->tasks[AFTER][i].key);
        if (at == MAP_NONE)
            continue;
        struct task_change task = {m->tasks[AFTER][i].key, m->tasks[BEFORE][at].mean,
                                   m->tasks[AFTER][i].mean};
        r->n_fell += change_of(&task) < 0.0;
        r->n_rose += change_of(&task) > 0.0;
        r->tasks[r->n_per_task++] = task;
    }
    qsort(r->tasks, r->n_per_task, sizeof *r->tasks, by_change);
    map_free(&before);
}
