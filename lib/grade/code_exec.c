/* code_exec.c: the verifier code-exec: does the candidate's code stand its tests (grade 7). */
#include "grade/code_exec.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "grade/defaults.h"
#include "grade/extract.h"
#include "grade/verify.h"
#include "text/fold.h"
#include "text/utf8.h"

struct code_worker {
    struct code_host *host;
    struct buf tests, real, control; /* the last tests and what they were turned into */
    bool built;
    struct code_outcome outcome;
};

struct code_exec {
    struct code_python python;
    struct code_limits limits;
    enum sandbox_wish wish;
    bool namespaces, check_control;
    struct buf tests, setup; /* tests=, setup= */
    bool has_tests, no_python;
    struct error python_error;
    struct code_worker *workers;
    struct buf warning;
};

/* ---- opening
 * ------------------------------------------------------------------------------------------ */

/* A value that is a file's name or the text itself. */
static int read_file_or_text(struct span value, struct buf *out, struct error *error)
{
    if (value.len < 1024 && !memchr(value.ptr, '\n', value.len) && access(value.ptr, R_OK) == 0)
        return file_read(value.ptr, CODE_SOURCE_MAX, out, error);
    buf_span_add(out, value);
    return 0;
}

static void read_limits(const struct verifier *v, struct code_limits *l)
{
    double timeout = v->timeout_s > 0 ? v->timeout_s : CODE_TIMEOUT_S;
    l->timeout_s = verify_arg_number(v, "timeout", timeout);
    l->cpu_s = verify_arg_number(v, "cpu_seconds", CODE_CPU_S);
    l->memory_mb = verify_arg_number(v, "mem_mb", CODE_MEMORY_MB);
    l->file_mb = CODE_FILE_MB;
    l->procs = (int)verify_arg_number(v, "procs", CODE_PROCS);
    l->files = CODE_FILES;
    l->out_bytes = (size_t)verify_arg_number(v, "out_bytes", CODE_OUT_BYTES);
    l->network = verify_arg_bool(v, "network", false);
}

static int check_limits(const struct code_limits *l, struct error *error)
{
    if (l->timeout_s <= 0 || l->timeout_s > 86400 || l->cpu_s < 1 || l->cpu_s > 86400)
        return error_set(error, ERROR_USAGE,
                         "code-exec: timeout and cpu_seconds are seconds, at most a day");
    if (l->memory_mb < 64 || l->memory_mb > 1 << 20)
        return error_set(error, ERROR_USAGE,
                         "code-exec: mem_mb is %g; an interpreter needs 64 or more", l->memory_mb);
    if (l->procs < 1 || l->procs > 4096 || l->out_bytes > (64 << 20))
        return error_set(error, ERROR_USAGE,
                         "code-exec: procs is 1 to 4096, out_bytes at most 64 MiB");
    return 0;
}

static const char *lacks(const struct code_exec *c)
{
    if (c->wish == SANDBOX_NONE)
        return "code-exec runs without a sandbox (sandbox=none): what it runs can do all you can "
               "do";
    if (!c->namespaces)
        return "code-exec: no namespaces here; programs run under limits, refused system calls and "
               "Landlock's file rules where the kernel has them, which is no security boundary";
    if (!c->python.has_ctypes)
        return "code-exec: this Python has no ctypes; programs share one process namespace and no "
               "system call is refused, which is no security boundary";
    return NULL;
}

static int find_python(struct verifier *v, struct code_exec *c, struct error *error)
{
    struct span name = verify_arg_text(v, "python_bin");
    int rc = code_python_find(&c->python, name.ptr ? name.ptr : "python3", &c->python_error);
    if (rc == ERROR_INTERRUPTED)
        return error_set(error, rc, "%s", c->python_error.text);
    c->no_python = rc != 0; /* every row says so: it is not the policy's fault */
    c->namespaces = !c->no_python && c->wish != SANDBOX_NONE && sandbox_namespaces();
    if (c->wish == SANDBOX_STRICT && !c->no_python && (!c->namespaces || !c->python.has_ctypes))
        return error_set(error, ERROR_SYSTEM,
                         "code-exec: sandbox=strict, and %s; allow them or use sandbox=auto",
                         c->namespaces ? "this Python has no ctypes"
                                       : "the kernel gives no namespaces to this process");
    if (!c->no_python)
        v->warning = lacks(c);
    return 0;
}

