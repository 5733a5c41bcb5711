/* signature.c: the behaviour signature (rows 9.4). The payload is the Python text of a tuple,
 * because the hash must agree with rows that the reference package wrote. */
#include "row/signature.h"

#include <stdlib.h>

#include "row/defaults.h"
#include "row/parse.h"
#include "row/step.h"
#include "row/value.h"
#include "text/digest.h"
#include "text/fold.h"
#include "json/pyjson.h"
#include "json/pytext.h"

/* One argument: its name and where its value came from. */
struct origin {
    struct span key;
    size_t index; /* in the text */
    const char *from;
};

/* Buffers of one signature. */
struct work {
    struct arena arena;
    struct buf prompt; /* lower-cased */
    struct buf prior;  /* lower-cased PYJSON of the results so far */
    struct buf text, lowered;
    struct origin *origins;
    size_t n_origins, cap;
};

static void work_free(struct work *w)
{
    arena_free(&w->arena);
    buf_free(&w->prompt);
    buf_free(&w->prior);
    buf_free(&w->text);
    buf_free(&w->lowered);
    free(w->origins);
}

static int compare_origins(const void *a, const void *b)
{
    const struct origin *x = a, *y = b;
    int order = span_compare(x->key, y->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

const char *row_origin(struct json_value value, struct span prompt, struct span prior,
                       struct buf *text, struct buf *lowered)
{
    struct span said = text_strip(value_text(value, text));
    buf_clear(lowered);
    text_lower(said, lowered);
    if (!lowered->len)
        return "absent";
    if (span_has(prompt, buf_span(lowered)))
        return "user";
    return span_has(prior, buf_span(lowered)) ? "derived" : "invented";
}

static const char *origin_of(struct work *w, struct json_value value)
{
    return row_origin(value, buf_span(&w->prompt), buf_span(&w->prior), &w->text, &w->lowered);
}

/* Sorted by name; of names that come twice the last value counts, as in a Python dict. */
static void sort_origins(struct work *w)
{
    size_t kept = 0;
    if (w->n_origins)
        qsort(w->origins, w->n_origins, sizeof *w->origins, compare_origins);
    for (size_t i = 0; i < w->n_origins; i++) {
        if (kept && span_equal(w->origins[kept - 1].key, w->origins[i].key))
            kept--;
        w->origins[kept++] = w->origins[i];
    }
    w->n_origins = kept;
}

static void add_arguments(struct work *w, struct json_value arguments, struct buf *out)
{
    w->n_origins = 0;
    struct json_cursor c = json_enter(arguments);
    struct json_member m;
    if (arguments.type != JSON_VALUE_OBJECT)
        c.at = c.end;
    while (json_next_member(&c, &m)) {
        w->origins = mem_grow(w->origins, &w->cap, w->n_origins + 1, sizeof *w->origins);
        struct origin *origin = &w->origins[w->n_origins];
        origin->key = m.key_escaped ? arena_span(&w->arena, json_key(&m, &w->text)) : m.key;
        origin->index = w->n_origins++;
        origin->from = origin_of(w, m.value);
    }
    sort_origins(w);
    buf_byte(out, '(');
    for (size_t i = 0; i < w->n_origins; i++) {
        buf_text(out, i ? ", (" : "(");
        py_repr(w->origins[i].key, out);
        buf_format(out, ", '%s')", w->origins[i].from);
    }
    buf_text(out, w->n_origins == 1 ? ",)" : ")");
}

static void add_status(struct work *w, struct json_value result, struct buf *out)
{
    struct json_value object, status;
    struct span text = SPAN("");
    if (row_parse_object(&w->arena, result, &object) && json_get(object, SPAN("status"), &status))
        text = value_text(status, &w->text);
    py_repr(text, out);
}

static void add_prior(struct work *w, struct json_value result)
{
    buf_clear(&w->text);
    if (result.text.ptr)
        json_pyjson(result, &w->text);
    else
        buf_text(&w->text, "null");
    text_lower(buf_span(&w->text), &w->prior);
}

static size_t add_steps(struct work *w, struct json_value steps, struct buf *out)
{
    size_t n = 0;
    struct json_cursor c = json_enter(steps);
    struct json_value object;
    while (json_next_item(&c, &object)) {
        struct row_step step;
        row_step_read(object, &step);
        if (!step.tool.text.ptr || !json_truthy(step.tool))
            continue;
        buf_text(out, n++ ? ", (" : "(");
        py_repr(value_text(step.tool, &w->text), out);
        buf_text(out, ", ");
        add_arguments(w, step.arguments, out);
        buf_text(out, ", ");
        add_status(w, step.result, out);
        add_prior(w, step.result);
        buf_byte(out, ')');
    }
    return n;
}

static bool is_refusal(struct span lowered)
{
    return span_has(lowered, SPAN("can't")) || span_has(lowered, SPAN("cannot")) ||
           span_has(lowered, SPAN("unable")) || span_has(lowered, SPAN("won't"));
}

static void payload(struct work *w, const struct row *row, struct buf *out)
{
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *steps = row_get(row, SPAN("steps"));
    const struct json_value *final = row_get(row, SPAN("final_text"));
    if (prompt)
        text_lower(value_text(*prompt, &w->text), &w->prompt);
    buf_text(out, "((");
    size_t n = 0;
    if (steps && steps->type == JSON_VALUE_ARRAY)
        n = add_steps(w, *steps, out);
    buf_text(out, n == 1 ? ",), " : "), ");
    struct span text = final ? value_text(*final, &w->text) : SPAN("");
    size_t length = text_word_count(text) / ROW_LENGTH_WORDS;
    buf_clear(&w->lowered);
    text_lower(text, &w->lowered);
    buf_format(out, "%s, %zu)", is_refusal(buf_span(&w->lowered)) ? "True" : "False",
               length < ROW_LENGTH_CLASSES ? length : ROW_LENGTH_CLASSES);
}

void row_signature_payload(const struct row *row, struct buf *out)
{
    struct work w = {0};
    payload(&w, row, out);
    work_free(&w);
}

void row_signature(const struct row *row, char out[ROW_SIGNATURE_LENGTH + 1])
{
    struct buf text = {0};
    row_signature_payload(row, &text);
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    digest_sha256(buf_span(&text), digest);
    digest_hex(digest, SHA256_BYTES, hex);
    memcpy(out, hex, ROW_SIGNATURE_LENGTH);
    out[ROW_SIGNATURE_LENGTH] = '\0';
    buf_free(&text);
}
