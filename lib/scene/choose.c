/* choose.c: see choose.h. */
#include "scene/choose.h"

#include <stdlib.h>

#include "base/arena.h"
#include "text/number.h"
#include "json/write.h"

enum { NOVELTY_PLACES = 6 };

struct chooser {
    struct embedder *embedder;
    int64_t seed;
    struct embedding *archive;
    size_t n_archive, archive_cap;
    struct arena arena;
    struct span *waiting; /* played, and not embedded yet */
    size_t n_waiting, waiting_cap;
};

struct chooser *chooser_open(struct embedder *embedder, int64_t seed)
{
    struct chooser *c = mem_zero(1, sizeof *c);
    c->embedder = embedder;
    c->seed = seed;
    return c;
}

void chooser_close(struct chooser *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_archive; i++)
        embedding_free(&c->archive[i]);
    free(c->archive);
    free(c->waiting);
    arena_free(&c->arena);
    free(c);
}

const char *chooser_name(const struct chooser *c)
{
    return c->embedder ? embedder_name(c->embedder) : EMBED_HASH_NAME;
}

bool chooser_semantic(const struct chooser *c)
{
    return c->embedder && embedder_semantic(c->embedder);
}

bool chooser_fell_back(const struct chooser *c)
{
    return c->embedder && embedder_fell_back(c->embedder);
}

void chooser_played(struct chooser *c, struct span prompt)
{
    c->waiting = mem_grow(c->waiting, &c->waiting_cap, c->n_waiting + 1, sizeof *c->waiting);
    c->waiting[c->n_waiting++] = arena_span(&c->arena, prompt);
}

static int embed(struct chooser *c, const struct span *texts, size_t n, struct embedding *out,
                 struct error *error)
{
    if (c->embedder)
        return embedder_embed(c->embedder, texts, n, out, error);
    for (size_t i = 0; i < n; i++)
        out[i] = embed_hash(texts[i]);
    return 0;
}

/* What was played since the last choice joins what later ones are compared with. */
static int archive_played(struct chooser *c, struct error *error)
{
    c->archive =
        mem_grow(c->archive, &c->archive_cap, c->n_archive + c->n_waiting + 1, sizeof *c->archive);
    int code = embed(c, c->waiting, c->n_waiting, c->archive + c->n_archive, error);
    if (code)
        return code;
    c->n_archive += c->n_waiting;
    c->n_waiting = 0;
    arena_clear(&c->arena);
    return 0;
}

/* Of all vectors: semantic ones have no size of their own here. */
static size_t size_of(const struct embedding *a, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].count && a[i].at[a[i].count - 1] >= size)
            size = (size_t)a[i].at[a[i].count - 1] + 1;
    return size;
}

int chooser_choose(struct chooser *c, const struct span *texts, size_t n, size_t need,
                   int64_t round, struct batch *batch, struct error *error)
{
    struct embedding *vectors = mem_zero(n + 1, sizeof *vectors);
    *batch = (struct batch){0};
    int code = archive_played(c, error);
    if (!code)
        code = embed(c, texts, n, vectors, error);
    if (!code) {
        struct batch_wish wish = {
            .texts = texts,
            .n_texts = n,
            .vectors = vectors,
            .size = size_of(c->archive, c->n_archive, size_of(vectors, n, EMBED_HASH_SIZE)),
            .archive = c->archive,
            .n_archive = c->n_archive,
            .need = need,
            .round = round,
            .seed = c->seed,
        };
        batch_choose(batch, &wish);
    }
    for (size_t i = 0; i < n && !code; i++)
        embedding_free(&vectors[i]);
    free(vectors);
    return code;
}

void chooser_members(const struct chooser *c, const struct batch_pick *pick, struct buf *out)
{
    struct buf reason = {0};
    struct json_writer w;
    batch_reason_write(pick, chooser_name(c), &reason);
    buf_text(out, "\"selection_reason\":");
    json_quote(out, buf_span(&reason));
    if (chooser_semantic(c)) {
        buf_format(out, ",\"semantic_cluster\":%zu,\"semantic_novelty\":", pick->cluster);
        json_write_start(&w, out, JSON_STYLE_COMPACT);
        json_write_real(&w, number_round(pick->novelty, NOVELTY_PLACES));
    }
    buf_free(&reason);
}
