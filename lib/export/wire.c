/* wire.c: see wire.h. */
#include "export/wire.h"

#include "export/defaults.h"
#include "row/parse.h"
#include "text/digest.h"
#include "text/fold.h"
#include "json/pyjson.h"

const char *const EXPORT_FORMAT_NAMES[EXPORT_FORMATS] = {"openai", "trl", "fireworks", "axolotl",
                                                         "llamafactory"};

/* Python writes ", " between items; trainers' files have ",". Inside strings nothing changes. */
static void without_space_after_commas(struct span json, struct buf *out)
{
    bool in_string = false;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        buf_byte(out, c);
        if (in_string && c == '\\' && i + 1 < json.len)
            buf_byte(out, json.ptr[++i]);
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && c == ',' && i + 1 < json.len && json.ptr[i + 1] == ' ')
            i++;
    }
}

void export_arguments_text(const struct export_call *call, struct buf *out)
{
    if (call->text.ptr) {
        buf_span_add(out, call->text);
    } else if (!call->arguments.text.ptr) {
        buf_text(out, "{}");
    } else {
        struct buf text = {0};
        json_pyjson(call->arguments, &text);
        without_space_after_commas(buf_span(&text), out);
        buf_free(&text);
    }
}

bool export_call_is_sound(struct export_turns *t, const struct export_call *call)
{
    struct json_value value;
    if (!call->text.ptr)
        return !call->arguments.text.ptr || call->arguments.type == JSON_VALUE_OBJECT;
    return row_parse_span(&t->arena, call->text, &value) && value.type == JSON_VALUE_OBJECT;
}

/* Structured arguments as they are; a text that still decodes (it was wrapped once too often),
 * decoded. */
void export_write_object_arguments(const struct export_call *call, struct json_writer *w)
{
    struct json_value value = call->arguments;
    struct arena arena = {0};
    if (call->text.ptr) {
        if (row_parse_span(&arena, call->text, &value))
            json_write_raw(w, value.text);
        else
            json_write_span(w, call->text);
    } else {
        json_write_raw(w, value.text.ptr ? value.text : SPAN("{}"));
    }
    arena_free(&arena);
}

static void write_call(const struct export_call *call, enum export_format format,
                       struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "id");
    json_write_span(w, call->id);
    json_write_key(w, "type");
    json_write_text(w, "function");
    json_write_key(w, "function");
    json_write_object(w);
    json_write_key(w, "name");
    json_write_span(w, call->name);
    json_write_key(w, "arguments");
    if (format == EXPORT_TRL) {
        export_write_object_arguments(call, w);
    } else {
        struct buf text = {0};
        export_arguments_text(call, &text);
        json_write_span(w, buf_span(&text));
        buf_free(&text);
    }
    json_write_end_object(w);
    json_write_end_object(w);
}

static void write_head(const struct export_turns *t, const struct export_turn *turn,
                       enum export_format format, struct json_writer *w)
{
    json_write_object(w);
    json_write_key(w, "role");
    json_write_text(w, row_role_name(turn->role));
    json_write_key(w, "content");
    json_write_span(w, turn->content);
    if (!turn->n_calls)
        return;
    json_write_key(w, "tool_calls");
    json_write_array(w);
    for (size_t i = 0; i < turn->n_calls; i++)
        write_call(&t->calls[turn->first_call + i], format, w);
    json_write_end_array(w);
}

void export_write_turn(const struct export_turns *t, const struct export_turn *turn,
                       enum export_format format, enum export_weight weight, struct json_writer *w)
{
    write_head(t, turn, format, w);
    if (turn->name.ptr && format != EXPORT_FIREWORKS) {
        json_write_key(w, "name");
        json_write_span(w, turn->name);
    }
    if (turn->call_id.ptr) {
        json_write_key(w, "tool_call_id");
        json_write_span(w, turn->call_id);
    }
    if (weight != EXPORT_WEIGHT_NONE && turn->role == ROW_ROLE_ASSISTANT) {
        json_write_key(w, format == EXPORT_AXOLOTL ? "training" : "weight");
        if (format == EXPORT_AXOLOTL)
            json_write_bool(w, weight == EXPORT_WEIGHT_1);
        else
            json_write_int(w, weight);
    }
    json_write_end_object(w);
}

void export_write_bare_turn(const struct export_turns *t, const struct export_turn *turn,
                            struct json_writer *w)
{
    write_head(t, turn, EXPORT_FIREWORKS, w);
    json_write_end_object(w);
}

/* ---- tools --------------------------------------------------------------------------------------
 */

/* Keys of a tool that are for the toolchain's own world, not for a model (world 20.1). */
static bool has_local_keys(struct json_value function)
{
    static const struct span LOCAL[] = {
        {"kind", 4}, {"drafted", 7}, {"returns", 7}, {"mock", 4}, {"command", 7},
    };
    struct json_value value;
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++)
        if (json_get(function, LOCAL[i], &value))
            return true;
    return false;
}

static void write_tool(const struct row_tool *tool, struct arena *arena, struct json_writer *w)
{
    if (tool->envelope && !has_local_keys(tool->entry) && !has_local_keys(tool->function)) {
        json_write_raw(w, export_finite(arena, tool->entry).text);
        return;
    }
    json_write_object(w);
    json_write_key(w, "type");
    json_write_text(w, "function");
    json_write_key(w, "function");
    json_write_object(w);
    json_write_key(w, "name");
    json_write_span(w, tool->name);
    json_write_key(w, "description");
    json_write_span(w, tool->description);
    json_write_key(w, "parameters");
    json_write_raw(w, tool->parameters.text.ptr ? export_finite(arena, tool->parameters).text
                                                : SPAN("{\"type\":\"object\",\"properties\":{}}"));
    json_write_end_object(w);
    json_write_end_object(w);
}

/* A tool file may be written over many lines; a row is one. */
static void without_space(struct span json, struct buf *out)
{
    bool in_string = false;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            continue;
        buf_byte(out, c);
        if (in_string && c == '\\' && i + 1 < json.len)
            buf_byte(out, json.ptr[++i]);
        else if (c == '"')
            in_string = !in_string;
    }
}

void export_tools_json(const struct row_tools *tools, struct buf *out)
{
    struct json_writer w;
    struct arena arena = {0};
    struct buf text = {0};
    if (!tools->count)
        return;
    json_write_start(&w, &text, JSON_STYLE_COMPACT);
    json_write_array(&w);
    for (size_t i = 0; i < tools->count; i++)
        write_tool(&tools->items[i], &arena, &w);
    json_write_end_array(&w);
    without_space(buf_span(&text), out);
    buf_free(&text);
    arena_free(&arena);
}

void export_write_tools(struct span tools, enum export_format format, struct json_writer *w)
{
    if (!tools.len)
        return;
    json_write_key(w, "tools");
    if (format == EXPORT_AXOLOTL || format == EXPORT_LLAMAFACTORY)
        json_write_span(w, tools);
    else
        json_write_raw(w, tools);
}

void export_write_lines(const char *key, struct span lines, struct json_writer *w)
{
    struct span line;
    json_write_key(w, key);
    json_write_array(w);
    for (size_t at = 0; text_next_line(lines, &at, &line);)
        json_write_span(w, line);
    json_write_end_array(w);
}

void export_hash(struct span text, char out[])
{
    uint8_t digest[SHA1_BYTES];
    char hex[2 * SHA1_BYTES + 1];
    digest_sha1(text, digest);
    digest_hex(digest, SHA1_BYTES, hex);
    memcpy(out, hex, EXPORT_HASH_HEX);
    out[EXPORT_HASH_HEX] = '\0';
}
