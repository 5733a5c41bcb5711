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

/* How the opening line is typed. */
struct typing {
    bool small, capital; /* without capitals; the first letter is one */
    bool marks, closed;  /* some sentence has an end mark; the last one has */
};

static struct typing typing_of(struct span need)
{
    struct typing t = {0};
    size_t letters = 0, capitals = 0;
    need = text_strip(need);
    for (size_t at = 0; at < need.len;) {
        uint32_t c = utf8_next(need, &at);
        t.marks |= c == '.' || c == '!' || c == '?';
        if (!unicode_alpha(c))
            continue;
        t.capital = letters == 0 ? unicode_upper(c) : t.capital;
        letters++;
        capitals += unicode_upper(c);
    }
    t.small = (double)capitals < SIMUSER_CAPITALS * (double)(letters ? letters : 1);
    t.closed = t.marks && need.len && strchr(".!?", need.ptr[need.len - 1]);
    return t;
}

static void infer_typing(struct span need, struct buf *out)
{
    struct typing t = typing_of(need);
    if (t.small)
        buf_text(out, "They write without capital letters.");
    else if (t.capital)
        buf_text(out, "They use capital letters as usual.");
    if (!t.marks)
        buf_text(out, " They end no sentence with a mark.");
    else if (t.closed)
        buf_text(out, " They end sentences with a mark.");
}

struct span simuser_typing(const struct agent_task *task, struct span need)
{
    struct span texture = simuser_tag(task, "texture");
    if (texture.len || simuser_tag(task, "tone").len)
        return texture;
    struct typing t = typing_of(need);
    if (!t.marks)
        return SPAN("no_punctuation");
    if (t.small)
        return SPAN("lowercase");
    return t.capital && t.closed ? SPAN("standard") : SPAN("");
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
    infer_typing(need, out);
    infer_mood(need, out);
}

/* ---- texture --------------------------------------------------------------------------------- */

/* A name of something, not a word of the language: it holds a digit. */
static bool is_identifier(struct span word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] >= '0' && word.ptr[i] <= '9')
            return true;
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

static bool is_mark(char c)
{
    return c == '.' || c == '!' || c == '?' || c == ';' || c == ':';
}

static void without_marks(struct span line, struct buf *out)
{
    for (size_t i = 0; i < line.len; i++)
        if (!is_mark(line.ptr[i]))
            buf_byte(out, line.ptr[i]);
}

/* A capital at the start of each sentence, and a mark at the end of the last. */
static void full_sentences(struct span line, struct buf *out)
{
    size_t at = 0, from = 0;
    struct span word;
    bool begins = true;
    while (text_next_word(line, &at, &word)) {
        size_t start = (size_t)(word.ptr - line.ptr);
        char first = word.ptr[0], last = word.ptr[word.len - 1];
        buf_span_add(out, span_slice(line, from, start));
        from = start;
        if (begins && !is_identifier(word) && first >= 'a' && first <= 'z') {
            buf_byte(out, (char)(first - 'a' + 'A'));
            from++;
        }
        begins = last == '.' || last == '!' || last == '?';
    }
    buf_span_add(out, span_slice(line, from, line.len));
    char last = out->data[out->len - 1];
    if ((unsigned char)last >= 0x80 || (last >= '0' && last <= '9') ||
        (last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z'))
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
        full_sentences(text, &out);
    else
        return;
    buf_free(line);
    *line = out;
}
