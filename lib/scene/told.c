/* told.c: prompts from a writer that is no template: a model or a program, which is given cells and
 * tells messages for them (situations 18), or a file of messages. */
#include <stdlib.h>

#include "scene/defaults.h"
#include "scene/run.h"
#include "text/digest.h"
#include "text/utf8.h"

bool run_tells(const struct run *run)
{
    return run->teller && !run->report->fell_back;
}

/* ---- what the writer asks the run ------------------------------------------------------------ */

struct asking {
    struct run *run;
    enum search_want want;
    bool over; /* a cell that is given up is for another writer */
};

static bool next_cell(void *data, struct writer_cell *out)
{
    struct asking *a = data;
    struct run *run = a->run;
    struct search_pick pick;
    int64_t opened[TIER_COUNT];
    for (int t = 0; t < TIER_COUNT; t++)
        opened[t] = run->report->tiers[t] + run->pending[t];
    if (!search_next(run->search, opened, a->want, &pick))
        return false;
    *out = (struct writer_cell){pick.cell, pick.fresh, pick.steered};
    run->pending[pick.cell->tier]++;
    return true;
}

static void give_up(void *data, const struct writer_cell *from)
{
    const struct asking *a = data;
    a->run->pending[from->cell->tier]--;
    (a->over ? search_put_back : search_dry)(a->run->search, from->cell);
}

static bool claim(void *data, struct span text)
{
    return run_claim(((struct asking *)data)->run, text);
}

static void reference(void *data, const struct writer_cell *from, struct buf *out)
{
    struct run *run = ((struct asking *)data)->run;
    template_reference(run->writer, from->cell, *search_variant(run->search, from->cell), out);
}

/* As often as the arm of failures has its share of the cards; which one is drawn. */
static bool failure(void *data, int64_t wave, size_t n_cards, struct writer_failure *out)
{
    struct run *run = ((struct asking *)data)->run;
    int64_t seed = run->setting->seed;
    double share = run->arm_weights[ARM_MUTATION] * (double)n_cards;
    if (!run->parents.count || run->setting->keep_failures ||
        card_draw(seed, wave, SPAN("retry"), "chance") >= share)
        return false;
    double u = card_draw(seed, wave, SPAN("retry"), "which");
    const struct parent *p = &run->parents.items[(size_t)(u * (double)run->parents.count)];
    struct parents *kept = &run->retried; /* the next round has other parents */
    kept->items = mem_grow(kept->items, &kept->cap, kept->count + 1, sizeof *kept->items);
    *out = (struct writer_failure){p->prompt, kept->count};
    kept->items[kept->count++] = *p;
    return true;
}

static struct writer_source source_of(struct asking *a)
{
    return (struct writer_source){next_cell, give_up, claim, reference, failure, a};
}

/* ---- the prompts ----------------------------------------------------------------------------- */

/* Prompts that the round in hand still has room for. */
static size_t wanted(const struct run *run)
{
    const struct engine_setting *s = run->setting;
    int64_t room = s->budget - run->landed, batch = topology_first_batch(&s->topology);
    int64_t width = s->round < room ? s->round : room, missing = width - (int64_t)run->n_jobs;
    return missing > batch ? (size_t)((missing + batch - 1) / batch) : 1;
}

/* ---- the choice among messages ---------------------------------------------------------------- */

/* Chooses `need` of these messages: order begins with them, each with the members that say why; the
 * others follow as they were. */
static void choose(struct run *run, struct told *messages, size_t n, size_t need, int64_t number,
                   size_t *order)
{
    struct engine_report *r = run->report;
    struct span *texts = mem_zero(n + 1, sizeof *texts);
    bool *taken = mem_zero(n + 1, sizeof *taken);
    struct batch batch = {0};
    struct buf members = {0};
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        texts[i] = messages[i].text;
    if (n > need && need && !run->choose_code) {
        run->choose_code =
            chooser_choose(run->chooser, texts, n, need, number, &batch, &run->choose_error);
        r->candidates += (int64_t)n;
        r->chosen += (int64_t)batch.count;
    }
    for (size_t i = 0; i < batch.count; i++) {
        const struct batch_pick *pick = &batch.picks[i];
        struct told *told = &messages[pick->candidate];
        buf_clear(&members);
        chooser_members(run->chooser, pick, &members);
        told->chosen = arena_span(&run->arena, buf_span(&members));
        told->doubled = pick->novelty < run->knobs->value[KNOB_DUPLICATE_NOVELTY];
        taken[pick->candidate] = true;
        order[at++] = pick->candidate;
    }
    for (size_t i = 0; i < n; i++)
        if (!taken[i])
            order[at++] = i;
    batch_free(&batch);
    buf_free(&members);
    free(texts);
    free(taken);
}

