/* config_prime.c: prime-rl's TOML (train D.1). */
#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "export/config_inside.h"
#include "export/defaults.h"

static const char DEMO_TEMPLATE[] =
    "Here is an example of an expert response:\n<demonstration>\n{demonstration}\n</demonstration>";

enum family { FAMILY_NAME, FAMILY_OPD, FAMILY_OPSD };

static const struct method {
    const char *name;
    enum family family;
    int64_t samples, tokens;
    double lora_rate, full_rate;
} METHODS[] = {
    {"grpo", FAMILY_NAME, CONFIG_GROUP, CONFIG_TOKENS, CONFIG_LR_LORA, CONFIG_LR_FULL},
    {"max_rl", FAMILY_NAME, CONFIG_GROUP, CONFIG_TOKENS, CONFIG_LR_LORA, CONFIG_LR_FULL},
    {"rae", FAMILY_NAME, CONFIG_GROUP, CONFIG_TOKENS, CONFIG_LR_LORA, CONFIG_LR_FULL},
    {"opd", FAMILY_OPD, CONFIG_OPD_SAMPLES, CONFIG_OPD_TOKENS, CONFIG_OPD_LR, CONFIG_LR_FULL},
    {"opsd", FAMILY_OPSD, CONFIG_OPSD_SAMPLES, CONFIG_TOKENS, CONFIG_OPSD_LR, CONFIG_OPSD_LR},
};

/* What prime-rl cannot run, and what it would take. */
static const struct {
    const char *name, *lacks, *way;
} REFUSED[] = {
    {"flash_reinforce", "a batch-mean baseline and a gate on whole sequences",
     "the nearest it has is another method: --method rae --async --correction icepop --set "
     "orchestrator.group_size=1"},
    {"sao", "a value model that is trained beside the policy", "there is no near one"},
    {"bpco", "a value model and a clip on probabilities", "there is no near one"},
};

static int find_method(const char *name, const struct method **method, struct error *error)
{
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        if (strcmp(METHODS[i].name, name) == 0) {
            *method = &METHODS[i];
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
        if (strcmp(REFUSED[i].name, name) == 0)
            return error_set(error, ERROR_USAGE,
                             "prime-rl has no %s: it lacks %s; compute its coefficients in a "
                             "training loop of your own, or take another method (%s)",
                             name, REFUSED[i].lacks, REFUSED[i].way);
    return error_set(error, ERROR_USAGE,
                     "--method is \"%s\"; prime-rl has grpo, max_rl, rae, opd, opsd", name);
}

/* ---- the environment ---------------------------------------------------------------------------- */

static bool is_id(const char *text)
{
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-");
    return text[0] && text[len] == '\0' && !strchr("._+-", text[0]);
}

/* The project's name from its `name = "…"` line, else the folder's. */
static void project_name(struct span text, const char *folder, struct buf *out)
{
    while (text.len) {
        size_t end = span_find(text, SPAN("\n"), 0);
        struct span line = span_slice(text, 0, end == (size_t)-1 ? text.len : end);
        text = span_slice(text, line.len < text.len ? line.len + 1 : text.len, text.len);
        size_t open = span_find(line, SPAN("\""), 0);
        if (!span_starts(line, SPAN("name")) || open == (size_t)-1)
            continue;
        size_t equals = span_find(line, SPAN("="), 4),
               close = span_find(line, SPAN("\""), open + 1);
        if (close != (size_t)-1 && equals < open && strspn(line.ptr + 4, " \t") == equals - 4) {
            buf_span_add(out, span_slice(line, open + 1, close));
            return;
        }
    }
    struct span name = span_text(folder);
    while (name.len > 1 && name.ptr[name.len - 1] == '/')
        name.len--;
    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/')
            name = span_slice(name, i, name.len), i = 1;
    buf_span_add(out, name);
}

static int read_env(struct config_work *c, struct error *error)
{
    const char *env = c->options->env;
    struct buf path = {0}, text = {0};
    struct stat info;
    int code = 0;
    if (!env)
        return error_set(error, ERROR_USAGE,
                         "prime-rl needs --env: an environment's id, or the folder of its package");
    buf_format(&path, "%s/pyproject.toml", env);
    if (stat(buf_cstr(&path), &info) == 0 && S_ISREG(info.st_mode)) {
        code = file_read(path.data, CONFIG_PROJECT_MAX, &text, error);
        if (code == 0) {
            project_name(buf_span(&text), env, &c->taskset);
            if (!span_has(buf_span(&text), SPAN("verifiers>=0.4")))
                buf_format(c->notes,
                           "the package in %s has the loader of verifiers before 0.4, which "
                           "prime-rl's tasksets do not use; export it anew\n",
                           env);
        }
        if (code == 0 && !is_id(buf_cstr(&c->taskset)))
            code = error_set(error, ERROR_INPUT,
                             "%s: the project's name \"%s\" is no id of an environment", path.data,
                             buf_cstr(&c->taskset));
    } else if (is_id(env)) {
        buf_text(&c->taskset, env);
    } else {
        code = error_set(error, ERROR_USAGE,
                         "--env %s is neither an id (letters, digits, and . _ + - behind the "
                         "first) nor a folder with a pyproject.toml",
                         env);
    }
    buf_free(&path);
    buf_free(&text);
    return code;
}

static json_t *source(const struct config_work *c, const char *suffix)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "name",
                        json_sprintf("%.*s%s", (int)c->taskset.len, c->taskset.data, suffix));
    config_put(entry, "env.taskset.id", json_stringn(c->taskset.data, c->taskset.len));
    config_put(entry, "env.agent.harness.id", json_string("null"));
    config_put(entry, "env.agent.runtime.type", json_string("subprocess"));
    return json_pack("[o]", entry);
}

