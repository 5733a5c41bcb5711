/* config_trl.c: the YAML that TRL's own commands take (train D.2), in the names of TRL 1.16. TRL's
 * defaults change between versions, so every knob is written, none is left to them. */
#include <stdio.h>

#include "export/config_inside.h"
#include "export/defaults.h"

enum { SFT = 1, GRPO = 2, DPO = 4, RM = 8, KTO = 16, PAIRS = DPO | RM, LENGTH = SFT | PAIRS | KTO };

static const struct method {
    const char *name;
    int bit;
    double lora_rate, full_rate;
} METHODS[] = {
    {"sft", SFT, CONFIG_TRL_SFT_LR_LORA, CONFIG_TRL_SFT_LR_FULL},
    {"grpo", GRPO, CONFIG_LR_LORA, CONFIG_LR_FULL},
    {"dpo", DPO, CONFIG_TRL_DPO_LR, CONFIG_TRL_DPO_LR},
    {"rm", RM, CONFIG_TRL_RM_LR_LORA, CONFIG_TRL_RM_LR_FULL},
    {"kto", KTO, CONFIG_TRL_DPO_LR, CONFIG_TRL_DPO_LR},
};

/* A knob that is a number, its name in TRL, and the methods that have it. */
enum number { REAL, INTEGER };
static const struct knob {
    const char *ours, *theirs;
    enum number kind;
    size_t offset;
    int methods;
    double otherwise;
} KNOBS[] = {
#define AT(member) offsetof(struct export_config_options, member)
    {"epochs", "num_train_epochs", REAL, AT(epochs), ~0, CONFIG_TRL_EPOCHS},
    {"steps", "max_steps", INTEGER, AT(steps), ~0, -1},
    {"seed", "seed", INTEGER, AT(seed), ~0, 0},
    {"warmup_ratio", "warmup_steps", REAL, AT(warmup_ratio), ~0, CONFIG_TRL_WARMUP},
    {"max_grad_norm", "max_grad_norm", REAL, AT(max_grad_norm), ~0, CONFIG_TRL_GRAD_NORM},
    {"weight_decay", "weight_decay", REAL, AT(weight_decay), ~0, 0},
    {"batch", "per_device_train_batch_size", INTEGER, AT(batch), ~0, CONFIG_TRL_BATCH},
    {"max_length", "max_length", INTEGER, AT(max_length), LENGTH, CONFIG_TRL_LENGTH},
    {"generations", "num_generations", INTEGER, AT(generations), GRPO, CONFIG_GROUP},
    {"max_completion_length", "max_completion_length", INTEGER, AT(max_tokens), GRPO,
     CONFIG_TOKENS},
    {"temperature", "temperature", REAL, AT(temperature), GRPO, 1},
    {"top_p", "top_p", REAL, AT(top_p), GRPO, 1},
    {"num_iterations", "num_iterations", INTEGER, AT(num_iterations), GRPO, 1},
    {"epsilon", "epsilon", REAL, AT(epsilon), GRPO, CONFIG_TRL_EPSILON},
    {"epsilon_high", "epsilon_high", REAL, AT(epsilon_high), GRPO, CONFIG_TRL_EPSILON_HIGH},
    {"beta", "beta", REAL, AT(beta), GRPO, 0},
    {"beta", "beta", REAL, AT(beta), DPO | KTO, CONFIG_TRL_BETA},
    {"label_smoothing", "label_smoothing", REAL, AT(label_smoothing), DPO, 0},
#undef AT
};

static double number_at(const struct export_config_options *o, const struct knob *k)
{
    const void *place = (const char *)o + k->offset;
    if (k->kind == REAL)
        return *(const double *)place;
    return (double)*(const int64_t *)place;
}

static bool has_home(const char *ours, int bit)
{
    for (size_t i = 0; i < sizeof KNOBS / sizeof *KNOBS; i++)
        if (strcmp(KNOBS[i].ours, ours) == 0 && (KNOBS[i].methods & bit))
            return true;
    return false;
}