/* Once a round. */
static bool is_to_choose(struct run *run)
{
    bool first = run->chosen_round <= run->round;
    run->chosen_round = run->round + 1;
    return first;
}

/* Of the messages that wait more than the round needs: which come first. Each side of the tiers keeps
 * the number that it had at the front, so that the dial holds. */
static void choose_told(struct run *run)
{
    size_t n, need = wanted(run), counts[SIDE_COUNT] = {0}, needs[SIDE_COUNT] = {0};
    struct told *all = scene_writer_waiting(run->teller, &n);
    if (n <= need || !is_to_choose(run))
        return;
    struct told *of[SIDE_COUNT];
    size_t *order[SIDE_COUNT], next[SIDE_COUNT] = {0};
    enum side *sides = mem_alloc((n + 1) * sizeof *sides);
    for (int s = 0; s < SIDE_COUNT; s++) {
        of[s] = mem_zero(n + 1, sizeof **of);
        order[s] = mem_zero(n + 1, sizeof **order);
    }
    for (size_t i = 0; i < n; i++) {
        sides[i] = side_of(all[i].from.cell->tier);
        of[sides[i]][counts[sides[i]]++] = all[i];
        needs[sides[i]] += i < need;
    }
    for (int s = 0; s < SIDE_COUNT; s++)
        choose(run, of[s], counts[s], needs[s], run->round * SIDE_COUNT + s, order[s]);
    for (size_t i = 0; i < n; i++)
        all[i] = of[sides[i]][order[sides[i]][next[sides[i]]++]];
    for (int s = 0; s < SIDE_COUNT; s++) {
        free(of[s]);
        free(order[s]);
    }
    free(sides);
}

/* The same of the next messages of a file, a few times as many as the round needs. */
static void choose_written(struct run *run)
{
    const struct task_list *list = run->setting->written;
    size_t need = wanted(run), n = list->count - run->next_written;
    size_t most = need * (size_t)knob_int(run->knobs, KNOB_OVERSAMPLE);
    if (!run->written_order) {
        run->written_order = mem_alloc((list->count + 1) * sizeof *run->written_order);
        run->written_choice = mem_zero(list->count + 1, sizeof *run->written_choice);
        for (size_t i = 0; i < list->count; i++)
            run->written_order[i] = i;
    }
    n = n < most ? n : most;
    if (n <= need || !is_to_choose(run))
        return;
    size_t *window = run->written_order + run->next_written;
    struct told *told = mem_zero(n + 1, sizeof *told);
    size_t *order = mem_zero(n + 1, sizeof *order), *was = mem_copy(window, n * sizeof *window);
    for (size_t i = 0; i < n; i++)
        told[i].text = list->items[window[i]].prompt;
    choose(run, told, n, need, run->round, order);
    for (size_t i = 0; i < n; i++) {
        window[i] = was[order[i]];
        run->written_choice[window[i]] = told[order[i]];
    }
    free(told);
    free(order);
    free(was);
}

void run_told_collect(struct run *run)
{
    struct engine_report *r = run->report;
    if (!run->teller)
        return;
    r->writing = *scene_writer_counts(run->teller);
    r->writing.first_error = arena_span(&r->arena, r->writing.first_error);
    r->writing.unused = (int64_t)scene_writer_ready(run->teller);
}

/* A writer that can go on no more: the template writer does, when the user said so. */
static void see_trouble(struct run *run)
{
    struct asking asking = {run, SEARCH_ANY, true};
    struct writer_source source = source_of(&asking);
    struct engine_report *r = run->report;
    r->writer_trouble = scene_writer_trouble(run->teller);
    r->fell_back = r->writer_trouble && r->writer_trouble != WRITER_EXHAUSTED &&
                   run->setting->writer_falls_back && !scene_writer_ready(run->teller);
    if (r->fell_back)
        scene_writer_end(run->teller, &source);
}