/* ---- the methods -------------------------------------------------------------------------------- */

/* NAME@URL of a served model, "vllm:" in front allowed. */
static int read_teacher(struct config_work *c, struct error *error)
{
    const char *spec = c->options->teacher;
    if (!spec)
        return error_set(error, ERROR_USAGE,
                         "--method opd needs --teacher NAME@URL, a model that is served");
    const char *name = strncmp(spec, "vllm:", 5) == 0 ? spec + 5 : spec;
    const char *at = strstr(name, "@http");
    if (!at || at == name)
        return error_set(error, ERROR_USAGE,
                         "--teacher %s: prime-rl asks a served model for the log-probabilities of "
                         "a prompt, which hosted chat services and folders do not give; serve it "
                         "with vLLM and name it NAME@URL",
                         spec);
    config_put(c->tree, "orchestrator.algo.teacher.name", json_stringn(name, (size_t)(at - name)));
    config_put(c->tree, "orchestrator.algo.teacher.base_url", json_string(at + 1));
    config_honor(c, "teacher", "orchestrator.algo.teacher");
    return 0;
}

static int read_divergence(struct config_work *c, struct error *error)
{
    const char *name = c->options->divergence;
    if (!name || strcmp(name, "reverse_kl") == 0)
        return 0;
    if (strcmp(name, "forward_kl") != 0 && strcmp(name, "jsd") != 0)
        return error_set(error, ERROR_USAGE,
                         "--divergence is \"%s\"; it is reverse_kl, forward_kl or jsd", name);
    config_ignore(c, "prime-rl has the reverse KL alone", "divergence=%s", name);
    return 0;
}

static int opd(struct config_work *c, struct error *error)
{
    int code = read_teacher(c, error);
    if (code == 0)
        code = read_divergence(c, error);
    if (code == 0)
        config_ignore(c, "prime-rl prefills the teacher over the whole vocabulary", "top_k=%lld",
                      (long long)config_int(c->options->top_k, CONFIG_OPD_TOP_K));
    return code;
}

static bool is_dotted_name(const char *text)
{
    if (!text[0] || strchr("0123456789.", text[0]))
        return false;
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.")] ==
           '\0';
}

static int read_template(struct config_work *c, struct error *error)
{
    struct buf text = {0};
    int code = c->options->prompt_template
                   ? file_text_or_at(c->options->prompt_template, CONFIG_TEMPLATE_MAX, &text, error)
                   : (buf_text(&text, DEMO_TEMPLATE), 0);
    if (code == 0 && !span_has(buf_span(&text), SPAN("{demonstration}")))
        code = error_set(error, ERROR_USAGE,
                         "--template does not hold {demonstration}, the place "
                         "of the task's privileged text");
    if (code == 0) {
        json_t *value = json_stringn(text.data, text.len);
        if (value)
            config_put(c->tree, "orchestrator.algo.template", value);
        else
            code = error_set(error, ERROR_USAGE, "--template is no UTF-8; save it as UTF-8");
    }
    config_honor(c, "template", "orchestrator.algo.template");
    buf_free(&text);
    return code;
}

