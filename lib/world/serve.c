/* serve.c: the lines of serve.h. */
#include "world/serve.h"

#include <stdlib.h>

struct world_server {
    struct world_setting setting;
    struct world_options *own_options; /* brought by a reset, or NULL */
    struct world_tools *tools;
    struct world *world;
    struct arena life;  /* the plan that a reset brought */
    struct arena line;  /* the arguments of the call in hand */
    struct error error; /* the sentence of a bad line's clause */
};

static void rebuild(struct world_server *s, const struct world_options *options)
{
    world_free(s->world);
    world_tools_free(s->tools);
    s->tools = world_tools_new(s->setting.tools, options, s->setting.shapes);
    s->world = world_new(s->tools, options);
}

struct world_server *world_server_new(const struct world_setting *setting)
{
    struct world_server *s = mem_zero(1, sizeof *s);
    s->setting = *setting;
    rebuild(s, setting->options);
    world_start(s->world, setting->seed, setting->plan, setting->state);
    return s;
}

void world_server_free(struct world_server *s)
{
    if (!s)
        return;
    world_free(s->world);
    world_tools_free(s->tools);
    world_options_free(s->own_options);
    arena_free(&s->life);
    arena_free(&s->line);
    free(s);
}

static const char *reset(struct world_server *s, const struct row *row)
{
    const struct json_value *seed = row_get_set(row, SPAN("seed"));
    const struct json_value *faults = row_get_set(row, SPAN("faults"));
    const struct json_value *state = row_get_set(row, SPAN("world_state"));
    const struct json_value *given = row_get_set(row, SPAN("options"));
    struct world_setting next = s->setting;
    struct world_options *options = NULL;
    struct node *plan = NULL;
    if (seed && !json_int64(*seed, &next.seed))
        return "seed is not a whole number of 64 bits";
    if (state && state->type != JSON_VALUE_STRING)
        return "world_state is not a text";
    if (given) {
        options = world_options_new();
        if (world_options_read(options, given->text, "options", &s->error)) {
            world_options_free(options);
            return s->error.text;
        }
    }
    arena_clear(&s->life);
    if (faults) {
        plan = node_parse(&s->life, *faults);
        if (world_plan_check(plan, &s->error)) {
            world_options_free(options);
            return s->error.text;
        }
        next.plan = plan;
    }
    if (state) {
        struct buf scratch = {0};
        next.state = world_state_of(json_text(*state, &scratch));
        buf_free(&scratch);
    }
    if (options || s->own_options) {
        rebuild(s, options ? options : s->setting.options);
        world_options_free(s->own_options);
        s->own_options = options;
    }
    world_start(s->world, next.seed, next.plan, next.state);
    return NULL;
}

static const char *call(struct world_server *s, const struct row *row, struct buf *out)
{
    const struct json_value *tool = row_get(row, SPAN("tool"));
    const struct json_value *arguments = row_get_set(row, SPAN("arguments"));
    if (!tool || tool->type != JSON_VALUE_STRING)
        return "a call needs \"tool\" with a tool's name, or \"reset\": true";
    struct buf name = {0};
    arena_clear(&s->line);
    const struct node *given = arguments ? node_parse(&s->line, *arguments) : NULL;
    node_json(world_call(s->world, json_text(*tool, &name), given), false, out);
    buf_free(&name);
    return NULL;
}

const char *world_server_line(struct world_server *s, const struct row *row, struct buf *out)
{
    const struct json_value *id = row_get(row, SPAN("id"));
    const struct json_value *again = row_get(row, SPAN("reset"));
    size_t start = out->len;
    const char *what;
    if (id) {
        buf_text(out, "{\"id\":");
        buf_span_add(out, id->text);
        buf_text(out, ",\"result\":");
    }
    if (again && again->type == JSON_VALUE_TRUE) {
        what = reset(s, row);
        buf_text(out, "{\"reset\":true}");
    } else {
        what = call(s, row, out);
    }
    if (id)
        buf_byte(out, '}');
    if (what)
        out->len = start;
    return what;
}

/* ---- the filter ------------------------------------------------------------------------------ */

struct flush {
    struct row_writer *writer;
    struct error *error;
    int code;
};

static void flush_before_wait(void *data)
{
    struct flush *f = data;
    if (!f->code)
        f->code = row_writer_flush(f->writer, f->error);
}

int world_serve(const struct world_setting *setting, const struct row_options *options,
                struct row_writer *writer, struct error *error)
{
    struct flush flush = {.writer = writer, .error = error};
    struct row_source source = {
        .options = *options, .before_wait = flush_before_wait, .before_wait_data = &flush};
    source.options.jobs = 1;
    struct row_reader *reader = row_reader_open(&source, error);
    if (!reader)
        return error->code;
    struct world_server *server = world_server_new(setting);
    struct row row;
    struct buf out = {0};
    int got;
    while ((got = row_reader_next(reader, &row, error)) > 0) {
        buf_clear(&out);
        const char *what = world_server_line(server, &row, &out);
        got = what ? row_reader_reject(reader, &row, what, error)
                   : row_writer_line(writer, buf_span(&out), error);
        got = flush.code ? flush.code : got;
        if (got < 0)
            break;
    }
    int closed = row_reader_close(reader, got < 0 ? NULL : error);
    world_server_free(server);
    buf_free(&out);
    return got < 0 ? got : closed;
}
