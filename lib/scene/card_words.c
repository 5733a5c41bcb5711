/* card_words.c: see card_words.h. They tell a model who speaks; none of them is meant to be said. */
#include "scene/card_words.h"

#include <pthread.h>
#include <stddef.h>

#include "text/regex.h"

struct entry {
    const char *value, *text;
};

static const struct entry STANCE[] = {
    {"ambiguous", "A detail that would be needed is missing, or the ask can be read two ways."},
    {"boundary", "They are on the edge of what the rules allow, and half know it."},
    {"adversarial", "They ask for something they should not get: with a pretext, a claimed "
                    "authority, pressure, or by telling the assistant to forget its rules."},
    {"hurried", "They press for speed."},
    {"unsure", "They do not quite know what they want or what is possible."},
    {"retry", "They come back after they were turned down or it went wrong."},
    {"mistaken", "They hold a fact that is wrong, and say it as if it were certain."},
    {"exploratory", "They are only looking around; nothing is decided."},
    {"conflicting", "They want two things that rule each other out."},
    {NULL, NULL},
};

static const struct entry WORLD[] = {
    {"entity exists", "What they speak of is on file, and they have no reason to doubt it."},
    {"entity missing", "What they speak of is not on file; they do not know that."},
    {"entity already acted on", "It has been done before; they do not know, or only suspect it."},
    {"duplicate entity", "There are two that look alike; they may not be aware of the second."},
    {"partially completed", "It was begun and is half done."},
    {NULL, NULL},
};

static const struct entry HISTORY[] = {
    {"prior_failure", "An earlier try of theirs failed, and they bring it up."},
    {"prior_partial_action", "An earlier talk got half-way, and they bring it up."},
    {"contradicts_earlier", "They take back something they said before."},
    {"repeat visit", "They have been here with the same thing before, and it shows."},
    {NULL, NULL},
};

static const struct entry CONDITION[] = {
    {"timeout", "Things have been slow on this service lately, and they mention it."},
    {"malformed_result", "Something showed up garbled for them, and they mention it."},
    {"stale_result", "What they see seems out of date, and they mention it."},
    {"permission_denied", "They were refused access somewhere, and they mention it."},
    {NULL, NULL},
};

static const struct entry LACK[] = {
    {"no_name", "They do not remember what it is called exactly."},
    {"no_number", "They have no reference number at hand and give none."},
    {"neither", "They have neither its name nor its number at hand, and describe it instead."},
    {NULL, NULL},
};

static const struct entry ASK[] = {
    {"compound", "They put a second, smaller wish into the same message."},
    {"question", "They put it as a question."},
    {NULL, NULL},
};

static const struct entry PRESSURE[] = {
    {"deadline", "Something hangs on it: a deadline, a trip, somebody waiting."},
    {NULL, NULL},
};

static const struct entry USER[] = {
    {"newcomer", "They have never used a service like this."},
    {"regular", "They deal with this service all the time."},
    {"helper", "They write on behalf of somebody else."},
    {"expert", "They know the trade and use its terms."},
    {NULL, NULL},
};

static const struct entry TONE[] = {
    {"impatient", "They are impatient, and it can be heard."},
    {"frustrated", "They are fed up, and it can be heard."},
    {"chatty", "They tell a little more of their day than is needed."},
    {"polite", "They are courteous."},
    {"curt", "They are curt: no greeting, no please, no thanks."},
    {"sarcastic", "They are dry and a little mocking."},
    {NULL, NULL},
};

static const struct entry LENGTH[] = {
    {"short", "Keep it between 4 and 14 words."},
    {"medium", "Two to four sentences."},
    {"long", "At least 45 words, with some background."},
    {NULL, NULL},
};

static const struct entry TEXTURE[] = {
    {"lowercase", "Typed in small letters throughout."},
    {"abbreviations", "Typed with the short forms of chats (pls, thx, asap)."},
    {"typo", "Typed with one slip of the fingers."},
    {"no_punctuation", "Typed without marks at the ends of sentences."},
    {"run_on", "Typed as one long sentence that runs on."},
    {"clipped", "Typed in fragments."},
    {"standard", "Typed with care: capitals, marks."},
    {NULL, NULL},
};

static const struct entry *const LISTS[CARD_LISTS] = {
    STANCE, WORLD, HISTORY, CONDITION, LACK, ASK, PRESSURE, USER, TONE, LENGTH, TEXTURE};

const char *card_word(enum card_list list, struct span value)
{
    for (const struct entry *e = LISTS[list]; e->value; e++)
        if (span_is(value, e->value))
            return e->text;
    return NULL;
}

const char *card_tag(enum card_list list, const char *tag)
{
    return tag ? card_word(list, span_text(tag)) : NULL;
}

/* ---- what shows ------------------------------------------------------------------------------ */

static const char *const SAYINGS[CARD_SAYINGS] = {
    [CARD_SAYS_COURTESY] = "\\b(please|pls|thanks?|thx|thank you|kindly|appreciate)",
    [CARD_SAYS_TEMPER] =
        "\\b(again|still|seriously|ridiculous|now|asap|hurry|quick(ly)?|wait(ing|ed)?|"
        "already|enough|tired of|fed up|sick of|annoy\\w*|frustrat\\w*|come on|how "
        "long|third time|second time|hours|days|immediately|sort this|unbeliev\\w*|"
        "urgent\\w*|never)\\b",
    [CARD_SAYS_PRESSURE] =
        "\\b(ignore|forget|skip|bypass|override|overrule|exception|anyway|just (do|this|give|tell|"
        "let|make)|trust me|believe "
        "me|authori[sz]\\w*|manager|supervisor|boss|admin\\w*|owner|staff|"
        "employee|colleague|developer|allowed|permission|rules?|polic(y|ies)|system|instructions?|"
        "promised|told me|said (i|you|it)|without "
        "(asking|checking|verif\\w*|confirm\\w*|the|any|id)|"
        "no (need|questions)|don'?t (ask|check|verify|need|bother)|do not (ask|check|verify)|off "
        "the "
        "record|between us|quietly|secret\\w*|someone else'?s|other (people|customer)\\w*|her|his|"
        "their|lawyer|sue|report you|complain\\w*|legal|demand|insist|must|have to|right now|"
        "pretend|make it look|fake|hack\\w*|all (the )?(customers?|users?|records|data))\\b",
};
static struct regex *compiled[CARD_SAYINGS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    for (int i = 0; i < CARD_SAYINGS; i++)
        compiled[i] = regex_compile(span_text(SAYINGS[i]), REGEX_IGNORE_CASE, NULL);
}

bool card_says(enum card_saying what, struct span text)
{
    pthread_once(&once, compile);
    return compiled[what] && regex_search(compiled[what], text, 0, NULL, 0) == REGEX_MATCH;
}
