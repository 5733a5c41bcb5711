/* environment_write.c: the folder of a package: which files there are for which runtime, and how each comes
 * to be. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "export/environment_inside.h"

void environment_class(const struct export_environment *e, struct buf *out)
{
    bool start = true;
    for (size_t i = 0; i < e->name.len; i++) {
        char c = e->name.data[i];
        if (start && out->len == 0 && c >= '0' && c <= '9')
            buf_text(out, "Env");
        if (c != '_')
            buf_byte(out, start && c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
        start = c == '_';
    }
}

/* The text with its placeholders filled in. */
static void fill(const struct export_environment *e, const char *text, struct buf *out)
{
    struct buf class_name = {0};
    environment_class(e, &class_name);
    const struct {
        struct span mark, value;
    } marks[] = {{SPAN("@NAME@"), buf_span(&e->name)},
                 {SPAN("@CLASS@"), buf_span(&class_name)},
                 {SPAN("@FUNCTION@"), span_text(e->function ? "True" : "False")}};
    struct span left = span_text(text);
    while (left.len) {
        size_t at = span_find(left, SPAN("@"), 0), skip = 1;
        at = at == (size_t)-1 ? left.len : at;
        buf_span_add(out, span_slice(left, 0, at));
        left = span_slice(left, at, left.len);
        if (!left.len)
            break;
        struct span value = SPAN("@");
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            if (span_starts(left, marks[i].mark)) {
                value = marks[i].value;
                skip = marks[i].mark.len;
            }
        }
        buf_span_add(out, value);
        left = span_slice(left, skip, left.len);
    }
    buf_free(&class_name);
}

static void training_tasks(const struct export_environment *e, struct buf *out)
{
    export_tasks_write(e->tasks, EXPORT_TRAIN, out);
}

static void held_out_tasks(const struct export_environment *e, struct buf *out)
{
    export_tasks_write(e->tasks, EXPORT_HOLDOUT, out);
}

static void tools(const struct export_environment *e, struct buf *out)
{
    buf_span_add(out, e->options->tools);
    buf_byte(out, '\n');
}

static void taskset(const struct export_environment *e, struct buf *out)
{
    fill(e, VERIFIERS_HEAD, out);
    fill(e, ENVIRONMENT_COMMON, out);
    fill(e, VERIFIERS_TAIL, out);
}

static void server(const struct export_environment *e, struct buf *out)
{
    fill(e, OPENENV_SERVER_HEAD, out);
    fill(e, ENVIRONMENT_COMMON, out);
    fill(e, OPENENV_SERVER_TAIL, out);
}

static void app(const struct export_environment *e, struct buf *out)
{
    fill(e, OPENENV_APP, out);
}

static void client(const struct export_environment *e, struct buf *out)
{
    fill(e, OPENENV_CLIENT, out);
}

static void init(const struct export_environment *e, struct buf *out)
{
    fill(e, OPENENV_INIT, out);
}

static void server_init(const struct export_environment *e, struct buf *out)
{
    (void)e;
    buf_text(out, "\"\"\"The server's side.\"\"\"\n");
}

static void dockerfile(const struct export_environment *e, struct buf *out)
{
    fill(e, OPENENV_DOCKERFILE, out);
}

static void requirements(const struct export_environment *e, struct buf *out)
{
    (void)e;
    buf_text(out, OPENENV_REQUIREMENTS);
}

/* The file that makes a package of the folder comes last: one that was cut short does not install. */
struct part {
    const char *path; /* with @NAME@ */
    void (*write)(const struct export_environment *e, struct buf *out);
};

static const struct part VERIFIERS[] = {
    {"@NAME@/data/train.jsonl", training_tasks},
    {"@NAME@/data/holdout.jsonl", held_out_tasks},
    {"@NAME@/spec.json", environment_spec},
    {"@NAME@/tools.json", tools},
    {"@NAME@/__init__.py", taskset},
    {"README.md", environment_readme},
    {"pyproject.toml", environment_project},
    {0},
};

static const struct part OPENENV[] = {
    {"data/train.jsonl", training_tasks},
    {"data/holdout.jsonl", held_out_tasks},
    {"spec.json", environment_spec},
    {"tools.json", tools},
    {"server/__init__.py", server_init},
    {"server/@NAME@_environment.py", server},
    {"server/app.py", app},
    {"server/requirements.txt", requirements},
    {"server/Dockerfile", dockerfile},
    {"client.py", client},
    {"__init__.py", init},
    {"README.md", environment_readme},
    {"openenv.yaml", openenv_manifest},
    {"pyproject.toml", openenv_project},
    {0},
};

/* The folders of a file, each made when it is not there. */
static int make_folders(struct buf *path, size_t from, struct error *error)
{
    for (size_t i = from; i < path->len; i++) {
        if (path->data[i] != '/' || i == 0)
            continue;
        path->data[i] = '\0';
        if (mkdir(path->data, 0777) != 0 && errno != EEXIST)
            return error_errno(error, ERROR_SYSTEM, "%s: the folder cannot be made; check the path",
                               path->data);
        path->data[i] = '/';
    }
    return 0;
}

int export_environment_write(struct export_environment *e, struct error *error)
{
    struct buf path = {0}, text = {0};
    int code = 0;
    for (const struct part *part = e->openenv ? OPENENV : VERIFIERS; part->path && code == 0;
         part++) {
        buf_clear(&path);
        buf_clear(&text);
        buf_format(&path, "%s/", e->options->out);
        size_t folder = path.len - 1;
        fill(e, part->path, &path);
        part->write(e, &text);
        buf_cstr(&path);
        code = make_folders(&path, folder, error);
        if (code == 0)
            code = file_save(path.data, buf_span(&text), error);
    }
    buf_free(&path);
    buf_free(&text);
    return code;
}

void export_environment_paths(const struct export_environment *e, struct buf *tasks,
                              struct buf *card)
{
    if (e->openenv)
        buf_format(tasks, "%s/data/train.jsonl", e->options->out);
    else
        buf_format(tasks, "%s/%.*s/data/train.jsonl", e->options->out, (int)e->name.len,
                   e->name.data);
    buf_format(card, "%s/DATA_CARD.md", e->options->out);
}