static int read_anchor(struct config_work *c, struct error *error)
{
    const char *anchor = c->options->anchor ? c->options->anchor : "ema:0.01";
    double rate = 0.01;
    if (strcmp(anchor, "live") == 0)
        return 0;
    bool good = strcmp(anchor, "initial") == 0 || strcmp(anchor, "ema") == 0;
    if (strncmp(anchor, "ema:", 4) == 0)
        good = option_read_real(anchor + 4, &rate) == 0 && rate > 0 && rate < 1;
    if (!good)
        return error_set(error, ERROR_USAGE,
                         "--anchor is \"%s\"; it is ema, ema:RATE with a rate between 0 and 1, "
                         "initial or live",
                         anchor);
    config_ignore(c, "prime-rl's teacher is the live policy", "anchor=%s", anchor);
    return 0;
}

static int opsd(struct config_work *c, struct error *error)
{
    const char *key = c->options->privileged ? c->options->privileged : "demonstration";
    if (!is_dotted_name(key))
        return error_set(error, ERROR_USAGE,
                         "--privileged is \"%s\", not the name of a key (letters, digits, _ and .)",
                         key);
    config_put(c->tree, "orchestrator.algo.demo_key", json_string(key));
    config_honor(c, "privileged", "orchestrator.algo.demo_key");
    int code = read_template(c, error);
    if (code == 0)
        code = read_divergence(c, error);
    if (code == 0)
        code = read_anchor(c, error);
    buf_text(c->notes,
             "self-distillation can cost points: models under about 7B parameters cannot use the "
             "hint, and thinking models get worse; run a grpo arm on the same holdout beside it\n");
    return code;
}

/* ---- staleness ---------------------------------------------------------------------------------- */

