/* json.c: the json room for wai-unit. */
#include "unit.h"

#include "json/pyjson.h"
#include "json/pytext.h"

static int hex_value(char c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* A text that may be no JSON at all comes as hexadecimal digits. */
static int text_of_hex(struct json_value in, struct buf *out, struct error *error)
{
    struct buf scratch = {0};
    struct span hex = json_text(in, &scratch);
    if (in.type != JSON_VALUE_STRING || hex.len % 2)
        return error_set(error, ERROR_INPUT, "the line is no string of hexadecimal digits");
    for (size_t i = 0; i < hex.len; i += 2)
        buf_byte(out, (char)(hex_value(hex.ptr[i]) << 4 | hex_value(hex.ptr[i + 1])));
    buf_free(&scratch);
    return 0;
}

/* json_scan: hex of a text -> {"members": N}, or {"offset": N, "what": TEXT} */
static int scan(struct json_value in, struct json_writer *out, struct error *error)
{
    struct buf text = {0};
    struct json_members members = {0};
    struct json_value value;
    struct json_fault fault;
    int code = text_of_hex(in, &text, error);
    if (code < 0)
        return code;
    json_write_object(out);
    if (json_scan(buf_span(&text), &value, &members, &fault) == 0) {
        json_write_key(out, "members");
        json_write_int(out, (int64_t)members.count);
    } else {
        json_write_key(out, "offset");
        json_write_int(out, (int64_t)fault.offset);
        json_write_key(out, "what");
        json_write_text(out, fault.what);
    }
    json_write_end_object(out);
    json_members_free(&members);
    buf_free(&text);
    return 0;
}

static int text_of(struct json_value in, struct json_writer *out,
                   void (*write)(struct json_value, struct buf *))
{
    struct buf text = {0};
    write(in, &text);
    json_write_span(out, buf_span(&text));
    buf_free(&text);
    return 0;
}

static int pystr(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    return text_of(in, out, json_pystr);
}

static int pyrepr(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    return text_of(in, out, json_pyrepr);
}

static int pyjson(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    return text_of(in, out, json_pyjson);
}

static int pyjson_sorted(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    return text_of(in, out, json_pyjson_sorted);
}

/* A value rebuilt from its parts by the cursor readers and the writer. */
static void rebuild(struct json_value in, struct json_writer *out)
{
    struct buf scratch = {0};
    struct json_cursor c = json_enter(in);
    struct json_value item;
    struct json_member member;
    switch (in.type) {
    case JSON_VALUE_OBJECT:
        json_write_object(out);
        while (json_next_member(&c, &member)) {
            json_write_key_span(out, json_key(&member, &scratch));
            rebuild(member.value, out);
        }
        json_write_end_object(out);
        break;
    case JSON_VALUE_ARRAY:
        json_write_array(out);
        while (json_next_item(&c, &item))
            rebuild(item, out);
        json_write_end_array(out);
        break;
    case JSON_VALUE_STRING: json_write_span(out, json_text(in, &scratch)); break;
    default: json_write_raw(out, in.text); break;
    }
    buf_free(&scratch);
}

static int decode(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    rebuild(in, out);
    return 0;
}

/* json_facts: a value -> {"truthy", "count", "real" (its text, or null), "int64" (or null)} */
static int facts(struct json_value in, struct json_writer *out, struct error *error)
{
    (void)error;
    int64_t integer;
    json_write_object(out);
    json_write_key(out, "truthy");
    json_write_bool(out, json_truthy(in));
    json_write_key(out, "count");
    json_write_int(out, (int64_t)json_count(in));
    json_write_key(out, "real");
    json_write_real(out, json_number(in));
    json_write_key(out, "int64");
    if (json_int64(in, &integer))
        json_write_int(out, integer);
    else
        json_write_null(out);
    json_write_end_object(out);
    return 0;
}

const struct unit_function UNIT_JSON[] = {
    {"json_scan", scan},
    {"json_pystr", pystr},
    {"json_pyrepr", pyrepr},
    {"json_pyjson", pyjson},
    {"json_pyjson_sorted", pyjson_sorted},
    {"json_decode", decode},
    {"json_facts", facts},
    {0},
};
