/* mutate.c: see mutate.h. */
#include "scene/mutate.h"

#include <stdlib.h>

#include "scene/defaults.h"
#include "text/fold.h"
#include "text/utf8.h"
#include "json/write.h"

enum { SENTENCES_MAX = 64, WORDS_MAX = 512, LEADS = 4 };

struct pieces {
    struct span items[WORDS_MAX];
    size_t count;
};

struct making {
    const struct mutation_wish *wish;
    struct pieces sentences, words;
    struct buf *out;
};

/* ---- taking a text apart --------------------------------------------------------------------- */

/* Sentences end at a mark and a space, or at the end of a line. */
static void cut_sentences(struct span text, struct pieces *p)
{
    size_t start = 0;
    for (size_t i = 0; i < text.len && p->count + 1 < SENTENCES_MAX; i++) {
        char c = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : ' ';
        bool mark = (c == '.' || c == '!' || c == '?') && (next == ' ' || next == '\n');
        if (!mark && c != '\n')
            continue;
        struct span s = text_strip(span_make(text.ptr + start, i + 1 - start));
        if (s.len)
            p->items[p->count++] = s;
        start = i + 1;
    }
    struct span s = text_strip(span_make(text.ptr + start, text.len - start));
    if (s.len)
        p->items[p->count++] = s;
}

static void cut_words(struct span text, struct pieces *p)
{
    struct span word;
    for (size_t at = 0; p->count < WORDS_MAX && text_next_word(text, &at, &word);)
        p->items[p->count++] = word;
}

/* The first sentence that says something: a greeting has fewer words. */
static size_t telling(const struct pieces *sentences)
{
    for (size_t i = 0; i < sentences->count; i++)
        if (text_word_count(sentences->items[i]) >= SCENE_MUTATION_WORDS)
            return i;
    return sentences->count;
}

static bool has_digit(struct span word)
{
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] >= '0' && word.ptr[i] <= '9')
            return true;
    return false;
}

/* ---- putting it together --------------------------------------------------------------------- */

static void add(struct buf *out, struct span piece)
{
    if (out->len)
        buf_byte(out, ' ');
    buf_span_add(out, piece);
}

static void add_lead(const struct making *m, const char *const leads[LEADS])
{
    add(m->out, span_text(leads[m->wish->draw % LEADS]));
}

static bool truncate_text(const struct making *m)
{
    size_t first = telling(&m->sentences);
    if (first == m->sentences.count || m->sentences.count < 2)
        return false;
    add(m->out, m->sentences.items[first]);
    return m->out->len * 2 <= m->wish->text.len; /* what is gone is missed */
}

static bool strip_specifics(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "I do not have the numbers with me, so bear with me.",
        "Please look it up yourself, the papers are at home.",
        "Sorry, no reference at hand, you will know which one I mean.",
        "The details are on a note that I lost, but here goes."};
    bool any = false;
    add_lead(m, leads);
    for (size_t i = 0; i < m->words.count; i++) {
        bool specific = has_digit(m->words.items[i]);
        add(m->out, specific ? SPAN("that one") : m->words.items[i]);
        any = any || specific;
    }
    return any;
}

static bool crossover(const struct making *m)
{
    struct pieces *other = mem_zero(1, sizeof *other);
    cut_words(m->wish->other, other);
    bool fine = other->count >= SCENE_MUTATION_WORDS && m->words.count >= SCENE_MUTATION_WORDS;
    for (size_t i = 0; i < (m->words.count + 1) / 2 && fine; i++)
        add(m->out, m->words.items[i]);
    for (size_t i = other->count / 2; i < other->count && fine; i++)
        add(m->out, other->items[i]);
    free(other);
    return fine;
}

static bool duplicate(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "Since nobody seems to read past line one, here it comes a second time:",
        "Let me repeat what matters to me most, in case your form swallowed half:",
        "Saying this twice because my last note came back empty:",
        "Again, word by word, so that it cannot get overlooked:"};
    size_t first = telling(&m->sentences);
    if (first == m->sentences.count)
        return false;
    add(m->out, m->sentences.items[first]);
    add_lead(m, leads);
    add(m->out, m->sentences.items[first]);
    for (size_t i = 0; i < m->sentences.count; i++)
        if (i != first)
            add(m->out, m->sentences.items[i]);
    return true;
}