/* A cell's messages are of two arms, so that their yields can be told apart. */
static const char *arm_of_cell(const struct cell *cell)
{
    uint64_t n = digest_number(span_text(cell->id), 2);
    return arm_name(n % 2 ? ARM_GUIDED : ARM_STRUCTURED);
}

struct group *run_open_told(struct run *run, enum search_want want)
{
    struct asking asking = {run, want, false};
    struct writer_source source = source_of(&asking);
    struct told told;
    struct error error;
    if (!scene_writer_ready(run->teller))
        scene_writer_fill(run->teller, &source, wanted(run), &error);
    see_trouble(run);
    choose_told(run);
    if (!scene_writer_take(run->teller, TOLD_CELL, &told))
        return run->report->fell_back ? run_open_written(run, want) : NULL;
    struct search_pick pick = {told.from.cell, NULL, told.from.fresh, told.from.steered};
    run->pending[told.from.cell->tier]--;
    ++*search_variant(run->search, told.from.cell);
    return run_open_cell(run, &pick, told.text, arm_of_cell(told.from.cell), &told);
}

struct group *run_open_told_outside(struct run *run)
{
    struct told told;
    if (search_side(run->search, run->report->tiers) != SIDE_ORDINARY ||
        !scene_writer_take(run->teller, TOLD_OUTSIDE, &told) || !search_take_outside(run->search))
        return NULL;
    struct group *g = run_open_outside(run, told.text, ARM_OPEN, TIER_ORDINARY, NULL, NULL);
    g->task.members = run_told_members(run, g->task.members, &told);
    return g;
}

struct group *run_open_told_again(struct run *run)
{
    struct told told;
    if (!scene_writer_take(run->teller, TOLD_FAILURE, &told))
        return NULL;
    const struct parent *parent = &run->retried.items[told.parent];
    struct group *g = run_open_varied(run, parent, told.text, "retry");
    if (!g)
        return NULL;
    g->task.writer_model = span_text(run->setting->writer_name);
    g->task.members = run_told_members(run, g->task.members, &told);
    return g;
}

void run_told_ahead(struct run *run)
{
    struct asking asking = {run, SEARCH_ANY, false};
    struct writer_source source = source_of(&asking);
    int64_t left = run->setting->budget - run->scheduled;
    if (!run_tells(run) || run->closing || left <= 0 || run->search_spent)
        return;
    scene_writer_ahead(run->teller, &source, (size_t)((left + run->k - 1) / run->k));
}

enum stop_reason run_told_stop(struct run *run)
{
    static const enum stop_reason stops[] = {
        [WRITER_FINE] = STOP_WRITER,        [WRITER_FAILED] = STOP_WRITER_FAILED,
        [WRITER_EXHAUSTED] = STOP_ASKS,     [WRITER_AUTH] = STOP_WRITER_AUTH,
        [WRITER_QUOTA] = STOP_WRITER_QUOTA, [WRITER_HOST] = STOP_WRITER_HOST,
        [WRITER_COST] = STOP_COST,          [WRITER_REPLAY] = STOP_REPLAY,
    };
    struct engine_report *r = run->report;
    const struct engine_events *e = &run->setting->events;
    if (e->interrupted && e->interrupted())
        return STOP_INTERRUPTED;
    if (!run_tells(run))
        return STOP_WRITER;
    run_told_collect(run);
    struct span why = utf8_head(r->writing.first_error, SCENE_ERROR_SHOWN);
    if (r->writer_trouble && why.len)
        error_set(&r->stop_error, ERROR_REMOTE, "%.*s", (int)why.len, why.ptr);
    return stops[r->writer_trouble];
}

/* ---- a file of messages ---------------------------------------------------------------------- */

struct group *run_open_from_file(struct run *run)
{
    const struct task_list *list = run->setting->written;
    choose_written(run);
    while (run->next_written < list->count) {
        size_t number = run->written_order[run->next_written++];
        struct scene_task task = list->items[number];
        struct told told = run->written_choice[number];
        if (run_refused(run, task.prompt))
            continue;
        if (!search_take_outside(run->search))
            return NULL;
        if (told.chosen.len) {
            told.members = told.chosen;
            told.chosen.len = 0;
            task.members =
                task.members.len ? run_told_members(run, task.members, &told) : told.members;
        }
        struct group *g = run_new_group(run, &task);
        g->written = true;
        g->doubled = told.doubled;
        return g;
    }
    return NULL;
}
