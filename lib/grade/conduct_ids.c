/* conduct_ids.c: identifiers that come from nowhere: in the arguments of calls (grade 10.1) and in
 * the reply (10.4). */
#include "grade/conduct.h"
#include "grade/defaults.h"
#include "row/value.h"
#include "text/fold.h"

/* ---- leaves of arguments -------------------------------------------------------------------- */

struct walk {
    struct conduct_row *c;
    const struct conduct_words *words;
    void (*visit)(void *data, const struct conduct_leaf *leaf);
    void *data;
    struct buf path;
};

static void leaf(struct walk *w, struct json_value value, bool id_key)
{
    bool integer = value.type == JSON_VALUE_NUMBER && (value.flags & JSON_FLAG_INTEGER);
    struct buf scratch = {0};
    if (value.type == JSON_VALUE_STRING || (integer && id_key)) {
        struct span text = text_strip(value_text(value, &scratch));
        const struct conduct_leaf found = {buf_span(&w->path), text, id_key};
        if (text.len)
            w->visit(w->data, &found);
    }
    buf_free(&scratch);
}

static void walk_value(struct walk *w, struct json_value value, bool id_key);

static void walk_object(struct walk *w, struct json_value object)
{
    struct json_cursor cursor = json_enter(object);
    struct json_member member;
    struct buf scratch = {0};
    while (json_next_member(&cursor, &member)) {
        size_t length = w->path.len;
        struct span key = json_key(&member, &scratch);
        if (length)
            buf_byte(&w->path, '.');
        buf_span_add(&w->path, key);
        walk_value(w, member.value, words_has(w->words, WORD_ID_KEY, key));
        w->path.len = length;
    }
    buf_free(&scratch);
}

/* Depth is the scanner's. */
static void walk_value(struct walk *w, struct json_value value, bool id_key)
{
    if (value.type == JSON_VALUE_OBJECT) {
        walk_object(w, value);
    } else if (value.type == JSON_VALUE_ARRAY) {
        struct json_cursor cursor = json_enter(value);
        struct json_value item;
        while (json_next_item(&cursor, &item))
            walk_value(w, item, false);
    } else {
        leaf(w, value, id_key);
    }
}

void conduct_leaves(struct conduct_row *c, const struct conduct_words *words,
                    struct json_value object,
                    void (*visit)(void *data, const struct conduct_leaf *leaf), void *data)
{
    struct walk w = {.c = c, .words = words, .visit = visit, .data = data};
    if (object.type == JSON_VALUE_OBJECT && object.text.ptr)
        walk_object(&w, object);
    buf_free(&w.path);
}

/* ---- invented references -------------------------------------------------------------------- */

struct hunt {
    struct conduct_row *c;
    const struct conduct_words *words;
    const struct conduct_step *step;
    size_t index;     /* of the step */
    struct buf user;  /* lower-cased: the ask and what the person said before the step */
    struct buf prior; /* lower-cased: results before the step `read` */
    size_t read;
    struct buf low;
    struct buf *out;
    size_t named;
};

static bool changes_state(struct span tool)
{
    static const char *const verbs[] = {"add",  "book", "cancel",   "create",   "delete", "destroy",
                                        "drop", "edit", "execute",  "generate", "insert", "make",
                                        "new",  "pay",  "post",     "refund",   "remove", "run",
                                        "send", "set",  "transfer", "update",   "upload", "write"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        size_t length = strlen(verbs[i]);
        if (tool.len >= length && strncasecmp(tool.ptr, verbs[i], length) == 0)
            return true;
    }
    return false;
}

/* Results are turned to text only when an argument asks for them. */
static struct span prior_results(struct hunt *h)
{
    for (; h->read < h->index; h->read++)
        if (h->c->steps[h->read].result.text.ptr)
            conduct_add_json(h->c, h->c->steps[h->read].result, &h->prior);
    return buf_span(&h->prior);
}

static void name_leaf(struct hunt *h, const struct conduct_leaf *leaf)
{
    if (h->named++ >= CONDUCT_NAMED)
        return;
    if (h->named > 1)
        buf_text(h->out, ", ");
    buf_span_add(h->out, h->step->tool);
    buf_byte(h->out, '(');
    buf_span_add(h->out, leaf->path);
    buf_byte(h->out, '=');
    buf_span_add(h->out, leaf->text);
    buf_byte(h->out, ')');
}