static bool contradict(const struct making *m)
{
    static const char *const tails[LEADS] = {
        "Actually no, drop that, leave everything as it stands. Although, go on and do it anyway.",
        "Wait, I changed my mind, nothing shall happen here. But do take care of it before "
        "tonight.",
        "On second thought forget what I wrote. Still, I want the result on my desk.",
        "Never mind, strike my wish. Then again, yes, carry on exactly like I said above."};
    buf_span_add(m->out, text_strip(m->wish->text));
    add_lead(m, tails);
    return true;
}

static bool reverse(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "I will begin at the end and work my way back to how it all started.",
        "Last things first, because my thoughts run backwards today.",
        "Bear with my odd way of telling things, top goes bottom here.",
        "Read this from below if that makes more sense for your side."};
    if (m->sentences.count < 2)
        return false;
    add_lead(m, leads);
    for (size_t i = m->sentences.count; i-- > 0;)
        add(m->out, m->sentences.items[i]);
    return true;
}

static bool list(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "Point by point, so nothing slips through the cracks:",
        "My husband says lists get better answers, so here goes one:",
        "Numbered for your convenience, tick them off as you go:",
        "Copied straight out of my notebook, each line matters:"};
    if (m->sentences.count < 2)
        return false;
    add_lead(m, leads);
    for (size_t i = 0; i < m->sentences.count; i++) {
        buf_format(m->out, "\n%zu. ", i + 1);
        buf_span_add(m->out, m->sentences.items[i]);
    }
    return true;
}

/* Lower case and no marks; a word with a digit stays as it is. */
static bool bare(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "typing this with one hand while the baby sleeps on the other arm",
        "no shift key on this old phone so sorry about how it looks",
        "dictated from the car and my machine drops every mark",
        "excuse my writing i am on a bumpy train right now"};
    add_lead(m, leads);
    for (size_t i = 0; i < m->words.count; i++) {
        struct span word = m->words.items[i];
        struct buf lower = {0};
        size_t start = m->out->len + 1;
        if (has_digit(word))
            buf_span_add(&lower, word);
        else
            text_lower(word, &lower);
        while (lower.len && memchr(".,!?:;", lower.data[lower.len - 1], 6))
            lower.len--;
        if (lower.len)
            add(m->out, buf_span(&lower));
        for (size_t j = start, to = start; j <= m->out->len; j++) {
            if (j == m->out->len)
                m->out->len = to;
            else if (m->out->data[j] != '\'' && m->out->data[j] != '"')
                m->out->data[to++] = m->out->data[j];
        }
        buf_free(&lower);
    }
    return true;
}

/* One in four words is gone, an early one among them. */
static bool delete_words(const struct making *m)
{
    size_t gone = 1 + m->wish->draw % 2, kept = 0;
    for (size_t i = 0; i < m->words.count; i++)
        if (i % 4 != gone || has_digit(m->words.items[i])) {
            add(m->out, m->words.items[i]);
            kept++;
        }
    return kept < m->words.count;
}

static bool swap_words(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "My translation program shuffles things, hope this still reads.",
        "English came late into my life, please forgive how I put words.",
        "Autocorrect keeps moving pieces around, here is what survived.",
        "Long night behind me, so grammar suffers."};
    size_t n = m->words.count;
    if (n < SCENE_MUTATION_WORDS)
        return false;
    add_lead(m, leads);
    size_t i = 0;
    for (; i + 1 < n; i += 3) {
        add(m->out, m->words.items[i + 1]);
        add(m->out, m->words.items[i]);
        if (i + 2 < n)
            add(m->out, m->words.items[i + 2]);
    }
    if (i < n)
        add(m->out, m->words.items[i]);
    return true;
}

/* Two inner letters of every longer word of plain letters change places. */
static bool transpose(const struct making *m)
{
    static const char *const leads[LEADS] = {
        "Fast fingers, no time to reread:", "Cracked screen here, sorry:", "Tiny keys, big thumbs:",
        "Gloves on, excuse this:"};
    bool any = false;
    add_lead(m, leads);
    for (size_t i = 0; i < m->words.count; i++) {
        struct span word = m->words.items[i];
        add(m->out, word);
        bool plain = word.len >= SCENE_TYPO_LETTERS;
        for (size_t j = 0; j < 4 && plain; j++)
            plain = word.ptr[j] >= 'a' && word.ptr[j] <= 'z';
        if (!plain || word.ptr[1] == word.ptr[2] || has_digit(word))
            continue;
        char *at = m->out->data + m->out->len - word.len;
        char swap = at[1];
        at[1] = at[2];
        at[2] = swap;
        any = true;
    }
    return any;
}