static void put_numbers(struct config_work *c, int bit)
{
    for (size_t i = 0; i < sizeof KNOBS / sizeof *KNOBS; i++) {
        const struct knob *k = &KNOBS[i];
        double given = number_at(c->options, k), value = given < 0 ? k->otherwise : given;
        if (k->methods & bit) {
            config_put(c->tree, k->theirs,
                       k->kind == REAL ? json_real(value) : json_integer((json_int_t)value));
            if (given >= 0)
                config_honor(c, k->ours, k->theirs);
        } else if (given >= 0 && !has_home(k->ours, bit)) {
            config_ignore(c, "TRL's trainer of this method has no such knob", "%s=%g", k->ours,
                          given);
        }
    }
}

/* ---- knobs that are words ------------------------------------------------------------------------ */

struct word {
    const char *ours, *theirs, *given, *otherwise;
    int methods;
};

static void put_word(struct config_work *c, int bit, const struct word *word)
{
    if (word->methods & bit) {
        config_put(c->tree, word->theirs, json_string(word->given ? word->given : word->otherwise));
        if (word->given)
            config_honor(c, word->ours, word->theirs);
    } else if (word->given) {
        config_ignore(c, "TRL's trainer of this method has no such knob", "%s=%s", word->ours,
                      word->given);
    }
}

static void put_words(struct config_work *c, int bit)
{
    const struct export_config_options *o = c->options;
    const char *loss = bit == GRPO ? "bnpo" : bit == DPO ? "sigmoid" : bit == SFT ? "nll" : "kto";
    if (bit == DPO) { /* a list there */
        config_put(c->tree, "loss_type", json_pack("[s]", o->loss_type ? o->loss_type : loss));
        if (o->loss_type)
            config_honor(c, "loss_type", "loss_type");
    } else {
        put_word(c, bit,
                 &(struct word){"loss_type", "loss_type", o->loss_type, loss, SFT | GRPO | KTO});
    }
    put_word(c, bit,
             &(struct word){"scale_rewards", "scale_rewards", o->scale_rewards, "group", GRPO});
}

static int put_truncated(struct config_work *c, int bit, struct error *error)
{
    const char *given = c->options->truncated;
    if (given && strcmp(given, "mask") != 0 && strcmp(given, "zero") != 0)
        return error_set(error, ERROR_USAGE, "--truncated is \"%s\"; it is mask or zero", given);
    if (bit == GRPO)
        config_put(c->tree, "mask_truncated_completions",
                   json_boolean(!given || strcmp(given, "mask") == 0));
    if (given && bit == GRPO)
        config_honor(c, "truncated", "mask_truncated_completions");
    else if (given)
        config_ignore(c, "TRL's trainer of this method samples nothing", "truncated=%s", given);
    return 0;
}

static int put_tokens(struct config_work *c, int bit, struct error *error)
{
    const struct export_config_options *o = c->options;
    double share = 1;
    if (o->token_select && strcmp(o->token_select, "entropy") != 0)
        return error_set(error, ERROR_USAGE, "--token-select is \"%s\"; it is entropy",
                         o->token_select);
    if (o->token_select)
        share = config_real(o->token_share, CONFIG_TRL_TOKEN_SHARE);
    if (bit == GRPO)
        config_put(c->tree, "top_entropy_quantile", json_real(share));
    if (o->token_select && bit == GRPO)
        config_honor(c, "token_select", "top_entropy_quantile");
    else if (o->token_select)
        config_ignore(c, "TRL's trainer of this method has no such knob", "token_select=%s",
                      o->token_select);
    return 0;
}

/* ---- staleness: a correction between vLLM's probabilities and the trainer's --------------------- */

