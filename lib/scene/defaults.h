/* defaults.h: numbers of the room scene, with unit and source. */
#ifndef WAI_SCENE_DEFAULTS_H
#define WAI_SCENE_DEFAULTS_H

enum {
    SCENE_TEXT_MAX = 64 << 20, /* bytes of a policy */
    SCENE_PATH_WORD_MAX = 64,  /* characters: a longer word after --spec is policy, not a path */
    SCENE_RULE_CAP = 16,    /* clauses on the axis `rule` (situations 3.1); ZP_RULE_CAP overrides */
    SCENE_CLAUSE_MIN = 8,   /* characters (situations 3.3) */
    SCENE_CLAUSE_MAX = 120, /* characters */
    SCENE_HEADING_MAX = 40, /* characters of a heading before its colon */
    SCENE_ID_HEX = 10,      /* hex digits of a cell's id (situations 3.5) */
    SCENE_PROBE_HEX = 6,    /* hex digits of the id of a prompt off the grid (situations 11) */

    SCENE_BUDGET = 1000,         /* rows of a run (situations 1.1) */
    SCENE_BUDGET_MAX = 50000,    /* rows, for --budget none */
    SCENE_ROUND = 32,            /* rollouts planned per round (situations 1.1) */
    SCENE_JOBS = 32,             /* rollouts in flight (situations 1.1) */
    SCENE_PROBE = 2,             /* first rollouts of a group (situations 1.1) */
    SCENE_DEAD_MIN = 16,         /* lost attempts before an agent counts as dead (world 16.2) */
    SCENE_DEAD_BUDGETS = 2,      /* or this many budgets */
    SCENE_DEAD_HOST_STRIKES = 3, /* dead answers of a host with no row between (world 12) */
    SCENE_GRADER_JOBS = 256,     /* of the grader beside a run, at most */
    SCENE_LOST_LISTED = 1000,    /* lost rollouts that the report names */
    SCENE_MISSES = 8,            /* follow-ups that failed before it is remarked on (world 16.3) */
    SCENE_SHARE_PLACES = 4,      /* decimals of a share (world 16.4) */
    SCENE_ERROR_SHOWN = 300,     /* bytes of an error in the report */
    SCENE_TRIPLES_MAX = 1 << 28, /* triples of values; a larger grid does not grow */
    SCENE_TRIES = 8,             /* wordings tried for one prompt (situations 17.5) */
    SCENE_SHORT_WORDS = 16,      /* words of a short message, at most (situations 17.4) */
    SCENE_LONG_WORDS = 40,       /* words of a long one, at least */
    SCENE_PROMPTS_LISTED = 1000, /* prompts in the report's prompt_rollouts (situations 20.4) */
    SCENE_MISSING_LISTED = 20, /* tasks that were not played, named in the report (situations 12) */
    SCENE_DEAD_TOOL_CALLS = 3, /* calls before a tool counts as dead (world 16.6) */
    SCENE_TIER_ROWS = 20,      /* rows from which a missed tier mix is told (situations 7.2) */
    SCENE_PROGRESS_GUESS = 5,  /* rows from which the time left is guessed (situations 20.2) */
    SCENE_PROGRESS_ROWS = 10,  /* no progress below this budget (situations 20.2) */
};

/* The choice among candidate texts (world 18.4-18.6). */
enum {
    BATCH_CLUSTERS_MAX = 8, /* clusters of the candidates */
    BATCH_ITERATIONS = 8,   /* Lloyd's steps */
    BATCH_NAMED = 8,        /* clusters that a report names, at most */
    /* Seeds of a round's draws: seed + stride * round (+ offset). */
    BATCH_ROUND_STRIDE = 7919,
    BATCH_SWAP_STRIDE = 31,
    BATCH_SWAP_OFFSET = 7,
};
#define BATCH_FILL_SHARE   0.5  /* of a batch: the newest; the others are typical */
#define BATCH_COOLING      0.93 /* heat of a round over that of the one before */
#define BATCH_HEAT_MIN     0.12
#define BATCH_SWAP_BASE    0.04 /* share of a batch that may be swapped, plus */
#define BATCH_SWAP_HEAT    0.36 /* times the heat */
#define BATCH_ACCEPT       0.15 /* chance of a swap over the heat, plus */
#define BATCH_ACCEPT_NOVEL 2    /* times what its novelty has over */
#define BATCH_NOVEL        0.45
#define BATCH_ROUGH_ERROR  1e-9 /* squared distances closer than this are compared exactly */

