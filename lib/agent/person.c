/* person.c: see person.h. The English lists are ours; each stands for a class of world 9.3. */
#include "agent/person.h"

#include <pthread.h>
#include <stdlib.h>

#include "agent/defaults.h"
#include "base/map.h"
#include "model/markup.h"
#include "text/fold.h"
#include "text/reasoning.h"
#include "text/regex.h"
#include "text/unicode.h"
#include "text/utf8.h"

/* ---- patterns -------------------------------------------------------------------------------- */

enum pattern {
    P_LEFT,
    P_PLAN,      /* a plan of turns in JSON */
    P_DIRECTIVE, /* a typing directive that leaked */
    P_HEADING,
    P_CLOSER,
    P_SERVICE,
    P_BLANKS,
    P_CALL,    /* word_word( */
    P_YES_NO,  /* a short answer to a confirmation */
    P_CONFIRM, /* the agent asked for one */
    P_STOCK,
    P_DONE, /* a bare "all went well" */
    P_THANKS,
    P_ASK,  /* something more, behind thanks */
    P_CODE, /* words of code repositories */
    P_IDENTIFIER,
    P_VOICE, /* an assistant's voice, talk about the talk, a bare acknowledgement */
    P_WORD,
    P_COUNT,
};

static const char *const TEXTS[P_COUNT] = {
    [P_LEFT] = "^\\W*leaves\\W*$",
    [P_PLAN] = "\\{[^{}]*\"(turns?|plan|next_turn)\"[^{}]*\\}",
    [P_DIRECTIVE] =
        "[(\\[]?\\b(no punctuation|(all )?lower ?case|with (a )?typos?|in caps)\\b[)\\]]?",
    [P_HEADING] = "^#{1,6}\\s+",
    [P_CLOSER] =
        "\\b(please )?(let me know if (you need|there is|there's) anything else|is there "
        "anything else (i|we) can (help|do)( you)?( with| for you)?|feel free to (reach "
        "out|ask)( if [^.!?]*)?|have a (great|nice|good) (day|one)|happy to help)\\b[^.!?]*"
        "[.!?]*",
    [P_SERVICE] =
        "\\b(how (can|may) i (help|assist) you( today)?|thank you for (contacting|reaching "
        "out to) (us|support)|i('d| would) be happy to (help|assist)( you)?)\\b[.!?,]*",
    [P_BLANKS] = "[ \\t]{2,}",
    [P_CALL] = "\\w_\\w+\\(",
    [P_YES_NO] = "^(yes|yep|yeah|sure|ok|okay|confirmed|do it|go ahead|no)\\b",
    [P_CONFIRM] =
        "yes/no|please confirm|shall i proceed|would you like me to proceed|do you want me "
        "to [^?]*\\?|proceed with [^?]*\\?",
    [P_STOCK] = "^(ok(ay)?|thanks?( you)?( so much| a lot)?|thx|ty|great|perfect|got it|sounds "
                "good|cool|awesome|nice|alright|understood|good|fine|no problem)"
                "([,.! ]+thanks?( you)?( so much| a lot)?)?[.! ]*$",
    [P_DONE] = "\\b(successfully|correctly|all good|no issues?)\\.?$",
    [P_THANKS] = "^(thanks|thank|thx|appreciate|glad)$",
    [P_ASK] = "\\b(but|also|instead|wrong|issue)\\b",
    [P_CODE] = "\\b(repo|repository|pull request|git branch|pr|issue #\\d+)\\b",
    [P_IDENTIFIER] =
        "#\\w|\\w/\\w|\\b(order|ticket|invoice|flight|issue|number|account|booking|sku)[ "
        "-]#?\\d",
    [P_VOICE] =
        "\\b(let me|i('ll|’ll| will)|how (can|may) i)\\b|^(as an (ai|assistant) "
        "(model|language)|your "
        "(request|order|ticket) has been|we('ll| will) (process|get|send)|here is (the|my) (next )?"
        "(line|reply|message)|(this|that) is (a|the) (next )?(line|reply)|i understand[.!]*$|"
        "noted[.!]*$)",
    [P_WORD] = "\\w+",
};

static struct regex *patterns[P_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    for (int i = 0; i < P_COUNT; i++)
        patterns[i] = regex_compile(
            span_text(TEXTS[i]), REGEX_IGNORE_CASE | (i == P_HEADING ? REGEX_MULTILINE : 0), NULL);
}

static bool find(enum pattern p, struct span text, size_t from, struct span *hit)
{
    pthread_once(&once, compile);
    return patterns[p] && regex_search(patterns[p], text, from, hit, 1) == REGEX_MATCH;
}

static bool has(enum pattern p, struct span text)
{
    struct span hit;
    return find(p, text, 0, &hit);
}

static void replace(enum pattern p, struct buf *text, const char *with)
{
    pthread_once(&once, compile);
    if (patterns[p])
        regex_replace(patterns[p], text, with);
}

/* ---- cleaning -------------------------------------------------------------------------------- */

bool person_left(struct span reply)
{
    struct buf scratch = {0};
    bool left = has(P_LEFT, text_split_reasoning(reply, &scratch).spoken);
    buf_free(&scratch);
    return left;
}

static bool is_emoji(uint32_t c)
{
    return (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0x2600 && c <= 0x27BF) ||
           (c >= 0x2B00 && c <= 0x2BFF) || (c >= 0x1FB00 && c <= 0x1FBFF) ||
           (c >= 0xE0020 && c <= 0xE007F) || c == 0xFE0F || c == 0x200D || c == 0x20E3;
}