static bool quote(const struct making *m)
{
    static const char *const heads[LEADS] = {
        "Forwarding what my colleague sent to me this morning, please act on it:",
        "My mother asked me to pass her words along, she does not write mails:",
        "This came in through our letterbox and belongs on your desk:",
        "See below for what my neighbour wants, I am only the messenger:"};
    add_lead(m, heads);
    buf_text(m->out, "\n> ");
    for (size_t i = 0; i < m->sentences.count; i++) {
        if (i)
            buf_text(m->out, "\n> ");
        buf_span_add(m->out, m->sentences.items[i]);
    }
    return m->sentences.count > 0;
}

static bool payload(const struct making *m)
{
    static const char *const heads[LEADS] = {
        "Our contact form exports entries like so, treat yours accordingly:",
        "Pasted from the integration log, nobody here could parse it:",
        "An automatic relay on our side delivers wishes in this shape:",
        "Straight out of the ticket queue of my company:"};
    struct buf joined = {0};
    add_lead(m, heads);
    for (size_t i = 0; i < m->words.count; i++)
        add(&joined, m->words.items[i]);
    buf_text(m->out, "\n{\"from\": \"web form\", \"request\": ");
    json_quote(m->out, buf_span(&joined));
    buf_text(m->out, ", \"reply_to\": \"same address\"}");
    buf_free(&joined);
    return m->words.count > 0;
}

static bool correct(const struct making *m)
{
    static const char *const turns[LEADS] = {
        "Correction: not quite, I mixed something up just now. Check every detail before you "
        "begin.",
        "Hold on, half of what I wrote above was wrong. Tell me first what you found.",
        "Sorry, that was meant differently. Look at it once more and show me both versions.",
        "One thing I got wrong there. Do the careful half only and leave everything else alone."};
    buf_span_add(m->out, text_strip(m->wish->text));
    buf_text(m->out, m->wish->turns ? USER_TURN_MARK : "\n\n");
    buf_text(m->out, turns[m->wish->draw % LEADS]);
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*make)(const struct making *m);
    bool other_sense; /* it asks for something else */
} CHANGES[MUTATION_COUNT] = {
    [MUTATE_TRUNCATE] = {"truncate", truncate_text, true},
    [MUTATE_STRIP] = {"strip_specifics", strip_specifics, true},
    [MUTATE_CROSSOVER] = {"crossover", crossover, true},
    [MUTATE_DUPLICATE] = {"duplicate", duplicate, false},
    [MUTATE_CONTRADICT] = {"contradict", contradict, true},
    [MUTATE_REVERSE] = {"reverse_sentences", reverse, false},
    [MUTATE_LIST] = {"list_structure", list, false},
    [MUTATE_BARE] = {"punctuation_free", bare, false},
    [MUTATE_DELETE] = {"token_delete", delete_words, false},
    [MUTATE_SWAP] = {"token_swap", swap_words, false},
    [MUTATE_TYPO] = {"typo_transpose", transpose, false},
    [MUTATE_QUOTE] = {"quote_payload", quote, false},
    [MUTATE_PAYLOAD] = {"structured_payload", payload, false},
    [MUTATE_CORRECT] = {"follow_up_correction", correct, true},
};

const char *mutation_name(enum mutation m)
{
    return CHANGES[m].name;
}

/* Are enough words new, or where another one stood? */
static bool moved(const struct pieces *before, struct span after)
{
    struct span word;
    size_t n = 0, other = 0;
    for (size_t at = 0; text_next_word(after, &at, &word); n++)
        other += n >= before->count || !span_equal(before->items[n], word);
    return (double)other >= SCENE_MUTATION_MOVED * (double)n;
}

bool mutate(const struct mutation_wish *wish, struct buf *out)
{
    struct making *m = mem_zero(1, sizeof *m);
    m->wish = wish;
    m->out = out;
    buf_clear(out);
    cut_sentences(wish->text, &m->sentences);
    cut_words(wish->text, &m->words);
    bool fine = m->words.count > 0 && CHANGES[wish->change].make(m) &&
                utf8_length(buf_span(out)) >= SCENE_MUTATION_MIN &&
                text_word_count(buf_span(out)) >= SCENE_MUTATION_WORDS &&
                (CHANGES[wish->change].other_sense || moved(&m->words, buf_span(out)));
    free(m);
    return fine;
}
