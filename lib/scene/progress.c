/* progress.c: see progress.h. */
#include "scene/progress.h"

#include <errno.h>
#include <string.h>

#include "scene/defaults.h"
#include "scene/report_keys.h"
#include "scene/report_talk.h"

static void add_time(struct buf *out, double seconds)
{
    long long s = (long long)(seconds + 0.5);
    if (s < 60)
        buf_format(out, "%lld s", s);
    else if (s < 3600)
        buf_format(out, "%lld min %lld s", s / 60, s % 60);
    else
        buf_format(out, "%lld h %lld min", s / 3600, s / 60 % 60);
}

void progress_line(const struct engine_progress *p, struct buf *out)
{
    buf_format(out, "%lld of %lld rows", (long long)p->landed, (long long)p->cap);
    if (p->resumed)
        buf_format(out, " (%lld from the checkpoint)", (long long)p->resumed);
    buf_format(out, ", %lld prompts, ", (long long)p->prompts);
    add_time(out, p->elapsed);
    if (p->landed >= SCENE_PROGRESS_GUESS && p->landed < p->cap) {
        buf_text(out, ", about ");
        add_time(out, p->elapsed / (double)p->landed * (double)(p->cap - p->landed));
        buf_text(out, " to go");
    }
    if (p->rerolled)
        buf_format(out, ", %lld played again", (long long)p->rerolled);
    if (p->lost)
        buf_format(out, ", %lld lost", (long long)p->lost);
    for (int i = 0; i < LOST_COUNT; i++)
        if (p->lost_by[i])
            buf_format(out, " (%s %lld)", lost_reason_name((enum lost_reason)i),
                       (long long)p->lost_by[i]);
}

void lost_write(struct json_writer *w, const int64_t counts[LOST_COUNT])
{
    json_write_object(w);
    for (int i = 0; i < LOST_COUNT; i++)
        if (counts[i]) {
            json_write_key(w, lost_reason_name((enum lost_reason)i));
            json_write_int(w, counts[i]);
        }
    json_write_end_object(w);
}

void progress_object(const struct engine_progress *p, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    key_int(&w, "rows", p->landed);
    key_int(&w, "cap", p->cap);
    key_int(&w, "landed", p->landed - p->resumed);
    key_int(&w, "resumed", p->resumed);
    key_int(&w, "rerolled", p->rerolled);
    json_write_key(&w, "rerolled_by");
    lost_write(&w, p->rerolled_by);
    key_int(&w, "timed_out", p->timed_out);
    key_int(&w, "lost", p->lost);
    json_write_key(&w, "lost_by");
    lost_write(&w, p->lost_by);
    if (p->inflight >= 0)
        key_int(&w, "inflight", p->inflight);
    key_int(&w, "situations", p->prompts);
    json_write_key(&w, "elapsed_s");
    json_write_real(&w, number_round(p->elapsed, 3));
    json_write_end_object(&w);
}

int progress_open(struct progress_file *f, const char *path, struct error *error)
{
    *f = (struct progress_file){.path = path};
    if (!path)
        return 0;
    f->stream = strcmp(path, "-") == 0 ? stderr : fopen(path, "w");
    if (f->stream)
        return 0;
    return error_set(error, ERROR_SYSTEM, "%s: %s; --progress needs a file it can write", path,
                     strerror(errno));
}

void progress_add(struct progress_file *f, const struct engine_progress *p)
{
    struct buf text = {0};
    if (!f->stream)
        return;
    progress_object(p, &text);
    buf_byte(&text, '\n');
    fwrite(text.data, 1, text.len, f->stream);
    fflush(f->stream);
    buf_free(&text);
}

int progress_close(struct progress_file *f, struct error *error)
{
    int wrong = f->stream ? ferror(f->stream) : 0;
    if (f->stream && f->stream != stderr)
        wrong |= fclose(f->stream);
    f->stream = NULL;
    return wrong ? error_set(error, ERROR_SYSTEM, "%s: not all of the progress could be written",
                             f->path)
                 : 0;
}
