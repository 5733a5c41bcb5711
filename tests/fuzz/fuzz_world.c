/* fuzz_world.c: lines for a world on a pipe, over tools of every kind, and any text as a policy.
 * What comes out is JSON, the same again after a reset, and a policy's rules keep to their lengths.
 */
#include <stdint.h>
#include <stdlib.h>

#include "row/row.h"
#include "scene/clauses.h"
#include "text/utf8.h"
#include "world/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TOOLS[] =
    "[{\"name\":\"get_order\",\"parameters\":{\"properties\":{\"order_id\":{\"type\":\"string\"},"
    "\"who\":"
    "{\"type\":\"object\",\"properties\":{\"zip\":{}},\"required\":[\"zip\"]}},\"required\":["
    "\"order_id\"]}},"
    "{\"name\":\"search_orders\"},{\"name\":\"create_order\"},{\"name\":\"update_order\"},"
    "{\"name\":\"delete_order\"},{\"name\":\"calculate\"},{\"name\":\"read_file\"},{\"name\":"
    "\"write_file\"},"
    "{\"name\":\"list_files\"},{\"name\":\"grep\"},{\"name\":\"bash\"},{\"name\":\"git_log\"},"
    "{\"name\":\"git_diff\"},{\"name\":\"git_status\"},{\"name\":\"ci_status\"},{\"name\":\"get_"
    "price\"},"
    "{\"name\":\"shaped\"}]";
static const char SHAPES[] = "{\"shaped\":{\"id\":\"A-1\",\"results\":[{\"id\":7,\"title\":\"x\","
                             "\"images\":[\"u\"],\"n\":-3.5}],"
                             "\"from\":\"a@b\",\"when\":\"2024-01-02T\"}}";

static void check_json(struct span text)
{
    struct json_value value;
    struct json_fault fault;
    if (json_scan(text, &value, NULL, &fault))
        abort();
}

/* All answers to the lines of one input. */
static void answers(const struct world_setting *setting, struct span input, struct buf *out)
{
    struct world_server *server = world_server_new(setting);
    struct json_members members = {0};
    while (input.len) {
        const char *end = memchr(input.ptr, '\n', input.len);
        size_t n = end ? (size_t)(end - input.ptr) : input.len;
        struct json_fault fault;
        struct row row;
        size_t before = out->len;
        if (row_of_text(span_slice(input, 0, n), &row, &members, &fault) == 0 &&
            row.value.type == JSON_VALUE_OBJECT && !world_server_line(server, &row, out)) {
            check_json(span_make(out->data + before, out->len - before));
            buf_byte(out, '\n');
        }
        input = span_slice(input, n + (end != NULL), input.len);
    }
    world_server_free(server);
    json_members_free(&members);
}

static void cut_policy(struct span text)
{
    struct arena arena = {0};
    struct clauses clauses;
    clauses_cut(text, 16, &arena, &clauses);
    if (clauses.count > 16 || clauses.total < clauses.count)
        abort();
    for (size_t i = 0; i < clauses.count; i++) {
        size_t length = utf8_length(clauses.items[i]);
        if (length < 8 || length > 120)
            abort();
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span input = span_make((const char *)data, size);
    struct row_tools tools = {0};
    struct world_options *options = world_options_new();
    struct arena arena = {0};
    struct json_value shapes;
    struct json_fault fault;
    struct error error;
    struct buf once = {0}, again = {0};
    if (row_tools_parse(&tools, SPAN(TOOLS), "tools", &error) ||
        json_scan(SPAN(SHAPES), &shapes, NULL, &fault))
        abort();
    struct world_setting setting = {
        .tools = &tools, .options = options, .shapes = node_parse(&arena, shapes)};
    answers(&setting, input, &once);
    answers(&setting, input, &again);
    if (!span_equal(buf_span(&once), buf_span(&again)))
        abort();
    cut_policy(input);
    buf_free(&once);
    buf_free(&again);
    row_tools_free(&tools);
    world_options_free(options);
    arena_free(&arena);
    return 0;
}
