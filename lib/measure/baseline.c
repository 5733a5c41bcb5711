/* baseline.c: see baseline.h. */
#include "measure/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "measure/passat.h"
#include "measure/passat_set.h"
#include "text/term.h"

enum {
    REPORT_MAX = 256 << 20, /* bytes; longest saved report taken */
    REPORT_HEAD = 256,      /* bytes looked at to tell a report */
};

static void take_tasks(struct baseline *b, const struct task_rate *tasks, size_t n)
{
    b->tasks = mem_zero(n, sizeof *b->tasks);
    b->n = n;
    for (size_t i = 0; i < n; i++) {
        b->tasks[i] = tasks[i];
        b->tasks[i].key = arena_span(&b->arena, tasks[i].key);
    }
}

/* Rows or partial summaries, by the ordinary report without draws. */
static int read_rows(const char *path, const struct facts_options *facts,
                     const struct row_options *rows, struct baseline *b, struct error *error)
{
    struct passat_set set;
    struct passat_input input = {.facts = *facts, .merge = true, .repeat_shards = false};
    input.facts.by = NULL;
    struct row_source source = {.paths = &path, .n_paths = 1, .options = *rows};
    if (strcmp(rows->on_bad, "skip") != 0)
        source.options.on_bad = "stop"; /* a file of bad lines holds those of the run */
    int code = passat_set_read(&set, &source, &input, error);
    if (code == 0) {
        /* Only the rates are wanted: Student's interval draws nothing. */
        struct passat_settings settings = {
            .boot = {.draws = 1, .level = STAT_LEVEL, .kind = INTERVAL_T}};
        struct passat_report report;
        passat_report_make(set.all, &settings, &report);
        take_tasks(b, report.tasks, report.n_tasks);
        for (size_t i = 0; i < SETTINGS; i++)
            if (report.settings[i].json.ptr)
                b->settings[i] = arena_span(&b->arena, report.settings[i].json);
        passat_report_free(&report);
    }
    passat_set_free(&set);
    return code;
}

static int read_report(const char *path, struct json_value report, bool hashed, struct baseline *b,
                       struct error *error)
{
    struct json_value per_task, config, value;
    if (hashed)
        return error_set(
            error, ERROR_INPUT,
            "%s: a report names its tasks, and --hash-keys does not; compare with rows "
            "or with a summary written with it",
            path);
    if (!json_get(report, SPAN("per_task"), &per_task) || per_task.type != JSON_VALUE_OBJECT)
        return error_set(error, ERROR_INPUT,
                         "%s: this report has no per_task; save it with --per-task, or use "
                         "--save-baseline",
                         path);
    struct json_cursor cursor = json_enter(per_task);
    struct json_member task;
    struct buf scratch = {0};
    b->tasks = mem_zero(json_count(per_task), sizeof *b->tasks);
    int code = 0;
    while (code == 0 && json_next_member(&cursor, &task)) {
        double rate = json_number(task.value);
        if (!(rate >= 0.0 && rate <= 1.0))
            code = error_set(error, ERROR_INPUT,
                             "%s: per_task holds something else than rates from 0 to 1; save the "
                             "report again",
                             path);
        struct span key = arena_span(&b->arena, json_key(&task, &scratch));
        b->tasks[b->n++] = (struct task_rate){key, 1, rate, rate};
    }
    if (json_get(report, SPAN("config"), &config))
        for (size_t i = 0; i < SETTINGS; i++)
            if (json_get(config, span_text(SETTING_NAMES[i]), &value) && !json_value_null(value))
                b->settings[i] = arena_span(&b->arena, value.text);
    buf_free(&scratch);
    return code;
}

/* A report may be written over several lines, so it is told by its beginning. Pipes hold rows: what
 * is looked at there is gone. */
static bool looks_like_report(const char *path)
{
    struct stat status;
    char head[REPORT_HEAD];
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return false;
    size_t len = fread(head, 1, sizeof head, file);
    fclose(file);
    return span_has(span_make(head, len), SPAN("\"wai_report\""));
}

int baseline_read(const char *path, const struct facts_options *facts,
                  const struct row_options *rows, struct baseline *b, struct error *error)
{
    *b = (struct baseline){0};
    struct buf text = {0};
    struct json_value value;
    struct json_fault fault;
    int code;
    if (!looks_like_report(path))
        return read_rows(path, facts, rows, b, error);
    code = file_read(path, REPORT_MAX, &text, error);
    if (code == 0 && json_scan(buf_span(&text), &value, NULL, &fault) < 0)
        code =
            error_set(error, ERROR_INPUT, "%s: %s at byte %zu of the saved report; save it again",
                      path, fault.what, fault.offset);
    if (code == 0)
        code = read_report(path, value, facts->hash_keys, b, error);
    buf_free(&text);
    return code;
}

void baseline_free(struct baseline *b)
{
    free(b->tasks);
    arena_free(&b->arena);
    *b = (struct baseline){0};
}

void baseline_warn(const struct baseline *b, const struct passat_report *now,
                   struct notes *warnings)
{
    static const enum measure_setting COMPARED[] = {SETTING_JUDGE_VERSION, SETTING_TEMPERATURE,
                                                    SETTING_MAX_TOKENS, SETTING_USER_MODEL};
    for (size_t i = 0; i < sizeof COMPARED / sizeof *COMPARED; i++) {
        enum measure_setting setting = COMPARED[i];
        struct span then = b->settings[setting], here = now->settings[setting].json;
        if (!then.ptr || !here.ptr)
            continue;
        struct setting_value a = setting_value_of(then, (struct position){0, 0});
        struct setting_value c = setting_value_of(here, (struct position){0, 0});
        if (setting_equal(&a, &c))
            continue;
        struct buf before = {0}, after = {0};
        term_add_head(&before, then, MEASURE_REASON_MAX);
        term_add_head(&after, here, MEASURE_REASON_MAX);
        notes_add(
            warnings, "baseline_differs",
            "%s was %s in the baseline and is %s now: the difference may be that, not the agent",
            SETTING_NAMES[setting], buf_cstr(&before), buf_cstr(&after));
        buf_free(&before);
        buf_free(&after);
    }
}
