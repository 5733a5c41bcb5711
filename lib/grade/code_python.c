/* code_python.c: finds an interpreter and the folders it needs (grade 7). */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/mem.h"
#include "grade/code_exec.h"
#include "json/scan.h"

/* Seen by every program, when they are there. */
static const char *const SYSTEM[] = {
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/mime.types",
};
/* Of an interpreter's prefix: not all of it, it may be a project's folder with data in it. */
static const char *const PARTS[] = {"bin",     "lib", "lib64", "lib32",
                                    "libexec", "ssl", "share", "pyvenv.cfg"};

static const char PROBE[] =
    "import sys, os, json\n"
    "try:\n import ctypes\n has = True\nexcept ImportError:\n has = False\n"
    "p = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]\n"
    "f = [os.path.dirname(os.path.realpath(sys.executable))]\n"
    "f += [x for x in sys.path if x.endswith('.zip') or os.path.basename(x).startswith('python')"
    " or os.path.basename(x) in ('site-packages', 'dist-packages', 'lib-dynload')]\n"
    "print(json.dumps([sys.executable, p, f, has, sys.version_info >= (3, 9)]))\n";

static void add_folder(struct code_python *p, const char *path)
{
    size_t n = strlen(path);
    if (path[0] != '/' || n < 2 || n >= PATH_MAX || access(path, F_OK))
        return;
    for (size_t i = 0; i < p->n_folders; i++) {
        size_t have = strlen(p->folders[i]);
        if (strncmp(p->folders[i], path, have) == 0 && (path[have] == '/' || !path[have]))
            return; /* seen already, being inside */
    }
    p->folders = mem_grow(p->folders, &p->cap_folders, p->n_folders + 2, sizeof *p->folders);
    p->folders[p->n_folders++] = mem_text(path);
    p->folders[p->n_folders] = NULL;
}

static void add_prefix(struct code_python *p, struct span prefix)
{
    struct buf path = {0};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        buf_clear(&path);
        buf_span_add(&path, prefix);
        buf_format(&path, "/%s", PARTS[i]);
        add_folder(p, buf_cstr(&path));
    }
    buf_free(&path);
}

static void add_texts(struct code_python *p, struct json_value list, bool prefixes)
{
    struct json_cursor c = json_enter(list);
    struct json_value item;
    struct buf scratch = {0}, path = {0};
    while (json_next_item(&c, &item)) {
        struct span text = json_text(item, &scratch);
        buf_clear(&path);
        buf_span_add(&path, text);
        if (prefixes)
            add_prefix(p, text);
        else
            add_folder(p, buf_cstr(&path));
    }
    buf_free(&scratch);
    buf_free(&path);
}

static int read_probe(struct code_python *p, struct span said)
{
    struct json_value value, part[5];
    struct json_fault fault;
    if (json_scan(said, &value, NULL, &fault) || value.type != JSON_VALUE_ARRAY)
        return -1;
    struct json_cursor c = json_enter(value);
    for (int i = 0; i < 5; i++)
        if (!json_next_item(&c, &part[i]))
            return -1;
    struct buf text = {0};
    json_text_add(part[0], &text);
    p->executable = buf_take(&text);
    add_texts(p, part[1], true);
    add_texts(p, part[2], false);
    p->has_ctypes = json_truthy(part[3]);
    return p->executable[0] == '/' && json_truthy(part[4]) ? 0 : -1;
}

int code_python_find(struct code_python *p, const char *name, struct error *error)
{
    const char *const argv[] = {name, "-I", "-B", "-c", PROBE, NULL};
    const struct child_run run = {.argv = argv, .timeout_s = 30, .out_limit = 1 << 20};
    struct buf out = {0}, err = {0};
    struct child_exit ended = {0};
    *p = (struct code_python){0};
    for (size_t i = 0; i < sizeof SYSTEM / sizeof *SYSTEM; i++)
        add_folder(p, SYSTEM[i]);
    int rc = child_run(&run, &out, &err, &ended, error);
    if (rc && rc != ERROR_INTERRUPTED)
        rc = error_set(error, rc, "%s cannot be started; name a Python with python_bin=", name);
    if (!rc && (ended.status != 0 || read_probe(p, buf_span(&out))))
        rc = error_set(
            error, ERROR_SYSTEM,
            "%s is no Python 3.9 or newer that runs here; name one with python_bin=", name);
    /* The scratch folder is /tmp, unless the interpreter itself lives there. */
    p->scratch = "/tmp";
    for (size_t i = 0; i < p->n_folders; i++)
        if (strncmp(p->folders[i], "/tmp/", 5) == 0)
            p->scratch = "/scratch";
    buf_free(&out);
    buf_free(&err);
    if (rc)
        code_python_free(p);
    return rc;
}

void code_python_free(struct code_python *p)
{
    for (size_t i = 0; i < p->n_folders; i++)
        free(p->folders[i]);
    free(p->folders);
    free(p->executable);
    *p = (struct code_python){0};
}
