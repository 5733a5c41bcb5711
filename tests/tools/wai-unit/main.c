/* main.c: wai-unit, see unit.h. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

static const struct unit_function *const TABLES[] = {
    UNIT_JSON,  UNIT_RNG,   UNIT_TEXT,  UNIT_MEASURE, UNIT_ROW,
    UNIT_MODEL, UNIT_SCENE, UNIT_AGENT, UNIT_SEARCH,
};

static const struct unit_function *find(const char *name)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
        for (const struct unit_function *f = TABLES[t]; f->name; f++)
            if (strcmp(f->name, name) == 0)
                return f;
    return NULL;
}

static void list(void)
{
    for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++)
        for (const struct unit_function *f = TABLES[t]; f->name; f++)
            printf("%s\n", f->name);
}

static int run_line(const struct unit_function *function, struct span line, uint64_t number,
                    struct buf *out, struct error *error)
{
    struct json_value in;
    struct json_fault fault;
    if (json_scan(line, &in, NULL, &fault) < 0)
        return error_set(error, ERROR_INPUT, "-:%llu: %s at byte %zu", (unsigned long long)number,
                         fault.what, fault.offset);
    struct json_writer writer;
    buf_clear(out);
    json_write_start(&writer, out, JSON_STYLE_COMPACT);
    int code = function->run(in, &writer, error);
    if (code < 0)
        return error_prefix(error, "-:%llu", (unsigned long long)number);
    buf_byte(out, '\n');
    return 0;
}

static int run(const struct unit_function *function, struct error *error)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    struct buf out = {0};
    int code = 0;
    for (uint64_t number = 1; code == 0 && (len = getline(&line, &cap, stdin)) >= 0; number++) {
        code = run_line(function, span_make(line, (size_t)len), number, &out, error);
        if (code == 0 && fwrite(out.data, 1, out.len, stdout) != out.len)
            code = error_errno(error, ERROR_SYSTEM, "standard output");
    }
    free(line);
    buf_free(&out);
    if (code == 0 && fflush(stdout) != 0)
        code = error_errno(error, ERROR_SYSTEM, "standard output");
    return code;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    log_open("wai-unit");
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    const struct unit_function *function = argc == 2 ? find(argv[1]) : NULL;
    if (!function) {
        error_set(&error, ERROR_USAGE, "%s%snames no function; --list lists them",
                  argc > 1 ? argv[1] : "the command line", argc > 1 ? " " : " ");
        return log_fail(&error);
    }
    if (run(function, &error) < 0)
        return log_fail(&error);
    return 0;
}
