/* finished.c: does a reply reach its end (grade 2.8). */
#include "text/finished.h"

#include "text/fold.h"
#include "text/unicode.h"
#include "text/utf8.h"

enum {
    ANSWER_HASHES_MIN = 2, /* "#### 42" as mathematics sets write it */
    ANSWER_HASHES_MAX = 4,
    SIGN_OFF_WORDS = 6, /* longest line that is a sign-off, words */
    NAME_WORDS = 5,     /* longest line that is a name below one, words */
};

static const struct span FENCE = {"```", 3};
static const struct span EM_DASH = {"\xe2\x80\x94", 3};

static uint32_t first_point(struct span s)
{
    size_t at = 0;
    return s.len ? utf8_next(s, &at) : 0;
}

static bool digits(struct span s, size_t *at, bool commas)
{
    size_t from = *at;
    while (*at < s.len) {
        size_t next = *at;
        uint32_t c = utf8_next(s, &next);
        if (!unicode_digit(c) && !(commas && c == ',' && *at > from))
            break;
        *at = next;
    }
    return *at > from;
}

/* ^(#{2,4}\s*)?[-+]?\$?\d[\d,]*(\.\d+)?%?$ */
static bool is_answer_line(struct span s)
{
    size_t at = 0;
    while (at < s.len && s.ptr[at] == '#')
        at++;
    if (at) {
        if (at < ANSWER_HASHES_MIN || at > ANSWER_HASHES_MAX)
            return false;
        struct span rest = text_strip(span_slice(s, at, s.len));
        at = (size_t)(rest.ptr - s.ptr);
    }
    if (at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+'))
        at++;
    if (at < s.len && s.ptr[at] == '$')
        at++;
    if (!digits(s, &at, true))
        return false;
    if (at < s.len && s.ptr[at] == '.') {
        at++;
        if (!digits(s, &at, false))
            return false;
    }
    if (at < s.len && s.ptr[at] == '%')
        at++;
    return at == s.len;
}

static bool starts_fold(struct span s, const char *lower, size_t len)
{
    if (s.len < len)
        return false;
    for (size_t i = 0; i < len; i++) {
        char c = s.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != lower[i])
            return false;
    }
    return true;
}

static bool is_sign_off(struct span line)
{
    static const char *const WORDS[] = {
        "all the best", "best",   "kind regards", "best regards", "warm regards",
        "regards",      "thanks", "thank you",    "many thanks",  "cheers",
        "sincerely",    "warmly", "yours",        "take care",    "talk soon",
    };
    if (span_starts(line, SPAN("--")) || span_starts(line, EM_DASH))
        return true;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t len = strlen(WORDS[i]);
        if (starts_fold(line, WORDS[i], len) &&
            !unicode_word(first_point(span_slice(line, len, line.len))))
            return true;
    }
    return false;
}

static size_t count_fences(struct span s)
{
    size_t n = 0;
    for (size_t at = 0; (at = span_find(s, FENCE, at)) != (size_t)-1; at += FENCE.len)
        n++;
    return n;
}

/* The last two lines that are not blank, stripped. */
static size_t last_lines(struct span s, struct span *last, struct span *before)
{
    size_t n = 0, at = 0;
    struct span line;
    while (text_next_line(s, &at, &line)) {
        line = text_strip(line);
        if (!line.len)
            continue;
        *before = *last;
        *last = line;
        n++;
    }
    return n;
}

bool text_finished(struct span text)
{
    text = text_strip_right(text);
    if (!text.len)
        return false;
    if (strchr(".!?:)\"']}", text.ptr[text.len - 1]) && text.ptr[text.len - 1])
        return true;
    if (span_ends(text, FENCE))
        return count_fences(text) % 2 == 0;
    struct span last = {0}, before = {0};
    size_t lines = last_lines(text, &last, &before);
    if (is_answer_line(last))
        return true;
    size_t words = text_word_count(last);
    if (words <= SIGN_OFF_WORDS && is_sign_off(last))
        return true;
    uint32_t c = first_point(last);
    if (lines < 2 || words > NAME_WORDS || !(unicode_upper(c) || c == '-' || c == 0x2014))
        return false;
    return before.ptr[before.len - 1] == ',' || is_sign_off(before);
}
