/* grid.c: the cells of a grid: the covering array, the flip to success, ids, risk and weight
 * (situations 3.5-3.7), and the pairs that cells and rows hold (3.9). */
#include "scene/grid.h"

#include <stdlib.h>

#include "base/map.h"
#include "scene/aim.h"
#include "scene/axes.h"
#include "scene/cover.h"
#include "scene/defaults.h"
#include "text/digest.h"
#include "text/number.h"
#include "json/pyjson.h"
#include "json/write.h"

#define UNSPECIFIED SPAN("unspecified")

/* Axes without `rule`, in order. */
static const enum axis OTHERS[] = {AXIS_TOOL, AXIS_STANCE, AXIS_WORLD, AXIS_CONDITION,
                                   AXIS_HISTORY};
enum { N_OTHERS = 5 };

struct building {
    struct grid *grid;
    size_t cap;
};

static struct cell *new_cell(struct building *b)
{
    struct grid *g = b->grid;
    g->cells = mem_grow(g->cells, &b->cap, g->count + 1, sizeof *g->cells);
    g->cells[g->count] = (struct cell){0};
    return &g->cells[g->count++];
}

static void add_free_cell(void *data, const size_t *row)
{
    struct building *b = data;
    struct cell *cell = new_cell(b);
    for (int i = 0; i < N_OTHERS; i++)
        cell->value[OTHERS[i]] = b->grid->axes[OTHERS[i]].items[row[i]];
    cell->value[AXIS_RULE] = UNSPECIFIED;
}

/* Every rule is a block of its own, so an edit of a rule moves that block only. */
static void add_rule_block(struct building *b, struct span rule)
{
    struct grid *g = b->grid;
    size_t longest = 0, offset[N_OTHERS];
    struct buf text = {0};
    for (int i = 0; i < N_OTHERS; i++) {
        const struct axis_values *axis = &g->axes[OTHERS[i]];
        buf_clear(&text);
        buf_span_add(&text, rule);
        buf_format(&text, ":%s:rule-block", axis_name(OTHERS[i]));
        offset[i] = digest_n32(buf_span(&text)) % axis->count;
        longest = axis->count > longest ? axis->count : longest;
    }
    for (size_t j = 0; j < longest; j++) {
        struct cell *cell = new_cell(b);
        cell->value[AXIS_RULE] = rule;
        for (int i = 0; i < N_OTHERS; i++) {
            const struct axis_values *axis = &g->axes[OTHERS[i]];
            cell->value[OTHERS[i]] = axis->items[(j + offset[i]) % axis->count];
        }
    }
    buf_free(&text);
}

void cell_write(const struct cell *cell, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_COMPACT);
    json_write_object(&w);
    for (int a = 0; a < AXIS_COUNT; a++) {
        json_write_key(&w, axis_name((enum axis)a));
        json_write_span(&w, cell->value[a]);
    }
    json_write_end_object(&w);
}

void cell_pyjson(const struct cell *cell, struct buf *out)
{
    static const enum axis sorted[] = {AXIS_HISTORY, AXIS_RULE,      AXIS_STANCE,
                                       AXIS_TOOL,    AXIS_CONDITION, AXIS_WORLD};
    buf_byte(out, '{');
    for (int i = 0; i < AXIS_COUNT; i++) {
        buf_format(out, "%s\"%s\": ", i ? ", " : "", axis_name(sorted[i]));
        py_json_quote(cell->value[sorted[i]], out);
    }
    buf_byte(out, '}');
}

/* ---- fewer faults (situations 3.6) ----------------------------------------------------------- */

struct flip {
    uint8_t digest[SHA256_BYTES];
    size_t condition; /* number among the fault conditions seen */
    bool fault, floor;
};

static double draw_of(const uint8_t digest[SHA256_BYTES])
{
    uint32_t n = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 | (uint32_t)digest[2] << 8 |
                 digest[3];
    return ((double)n + 1) / (4294967296.0 + 2);
}

/* The floor of each condition: the cell of the smallest digest, rule-free ones first. */
static void mark_floors(const struct grid *g, struct flip *flips, size_t n_conditions)
{
    for (size_t c = 0; c < n_conditions; c++) {
        size_t best = g->count;
        for (int any = 0; any < 2 && best == g->count; any++)
            for (size_t i = 0; i < g->count; i++) {
                if (!flips[i].fault || flips[i].condition != c ||
                    (!any && !span_equal(g->cells[i].value[AXIS_RULE], UNSPECIFIED)))
                    continue;
                if (best == g->count ||
                    memcmp(flips[i].digest, flips[best].digest, SHA256_BYTES) < 0)
                    best = i;
            }
        if (best < g->count)
            flips[best].floor = true;
    }
}

