/* program.c: see program.h. */
#include "base/program.h"

#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/signals.h"

int program_run(const struct command *command, int argc, char **argv, program_verb *run)
{
    const struct command *verb;
    struct error error = {0};
    signals_open();
    log_open(command->name);
    int code = options_verb(command, &argc, &argv, &verb, &error);
    if (code == OPTIONS_RUN)
        code = run(verb, argc, argv, &error);
    else if (code == OPTIONS_DONE)
        code = 0;
    return code < 0 ? log_fail(&error) : code;
}

int program_report(struct span shown, const char *path, struct span json, struct error *error)
{
    int code = shown.ptr ? file_write_all(STDOUT_FILENO, "standard output", shown, error) : 0;
    return code == 0 && path ? file_save(path, json, error) : code;
}
