/* defaults.h: numbers of the room `grade`, each with its unit and its source. */
#ifndef WAI_GRADE_DEFAULTS_H
#define WAI_GRADE_DEFAULTS_H

enum {
    NUMERIC_EXACT_MAX =
        1000, /* digits and powers of ten of a number held exactly; larger ones are floats */
    REASON_CHARS = 400, /* code points of a reason that we write (grade 2.4) */
    SCRUB_LINE_CHARS =
        8, /* code points from which a line of a gold is a spelling of its own (2.4) */
    SCRUB_PREFIX_CHARS = 16, /* code points from which a prefix of a gold counts as quoted (2.4) */
    REPLY_QUOTE_BYTES = 200, /* of an unreadable reply of a command, in its error (4.2) */
    SHOWN_CHARS = 120,       /* code points of a candidate quoted in a reason */

    CMD_TIMEOUT_S = 60,     /* seconds per verdict (grade 1) */
    CMD_BATCH = 16,         /* requests under way per worker with --cmd-envelope (4.2) */
    CMD_DEATHS_MAX = 3,     /* deaths in a row without a reply that stop the run (4.2) */
    CMD_THREADS_MAX = 1024, /* workers x batch: bounds the threads that wait for replies */

    SCORER_JOBS_MAX = 256, /* workers of a program at most, whatever --jobs says */
    EXPR_JOBS_MAX = 16,    /* workers of --expr and --verify by default (grade 1) */
    CMD_JOBS_MAX = 8,      /* workers of --cmd and code-exec by default (grade 1) */

    TALLY_DISTINCT = 1000, /* different rewards, reasons, markers of a run that are counted apart */
    TALLY_ASKS = 3,        /* asks named in the warning about rows without a tool call (19.1) */
    TALLY_ASK_CHARS = 60,  /* code points of each (19.1) */
    TALLY_REASON_CHARS = 100, /* code points of a reason in the summary */
    TALLY_DEAD_RESULTS = 3,   /* results from which a tool can be called dead (19.3) */

    SCHEMA_STEPS = 1000000, /* schemas applied to one candidate before the validator gives up */
    SCHEMA_DEPTH = 1000,    /* schemas inside each other at one time: bounds the stack */

    CODE_TIMEOUT_S = 10,          /* seconds of wall time per program (grade 7) */
    CODE_CPU_S = 10,              /* seconds of processor time (7) */
    CODE_MEMORY_MB = 512,         /* MiB of address space (7) */
    CODE_OUT_BYTES = 65536,       /* bytes kept of a program's output: the last ones (7) */
    CODE_PROCS = 16,              /* processes and threads (7) */
    CODE_FILE_MB = 64,            /* MiB of one file, and of the scratch folder (7) */
    CODE_FILES = 64,              /* open descriptors (7) */
    CODE_GRACE_S = 5,             /* seconds beyond the timeout until a silent sandbox is ended */
    CODE_OUTPUT_LINE_CHARS = 200, /* code points of the last line of output in a reason (7) */
    CODE_SOURCE_MAX = 16 << 20,   /* bytes of tests or a program from a file */
    GRADE_TEXT_MAX = 16 << 20,    /* bytes of a system prompt */

    MATH_TIMEOUT_S = 5,         /* processor seconds of a comparison (grade 6) */
    MATH_TEXT_MAX = 20000,      /* bytes of an answer; a longer one is none */
    MATH_SOURCE_MAX = 1 << 20,  /* bytes of a candidate that are looked through, its last ones */
    MATH_BOXES_MAX = 32,        /* boxes that are one list */
    MATH_FIND_WORK = 20 << 20,  /* bytes looked at for plain expressions, again and again */
    MATH_MATCHES_MAX = 20000,   /* places of a candidate that could be its answer */
    MATH_LINE_MAX = 2000,       /* bytes of a last line that is read as an answer */
    MATH_DEPTH = 100,           /* expressions inside each other */
    MATH_NODES_MAX = 200000,    /* nodes of a comparison: some 32 MiB */
    MATH_ARENA_MAX = 64 << 20,  /* bytes of a comparison (6) */
    MATH_CLOCK_SHIFT = 12,      /* the clock is looked at every 4096 steps */
    MATH_BITS_MAX = 400000,     /* bits of an exact number */
    MATH_TERMS_MAX = 3000,      /* terms of a polynomial */
    MATH_POWER_MAX = 64,        /* exponent to which a sum is multiplied out */
    MATH_FACTORIAL_MAX = 20000, /* argument of a factorial or binomial */
    MATH_LOOP_MAX = 10000,      /* terms of a sum or product with bounds */
    MATH_POINTS = 8,            /* sample points of a formula (6.4) */
    MATH_POINTS_MIN = 4,        /* of them that must be defined (6.4) */
    MATH_POINTS_TRIED = 24,     /* points that are tried */
    MATH_ITEMS_MAX = 400,       /* members of a set or list */
    MATH_DECIMALS = 6,          /* decimals to which floats agree (6.4) */

