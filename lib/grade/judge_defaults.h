/* judge_defaults.h: numbers of the model judges of room `grade`, each with its unit and its source. */
#ifndef WAI_GRADE_JUDGE_DEFAULTS_H
#define WAI_GRADE_JUDGE_DEFAULTS_H

enum {
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

#define JUDGE_ADVISORY_SPEC    "openai:gpt-4o-mini" /* of --advisory without --judge (14.6) */
#define PAIRWISE_FLIP_FLAG     0.2 /* share of changed answers that is warned about (14.8) */
#define PAIRWISE_REJECTED_FLAG 0.2 /* share of rejected sides that win (14.8) */
#define AUDIT_REASON_RATE      0.5 /* share of disputed labels from which a reason is named (14.7) */
#define JUDGE_UNSURE           0.1 /* distance from 0.5 within which a probability is unsure (14.10) */
#define JUDGE_VOTE_TEMPERATURE 0.7 /* of the samples of --votes (14.4) */

#endif