static void prefer_success(struct grid *g)
{
    struct flip *flips = mem_zero(g->count ? g->count : 1, sizeof *flips);
    struct map conditions = {0};
    struct buf json = {0};
    for (size_t i = 0; i < g->count; i++) {
        struct span condition = g->cells[i].value[AXIS_CONDITION];
        if (span_is(condition, "success"))
            continue;
        buf_clear(&json);
        cell_pyjson(&g->cells[i], &json);
        digest_sha256(buf_span(&json), flips[i].digest);
        flips[i].fault = true;
        flips[i].condition = map_add(&conditions, condition, NULL);
    }
    mark_floors(g, flips, conditions.count);
    for (size_t i = 0; i < g->count; i++)
        if (flips[i].fault && !flips[i].floor &&
            !(draw_of(flips[i].digest) < 1 - SCENE_KEEP_SUCCESS))
            g->cells[i].value[AXIS_CONDITION] = SPAN("success");
    map_free(&conditions);
    buf_free(&json);
    free(flips);
}

/* ---- what a cell is (situations 3.4, 3.7) ---------------------------------------------------- */

static double risk_of(const struct grid *g, const struct cell *cell)
{
    struct span tool = cell->value[AXIS_TOOL], stance = cell->value[AXIS_STANCE];
    const struct tool_fact *fact = tool_facts_find(&g->facts, tool);
    enum tool_kind kind = fact && !span_is(tool, "unrelated") && !span_is(tool, "multi_tool")
                              ? fact->kind
                          : span_is(tool, "unrelated") ? TOOL_READ
                                                       : TOOL_OTHER;
    if (kind == TOOL_READ)
        return 0.1;
    if (kind == TOOL_OTHER)
        return 0.2;
    bool hard = span_is(stance, "boundary") || span_is(stance, "adversarial") ||
                span_is(stance, "forbidden") || span_is(stance, "conflicting") ||
                !span_is(cell->value[AXIS_CONDITION], "success");
    return hard ? 1.0 : 0.3;
}

const struct weight_blend WEIGHT_FIRST = {0.35, 0.35, 0.2, 0.1},
                          WEIGHT_RL = {0.25, 0.25, 0.15, 0.35};

double cell_weight(const struct cell *cell, struct weight_blend blend, size_t rows, double novelty,
                   double behavior)
{
    double seen = 1 + (double)rows;
    return number_round(blend.count * 1 / (seen * seen) + blend.risk * cell->risk +
                            blend.novelty * novelty + blend.behavior * behavior,
                        6);
}

static void describe_cell(const struct grid *g, struct cell *cell, struct buf *text)
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    buf_clear(text);
    cell_pyjson(cell, text);
    digest_sha256(buf_span(text), digest);
    digest_hex(digest, SCENE_ID_HEX / 2, hex);
    memcpy(cell->id, "sc-", 3);
    memcpy(cell->id + 3, hex, SCENE_ID_HEX + 1);
    cell->tier = tier_of_stance(cell->value[AXIS_STANCE]);
    cell->risk = risk_of(g, cell);
    cell->weight = cell_weight(cell, WEIGHT_FIRST, 0, 0.5, 0.5);
}

static void describe(struct grid *g)
{
    struct map values = {0};
    struct buf text = {0};
    for (size_t i = 0; i < g->count; i++) {
        struct cell *cell = &g->cells[i];
        describe_cell(g, cell, &text);
        for (int a = 0; a < AXIS_COUNT; a++) {
            buf_clear(&text);
            buf_format(&text, "%d:", a);
            buf_span_add(&text, cell->value[a]);
            cell->pair_value[a] = (uint32_t)map_add(&values, buf_span(&text), NULL);
        }
    }
    g->n_values = values.count;
    g->axis_of_value = arena_alloc(&g->arena, (values.count + 1) * sizeof *g->axis_of_value);
    for (size_t i = 0; i < g->count; i++)
        for (int a = 0; a < AXIS_COUNT; a++)
            g->axis_of_value[g->cells[i].pair_value[a]] = (enum axis)a;
    map_free(&values);
    buf_free(&text);
}

int grid_build(struct grid *grid, const struct grid_setting *setting, struct buf *notes,
               struct error *error)
{
    *grid = (struct grid){0};
    struct building b = {.grid = grid};
    struct cover_axis axes[N_OTHERS];
    tool_facts_read(&grid->facts, setting->tools);
    int code = axes_build(grid, setting, notes, error);
    if (code)
        return code;
    if (setting->aim && !setting->n_dimensions)
        aim_axes(setting->aim, grid->axes, &grid->arena);
    for (int i = 0; i < N_OTHERS; i++)
        axes[i] = (struct cover_axis){span_text(axis_name(OTHERS[i])), grid->axes[OTHERS[i]].items,
                                      grid->axes[OTHERS[i]].count};
    cover_pairs(axes, N_OTHERS, add_free_cell, &b);
    const struct axis_values *rules = &grid->axes[AXIS_RULE];
    for (size_t i = 0; i < rules->count; i++)
        if (!span_equal(rules->items[i], UNSPECIFIED))
            add_rule_block(&b, rules->items[i]);
    grid->aim = setting->aim;
    grid->flips = setting->prefer_success && !grid->axes[AXIS_CONDITION].pinned;
    if (grid->flips)
        prefer_success(grid);
    describe(grid);
    if (setting->aim)
        aim_weights(setting->aim, grid->cells, grid->count);
    return 0;
}