static int code_open(struct verifier *v, struct error *error)
{
    struct code_exec *c = mem_zero(1, sizeof *c);
    struct span tests = verify_arg_text(v, "tests"), setup = verify_arg_text(v, "setup");
    int rc = 0;
    v->state = c;
    c->workers = mem_zero((size_t)v->jobs, sizeof *c->workers);
    c->wish = (enum sandbox_wish)verify_arg_choice(v, "sandbox", SANDBOX_AUTO);
    c->check_control = verify_arg_bool(v, "control", true);
    c->has_tests = tests.ptr != NULL;
    read_limits(v, &c->limits);
    rc = check_limits(&c->limits, error);
    if (!rc && tests.ptr)
        rc = read_file_or_text(tests, &c->tests, error);
    if (!rc && setup.ptr)
        rc = read_file_or_text(setup, &c->setup, error);
    return rc ? rc : find_python(v, c, error);
}

static void code_close(struct verifier *v)
{
    struct code_exec *c = v->state;
    for (int i = 0; i < v->jobs; i++) {
        struct code_worker *w = &c->workers[i];
        code_host_close(w->host);
        buf_free(&w->tests);
        buf_free(&w->real);
        buf_free(&w->control);
        code_outcome_free(&w->outcome);
    }
    free(c->workers);
    code_python_free(&c->python);
    buf_free(&c->tests);
    buf_free(&c->setup);
    buf_free(&c->warning);
    free(c);
}

/* ---- candidate and tests
 * ------------------------------------------------------------------------------ */

/* Body of the last closed fence tagged python, py or nothing; the whole text without one. */
static struct span candidate_code(struct span text)
{
    static const struct span tags[] = {{"python", 6}, {"py", 2}, {"", 0}};
    struct span code = {0};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        struct span body = extract_fence(text, tags[i]);
        if (body.ptr && (!code.ptr || body.ptr > code.ptr))
            code = body;
    }
    return text_strip(code.ptr ? code : text);
}

/* The tests of a row: tests=, privileged.tests (a text, or texts to join), a reference that is a
 * text. */
static bool find_tests(const struct code_exec *c, const struct verify_input *in, struct buf *out,
                       bool *privileged)
{
    const struct json_value *block = row_get(in->row, SPAN("privileged"));
    struct json_value tests, item;
    buf_clear(out);
    *privileged = false;
    if (c->has_tests) {
        buf_span_add(out, buf_span(&c->tests));
        return true;
    }
    if (block && json_get(*block, SPAN("tests"), &tests) && json_truthy(tests)) {
        struct json_cursor items = json_enter(tests);
        *privileged = true;
        if (tests.type == JSON_VALUE_STRING)
            json_text_add(tests, out);
        while (tests.type == JSON_VALUE_ARRAY && json_next_item(&items, &item))
            if (item.type == JSON_VALUE_STRING) {
                json_text_add(item, out);
                buf_byte(out, '\n');
            }
        return !text_blank(buf_span(out));
    }
    if (!in->gold.value.text.ptr || in->gold.value.type != JSON_VALUE_STRING)
        return false;
    json_text_add(in->gold.value, out);
    *privileged = in->gold.privileged;
    return !text_blank(buf_span(out));
}

/* ---- reasons
 * ------------------------------------------------------------------------------------------ */

/* [A-Z]…Error, …Exception or …Exit: what may be said of privileged tests. */
static bool exception_name(struct span name)
{
    if (!name.len || name.len > 80 || !isupper((unsigned char)name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.ptr[i]) && name.ptr[i] != '_')
            return false;
    return span_ends(name, SPAN("Error")) || span_ends(name, SPAN("Exception")) ||
           span_ends(name, SPAN("Exit")) || span_is(name, "DishonestComparison");
}

static struct span last_output_line(const struct buf *output)
{
    struct span line, last = {0};
    for (size_t at = 0; text_next_line(buf_span(output), &at, &line);)
        if (!text_blank(line))
            last = text_strip(line);
    return utf8_head(last, CODE_OUTPUT_LINE_CHARS);
}

static void reason_of_failure(struct verdict *out, const struct code_outcome *o, bool privileged)
{
    struct span name = buf_span(&o->exception), line = last_output_line(&o->output);
    if (!exception_name(name))
        name = (struct span){0};
    if (span_is(name, "DishonestComparison")) {
        verdict_reason(out, "the candidate returned an object that equals anything");
        return;
    }
    if (!name.len)
        verdict_reason(out,
                       o->exit_code < 0 ? "tests failed: ended by signal %d"
                                        : "tests failed: ended early with exit status %d",
                       o->exit_code < 0 ? -o->exit_code : o->exit_code);
    else
        verdict_reason(out, "tests failed: %.*s", (int)name.len, name.ptr);
    if (privileged || !line.len || span_equal(line, name))
        return;
    if (name.len && span_starts(line, name))
        line = span_slice(line, name.len, line.len);
    else
        buf_text(&out->reason, "; ");
    buf_span_add(&out->reason, line);
}