    CALL_DEPTH = 64,        /* values inside each other in a call's text or wanted arguments */
    CALLS_PAIRED_MAX = 256, /* calls that are matched in any order; more of them in theirs */

    SQL_DIGITS = 2,               /* decimals that a number is rounded to (grade 8) */
    SQL_MAX_ROWS = 200,           /* rows of a result (8) */
    SQL_ROWS_CEILING = 100000,    /* rows that max_rows may ask for */
    SQL_PERM_COLS = 5,            /* columns up to which their order is free (8) */
    SQL_PERMUTED_MAX = 8,         /* columns that max_perm_cols may ask for: 40,320 orders */
    SQL_TIMEOUT_MS = 5000,        /* milliseconds of processor time of a query (8) */
    SQL_WATCH_STEPS = 1000,       /* instructions of SQLite's machine between two looks */
    SQL_VALUE_BYTES = 256 << 10,  /* one value: bounds what one function call can cost */
    SQL_TEXT_BYTES = 1 << 20,     /* a query's text */
    SQL_PATTERN_BYTES = 1000,     /* pattern of LIKE and GLOB, whose cost is quadratic */
    SQL_WIDTH_DIGITS = 4,         /* digits of a width or precision of printf */
    SQL_MEMORY_BYTES = 128 << 20, /* memory of one query */
    SQL_RESULT_BYTES = 64 << 20,  /* all cells of a result */
    SQL_CACHED = 1024,            /* results of references that a worker keeps */
    SQL_SCRIPT_MAX = 64 << 20,    /* bytes of an init script */

    CONDUCT_RUN = 30,            /* equal characters in a row of a degenerate reply (grade 10) */
    CONDUCT_NAMED = 3,           /* invented values named in a reason (10.1, 10.4) */
    CONDUCT_NAMED_TOOLS = 4,     /* undeclared tools named in a reason (10) */
    CONDUCT_FAILED_ID_MIN = 3,   /* code points of an id that a sentence can name (10.2) */
    CONDUCT_DIGITS_MIN = 3,      /* leading digits that ground an identifier (10.4) */
    CONDUCT_UTTERANCE_MIN = 24,  /* code points of a reply whose repetition counts (10) */
    CONDUCT_LOOP = 3,            /* equal calls that are a loop (10) */
    CONDUCT_LONG = 600,          /* code points beyond which a reply must reach its end (10) */
    CONDUCT_NEGATION_CHARS = 80, /* code points before a claim in which it is denied (10.2) */
    CONDUCT_JOBS_MAX = 16,       /* workers of --conduct and --checklist by default (1) */
    GROUNDING_MIN = 3,           /* code points of an argument that needs a source (17.4) */
    CHECKLIST_QUOTE_MIN = 3,     /* code points of a value whose quote grounds a refusal (11.2) */

