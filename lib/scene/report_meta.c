/* report_meta.c: the sidecar of a run's rows (rows 6.1, situations 20.4). */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "scene/birth.h"
#include "scene/report_keys.h"
#include "scene/report_search.h"

static void meta_path(const char *rows, struct buf *out)
{
    struct span name = span_text(rows);
    if (span_ends(name, SPAN(".zst")))
        name.len -= 4;
    if (span_ends(name, SPAN(".jsonl")))
        name.len -= 6;
    else
        name = span_text(rows);
    buf_span_add(out, name);
    buf_text(out, ".meta.json");
}

int report_save_meta(const char *rows, struct span meta, struct error *error)
{
    struct buf path = {0};
    struct stat file;
    if (!rows || !meta.len || stat(rows, &file) != 0 || !S_ISREG(file.st_mode))
        return 0;
    meta_path(rows, &path);
    int code = file_save(buf_cstr(&path), meta, error);
    buf_free(&path);
    return code;
}

static void write_tools(struct json_writer *w, const struct row_tools *tools)
{
    json_write_key(w, "tools");
    json_write_array(w);
    for (size_t i = 0; i < tools->count; i++)
        json_write_raw(w, tools->items[i].entry.text);
    json_write_end_array(w);
}

void report_write_meta(const struct engine_setting *s, const struct engine_report *r,
                       const struct warnings *warnings, struct span rates, struct buf *out)
{
    struct json_writer w;
    char sha[POLICY_HASH_HEX + 1];
    policy_hash(s->policy, sha);
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    key_text(&w, "schema_version", "1");
    json_write_key(&w, "system_prompt");
    json_write_span(&w, s->policy);
    json_write_key(&w, "system_prompts");
    json_write_object(&w);
    json_write_key(&w, sha);
    json_write_span(&w, s->policy);
    json_write_end_object(&w);
    write_tools(&w, s->tools);
    key_text(&w, "stopped_because", stop_reason_name(r->stop));
    key_int(&w, "budget", s->budget * s->runs);
    key_text(&w, "writer_model", report_writer_model(s));
    key_text(&w, "user_model", s->agent->user_model);
    key_text(&w, "judge_model", s->judge ? s->judge->name : NULL);
    report_write_coverage(&w, s, r);
    json_write_key(&w, "pass_at");
    if (rates.len)
        json_write_raw(&w, rates);
    else
        json_write_null(&w);
    report_write_curve(&w, r);
    report_write_arms(&w, s, r);
    report_write_search(&w, s, r);
    report_write_times(&w, s, r);
    report_write_told(&w, warnings);
    json_write_end_object(&w);
    buf_byte(out, '\n');
}