void grid_free(struct grid *grid)
{
    tool_facts_free(&grid->facts);
    arena_free(&grid->arena);
    free(grid->cells);
}

/* Number of a value among those of the grid's cells, or UINT32_MAX. */
static uint32_t number_of(const struct grid *grid, int axis, struct span value)
{
    for (size_t i = 0; i < grid->count; i++)
        if (span_equal(grid->cells[i].value[axis], value))
            return grid->cells[i].pair_value[axis];
    return UINT32_MAX;
}

bool grid_complete_cell(const struct grid *grid, struct cell *cell)
{
    struct buf text = {0};
    uint8_t digest[SHA256_BYTES];
    bool known = true;
    if (grid->flips && !span_is(cell->value[AXIS_CONDITION], "success")) {
        cell_pyjson(cell, &text);
        digest_sha256(buf_span(&text), digest);
        if (!(draw_of(digest) < 1 - SCENE_KEEP_SUCCESS))
            cell->value[AXIS_CONDITION] = SPAN("success");
    }
    describe_cell(grid, cell, &text);
    if (grid->aim)
        aim_weights(grid->aim, cell, 1);
    for (int a = 0; a < AXIS_COUNT; a++) {
        cell->pair_value[a] = number_of(grid, a, cell->value[a]);
        known = known && cell->pair_value[a] != UINT32_MAX;
    }
    buf_free(&text);
    return known;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

void pairs_open(struct pairs *p, size_t n_values)
{
    *p = (struct pairs){.bits = mem_zero(n_values * n_values / 8 + 1, 1), .n_values = n_values};
}

void pairs_free(struct pairs *p)
{
    free(p->bits);
}

static bool pair_has(const struct pairs *p, uint32_t a, uint32_t b)
{
    size_t at = a < b ? a * p->n_values + b : b * p->n_values + a;
    return p->bits[at >> 3] >> (at & 7) & 1;
}

static bool pair_add(struct pairs *p, uint32_t a, uint32_t b)
{
    size_t at = a < b ? a * p->n_values + b : b * p->n_values + a;
    if (p->bits[at >> 3] >> (at & 7) & 1)
        return false;
    p->bits[at >> 3] |= (uint8_t)(1u << (at & 7));
    p->count++;
    return true;
}

size_t pairs_add_cell(struct pairs *p, const struct cell *cell)
{
    size_t fresh = 0;
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            if (cell->value[i].len && cell->value[j].len)
                fresh += pair_add(p, cell->pair_value[i], cell->pair_value[j]);
    return fresh;
}

void pairs_add_planned(struct pairs *covered, const struct pairs *planned, const struct cell *cell)
{
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            if (cell->value[i].len && cell->value[j].len &&
                pair_has(planned, cell->pair_value[i], cell->pair_value[j]))
                pair_add(covered, cell->pair_value[i], cell->pair_value[j]);
}

size_t pairs_new(const struct pairs *p, const struct cell *cell)
{
    size_t fresh = 0;
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            if (cell->value[i].len && cell->value[j].len)
                fresh += !pair_has(p, cell->pair_value[i], cell->pair_value[j]);
    return fresh;
}

void pairs_add_row(struct pairs *covered, const struct pairs *planned, const struct grid *grid,
                   struct json_value dimensions)
{
    uint32_t numbers[AXIS_COUNT];
    struct buf scratch = {0};
    for (int a = 0; a < AXIS_COUNT; a++) {
        struct json_value value;
        numbers[a] = UINT32_MAX;
        if (json_get(dimensions, span_text(axis_name((enum axis)a)), &value) &&
            value.type == JSON_VALUE_STRING)
            numbers[a] = number_of(grid, a, json_text(value, &scratch));
    }
    for (int i = 0; i < AXIS_COUNT; i++)
        for (int j = i + 1; j < AXIS_COUNT; j++)
            if (numbers[i] != UINT32_MAX && numbers[j] != UINT32_MAX &&
                pair_has(planned, numbers[i], numbers[j]))
                pair_add(covered, numbers[i], numbers[j]);
    buf_free(&scratch);
}
