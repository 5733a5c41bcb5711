/* simuser_words.c: how the person types: notes for the model that plays the person (world 9.2), and the
 * texture laid over its line afterwards (9.3). */
#include <pthread.h>
#include <string.h>

#include "agent/defaults.h"
#include "agent/simuser.h"
#include "text/fold.h"
#include "text/regex.h"
#include "text/unicode.h"
#include "text/utf8.h"

struct span simuser_tag(const struct agent_task *task, const char *name)
{
    const struct node *tag = node_find(task->dimensions, name);
    if (!node_is(tag, JSON_VALUE_STRING))
        tag = node_find(task->manner, name);
    if (!node_is(tag, JSON_VALUE_STRING))
        tag = node_find(task->plan, name);
    return node_is(tag, JSON_VALUE_STRING) ? tag->text : SPAN("");
}

/* ---- notes ----------------------------------------------------------------------------------- */

struct note {
    const char *tag, *text;
};

static const struct note TEXTURES[] = {
    {"lowercase", "They type everything in small letters."},
    {"no_punctuation", "They leave punctuation out."},
    {"abbreviations", "They shorten words the way people do in chats (pls, thx, u, info)."},
    {"typo", "A word or two of theirs is misspelled."},
    {"clipped", "They write in fragments, as few words as will do."},
    {"run_on", "They let one sentence run into the next."},
    {"standard", "They write correct, complete sentences."},
};

static const struct note TONES[] = {
    {"impatient", "They are in a hurry and let it show."},
    {"frustrated", "They are fed up with this by now."},
    {"chatty", "They like to add a detail of their day."},
    {"polite", "They are courteous."},
    {"curt", "They are brief to the point of rudeness."},
    {"sarcastic", "They are dry and a little mocking."},
};

static bool add_note(const struct note *notes, size_t n, struct span tag, struct buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!span_is(tag, notes[i].tag))
            continue;
        buf_format(out, "%s%s", out->len ? " " : "", notes[i].text);
        return true;
    }
    return false;
}

enum { W_FRUSTRATED, W_HURRIED, W_POLITE, W_COUNT };
static const char *const WORDS[W_COUNT] = {
    "\\b(again|seriously|come on|still not|ridiculous)\\b",
    "\\b(asap|right now|waiting)\\b",
    "\\b(please|thanks)\\b",
};
static struct regex *words[W_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    for (int i = 0; i < W_COUNT; i++)
        words[i] = regex_compile(span_text(WORDS[i]), REGEX_IGNORE_CASE, NULL);
}

static bool has(int pattern, struct span text)
{
    pthread_once(&once, compile);
    return words[pattern] && regex_search(words[pattern], text, 0, NULL, 0) == REGEX_MATCH;
}

static bool is_capital(uint32_t c)
{
    return unicode_upper(c);
}

static bool is_letter(uint32_t c)
{
    return unicode_alpha(c);
}

static void infer_case(struct span need, struct buf *out)
{
    size_t letters = 0, capitals = 0;
    bool first = false;
    for (size_t at = 0; at < need.len;) {
        uint32_t c = utf8_next(need, &at);
        if (!is_letter(c))
            continue;
        first = letters == 0 ? is_capital(c) : first;
        letters++;
        capitals += is_capital(c);
    }
    if (letters && (double)capitals < SIMUSER_CAPITALS * (double)letters)
        buf_text(out, "They write without capital letters.");
    else if (first)
        buf_text(out, "They use capital letters as usual.");
}

static void infer_marks(struct span need, struct buf *out)
{
    need = text_strip(need);
    bool any = false;
    for (size_t i = 0; i < need.len; i++)
        any |= need.ptr[i] == '.' || need.ptr[i] == '!' || need.ptr[i] == '?';
    if (!any)
        buf_text(out, " They end no sentence with a mark.");
    else if (need.len && strchr(".!?", need.ptr[need.len - 1]))
        buf_text(out, " They end sentences with a mark.");
}

static void infer_mood(struct span need, struct buf *out)
{
    if (has(W_FRUSTRATED, need))
        buf_text(out, " They sound annoyed.");
    else if (has(W_HURRIED, need))
        buf_text(out, " They sound pressed for time.");
    else if (utf8_length(need) > SIMUSER_POLITE && has(W_POLITE, need))
        buf_text(out, " They are polite.");
}

void simuser_notes(const struct agent_task *task, struct span need, struct buf *out)
{
    size_t before = out->len;
    add_note(TEXTURES, sizeof TEXTURES / sizeof *TEXTURES, simuser_tag(task, "texture"), out);
    add_note(TONES, sizeof TONES / sizeof *TONES, simuser_tag(task, "tone"), out);
    if (out->len > before)
        return;
    infer_case(need, out);
    infer_marks(need, out);
    infer_mood(need, out);
}

/* ---- texture --------------------------------------------------------------------------------- */

/* A word that is a name of something, not of the language: a digit, or a mark inside. */
static bool is_identifier(struct span word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool inside = i > 0 && i + 1 < word.len;
        if ((c >= '0' && c <= '9') || c == '_' || c == '#' || c == '/' || c == '@' ||
            (inside && (c == '-' || c == '.') && word.ptr[i + 1] != '.'))
            return true;
    }
    return false;
}

static void small_letters(struct span line, struct buf *out)
{
    size_t at = 0, from = 0;
    struct span word;
    while (text_next_word(line, &at, &word)) {
        size_t start = (size_t)(word.ptr - line.ptr);
        buf_span_add(out, span_slice(line, from, start));
        if (is_identifier(word))
            buf_span_add(out, word);
        else
            text_lower(word, out);
        from = start + word.len;
    }
    buf_span_add(out, span_slice(line, from, line.len));
}

static void without_marks(struct span line, struct buf *out)
{
    size_t at = 0, from = 0;
    struct span word;
    while (text_next_word(line, &at, &word)) {
        size_t start = (size_t)(word.ptr - line.ptr);
        buf_span_add(out, span_slice(line, from, start));
        while (word.len && strchr(".!?;:", word.ptr[word.len - 1]))
            word.len--;
        from = start + word.len;
        while (from < line.len && strchr(".!?;:", line.ptr[from]))
            from++;
        if (is_identifier(word)) { /* what stands inside a name stays */
            buf_span_add(out, word);
            continue;
        }
        for (size_t i = 0; i < word.len; i++)
            if (!strchr(".!?;:", word.ptr[i]))
                buf_byte(out, word.ptr[i]);
    }
    buf_span_add(out, span_slice(line, from, line.len));
}

static void capital_first(struct span line, struct buf *out)
{
    size_t at = 0;
    struct span word;
    if (text_next_word(line, &at, &word) && !is_identifier(word) && word.ptr[0] >= 'a' &&
        word.ptr[0] <= 'z') {
        buf_byte(out, (char)(word.ptr[0] - 'a' + 'A'));
        line = span_slice(line, 1, line.len);
    }
    buf_span_add(out, line);
    if (line.len && !strchr(".!?", line.ptr[line.len - 1]))
        buf_byte(out, '.');
}

void simuser_texture(struct span texture, struct buf *line)
{
    struct buf out = {0};
    struct span text = text_strip(buf_span(line));
    if (!text.len)
        return;
    if (span_is(texture, "lowercase"))
        small_letters(text, &out);
    else if (span_is(texture, "no_punctuation"))
        without_marks(text, &out);
    else if (span_is(texture, "standard"))
        capital_first(text, &out);
    else
        return;
    buf_free(line);
    *line = out;
}