    JUDGE_JOBS = 16,               /* calls of a judge in flight by default (1) */
    JUDGE_JOBS_MAX = 4096,         /* at most: each is a thread that waits */
    JUDGE_TIMEOUT_S = 120,         /* seconds per verdict of a judge (1) */
    JUDGE_ADVISORY_TIMEOUT_S = 45, /* of an advisory one (1) */
    JUDGE_DECISION_TIMEOUT_S = 30, /* of a decision judge (1) */
    JUDGE_WARM_UP_S = 600,         /* patience with a judge that is being loaded (14.1) */
    JUDGE_WARM_UP_TOKENS = 4,      /* tokens of that request (14.1) */
    JUDGE_REPLY_TOKENS = 120,      /* tokens of a verdict (14.1) */
    JUDGE_RUBRIC_TOKENS = 400,     /* tokens of a verdict by criteria (14.1) */
    JUDGE_WRITER_TOKENS = 1200,    /* tokens of a rubric (13.3) */
    JUDGE_RETRIES = 1,           /* further questions after a reply that holds no verdict (14.4) */
    JUDGE_STRIKES = 3,           /* calls in a row to a dead host until no more are made */
    JUDGE_QUOTE_CHARS = 200,     /* code points of an unreadable reply on the row (14.4) */
    JUDGE_AGAIN_CHARS = 2000,    /* code points of it that the judge is shown when asked again */
    JUDGE_REPLY_MAX = 1 << 18,   /* bytes of a reply that are read: its end */
    JUDGE_REPLY_STEPS = 1 << 25, /* bytes looked at while its objects are searched for */
    JUDGE_PAYLOAD_CHARS = 8000,  /* characters of the record a judge sees (14.2) */
    JUDGE_PAYLOAD_LEAST = 600,   /* smallest --payload-chars */
    RUBRIC_SLUG_CHARS = 40,      /* of a criterion's name (13.1) */
    RUBRIC_FILE_MAX = 16 << 20,  /* bytes of a rubric */
    PAYLOAD_FAULT_CHARS = 60,    /* code points of a fault or tool named in front of it (14.2) */
    PAYLOAD_NAME_CHARS = 60,     /* code points of a tool's name in the record */
    PAYLOAD_LEAST_NAMES = 24,    /* tools named in the smallest record */
    PAYLOAD_LEAST_CHARS = 400,   /* characters of the final text in it, at least (14.2) */
    EVAL_SET_MAX = 256 << 20,    /* bytes of a file of asks */
    EVAL_SET_SHOWN = 20,         /* missing asks that a report names (19.2) */
    PAIRWISE_EXAMPLES = 10,      /* disagreements that a report shows (14.8) */
    PAIRWISE_REQUEST_CHARS = 4000, /* characters of the request (14.8) */
    PAIRWISE_PROMPT_CHARS = 160,   /* code points of a prompt in a report (14.8) */
    RUBRIC_WRITER_CHARS = 4000,    /* characters of request, reference, guidance (13.3) */
    RUBRIC_WRITER_SHOWN = 10,      /* failures in a report (13.3) */
    RUBRIC_WRITER_LEAST = 3,       /* criteria asked for (13.3) */
    RUBRIC_WRITER_MOST = 8,
    RUBRIC_WRITER_CEILING = 100, /* criteria that may be asked for */
    GROUP_RECORDS = 4,           /* records of full length that fit into a question about a group */
    AUDIT_PROMPT_CHARS = 300,    /* code points of a prompt in a report (14.7) */
    AUDIT_REASON_CHARS = 200,    /* of a reason (14.7) */
    AUDIT_EXAMPLES = 3,          /* examples of a reason (14.7) */
    AUDIT_ERRORS = 5,            /* failed calls that a report shows (14.7) */
    AUDIT_GRADERS = 1000,        /* different graders told apart */
    AUDIT_LABEL_CHARS = 40,      /* characters of the record's room that the label takes */
    JUDGE_VOTES_MAX = 99,        /* samples of --votes */
};

#define MATH_STEPS_MAX 400000000LL  /* steps of work of a comparison */
#define SQL_STEPS_MAX  1000000000LL /* instructions of a query: some 10 to 20 seconds */
#define SQL_WHOLE_MAX  9.0e15       /* doubles below are whole numbers exactly */

#define GROUPWISE_PASS       0.5  /* reward from which a row passes (16) */
#define GROUPWISE_MIN_FACTOR 0.5  /* factor of the last of a ranking (16.1) */
#define GROUPWISE_CAP        3.0  /* largest lambda (16.1) */
#define SPREAD_MIN_STD       0.05 /* standard deviation of scores that tell passes apart (16.3) */
#define SPREAD_BAND          0.05 /* distance from the median within which scores cluster (16.3) */
#define SPREAD_CLUSTER_SHARE 0.9  /* share of scores that may (16.3) */

#define TALLY_DEAD_Z    1.96 /* standard deviations of the bound on a tool's success (19.3) */
#define TALLY_DEAD_RATE 0.30 /* success rate under which a tool is dead (19.3) */

#define JUDGE_ADVISORY_SPEC    "openai:gpt-4o-mini" /* of --advisory without --judge (14.6) */
#define PAIRWISE_FLIP_FLAG     0.2 /* share of changed answers that is warned about (14.8) */
#define PAIRWISE_REJECTED_FLAG 0.2 /* share of rejected sides that win (14.8) */
#define AUDIT_REASON_RATE      0.5 /* share of disputed labels from which a reason is named (14.7) */
#define JUDGE_UNSURE           0.1 /* distance from 0.5 within which a probability is unsure (14.10) */
#define JUDGE_VOTE_TEMPERATURE 0.7 /* of the samples of --votes (14.4) */

#endif
