/* text.c: wai-unit's functions of the text room. Doubles go in and out as 16 hexadecimal digits of their
 * bits, so that a comparison does not pass through the code that it checks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/digest.h"
#include "text/finished.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/reasoning.h"
#include "text/term.h"
#include "text/unicode.h"
#include "text/utf8.h"
#include "unit.h"

/* The decoded text under a key; the caller frees. */
static int text_of(struct json_value in, struct buf *out, struct error *error)
{
    return unit_text(in, "in", out, error);
}

static void write_pieces(struct json_writer *out, struct span s,
                         bool (*next)(struct span, size_t *, struct span *))
{
    size_t at = 0;
    struct span piece;
    json_write_array(out);
    while (next(s, &at, &piece))
        json_write_span(out, piece);
    json_write_end_array(out);
}

static void write_reasoning(struct json_writer *out, struct span s)
{
    struct buf scratch = {0};
    struct text_reasoning r = text_split_reasoning(s, &scratch);
    json_write_array(out);
    json_write_span(out, r.spoken);
    json_write_int(out, (int64_t)r.closed);
    json_write_bool(out, r.unclosed);
    json_write_end_array(out);
    buf_free(&scratch);
}

/* {"f": NAME, "in": TEXT}: what Python's str method of that name gives, and the room's own rules. */
static int str(struct json_value in, struct json_writer *out, struct error *error)
{
    enum {
        LOWER,
        CASEFOLD,
        FOLD,
        STRIP,
        RSTRIP,
        SPLIT,
        SPLITLINES,
        LENGTH,
        BLANK,
        VALID,
        FINISHED,
        REASONING,
        TERM,
        TERM_LINES,
        N
    };
    static const char *const NAMES[N] = {
        "lower",  "casefold", "fold",  "strip",    "rstrip",          "split", "splitlines",
        "length", "blank",    "valid", "finished", "split_reasoning", "term",  "term_lines"};
    int which = unit_which(in, NAMES, N, error);
    struct buf text = {0}, made = {0};
    if (which < 0 || text_of(in, &text, error) < 0) {
        buf_free(&text);
        return ERROR_INPUT;
    }
    struct span s = buf_span(&text);
    switch (which) {
    case LOWER: text_lower(s, &made); break;
    case CASEFOLD: text_casefold(s, &made); break;
    case FOLD: text_fold(s, &made); break;
    case STRIP: buf_span_add(&made, text_strip(s)); break;
    case RSTRIP: buf_span_add(&made, text_strip_right(s)); break;
    case SPLIT: write_pieces(out, s, text_next_word); break;
    case SPLITLINES: write_pieces(out, s, text_next_line); break;
    case LENGTH: json_write_int(out, (int64_t)utf8_length(s)); break;
    case BLANK: json_write_bool(out, text_blank(s)); break;
    case VALID: json_write_bool(out, utf8_valid(s)); break;
    case FINISHED: json_write_bool(out, text_finished(s)); break;
    case REASONING: write_reasoning(out, s); break;
    case TERM: term_add(&made, s); break;
    case TERM_LINES: term_add_lines(&made, s); break;
    }
    if (which <= RSTRIP || which >= TERM)
        json_write_span(out, buf_span(&made));
    buf_free(&text);
    buf_free(&made);
    return 0;
}

/* {"in": TEXT, "n": N}: [offset of code point N, first N code points]. */
static int head(struct json_value in, struct json_writer *out, struct error *error)
{
    struct buf text = {0};
    int64_t n;
    if (unit_int(in, "n", &n, error) < 0 || text_of(in, &text, error) < 0)
        return ERROR_INPUT;
    json_write_array(out);
    json_write_int(out, (int64_t)utf8_offset(buf_span(&text), (size_t)n));
    json_write_span(out, utf8_head(buf_span(&text), (size_t)n));
    json_write_end_array(out);
    buf_free(&text);
    return 0;
}