static int correction(struct config_work *c, struct error *error)
{
    const struct export_config_options *o = c->options;
    const char *name = o->correction ? o->correction : "ipo";
    double low = CONFIG_RATIO_LOW, high = CONFIG_RATIO_HIGH;
    if (strcmp(name, "tis") == 0)
        return error_set(error, ERROR_USAGE,
                         "prime-rl has no truncated importance sampling (tis); take --correction "
                         "icepop or ipo");
    int code = config_ratio(o->ratio, &low, &high, error);
    if (code != 0)
        return code;
    config_put(c->tree, "trainer.loss.type", json_string(name));
    if (strcmp(name, "ipo") == 0) {
        config_put(c->tree, "trainer.loss.eps", json_real(config_real(o->eps, CONFIG_EPS)));
    } else if (strcmp(name, "icepop") == 0) {
        config_put(c->tree, "trainer.loss.ratio_low", json_real(low));
        config_put(c->tree, "trainer.loss.ratio_high", json_real(high));
    } else {
        return error_set(error, ERROR_USAGE, "--correction is \"%s\"; prime-rl has ipo and icepop",
                         name);
    }
    config_honor(c, "correction", "trainer.loss");
    config_honor(c, "off_policy_steps", "orchestrator.max_off_policy_steps");
    return 0;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static int read_sizes(struct config_work *c, int64_t *steps, int64_t *batch, struct error *error)
{
    const struct export_config_options *o = c->options;
    int64_t gpus = config_int(o->gpus, CONFIG_GPUS);
    *steps = config_int(o->steps, CONFIG_STEPS);
    *batch = config_int(o->batch, CONFIG_BATCH);
    if (gpus < 2)
        return error_set(error, ERROR_USAGE,
                         "--gpus is %lld; prime-rl samples on one and trains on another, so it "
                         "needs 2",
                         (long long)gpus);
    if (*steps < 1 || *batch < 1)
        return error_set(error, ERROR_USAGE, "--%s is 0; it must be at least 1",
                         *steps < 1 ? "steps" : "batch");
    c->gpus_infer = gpus / 2;
    c->gpus_train = gpus - c->gpus_infer;
    return 0;
}

static int put_trainer(struct config_work *c, const struct method *m, struct error *error)
{
    const struct export_config_options *o = c->options;
    config_put(c->tree, "trainer.optim.lr",
               json_real(config_real(o->learning_rate, o->full ? m->full_rate : m->lora_rate)));
    if (!o->full) {
        config_put(c->tree, "trainer.model.lora.rank",
                   json_integer(config_int(o->lora_rank, CONFIG_RANK)));
        config_put(c->tree, "trainer.model.lora.alpha",
                   json_integer(config_int(o->lora_alpha, CONFIG_ALPHA)));
    }
    return o->async ? correction(c, error) : 0;
}

static int put_algo(struct config_work *c, const struct method *m, struct error *error)
{
    config_put(c->tree, "orchestrator.algo.type", json_string(m->name));
    if (strcmp(m->name, "rae") == 0)
        buf_text(c->notes, "rae's baseline is a running mean of past rewards, so it works at group "
                           "size 1 too, and lags when the policy improves fast\n");
    return m->family == FAMILY_OPD ? opd(c, error) : m->family == FAMILY_OPSD ? opsd(c, error) : 0;
}

static void honor_sampling(struct config_work *c, const struct method *m)
{
    const struct export_config_options *o = c->options;
    bool all = m->family != FAMILY_NAME; /* the other methods say nothing of their own here */
    if (all || o->samples >= 0)
        config_honor(c, "samples", "orchestrator.group_size");
    if (all || o->temperature >= 0)
        config_honor(c, "temperature", "orchestrator.train.sampling.temperature");
    if (all || o->max_tokens >= 0)
        config_honor(c, "max_tokens", "orchestrator.train.sampling.max_completion_tokens");
    if (all || o->learning_rate >= 0)
        config_honor(c, "learning_rate", "trainer.optim.lr");
}

static int put_orchestrator(struct config_work *c, const struct method *m, int64_t steps,
                            int64_t batch, struct error *error)
{
    const struct export_config_options *o = c->options;
    int64_t lag = o->async ? config_int(o->off_policy_steps, CONFIG_OFF_POLICY) : CONFIG_OFF_POLICY;
    config_put(c->tree, "orchestrator.batch_size", json_integer(batch));
    config_put(c->tree, "orchestrator.group_size",
               json_integer(config_int(o->samples, m->samples)));
    config_put(c->tree, "orchestrator.max_off_policy_steps", json_integer(lag));
    int code = put_algo(c, m, error);
    if (code != 0)
        return code;
    config_put(c->tree, "orchestrator.train.sampling.max_completion_tokens",
               json_integer(config_int(o->max_tokens, m->tokens)));
    config_put(c->tree, "orchestrator.train.sampling.temperature",
               json_real(config_real(o->temperature, 1.0)));
    config_put(c->tree, "orchestrator.train.source", source(c, ""));
    int64_t interval = steps / CONFIG_EVALS;
    config_put(c->tree, "orchestrator.eval.interval", json_integer(interval ? interval : 1));
    config_put(c->tree, "orchestrator.eval.num_examples", json_integer(CONFIG_EVAL_EXAMPLES));
    config_put(c->tree, "orchestrator.eval.group_size", json_integer(CONFIG_EVAL_GROUP));
    config_put(c->tree, "orchestrator.eval.source", source(c, "-eval"));
    honor_sampling(c, m);
    return 0;
}

int config_prime(struct config_work *c, struct error *error)
{
    const struct method *m = NULL;
    int64_t steps, batch;
    int code = find_method(c->method, &m, error);
    if (code == 0)
        code = read_sizes(c, &steps, &batch, error);
    if (code == 0)
        code = read_env(c, error);
    if (code != 0)
        return code;
    config_put(c->tree, "max_steps", json_integer(steps));
    config_put(c->tree, "seq_len", json_integer(CONFIG_SEQ_LEN));
    config_put(c->tree, "deployment.gpus_per_node", json_integer(c->gpus_infer + c->gpus_train));
    config_put(c->tree, "deployment.num_infer_gpus", json_integer(c->gpus_infer));
    config_put(c->tree, "deployment.num_train_gpus", json_integer(c->gpus_train));
    config_put(c->tree, "model.name", json_string(c->options->model));
    code = put_trainer(c, m, error);
    if (code == 0)
        code = put_orchestrator(c, m, steps, batch, error);
    return code;
}
