/* csv.c: see csv.h. */
#include "ingest/csv.h"

#include <stdlib.h>
#include <strings.h>

#include "base/file.h"
#include "ingest/defaults.h"
#include "row/parse.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/write.h"

enum csv_kind csv_kind_of(const char *path)
{
    size_t len = strlen(path);
    if (len < 4)
        return CSV_NONE;
    if (strcasecmp(path + len - 4, ".csv") == 0)
        return CSV_COMMAS;
    return strcasecmp(path + len - 4, ".tsv") == 0 ? CSV_TABS : CSV_NONE;
}

/* What stands behind a cell. */
enum after { AFTER_CELL, AFTER_RECORD, AFTER_ALL, AFTER_BROKEN };

/* Up to the closing quote; doubled quotes stand for one. false: it never closes. */
static bool quoted_cell(struct csv *c)
{
    const char *data = c->text.data;
    for (c->at++; c->at < c->text.len; c->at++) {
        char byte = data[c->at];
        if (byte == '"') {
            if (c->at + 1 == c->text.len || data[c->at + 1] != '"') {
                c->at++;
                return true;
            }
            c->at++;
        }
        c->line += byte == '\n';
        buf_byte(&c->cell, byte);
    }
    return false;
}

static bool is_end(const struct csv *c)
{
    char byte = c->text.data[c->at];
    return byte == c->separator || byte == '\n' || byte == '\r';
}

/* The next cell into c->cell. */
static enum after next_cell(struct csv *c, bool *quoted)
{
    const char *data = c->text.data;
    buf_clear(&c->cell);
    *quoted = c->at < c->text.len && data[c->at] == '"';
    if (*quoted && !quoted_cell(c))
        return AFTER_BROKEN;
    while (c->at < c->text.len && !is_end(c))
        buf_byte(&c->cell, data[c->at++]);
    if (c->at == c->text.len)
        return AFTER_ALL;
    if (data[c->at] == c->separator) {
        c->at++;
        return AFTER_CELL;
    }
    if (data[c->at] == '\r' && c->at + 1 < c->text.len && data[c->at + 1] == '\n')
        c->at++;
    c->at++;
    c->line++;
    return AFTER_RECORD;
}

static int read_header(struct csv *c, struct error *error)
{
    size_t cap = 0;
    enum after after = AFTER_CELL;
    while (after == AFTER_CELL) {
        bool quoted;
        after = next_cell(c, &quoted);
        c->names = mem_grow(c->names, &cap, c->n_names + 1, sizeof *c->names);
        c->names[c->n_names++] = arena_span(&c->arena, text_strip(buf_span(&c->cell)));
        if (after == AFTER_BROKEN)
            return error_set(error, ERROR_INPUT,
                             "%s:1: a quoted name never closes; mend the header", c->path);
        if (!utf8_valid(c->names[c->n_names - 1]))
            return error_set(error, ERROR_INPUT, "%s:1: the header is not UTF-8; convert the file",
                             c->path);
    }
    return 0;
}

int csv_open(struct csv *c, const char *path, enum csv_kind kind, struct error *error)
{
    *c = (struct csv){.path = path, .separator = kind == CSV_TABS ? '\t' : ',', .line = 1};
    int rc = file_read(path, CSV_FILE_MAX, &c->text, error);
    if (rc < 0)
        return rc;
    if (span_starts(buf_span(&c->text), SPAN("\xef\xbb\xbf")))
        c->at = 3;
    return c->at < c->text.len ? read_header(c, error) : 0;
}

/* A cell under its name; false when it is not UTF-8. */
static bool write_cell(struct csv *c, size_t column, bool quoted, struct json_writer *w)
{
    struct span text = buf_span(&c->cell);
    struct json_value value;
    if (!utf8_valid(text))
        return false;
    json_write_key_span(w, c->names[column]);
    if (!text.len && !quoted) {
        json_write_null(w);
    } else if ((span_starts(text, SPAN("[")) || span_starts(text, SPAN("{"))) &&
               row_parse_span(&c->lists, text, &value)) {
        json_write_raw(w, value.text);
    } else {
        json_write_span(w, text);
    }
    return true;
}

static int broken(struct buf *out, const char *what)
{
    buf_clear(out);
    buf_text(out, what);
    return -1;
}

static bool at_blank_line(const struct csv *c)
{
    return c->text.data[c->at] == '\n' || c->text.data[c->at] == '\r';
}

int csv_next(struct csv *c, struct buf *out, size_t *line)
{
    struct json_writer w;
    enum after after = AFTER_CELL;
    bool utf8 = true;
    size_t cells = 0;
    while (c->at < c->text.len && at_blank_line(c))
        c->line += c->text.data[c->at++] == '\n';
    *line = c->line;
    if (c->at >= c->text.len)
        return 0;
    buf_clear(out);
    arena_clear(&c->lists);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    for (; after == AFTER_CELL; cells++) {
        bool quoted;
        after = next_cell(c, &quoted);
        if (after == AFTER_BROKEN)
            return broken(out,
                          "a quoted cell never closes; close it or double the quotes inside it");
        if (cells < c->n_names)
            utf8 = write_cell(c, cells, quoted, &w) && utf8;
    }
    if (!utf8)
        return broken(out, "a cell is not UTF-8; convert the file");
    if (cells != c->n_names) {
        buf_clear(out);
        buf_format(out, "%zu cells under %zu names; quote cells that hold the separator", cells,
                   c->n_names);
        return -1;
    }
    json_write_end_object(&w);
    return 1;
}

void csv_free(struct csv *c)
{
    buf_free(&c->text);
    buf_free(&c->cell);
    free(c->names);
    arena_free(&c->arena);
    arena_free(&c->lists);
    *c = (struct csv){0};
}
