/* leaks.c: see leaks.h. */
#include "export/leaks.h"

#include "export/defaults.h"

static void write_own(struct json_writer *w, const char *key, const struct row *row)
{
    const struct json_value *value = row_get(row, span_text(key));
    json_write_key(w, key);
    if (value && !(value->flags & JSON_FLAG_NONFINITE) && value->type != JSON_VALUE_OBJECT &&
        value->type != JSON_VALUE_ARRAY)
        json_write_raw(w, value->text);
    else
        json_write_null(w);
}

static void show(struct export_leaks *l, struct span needle, const struct row *row,
                 const char *side)
{
    struct json_writer w;
    size_t field_len = strnlen(needle.ptr, needle.len);
    if (l->n_shown++)
        buf_byte(&l->shown, ',');
    json_write_start(&w, &l->shown, JSON_STYLE_COMPACT);
    json_write_object(&w);
    write_own(&w, "scenario_id", row);
    write_own(&w, "rollout_index", row);
    if (side) {
        json_write_key(&w, "side");
        json_write_text(&w, side);
    }
    json_write_key(&w, "field");
    json_write_span(&w, span_slice(needle, 0, field_len));
    json_write_key(&w, "needle");
    json_write_span(
        &w, span_slice(needle, field_len < needle.len ? field_len + 1 : field_len, needle.len));
    json_write_end_object(&w);
}

void export_leaks_add(struct export_leaks *l, enum leak_result found, struct span needle,
                      const struct row *row, const char *side)
{
    l->n_rows++;
    l->n_checked += found != LEAK_UNCHECKED;
    if (found != LEAK_FOUND)
        return;
    l->n_leaked++;
    if (l->n_shown < EXPORT_LEAKS_SHOWN)
        show(l, needle, row, side);
}

static void summary(const struct export_leaks *l, struct json_writer *w)
{
    struct buf text = {0};
    if (!l->n_checked)
        buf_format(
            &text,
            "none of %llu rows carried a privileged block, so nothing can be said about leaks",
            (unsigned long long)l->n_rows);
    else
        buf_format(&text, "%llu of %llu rows with a privileged block quote it in a reply",
                   (unsigned long long)l->n_leaked, (unsigned long long)l->n_checked);
    json_write_key(w, "summary");
    json_write_span(w, buf_span(&text));
    buf_free(&text);
}

void export_leaks_report(const struct export_leaks *l, struct json_writer *w)
{
    struct buf list = {0};
    json_write_object(w);
    json_write_key(w, "checked");
    json_write_bool(w, l->n_checked > 0);
    json_write_key(w, "n_checked");
    json_write_int(w, (int64_t)l->n_checked);
    json_write_key(w, "n_leaked");
    json_write_int(w, (int64_t)l->n_leaked);
    json_write_key(w, "leaked");
    buf_byte(&list, '[');
    buf_span_add(&list, buf_span(&l->shown));
    buf_byte(&list, ']');
    json_write_raw(w, buf_span(&list));
    summary(l, w);
    json_write_end_object(w);
    buf_free(&list);
}

void export_leaks_free(struct export_leaks *l)
{
    buf_free(&l->shown);
}