/* What traces say (situations 14, rows 19). */
enum {
    SCENE_FAILING_ASKS = 40,         /* asks of failed traces that are varied */
    SCENE_EXEMPLARS = 3,             /* real results kept per tool */
    SCENE_EXEMPLAR_CHARACTERS = 500, /* of a result's JSON */
    SCENE_EXEMPLAR_TEXT = 160,       /* characters of a text in it */
    SCENE_EXEMPLAR_TEXT_CLASS = 100, /* characters: texts of one class count as alike */
    SCENE_EXEMPLAR_ITEMS = 2,        /* of an array in it */
    SCENE_EXEMPLAR_MEMBERS = 12,     /* of an object in it */
    SCENE_EXEMPLAR_SHAPE_KEYS = 10,  /* keys that tell two objects apart */
    SCENE_EXEMPLAR_DEPTH = 8,        /* arrays in arrays that are told apart */
    REGION_FAILS_FULL = 6,           /* fails that count as much as any number */
    REGION_SUPPORT_MIN = 3,          /* graded rows under which a region is thin */
};
#define REGION_EXPLORATION      0.2 /* share of a run that no region gets */
#define REGION_GAIN             4.0 /* of a cell's weight, times share and match */
#define REGION_TOOL_WEIGHT      0.6 /* of a match: the tool */
#define REGION_CONDITION_WEIGHT 0.4 /* the condition */
#define SCENE_LEAK              0.9 /* cosine from which a prompt counts as a copy of a trace's */

/* How much to run (situations 23). */
enum {
    RECOMMEND_TARGET = 800,  /* rows to end up with */
    RECOMMEND_VISITS = 5,    /* of each cell, for sft */
    RECOMMEND_CHOICE = 3,    /* rows generated for one that is selected, for sft */
    RECOMMEND_ROUND = 100,   /* rows that an sft budget is rounded up to */
    RECOMMEND_REPEATS = 8,   /* rollouts of a task, for rl */
    RECOMMEND_RL_VISITS = 2, /* of each cell, for rl */
};
#define RECOMMEND_MIXED    0.5  /* share of tasks whose rollouts differ */
#define RECOMMEND_RATE_MIN 0.02 /* least share that is sized for */

/* The model writer (situations 18). */
enum {
    CARD_DETAILS = 4,         /* things that a person may know, named on a card */
    CARD_DETAIL_BYTES = 40,   /* of the name of one */
    CARD_RETRIED = 80,        /* characters of an ask that went wrong */
    CARD_PURPOSE = 180,       /* characters of what a tool is for */
    CARD_SHORT_LEAST = 3,     /* words of a short message, at least */
    CARD_CURT_WORDS = 22,     /* words of a curt one, at most */
    CARD_STRICT_TRIES = 1,    /* messages of a card that must keep its tags of style */
    CARD_TRIES = 4,           /* messages of a card before its cell is given up */
    WRITER_WAVE_CARDS = 8,    /* cards of a wave behind the first ones */
    WRITER_LOW_LEAST = 16,    /* messages ready below which waves are sent ahead: a quarter of */
    WRITER_LOW_MOST = 64,     /* the round, within these bounds */
    WRITER_OUTSIDE = 4,       /* messages off the grid to have ready */
    WRITER_RESTARTS = 24,     /* at most, or one for so many rows (rows_per_extra_restart) */
    WRITER_OUTSIDE_FROM = 4,  /* cards of a wave that has one off the grid, too */
    WRITER_MOST_CARDS = 28,   /* of a wave, whatever the knobs say */
    WRITER_CONTEXT = 64,      /* messages or purposes listed in a wave, whatever the knobs say */
    WRITER_TOOLS = 512,       /* names that a message is searched for, at most */
    CHAT_MARGIN_TOKENS = 64,  /* kept free of a model's window */
    WRITER_IN_FLIGHT = 4,     /* waves at a time */
    WRITER_MESSAGE_LEAST = 8, /* characters */
    WRITER_MESSAGE_MOST = 4000,
    WRITER_AVOID_SHOWN = 240,    /* characters of a message that is to be avoided */
    WRITER_CLAUSES_SHOWN = 1200, /* characters of the policy's clauses */
    WRITER_BRIEF_COPIED = 28,    /* characters of the scene brief in a row that are a copy */
    WRITER_REPLY_MAX = 1 << 20,  /* bytes of a reply that are read */
    WRITER_OBJECTS = 256,        /* objects looked for in a reply that is no JSON */
    WRITER_NAMELESS_WAVE = 50,   /* one wave in so many is not told the assistant's kind */
};
/* What the writer's model is asked besides (situations 18.7). */
enum {
    SIDE_BRIEF_TOKENS = 160,
    SIDE_BRIEF_MOST = 400,  /* characters */
    SIDE_CLAUSE_LEAST = 24, /* characters of a clause that a line may not recite */
    SIDE_TOOLS_SHOWN = 24,  /* purposes of tools in a request */
    SIDE_TOOLS_BATCH = 12,  /* tools whose results are asked for at once */
    SIDE_SHAPES_TOKENS = 1500,
    SIDE_DESCRIPTION_SHOWN = 300, /* characters */
    SIDE_SCHEMA_BYTES = 1500,     /* a larger schema is left out */
    SIDE_POLICY_SHOWN = 4000,     /* characters */
    SIDE_TOOLS_TOKENS = 1200,
    SIDE_TOOLS_LEAST = 2,   /* drafted tools */
    SIDE_TOOLS_DRAFTED = 8, /* most of them */
    SIDE_NAME_LEAST = 3,    /* characters of a drafted tool's name */
    SIDE_NAME_MOST = 41,
    SIDE_SEED_CALLS = 40,
    SIDE_SEED_EXAMPLES = 12,
    SIDE_SEED_TOKENS = 900,
    SIDE_SEED_LEAST = 8, /* characters of an ask */
    SIDE_SEED_MOST = 300,
};
#define SIDE_TEMPERATURE       0.3
#define SIDE_SEED_TEMPERATURE  1.0
#define SIDE_TOOLS_TEMPERATURE 0.2
#define SIDE_TOOLS_SECONDS     40.0
#define SIDE_BRIEF_SECONDS     8.0
#define SIDE_SHAPES_SECONDS    45.0

