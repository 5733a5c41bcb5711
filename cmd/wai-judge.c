/* wai-judge: is the judge any good. Room grade does the work; here are the verbs, their options and what is
 * printed. */
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "grade/judge_audit.h"
#include "grade/session.h"
#include "row/reader.h"

struct settings {
    struct judge_options judge;
    const char *of, *tools, *policy, *system_prompt, *judge_log, *report;
    int64_t limit;
    double timeout;
    bool json;
    struct row_options rows;
};

#define AT(field) .offset = offsetof(struct settings, field)

/* clang-format off */
static const struct option AUDIT[] = {
    {.kind = OPTION_CHOICE, .name = "of", AT(of), .choices = "model",
     .help = "whose labels are read again: a model's"},
    {.kind = OPTION_TEXT, .name = "judge", AT(judge.judge), .arg = "SPEC",
     .help = "the auditor, a second model: openai:MODEL, vllm:MODEL@URL, typesafe:, replay:FILE (default)"},
    {.kind = OPTION_TEXT, .name = "judge-key-env", AT(judge.key_env), .arg = "NAME",
     .help = "environment variable that holds its key (by provider)"},
    {.kind = OPTION_FLAG, .name = "privileged", AT(judge.privileged),
     .help = "show it the row's privileged block"},
    {.kind = OPTION_INT, .name = "payload-chars", AT(judge.payload_chars), .arg = "N", .min = JUDGE_PAYLOAD_LEAST, .max = 1e7,
     .help = "longest record of a row that it is shown (8000 characters)"},
    {.kind = OPTION_INT, .name = "retries", AT(judge.retries), .arg = "N", .min = 0, .max = 9,
     .help = "times that it is asked again for a verdict that can be read (1)"},
    MODEL_OPTIONS(struct settings, judge.models),
    {.kind = OPTION_INT, .name = "limit", AT(limit), .arg = "N", .min = 0, .max = 1e15,
     .help = "read at most N labels again, the first ones (all)"},
    {.kind = OPTION_REAL, .name = "timeout", AT(timeout), .arg = "S", .min = 0, .max = 86400,
     .help = "seconds per call (120)"},
    {.kind = OPTION_TEXT, .name = "tools", AT(tools), .arg = "FILE|JSON", .file = true,
     .help = "declared tools"},
    {.kind = OPTION_TEXT, .name = "policy", AT(policy), .arg = "FILE", .file = true,
     .help = "file with the agent's system prompt"},
    {.kind = OPTION_TEXT, .name = "system-prompt", AT(system_prompt), .arg = "TEXT|@FILE",
     .help = "the agent's system prompt itself"},
    {.kind = OPTION_FLAG, .name = "json", AT(json), .help = "the report as one JSON object"},
    {.kind = OPTION_TEXT, .name = "report", AT(report), .arg = "FILE", .file = true,
     .help = "write that object to FILE, too"},
    ROW_OPTIONS(struct settings, rows),
    {0},
};
/* clang-format on */

static const struct command VERBS[] = {
    {.name = "audit",
     .synopsis = "--of model [--judge SPEC] [OPTIONS] [FILE...]",
     .purpose = "let a second model read the labels of the first again",
     .options = AUDIT,
     .examples = "wai-judge audit --of model --judge anthropic: scored.jsonl\n",
     .exit_status = "4    no label got an answer, or a key is missing\n"},
    {0},
};

static const struct command COMMAND = {
    .name = "wai-judge",
    .synopsis = "VERB [OPTIONS] [FILE...]",
    .purpose = "is the judge any good",
    .verbs = VERBS,
    .examples = "wai-judge audit --of model --judge anthropic: scored.jsonl\n",
};

/* The report on standard output, and in a file. */
static int print(const struct settings *o, const struct judge_audit *audit, struct error *error)
{
    struct buf json = {0}, text = {0};
    judge_audit_json(audit, &json);
    judge_audit_text(audit, &text);
    int rc = file_write_all(1, "standard output", buf_span(o->json ? &json : &text), error);
    if (!rc && o->report)
        rc = file_save(o->report, buf_span(&json), error);
    if (!rc && judge_audit_unreachable(audit))
        rc =
            error_set(error, ERROR_REMOTE, "no label got an answer; errors of the report says why");
    buf_free(&json);
    buf_free(&text);
    return rc;
}

static int audit(const struct settings *o, struct grade_session *session,
                 const struct operands *operands, struct error *error)
{
    const struct grade_files files = {o->tools, o->policy, o->system_prompt, NULL};
    const struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = o->rows};
    if (!o->of)
        return error_set(error, ERROR_USAGE, "say whose labels are read again: --of model");
    session->setup = (struct scorer_setup){.jobs = (int)o->rows.jobs, .timeout_s = o->timeout};
    int rc = grade_session_open(session, &o->judge, &files, true, error);
    if (rc)
        return rc;
    if (session->choice.told)
        log_note("%s: %s", session->choice.told, session->choice.judge.spec);
    const struct judge_audit_options options = {session->choice.judge, o->limit};
    struct judge_audit *made = judge_audit_run(&options, &session->setup, &source, error);
    rc = made ? print(o, made, error) : error->code;
    judge_audit_free(made);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings o = {.limit = -1, .judge = JUDGE_OPTIONS_DEFAULT, .rows = ROW_OPTIONS_DEFAULT};
    struct grade_session session = {0};
    struct operands operands = {0};
    const struct command *verb;
    struct error error, later;
    signals_open();
    log_open(COMMAND.name);
    int rc = options_verb(&COMMAND, &argc, &argv, &verb, &error);
    if (rc == OPTIONS_RUN)
        rc = options_parse(verb, argc, argv, &o, &operands, &error);
    if (rc == OPTIONS_RUN) {
        log_quiet(o.rows.quiet);
        rc = audit(&o, &session, &operands, &error);
    } else if (rc == OPTIONS_DONE) {
        rc = 0;
    }
    int closed = grade_session_close(&session, rc < 0 ? &later : &error);
    operands_free(&operands);
    rc = rc < 0 ? rc : closed;
    return rc < 0 ? log_fail(&error) : rc;
}
