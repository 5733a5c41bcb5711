/* hub.c: wai-export push and pull: files to the Hugging Face Hub and back. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "cmd/wai-export/verbs.h"
#include "json/write.h"

struct hub_options {
    const char *report, *out, *output, *type;
    struct option_list include;
    bool json, quiet, is_public, dry_run;
};

#define FIELD(name) offsetof(struct hub_options, name)
#define COMMON                                                                                    \
    {OPTION_FLAG, 0, "dry-run", FIELD(dry_run), NULL, "say what would be done and send no file"}, \
        {OPTION_FLAG, 0, "json", FIELD(json), NULL, "print the report on standard output"},       \
        {OPTION_TEXT,   0,      "report",                                                         \
         FIELD(report), "FILE", "write the report to FILE as one JSON object",                    \
         .file = true},                                                                           \
    {                                                                                             \
        OPTION_FLAG, 'q', "quiet", FIELD(quiet), NULL, "no notes on standard error"               \
    }

static const struct option PUSH_OPTIONS[] = {
    {OPTION_FLAG, 0, "public", FIELD(is_public), NULL, "everybody may read it (private)"},
    COMMON,
    {0},
};

static const struct option PULL_OPTIONS[] = {
    {OPTION_TEXT, 0, "out", FIELD(out), "DIR",
     "put the files there (the rows of its JSONL files go to standard output)", .file = true},
    {OPTION_TEXT, 'o', "output", FIELD(output), "FILE",
     "the rows go to FILE, compressed when it ends in .zst", .file = true},
    {OPTION_LIST, 0, "include", FIELD(include), "PATTERN",
     "only files whose path matches, as the shell's * and ? do; repeatable (all)"},
    {OPTION_CHOICE, 0, "type", FIELD(type), "dataset|model", "what the repository is (dataset)",
     .choices = "dataset|model"},
    COMMON,
    {0},
};

const struct command HUB_VERBS[] = {
    {.name = "push",
     .synopsis = "[OPTIONS] SOURCE NS/NAME",
     .purpose = "a file, a folder or rows (-) to a repository of the Hugging Face Hub",
     .options = PUSH_OPTIONS,
     .examples = "wai-export push sft.jsonl my-team/support-sft\n"
                 "wai-select --mode sft scored.jsonl | wai-export push - my-team/support-rows\n"},
    {.name = "pull",
     .synopsis = "[OPTIONS] NS/NAME[@REVISION]",
     .purpose = "rows or files of a repository of the Hugging Face Hub",
     .options = PULL_OPTIONS,
     .examples = "wai-export pull my-team/support-rows | wai-rows check\n"
                 "wai-export pull --out model --type model my-team/support-adapter@v2\n"},
    {0},
};

static void say(void *data, bool warning, const char *line)
{
    (void)data;
    (warning ? log_warning : log_note)("%s", line);
}

static const struct hub_events EVENTS = {say, NULL};

/* The members of the report behind the name of what made it. */
static int deliver(const struct hub_options *o, const char *name, const struct buf *members,
                   struct error *error)
{
    struct json_writer w;
    struct json_value value;
    struct json_member member;
    struct json_fault fault;
    struct buf text = {0};
    int code = 0;
    json_write_start(&w, &text, JSON_STYLE_INDENTED);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, name);
    if (json_scan(buf_span(members), &value, NULL, &fault) == 0) {
        struct json_cursor cursor = json_enter(value);
        while (json_next_member(&cursor, &member))
            json_write_member(&w, &member);
    }
    json_write_end_object(&w);
    buf_byte(&text, '\n');
    if (o->json)
        code = file_write_all(STDOUT_FILENO, "standard output", buf_span(&text), error);
    if (code == 0 && o->report)
        code = file_save(o->report, buf_span(&text), error);
    buf_free(&text);
    return code;
}