static int put_async(struct config_work *c, int bit, struct error *error)
{
    const struct export_config_options *o = c->options;
    const char *name = o->correction ? o->correction : "tis";
    double low = CONFIG_RATIO_LOW, high = CONFIG_RATIO_HIGH;
    bool tis = strcmp(name, "tis") == 0;
    if (!o->async) {
        if (bit == GRPO) {
            config_put(c->tree, "use_vllm", json_false());
            config_put(c->tree, "vllm_importance_sampling_correction", json_false());
        }
        return 0;
    }
    if (bit != GRPO)
        return error_set(error, ERROR_USAGE, "--async is for --method grpo");
    if (!tis && strcmp(name, "icepop") != 0)
        return error_set(error, ERROR_USAGE, "--correction is \"%s\"; TRL has tis and icepop",
                         name);
    int code = config_ratio(o->ratio, &low, &high, error);
    if (code != 0)
        return code;
    config_put(c->tree, "use_vllm", json_true());
    config_put(c->tree, "vllm_importance_sampling_correction", json_true());
    config_put(c->tree, "vllm_importance_sampling_mode",
               json_string(tis ? "token_truncate" : "token_mask"));
    config_put(c->tree, "vllm_importance_sampling_clip_max",
               json_real(tis ? config_real(o->cap, CONFIG_CAP) : high));
    if (!tis)
        config_put(c->tree, "vllm_importance_sampling_clip_min", json_real(low));
    config_honor(c, "correction", "vllm_importance_sampling_mode");
    if (o->off_policy_steps >= 0)
        config_ignore(c, "TRL bounds no age of its rollouts", "off_policy_steps=%lld",
                      (long long)o->off_policy_steps);
    return 0;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void put_adapter(struct config_work *c)
{
    const struct export_config_options *o = c->options;
    config_put(c->tree, "use_peft", json_boolean(!o->full));
    if (o->full)
        return;
    config_put(c->tree, "lora_r", json_integer(config_int(o->lora_rank, CONFIG_RANK)));
    config_put(c->tree, "lora_alpha", json_integer(config_int(o->lora_alpha, CONFIG_ALPHA)));
    config_put(c->tree, "lora_target_modules", json_pack("[s]", "all-linear"));
}

static void put_data(struct config_work *c, int bit)
{
    if (c->options->data) {
        config_put(c->tree, "datasets",
                   json_pack("[{s:s, s:s, s:s}]", "path", "json", "data_files", c->options->data,
                             "split", "train"));
        config_honor(c, "data", "datasets");
    } else {
        buf_text(c->notes, "no --data was given: name the file to train on with --data, or with "
                           "--dataset_name when TRL is started\n");
    }
    if (bit == GRPO)
        buf_text(c->notes,
                 "TRL's grpo needs a reward: start it with --reward_funcs MODULE.FUNCTION\n");
}

int config_trl(struct config_work *c, struct error *error)
{
    const struct export_config_options *o = c->options;
    const struct method *m = NULL;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (strcmp(METHODS[i].name, c->method) == 0)
            m = &METHODS[i];
    if (!m)
        return error_set(error, ERROR_USAGE,
                         "--method is \"%s\"; a configuration of TRL is for sft, grpo, dpo, rm or "
                         "kto",
                         c->method);
    if (o->steps == 0 || o->batch == 0)
        return error_set(error, ERROR_USAGE, "--%s is 0; it must be at least 1",
                         o->steps == 0 ? "steps" : "batch");
    config_put(c->tree, "model_name_or_path", json_string(o->model));
    put_data(c, m->bit);
    config_put(c->tree, "output_dir", json_sprintf("%s-out", m->name));
    config_put(c->tree, "learning_rate",
               json_real(config_real(o->learning_rate, o->full ? m->full_rate : m->lora_rate)));
    if (o->learning_rate >= 0)
        config_honor(c, "learning_rate", "learning_rate");
    put_numbers(c, m->bit);
    put_words(c, m->bit);
    int code = put_truncated(c, m->bit, error);
    if (code == 0)
        code = put_tokens(c, m->bit, error);
    if (code == 0)
        code = put_async(c, m->bit, error);
    if (code == 0 && m->bit == RM && o->center_rewards >= 0) {
        config_put(c->tree, "center_rewards_coefficient", json_real(o->center_rewards));
        config_honor(c, "center_rewards", "center_rewards_coefficient");
    } else if (code == 0 && o->center_rewards >= 0) {
        config_ignore(c, "TRL's trainer of this method has no such knob", "center_rewards=%g",
                      o->center_rewards);
    }
    if (code == 0)
        put_adapter(c);
    return code;
}
