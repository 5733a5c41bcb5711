/* rows.c: wai-export without a verb: rows through the export rooms to a file or a package, its report
 * and its data card; or a trainer's configuration. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "cmd/wai-export/verbs.h"
#include "export/card.h"
#include "export/inputs.h"
#include "export/preference.h"
#include "export/training.h"
#include "row/filter.h"
#include "row/writer.h"

/* What the kinds have in common, once the options are read. */
struct export
{
    const struct settings *settings;
    struct export_build build;
    struct buf system_prompt, tools, steps;
    struct export_card_input input;
    uint64_t bad;
    int jobs;
    struct export_training_options training_options;
    struct export_preference_options preference_options;
    struct export_environment_options environment_options;
    struct export_training *training; /* one of the three */
    struct export_preference *preference;
    struct export_environment *environment;
};

static void say_lines(struct buf *text)
{
    char *save = NULL;
    buf_cstr(text);
    for (char *line = strtok_r(text->data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        log_warning("%s", line);
    buf_clear(text);
}

/* Options that the kind has no use for are a mistake, not a wish to be passed over. */
static int check_kind(const struct settings *s, bool pairs, bool trl_alone, struct error *error)
{
    if ((pairs || trl_alone) && (s->unroll || strcmp(s->mask_mode, "assistant") != 0))
        return error_set(error, ERROR_USAGE,
                         "--unroll and --mask-mode are for training files; leave them out");
    bool llamafactory = s->format && strcmp(s->format, "llamafactory") == 0;
    if (trl_alone && s->format && strcmp(s->format, "trl") != 0 &&
        !(llamafactory && strcmp(s->kind, "kto") == 0))
        return error_set(error, ERROR_USAGE, "--kind %s is written for trl%s; leave out --format",
                         s->kind, strcmp(s->kind, "kto") == 0 ? " and llamafactory" : "");
    if (pairs && s->format && strcmp(s->format, "axolotl") == 0)
        return error_set(error, ERROR_USAGE,
                         "Axolotl's preference readers drop tool calls; it takes --format trl");
    if (s->markers.count &&
        (pairs || trl_alone || strcmp(s->kind, "training") != 0 ||
         (s->format && strcmp(s->format, "openai") != 0 && strcmp(s->format, "trl") != 0)))
        return error_set(error, ERROR_USAGE,
                         "--marker-reward is for training files of openai and trl; leave it out");
    if (s->push_to && !s->output && strcmp(s->kind, "environment") != 0)
        return error_set(error, ERROR_USAGE,
                         "--push-to pushes what was written; name its file with --output");
    if (s->push_to && hub_check_name(s->push_to, error) < 0)
        return ERROR_USAGE;
    if (s->json && !s->output && strcmp(s->kind, "environment") != 0)
        return error_set(
            error, ERROR_USAGE,
            "--json prints the report where the rows go; name a file for them with --output");
    return 0;
}

static int read_options(struct export *e, bool pairs, bool trl_alone, struct error *error)
{
    struct buf notes = {0};
    int code = check_kind(e->settings, pairs, trl_alone, error);
    if (code == 0)
        code = export_read_prompt(e->settings->system_prompt, e->settings->policy,
                                  &e->system_prompt, error);
    if (code == 0)
        code = export_read_tools(e->settings->tools, &e->tools, &notes, error);
    say_lines(&notes);
    buf_free(&notes);
    if (code == 0)
        code = export_card_steps(&e->settings->step_reports, &e->steps, error);
    return code;
}

static int open_export(struct export *e, struct error *error)
{
    const struct settings *s = e->settings;
    bool kto = strcmp(s->kind, "kto") == 0, reward = strcmp(s->kind, "reward") == 0;
    bool pairs = reward || strcmp(s->kind, "preference") == 0;
    int code = read_options(e, pairs, kto || reward, error);
    if (code != 0)
        return code;
    const char *wanted = s->format ? s->format : kto || reward ? "trl" : "openai";
    enum export_format format = EXPORT_OPENAI;
    while (strcmp(wanted, EXPORT_FORMAT_NAMES[format]) != 0)
        format++;
    e->build = (struct export_build){.system_prompt = buf_span(&e->system_prompt),
                                     .replace_system = s->replace_system,
                                     .keep_think = s->no_strip_think,
                                     .drop_parts = s->drop_parts,
                                     .max_tool_output = s->max_tool_output};
    bool final = kto || strcmp(s->mask_mode, "final") == 0;
    e->training_options =
        (struct export_training_options){.format = format,
                                         .mask = final ? EXPORT_MASK_FINAL : EXPORT_MASK_ASSISTANT,
                                         .unroll = s->unroll,
                                         .kto = kto,
                                         .build = e->build,
                                         .tools = buf_span(&e->tools),
                                         .markers = s->markers.items,
                                         .n_markers = s->markers.count};
    e->preference_options = (struct export_preference_options){.format = format,
                                                               .keep_ties = s->keep_ties,
                                                               .whole = reward,
                                                               .build = e->build,
                                                               .tools = buf_span(&e->tools)};
    e->jobs = s->rows.jobs ? (int)s->rows.jobs : pool_cpu_count();
    if (pairs)
        e->preference = export_preference_new(&e->preference_options, e->jobs);
    else
        e->training = export_training_new(&e->training_options, e->jobs);
    return 0;
}

static bool with_card(const struct export *e)
{
    return (e->settings->output || e->environment_options.package) && !e->settings->no_card;
}

static int work(void *context, int worker, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct export *e = context;
    if (e->environment)
        return 0;
    return e->training ? export_training_work(e->training, worker, row, result, error)
                       : export_preference_work(e->preference, worker, row, result, error);
}

static int done(void *context, const struct row *row, struct row_result *result,
                struct error *error)
{
    struct export *e = context;
    if (with_card(e))
        export_card_row(&e->input, row);
    if (e->environment) {
        export_environment_row(e->environment, row);
        return 0;
    }
    return e->training ? export_training_done(e->training, row, result, error)
                       : export_preference_done(e->preference, row, result, error);
}

/* --kind environment and prompts: rows into tasks, one thread. */
static int open_environment(struct export *e, struct error *error)
{
    const struct settings *s = e->settings;
    const char *context = getenv("ZP_CONTEXT_TOKENS");
    bool package = strcmp(s->kind, "environment") == 0;
    int code = read_options(e, true, false, error);
    if (code != 0)
        return code;
    if (package ? s->output != NULL : s->environment.out != NULL)
        return error_set(error, ERROR_USAGE,
                         package ? "an environment is a folder; name it with --out, not --output"
                                 : "prompts are one file; name it with --output, not --out");
    e->environment_options = s->environment;
    e->environment_options.package = package;
    e->environment_options.system_prompt = buf_span(&e->system_prompt);
    e->environment_options.tools = buf_span(&e->tools);
    if (context && option_read_int(context, &e->environment_options.context_tokens) != 0)
        log_warning("ZP_CONTEXT_TOKENS is no number and is passed over");
    e->jobs = 1;
    e->environment = export_environment_new(&e->environment_options, error);
    return e->environment ? 0 : error->code;
}

static void close_export(struct export *e)
{
    export_environment_free(e->environment);
    export_training_free(e->training);
    export_preference_free(e->preference);
    buf_free(&e->system_prompt);
    buf_free(&e->tools);
    buf_free(&e->steps);
}

static int read_rows(struct export *e, const struct operands *operands, struct error *error)
{
    struct row_counts counts = {0};
    struct row_filter filter = {
        .source = {.paths = operands->items,
                   .n_paths = operands->count,
                   .options = e->settings->rows},
        .jobs = e->jobs,
        .work = work,
        .done = done,
        .context = e,
    };
    export_card_start(&e->input);
    int code = row_filter_run(&filter, &counts, error);
    e->bad = counts.bad;
    if (code == 0 && counts.bad)
        log_warning("%llu bad lines were left out", (unsigned long long)counts.bad);
    return code;
}

static int write_rows(struct export *e, struct error *error)
{
    struct row_writer *writer = row_writer_open(e->settings->output, error);
    if (!writer)
        return error->code;
    int code = 0;
    if (e->environment) {
        struct buf lines = {0};
        export_environment_lines(e->environment, &lines);
        code = row_writer_lines(writer, buf_span(&lines), error);
        buf_free(&lines);
    } else {
        code = e->training ? export_training_write(e->training, writer, error)
                           : export_preference_write(e->preference, writer, error);
    }
    if (code == 0)
        return row_writer_close(writer, error);
    if (code == ERROR_INTERRUPTED && !e->settings->output)
        row_writer_flush(writer, NULL);
    row_writer_abandon(writer);
    return code;
}

static int write_card(struct export *e, const struct operands *operands, struct span report,
                      struct error *error)
{
    struct buf tasks = {0}, path = {0};
    struct export_card card = {.output = e->settings->output,
                               .sources = operands->items,
                               .n_sources = operands->count,
                               .bad = e->bad,
                               .input = &e->input,
                               .report = report,
                               .steps = buf_span(&e->steps)};
    if (e->environment_options.package) {
        export_environment_paths(e->environment, &tasks, &path);
        card.output = buf_cstr(&tasks);
        card.path = buf_cstr(&path);
    }
    int code = export_card_write(&card, error);
    buf_free(&tasks);
    buf_free(&path);
    return code;
}

/* --push-to: the file and its card, or the package. The report gets what the Hub said. */
static int push(struct export *e, struct buf *text, struct error *error)
{
    const struct settings *s = e->settings;
    const char *paths[2] = {s->output ? s->output : s->environment.out};
    struct buf card = {0}, hub = {0};
    size_t n = 1;
    if (s->output && with_card(e)) {
        buf_format(&card, "%s.card.md", s->output);
        paths[n++] = buf_cstr(&card);
    }
    int code = hub_push_files(paths, n, s->push_to, s->is_public, &hub, error);
    if (code == 0) {
        text->len -= strlen("\n}\n");
        buf_text(text, ",\n  \"hub\": ");
        buf_span_add(text, buf_span(&hub));
        buf_text(text, "\n}\n");
    }
    buf_free(&card);
    buf_free(&hub);
    return code;
}

static int write_report(struct export *e, const struct operands *operands, bool written,
                        struct error *error)
{
    const struct settings *s = e->settings;
    struct buf text = {0};
    struct json_writer w;
    struct error unused;
    int code = 0;
    json_write_start(&w, &text, JSON_STYLE_INDENTED);
    if (e->environment)
        export_environment_report(
            e->environment, e->environment_options.package ? s->environment.out : s->output, &w);
    else if (e->training)
        export_training_report(e->training, s->output, written, &w);
    else
        export_preference_report(e->preference, s->output, written, &w);
    buf_byte(&text, '\n');
    if (written && with_card(e))
        code = write_card(e, operands, buf_span(&text), error);
    if (code == 0 && written && s->push_to)
        code = push(e, &text, error);
    /* What was written is told even when it could not be pushed. */
    int told = 0;
    if (s->json)
        told = file_write_all(STDOUT_FILENO, "standard output", buf_span(&text),
                              code ? &unused : error);
    if (told == 0 && s->report)
        told = file_save(s->report, buf_span(&text), code ? &unused : error);
    buf_free(&text);
    return code ? code : told;
}

static void say(const struct export *e)
{
    struct buf text = {0};
    if (e->environment)
        export_environment_notes(e->environment, &text);
    else if (e->training)
        export_training_notes(e->training, &text);
    else
        export_preference_notes(e->preference, &text);
    say_lines(&text);
    if (e->environment)
        export_environment_summary(e->environment, &text);
    else if (e->training)
        export_training_summary(e->training, &text);
    else
        export_preference_summary(e->preference, &text);
    log_note("%s", buf_cstr(&text));
    buf_free(&text);
}

static int run(struct export *e, const struct operands *operands, struct error *error)
{
    int code = open_export(e, error);
    if (code == 0)
        code = read_rows(e, operands, error);
    if (code != 0)
        return code;
    int red = e->training ? export_training_check(e->training, error)
                          : export_preference_check(e->preference, error);
    bool validate = !e->settings->no_validate;
    bool nothing = e->preference && export_preference_count(e->preference) == 0;
    struct error unused;
    if (red && validate) {
        write_report(e, operands, false,
                     &unused); /* what is wrong, row by row; the error says it in short */
        return red;
    }
    if (!nothing)
        code = write_rows(e, error);
    if (code == 0)
        code = write_report(e, operands, !nothing, error);
    if (code == 0)
        say(e);
    return code;
}

static int run_environment(struct export *e, const struct operands *operands, struct error *error)
{
    int code = open_environment(e, error);
    if (code == 0)
        code = read_rows(e, operands, error);
    if (code == 0)
        code = export_environment_close(e->environment, error);
    if (code == 0)
        code = e->environment_options.package ? export_environment_write(e->environment, error)
                                              : write_rows(e, error);
    if (code == 0)
        code = write_report(e, operands, true, error);
    if (code == 0)
        say(e);
    return code;
}

int export_run_config(const struct settings *s, const struct operands *operands,
                      struct error *error)
{
    struct export_config config = {0};
    int code = 0;
    if (operands->count)
        return error_set(error, ERROR_USAGE, "--kind config reads no rows; leave out %s",
                         operands->items[0]);
    code = export_config_make(&s->config, s->output, &config, error);
    if (code == 0 && s->output)
        code = file_save(s->output, buf_span(&config.text), error);
    if (code == 0 && (s->json || !s->output))
        code = file_write_all(STDOUT_FILENO, "standard output",
                              buf_span(s->json ? &config.report : &config.text), error);
    if (code == 0 && s->report)
        code = file_save(s->report, buf_span(&config.report), error);
    if (code == 0) {
        say_lines(&config.notes);
        log_note("start it with: %s", buf_cstr(&config.command));
    }
    export_config_free(&config);
    return code;
}

int export_run_rows(const struct settings *s, const struct operands *operands, struct error *error)
{
    struct export e = {.settings = s};
    bool tasks = strcmp(s->kind, "environment") == 0 || strcmp(s->kind, "prompts") == 0;
    int code = tasks ? run_environment(&e, operands, error) : run(&e, operands, error);
    close_export(&e);
    return code;
}
