/* wai-select: rows in, the rows a trainer should see out. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options.h"
#include "base/signals.h"
#include "row/reader.h"
#include "row/store.h"
#include "row/writer.h"
#include "select/defaults.h"
#include "select/select.h"

struct settings {
    struct row_options rows;
    const char *mode, *output, *report, *rule, *seed, *band, *truncated, *order, *text_gates;
    int64_t target, k, fail_under;
    double min_reward, low, high;
    bool low_given, high_given;
    bool no_enforce_band, no_dedupe, no_tools, keep_order;
};

#define FIELD(name) offsetof(struct settings, name)
static const struct option options[] = {
    {OPTION_CHOICE, 'm', "mode", FIELD(mode), "rl|sft", "which selection (rl)",
     .choices = "rl|sft"},
    {OPTION_TEXT, 'o', "output", FIELD(output), "FILE", "write the rows to FILE (standard output)",
     .file = true},
    {OPTION_TEXT, 0, "report", FIELD(report), "FILE", "write the report to FILE as one JSON object",
     .file = true},
    {OPTION_INT, 0, "target", FIELD(target), "N", "about how many rows (1000)", .min = 0,
     .max = 1e15},
    {OPTION_CHOICE, 0, "select", FIELD(rule), "RULE",
     "sft: top_per_prompt (default), random_per_prompt, top_k_overall or random_k_overall",
     .choices = "top_per_prompt|random_per_prompt|top_k_overall|random_k_overall|"
                "top-per-prompt|random-per-prompt|top-k-overall|random-k-overall"},
    {OPTION_INT, 0, "k", FIELD(k), "N", "sft, overall rules: how many (the target)", .min = 0,
     .max = 1e15},
    {OPTION_REAL, 0, "min-reward", FIELD(min_reward), "X", "sft: reward that passes (1)"},
    {OPTION_TEXT, 0, "seed", FIELD(seed), "N", "sft, random rules: seed of the draws (0)"},
    {OPTION_TEXT, 0, "band", FIELD(band), "LO,HI",
     "rl: pass rates that are kept, edges inside (0.2,0.8)"},
    {OPTION_REAL, 0, "lo", FIELD(low), "X", "rl: lower edge of the band", FIELD(low_given)},
    {OPTION_REAL, 0, "hi", FIELD(high), "X", "rl: upper edge of the band", FIELD(high_given)},
    {OPTION_FLAG, 0, "no-enforce-band", FIELD(no_enforce_band), NULL,
     "rl: tasks outside the band only rank last"},
    {OPTION_CHOICE, 0, "truncated", FIELD(truncated), "drop|keep|penalize",
     "rl: what becomes of replies cut by the token cap (drop)", .choices = "drop|keep|penalize"},
    {OPTION_FLAG, 0, "no-dedupe", FIELD(no_dedupe), NULL, "rl: keep rollouts that repeat another"},
    {OPTION_FLAG, 0, "no-tools", FIELD(no_tools), NULL, "rl: the agent has no tools"},
    {OPTION_CHOICE, 0, "order", FIELD(order), "spread|middle",
     "rl: deal over pass rates, or the middle of the band first (spread)",
     .choices = "spread|middle"},
    {OPTION_CHOICE, 0, "text-gates", FIELD(text_gates), "auto|require|skip",
     "rl: gates that look at the replies; auto: when any row has one (auto)",
     .choices = "auto|require|skip"},
    {OPTION_INT, 0, "fail-under", FIELD(fail_under), "N", "exit 1 when fewer than N rows come out",
     .min = 0, .max = 1e15},
    {OPTION_FLAG, 0, "keep-order", FIELD(keep_order), NULL, "write the chosen rows in input order"},
    ROW_OPTIONS(struct settings, rows),
    {0},
};

static const struct command command = {
    .name = "wai-select",
    .synopsis = "[--mode rl|sft] [OPTIONS] [FILE...]",
    .purpose = "choose the rows a trainer can use; say what every gate dropped",
    .options = options,
    .examples = "wai-select --mode sft scored.jsonl > sft.jsonl\n"
                "wai-select --band 0.1,0.9 --report select.json scored.jsonl > rl.jsonl\n",
};

/* Place of a word in a list of names; the options table has checked that it is there. */
static int choice(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        const char *a = word, *b = names[i];
        while (*a && (*a == *b || (*a == '-' && *b == '_')))
            a++, b++;
        if (!*a && !*b)
            return i;
    }
    return 0;
}

