/* eval_set.c: see eval_set.h. */
#include "grade/eval_set.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "grade/defaults.h"
#include "row/gold.h"
#include "text/fold.h"

struct eval_set {
    char *path;
    struct map asks; /* folded */
    bool *covered;
    size_t cap;
};

static void fold_value(struct json_value value, struct buf *out)
{
    struct buf scratch = {0};
    buf_clear(out);
    text_fold(row_content_text(value, &scratch), out);
    buf_free(&scratch);
}

/* The ask of a line into out (folded; "" for none). */
static void read_line(struct span line, struct buf *out)
{
    struct json_value value, prompt;
    struct json_fault fault;
    buf_clear(out);
    if (json_scan(line, &value, NULL, &fault) < 0)
        text_fold(line, out);
    else if (value.type == JSON_VALUE_STRING)
        fold_value(value, out);
    else if (value.type == JSON_VALUE_OBJECT && json_get(value, SPAN("prompt"), &prompt))
        fold_value(prompt, out);
    else if (value.type != JSON_VALUE_OBJECT && value.type != JSON_VALUE_ARRAY)
        text_fold(line, out); /* "42" is an ask, too */
}

struct eval_set *eval_set_open(const char *path, struct error *error)
{
    struct eval_set *set = mem_zero(1, sizeof *set);
    struct buf text = {0}, ask = {0};
    set->path = mem_text(path);
    int rc = file_read(path, EVAL_SET_MAX, &text, error);
    for (size_t at = 0; !rc && at < text.len;) {
        size_t end = span_find(buf_span(&text), SPAN("\n"), at);
        end = end == (size_t)-1 ? text.len : end;
        read_line(text_strip(span_slice(buf_span(&text), at, end)), &ask);
        at = end + 1;
        if (ask.len)
            map_add(&set->asks, buf_span(&ask), NULL);
    }
    if (!rc && !set->asks.count)
        rc = error_set(error, ERROR_INPUT, "%s: it holds no ask; write one a line", path);
    set->covered = mem_zero(set->asks.count + 1, sizeof *set->covered);
    buf_free(&text);
    buf_free(&ask);
    if (rc) {
        eval_set_close(set);
        return NULL;
    }
    return set;
}

void eval_set_close(struct eval_set *set)
{
    if (!set)
        return;
    map_free(&set->asks);
    free(set->covered);
    free(set->path);
    free(set);
}

void eval_set_row(struct eval_set *set, const struct row *row)
{
    const struct json_value *prompt = row_get_set(row, SPAN("prompt"));
    struct buf ask = {0};
    if (!prompt)
        return;
    fold_value(*prompt, &ask);
    size_t at = map_find(&set->asks, buf_span(&ask));
    if (at != MAP_NONE)
        set->covered[at] = true;
    buf_free(&ask);
}

static int by_bytes(const void *a, const void *b)
{
    return span_compare(*(const struct span *)a, *(const struct span *)b);
}

void eval_set_counts(const struct eval_set *set, size_t *asks, size_t *covered)
{
    *asks = set->asks.count;
    *covered = 0;
    for (size_t i = 0; i < set->asks.count; i++)
        *covered += set->covered[i];
}

void eval_set_write(const struct eval_set *set, struct json_writer *w)
{
    struct span *missing = mem_zero(set->asks.count + 1, sizeof *missing);
    size_t n = 0, asks, covered;
    eval_set_counts(set, &asks, &covered);
    for (size_t i = 0; i < set->asks.count; i++)
        if (!set->covered[i])
            missing[n++] = set->asks.keys[i];
    if (n)
        qsort(missing, n, sizeof *missing, by_bytes);
    json_write_object(w);
    json_write_key(w, "eval_set");
    json_write_int(w, (int64_t)asks);
    json_write_key(w, "covered");
    json_write_int(w, (int64_t)covered);
    json_write_key(w, "missing");
    json_write_array(w);
    for (size_t i = 0; i < n && i < EVAL_SET_SHOWN; i++)
        json_write_span(w, missing[i]);
    json_write_end_array(w);
    json_write_end_object(w);
    free(missing);
}
