/* wai-decontam: rows in, the rows that do not repeat the test out. */
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "select/decontam_run.h"
#include "text/fold.h"

#define FIELD(name) offsetof(struct decontam_request, name)
static const struct option options[] = {
    {.kind = OPTION_LIST,
     .letter = 'a',
     .name = "against",
     .offset = FIELD(against),
     .arg = "FILE",
     .help = "evaluation rows to keep clear of; repeatable",
     .file = true},
    {.kind = OPTION_INT,
     .letter = 'n',
     .name = "ngram",
     .offset = FIELD(ngram),
     .arg = "N",
     .help = "words of a shared n-gram (8)",
     .seen = FIELD(ngram_given),
     .min = 1,
     .max = 1e6},
    {.kind = OPTION_REAL,
     .name = "overlap",
     .offset = FIELD(overlap),
     .arg = "X",
     .help = "share of a text's words that one evaluation text must cover; 0: any n-gram (0.8)"},
    {.kind = OPTION_TEXT,
     .name = "fields",
     .offset = FIELD(fields),
     .arg = "A,B",
     .help = "texts of a row that are compared, in order; the first hit decides (prompt)"},
    {.kind = OPTION_CHOICE,
     .name = "tokens",
     .offset = FIELD(tokens),
     .help = "words of a-z and digits, or of any script (ascii)",
     .seen = FIELD(tokens_given),
     .choices = "ascii|unicode"},
    EMBEDDER_OPTIONS(struct decontam_request, embedder,
                     "compare meanings too, by vectors: hash, ollama:MODEL, openai:MODEL, a URL, "
                     "cmd:COMMAND, file:FILE"),
    {.kind = OPTION_REAL,
     .name = "similarity",
     .offset = FIELD(similarity),
     .arg = "X",
     .help = "with --embedder: cosine from which a row asks what an evaluation prompt asks (0.85)",
     .seen = FIELD(similarity_given),
     .max = 1},
    {.kind = OPTION_LIST,
     .name = "index",
     .offset = FIELD(index),
     .arg = "FILE",
     .help = "the holdout as --index-out saved it; repeatable",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "index-out",
     .offset = FIELD(index_out),
     .arg = "FILE",
     .help = "save the holdout's index to FILE, for --index",
     .file = true},
    {.kind = OPTION_TEXT,
     .letter = 'o',
     .name = "output",
     .offset = FIELD(output),
     .arg = "FILE",
     .help = "write the clean rows to FILE (standard output)",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "flagged",
     .offset = FIELD(flagged),
     .arg = "FILE",
     .help = "write the dropped rows to FILE, each with its contamination",
     .file = true},
    {.kind = OPTION_TEXT,
     .name = "report",
     .offset = FIELD(report),
     .arg = "FILE",
     .help = "write the report to FILE as one JSON object",
     .file = true},
    {.kind = OPTION_FLAG,
     .name = "dry-run",
     .offset = FIELD(dry_run),
     .help = "write no rows; print the report instead"},
    {.kind = OPTION_FLAG,
     .name = "json",
     .offset = FIELD(json),
     .help = "with --dry-run or --merge: the report as one JSON object"},
    {.kind = OPTION_FLAG,
     .name = "partial",
     .offset = FIELD(partial),
     .help = "a mergeable summary in place of the report"},
    {.kind = OPTION_INT,
     .name = "index-base",
     .offset = FIELD(index_base),
     .arg = "N",
     .help = "with --partial: number of this part's first row (0)",
     .seen = FIELD(index_base_given),
     .max = 1e15},
    {.kind = OPTION_FLAG,
     .name = "merge",
     .offset = FIELD(merge),
     .help = "operands are such summaries; print the report of all of them"},
    {.kind = OPTION_REAL,
     .name = "fail-over",
     .offset = FIELD(fail_over),
     .arg = "X",
     .help = "exit 1 when more than the share X of the rows is flagged",
     .seen = FIELD(fail_over_given),
     .max = 1},
    {.kind = OPTION_FLAG,
     .name = "fail-on-skipped",
     .offset = FIELD(fail_on_skipped),
     .help = "exit 1 when a rule could not run"},
    ROW_OPTIONS(struct decontam_request, rows),
    {0},
};

static const struct command command = {
    .name = "wai-decontam",
    .synopsis = "--against HOLDOUT [OPTIONS] [FILE...]",
    .purpose = "drop training rows that repeat the test",
    .options = options,
    .examples = "wai-decontam --against holdout.jsonl train.jsonl > clean.jsonl\n"
                "wai-decontam -a holdout.jsonl --dry-run --fail-over 0 train.jsonl\n"
                "wai-decontam -a holdout.jsonl --embedder hash train.jsonl > clean.jsonl\n",
};

/* The report to its file, and to standard output when no rows go there; else its lines to standard
 * error. */
static int deliver(const struct decontam_request *q, const struct decontam_output *out,
                   struct error *error)
{
    int code = q->report ? file_save(q->report, buf_span(&out->report), error) : 0;
    size_t at = 0;
    struct span line;
    if (code)
        return code;
    if (q->dry_run || q->merge) {
        code = file_write_all(
            STDOUT_FILENO, "standard output",
            buf_span(q->json || (q->merge && q->partial) ? &out->report : &out->text), error);
    } else {
        while (text_next_line(buf_span(&out->text), &at, &line))
            log_note("%.*s", (int)line.len, line.ptr);
    }
    for (at = 0; text_next_line(buf_span(&out->warnings), &at, &line);)
        log_warning("%.*s", (int)line.len, line.ptr);
    return code;
}

int main(int argc, char **argv)
{
    struct error error = {0}, failed;
    struct operands operands = {0};
    struct decontam_request q = DECONTAM_REQUEST_DEFAULT;
    struct decontam_output output = {0};
    log_open(argv[0]);
    signals_open();
    int code = options_parse(&command, argc, argv, &q, &operands, &error);
    if (code == OPTIONS_RUN) {
        log_quiet(q.rows.quiet);
        code = decontam_run(&q, &operands, &output, &error);
        int delivered = code && code != ERROR_CHECK ? 0 : deliver(&q, &output, &failed);
        if (delivered) {
            code = delivered;
            error = failed;
        }
    }
    decontam_output_free(&output);
    option_list_free(&q.against);
    option_list_free(&q.index);
    operands_free(&operands);
    return code < 0 ? log_fail(&error) : 0;
}
