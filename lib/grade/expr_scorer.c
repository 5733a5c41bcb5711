/* expr_scorer.c: --expr: a jq program over the row gives the verdict (grade 4.1). */
#include <stdlib.h>

#include "grade/defaults.h"
#include "grade/extract.h"
#include "grade/isolate.h"
#include "grade/scorer.h"
#include "grade/verify.h"
#include "row/calls.h"
#include "row/fault.h"
#include "row/gold.h"
#include "text/fold.h"
#include "json/expr.h"
#include "json/write.h"

static const char PRELUDE[] = "def candidate: __native(\"candidate\"; null); "
                              "def reference: __native(\"reference\"; null); "
                              "def reference($field): __native(\"reference\"; $field); "
                              "def tool_calls: __native(\"tool_calls\"; null); "
                              "def called($name): any(tool_calls[]; .name == $name); "
                              "def faulted: __native(\"faulted\"; null); "
                              "def fenced($lang): __native(\"fenced\"; $lang); "
                              "def parse_json: __native(\"parse_json\"; null); "
                              "def norm: __native(\"norm\"; null); "
                              "def verify($name; $args): __native(\"verify\"; [$name, $args]); "
                              "def verify($name): verify($name; {});";

struct expr_worker {
    struct expr_program *program;
    struct isolate *isolate;
    struct buf out;
    struct verifier **verifiers; /* opened by verify(), by their spec */
    struct span *specs;
    size_t n, cap, cap_specs;
    struct arena arena;
    struct buf scratch[VERIFY_SCRATCH];
    struct verdict verdict; /* of verify() */
    const struct expr_scorer *scorer;
};

struct expr_scorer {
    struct scorer head;
    char *program;
    struct expr_binding *bindings;
    size_t n_bindings;
    struct arena arena;
    bool with_env;
    double timeout_s;
    struct verdict_scale scale;
    void (*debug)(void *data, struct span json);
    void *debug_data;
    struct expr_worker *workers;
};

/* ---- functions of the prelude
 * --------------------------------------------------------------------------- */

static void add_text(struct buf *out, struct span text)
{
    json_quote(out, text);
}

static int native_candidate(const struct row *row, struct buf *out)
{
    struct buf scratch = {0};
    add_text(out, row_candidate(row, &scratch));
    buf_free(&scratch);
    return 0;
}

static int native_reference(const struct row *row, struct json_value field, struct buf *out)
{
    struct buf scratch = {0};
    struct span name = field.type == JSON_VALUE_STRING ? json_text(field, &scratch) : SPAN("");
    struct row_gold gold = row_gold(row, name);
    buf_span_add(out, gold.value.text.ptr ? gold.value.text : SPAN("null"));
    buf_free(&scratch);
    return 0;
}

static int native_calls(const struct row *row, struct buf *out)
{
    struct row_calls calls = {0};
    if (row_get(row, SPAN("tool_calls")) || row_get(row, SPAN("role")))
        row_calls_add_message(&calls, row->value);
    else
        row_calls_read(&calls, row);
    buf_byte(out, '[');
    for (size_t i = 0; i < calls.count; i++) {
        const struct row_call *call = &calls.items[i];
        buf_text(out, i ? ",{\"name\":" : "{\"name\":");
        add_text(out, call->name);
        buf_text(out, ",\"arguments\":");
        buf_span_add(out, call->arguments.text.ptr ? call->arguments.text : SPAN("{}"));
        buf_text(out, ",\"id\":");
        add_text(out, call->id);
        buf_byte(out, '}');
    }
    buf_byte(out, ']');
    row_calls_free(&calls);
    return 0;
}

/* The text that . is: itself, or the candidate of the row that it is. */
static struct span text_of_input(const struct row *row, struct buf *scratch)
{
    return row->value.type == JSON_VALUE_STRING ? json_text(row->value, scratch)
                                                : row_candidate(row, scratch);
}

static int native_text(const char *name, const struct row *row, struct json_value argument,
                       struct buf *out)
{
    struct buf scratch = {0}, work = {0};
    struct span text = text_of_input(row, &scratch);
    struct json_value value;
    if (strcmp(name, "norm") == 0) {
        text_fold(text, &work);
        add_text(out, buf_span(&work));
    } else if (strcmp(name, "fenced") == 0) {
        struct span tag =
            argument.type == JSON_VALUE_STRING ? json_text(argument, &work) : SPAN("");
        struct span body = extract_fence(text, tag);
        if (body.ptr)
            add_text(out, body);
        else
            buf_text(out, "null");
    } else if (extract_json(text, &work, &value)) {
        buf_span_add(out, value.text);
    } else {
        buf_text(out, "null");
    }
    buf_free(&scratch);
    buf_free(&work);
    return 0;
}

