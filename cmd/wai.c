/* wai: runs wai-NAME, from its own folder or from PATH, and says which there are. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"
#include "platform/dispatch.h"

static const char HELP[] = "help"; /* the one word that is no tool */

struct wai {
    struct buf folder; /* of this binary */
    const char *path;  /* PATH */
    struct arena arena;
    struct command *tools; /* found, ends with {0}; NULL until they are asked for */
    struct error error;
};

/* Folders are listed only when somebody wants to see what is in them. */
static const struct command *tools_of(struct wai *w)
{
    size_t count;
    if (!w->tools)
        w->tools = dispatch_list(buf_cstr(&w->folder), w->path, &w->arena, &count);
    return w->tools;
}

static struct command table(struct wai *w)
{
    return (struct command){
        .name = "wai",
        .synopsis = "NAME [ARGUMENT...] | help [NAME]",
        .purpose =
            "Runs wai-NAME with the arguments as they are. `wai help NAME` opens its manual page.",
        .verbs = tools_of(w),
        .verbs_heading = "Tools, found beside wai and on PATH",
        .examples = "wai passat scored.jsonl\nwai help passat\nsource <(wai --completion bash)",
        .exit_status = "A tool that is run gives its own.",
    };
}

/* Becomes the program: same process, its own exit status and signals. Returns only when it cannot.
 */
static int become(struct wai *w, const char *path, char **argv)
{
    execv(path, argv);
    return error_set(&w->error, ERROR_SYSTEM, "%s: cannot be started (%s); install it again", path,
                     strerror(errno));
}

static int unknown(struct wai *w, const char *name)
{
    return dispatch_unknown(tools_of(w), name, &w->error);
}

/* wai NAME …, and words that stand for a verb of a tool. */
static int run_tool(struct wai *w, int argc, char **argv)
{
    struct buf path = {0};
    const char *name = argv[1];
    const struct dispatch_alias *alias = dispatch_alias(name);
    const char *tool = alias ? alias->tool : name;
    int code;
    if (!dispatch_is_name(tool) || strcmp(tool, "wai") == 0 ||
        !dispatch_find(buf_cstr(&w->folder), w->path, tool, &path)) {
        code = unknown(w, name);
    } else {
        char **words = mem_zero((size_t)argc + 1, sizeof *words);
        int n = 0;
        words[n++] = path.data;
        if (alias)
            words[n++] = (char *)alias->verb;
        for (int i = 2; i < argc; i++)
            words[n++] = argv[i];
        code = become(w, buf_cstr(&path), words);
        free(words);
    }
    buf_free(&path);
    return code;
}

/* Whether man(1) knows the page: asked first, so that --help can stand in for a missing one. */
static bool man_finds(const char *page)
{
    const char *const argv[] = {"man", "-w", page, NULL};
    const struct child_run run = {.argv = argv, .timeout_s = 10};
    struct child_exit ended;
    struct buf out = {0}, err = {0};
    struct error error;
    bool found = child_run(&run, &out, &err, &ended, &error) == 0 && ended.status == 0;
    buf_free(&out);
    buf_free(&err);
    return found;
}

/* wai help NAME: the manual page, else what the tool itself says. */
static int run_help(struct wai *w, const char *name)
{
    struct buf path = {0}, page = {0}, manpath = {0}, full = {0};
    bool own = strcmp(name, "wai") == 0;
    buf_format(&full, own ? "wai" : "wai-%s", name);
    if (own)
        buf_format(&path, "%s/wai", buf_cstr(&w->folder));
    int code = 0;
    if (!own &&
        (!dispatch_is_name(name) || !dispatch_find(buf_cstr(&w->folder), w->path, name, &path)))
        code = unknown(w, name);
    if (code == 0) {
        dispatch_manual(buf_cstr(&w->folder), buf_cstr(&full), getenv("MANPATH"), &page, &manpath);
        if (manpath.len)
            setenv("MANPATH", buf_cstr(&manpath), 1);
        char *man[] = {"man", (char *)(page.len ? buf_cstr(&page) : buf_cstr(&full)), NULL};
        if (man_finds(man[1]))
            execvp(man[0], man);
        char *help[] = {path.data, "--help", NULL};
        code = become(w, buf_cstr(&path), help);
    }
    buf_free(&path);
    buf_free(&page);
    buf_free(&manpath);
    buf_free(&full);
    return code;
}

static int print(struct wai *w, struct buf *text)
{
    int code = file_write_all(STDOUT_FILENO, "standard output", buf_span(text), &w->error);
    buf_free(text);
    return code;
}

/* The shell of a well-formed --completion, or NULL. */
static const char *shell_asked(char **argv)
{
    static const char OPTION[] = "--completion";
    static const char *const SHELLS[] = {"bash", "zsh", "fish"};
    const char *shell = NULL;
    if (strcmp(argv[1], OPTION) == 0)
        shell = argv[2];
    else if (strncmp(argv[1], OPTION, sizeof OPTION - 1) == 0 && argv[1][sizeof OPTION - 1] == '=')
        shell = argv[1] + sizeof OPTION;
    for (size_t i = 0; shell && i < sizeof SHELLS / sizeof *SHELLS; i++)
        if (strcmp(SHELLS[i], shell) == 0)
            return SHELLS[i];
    return NULL;
}

/* The options of wai itself: they stand alone. */
static int run_option(struct wai *w, int argc, char **argv)
{
    struct command command = table(w);
    struct operands operands = {0};
    const char *shell = shell_asked(argv);
    if (shell) {
        struct buf script = {0};
        dispatch_completion(tools_of(w), shell, &script);
        return print(w, &script);
    }
    int code = options_parse(&command, argc < 3 ? argc : 3, argv, NULL, &operands, &w->error);
    operands_free(&operands);
    if (code == OPTIONS_RUN)
        return error_set(&w->error, ERROR_USAGE, "%s is no tool; name one (wai --help lists them)",
                         argv[1]);
    return code == OPTIONS_DONE ? 0 : code;
}

static int run(struct wai *w, int argc, char **argv)
{
    int code = dispatch_folder(&w->folder, &w->error);
    if (code != 0)
        return code;
    w->path = getenv("PATH");
    if (argc < 2 || (strcmp(argv[1], HELP) == 0 && argc < 3)) {
        char *words[] = {"wai", "--help", NULL};
        return run_option(w, 2, words);
    }
    if (argv[1][0] == '-')
        return run_option(w, argc, argv);
    return strcmp(argv[1], HELP) == 0 ? run_help(w, argv[2]) : run_tool(w, argc, argv);
}

int main(int argc, char **argv)
{
    struct wai w = {0};
    signals_open();
    log_open("wai");
    int code = run(&w, argc, argv);
    free(w.tools);
    arena_free(&w.arena);
    buf_free(&w.folder);
    return code < 0 ? log_fail(&w.error) : 0;
}
