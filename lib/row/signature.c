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
struct row_signer {
    struct arena arena;
    struct buf prompt; /* lower-cased */
    struct buf prior;  /* lower-cased PYJSON of the results so far, as far as anybody asked */
    const struct row_steps *steps;
    size_t n_prior, n_seen; /* steps that are in it; that lie before the call at hand */
    struct buf text, lowered, payload;
    struct origin *origins;
    size_t n_origins, cap;
};

struct row_signer *row_signer_new(void)
{
    return mem_zero(1, sizeof(struct row_signer));
}

static void clear(struct row_signer *w, const struct row_steps *steps)
{
    arena_clear(&w->arena);
    buf_clear(&w->prompt);
    buf_clear(&w->prior);
    w->steps = steps;
    w->n_prior = w->n_seen = 0;
}

void row_signer_free(struct row_signer *w)
{
    if (!w)
        return;
    arena_free(&w->arena);
    struct buf *bufs[] = {&w->prompt, &w->prior, &w->text, &w->lowered, &w->payload};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_free(bufs[i]);
    free(w->origins);
    free(w);
}

static int compare_origins(const void *a, const void *b)
{
    const struct origin *x = a, *y = b;
    int order = span_compare(x->key, y->key);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The text by which an argument is looked for: stripped and lower-cased. */
static struct span sought(struct json_value value, struct buf *text, struct buf *lowered)
{
    struct span said = text_strip(value_text(value, text));
    buf_clear(lowered);
    text_lower(said, lowered);
    return buf_span(lowered);
}

const char *row_origin(struct json_value value, struct span prompt, struct span prior,
                       struct buf *text, struct buf *lowered)
{
    struct span said = sought(value, text, lowered);
    if (!said.len)
        return "absent";
    if (span_has(prompt, said))
        return "user";
    return span_has(prior, said) ? "derived" : "invented";
}

static bool is_call(const struct row_step *step)
{
    return step->tool.text.ptr && json_truthy(step->tool);
}

/* The results of the calls before the one at hand. */
static struct span prior(struct row_signer *w)
{
    for (; w->n_prior < w->n_seen; w->n_prior++) {
        const struct row_step *step = &w->steps->items[w->n_prior];
        if (!is_call(step))
            continue;
        buf_clear(&w->text);
        if (step->result.text.ptr)
            json_pyjson(step->result, &w->text);
        else
            buf_text(&w->text, "null");
        text_lower(buf_span(&w->text), &w->prior);
    }
    return buf_span(&w->prior);
}

static const char *origin_of(struct row_signer *w, struct json_value value)
{
    struct span said = sought(value, &w->text, &w->lowered);
    if (!said.len)
        return "absent";
    if (span_has(buf_span(&w->prompt), said))
        return "user";
    return span_has(prior(w), said) ? "derived" : "invented";
}

/* Sorted by name; of names that come twice the last value counts, as in a Python dict. */
static void sort_origins(struct row_signer *w)
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

static void add_arguments(struct row_signer *w, struct json_value arguments, struct buf *out)
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
        buf_text(out, ", '");
        buf_text(out, w->origins[i].from);
        buf_text(out, "')");
    }
    buf_text(out, w->n_origins == 1 ? ",)" : ")");
}

static void add_status(struct row_signer *w, struct json_value result, struct buf *out)
{
    struct json_value object, status;
    struct span text = SPAN("");
    if (row_parse_object(&w->arena, result, &object) && json_get(object, SPAN("status"), &status))
        text = value_text(status, &w->text);
    py_repr(text, out);
}

static size_t add_steps(struct row_signer *w, struct buf *out)
{
    size_t n = 0;
    for (w->n_seen = 0; w->n_seen < w->steps->count; w->n_seen++) {
        const struct row_step *step = &w->steps->items[w->n_seen];
        if (!is_call(step))
            continue;
        buf_text(out, n++ ? ", (" : "(");
        py_repr(value_text(step->tool, &w->text), out);
        buf_text(out, ", ");
        add_arguments(w, step->arguments, out);
        buf_text(out, ", ");
        add_status(w, step->result, out);
        buf_byte(out, ')');
    }
    return n;
}

static bool is_refusal(struct span lowered)
{
    return span_has(lowered, SPAN("can't")) || span_has(lowered, SPAN("cannot")) ||
           span_has(lowered, SPAN("unable")) || span_has(lowered, SPAN("won't"));
}

static void payload(struct row_signer *w, const struct row *row, struct buf *out)
{
    const struct json_value *prompt = row_get(row, SPAN("prompt"));
    const struct json_value *final = row_get(row, SPAN("final_text"));
    if (prompt)
        text_lower(value_text(*prompt, &w->text), &w->prompt);
    buf_text(out, "((");
    size_t n = add_steps(w, out);
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
    struct row_signer *w = row_signer_new();
    struct row_steps steps = {0};
    row_steps_read(&steps, row);
    clear(w, &steps);
    payload(w, row, out);
    row_steps_free(&steps);
    row_signer_free(w);
}

void row_signature_of(struct row_signer *w, const struct row *row, const struct row_steps *steps,
                      char out[ROW_SIGNATURE_LENGTH + 1])
{
    uint8_t digest[SHA256_BYTES];
    char hex[2 * SHA256_BYTES + 1];
    clear(w, steps);
    buf_clear(&w->payload);
    payload(w, row, &w->payload);
    digest_sha256(buf_span(&w->payload), digest);
    digest_hex(digest, SHA256_BYTES, hex);
    memcpy(out, hex, ROW_SIGNATURE_LENGTH);
    out[ROW_SIGNATURE_LENGTH] = '\0';
}

void row_signature(const struct row *row, char out[ROW_SIGNATURE_LENGTH + 1])
{
    struct row_signer *w = row_signer_new();
    struct row_steps steps = {0};
    row_steps_read(&steps, row);
    row_signature_of(w, row, &steps, out);
    row_steps_free(&steps);
    row_signer_free(w);
}
