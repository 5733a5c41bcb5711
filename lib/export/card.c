/* card.c: see card.h. */
#include "export/card.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "export/defaults.h"

void export_card_start(struct export_card_input *input)
{
    *input = (struct export_card_input){0};
    digest_start(&input->digest);
}

void export_card_row(struct export_card_input *input, const struct row *row)
{
    digest_add(&input->digest, row->line);
    digest_add(&input->digest, SPAN("\n"));
    input->rows++;
    input->bytes += row->line.len + 1;
}

/* ---- texts: what others wrote must not become markup ------------------------------------------ */

static void add_plain(struct buf *out, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < ' ' || c == 0x7f)
            buf_byte(out, ' ');
        else if (strchr("\\`*_{}[]<>#|", c))
            buf_format(out, "\\%c", c);
        else
            buf_byte(out, (char)c);
    }
}

static void add_hash(struct buf *out, const uint8_t *digest)
{
    char hex[2 * SHA256_BYTES + 1];
    digest_hex(digest, SHA256_BYTES, hex);
    buf_format(out, "`%s`", hex);
}

/* ---- a report's numbers ------------------------------------------------------------------------ */

/* A member that counts what a gate took: its name says so. */
static bool is_gate(struct span name)
{
    return span_ends(name, SPAN("dropped")) || span_starts(name, SPAN("n_dropped"));
}

static void add_line(struct buf *out, struct span name, struct span number)
{
    buf_text(out, "| ");
    add_plain(out, name);
    buf_text(out, " | ");
    buf_span_add(out, number);
    buf_text(out, " |\n");
}

/* Integer members of an object as table lines: the gates, or the rest. */
static void add_counts(struct buf *out, struct json_value object, bool gates, bool all)
{
    struct json_cursor cursor = json_enter(object);
    struct json_member m;
    struct buf scratch = {0};
    while (json_next_member(&cursor, &m)) {
        struct span name = json_key(&m, &scratch);
        if (m.value.type == JSON_VALUE_NUMBER && (m.value.flags & JSON_FLAG_INTEGER) &&
            (all || is_gate(name) == gates))
            add_line(out, name, m.value.text);
    }
    buf_free(&scratch);
}

static void add_nested(struct buf *out, struct json_value report, const char *object,
                       const char *member, const char *name)
{
    struct json_value inner, value;
    if (json_get(report, span_text(object), &inner) && inner.type == JSON_VALUE_OBJECT &&
        json_get(inner, span_text(member), &value) && value.type == JSON_VALUE_NUMBER)
        add_line(out, span_text(name), value.text);
}

static void add_gates(struct buf *out, struct json_value report)
{
    struct json_value drops;
    buf_text(out, "\n| gate | count |\n|---|---:|\n");
    add_counts(out, report, true, false);
    if (json_get(report, SPAN("drops"), &drops))
        add_counts(out, drops, true, true);
    add_nested(out, report, "privileged_leaks", "n_leaked",
               "rows that quote their privileged block");
    add_nested(out, report, "tool_call_roundtrip", "invalid", "calls with broken arguments");
}

static void add_warnings(struct buf *out, struct json_value report)
{
    struct json_value list, item;
    struct buf scratch = {0};
    if (!json_get(report, SPAN("warnings"), &list) || list.type != JSON_VALUE_ARRAY)
        return;
    buf_text(out, "\n## To know before training\n\n");
    struct json_cursor cursor = json_enter(list);
    while (json_next_item(&cursor, &item)) {
        if (item.type != JSON_VALUE_STRING)
            continue;
        buf_text(out, "- ");
        add_plain(out, json_text(item, &scratch));
        buf_byte(out, '\n');
    }
    buf_free(&scratch);
}

/* ---- parts of the page ------------------------------------------------------------------------- */

static void add_input(struct buf *out, const struct export_card *card)
{
    uint8_t digest[SHA256_BYTES];
    digest_end(&card->input->digest, digest);
    buf_text(out, "\n## What went in\n\n");
    for (size_t i = 0; i < card->n_sources; i++) {
        buf_text(out, "- ");
        add_plain(out, span_text(card->sources[i]));
        buf_byte(out, '\n');
    }
    if (!card->n_sources)
        buf_text(out, "- standard input\n");
    buf_format(out, "\n%llu rows, %llu bytes, SHA-256 of the rows ",
               (unsigned long long)card->input->rows, (unsigned long long)card->input->bytes);
    add_hash(out, digest);
    buf_text(out, "\n");
    if (card->bad)
        buf_format(out, "\n%llu bad lines were left out before that.\n",
                   (unsigned long long)card->bad);
}

