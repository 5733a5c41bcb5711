/* fault.c: fault modes, and when a plan's fault fires (world 5). */
#include "text/digest.h"
#include "world/inside.h"
#include "json/pyjson.h"

static const char *const MODES[FAULT_COUNT] = {
    [FAULT_TIMEOUT] = "timeout",
    [FAULT_MALFORMED] = "malformed",
    [FAULT_STALE] = "stale",
    [FAULT_PERMISSION] = "permission_denied",
    [FAULT_RATE_LIMITED] = "rate_limited",
    [FAULT_SERVER_ERROR] = "server_error",
    [FAULT_PARTIAL] = "partial",
};

/* Longest wait a rate_limited answer names, in seconds. */
enum { RETRY_AFTER_MAX = 30 };

int fault_mode_of(struct span name)
{
    for (int i = 0; i < FAULT_COUNT; i++)
        if (span_is(name, MODES[i]))
            return i;
    return FAULT_NONE;
}

struct span world_mode_name(int mode)
{
    return span_text(MODES[mode]);
}

bool world_mode_known(struct span mode)
{
    return fault_mode_of(mode) != FAULT_NONE;
}

const char *world_mode_names(void)
{
    return "timeout, malformed, stale, permission_denied, rate_limited, server_error, partial";
}

struct span world_mode_of(const struct world_options *o, struct span condition)
{
    const struct node *mode = node_get(o->condition_modes, condition);
    if (mode)
        return mode->text;
    int known = fault_mode_of(condition);
    return known == FAULT_NONE ? (struct span){NULL, 0} : world_mode_name(known);
}

int world_plan_check(const struct node *plan, struct error *error)
{
    if (!node_is(plan, JSON_VALUE_OBJECT))
        return error_set(error, ERROR_INPUT, "a fault plan is an object tool: {mode, rate}");
    for (const struct node *entry = plan->first; entry; entry = entry->next) {
        const struct node *mode = node_find(entry, "mode"), *rate = node_find(entry, "rate");
        int key_len = (int)(entry->key.len < 60 ? entry->key.len : 60);
        if (mode && !node_is(mode, JSON_VALUE_STRING) && !node_is(mode, JSON_VALUE_NULL))
            return error_set(error, ERROR_INPUT, "the fault plan's mode for \"%.*s\" is not a text",
                             key_len, entry->key.ptr);
        if (rate && !node_is(rate, JSON_VALUE_NUMBER) && !node_is(rate, JSON_VALUE_NULL))
            return error_set(error, ERROR_INPUT,
                             "the fault plan's rate for \"%.*s\" is not a number", key_len,
                             entry->key.ptr);
    }
    return 0;
}

/* The plan's entry for a tool: its own when it says anything, else that of every tool. */
static const struct node *plan_entry(const struct node *plan, struct span tool)
{
    const struct node *entry = node_get(plan, tool);
    if (!node_truthy(entry))
        entry = node_find(plan, "*");
    return node_truthy(entry) && entry->type == JSON_VALUE_OBJECT ? entry : NULL;
}

static int planned_mode(const struct world_options *o, const struct node *entry)
{
    const struct node *mode = node_find(entry, "mode");
    if (!mode || mode->type == JSON_VALUE_NULL)
        return o->default_mode;
    int named = mode->type == JSON_VALUE_STRING ? fault_mode_of(mode->text) : FAULT_NONE;
    return named >= FAULT_RATE_LIMITED && !o->extra_modes ? FAULT_NONE : named;
}

static bool fires(struct world *w, const struct call *c, const struct node *arguments,
                  const struct node *entry)
{
    const struct node *planned = node_find(entry, "rate");
    double rate =
        node_is(planned, JSON_VALUE_NUMBER) ? node_double(planned) : w->options->default_rate;
    if (!(rate > 0))
        return false;
    struct buf *b = &w->scratch;
    buf_clear(b);
    buf_text(b, "{\"arguments\": ");
    node_pyjson(arguments, true, b);
    buf_format(b, ", \"salt\": \"fault\", \"seed\": %lld, \"tool\": ", (long long)w->seed);
    py_json_quote(c->tool->name, b);
    buf_byte(b, '}');
    return digest_u(buf_span(b)) < rate;
}

/* With fault_clears_after, counts the faulted answers to one identical call. */
static bool cleared(struct world *w, const struct call *c)
{
    int64_t limit = w->options->fault_clears_after;
    if (limit == 0)
        return false;
    bool fresh;
    size_t n = map_add(&w->faulted, c->digest, &fresh);
    w->faulted_times = mem_grow(w->faulted_times, &w->faulted_cap, n + 1, sizeof *w->faulted_times);
    if (fresh)
        w->faulted_times[n] = 0;
    return w->faulted_times[n]++ >= limit;
}

/* Half the members of data (rounded up) stay, in order. */
static void halve(struct node *result)
{
    struct node *data = node_find(result, "data");
    if (!node_is(data, JSON_VALUE_OBJECT))
        return;
    size_t keep = (data->count + 1) / 2;
    struct node *v = data->first;
    for (size_t i = 1; v && i < keep; i++)
        v = v->next;
    if (v) {
        v->next = NULL;
        data->last = v;
        data->count = keep;
    }
}

static struct node *answer(struct world *w, struct call *c, int mode)
{
    struct arena *a = &w->arena;
    struct node *result = node_object(a);
    const char *status = mode == FAULT_TIMEOUT      ? "timeout"
                         : mode == FAULT_PERMISSION ? "permission_denied"
                         : mode == FAULT_RATE_LIMITED || mode == FAULT_SERVER_ERROR ? "error"
                                                                                    : "ok";
    node_add(result, "status", node_borrow(a, span_text(status)));
    switch (mode) {
    case FAULT_TIMEOUT:
        node_add(result, "error", node_borrow(a, SPAN("the call got no answer in time")));
        break;
    case FAULT_MALFORMED: node_add(result, "data", node_copy(a, w->options->malformed)); break;
    case FAULT_STALE:
        world_payload(w, c, result);
        node_set(result, SPAN("stale"), node_bool(a, true));
        node_set(result, SPAN("as_of"), node_copy(a, w->options->stale_as_of));
        break;
    case FAULT_RATE_LIMITED:
        node_add(result, "reason", node_borrow(a, SPAN("rate_limited")));
        node_add(result, "retry_after_s", node_int(a, 1 + c->n % RETRY_AFTER_MAX));
        break;
    case FAULT_SERVER_ERROR: node_add(result, "reason", node_borrow(a, SPAN("internal"))); break;
    case FAULT_PARTIAL:
        world_payload(w, c, result);
        halve(result);
        break;
    }
    return result;
}

const struct node *world_fault(struct world *w, struct call *c, const struct node *arguments)
{
    const struct node *entry = plan_entry(w->plan, c->tool->name);
    if (!entry)
        return NULL;
    int mode = planned_mode(w->options, entry);
    if (mode == FAULT_NONE || !fires(w, c, arguments, entry) || cleared(w, c))
        return NULL;
    return answer(w, c, mode);
}
