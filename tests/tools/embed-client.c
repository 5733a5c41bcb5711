/* embed-client.c: embedders for tests: `embed-client SPEC [MODEL]`, lines {"texts": […]} to
 * {"name", "semantic", "vectors": [{index: number, …}, …]} or {"error", "code"}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "model/embedder.h"
#include "json/write.h"

enum { TEXTS_MAX = 1024 };

static struct buf texts[TEXTS_MAX];

static size_t texts_of(const char *line, struct span out[])
{
    struct json_value value, list, item;
    struct json_fault fault;
    size_t n = 0;
    if (json_scan(span_text(line), &value, NULL, &fault) < 0 ||
        !json_get(value, SPAN("texts"), &list))
        exit(3);
    struct json_cursor c = json_enter(list);
    while (n < TEXTS_MAX && json_next_item(&c, &item)) {
        buf_clear(&texts[n]);
        json_text_add(item, &texts[n]);
        out[n] = buf_span(&texts[n]);
        n++;
    }
    return n;
}

static void write_vector(const struct embedding *v, struct json_writer *w)
{
    json_write_object(w);
    for (size_t i = 0; i < v->count; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", v->at[i]);
        json_write_key(w, key);
        json_write_real(w, v->value[i]);
    }
    json_write_end_object(w);
}

static void one_line(struct embedder *e, const char *line, struct error *error)
{
    struct span given[TEXTS_MAX];
    struct embedding vectors[TEXTS_MAX];
    struct buf out = {0};
    struct json_writer w;
    size_t n = texts_of(line, given);
    int code = e ? embedder_embed(e, given, n, vectors, error) : error->code;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    if (code < 0) {
        json_write_key(&w, "error");
        json_write_text(&w, error->text);
        json_write_key(&w, "code");
        json_write_int(&w, code);
    } else {
        json_write_key(&w, "name");
        json_write_text(&w, embedder_name(e));
        json_write_key(&w, "semantic");
        json_write_bool(&w, embedder_semantic(e));
        json_write_key(&w, "fell_back");
        json_write_bool(&w, embedder_fell_back(e));
        json_write_key(&w, "vectors");
        json_write_array(&w);
        for (size_t i = 0; i < n; i++) {
            write_vector(&vectors[i], &w);
            embedding_free(&vectors[i]);
        }
        json_write_end_array(&w);
    }
    json_write_end_object(&w);
    puts(buf_cstr(&out));
    buf_free(&out);
}

int main(int argc, char **argv)
{
    struct http_settings http = {0};
    struct error error = {0};
    char *line = NULL;
    size_t cap = 0;
    signals_open();
    struct http_client *client = http_open(&http, &error);
    struct embedder_settings settings = {
        .http = client, .model = argc > 2 ? argv[2] : NULL, .timeout_s = 3};
    struct embedder *e = embedder_open(argc > 1 ? argv[1] : NULL, &settings, &error);
    while (getline(&line, &cap, stdin) >= 0)
        one_line(e, line, &error);
    for (size_t i = 0; i < TEXTS_MAX; i++)
        buf_free(&texts[i]);
    free(line);
    embedder_close(e);
    http_close(client);
    return 0;
}