static void judge(const struct code_exec *c, const struct code_outcome *o, bool privileged,
                  struct verdict *out)
{
    verdict_score(out, o->end == CODE_COMPLETED);
    switch (o->end) {
    case CODE_COMPLETED: verdict_reason(out, "all tests passed"); break;
    case CODE_TIMED_OUT:
        verdict_reason(out, "timeout: no end within %g s", c->limits.timeout_s);
        break;
    case CODE_CPU_OUT: verdict_reason(out, "processor time over %g s", c->limits.cpu_s); break;
    default: reason_of_failure(out, o, privileged); break;
    }
}

/* ---- programs that cannot cheat
 * ------------------------------------------------------------------------ */

/* Modules that lead nowhere near the interpreter's own state. */
static const char *const HARMLESS[] = {
    "math",       "cmath",    "typing", "re",      "collections", "itertools", "functools",
    "heapq",      "bisect",   "string", "random",  "datetime",    "decimal",   "fractions",
    "statistics", "operator", "time",   "hashlib", "json",        "copy",
};

/* Words without which a program reaches neither its runner's channel nor its frames. */
static const char *const TELLING[] = {
    "sys",          "os",
    "io",           "gc",
    "posix",        "builtins",
    "codecs",       "ctypes",
    "inspect",      "types",
    "socket",       "signal",
    "select",       "mmap",
    "fcntl",        "resource",
    "subprocess",   "multiprocessing",
    "threading",    "thread",
    "asyncio",      "importlib",
    "pickle",       "marshal",
    "code",         "traceback",
    "linecache",    "warnings",
    "weakref",      "atexit",
    "unittest",     "contextlib",
    "enum",         "exec",
    "eval",         "compile",
    "open",         "fdopen",
    "FileIO",       "getattr",
    "setattr",      "delattr",
    "hasattr",      "globals",
    "locals",       "vars",
    "dir",          "help",
    "breakpoint",   "input",
    "memoryview",   "attrgetter",
    "methodcaller", "Formatter",
    "get_field",    "get_type_hints",
    "ForwardRef",   "gi_frame",
    "gi_code",      "cr_frame",
    "ag_frame",     "tb_frame",
    "f_back",       "f_globals",
    "f_builtins",   "f_locals",
    "SystemExit",   "BaseException",
    "exit",         "quit",
};

static bool listed(struct span word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (span_is(word, list[i]))
            return true;
    return false;
}

static bool word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next word at or after *at; false at the end. */
static bool next_word(struct span s, size_t *at, struct span *word)
{
    while (*at < s.len && !word_byte(s.ptr[*at]))
        ++*at;
    size_t from = *at;
    while (*at < s.len && word_byte(s.ptr[*at]))
        ++*at;
    *word = span_slice(s, from, *at);
    return *at > from;
}

/* Where a word stands in an import statement. */
enum import_state { IMPORT_NONE, IMPORT_FROM, IMPORT_FROM_DONE, IMPORT_NAMES, IMPORT_ALIAS };

/* The state behind the word, and whether the word must be a harmless module. */
static enum import_state import_next(enum import_state state, struct span word, bool *module)
{
    *module = state == IMPORT_FROM || state == IMPORT_NAMES;
    if (span_is(word, "from"))
        return IMPORT_FROM;
    if (span_is(word, "import"))
        return state == IMPORT_FROM_DONE ? IMPORT_NONE : IMPORT_NAMES;
    if (state == IMPORT_NAMES && span_is(word, "as")) {
        *module = false;
        return IMPORT_ALIAS;
    }
    return state == IMPORT_FROM ? IMPORT_FROM_DONE : state == IMPORT_ALIAS ? IMPORT_NAMES : state;
}

/* A program made of plain words: it needs no control run. Errs to the safe side: a word in a text
 * or a comment counts, and so does anything that is not ASCII or an escape. */
static bool plain_program(struct span code)
{
    struct span word;
    enum import_state state = IMPORT_NONE;
    size_t line = 0;
    for (size_t i = 0; i < code.len; i++)
        if ((unsigned char)code.ptr[i] >= 0x80 || code.ptr[i] == '\\')
            return false;
    for (size_t at = 0; next_word(code, &at, &word);) {
        size_t from = (size_t)(word.ptr - code.ptr);
        bool module, dotted = from > 0 && code.ptr[from - 1] == '.';
        if (memchr(code.ptr + line, '\n', from - line) || memchr(code.ptr + line, ';', from - line))
            state = IMPORT_NONE;
        line = from;
        if (word.ptr[0] == '_' && word.len > 1)
            return false;
        if (listed(word, TELLING, sizeof TELLING / sizeof *TELLING))
            return false;
        if (dotted && state != IMPORT_NONE)
            continue; /* a part of a harmless module's name */
        state = import_next(state, word, &module);
        if (module && state != IMPORT_ALIAS &&
            !listed(word, HARMLESS, sizeof HARMLESS / sizeof *HARMLESS))
            return false;
    }
    return true;
}

/* ---- running
 * ------------------------------------------------------------------------------------------ */

