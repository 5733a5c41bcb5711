/* split.c: wai-rows split: a training side and a held-out one. */
#include "ingest/split.h"
#include "base/log.h"
#include "cmd/wai-rows/verbs.h"
#include "ingest/defaults.h"
#include "row/store.h"

struct split_options {
    struct row_options rows;
    struct output_options out;
    const char *by, *print, *held, *train, *held_tasks, *write_tasks;
    double holdout;
    int64_t seed;
    uint64_t memory;
};

/* clang-format off */
const struct option SPLIT_OPTIONS[] = {
    {.kind = OPTION_CHOICE, .name = "by", .offset = offsetof(struct split_options, by), .arg = "hash|production",
     .choices = "hash|production", .help = "hash: stable across runs; production: each distinct flaw, then "
     "tasks in the order of a hash (hash)"},
    {.kind = OPTION_REAL, .name = "holdout", .offset = offsetof(struct split_options, holdout), .arg = "F",
     .help = "share that is held out (0.2)", .min = 0, .max = 1},
    {.kind = OPTION_INT, .letter = 's', .name = "seed", .offset = offsetof(struct split_options, seed),
     .arg = "N", .help = "seed of --by production (0)"},
    {.kind = OPTION_CHOICE, .letter = 'p', .name = "print", .offset = offsetof(struct split_options, print),
     .arg = "train|held|none", .choices = "train|held|none", .help = "side on standard output (train)"},
    {.kind = OPTION_TEXT, .name = "held", .offset = offsetof(struct split_options, held), .arg = "FILE",
     .help = "write the held side to FILE", .file = true},
    {.kind = OPTION_TEXT, .name = "train", .offset = offsetof(struct split_options, train), .arg = "FILE",
     .help = "write the training side to FILE", .file = true},
    {.kind = OPTION_TEXT, .name = "held-tasks", .offset = offsetof(struct split_options, held_tasks),
     .arg = "FILE", .help = "hold out the tasks named in FILE, a key a line", .file = true},
    {.kind = OPTION_TEXT, .name = "write-tasks", .offset = offsetof(struct split_options, write_tasks),
     .arg = "FILE", .help = "write the held tasks to FILE, so that the split can be frozen", .file = true},
    {.kind = OPTION_SIZE, .name = "mem", .offset = offsetof(struct split_options, memory), .arg = "SIZE",
     .help = "with production: rows kept in memory before a temporary file is used (64M)"},
    OUTPUT_OPTIONS(struct split_options, out),
    ROW_OPTIONS(struct split_options, rows),
    {0},
};
/* clang-format on */

static int check_split(const struct split_options *o, struct error *error)
{
    if (!o->held_tasks && strcmp(o->by, "hash") == 0 && (o->holdout <= 0 || o->holdout >= 1))
        return error_set(error, ERROR_USAGE,
                         "--holdout %g: a hash split holds out more than 0 and less than 1",
                         o->holdout);
    return 0;
}

/* Opens what each side goes to; on failure what was opened is left for close_split. */
static int open_split(const struct split_options *o, struct split *split, struct error *error)
{
    int rc = open_writer(o->held, &split->also[SPLIT_HELD], error);
    if (rc == 0)
        rc = open_writer(o->train, &split->also[SPLIT_TRAIN], error);
    if (rc == 0)
        rc = open_writer(o->write_tasks, &split->tasks, error);
    if (rc < 0 || strcmp(o->print, "none") == 0)
        return rc;
    enum split_side side = strcmp(o->print, "held") == 0 ? SPLIT_HELD : SPLIT_TRAIN;
    split->side[side] = row_writer_open(o->out.output, error);
    return split->side[side] ? 0 : error->code;
}

static int close_split(int rc, struct split *split, struct error *error)
{
    for (int side = 0; side < SPLIT_SIDES; side++) {
        rc = close_writer(rc, split->side[side], error);
        rc = close_writer(rc, split->also[side], error);
    }
    return close_writer(rc, split->tasks, error);
}

static void note_split(const struct split_report *report)
{
    uint64_t rows = report->rows[SPLIT_TRAIN] + report->rows[SPLIT_HELD];
    note_counts(&report->read);
    if (rows && !report->rows[SPLIT_HELD])
        log_warning("no row was held out; raise --holdout, or give more tasks");
    if (rows && !report->rows[SPLIT_TRAIN])
        log_warning("all rows were held out and none is left to train on");
}

int run_split(const struct command *verb, int argc, char **argv, struct error *error)
{
    struct split_options o = {.rows = ROW_OPTIONS_DEFAULT,
                              .by = "hash",
                              .print = "train",
                              .holdout = SPLIT_HOLDOUT,
                              .memory = STORE_MEMORY};
    struct operands operands = {0};
    struct split_report report = {0};
    struct map held = {0};
    struct buf text = {0}, json = {0};
    int rc = options_parse(verb, argc, argv, &o, &operands, error);
    if (rc != OPTIONS_RUN)
        return rc == OPTIONS_DONE ? 0 : rc;
    log_quiet(o.rows.quiet);
    struct split split = {
        .source = source_of(&operands, &o.rows),
        .by = o.held_tasks                ? SPLIT_TASKS
              : strcmp(o.by, "hash") == 0 ? SPLIT_HASH
                                          : SPLIT_PRODUCTION,
        .share = o.holdout,
        .seed = o.seed,
        .memory = o.memory,
        .held = &held,
    };
    rc = check_split(&o, error);
    if (rc == 0 && o.held_tasks)
        rc = split_read_tasks(o.held_tasks, &held, error);
    if (rc == 0)
        rc = open_split(&o, &split, error);
    if (rc == 0)
        rc = split_run(&split, &report, error);
    rc = close_split(rc, &split, error);
    if (rc == 0) {
        note_split(&report);
        split_report_text(&report, &text);
        split_report_json(&report, &json);
    }
    rc = tell(&o.out, &text, &json, rc, error);
    map_free(&held);
    operands_free(&operands);
    return rc;
}
