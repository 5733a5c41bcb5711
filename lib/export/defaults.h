/* defaults.h: the numbers of export, each with its unit and its source. */
#ifndef WAI_EXPORT_DEFAULTS_H
#define WAI_EXPORT_DEFAULTS_H

#define EXPORT_DECODES        3 /* times JSON text inside JSON text is decoded (select 13.1) */
#define EXPORT_HASH_HEX       12 /* characters of a SHA-1 that name a group or a prompt (select 13.1) */
#define EXPORT_PASS           0.5 /* reward; a row at or above it counts as passing (select 13.3) */
#define EXPORT_BAD_ROWS_SHOWN 20  /* rows with broken calls that a report names (select 13.3) */
#define EXPORT_LEAKS_SHOWN    20  /* leaked rows that a report names (select 2.1) */
#define EXPORT_LONGER_SHARE \
    0.75 /* share of pairs with the longer side chosen: a confound (select 5.1) */
#define EXPORT_LONGER_PAIRS     8 /* pairs from which that share says something */
#define EXPORT_LONGER_PAIRS_ALL 3 /* pairs, when it is all of them */

#define EXPORT_PROMPT_MAX ((size_t)16 << 20) /* bytes of a system prompt */
#define EXPORT_REPORT_MAX ((size_t)16 << 20) /* bytes of an earlier step's report */
#define EXPORT_HASH_BLOCK (1 << 16)          /* bytes read at once when a file is hashed */

/* ---- trainer configurations (train D.1, D.2, G) ------------------------------------------------ */

#define CONFIG_GPUS             2     /* prime-rl: one for inference, one for training */
#define CONFIG_STEPS            100   /* optimizer steps */
#define CONFIG_BATCH            64    /* prompts of a step */
#define CONFIG_SEQ_LEN          12288 /* tokens of a rollout */
#define CONFIG_EVAL_EXAMPLES    60    /* prompts of an evaluation */
#define CONFIG_EVAL_GROUP       2     /* rollouts of each */
#define CONFIG_EVALS            4     /* evaluations in a run */
#define CONFIG_GROUP            8     /* rollouts of a prompt (Dr. GRPO, arXiv:2503.20783) */
#define CONFIG_TOKENS           4096  /* of a reply */
#define CONFIG_LR_LORA          1e-5
#define CONFIG_LR_FULL          1e-6
#define CONFIG_RANK             16  /* of an adapter (LoRA, arXiv:2106.09685) */
#define CONFIG_ALPHA            32  /* its scale */
#define CONFIG_OFF_POLICY       8   /* steps (arXiv:2510.13786) */
#define CONFIG_EPS              0.3 /* ipo: largest change of a probability */
#define CONFIG_RATIO_LOW        0.5 /* icepop: ratios that count (arXiv:2510.18855) */
#define CONFIG_RATIO_HIGH       5.0
#define CONFIG_CAP              2.0  /* tis: largest ratio (verl) */
#define CONFIG_OPD_SAMPLES      4    /* on-policy distillation (arXiv:2306.13649) */
#define CONFIG_OPD_TOKENS       8192 /* of a reply */
#define CONFIG_OPD_LR           1e-4 /* of an adapter */
#define CONFIG_OPD_TOP_K        32   /* tokens of the teacher (arXiv:2603.25562) */
#define CONFIG_OPSD_SAMPLES     1    /* self-distillation (arXiv:2601.19897) */
#define CONFIG_OPSD_LR          5e-6
#define CONFIG_TEMPLATE_MAX     ((size_t)1 << 20) /* bytes of a template */
#define CONFIG_PROJECT_MAX      ((size_t)1 << 20) /* bytes of a pyproject.toml */
#define CONFIG_TRL_BATCH        8    /* examples of a step; grpo: rollouts, so 8 make one group */
#define CONFIG_TRL_EPOCHS       1.0  /* passes over the file */
#define CONFIG_TRL_LENGTH       4096 /* tokens of an example */
#define CONFIG_TRL_WARMUP       0.03 /* share of the steps with a rising rate */
#define CONFIG_TRL_GRAD_NORM    1.0
#define CONFIG_TRL_SFT_LR_LORA  2e-4 /* learning rates of the native engine (train G) */
#define CONFIG_TRL_SFT_LR_FULL  2e-5
#define CONFIG_TRL_DPO_LR       1e-6
#define CONFIG_TRL_RM_LR_LORA   1e-4
#define CONFIG_TRL_RM_LR_FULL   1e-5
#define CONFIG_TRL_BETA         0.1  /* dpo, kto (arXiv:2305.18290) */
#define CONFIG_TRL_EPSILON      0.2  /* PPO's clip */
#define CONFIG_TRL_EPSILON_HIGH 0.28 /* DAPO (arXiv:2503.14476) */
#define CONFIG_TRL_TOKEN_SHARE  0.2  /* of highest entropy (arXiv:2506.01939) */

/* ---- environments (select 16) ------------------------------------------------------------------ */

#define EXPORT_PROMPTS_MAX    ((size_t)256 << 20) /* bytes of a list of held-out prompts */
#define EXPORT_OVERLAP        0.8 /* share of a prompt's words (arXiv:2307.09288 A.6) */
#define EXPORT_OVERLAPS_SHOWN 3   /* overlapping prompts that a report names */
#define EXPORT_HELD_OUT       0.2 /* share of the tasks */
#define EXPORT_BAND_LOW       0.2 /* pass rates that carry gradient (select 3) */
#define EXPORT_BAND_HIGH      0.8
#define EXPORT_NGRAM          8    /* words */
#define EXPORT_CONTEXT        4096 /* tokens of a model's window when nothing is known */
#define EXPORT_CONTEXT_LARGE  8192 /* tokens from which the higher ceiling holds */
#define EXPORT_REPLY_TOKENS   2048 /* of the window for the reply */
#define EXPORT_TOOL_TOKENS    64   /* of the window for a tool's schema */
#define EXPORT_TOOLS_TOKENS   1536 /* at most, for all of them */
#define EXPORT_TURN_TOKENS    128  /* of a turn */
#define EXPORT_TURNS_LEAST    8
#define EXPORT_TURNS_MOST     40
#define EXPORT_TURNS_LARGE    120
#define OPENENV_PORT          8000 /* of its server */
#define EXPORT_DESCRIPTION    160  /* code points of a system prompt that describe a package */

/* ---- the Hugging Face Hub (select 18) ----------------------------------------------------------- */

#define HUB_ENDPOINT      "https://huggingface.co"
#define HUB_RETRIES       5   /* repeats of a request that may be repeated */
#define HUB_RETRY_FIRST_S 1.0 /* seconds before a change is tried again; doubles each time */
#define HUB_NAME_MAX      96  /* characters of each half of a repository's name */
#define HUB_SAMPLE        512 /* bytes of a file that the Hub decides by */
#define HUB_FILES_A_CALL  256 /* most files of one request */
#define HUB_FILES_MOST    100000
#define HUB_IN_FLIGHT     4                    /* parts or files on their way at a time */
#define HUB_PARTS_MOST    10000                /* of one file, as S3 counts */
#define HUB_COMMIT_MAX    ((size_t)512 << 20)  /* bytes of small files in one change */
#define HUB_PIECE         ((uint64_t)16 << 20) /* bytes fetched by one request */
#define HUB_SLOWEST       ((double)(64 << 10)) /* bytes a second that a transfer is given time for */
#define HUB_TOKEN_MAX     ((size_t)4 << 10)    /* bytes of a token's file */
#define HUB_ERROR_SHOWN   300                  /* bytes of what the Hub says */

#endif