/* done: what happened to how many files; way: "to" or "from" the repository. */
static void tell(const struct buf *members, const char *done, const char *way)
{
    struct json_value value, item;
    struct json_fault fault;
    struct buf line = {0}, scratch = {0};
    json_scan(buf_span(members), &value, NULL, &fault);
    size_t files = json_get(value, SPAN("files"), &item) ? json_count(item) : 0;
    buf_format(&line, "%s %zu file%s %s ", done, files, files == 1 ? "" : "s", way);
    if (json_get(value, SPAN("repo_id"), &item))
        buf_span_add(&line, json_text(item, &scratch));
    if (json_get(value, SPAN("commit"), &item) && item.type == JSON_VALUE_STRING) {
        buf_text(&line, ", change ");
        buf_span_add(&line, json_text(item, &scratch));
    }
    log_note("%s", buf_cstr(&line));
    buf_free(&line);
    buf_free(&scratch);
}

int hub_push_files(const char *const *paths, size_t n, const char *name, bool is_public,
                   struct buf *report, struct error *error)
{
    struct hub_push push = {
        .sources = paths, .n_sources = n, .name = name, .is_public = is_public, .events = EVENTS};
    struct hub *hub = hub_open(true, error);
    int code = hub ? hub_push(hub, &push, report, error) : error->code;
    hub_close(hub);
    if (code == 0)
        tell(report, "pushed", "to");
    return code;
}

static int run_push(const struct hub_options *o, const struct operands *operands,
                    struct error *error)
{
    struct buf members = {0};
    int code = 0;
    if (operands->count != 2)
        return error_set(error, ERROR_USAGE,
                         "push takes what to push and where: SOURCE NS/NAME (- for rows on "
                         "standard input)");
    code = hub_check_name(operands->items[1], error);
    if (code == 0 && o->dry_run) {
        struct hub_push push = {.sources = operands->items,
                                .n_sources = 1,
                                .name = operands->items[1],
                                .is_public = o->is_public,
                                .dry_run = true,
                                .events = EVENTS};
        code = hub_push(NULL, &push, &members, error);
        if (code == 0)
            tell(&members, "nothing was sent; it would push", "to");
    } else if (code == 0) {
        code =
            hub_push_files(operands->items, 1, operands->items[1], o->is_public, &members, error);
    }
    if (code == 0)
        code = deliver(o, "wai-export push", &members, error);
    buf_free(&members);
    return code;
}

static int run_pull(const struct hub_options *o, const struct operands *operands,
                    struct error *error)
{
    struct buf members = {0};
    if (operands->count != 1)
        return error_set(error, ERROR_USAGE, "pull takes one repository: NS/NAME[@REVISION]");
    if (o->out && o->output)
        return error_set(error, ERROR_USAGE,
                         "--out takes files and --output rows; leave one of them out");
    if (o->json && !o->out && !o->output && !o->dry_run)
        return error_set(
            error, ERROR_USAGE,
            "--json prints the report where the rows go; name a file for them with --output");
    struct hub_pull pull = {.name = operands->items[0],
                            .model = strcmp(o->type, "model") == 0,
                            .patterns = o->include.items,
                            .n_patterns = o->include.count,
                            .folder = o->out,
                            .dry_run = o->dry_run,
                            .events = EVENTS};
    struct hub *hub = hub_open(false, error);
    int code = hub ? 0 : error->code;
    if (code == 0 && !o->out && !o->dry_run) {
        pull.writer = row_writer_open(o->output, error);
        code = pull.writer ? 0 : error->code;
    }
    if (code == 0)
        code = hub_pull(hub, &pull, &members, error);
    if (pull.writer && code == 0)
        code = row_writer_close(pull.writer, error);
    else
        row_writer_abandon(pull.writer);
    hub_close(hub);
    if (code == 0) {
        tell(&members, o->dry_run ? "nothing was fetched; it would take" : "took", "from");
        code = deliver(o, "wai-export pull", &members, error);
    }
    buf_free(&members);
    return code;
}

int hub_verb(const struct command *verb, int argc, char **argv)
{
    struct hub_options o = {.type = "dataset"};
    struct operands operands = {0};
    struct error error = {0};
    int code = options_parse(verb, argc, argv, &o, &operands, &error);
    log_quiet(o.quiet);
    if (code == OPTIONS_RUN)
        code = strcmp(verb->name, "push") == 0 ? run_push(&o, &operands, &error)
                                               : run_pull(&o, &operands, &error);
    operands_free(&operands);
    option_list_free(&o.include);
    return code < 0 ? log_fail(&error) : 0;
}