#define CARD_SHORT            0.12 /* share of cards with a short message */
#define CARD_MEDIUM           0.70 /* with a medium one */
#define CARD_TEXTURE_SHARE    0.35 /* with a way of typing of their own */
#define CARD_CAPITALS         0.20 /* share of capitals in a text in small letters, at most */
#define WRITER_TEMPERATURE_LO 0.45
#define WRITER_TEMPERATURE_HI 1.05
#define WRITER_TIMEOUT_S      60.0 /* seconds a wave may take */

/* Swarm rescue (world 17). */
enum {
    SWARM_PARTICLES = 8,
    SWARM_ROUNDS = 3,          /* round 0 is the fresh sample */
    SWARM_REPLY_TOKENS = 2048, /* of one attempt */
    SWARM_SEED_STRIDE =
        1000,             /* seed of a request: this times the run's, and the attempt's number */
    SWARM_DEATHS_MAX = 3, /* of the fitness command in a row, without a reply */
    SWARM_FEEDBACK_SHOWN = 4000, /* characters of the command's feedback that a model is shown */
};
#define SWARM_TEMPERATURE     1.0
#define SWARM_FITNESS_SECONDS 60.0 /* of one reply of the fitness command */

#define SCENE_NEAR       0.9 /* share of words from which two messages are near (situations 17.5) */
#define SCENE_NEAR_SLACK 1e-9 /* on the number of words, against the last bit of a product */

enum {
    SCENE_UNDEREXPLORED = 8,   /* prompts of situations with one row that a report names */
    SCENE_REGION_GROWN = 24,   /* cells made beyond the grid for one of a region */
    SCENE_PROBE_TRIES = 32,    /* probes made for one that is new */
    SCENE_SHAPE_WORDINGS = 12, /* requests for one action shape */
    SCENE_SHAPE_STRIDE = 5,    /* between their variants */
};

/* Settings that count as not delivered (situations 21). */
#define DELIVERED_FAULT_LEAST  0.7  /* of the fault rate */
#define DELIVERED_FAULT_LEAK   0.01 /* share of plans kept at rate 0 */
#define DELIVERED_TURNS_FROM   2.0  /* turns asked for, at least */
#define DELIVERED_TURNS_LEAST  0.5  /* of the turns asked for */
#define DELIVERED_STANCE_LEAST 0.5  /* of the rows */
enum {
    SCENE_FAULT_CELLS = 50,          /* situations with a fault from which a missed rate is told */
    DELIVERED_LONG_TURNS = 3,        /* turns of the person that make a row a long one */
    SCENE_MINUTES_MAX = 60 * 24 * 7, /* of rows_by_minute; later rows count to the last */
};