static struct code_worker *worker_of(const struct code_exec *c, int number)
{
    struct code_worker *w = &c->workers[number];
    if (!w->host) {
        const struct code_host_options options = {.python = &c->python,
                                                  .limits = c->limits,
                                                  .setup = buf_span(&c->setup),
                                                  .wish = c->wish,
                                                  .namespaces = c->namespaces};
        w->host = code_host_open(&options);
    }
    return w;
}

/* Turns the tests into code, unless they are the last ones again. False: *out says why not. */
static bool build(const struct verifier *v, struct code_worker *w, struct span tests,
                  struct verdict *out, struct error *error)
{
    if (w->built && span_equal(buf_span(&w->tests), tests))
        return true;
    struct error why = {0};
    w->built = false;
    enum code_end end = code_host_build(w->host, tests, &w->real, &w->control, &w->outcome, &why);
    if (end == CODE_LOST && why.code != ERROR_INTERRUPTED) /* once more, in a fresh sandbox */
        end = code_host_build(w->host, tests, &w->real, &w->control, &w->outcome, &why);
    if (end == CODE_LOST) {
        *error = why;
        verdict_failed(out, "%s: %s", v->name, why.text);
    } else if (end != CODE_COMPLETED) {
        verdict_failed(out, "%s: the tests are no Python (%.*s); mend them", v->name,
                       (int)w->outcome.exception.len, w->outcome.exception.data);
    } else {
        buf_clear(&w->tests);
        buf_span_add(&w->tests, tests);
        w->built = true;
    }
    return w->built;
}

static void run(struct code_worker *w, struct span code, struct span blob, struct error *error)
{
    code_host_run(w->host, code, blob, &w->outcome, error);
    if (w->outcome.end == CODE_LOST && error->code != ERROR_INTERRUPTED)
        code_host_run(w->host, code, blob, &w->outcome, error);
}

static int code_run(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                    struct error *error)
{
    const struct code_exec *c = v->state;
    struct buf *tests = &in->scratch[0];
    struct span code = candidate_code(in->candidate);
    struct error why = {0};
    bool privileged;
    if (!find_tests(c, in, tests, &privileged)) {
        verdict_unjudged(out, "%s: the row has no tests (no reference to check against)", v->name);
        return 0;
    }
    if (c->no_python) {
        verdict_failed(out, "%s: %s", v->name, c->python_error.text);
        return 0;
    }
    if (!code.len) {
        verdict_score(out, 0);
        verdict_reason(out, "no code in the reply");
        return 0;
    }
    struct code_worker *w = worker_of(c, in->worker);
    if (!build(v, w, buf_span(tests), out, &why))
        return why.code == ERROR_INTERRUPTED ? error_set(error, why.code, "%s", why.text) : 0;
    run(w, code, buf_span(&w->real), &why);
    if (w->outcome.end == CODE_COMPLETED && c->check_control && !plain_program(code)) {
        /* Who completes tests that hold a failing one has not run them. */
        run(w, code, buf_span(&w->control), &why);
        if (w->outcome.end == CODE_COMPLETED) {
            verdict_score(out, 0);
            verdict_reason(out, "the candidate claims completion whatever the tests say");
            return 0;
        }
        if (w->outcome.end != CODE_LOST)
            w->outcome.end = CODE_COMPLETED;
    }
    if (w->outcome.end != CODE_LOST)
        judge(c, &w->outcome, privileged, out);
    else if (why.code == ERROR_INTERRUPTED)
        return error_set(error, why.code, "%s", why.text);
    else if (c->namespaces)
        verdict_failed(out, "%s: %s", v->name, why.text);
    else { /* without namespaces a program can reach its sandbox */
        verdict_score(out, 0);
        verdict_reason(out, "the candidate ended its sandbox");
    }
    return 0;
}

static const struct verify_key code_keys[] = {
    {"tests", VERIFY_TEXT, NULL},
    {"timeout", VERIFY_NUMBER, NULL},
    {"setup", VERIFY_TEXT, NULL},
    {"cpu_seconds", VERIFY_NUMBER, NULL},
    {"mem_mb", VERIFY_NUMBER, NULL},
    {"python_bin", VERIFY_TEXT, NULL},
    {"sandbox", VERIFY_CHOICE, "auto|none|strict"},
    {"network", VERIFY_BOOL, NULL},
    {"out_bytes", VERIFY_NUMBER, NULL},
    {"procs", VERIFY_NUMBER, NULL},
    {"control", VERIFY_BOOL, NULL},
    {0},
};
const struct verify_kind VERIFY_CODE = {.name = "code-exec",
                                        .recorded = "CodeExec",
                                        .keys = code_keys,
                                        .slow = true,
                                        .open = code_open,
                                        .run = code_run,
                                        .close = code_close};