static int read_bits(struct json_value in, double *out, struct error *error)
{
    struct buf text = {0};
    if (unit_text(in, "bits", &text, error) < 0)
        return ERROR_INPUT;
    uint64_t bits = strtoull(buf_cstr(&text), NULL, 16);
    memcpy(out, &bits, sizeof bits);
    buf_free(&text);
    return 0;
}

static void write_bits(struct json_writer *out, double value)
{
    uint64_t bits;
    char text[24];
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "%016" PRIx64, bits);
    json_write_text(out, text);
}

/* {"f": "text", "bits"}, {"f": "round", "bits", "digits"}, {"f": "round_even", "bits"},
 * {"f": "parse", "in"} (null: no number), {"f": "json", "in"}. */
static int number(struct json_value in, struct json_writer *out, struct error *error)
{
    enum { TEXT, ROUND, ROUND_EVEN, PARSE, JSON, N };
    static const char *const NAMES[N] = {"text", "round", "round_even", "parse", "json"};
    int which = unit_which(in, NAMES, N, error);
    double x = 0;
    int64_t digits = 0;
    struct buf text = {0};
    if (which < 0)
        return ERROR_INPUT;
    if (which == ROUND && unit_int(in, "digits", &digits, error) < 0)
        return ERROR_INPUT;
    if (which >= PARSE ? text_of(in, &text, error) < 0 : read_bits(in, &x, error) < 0) {
        buf_free(&text);
        return ERROR_INPUT;
    }
    char made[NUMBER_TEXT_MAX];
    if (which == TEXT)
        json_write_span(out, span_make(made, number_text(x, made)));
    else if (which == ROUND)
        write_bits(out, number_round(x, (int)digits));
    else if (which == ROUND_EVEN)
        write_bits(out, number_round_even(x));
    else if (which == JSON)
        write_bits(out, number_of_json(buf_span(&text)));
    else if (number_parse(buf_span(&text), &x))
        write_bits(out, x);
    else
        json_write_null(out);
    buf_free(&text);
    return 0;
}

/* {"in": TEXT}: [SHA-1, SHA-256, SHA-512] in hexadecimal. */
static int digest(struct json_value in, struct json_writer *out, struct error *error)
{
    struct buf text = {0};
    if (text_of(in, &text, error) < 0)
        return ERROR_INPUT;
    uint8_t bytes[SHA512_BYTES];
    char hex[2 * SHA512_BYTES + 1];
    json_write_array(out);
    digest_sha1(buf_span(&text), bytes);
    digest_hex(bytes, SHA1_BYTES, hex);
    json_write_text(out, hex);
    digest_sha256(buf_span(&text), bytes);
    digest_hex(bytes, SHA256_BYTES, hex);
    json_write_text(out, hex);
    digest_sha512(buf_span(&text), bytes);
    digest_hex(bytes, SHA512_BYTES, hex);
    json_write_text(out, hex);
    json_write_end_array(out);
    buf_free(&text);
    return 0;
}

/* {"from", "to"}: for each code point a text of its classes, one letter each, and its digit's value. */
static int characters(struct json_value in, struct json_writer *out, struct error *error)
{
    static bool (*const CLASSES[])(uint32_t) = {unicode_space, unicode_word,      unicode_alpha,
                                                unicode_digit, unicode_printable, unicode_upper};
    static const char LETTERS[] = "swadpu";
    int64_t from, to;
    if (unit_int(in, "from", &from, error) < 0 || unit_int(in, "to", &to, error) < 0)
        return ERROR_INPUT;
    json_write_array(out);
    for (int64_t c = from; c < to; c++) {
        char text[16];
        size_t n = 0;
        for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
            if (CLASSES[i]((uint32_t)c))
                text[n++] = LETTERS[i];
        int value = unicode_digit_value((uint32_t)c);
        if (value >= 0)
            text[n++] = (char)('0' + value);
        json_write_span(out, span_make(text, n));
    }
    json_write_end_array(out);
    return 0;
}

const struct unit_function UNIT_TEXT[] = {
    {"str", str},
    {"head", head},
    {"number", number},
    {"digest", digest},
    {"characters", characters},
    {0},
};