/* The verifier of NAME and its arguments, opened once per worker. */
static struct verifier *find_verifier(struct expr_worker *w, struct json_value argument,
                                      struct error *error)
{
    struct json_cursor c = json_enter(argument);
    struct json_value name, args;
    struct buf spec = {0};
    if (!json_next_item(&c, &name) || !json_next_item(&c, &args) ||
        name.type != JSON_VALUE_STRING) {
        error_set(error, ERROR_USAGE, "verify(NAME; ARGS): NAME is a text");
        return NULL;
    }
    json_text_add(name, &spec);
    if (args.type == JSON_VALUE_OBJECT) {
        buf_byte(&spec, ':');
        buf_span_add(&spec, args.text);
    }
    struct verifier *found = NULL;
    for (size_t i = 0; i < w->n && !found; i++)
        if (span_equal(w->specs[i], buf_span(&spec)))
            found = w->verifiers[i];
    if (!found && (found = verifier_open(buf_cstr(&spec), 1, 0, error))) {
        w->verifiers = mem_grow(w->verifiers, &w->cap, w->n + 1, sizeof *w->verifiers);
        w->specs = mem_grow(w->specs, &w->cap_specs, w->n + 1, sizeof *w->specs);
        w->verifiers[w->n] = found;
        w->specs[w->n++] = arena_span(&w->arena, buf_span(&spec));
    }
    buf_free(&spec);
    return found;
}

static int native_verify(struct expr_worker *w, const struct row *row, struct json_value argument,
                         struct buf *out, struct error *error)
{
    struct verifier *v = find_verifier(w, argument, error);
    if (!v)
        return error->code;
    int rc = verifier_run(v, 0, row, w->scratch, &w->verdict, error);
    if (rc < 0)
        return rc;
    const struct verdict *got = &w->verdict;
    buf_text(out, "{\"reward\":");
    buf_span_add(out, got->judged ? buf_span(&got->reward) : SPAN("null"));
    buf_text(out, ",\"reason\":");
    add_text(out, buf_span(&got->reason));
    if (!got->judged)
        buf_format(out, ",\"judge_status\":\"%s\"", verdict_status_name(got->status));
    for (size_t i = 0; i < got->n_meta; i++) {
        buf_byte(out, ',');
        add_text(out, got->meta[i].key);
        buf_byte(out, ':');
        buf_span_add(out, got->meta[i].json);
    }
    buf_byte(out, '}');
    return 0;
}

static int on_native(void *data, struct json_value call, struct buf *out, struct error *error)
{
    struct json_cursor c = json_enter(call);
    struct json_value name, argument, input;
    struct json_members members = {0};
    struct json_fault fault;
    struct row row;
    struct buf scratch = {0};
    int rc = ERROR_USAGE;
    if (!json_next_item(&c, &name) || !json_next_item(&c, &argument) ||
        !json_next_item(&c, &input) || row_of_text(input.text, &row, &members, &fault))
        return error_set(error, ERROR_USAGE, "a call without its input");
    struct span what = json_text(name, &scratch);
    if (span_is(what, "candidate"))
        rc = native_candidate(&row, out);
    else if (span_is(what, "reference"))
        rc = native_reference(&row, argument, out);
    else if (span_is(what, "tool_calls"))
        rc = native_calls(&row, out);
    else if (span_is(what, "faulted"))
        buf_text(out, row_result_failed(input) ? "true" : "false"), rc = 0;
    else if (span_is(what, "norm"))
        rc = native_text("norm", &row, argument, out);
    else if (span_is(what, "fenced"))
        rc = native_text("fenced", &row, argument, out);
    else if (span_is(what, "parse_json"))
        rc = native_text("parse_json", &row, argument, out);
    else if (span_is(what, "verify"))
        rc = native_verify(data, &row, argument, out, error);
    else
        error_set(error, ERROR_USAGE, "no such function");
    json_members_free(&members);
    buf_free(&scratch);
    return rc;
}

/* ---- a verdict
 * ------------------------------------------------------------------------------------------ */

static void evaluate(struct expr_worker *w, struct span line, int64_t index, struct verdict *v)
{
    struct json_value value;
    struct json_fault fault;
    struct error error = {0};
    int count = 0;
    buf_clear(&w->out);
    if (expr_run(w->program, line, index, &w->out, &count, &error) < 0) {
        verdict_failed(v, "%s", error.text);
    } else if (count == 0) {
        verdict_none(v);
    } else if (count > 1) {
        verdict_clear(v);
        v->status = VERDICT_INVALID_RESULT;
        verdict_meta_text(v, SPAN("returned_outputs"), "two or more");
    } else if (json_scan(buf_span(&w->out), &value, NULL, &fault)) {
        verdict_failed(v, "the program's output is no JSON: %s", fault.what);
    } else {
        verdict_read(v, value, &w->scorer->scale);
    }
}

