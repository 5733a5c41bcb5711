/* expr.c: see expr.h. What libjq compiles is, on the input [index, row],
 *
 *     CLOSED ($index and the row) | PRELUDE def __program: PROGRAM; limit(2; __program)
 *
 * CLOSED shuts what would reach out of the program. Because the caller's program comes behind other
 * text, jq's grammar takes no module, import or include in it. The limit stands in the program, and
 * nothing may halt it, because libjq 1.6 aborts the process when a run is given up inside path(…).
 */
#include "json/expr.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <jq.h>

#include "json/jq_value.h"

struct expr_program {
    jq_state *jq;
    size_t lines_before; /* of the text in front of the caller's program */
    struct buf message;  /* first message of the compiler; empty: none yet */
    void (*debug)(void *, struct span json);
    void *debug_data;
    expr_native *native;
    void *native_data;
    jv native_result; /* of the call under way, or an invalid value with its message */
};

/* The first clause answers a null instead of a row with a match, so that the regular expression
 * library sets itself up while compiling holds its lock. */
#define CLOSED_INPUT                                                                           \
    "def input: error(\"input and inputs are off: a program sees one row\"); "                 \
    "def inputs: input; def input_filename: null; def input_line_number: 0; "                  \
    "def modulemeta: error(\"modules are off\"); def get_search_list: []; "                    \
    "def stderr: debug; "                                                                      \
    "def halt: error(\"the program halted\"); def halt_error: halt; def halt_error($status): " \
    "halt; "
#define CLOSED_ENVIRONMENT "{} as $ENV | def env: $ENV; "
#define FRAME              "(if . == null then (\"\" | test(\"\")) else . end) | .[0] as $index | .[1] | "
#define PROGRAM_START      "def __program: "
#define PROGRAM_END        "\n; limit(2; __program)"

/* libjq has no way to add a function in C. A call of ours goes out as a message to `debug` under a key that
 * starts with NUL, and its result comes back through `input`, which is shut behind this definition. */
#define NATIVE_KEY "\\u0000native"
static const char NATIVE[] =
    "def __native($name; $argument): {\"" NATIVE_KEY "\": [$name, $argument, .]} | debug | input; ";

static pthread_mutex_t compile_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- messages -------------------------------------------------------------------------------- */