/* Dashes of print, emojis, bold marks. */
static void plain_characters(struct span s, struct buf *out)
{
    for (size_t at = 0; at < s.len;) {
        size_t from = at;
        uint32_t c = utf8_next(s, &at);
        if (c == 0x2013 || c == 0x2014)
            buf_text(out, ", ");
        else if (c == '*' && at < s.len && s.ptr[at] == '*')
            at++;
        else if (!is_emoji(c))
            buf_span_add(out, span_slice(s, from, at));
    }
}

void person_scrub(struct span line, struct buf *out)
{
    struct buf scratch = {0}, text = {0};
    plain_characters(markup_strip(line, &scratch), &text);
    replace(P_PLAN, &text, "");
    replace(P_DIRECTIVE, &text, "");
    replace(P_HEADING, &text, "");
    replace(P_CLOSER, &text, "");
    replace(P_SERVICE, &text, "");
    replace(P_BLANKS, &text, " ");
    buf_span_add(out, text_strip(buf_span(&text)));
    buf_free(&scratch);
    buf_free(&text);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The distinct words of a text in lower case; with `letters` only those of PERSON_ECHO_LETTERS and more, all
 * letters. */
static void words_of(struct span text, bool letters, struct map *words, size_t *total)
{
    struct buf lower = {0};
    struct span word;
    size_t at = 0;
    text_lower(text, &lower);
    struct span s = buf_span(&lower);
    *total = 0;
    while (at < s.len && find(P_WORD, s, at, &word)) {
        bool letter = utf8_length(word) >= PERSON_ECHO_LETTERS;
        at = (size_t)(word.ptr - s.ptr) + word.len;
        for (size_t i = 0; i < word.len && letters && letter;)
            letter = unicode_alpha(utf8_next(word, &i));
        if (!letters || letter) {
            map_add(words, word, NULL);
            ++*total;
        }
    }
    buf_free(&lower);
}

static size_t shared(const struct map *a, const struct map *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++)
        n += map_find(b, a->keys[i]) != MAP_NONE;
    return n;
}

static bool has_digit(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] >= '0' && text.ptr[i] <= '9')
            return true;
    return false;
}

/* The agent's words said back. */
static bool is_echo(struct span line, struct span agent)
{
    struct map mine = {0}, theirs = {0};
    size_t total;
    words_of(line, true, &mine, &total);
    words_of(agent, true, &theirs, &total);
    bool echo = !has_digit(line) && mine.count >= PERSON_ECHO_WORDS &&
                (double)shared(&mine, &theirs) >= PERSON_ECHO_SHARE * (double)mine.count;
    map_free(&mine);
    map_free(&theirs);
    return echo;
}

/* Thanks, and nothing more. */
static bool is_thanks(struct span line)
{
    struct buf lower = {0};
    struct span word;
    size_t at = 0, total = 0, thanks = 0;
    text_lower(line, &lower);
    while (at < lower.len && find(P_WORD, buf_span(&lower), at, &word)) {
        at = (size_t)(word.ptr - lower.data) + word.len;
        bool letters = true;
        for (size_t i = 0; i < word.len && letters;)
            letters = unicode_alpha(utf8_next(word, &i));
        total += letters;
        thanks += has(P_THANKS, word);
    }
    bool is = thanks && (double)thanks >= PERSON_THANKS_SHARE * (double)total &&
              !has(P_ASK, buf_span(&lower));
    buf_free(&lower);
    return is;
}

static size_t count_quotes(struct span line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.len; i++)
        n += line.ptr[i] == '"';
    return n;
}

bool person_accepts(struct span line, struct span prior, struct span agent)
{
    line = text_strip(line);
    size_t length = utf8_length(line);
    if (length == 0 || length > PERSON_LINE_MOST || span_equal(line, text_strip(prior)) ||
        has(P_CALL, line) || count_quotes(line) >= PERSON_QUOTES)
        return false;
    if (length <= PERSON_ANSWER_MOST && has(P_YES_NO, line) && has(P_CONFIRM, agent))
        return true;
    if (has(P_STOCK, line) || has(P_DONE, line) || is_thanks(line) ||
        (has(P_CODE, line) && !has(P_CODE, prior) && !has(P_CODE, agent)))
        return false;
    if (length >= PERSON_IDENTIFIER_LEAST && has(P_IDENTIFIER, line))
        return true;
    return !is_echo(line, agent) && length >= PERSON_LINE_LEAST && !has(P_VOICE, line);
}

bool person_speaks_as_assistant(struct span line)
{
    return has(P_VOICE, line) || has(P_STOCK, line);
}

bool person_repeats(struct span line, const struct span *earlier, size_t n)
{
    struct map mine = {0};
    size_t total;
    bool repeats = false;
    words_of(line, false, &mine, &total);
    for (size_t i = 0; i < n && !repeats && mine.count >= PERSON_REPEAT_WORDS; i++) {
        struct map theirs = {0};
        words_of(earlier[i], false, &theirs, &total);
        size_t smaller = mine.count < theirs.count ? mine.count : theirs.count;
        repeats = theirs.count >= PERSON_REPEAT_WORDS &&
                  (double)shared(&mine, &theirs) >= PERSON_REPEAT_SHARE * (double)smaller;
        map_free(&theirs);
    }
    map_free(&mine);
    return repeats;
}
