/* scan_blocks.h: a fast path of the scanner, for a file that has defined, for its processor,
 *
 *     TARGET            the function attribute that allows the instructions
 *     struct utf8       what is remembered of earlier blocks to check UTF-8; zero at first
 *     struct classes    bitmaps of a block: quote, backslash, control, space, bracket (and : ,)
 *     classify()        one 64-byte block as bitmaps; checks its UTF-8 as well
 *     utf8_good()       whether all blocks were UTF-8, the last one having been ASCII
 *     prefix_xor()      bit i of the result: the exclusive or of bits 0..i
 *     lowest()          number of the lowest bit that is set
 *     put_places()      writes base + the number of each set bit, and up to SPILL numbers more
 *                       that mean nothing; returns how many bits are set
 *
 * First, blocks become bitmaps: which quotes are not escaped, what lies inside strings, where
 * tokens begin (a bracket, comma, colon, an opening quote, the first byte of a number or word). The
 * places of the tokens go to a list, a window of some blocks at a time. Then the grammar is checked
 * on the tokens alone; strings need no second look, numbers and words are read at their places.
 *
 * The bitmaps: Langdale & Lemire 2019, "Parsing Gigabytes of JSON per Second", VLDB Journal 28.
 * UTF-8: Keiser & Lemire 2021, "Validating UTF-8 In Less Than One Instruction Per Byte", SPE 51. */
#include "json/scan_path.h"

#include <string.h>

enum {
    WINDOW_BLOCKS = 64,             /* blocks a window: its tokens fit the level 1 cache */
    WINDOW = BLOCK * WINDOW_BLOCKS, /* bytes */
    AHEAD = 6,                      /* tokens that are looked at before the window is moved on */
};

struct blocks {
    const char *text;
    size_t len;
    size_t at; /* first byte that is not in the window or before it */
    /* carried from block to block */
    uint64_t in_string;    /* all ones when the last byte lies in a string */
    uint64_t next_escaped; /* 1 when the next byte is escaped */
    uint64_t last_scalar;  /* 1 when the last byte belongs to a number or word */
    struct utf8 utf8;
    bool bad; /* a control character in a string, an escape that is none */
    /* the window */
    size_t window_at; /* its first byte */
    uint64_t backslashes[WINDOW_BLOCKS];
    uint32_t tokens[WINDOW + AHEAD + SPILL];
    size_t token, n_tokens;
    /* open arrays and objects */
    int depth;
    uint64_t stack[SCAN_STACK_WORDS];
};

/* ---- blocks to tokens ------------------------------------------------------------------------ */

/* Bytes that a backslash escapes; a run of backslashes escapes every second one. */
TARGET static inline uint64_t escaped_bytes(struct blocks *b, uint64_t backslash)
{
    const uint64_t odd = 0xAAAAAAAAAAAAAAAA, first = b->next_escaped;
    if (!backslash) {
        b->next_escaped = 0;
        return first;
    }
    uint64_t starts = backslash & ~first;
    /* The subtraction carries through each run; what comes out tells runs that start at odd places.
     */
    uint64_t codes = (((starts << 1) | odd) - starts) ^ odd;
    b->next_escaped = (codes & backslash) >> 63;
    return codes ^ (backslash | first);
}