/* The changed ask of a row that failed (situations 10.1). */
enum {
    SCENE_MUTATION_MIN = 12,   /* characters of a changed text, at least */
    SCENE_MUTATION_WORDS = 4,  /* words, at least */
    SCENE_MUTATION_TRIES = 56, /* changes tried for one prompt: four parents' */
    SCENE_TYPO_LETTERS = 5,    /* of a word that is mistyped, at least */
    SCENE_PARENT_HEAD = 80,    /* characters of the parent's ask on the row */
};
#define SCENE_MUTATION_MOVED 0.6 /* share of words that are new or stand elsewhere */

/* What a cell weighs after rows have landed (situations 3.7). */
#define WEIGHT_UNMEASURED 0.5 /* novelty and behaviour of a cell without rows */
#define STARVATION_UNSEEN 2.5 /* times, for a value without a row */
#define STARVATION_RARE   1.5 /* for one with little of its share */
#define STARVATION_SHARE  0.5 /* of an even share, under which a value is rare */
enum {
    STARVATION_ROWS = 12, /* rows on an axis before its values are compared */
    NOVELTY_DIGITS = 6,   /* so that no last bit of a float decides a choice */
};

/* The split of the prompts among the arms (situations 6). */
#define ARM_LEARNING_RATE 0.5  /* of a weight, times what a row brought */
#define ARM_OPEN_MIN      0.05 /* share of prompts off the grid */
#define ARM_OPEN_MAX      0.10
#define ARM_RARE_MAX      0.08 /* of action shapes, and of failures, each */

/* Mode adaptive (situations 9) and the scale of action shapes (10.2). */
#define PACE_NO_CLOCK       600.0 /* seconds that a run without a clock counts as having */
#define PACE_SATURATION_MIN 120.0 /* seconds, under --until saturation */
#define PACE_SHORTEST       15.0  /* seconds from which new situations get a larger share */
#define PACE_SPAN           165.0 /* seconds until that share is largest */
#define PACE_EXPLORE_MIN    0.30  /* share of a round for new situations */
#define PACE_EXPLORE_MAX    0.80
#define PACE_EXPAND         0.55 /* of the rest: new wordings of used situations */
#define PACE_LONG           90.0 /* seconds from which a wording has 3 rollouts */
#define PACE_UNIT           60.0 /* seconds at which the scale is 1 */
#define PACE_SCALE_MIN      0.5
#define PACE_SCALE_MAX      3.0
#define PACE_LONG_SHAPES    120.0 /* seconds from which shapes of three calls are walked */
#define PACE_FLAT_YIELD     0.02  /* a round that brings less per row is flat (situations 19) */
enum {
    PACE_PHRASINGS = 3,
    PACE_REPEATS_LONG = 3,
    PACE_REPEATS_SHORT = 2,
    PACE_SHAPES = 200,       /* shapes enumerated at scale 1, and at least */
    PACE_SHAPES_LISTED = 12, /* uncovered shapes counted at scale 1 */
    PACE_SHAPES_LISTED_MIN = 8,
    PACE_FLAT_ROUNDS = 12, /* flat rounds in a row that are a plateau */
};

/* The end of a run under a clock (situations 8.5). */
#define SCENE_CLOSING_MARGIN 2.0    /* rollouts that are to fit into the time left */
enum { SCENE_CLOSING_WINDOW = 20 }; /* rollouts whose median says how long one takes */

#define SCENE_FAULT_RATE     0.5  /* share of fault cells that keep their plan (situations 4) */
#define SCENE_FAULT_RATE_RL  0.8  /* the same in mode rl */
#define SCENE_KEEP_SUCCESS   0.90 /* share of fault cells flipped outside rl (situations 3.6) */
#define SCENE_HARD_SHARE     0.40 /* share of prompts from the hard tiers (situations 1.1) */
#define SCENE_TIER_TOLERANCE 0.10 /* by which it may be missed */
#define SCENE_PASS_THRESHOLD 0.5  /* a reward or a marker under it is a failure (situations 15) */
#define SCENE_DEAD_TOOL_Z    1.96 /* 95 % (world 16.6); of a swarm's rates, too */
#define SCENE_DEAD_TOOL_RATE 0.30 /* of calls that work, at most */
#define SCENE_SMOOTHING      1.0  /* pseudo-count of the successive policy (situations 8.2) */

/* A rollout in flight for this long is named, once (world 16.2); how often that is looked after. */
#define SCENE_SLOW_S      300.0 /* seconds */
#define SCENE_SLOW_LOOK_S 5.0   /* seconds */

#endif
