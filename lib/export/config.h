/* config.h: the configuration file of a trainer that exists already (train D.1, D.2): our names of
 * the knobs in, its names out, and a report of which knob went where and which has no home.
 *
 *     code = export_config_make(&options, &config, error)
 *     config.text is the file; config.report the report's JSON
 *     export_config_free(&config)
 */
#ifndef WAI_EXPORT_CONFIG_H
#define WAI_EXPORT_CONFIG_H

#include "base/buf.h"
#include "base/options.h"

/* What the user gave; texts NULL and numbers NaN or -1 where nothing was. */
struct export_config_options {
    const char *trainer; /* prime-rl or trl */
    const char *env, *model, *method, *teacher, *divergence, *anchor, *privileged, *prompt_template;
    const char *correction, *ratio, *data, *loss_type, *scale_rewards, *truncated, *token_select;
    struct option_list set;
    bool async, lora, full;
    int64_t gpus, steps, batch, off_policy_steps, samples, max_tokens, top_k, seed, generations;
    int64_t num_iterations, max_length, lora_rank, lora_alpha;
    double eps, learning_rate, temperature, cap, epochs, beta, epsilon, epsilon_high, top_p;
    double warmup_ratio, max_grad_norm, weight_decay, center_rewards, label_smoothing, token_share;
};

/* clang-format off */
#define EXPORT_CONFIG_DEFAULT {                                                                       \
    .gpus = -1, .steps = -1, .batch = -1, .off_policy_steps = -1, .samples = -1, .max_tokens = -1,   \
    .top_k = -1, .seed = -1, .generations = -1, .num_iterations = -1, .max_length = -1,              \
    .lora_rank = -1, .lora_alpha = -1, .eps = -1, .learning_rate = -1, .temperature = -1, .cap = -1, \
    .epochs = -1, .beta = -1, .epsilon = -1, .epsilon_high = -1, .top_p = -1, .warmup_ratio = -1,    \
    .max_grad_norm = -1, .weight_decay = -1, .center_rewards = -1, .label_smoothing = -1,            \
    .token_share = -1}

#define EXPORT_CONFIG_TEXT(type, field, member, name_, arg_, help_)                                    \
    {.kind = OPTION_TEXT, .name = name_, .offset = offsetof(type, field.member), .arg = arg_, .help = help_}
#define EXPORT_CONFIG_INT(type, field, member, name_, low, help_)                                      \
    {.kind = OPTION_INT, .name = name_, .offset = offsetof(type, field.member), .arg = "N",            \
     .help = help_, .min = low, .max = 1e15}
#define EXPORT_CONFIG_REAL(type, field, member, name_, high, help_)                                    \
    {.kind = OPTION_REAL, .name = name_, .offset = offsetof(type, field.member), .arg = "X",           \
     .help = help_, .min = 0, .max = high}