static int read_band(struct settings *s, struct error *error)
{
    if (s->band) {
        char low[64], high[64];
        double a, b;
        if (sscanf(s->band, "%63[^,],%63s", low, high) != 2 || option_read_real(low, &a) ||
            option_read_real(high, &b))
            return error_set(error, ERROR_USAGE, "--band %s: two numbers are wanted, LO,HI",
                             s->band);
        s->low = s->low_given ? s->low : a;
        s->high = s->high_given ? s->high : b;
    }
    if (!(s->low >= 0 && s->low <= s->high && s->high <= 1))
        return error_set(error, ERROR_USAGE,
                         "the band %g,%g is out of order; 0 <= LO <= HI <= 1 is wanted", s->low,
                         s->high);
    return 0;
}

static int check_seed(const char *seed, struct error *error)
{
    const char *digits = seed + (*seed == '-' || *seed == '+');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return error_set(error, ERROR_USAGE, "--seed %s: a whole number is wanted", seed);
    return 0;
}

/* Reads all rows: facts for the choice, lines for the output. */
static int read_rows(const struct settings *s, const struct operands *operands,
                     struct row_store *store, struct select_facts *facts, struct row_counts *counts,
                     struct error *error)
{
    struct row_source source = {
        .paths = operands->items, .n_paths = operands->count, .options = s->rows};
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct row row;
    size_t number;
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        if ((got = row_store_add(store, row.line, &number, error)) < 0)
            break;
        select_facts_add(facts, &row);
    }
    *counts = row_reader_counts(reader);
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    return got < 0 ? got : closed;
}