/* One step that came before: its name, its counts, its gates. */
static int add_step(struct buf *out, const char *path, struct error *error)
{
    struct buf text = {0};
    struct json_value report, name;
    struct json_fault fault;
    struct buf scratch = {0};
    int code = file_read(path, EXPORT_REPORT_MAX, &text, error);
    if (code == 0 && (json_scan(buf_span(&text), &report, NULL, &fault) != 0 ||
                      report.type != JSON_VALUE_OBJECT))
        code = error_set(error, ERROR_INPUT,
                         "%s: it is no report: not one JSON object; name a file that --report of "
                         "an earlier step wrote",
                         path);
    if (code == 0) {
        buf_text(out, "\n### ");
        add_plain(out, json_get(report, SPAN("wai_report"), &name) && name.type == JSON_VALUE_STRING
                           ? json_text(name, &scratch)
                           : span_text(path));
        buf_text(out, "\n\n| count | |\n|---|---:|\n");
        add_counts(out, report, false, false);
        add_gates(out, report);
    }
    buf_free(&text);
    buf_free(&scratch);
    return code;
}

int export_card_steps(const struct option_list *reports, struct buf *out, struct error *error)
{
    int code = 0;
    if (!reports->count)
        return 0;
    buf_text(out, "\n## What earlier steps did\n");
    for (size_t i = 0; i < reports->count && code == 0; i++)
        code = add_step(out, reports->items[i], error);
    return code;
}

static int hash_file(const char *path, uint8_t digest[SHA256_BYTES], uint64_t *bytes,
                     struct error *error)
{
    struct digest_stream stream;
    char block[EXPORT_HASH_BLOCK];
    FILE *f = fopen(path, "rb");
    if (!f)
        return error_errno(error, ERROR_SYSTEM, "%s: cannot be read back for its hash", path);
    digest_start(&stream);
    size_t got;
    *bytes = 0;
    while ((got = fread(block, 1, sizeof block, f)) > 0) {
        digest_add(&stream, span_make(block, got));
        *bytes += got;
    }
    int failed = ferror(f);
    fclose(f);
    digest_end(&stream, digest);
    return failed ? error_errno(error, ERROR_SYSTEM, "%s: cannot be read back for its hash", path)
                  : 0;
}

static int add_output(struct buf *out, const struct export_card *card, struct json_value report,
                      struct error *error)
{
    uint8_t digest[SHA256_BYTES];
    uint64_t bytes;
    int code = hash_file(card->output, digest, &bytes, error);
    if (code != 0)
        return code;
    buf_text(out, "\n## What came out\n\n");
    add_plain(out, span_text(card->output));
    buf_format(out, ": %llu bytes, SHA-256 ", (unsigned long long)bytes);
    add_hash(out, digest);
    buf_text(out, "\n\n| count | |\n|---|---:|\n");
    add_counts(out, report, false, false);
    add_nested(out, report, "rewards", "n_pass", "rows with a reward of 0.5 or more");
    add_nested(out, report, "rewards", "n_fail", "rows with a lower reward");
    add_nested(out, report, "rewards", "n_ungraded", "rows without a reward");
    buf_text(out, "\n## What the gates of the export found and dropped\n");
    add_gates(out, report);
    add_warnings(out, report);
    return 0;
}

static void add_title(struct buf *out, const struct export_card *card, struct json_value report)
{
    struct json_value value;
    struct buf scratch = {0};
    const char *slash = strrchr(card->output, '/');
    buf_text(out, "# Data card: ");
    add_plain(out, span_text(slash ? slash + 1 : card->output));
    buf_text(out, "\n\nMade by wai-export " WAI_VERSION);
    if (json_get(report, SPAN("kind"), &value) && value.type == JSON_VALUE_STRING) {
        buf_text(out, ", kind ");
        add_plain(out, json_text(value, &scratch));
    }
    if (json_get(report, SPAN("format"), &value) && value.type == JSON_VALUE_STRING) {
        buf_text(out, ", format ");
        add_plain(out, json_text(value, &scratch));
    }
    buf_text(out, ".\n");
    buf_free(&scratch);
}

int export_card_write(const struct export_card *card, struct error *error)
{
    struct stat info;
    struct buf out = {0}, path = {0};
    struct json_value report;
    struct json_fault fault;
    if (stat(card->output, &info) != 0 || !S_ISREG(info.st_mode) ||
        json_scan(card->report, &report, NULL, &fault) != 0)
        return 0;
    add_title(&out, card, report);
    add_input(&out, card);
    buf_span_add(&out, card->steps);
    int code = add_output(&out, card, report, error);
    buf_text(&path, card->path ? card->path : card->output);
    buf_text(&path, card->path ? "" : ".card.md");
    if (code == 0)
        code = file_save(buf_cstr(&path), buf_span(&out), error);
    buf_free(&out);
    buf_free(&path);
    return code;
}
