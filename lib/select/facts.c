/* facts.c: see facts.h: the readings of single rows become records that share their texts. */
#include "select/facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "select/defaults.h"
#include "select/reading.h"

/* ---- notes ---------------------------------------------------------------------------------- */

/* The reading as it lies in memory, then its texts one behind the other. */
void select_reading_store(const struct select_reading *reading, struct buf *note)
{
    buf_add(note, reading, sizeof *reading);
    for (size_t i = 0; i < READING_TEXTS; i++)
        buf_span_add(note, reading->texts[i]);
}

void select_reading_load(struct select_reading *reading, struct span note)
{
    memcpy(reading, note.ptr, sizeof *reading);
    const char *at = note.ptr + sizeof *reading;
    for (size_t i = 0; i < READING_TEXTS; i++) {
        reading->texts[i].ptr = at;
        at += reading->texts[i].len;
    }
}

/* ---- numbers -------------------------------------------------------------------------------- */

static void take_leak(struct select_facts *facts, const struct select_reading *r)
{
    if (!(r->fact.flags & SELECT_LEAKED) || facts->n_leaks_shown == SELECT_LEAKS_SHOWN)
        return;
    facts->leaks =
        mem_grow(facts->leaks, &facts->cap_leaks, facts->n_leaks_shown + 1, sizeof *facts->leaks);
    facts->leaks[facts->n_leaks_shown++] = (struct select_leak){
        .scenario_id = arena_span(&facts->arena, r->texts[READING_LEAK_ID]),
        .rollout_index = arena_span(&facts->arena, r->texts[READING_LEAK_INDEX]),
        .field = arena_span(&facts->arena, r->texts[READING_LEAK_FIELD]),
        .needle = arena_span(&facts->arena, r->texts[READING_LEAK_NEEDLE]),
    };
}

static uint32_t number(struct map *map, struct span text)
{
    return (uint32_t)map_add(map, text, NULL);
}

const struct select_fact *select_facts_take(struct select_facts *facts, struct span note)
{
    struct select_reading r;
    select_reading_load(&r, note);
    facts->items = mem_grow(facts->items, &facts->cap, facts->count + 1, sizeof *facts->items);
    struct select_fact *fact = &facts->items[facts->count++];
    *fact = r.fact;
    fact->folded = number(&facts->folded, r.texts[READING_FOLDED]);
    take_leak(facts, &r);
    if (fact->flags & SELECT_OUT)
        return fact;
    fact->task = number(&facts->tasks, r.texts[READING_TASK]);
    fact->prompt = number(&facts->prompts, r.texts[READING_PROMPT]);
    fact->signature = number(&facts->signatures, span_text(r.signature));
    fact->fault = number(&facts->faults, r.texts[READING_FAULT]);
    if (facts->wants.quota_key)
        fact->quota = number(&facts->quotas, r.texts[READING_QUOTA]);
    /* Numbers stand for prompt and signature, a digest for the reply, so that memory stays small. */
    struct {
        uint32_t prompt, signature;
        uint8_t reply[SHA256_BYTES];
    } key = {.prompt = fact->prompt, .signature = fact->signature};
    memcpy(key.reply, r.reply, sizeof key.reply);
    fact->duplicate = number(&facts->duplicates, span_make((const char *)&key, sizeof key));
    return fact;
}

void select_facts_add(struct select_facts *facts, const struct row *row)
{
    if (!facts->reader)
        facts->reader = select_reader_new(&facts->wants);
    buf_clear(&facts->note);
    select_read(facts->reader, row, &facts->note);
    select_facts_take(facts, buf_span(&facts->note));
}

void select_facts_free(struct select_facts *facts)
{
    select_reader_free(facts->reader);
    free(facts->items);
    free(facts->leaks);
    map_free(&facts->tasks);
    map_free(&facts->prompts);
    map_free(&facts->folded);
    map_free(&facts->duplicates);
    map_free(&facts->signatures);
    map_free(&facts->faults);
    map_free(&facts->quotas);
    arena_free(&facts->arena);
    buf_free(&facts->note);
    *facts = (struct select_facts){0};
}

void select_stable(struct span text, struct span salt, char out[SELECT_STABLE_MAX])
{
    struct buf both = {0};
    uint8_t digest[SHA256_BYTES];
    buf_span_add(&both, salt);
    buf_byte(&both, ':');
    buf_span_add(&both, text);
    digest_sha256(buf_span(&both), digest);
    digest_hex(digest, sizeof digest, out);
    buf_free(&both);
}
