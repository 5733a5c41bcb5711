/* embedder_options.c: see embedder_options.h. */
#include "model/embedder_options.h"

int embedder_access_open(struct embedder_access *a, const struct embedder_options *o,
                         struct error *error)
{
    bool live = o->replay_miss && o->replay_miss[0] == 'l';
    if (o->replay_miss && !o->replay)
        return error_set(error, ERROR_USAGE, "--replay-miss needs --replay FILE");
    if (!o->spec && (o->model || o->record || o->replay))
        return error_set(error, ERROR_USAGE, "--%s needs --embedder SPEC",
                         o->model    ? "embed-model"
                         : o->record ? "record"
                                     : "replay");
    if (!o->spec)
        return 0;
    if (!o->replay || live) {
        const struct http_settings settings = {.per_host = 1};
        a->http = http_open(&settings, error);
        if (!a->http)
            return error->code;
    }
    if (o->record || o->replay) {
        a->cassette = cassette_open(o->record, o->replay,
                                    live ? CASSETTE_MISS_LIVE : CASSETTE_MISS_FAIL, error);
        if (!a->cassette)
            return error->code;
    }
    const struct embedder_settings settings = {
        .http = a->http, .cassette = a->cassette, .model = o->model};
    a->embedder = embedder_open(o->spec, &settings, error);
    return a->embedder ? 0 : error->code;
}

int embedder_access_close(struct embedder_access *a, struct error *error)
{
    if (a->embedder)
        embedder_close(a->embedder);
    int code = a->cassette ? cassette_close(a->cassette, error) : 0;
    if (a->http)
        http_close(a->http);
    *a = (struct embedder_access){0};
    return code;
}
