/* defaults.h: numbers of the agents, with unit and source. */
#ifndef WAI_AGENT_DEFAULTS_H
#define WAI_AGENT_DEFAULTS_H

#define AGENT_SEEDED_RATE 0.35 /* share of rollouts with a planted behaviour (world 1.1) */
#define AGENT_SEEDED_SEED 0

/* Length of a thread (world 8.2, 8.4). */
#define TURN_SHORT_TARGET 3.5 /* utterances; at or below it, mostly two to four */
enum {
    TURN_RESERVED = 2048,       /* tokens kept for instructions and the reply */
    TURN_RESERVED_TOOL = 64,    /* tokens a tool takes … */
    TURN_RESERVED_TOOLS = 1536, /* … up to this for all of them */
    TURN_TOKENS = 128,          /* tokens a turn takes */
    TURN_CAP_LEAST = 8,         /* turns */
    TURN_SMALL_WINDOW = 8192,   /* tokens */
    TURN_CEILING_SMALL = 40,    /* turns in a window up to that */
    TURN_CEILING = 120,         /* turns */
    TURN_PREAMBLE_WORDS = 24,   /* a longer announcement is a reply (world 8.5) */
};

/* The simulated person's line (world 9.3). */
enum {
    PERSON_LINE_MOST = 2000,     /* characters */
    PERSON_LINE_LEAST = 8,       /* characters */
    PERSON_ANSWER_MOST = 60,     /* characters of a yes or no */
    PERSON_IDENTIFIER_LEAST = 3, /* characters of a line that names something */
    PERSON_QUOTES = 4,           /* double quotes of a line that is data */
    PERSON_ECHO_WORDS = 4,       /* distinct words of a line that may be an echo */
    PERSON_REPEAT_WORDS = 5,     /* distinct words of a line that may be a repeat */
};
#define PERSON_ECHO_SHARE   0.70
#define PERSON_THANKS_SHARE 0.25
#define PERSON_REPEAT_SHARE 0.78

#endif
