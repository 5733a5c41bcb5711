/* writer.c: see writer.h: which waves go out, and what becomes of a writer that gives nothing. */
#include "scene/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/signals.h"
#include "scene/writer_inside.h"

static void work(void *context, int worker, void *job)
{
    wave_ask(context, worker, job);
}

struct scene_writer *scene_writer_open(const struct writer_setting *setting)
{
    struct scene_writer *w = mem_zero(1, sizeof *w);
    w->setting = *setting;
    w->by_tool = mem_zero(setting->cards.tools->count + 1, sizeof *w->by_tool);
    w->pool = pool_open_waiting(WRITER_IN_FLIGHT, WRITER_IN_FLIGHT + 1, work, w);
    return w;
}

size_t writer_context(const struct scene_writer *w)
{
    int64_t n = knob_int(w->setting.knobs, KNOB_CONTEXT_ITEMS);
    return n < WRITER_CONTEXT ? (size_t)n : WRITER_CONTEXT;
}

static void wave_free(struct wave *wave)
{
    arena_free(&wave->arena);
    buf_free(&wave->reply);
    buf_free(&wave->why);
    free(wave->cards);
    free(wave);
}

void scene_writer_close(struct scene_writer *w)
{
    struct wave *wave;
    if (!w)
        return;
    while ((wave = pool_take(w->pool, POOL_WAIT)))
        wave_free(wave);
    pool_close(w->pool);
    for (int i = 0; i < WRITER_IN_FLIGHT; i++)
        if (w->programs[i])
            coproc_close(w->programs[i]);
    for (int i = 0; i < TOLD_KINDS; i++)
        free(w->told[i].items);
    free(w->again.items);
    free(w->by_tool);
    arena_free(&w->arena);
    free(w);
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct dealt *next_slot(struct wave *wave)
{
    struct dealt *d = &wave->cards[wave->n_cards++];
    memset(d, 0, sizeof *d);
    return d;
}

static void deal(struct scene_writer *w, const struct writer_source *source, struct wave *wave,
                 struct dealt *d)
{
    struct buf reference = {0};
    if (d->from.cell && source->reference)
        source->reference(source->data, &d->from, &reference);
    d->card.cell = d->from.cell;
    card_deal(&d->card, &w->setting.cards, wave->number + w->epoch + d->card.tries,
              buf_span(&reference), &w->arena);
    buf_free(&reference);
}

/* A card whose message was refused, else one for a new cell. */
static bool add_cell(struct scene_writer *w, const struct writer_source *source, struct wave *wave)
{
    struct writer_cell cell = {0};
    struct dealt_list *l = &w->again;
    if (l->count) {
        struct dealt *d = next_slot(wave);
        *d = l->items[l->first++];
        if (--l->count == 0)
            l->first = 0;
        deal(w, source, wave, d);
        return true;
    }
    if (w->dry || !source->next(source->data, &cell)) {
        w->dry = true;
        return false;
    }
    struct dealt *d = next_slot(wave);
    d->from = cell;
    d->card.key = span_text(cell.cell->id);
    deal(w, source, wave, d);
    return true;
}

/* A card off the grid: for whatever comes to the writer's mind, or for a failure. */
static void add_other(struct scene_writer *w, const struct writer_source *source, struct wave *wave,
                      const struct writer_failure *failure)
{
    char key[32];
    struct dealt *d = next_slot(wave);
    int n = snprintf(key, sizeof key, "%s-%lld", failure ? "fail" : "off", (long long)wave->number);
    d->card.key = arena_span(&w->arena, span_make(key, (size_t)n));
    if (failure) {
        d->card.retried = arena_span(&w->arena, failure->ask);
        d->parent = failure->parent;
    }
    deal(w, source, wave, d);
}

/* One wave of so many cards. false: there is no cell for it. */
static bool send(struct scene_writer *w, const struct writer_source *source, size_t n_cards)
{
    struct wave *wave = mem_zero(1, sizeof *wave);
    wave->number = w->wave;
    wave->cards = mem_zero(n_cards + 2, sizeof *wave->cards);
    while (wave->n_cards < n_cards && add_cell(w, source, wave))
        ;
    if (!wave->n_cards) {
        wave_free(wave);
        return false;
    }
    struct writer_failure failure;
    if (wave->n_cards >= WRITER_OUTSIDE_FROM && w->told[TOLD_OUTSIDE].count < WRITER_OUTSIDE)
        add_other(w, source, wave, NULL);
    if (source->failure && source->failure(source->data, wave->number, n_cards, &failure))
        add_other(w, source, wave, &failure);
    size_t fit = wave_write(w, wave);
    for (size_t i = fit; i < wave->n_cards; i++) /* they go out with the next one */
        if (wave->cards[i].from.cell) {
            struct dealt_list *l = &w->again;
            l->items = mem_grow(l->items, &l->cap, l->first + l->count + 1, sizeof *l->items);
            l->items[l->first + l->count++] = wave->cards[i];
        }
    wave->n_cards = fit;
    w->wave++;
    w->in_flight++;
    w->counts.waves++;
    w->counts.cards += (int64_t)fit;
    pool_submit(w->pool, wave);
    return true;
}

/* Waves for so many messages, as many as may be in flight. */
static void send_for(struct scene_writer *w, const struct writer_source *source, size_t missing)
{
    while (missing && w->in_flight < WRITER_IN_FLIGHT) {
        const struct knobs *k = w->setting.knobs;
        int64_t most = w->wave < knob_int(k, KNOB_FIRST_WRITERS) ? knob_int(k, KNOB_FIRST_CARDS)
                                                                 : WRITER_WAVE_CARDS;
        int64_t least = knob_int(k, KNOB_MIN_CARDS);
        int64_t wanted = (int64_t)missing < most ? (int64_t)missing : most;
        size_t n = (size_t)(wanted < least ? least : wanted);
        if (n > WRITER_MOST_CARDS)
            n = WRITER_MOST_CARDS;
        if (!send(w, source, n))
            return;
        missing = missing > n ? missing - n : 0;
    }
}

/* ---- receiving ------------------------------------------------------------------------------- */

static enum writer_trouble trouble_of(struct scene_writer *w, enum chat_failure failure)
{
    switch (failure) {
    case CHAT_AUTH: return WRITER_AUTH;
    case CHAT_QUOTA: return WRITER_QUOTA;
    case CHAT_NO_BUDGET: return WRITER_COST;
    case CHAT_NOT_RECORDED: return WRITER_REPLAY;
    case CHAT_USAGE: return WRITER_FAILED;
    case CHAT_DEAD_HOST: return ++w->strikes >= SCENE_DEAD_HOST_STRIKES ? WRITER_HOST : WRITER_FINE;
    case CHAT_OK: w->strikes = 0; return WRITER_FINE;
    default: return WRITER_FINE;
    }
}

static void note_error(struct scene_writer *w, const struct wave *wave, bool unreadable)
{
    struct span why = unreadable ? SPAN("unparseable_model_json: the writer's reply holds no "
                                        "messages")
                                 : buf_span(&wave->why);
    if (!w->counts.first_error.len)
        w->counts.first_error = arena_span(&w->arena, why);
}

/* All waves in flight, in the order they went out. Returns how many messages were accepted. */
static size_t receive(struct scene_writer *w, const struct writer_source *source)
{
    struct wave *wave;
    size_t accepted = 0;
    while ((wave = pool_take(w->pool, POOL_WAIT))) {
        int64_t unreadable = w->counts.unreadable;
        w->in_flight--;
        accepted += wave_read(w, source, wave);
        if (wave->failure != CHAT_OK || w->counts.unreadable > unreadable)
            note_error(w, wave, wave->failure == CHAT_OK);
        w->counts.failed_waves += wave->failure != CHAT_OK;
        enum writer_trouble trouble = trouble_of(w, wave->failure);
        if (!w->trouble)
            w->trouble = trouble;
        wave_free(wave);
    }
    return accepted;
}

/* Nothing but copies, round after round: other draws, and what was written before is shown. */
static void idle(struct scene_writer *w, bool copies)
{
    const struct knobs *k = w->setting.knobs;
    int64_t rows = w->setting.budget / knob_int(k, KNOB_ROWS_PER_RESTART);
    int64_t most = rows > WRITER_RESTARTS ? rows : WRITER_RESTARTS;
    if (++w->empty_rounds >= knob_int(k, KNOB_EMPTY_ROUNDS)) {
        w->trouble = copies ? WRITER_EXHAUSTED : WRITER_FAILED;
        return;
    }
    w->idle_rounds = copies ? w->idle_rounds + 1 : 0;
    if (w->idle_rounds < knob_int(k, KNOB_IDLE_RESTART))
        return;
    w->idle_rounds = 0;
    w->empty_rounds = 0;
    w->epoch += knob_int(k, KNOB_RESTART_STRIDE);
    if (++w->counts.restarts > most)
        w->trouble = WRITER_EXHAUSTED;
}

int scene_writer_fill(struct scene_writer *w, const struct writer_source *source, size_t need,
                      struct error *error)
{
    w->dry = false;
    while (!w->trouble) {
        int64_t copies = w->counts.duplicates;
        bool sent = w->in_flight > 0;
        size_t ready = w->told[TOLD_CELL].count;
        if (!sent && ready >= need)
            break;
        if (!sent) {
            send_for(w, source, need - ready);
            sent = w->in_flight > 0;
        }
        if (!sent)
            break;
        if (receive(w, source))
            w->empty_rounds = w->idle_rounds = 0;
        else if (!w->trouble)
            idle(w, w->counts.duplicates > copies);
        if (signals_caught())
            return error_set(error, ERROR_INTERRUPTED, "interrupted while messages were written");
    }
    return 0;
}

void scene_writer_end(struct scene_writer *w, const struct writer_source *source)
{
    struct dealt_list *l = &w->again;
    for (size_t i = 0; i < l->count; i++)
        if (l->items[l->first + i].from.cell)
            source->give_up(source->data, &l->items[l->first + i].from);
    l->count = 0;
}

void scene_writer_ahead(struct scene_writer *w, const struct writer_source *source, size_t most)
{
    size_t round = (size_t)w->setting.round, low = round / 4, target = 2 * round;
    low = low < WRITER_LOW_LEAST ? WRITER_LOW_LEAST : low > WRITER_LOW_MOST ? WRITER_LOW_MOST : low;
    size_t cap = (size_t)knob_int(w->setting.knobs, KNOB_BUFFER_CAP);
    target = target > cap ? cap : target;
    if (target < 2 * WRITER_WAVE_CARDS)
        target = 2 * WRITER_WAVE_CARDS;
    if (most < target)
        target = most;
    size_t ready = w->told[TOLD_CELL].count;
    w->dry = false;
    if (!w->trouble && ready < low && ready < target)
        send_for(w, source, target - ready);
}

/* ---- what is there --------------------------------------------------------------------------- */

bool scene_writer_take(struct scene_writer *w, enum told_for kind, struct told *out)
{
    struct told_list *l = &w->told[kind];
    if (!l->count)
        return false;
    *out = l->items[l->first++];
    if (--l->count == 0)
        l->first = 0;
    return true;
}

size_t scene_writer_ready(const struct scene_writer *w)
{
    return w->told[TOLD_CELL].count;
}

struct told *scene_writer_waiting(struct scene_writer *w, size_t *n)
{
    struct told_list *l = &w->told[TOLD_CELL];
    *n = l->count;
    return l->count ? l->items + l->first : NULL;
}

const struct writer_counts *scene_writer_counts(const struct scene_writer *w)
{
    return &w->counts;
}

enum writer_trouble scene_writer_trouble(const struct scene_writer *w)
{
    return w->trouble;
}