static inline bool good_escape(const char *text, size_t len, size_t at)
{
    static const uint8_t simple[256] = {
        ['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1, ['f'] = 1, ['n'] = 1, ['r'] = 1, ['t'] = 1,
    };
    static const uint8_t hex[256] = {
        ['0' ... '9'] = 1,
        ['a' ... 'f'] = 1,
        ['A' ... 'F'] = 1,
    };
    if (at >= len)
        return false;
    const unsigned char *p = (const unsigned char *)text + at;
    if (simple[*p])
        return true;
    return *p == 'u' && len - at > 4 && (hex[p[1]] & hex[p[2]] & hex[p[3]] & hex[p[4]]);
}

TARGET static inline void check_escapes(struct blocks *b, uint64_t escaped)
{
    for (; escaped; escaped &= escaped - 1)
        if (!good_escape(b->text, b->len, b->at + lowest(escaped)))
            b->bad = true;
}

TARGET static inline void add_block(struct blocks *b, const char *bytes)
{
    struct classes c = classify(bytes, &b->utf8);
    uint64_t escaped = escaped_bytes(b, c.backslash);
    if (escaped)
        check_escapes(b, escaped);
    uint64_t quote = c.quote & ~escaped;
    uint64_t inside = prefix_xor(quote) ^ b->in_string; /* opening quotes in, closing ones out */
    b->in_string = (uint64_t)((int64_t)inside >> 63);
    b->bad |= (c.control & inside) != 0;
    uint64_t scalar = ~(c.bracket | c.space | quote);
    uint64_t starts = ~c.space & ~(scalar & (scalar << 1 | b->last_scalar));
    b->last_scalar = scalar >> 63;
    b->backslashes[(b->at - b->window_at) / BLOCK] = c.backslash;
    /* Out falls what lies in strings, and their closing quotes. */
    b->n_tokens += put_places(b->tokens + b->n_tokens, (uint32_t)b->at, starts & ~(inside ^ quote));
    b->at += BLOCK;
}

/* Moves the window on: the tokens that were not taken yet come first. */
TARGET __attribute__((noinline)) static void refill(struct blocks *b)
{
    size_t left = b->n_tokens - b->token;
    memmove(b->tokens, b->tokens + b->token, left * sizeof *b->tokens);
    b->token = 0;
    b->n_tokens = left;
    while (b->at <= b->len && b->n_tokens < AHEAD) {
        b->window_at = b->at;
        for (int i = 0; i < WINDOW_BLOCKS && b->at + BLOCK <= b->len; i++)
            add_block(b, b->text + b->at);
        if (b->at + BLOCK > b->len && b->at - b->window_at < WINDOW) {
            char last[BLOCK]; /* what is left, at least one space behind it */
            memset(last, ' ', sizeof last);
            memcpy(last, b->text + b->at, b->len - b->at);
            add_block(b, last);
        }
    }
}

/* ---- tokens to grammar ----------------------------------------------------------------------- */

TARGET static inline void look_ahead(struct blocks *b)
{
    if (__builtin_expect(b->n_tokens - b->token < AHEAD, 0) && b->at <= b->len)
        refill(b);
}

/* The first byte of the token `ahead` tokens on; 0 behind the last one. */
TARGET static inline char token_byte(const struct blocks *b, size_t ahead)
{
    size_t i = b->token + ahead;
    return i < b->n_tokens ? b->text[b->tokens[i]] : '\0';
}

static inline bool ends_scalar(const char *p, const char *end)
{
    static const uint8_t table[256] = {
        [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, [','] = 1, [']'] = 1, ['}'] = 1,
    };
    return p == end || table[(unsigned char)*p];
}

/* The end of the number or word at the next token, NULL when it is none. */
static inline const char *read_scalar(const struct blocks *b, uint8_t *flags)
{
    const char *start = b->text + b->tokens[b->token], *end = b->text + b->len, *p = start;
    if (*p == '-' || (*p >= '0' && *p <= '9')) { /* the usual numbers */
        p += *p == '-';
        const char *digits = p;
        while (p < end && *p >= '0' && *p <= '9')
            p++;
        *flags = JSON_FLAG_INTEGER;
        if (p > digits && (*digits != '0' || p - digits == 1) && ends_scalar(p, end))
            return p;
    }
    struct json_fault fault;
    p = scan_scalar(start, end, flags, &fault);
    return p && ends_scalar(p, end) ? p : NULL;
}

TARGET static inline bool stack_push(struct blocks *b, bool object)
{
    int level = b->depth;
    if (level == JSON_DEPTH_MAX)
        return false;
    uint64_t bit = (uint64_t)1 << (level % 64), *word = &b->stack[level / 64];
    *word = (*word & ~bit) | (object ? bit : 0);
    b->depth = level + 1;
    return true;
}

TARGET static inline bool in_object(const struct blocks *b)
{
    int level = b->depth - 1;
    return b->stack[level / 64] >> (level % 64) & 1;
}

/* The array or object at the next token, whatever is in it; moves behind its closing bracket. */
TARGET static bool skip_container(struct blocks *b)
{
    const int outside = b->depth;
    uint8_t flags;
    char c = token_byte(b, 0);
open:
    if (!stack_push(b, c == '{'))
        return false;
    b->token++;
    look_ahead(b);
    if (c == '{') {
        if (token_byte(b, 0) == '}')
            goto close;
        goto member;
    }
    if (token_byte(b, 0) == ']')
        goto close;
    goto value;
member:
    if (token_byte(b, 0) != '"' || token_byte(b, 1) != ':')
        return false;
    b->token += 2;
value:
    c = token_byte(b, 0);
    if (c == '{' || c == '[')
        goto open;
    if (c != '"' && (b->token == b->n_tokens || !read_scalar(b, &flags)))
        return false;
    b->token++;
after:
    look_ahead(b);
    c = token_byte(b, 0);
    if (in_object(b)) {
        if (c == ',') {
            b->token++;
            goto member;
        }
        if (c != '}')
            return false;
    } else {
        if (c == ',') {
            b->token++;
            goto value;
        }
        if (c != ']')
            return false;
    }
close:
    b->token++;
    if (--b->depth > outside)
        goto after;
    return true;
}

/* Whether a backslash stands in from..to (places in the text, `to` at most the window's end). */
TARGET static inline bool has_backslash(const struct blocks *b, size_t from, size_t to)
{
    if (from >= to)
        return false;
    if (from < b->window_at)
        return memchr(b->text + from, '\\', to - from) != NULL;
    size_t first = (from - b->window_at) / BLOCK, last = (to - 1 - b->window_at) / BLOCK;
    uint64_t bits = b->backslashes[first] >> (from % BLOCK) << (from % BLOCK);
    for (; first < last; bits = b->backslashes[++first])
        if (bits)
            return true;
    return bits << (BLOCK - 1 - (to - 1) % BLOCK) != 0;
}

/* The value at the next token, whose kind its first byte c tells. */
TARGET static inline bool read_value(struct blocks *b, char c, struct json_value *value)
{
    if (b->token == b->n_tokens)
        return false;
    const char *start = b->text + b->tokens[b->token], *end;
    value->flags = 0;
    value->type = scan_type(c);
    if (c == '"') {
        b->token++;
        /* The string ends where white space before the next token begins. */
        const size_t from = (size_t)(start - b->text) + 1;
        size_t to = b->token < b->n_tokens ? b->tokens[b->token] : b->len;
        while (to > from && scan_space(b->text[to - 1]))
            to--;
        end = b->text + to;
        value->flags = has_backslash(b, from, to) ? JSON_FLAG_ESCAPED : 0;
    } else if (c == '{' || c == '[') {
        if (!skip_container(b))
            return false;
        end = b->text + b->tokens[b->token - 1] + 1;
    } else {
        end = read_scalar(b, &value->flags);
        if (!end)
            return false;
        b->token++;
    }
    value->text = span_make(start, (size_t)(end - start));
    return true;
}

/* The object at the next token, its members noted. */
TARGET static inline bool read_members(struct blocks *b, struct json_members *members)
{
    if (!stack_push(b, true))
        return false;
    b->token++;
    bool more = token_byte(b, 0) != '}';
    while (more) {
        if (token_byte(b, 0) != '"' || token_byte(b, 1) != ':')
            return false;
        const size_t from = b->tokens[b->token] + 1;
        size_t to = b->tokens[b->token + 1];
        while (scan_space(b->text[to - 1]))
            to--;
        to--; /* the closing quote */
        b->token += 2;
        struct json_member *member = scan_member_add(members);
        member->key = span_make(b->text + from, to - from);
        member->key_escaped = has_backslash(b, from, to);
        if (!read_value(b, token_byte(b, 0), &member->value))
            return false;
        look_ahead(b);
        more = token_byte(b, 0) == ',';
        b->token += more;
    }
    b->depth--;
    return token_byte(b, 0) == '}';
}

TARGET static bool scan_blocks(struct span text, struct json_value *value,
                               struct json_members *members)
{
    struct blocks b;
    if (text.len > UINT32_MAX - WINDOW) /* a token's place has 32 bits */
        return false;
    b.text = text.ptr;
    b.len = text.len;
    b.at = b.token = b.n_tokens = 0;
    b.in_string = b.next_escaped = b.last_scalar = 0;
    b.utf8 = (struct utf8){0};
    b.bad = false;
    b.depth = 0;
    refill(&b);
    if (members)
        members->count = 0;
    if (members && token_byte(&b, 0) == '{') {
        const char *start = text.ptr + b.tokens[b.token];
        if (!read_members(&b, members))
            return false;
        const char *end = text.ptr + b.tokens[b.token++] + 1;
        *value = (struct json_value){span_make(start, (size_t)(end - start)), JSON_VALUE_OBJECT, 0};
    } else if (!read_value(&b, token_byte(&b, 0), value)) {
        return false;
    }
    look_ahead(&b);
    return b.token == b.n_tokens && b.at > b.len && !b.in_string && !b.bad && utf8_good(&b.utf8);
}
