/* defaults.h: numbers of the agents, with unit and source. */
#ifndef WAI_AGENT_DEFAULTS_H
#define WAI_AGENT_DEFAULTS_H

#define AGENT_SEEDED_RATE 0.35 /* share of rollouts with a planted behaviour (world 1.1) */
#define AGENT_SEEDED_SEED 0

/* Programs of the user's own as agents and worlds (world 1.1, 13, 14). */
enum {
    AGENT_TIMEOUT_S = 300,        /* seconds of one rollout */
    EXECUTE_TIMEOUT_S = 60,       /* seconds of one call of --execute */
    AGENT_WORKERS_MAX = 256,      /* processes of one command */
    AGENT_ID_HEX = 12,            /* hex digits of a rollout's name, before its index */
    AGENT_DEPTH_MAX = 480,        /* levels of a line: a row holds it some levels deeper */
    AGENT_ROLLOUT_MAX = 64 << 20, /* bytes of steps */
    AGENT_END_WAIT_S = 5, /* seconds for a done line after `end`, as for its own end (world 13.1) */
    AGENT_WINDOW = 131072,    /* tokens, of an agent that does not tell (world D14) */
    TRANSCRIPT_RESULT = 2000, /* characters of a coding agent's result (harness F.5) */
    AGENT_POST_WORDS = 200,   /* characters of a web service's words (world 12) */
    AGENT_KEYS_NAMED = 8,     /* keys of a reply of the wrong shape that are named */
    AGENT_KEY_CHARACTERS = 40,
    AGENT_QUOTE_CHARACTERS = 80, /* of a line that is none, in the loss's reason */
};

#define AGENT_LEAST_S 0.001 /* seconds: a limit of 0 would be none */

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
    PERSON_ECHO_LETTERS = 3,     /* letters of a word that counts in an echo */
    PERSON_ECHO_WORDS = 4,       /* distinct words of a line that may be an echo */
    PERSON_REPEAT_WORDS = 5,     /* distinct words of a line that may be a repeat */
};
#define PERSON_ECHO_SHARE   0.70
#define PERSON_THANKS_SHARE 0.25
#define PERSON_REPEAT_SHARE 0.78

/* How a model is asked for its turn (world 1.1, 8). */
#define TALK_TEMPERATURE          0.8
#define TALK_DEPLOYED_TEMPERATURE 0.3 /* of a service as it is deployed */
#define TALK_AVG_TURNS            12  /* utterances of a thread, both sides together */
enum {
    TALK_REPLY = 768,             /* tokens */
    TALK_REPLY_LARGE = 2048,      /* tokens, in a window of more than TALK_WINDOW_LARGE */
    TALK_REPLY_DEPLOYED = 1024,   /* tokens, of a deployed service (world 14.1) */
    TALK_WINDOW_LARGE = 8192,     /* tokens */
    TALK_REPLY_LEAST = 64,        /* tokens; a smaller budget is refused */
    TALK_OPENER = 120,            /* tokens of a greeting (world 8.1) */
    TALK_MANY_CALLS = 64,         /* calls of one reply, before it is remarked on */
    TALK_LONG_RESULT = 1 << 20,   /* bytes of one result, before it is remarked on */
    TALK_TRANSCRIPT_RESULT = 300, /* characters of a result that the person sees (world 9.1) */
    TALK_TRANSCRIPT = 2400,       /* characters of a thread that the person sees */
};

/* How the simulated person is asked (world 9.1, 9.6). */
#define SIMUSER_LINE_TEMPERATURE   0.475
#define SIMUSER_ANSWER_TEMPERATURE 0.9
#define SIMUSER_ASKED_S            8.0  /* seconds a line may take at least, after a question … */
#define SIMUSER_LEAST_S            5.0  /* … and otherwise */
#define SIMUSER_MOST_S             30.0 /* seconds it may take */
#define SIMUSER_CAPITALS           0.08 /* share of capitals among letters of one who writes small */
enum {
    SIMUSER_LINE_TOKENS = 180,
    SIMUSER_RETRY_TOKENS = 120,
    SIMUSER_ANSWER_TOKENS = 120,
    SIMUSER_HINTS = 8,   /* details listed */
    SIMUSER_HINT = 24,   /* characters of one of them */
    SIMUSER_TOOLS = 12,  /* tool names listed */
    SIMUSER_NEED = 180,  /* characters of the opening line that are told again */
    SIMUSER_SPOKEN = 25, /* characters; fewer behind thoughts are hardly a line */
    SIMUSER_POLITE = 40, /* characters of a line whose politeness tells something */
};

#endif