#define EXPORT_CONFIG_OPTIONS(type, field)                                                            \
    {.kind = OPTION_CHOICE, .name = "trainer", .offset = offsetof(type, field.trainer),               \
     .arg = "prime-rl|trl", .help = "config: whose configuration", .choices = "prime-rl|trl"},        \
    EXPORT_CONFIG_TEXT(type, field, env, "env", "ID|DIR", "config: the environment, by id or package folder"), \
    EXPORT_CONFIG_TEXT(type, field, model, "model", "ID", "config: the model that is trained"),       \
    EXPORT_CONFIG_TEXT(type, field, method, "method", "NAME", "config: grpo, max_rl, rae, opd, opsd (prime-rl); sft, grpo, dpo, rm, kto (trl); grpo by default"), \
    EXPORT_CONFIG_TEXT(type, field, data, "data", "FILE", "config, trl: the file to train on"),       \
    EXPORT_CONFIG_INT(type, field, gpus, "gpus", 0, "config, prime-rl: GPUs, half of them for inference (2)"), \
    EXPORT_CONFIG_INT(type, field, steps, "steps", 0, "config: optimizer steps (prime-rl: 100)"),     \
    EXPORT_CONFIG_INT(type, field, batch, "batch", 0, "config: prompts of a step (prime-rl: 64; trl: 8)"), \
    {.kind = OPTION_FLAG, .name = "lora", .offset = offsetof(type, field.lora), .help = "config: train an adapter (default)"}, \
    {.kind = OPTION_FLAG, .name = "full", .offset = offsetof(type, field.full), .help = "config: train all weights"}, \
    EXPORT_CONFIG_INT(type, field, lora_rank, "lora-rank", 1, "config: rank of the adapter (16)"),    \
    EXPORT_CONFIG_INT(type, field, lora_alpha, "lora-alpha", 1, "config: its scale (32)"),            \
    {.kind = OPTION_LIST, .name = "set", .offset = offsetof(type, field.set), .arg = "KEY=VALUE",     \
     .help = "config: a key of the file as it is, dotted; VALUE is JSON, else text; repeatable"},     \
    {.kind = OPTION_FLAG, .name = "async", .offset = offsetof(type, field.async), .help = "config: rollouts may be older than the weights"}, \
    EXPORT_CONFIG_INT(type, field, off_policy_steps, "off-policy-steps", 0, "config, async: by how many steps (8)"), \
    EXPORT_CONFIG_TEXT(type, field, correction, "correction", "NAME", "config, async: ipo, icepop; tis (trl) (ipo; trl: tis)"), \
    EXPORT_CONFIG_REAL(type, field, eps, "eps", 1, "config, async ipo: largest change of a probability (0.3)"), \
    EXPORT_CONFIG_TEXT(type, field, ratio, "ratio", "LO,HI", "config, async icepop: ratios that count (0.5,5.0)"), \
    EXPORT_CONFIG_REAL(type, field, cap, "cap", 1e9, "config, async tis: largest ratio (2.0)"),       \
    EXPORT_CONFIG_TEXT(type, field, teacher, "teacher", "M@URL", "config, opd: the served teacher"),  \
    EXPORT_CONFIG_TEXT(type, field, privileged, "privileged", "KEY", "config, opsd: the task's key that the teacher sees (demonstration)"), \
    EXPORT_CONFIG_TEXT(type, field, prompt_template, "template", "TEXT|@FILE", "config, opsd: the system message that holds {demonstration}"), \
    EXPORT_CONFIG_TEXT(type, field, divergence, "divergence", "NAME", "config, opd and opsd: reverse_kl, forward_kl, jsd (reverse_kl)"), \
    EXPORT_CONFIG_INT(type, field, top_k, "top-k", 1, "config, opd: tokens of the teacher (32)"),     \
    EXPORT_CONFIG_TEXT(type, field, anchor, "anchor", "ema[:RATE]|initial|live", "config, opsd: the teacher's weights (ema:0.01)"), \
    EXPORT_CONFIG_INT(type, field, samples, "samples", 1, "config, prime-rl: rollouts of a prompt (by method)"), \
    EXPORT_CONFIG_INT(type, field, max_tokens, "max-tokens", 1, "config: tokens of a reply (by method)"), \
    EXPORT_CONFIG_INT(type, field, max_tokens, "max-completion-length", 1, "the same"),               \
    EXPORT_CONFIG_REAL(type, field, temperature, "temperature", 2, "config: sampling temperature (1.0)"), \
    EXPORT_CONFIG_REAL(type, field, learning_rate, "learning-rate", 1, "config: by method"),          \
    EXPORT_CONFIG_INT(type, field, generations, "generations", 2, "config, trl grpo: rollouts of a prompt (8)"), \
    EXPORT_CONFIG_REAL(type, field, epochs, "epochs", 1e6, "config, trl: passes over the file (1)"),  \
    EXPORT_CONFIG_INT(type, field, seed, "seed", 0, "config, trl: seed of the run (0)"),              \
    EXPORT_CONFIG_REAL(type, field, beta, "beta", 1e6, "config, trl: weight of the KL term (grpo 0, dpo and kto 0.1)"), \
    EXPORT_CONFIG_REAL(type, field, epsilon, "epsilon", 1e6, "config, trl grpo: clip (0.2)"),         \
    EXPORT_CONFIG_REAL(type, field, epsilon_high, "epsilon-high", 1e6, "config, trl grpo: upper clip (0.28)"), \
    EXPORT_CONFIG_TEXT(type, field, loss_type, "loss-type", "NAME", "config, trl: the trainer's name of the loss (grpo: bnpo; dpo: sigmoid; kto: kto)"), \
    EXPORT_CONFIG_TEXT(type, field, scale_rewards, "scale-rewards", "group|batch|none", "config, trl grpo: what advantages are divided by (group)"), \
    EXPORT_CONFIG_REAL(type, field, top_p, "top-p", 1, "config, trl grpo: nucleus of the sampling (1.0)"), \
    EXPORT_CONFIG_INT(type, field, num_iterations, "num-iterations", 1, "config, trl grpo: updates of a batch (1)"), \
    EXPORT_CONFIG_TEXT(type, field, truncated, "truncated", "mask|zero", "config, trl grpo: a reply over its tokens is left out of the loss, or counts (mask)"), \
    EXPORT_CONFIG_TEXT(type, field, token_select, "token-select", "entropy", "config, trl grpo: train on the tokens of highest entropy alone"), \
    EXPORT_CONFIG_REAL(type, field, token_share, "token-share", 1, "config, trl grpo: their share (0.2)"), \
    EXPORT_CONFIG_INT(type, field, max_length, "max-length", 1, "config, trl: longest example in tokens (4096)"), \
    EXPORT_CONFIG_REAL(type, field, warmup_ratio, "warmup-ratio", 1, "config, trl: share of the steps with a rising rate (0.03)"), \
    EXPORT_CONFIG_REAL(type, field, max_grad_norm, "max-grad-norm", 1e9, "config, trl: longest gradient (1.0)"), \
    EXPORT_CONFIG_REAL(type, field, weight_decay, "weight-decay", 1e3, "config, trl: (0)"),           \
    EXPORT_CONFIG_REAL(type, field, center_rewards, "center-rewards", 1e6, "config, trl rm: pull of the rewards to 0 (none)"), \
    EXPORT_CONFIG_REAL(type, field, label_smoothing, "label-smoothing", 1, "config, trl dpo: share of wrong labels (0)")
/* clang-format on */

struct export_config {
    struct buf text;    /* the file */
    struct buf report;  /* a JSON object, indented; "path" is what the caller gave */
    struct buf notes;   /* warnings, a line each */
    struct buf command; /* how to start the trainer */
};

/* path: where the text will be written, NULL: nowhere. ERROR_USAGE names the option and the way out.
 */
int export_config_make(const struct export_config_options *options, const char *path,
                       struct export_config *config, struct error *error);
void export_config_free(struct export_config *config);

#endif