static void check_leaf(void *data, const struct conduct_leaf *leaf)
{
    struct hunt *h = data;
    buf_clear(&h->low);
    text_lower(leaf->text, &h->low);
    struct span low = buf_span(&h->low);
    if (span_has(buf_span(&h->user), low))
        return;
    bool invented = words_has(h->words, WORD_PLACEHOLDER, leaf->text);
    if (!invented && leaf->reference && !span_has(prior_results(h), low))
        invented = changes_state(h->step->tool) || words_has(h->words, WORD_ID_LIKE, leaf->text);
    if (invented)
        name_leaf(h, leaf);
}

bool conduct_invented_references(struct conduct_row *c, const struct conduct_words *words,
                                 struct buf *out)
{
    struct hunt h = {.c = c, .words = words, .out = out};
    buf_span_add(&h.user, c->asked);
    for (size_t i = 0; i < c->count; i++) {
        h.step = &c->steps[i];
        h.index = i;
        if (h.step->tool.len)
            conduct_leaves(c, words, h.step->arguments, check_leaf, &h);
        if (h.step->user.len) {
            buf_byte(&h.user, ' ');
            buf_span_add(&h.user, conduct_lower(c, h.step->user));
        }
    }
    buf_free(&h.user);
    buf_free(&h.prior);
    buf_free(&h.low);
    return h.named > 0;
}

/* ---- invented identifiers ------------------------------------------------------------------- */

/* All that the person said and the tools were given and gave, lower-cased. */
static void grounding(struct conduct_row *c, struct buf *out)
{
    struct buf said = {0};
    buf_span_add(out, c->asked);
    const struct json_value *messages = row_get(c->row, SPAN("messages"));
    struct json_cursor cursor = messages && messages->type == JSON_VALUE_ARRAY
                                    ? json_enter(*messages)
                                    : (struct json_cursor){0};
    struct json_value message, value;
    while (json_next_item(&cursor, &message)) {
        if (!json_get(message, SPAN("role"), &value) || !span_is(value.text, "\"user\"") ||
            !json_get(message, SPAN("content"), &value) || !json_truthy(value))
            continue;
        buf_byte(out, ' ');
        buf_clear(&said);
        buf_span_add(&said, value_text(value, &c->scratch));
        buf_span_add(out, conduct_lower(c, buf_span(&said)));
    }
    for (size_t i = 0; i < c->count; i++) {
        const struct conduct_step *step = &c->steps[i];
        buf_byte(out, ' ');
        buf_span_add(out, conduct_lower(c, step->user));
        buf_byte(out, ' ');
        if (step->arguments.text.ptr)
            conduct_add_json(c, step->arguments, out);
        buf_byte(out, ' ');
        if (step->result.text.ptr)
            conduct_add_json(c, step->result, out);
    }
    buf_free(&said);
}

static bool letter(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* The token itself; what stands behind its word; the digits at the start of that. */
static bool grounded(struct span token, struct span ground)
{
    if (span_has(ground, token))
        return true;
    if (token.len && *token.ptr == '#')
        return span_has(ground, span_slice(token, 1, token.len));
    size_t word = 0, digits = 0;
    while (word < token.len && letter(token.ptr[word]))
        word++;
    if (word < 2 || word + 1 >= token.len || (token.ptr[word] != '-' && token.ptr[word] != '_'))
        return false;
    struct span rest = span_slice(token, word + 1, token.len);
    while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9')
        digits++;
    return span_has(ground, rest) ||
           (digits >= CONDUCT_DIGITS_MIN && span_has(ground, span_slice(rest, 0, digits)));
}

bool conduct_invented_identifiers(struct conduct_row *c, const struct conduct_words *words,
                                  struct buf *out)
{
    struct buf ground = {0};
    struct span hit;
    size_t named = 0, start = out->len;
    bool read = false;
    for (size_t at = 0; words_find(words, WORD_IDENTIFIER, c->reply, at, &hit);
         at = (size_t)(hit.ptr - c->reply.ptr) + hit.len) {
        if (!read)
            grounding(c, &ground);
        read = true;
        if (grounded(conduct_lower(c, hit), buf_span(&ground)))
            continue;
        if (named < CONDUCT_NAMED && !span_has(span_slice(buf_span(out), start, out->len), hit)) {
            if (named++)
                buf_text(out, ", ");
            buf_span_add(out, hit);
        }
    }
    buf_free(&ground);
    return named > 0;
}