static struct span trim(struct span s)
{
    while (s.len && strchr(" \n\r\t", s.ptr[0]))
        s = span_slice(s, 1, s.len);
    while (s.len && strchr(" \n\r\t", s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static struct span without_end(struct span s, struct span end)
{
    return span_ends(s, end) ? span_slice(s, 0, s.len - end.len) : s;
}

/* Keeps the first line of the first message, without the words that jq's own command line puts
 * there. */
static void keep_message(void *data, jv message)
{
    struct expr_program *p = data;
    if (p->message.len == 0 && jv_get_kind(message) == JV_KIND_STRING) {
        struct span s = span_text(jv_string_value(message));
        if (span_starts(s, SPAN("jq: error: ")))
            s = span_slice(s, strlen("jq: error: "), s.len);
        size_t line = span_find(s, SPAN("\n"), 0);
        s = trim(line < s.len ? span_slice(s, 0, line) : s);
        buf_span_add(&p->message, without_end(s, SPAN(":")));
    }
    jv_free(message);
}

/* "… at <top-level>, line 3:" with the lines of the text in front taken off. */
static void compile_error(struct expr_program *p, struct error *error)
{
    struct span s = buf_span(&p->message);
    size_t at = span_find(s, SPAN(" at <top-level>, line "), 0);
    if (at >= s.len) {
        error_set(error, ERROR_USAGE, "the expression does not compile: %.*s", (int)s.len,
                  s.ptr ? s.ptr : "");
        return;
    }
    size_t digits = at + strlen(" at <top-level>, line ");
    unsigned long line = 0;
    for (size_t i = digits; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++)
        line = line * 10 + (unsigned long)(s.ptr[i] - '0');
    struct span what = without_end(span_slice(s, 0, at), SPAN(" (Unix shell quoting issues?)"));
    if (line > p->lines_before)
        error_set(error, ERROR_USAGE, "the expression does not compile: line %lu: %.*s",
                  line - (unsigned long)p->lines_before, (int)what.len, what.ptr);
    else
        error_set(error, ERROR_USAGE, "the expression's prelude does not compile: %.*s",
                  (int)what.len, what.ptr);
}

/* The message of a program that raised an error; frees it. */
static void run_error(jv message, struct error *error)
{
    struct buf text = {0};
    if (jv_get_kind(message) == JV_KIND_STRING)
        buf_text(&text, jv_string_value(message));
    else
        jq_value_write(jv_copy(message), &text);
    jv_free(message);
    error_set(error, ERROR_INPUT, "%s", buf_cstr(&text));
    buf_free(&text);
}

static jv failure(const char *text)
{
    return jv_invalid_with_msg(jv_string(text));
}

/* Runs a call of NATIVE and keeps its result for the `input` that follows. */
static void call_native(struct expr_program *p, struct json_value call)
{
    struct buf out = {0};
    struct error error = {0};
    struct json_value result;
    struct json_fault fault;
    jv_free(p->native_result);
    if (!p->native)
        p->native_result = failure("this function is not to be had here");
    else if (p->native(p->native_data, call, &out, &error) < 0)
        p->native_result = failure(error.text);
    else if (json_scan(buf_span(&out), &result, NULL, &fault) < 0)
        p->native_result = failure("this function gave no JSON");
    else
        p->native_result = jq_value_read(result);
    buf_free(&out);
}

static jv on_input(jq_state *jq, void *data)
{
    struct expr_program *p = data;
    (void)jq;
    jv result = p->native_result;
    p->native_result = failure("no value");
    return result;
}

static void on_debug(void *data, jv message)
{
    struct expr_program *p = data;
    struct buf text = {0};
    struct json_value value, call;
    struct json_fault fault;
    if (jq_value_write(message, &text)) {
        if (span_starts(buf_span(&text), SPAN("{\"" NATIVE_KEY "\":")) &&
            json_scan(buf_span(&text), &value, NULL, &fault) == 0 &&
            json_get(value, span_make("\0native", 7), &call))
            call_native(p, call);
        else if (p->debug)
            p->debug(p->debug_data, buf_span(&text));
    }
    buf_free(&text);
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* Nothing but white space and comments: the identity, as in jq. */
static bool blank(const char *program)
{
    for (const char *p = program; *p; p++) {
        if (*p == '#')
            p += strcspn(p, "\n") - 1;
        else if (!strchr(" \t\r\n", *p))
            return false;
    }
    return true;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* complete: with the words behind the caller's program. */
static void write_program(struct expr_program *p, const char *program, const char *prelude,
                          bool with_env, bool complete, struct buf *text)
{
    buf_clear(text);
    buf_text(text, NATIVE);
    buf_text(text, CLOSED_INPUT);
    if (!with_env)
        buf_text(text, CLOSED_ENVIRONMENT);
    buf_text(text, FRAME);
    if (prelude) {
        buf_text(text, prelude);
        buf_byte(text, '\n');
    }
    p->lines_before = count_lines(buf_cstr(text));
    if (complete)
        buf_text(text, PROGRAM_START);
    if (blank(program))
        buf_text(text, ". ");
    buf_text(text, program);
    if (complete)
        buf_text(text, PROGRAM_END);
}

static int read_bindings(const struct expr_binding *bindings, size_t n, jv *out,
                         struct error *error)
{
    jv object = jv_object();
    for (size_t i = 0; i < n; i++) {
        struct json_value value;
        struct json_fault fault;
        if (json_scan(bindings[i].json, &value, NULL, &fault) < 0) {
            jv_free(object);
            return error_set(error, ERROR_USAGE, "$%s: %s at byte %zu; give it a JSON value",
                             bindings[i].name, fault.what, fault.offset);
        }
        object = jv_object_set(object, jv_string(bindings[i].name), jq_value_read(value));
    }
    *out = object;
    return 0;
}

/* Runs the first clause of FRAME, see there. */
static void warm_up(jq_state *jq)
{
    jq_start(jq, jv_null(), 0);
    jv_free(jq_next(jq));
}

/* Compiles with a new machine; the messages go to p->message. */
static bool compile(struct expr_program *p, const char *text, jv arguments)
{
    if (p->jq)
        jq_teardown(&p->jq);
    p->jq = jq_init();
    if (!p->jq)
        mem_out_of_memory(0);
    jq_set_error_cb(p->jq, keep_message, p);
    jq_set_debug_cb(p->jq, on_debug, p);
    jq_set_input_cb(p->jq, on_input, p);
    jq_set_attr(p->jq, jv_string("JQ_LIBRARY_PATH"), jv_array());
    return jq_compile_args(p->jq, text, jv_copy(arguments));
}

struct expr_program *expr_compile(const char *program, const char *prelude,
                                  const struct expr_binding *bindings, size_t n_bindings,
                                  bool with_env, struct error *error)
{
    jv arguments;
    if (strlen(program) > (size_t)INT32_MAX / 2) {
        error_set(error, ERROR_USAGE, "the expression is too long");
        return NULL;
    }
    if (read_bindings(bindings, n_bindings, &arguments, error) < 0)
        return NULL;
    struct expr_program *p = mem_zero(1, sizeof *p);
    p->native_result = jv_invalid();
    struct buf text = {0};
    pthread_mutex_lock(&compile_lock);
    write_program(p, program, prelude, with_env, true, &text);
    bool good = compile(p, buf_cstr(&text), arguments);
    if (good) {
        warm_up(p->jq);
    } else { /* again without the words behind the program, which would show in the message */
        struct buf first = p->message;
        p->message = (struct buf){0};
        write_program(p, program, prelude, with_env, false, &text);
        if (compile(p, buf_cstr(&text), arguments) || p->message.len == 0) {
            buf_free(&p->message);
            p->message = first;
        } else {
            buf_free(&first);
        }
    }
    pthread_mutex_unlock(&compile_lock);
    buf_free(&text);
    jv_free(arguments);
    if (good)
        return p;
    compile_error(p, error);
    expr_free(p);
    return NULL;
}

void expr_free(struct expr_program *p)
{
    if (!p)
        return;
    jq_teardown(&p->jq);
    jv_free(p->native_result);
    buf_free(&p->message);
    free(p);
}

void expr_on_native(struct expr_program *p, expr_native *call, void *data)
{
    p->native = call;
    p->native_data = data;
}

void expr_on_debug(struct expr_program *p, void (*debug)(void *, struct span json), void *data)
{
    p->debug = debug;
    p->debug_data = data;
}

/* ---- running --------------------------------------------------------------------------------- */

int expr_run_value(struct expr_program *p, struct json_value value, int64_t index, struct buf *out,
                   int *count, struct error *error)
{
    *count = 0;
    jv input = jv_array_append(jv_array(), jv_number((double)index));
    jq_start(p->jq, jv_array_append(input, jq_value_read(value)), 0);
    bool good = true;
    for (;;) { /* to the end: see the head of this file */
        jv result = jq_next(p->jq);
        if (!jv_is_valid(result)) {
            if (jv_invalid_has_msg(jv_copy(result))) {
                run_error(jv_invalid_get_msg(result), error);
                return -1;
            }
            jv_free(result);
            break;
        }
        if (++*count == 1)
            good = jq_value_write(result, out);
        else
            jv_free(result);
    }
    if (!good)
        error_set(error, ERROR_INPUT, "the result is nested deeper than 512 levels");
    return good ? 0 : -1;
}

int expr_run(struct expr_program *p, struct span json, int64_t index, struct buf *out, int *count,
             struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    *count = 0;
    if (json_scan(json, &value, NULL, &fault) < 0)
        return error_set(error, ERROR_INPUT, "%s at byte %zu", fault.what, fault.offset), -1;
    return expr_run_value(p, value, index, out, count, error);
}
