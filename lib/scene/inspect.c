/* inspect.c: see inspect.h. */
#include "scene/inspect.h"

#include <stdlib.h>

#include "agent/agent.h"
#include "base/map.h"
#include "model/wire.h"
#include "text/fold.h"

/* ---- what a name says ------------------------------------------------------------------------ */

struct word_list {
    const char *name; /* of the capability */
    const char *words;
};

static const char READS[] = " lookup get search list read check view find show query fetch browse ";
static const struct word_list CLASSES[] = {
    {"mutate",
     " order send delete pay write book refund cancel update create approve charge transfer "
     "notify publish message remove revoke add apply assign close commit deny deploy disable "
     "exchange execute export grant issue place reset schedule start submit "},
    {"financial", " pay charge refund transfer order purchase "},
    {"communication", " send email notify message publish "},
    {"irreversible", " delete remove cancel revoke "},
};
enum { N_CLASSES = sizeof CLASSES / sizeof *CLASSES };

/* A property whose name holds one of these is a detail of a person's. */
static const char *const DETAILS[] = {"address", "email",     "amount", "reference", "phone",
                                      "account", "iban",      "card",   "code",      "promo",
                                      "sku",     "recipient", "to",     "date"};

static bool in_list(const char *words, struct span word)
{
    struct buf padded = {0};
    buf_byte(&padded, ' ');
    buf_span_add(&padded, word);
    buf_byte(&padded, ' ');
    bool found = span_has(span_text(words), buf_span(&padded));
    buf_free(&padded);
    return found;
}

/* The next run of ASCII letters of a lower-cased name. */
static bool next_word(struct span name, size_t *at, struct span *word)
{
    while (*at < name.len && (name.ptr[*at] < 'a' || name.ptr[*at] > 'z'))
        ++*at;
    size_t from = *at;
    while (*at < name.len && name.ptr[*at] >= 'a' && name.ptr[*at] <= 'z')
        ++*at;
    *word = span_slice(name, from, *at);
    return word->len > 0;
}

static bool is_read(struct span lower)
{
    size_t at = 0;
    struct span word;
    return next_word(lower, &at, &word) && in_list(READS, word);
}

static void write_capabilities(struct json_writer *w, struct span lower)
{
    bool any = false;
    json_write_array(w);
    if (is_read(lower)) {
        json_write_text(w, "read");
        any = true;
    }
    for (int i = 0; i < N_CLASSES && !is_read(lower); i++) {
        struct span word;
        bool found = false;
        for (size_t at = 0; !found && next_word(lower, &at, &word);)
            found = in_list(CLASSES[i].words, word);
        if (found)
            json_write_text(w, CLASSES[i].name);
        any |= found;
    }
    if (!any)
        json_write_text(w, "other");
    json_write_end_array(w);
}

static bool is_detail(struct span lower)
{
    if (span_is(lower, "id") || span_ends(lower, SPAN("_id")))
        return true;
    for (size_t i = 0; i < sizeof DETAILS / sizeof *DETAILS; i++)
        if (span_has(lower, span_text(DETAILS[i])))
            return true;
    return false;
}

/* ---- the object ------------------------------------------------------------------------------ */

static void write_names(struct json_writer *w, const char *key, const struct row_tools *tools,
                        bool reads)
{
    struct buf lower = {0};
    json_write_key(w, key);
    json_write_array(w);
    for (size_t i = 0; i < tools->count; i++) {
        buf_clear(&lower);
        text_lower(tools->items[i].name, &lower);
        if (is_read(buf_span(&lower)) == reads)
            json_write_span(w, tools->items[i].name);
    }
    json_write_end_array(w);
    buf_free(&lower);
}

static void write_details(struct json_writer *w, const struct row_tools *tools)
{
    struct map seen = {0};
    struct buf lower = {0}, scratch = {0};
    json_write_key(w, "required_user_fields");
    json_write_array(w);
    for (size_t i = 0; i < tools->count; i++) {
        struct json_value properties = {0};
        struct json_member m;
        if (tools->items[i].parameters.text.ptr)
            json_get(tools->items[i].parameters, SPAN("properties"), &properties);
        struct json_cursor c = json_enter(properties);
        while (properties.type == JSON_VALUE_OBJECT && json_next_member(&c, &m)) {
            struct span name = json_key(&m, &scratch);
            bool fresh = false;
            buf_clear(&lower);
            text_lower(name, &lower);
            if (is_detail(buf_span(&lower)))
                map_add(&seen, name, &fresh);
            if (fresh)
                json_write_span(w, name);
        }
    }
    json_write_end_array(w);
    map_free(&seen);
    buf_free(&lower);
    buf_free(&scratch);
}

static void write_tools(struct json_writer *w, const struct row_tools *tools)
{
    struct buf entries = {0};
    struct json_value array;
    struct json_fault fault;
    row_tools_join(tools, &entries);
    if (tools->count && json_scan(buf_span(&entries), &array, NULL, &fault) == 0) {
        wire_openai_tools(array, false, w);
    } else {
        json_write_key(w, "tools");
        json_write_array(w);
        json_write_end_array(w);
    }
    buf_free(&entries);
}

static void write_profile(struct json_writer *w, const struct inspect_wish *wish,
                          const char *transport, const char *name)
{
    struct buf lower = {0};
    json_write_object(w);
    write_tools(w, wish->tools);
    json_write_key(w, "policy");
    json_write_span(w, wish->policy);
    json_write_key(w, "capabilities");
    json_write_object(w);
    for (size_t i = 0; i < wish->tools->count; i++) {
        buf_clear(&lower);
        text_lower(wish->tools->items[i].name, &lower);
        json_write_key_span(w, wish->tools->items[i].name);
        write_capabilities(w, buf_span(&lower));
    }
    json_write_end_object(w);
    json_write_key(w, "constraints");
    json_write_object(w);
    write_names(w, "mutating_tools", wish->tools, false);
    write_names(w, "read_tools", wish->tools, true);
    write_details(w, wish->tools);
    json_write_key(w, "policy_present");
    json_write_bool(w, wish->policy.len > 0);
    json_write_end_object(w);
    json_write_key(w, "transport");
    json_write_text(w, transport);
    json_write_key(w, "name");
    json_write_text(w, name);
    json_write_end_object(w);
    buf_free(&lower);
}

int inspect_write(const struct inspect_wish *wish, struct buf *out, struct error *error)
{
    struct model_roles roles = {0};
    enum model_role_source source;
    struct buf name = {0};
    struct json_writer w;
    const char *transport = NULL;
    int code = model_roles_read(&roles, error);
    if (code == 0) {
        const char *spec = model_role(&roles, ROLE_AGENT, wish->agent, &source);
        transport = agent_transport(spec ? spec : "seeded", &name, error);
        code = transport ? 0 : error->code;
    }
    if (code == 0) {
        json_write_start(&w, out, JSON_STYLE_COMPACT);
        write_profile(&w, wish, transport, buf_cstr(&name));
    }
    model_roles_free(&roles);
    buf_free(&name);
    return code;
}