static int by_number(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

struct selection {
    struct settings *s;
    struct select_facts facts;
    struct row_store *store;
    bool sft;
    struct sft_options sft_options;
    struct sft_result sft_result;
    struct rl_options rl_options;
    struct rl_result rl_result;
};

static struct select_picked *picked_of(struct selection *c)
{
    return c->sft ? &c->sft_result.picked : &c->rl_result.picked;
}

static void choose(struct selection *c)
{
    struct settings *s = c->s;
    size_t target = s->target < 1 ? 1 : (size_t)s->target;
    static const char *const orders[] = {"spread", "middle"};
    c->sft_options = (struct sft_options){
        .rule = (enum sft_rule)choice(s->rule, SFT_RULE_NAMES, 4),
        .target = target,
        .k = (size_t)s->k,
        .min_reward = s->min_reward,
        .seed = s->seed,
    };
    c->rl_options = (struct rl_options){
        .target = target,
        .low = s->low,
        .high = s->high,
        .enforce_band = !s->no_enforce_band,
        .dedupe = !s->no_dedupe,
        .has_tools = !s->no_tools,
        .truncated = (enum rl_truncated)choice(s->truncated, RL_TRUNCATED_NAMES, 3),
        .order = (enum rl_order)choice(s->order, orders, 2),
        .text_gates = (enum rl_text_gates)choice(s->text_gates, RL_TEXT_NAMES, 3),
    };
    if (c->sft)
        select_sft(&c->facts, &c->sft_options, &c->sft_result);
    else
        select_rl(&c->facts, &c->rl_options, &c->rl_result);
}

static int write_rows(struct selection *c, struct error *error)
{
    struct select_picked *picked = picked_of(c);
    if (c->s->keep_order && picked->count)
        qsort(picked->rows, picked->count, sizeof *picked->rows, by_number);
    struct row_writer *writer = row_writer_open(c->s->output, error);
    if (!writer)
        return error->code;
    struct buf scratch = {0}, out = {0};
    struct json_members members = {0};
    int status = 0;
    for (size_t i = 0; i < picked->count && !status; i++) {
        struct span line;
        status = row_store_get(c->store, picked->rows[i], &scratch, &line, error);
        if (!status && !c->sft) {
            struct row row;
            row_of_text(line, &row, &members, NULL);
            buf_clear(&out);
            select_rl_stamp(&c->facts, &c->rl_options, &c->rl_result, &row, picked->rows[i], &out);
            line = buf_span(&out);
        }
        if (!status)
            status = row_writer_line(writer, line, error);
        if (!status && signals_caught())
            status = error_set(error, ERROR_INTERRUPTED,
                               "interrupted; %zu of %zu rows were written", i + 1, picked->count);
    }
    buf_free(&scratch);
    buf_free(&out);
    json_members_free(&members);
    if (status == ERROR_INTERRUPTED && !c->s->output)
        row_writer_flush(writer, NULL);
    if (status) {
        row_writer_abandon(writer);
        return status;
    }
    return row_writer_close(writer, error);
}

static int write_report(struct selection *c, struct error *error)
{
    if (!c->s->report)
        return 0;
    struct buf text = {0};
    struct json_writer w;
    json_write_start(&w, &text, JSON_STYLE_INDENTED);
    if (c->sft)
        select_sft_report(&c->facts, &c->sft_options, &c->sft_result, &w);
    else
        select_rl_report(&c->facts, &c->rl_options, &c->rl_result, &w);
    buf_byte(&text, '\n');
    struct file *f = file_create(c->s->report, error);
    int status = f ? file_write(f, buf_span(&text), error) : error->code;
    if (f && status)
        file_abandon(f);
    else if (f)
        status = file_commit(f, error);
    buf_free(&text);
    return status;
}

static void say_drops(const struct selection *c)
{
    if (c->sft) {
        const struct sft_result *r = &c->sft_result;
        log_note("%zu of %zu rows kept, %zu of %zu behaviours; dropped: %zu not passing, %zu "
                 "unjudged, %zu "
                 "incomplete, %zu leaks",
                 r->picked.count, r->n, r->behaviors_covered, r->unique_behaviors,
                 r->n_not_pass - r->n_unjudged, r->n_unjudged, r->n_junk, r->n_leaks);
        return;
    }
    const struct rl_result *r = &c->rl_result;
    log_note("%zu of %zu rows in %zu groups kept, band %g..%g", r->picked.count, r->n,
             r->groups_selected, c->rl_options.low, c->rl_options.high);
    log_note("dropped rows: %zu incomplete, %zu without a tool call, %zu without a 0/1 label, %zu "
             "duplicates, "
             "%zu truncated (%s), %zu leaks",
             r->n_junk, r->n_do_nothing, r->n_unusable, r->n_duplicates, r->truncated_dropped,
             RL_TRUNCATED_NAMES[c->rl_options.truncated], r->n_leaks);
    log_note("dropped tasks: %zu unanimous, %zu too easy, %zu too hard", r->unanimous, r->too_easy,
             r->too_hard);
}

static void say(struct selection *c, const struct row_counts *counts)
{
    if (counts->bad)
        log_note("%llu bad lines were %s", (unsigned long long)counts->bad,
                 strcmp(c->s->rows.on_bad, "skip") ? "moved" : "skipped");
    if (!c->facts.count) {
        log_note("no row arrived");
        return;
    }
    say_drops(c);
    struct buf notes = {0};
    if (c->sft)
        select_sft_notes(&c->sft_options, &c->sft_result, &notes);
    else
        select_rl_notes(&c->facts, &c->rl_options, &c->rl_result, &notes);
    for (char *line = notes.len ? strtok((char *)buf_cstr(&notes), "\n") : NULL; line;
         line = strtok(NULL, "\n"))
        log_note("note: %s", line);
    buf_free(&notes);
}

int main(int argc, char **argv)
{
    struct error error = {0};
    struct operands operands = {0};
    struct settings s = {.rows = ROW_OPTIONS_DEFAULT,
                         .mode = "rl",
                         .rule = "top_per_prompt",
                         .seed = "0",
                         .truncated = "drop",
                         .order = "spread",
                         .text_gates = "auto",
                         .target = SELECT_TARGET,
                         .min_reward = SELECT_MIN_REWARD,
                         .low = SELECT_BAND_LOW,
                         .high = SELECT_BAND_HIGH,
                         .fail_under = -1};
    log_open(argv[0]);
    signals_open();
    int status = options_parse(&command, argc, argv, &s, &operands, &error);
    if (status)
        return status < 0 ? log_fail(&error) : 0;
    log_quiet(s.rows.quiet);
    if (read_band(&s, &error) || check_seed(s.seed, &error))
        return log_fail(&error);

    struct selection c = {
        .s = &s, .sft = strcmp(s.mode, "sft") == 0, .store = row_store_new(STORE_MEMORY)};
    struct row_counts counts;
    status = read_rows(&s, &operands, c.store, &c.facts, &counts, &error);
    if (!status) {
        choose(&c);
        status = write_rows(&c, &error);
    }
    if (!status)
        status = write_report(&c, &error);
    if (!status)
        say(&c, &counts);
    if (!status && s.fail_under >= 0 && picked_of(&c)->count < (size_t)s.fail_under)
        status = error_set(&error, ERROR_CHECK, "%zu rows came out, fewer than --fail-under %lld",
                           picked_of(&c)->count, (long long)s.fail_under);
    select_picked_free(&c.sft_result.picked);
    select_rl_free(&c.rl_result);
    select_facts_free(&c.facts);
    row_store_free(c.store);
    operands_free(&operands);
    return status ? log_fail(&error) : 0;
}