/* In the child of --timeout: the request is the index and the line. */
static void work_apart(void *data, struct span request, struct buf *reply)
{
    struct expr_worker *w = data;
    struct verdict v = {0};
    int64_t index;
    memcpy(&index, request.ptr, sizeof index);
    evaluate(w, span_slice(request, sizeof index, request.len), index, &v);
    verdict_store(&v, reply);
    verdict_free(&v);
}

static int evaluate_apart(struct expr_scorer *s, struct expr_worker *w, const struct row *row,
                          struct verdict *v, struct error *error)
{
    struct buf request = {0}, reply = {0};
    int64_t index = (int64_t)row->index;
    int rc = 0;
    if (!w->isolate)
        w->isolate = isolate_open(work_apart, w);
    buf_add(&request, &index, sizeof index);
    buf_span_add(&request, row->line);
    switch (isolate_ask(w->isolate, buf_span(&request), s->timeout_s, &reply, error)) {
    case ISOLATE_OK:
        if (!verdict_load(v, buf_span(&reply)))
            verdict_failed(v, "the worker process gave no verdict");
        break;
    case ISOLATE_TIMEOUT: verdict_timed_out(v, s->timeout_s); break;
    case ISOLATE_DIED: verdict_failed(v, "the worker process ended"); break;
    case ISOLATE_FAILED: rc = error->code; break;
    }
    buf_free(&request);
    buf_free(&reply);
    return rc;
}

static int open_program(struct expr_scorer *s, struct expr_worker *w, struct error *error)
{
    w->scorer = s;
    w->program = expr_compile(s->program, PRELUDE, s->bindings, s->n_bindings, s->with_env, error);
    if (!w->program)
        return error->code;
    expr_on_native(w->program, on_native, w);
    expr_on_debug(w->program, s->debug, s->debug_data);
    return 0;
}

static int expr_verdict(struct scorer *head, int worker, const struct row *row, struct verdict *v,
                        struct error *error)
{
    struct expr_scorer *s = (struct expr_scorer *)head;
    struct expr_worker *w = &s->workers[worker];
    if (!w->program && open_program(s, w, error) < 0)
        return error->code;
    if (s->timeout_s > 0)
        return evaluate_apart(s, w, row, v, error);
    evaluate(w, row->line, (int64_t)row->index, v);
    return 0;
}

/* ---- opening and closing
 * ------------------------------------------------------------------------------ */

static void expr_scorer_close(struct scorer *head)
{
    struct expr_scorer *s = (struct expr_scorer *)head;
    for (int j = 0; j < head->threads; j++) {
        struct expr_worker *w = &s->workers[j];
        isolate_close(w->isolate);
        expr_free(w->program);
        for (size_t i = 0; i < w->n; i++)
            verifier_close(w->verifiers[i]);
        for (size_t i = 0; i < VERIFY_SCRATCH; i++)
            buf_free(&w->scratch[i]);
        free(w->verifiers);
        free(w->specs);
        arena_free(&w->arena);
        buf_free(&w->out);
        verdict_free(&w->verdict);
    }
    free(s->workers);
    free(s->bindings);
    arena_free(&s->arena);
    free(s->program);
    free(head->name);
    free(s);
}

static void bind(struct expr_scorer *s, size_t *cap, const char *name, struct span json)
{
    s->bindings = mem_grow(s->bindings, cap, s->n_bindings + 1, sizeof *s->bindings);
    s->bindings[s->n_bindings++] =
        (struct expr_binding){arena_text(&s->arena, name), arena_span(&s->arena, json)};
}

struct scorer *scorer_expr_open(const struct scorer_expr_options *options,
                                const struct scorer_setup *setup, struct error *error)
{
    static const struct scorer_kind kind = {expr_verdict, expr_scorer_close};
    struct expr_scorer *s = mem_zero(1, sizeof *s);
    struct buf policy = {0};
    size_t cap = 0;
    s->head.kind = &kind;
    s->head.name = mem_text("expr");
    s->head.meta_kind = "rule";
    s->head.threads = scorer_jobs(setup, EXPR_JOBS_MAX);
    s->head.slow = setup->timeout_s > 0;
    s->program = mem_text(options->program);
    s->with_env = options->with_env;
    s->timeout_s = setup->timeout_s;
    s->scale = setup->scale;
    s->debug = setup->debug;
    s->debug_data = setup->debug_data;
    s->workers = mem_zero((size_t)s->head.threads, sizeof *s->workers);
    if (setup->policy.ptr)
        json_quote(&policy, setup->policy);
    bind(s, &cap, "tools", setup->tools.len ? setup->tools : SPAN("null"));
    bind(s, &cap, "policy", policy.len ? buf_span(&policy) : SPAN("null"));
    buf_free(&policy);
    for (size_t i = 0; i < options->n_bindings; i++)
        bind(s, &cap, options->bindings[i].name, options->bindings[i].json);
    if (open_program(s, &s->workers[0], error) < 0) {
        expr_scorer_close(&s->head);
        return NULL;
    }
    return &s->head;
}
