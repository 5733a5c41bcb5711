/* config.c: see config.h. What the trainers share: overrides, the report. */
#include "export/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/config_inside.h"
#include "json/tree.h"
#include "json/write.h"

void config_put(json_t *tree, const char *path, json_t *value)
{
    const char *dot;
    while ((dot = strchr(path, '.')) != NULL) {
        json_t *inner = json_object_getn(tree, path, (size_t)(dot - path));
        if (!inner) {
            inner = json_object();
            json_object_setn_new(tree, path, (size_t)(dot - path), inner);
        }
        tree = inner;
        path = dot + 1;
    }
    json_object_set_new(tree, path, value);
}

void config_honor(struct config_work *c, const char *knob, const char *where)
{
    json_object_set_new(c->honored, knob, json_string(where));
}

void config_ignore(struct config_work *c, const char *why, const char *format, ...)
{
    struct buf knob = {0};
    va_list args;
    va_start(args, format);
    buf_vformat(&knob, format, args);
    va_end(args);
    json_object_setn_new(c->ignored, knob.data, knob.len, json_string(why));
    buf_free(&knob);
}

double config_real(double given, double otherwise)
{
    return given < 0 ? otherwise : given;
}

int64_t config_int(int64_t given, int64_t otherwise)
{
    return given < 0 ? otherwise : given;
}

int config_ratio(const char *text, double *low, double *high, struct error *error)
{
    const char *comma = text ? strchr(text, ',') : NULL;
    struct buf first = {0};
    int bad = 0;
    if (!text)
        return 0;
    if (comma)
        buf_add(&first, text, (size_t)(comma - text));
    bad = !comma || option_read_real(buf_cstr(&first), low) != 0 ||
          option_read_real(comma + 1, high) != 0 || !(*low > 0 && *low <= 1 && *high >= 1);
    buf_free(&first);
    return bad ? error_set(error, ERROR_USAGE,
                           "--ratio is \"%s\"; it is LO,HI with 0 < LO <= 1 <= HI, as 0.5,5.0",
                           text)
               : 0;
}

/* ---- --set KEY=VALUE --------------------------------------------------------------------------- */

static bool has_null(const json_t *value)
{
    const char *key;
    json_t *inner;
    size_t i;
    if (json_is_null(value))
        return true;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, inner) if (has_null(inner)) return true;
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, inner) if (has_null(inner)) return true;
    }
    return false;
}

/* VALUE is JSON, else text. New reference. */
static json_t *read_value(const char *text)
{
    struct json_value value;
    struct json_fault fault;
    json_t *tree = NULL;
    if (json_scan(span_text(text), &value, NULL, &fault) == 0)
        tree = json_tree(value);
    return tree ? tree : json_string(text);
}

/* Puts value at a dotted path below tree; 0, or -1 when a part of the path is no table. */
static int lay(json_t *tree, const char *path, json_t *value)
{
    const char *dot;
    while ((dot = strchr(path, '.')) != NULL) {
        size_t len = (size_t)(dot - path);
        json_t *inner = json_object_getn(tree, path, len);
        if (!inner) {
            inner = json_object();
            if (json_object_setn_new(tree, path, len, inner) != 0)
                return -1;
        }
        if (!json_is_object(inner))
            return -1;
        tree = inner;
        path = dot + 1;
    }
    return json_object_set(tree, path, value);
}

static bool path_is_sound(const char *path)
{
    size_t len = strlen(path);
    return len && path[0] != '.' && path[len - 1] != '.' && !strstr(path, "..");
}

/* The environment's entry for training or for evaluation. */
static json_t *source_of(const struct config_work *c, const char *which)
{
    json_t *part = json_object_get(json_object_get(c->tree, "orchestrator"), which);
    return json_array_get(json_object_get(part, "source"), 0);
}

static int lay_override(struct config_work *c, bool prime, const char *key, json_t *value)
{
    static const struct {
        const char *prefix;
        bool train, eval;
    } SOURCES[] = {
        {"source.", true, true}, {"train_source.", true, false}, {"eval_source.", false, true}};
    for (size_t i = 0; prime && i < sizeof SOURCES / sizeof *SOURCES; i++) {
        size_t len = strlen(SOURCES[i].prefix);
        if (strncmp(key, SOURCES[i].prefix, len) != 0)
            continue;
        if (!path_is_sound(key + len) ||
            (SOURCES[i].train && lay(source_of(c, "train"), key + len, value) != 0))
            return -1;
        return SOURCES[i].eval ? lay(source_of(c, "eval"), key + len, value) : 0;
    }
    return lay(c->tree, key, value);
}

/* A first table that this program has never seen in a prime-rl file is more likely a slip. */
static void warn_unknown(struct config_work *c, const char *key)
{
    static const char *const KNOWN[] = {
        "max_steps",    "seq_len",   "deployment",       "model",        "trainer",
        "orchestrator", "inference", "source",           "train_source", "eval_source",
        "wandb",        "ckpt",      "output_dir",       "log",          "weight_broadcast",
        "slurm",        "bench",     "clean_output_dir", "tokenizer",    "max_async_level",
    };
    size_t len = strcspn(key, ".");
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strlen(KNOWN[i]) == len && strncmp(KNOWN[i], key, len) == 0)
            return;
    buf_format(c->notes, "--set %s: prime-rl is not known to have \"%.*s\"; check the spelling\n",
               key, (int)len, key);
}

int config_overrides(struct config_work *c, bool prime, struct error *error)
{
    const struct option_list *set = &c->options->set;
    for (size_t i = 0; i < set->count; i++) {
        const char *equals = strchr(set->items[i], '=');
        struct buf key = {0};
        if (equals)
            buf_add(&key, set->items[i], (size_t)(equals - set->items[i]));
        if (!equals || !path_is_sound(buf_cstr(&key))) {
            buf_free(&key);
            return error_set(error, ERROR_USAGE,
                             "--set %s: it is KEY=VALUE with a dotted key, as "
                             "trainer.optim.lr=2e-5",
                             set->items[i]);
        }
        json_t *value = read_value(equals + 1);
        int code = 0;
        if (prime && has_null(value))
            code =
                error_set(error, ERROR_USAGE,
                          "--set %s: TOML has no null; leave the key out instead", set->items[i]);
        else if (lay_override(c, prime, buf_cstr(&key), value) != 0)
            code = error_set(error, ERROR_USAGE,
                             "--set %s: a part of the key is a value already, not a table, or the "
                             "key is no UTF-8",
                             set->items[i]);
        if (code == 0) {
            config_honor(c, buf_cstr(&key), "as given");
            if (prime)
                warn_unknown(c, buf_cstr(&key));
        }
        json_decref(value);
        buf_free(&key);
        if (code != 0)
            return code;
    }
    return 0;
}

/* ---- report ------------------------------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_keys(struct json_writer *w, const char *name, json_t *object)
{
    size_t n = json_object_size(object), i = 0;
    const char **keys = mem_zero(n ? n : 1, sizeof *keys);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) keys[i++] = key;
    if (n)
        qsort(keys, n, sizeof *keys, by_text);
    json_write_key(w, name);
    json_write_array(w);
    for (i = 0; i < n; i++)
        json_write_text(w, keys[i]);
    json_write_end_array(w);
    free(keys);
}

static void write_tree(struct json_writer *w, const char *name, const json_t *tree)
{
    struct buf text = {0};
    json_tree_write(tree, &text);
    json_write_key(w, name);
    json_write_raw(w, buf_span(&text));
    buf_free(&text);
}

static void write_notes(struct json_writer *w, struct span left)
{
    int64_t count = 0;
    json_write_key(w, "warnings");
    json_write_array(w);
    for (; left.len; count++) {
        size_t len = span_find(left, SPAN("\n"), 0);
        json_write_span(w, span_slice(left, 0, len));
        left = span_slice(left, len + 1, left.len);
    }
    json_write_end_array(w);
    json_write_key(w, "n_warnings");
    json_write_int(w, count);
}

static void write_report(const struct config_work *c, const char *path,
                         struct export_config *config)
{
    struct json_writer w;
    json_write_start(&w, &config->report, JSON_STYLE_INDENTED);
    json_write_object(&w);
    json_write_key(&w, "wai_report");
    json_write_text(&w, "wai-export");
    json_write_key(&w, "kind");
    json_write_text(&w, "config");
    json_write_key(&w, "trainer");
    json_write_text(&w, c->options->trainer);
    json_write_key(&w, "path");
    if (path)
        json_write_text(&w, path);
    else
        json_write_null(&w);
    json_write_key(&w, "text");
    json_write_span(&w, buf_span(&config->text));
    write_tree(&w, "config", c->tree);
    json_write_key(&w, "method");
    struct buf method = {0};
    buf_format(&method, "%s%s", c->options->async ? "async " : "", c->method);
    json_write_span(&w, buf_span(&method));
    buf_free(&method);
    json_write_key(&w, "model");
    json_write_text(&w, c->options->model);
    if (c->taskset.len) {
        json_write_key(&w, "taskset");
        json_write_span(&w, buf_span(&c->taskset));
        json_write_key(&w, "gpus");
        json_write_array(&w);
        json_write_int(&w, c->gpus_infer);
        json_write_int(&w, c->gpus_train);
        json_write_end_array(&w);
    }
    write_tree(&w, "honored", c->honored);
    write_tree(&w, "ignored", c->ignored);
    write_keys(&w, "honored_keys", c->honored);
    write_keys(&w, "ignored_keys", c->ignored);
    write_notes(&w, buf_span(&config->notes));
    json_write_key(&w, "command");
    json_write_span(&w, buf_span(&config->command));
    json_write_end_object(&w);
    buf_byte(&config->report, '\n');
}

static void write_text(const struct config_work *c, bool prime, struct export_config *config)
{
    static const char *const REMARKS[][2] = {
        {"seq_len", "tokens of a rollout, prompt and replies"},
        {"orchestrator.max_off_policy_steps", "steps that a rollout may be behind the weights"},
        {NULL, NULL}};
    static const char *const ASYNC_REMARKS[][2] = {
        {"seq_len", "tokens of a rollout, prompt and replies"}, {NULL, NULL}};
    buf_format(&config->text, "# %s for %s, written by wai-export.\n# Start it with: %s\n",
               c->method, c->options->trainer, buf_cstr(&config->command));
    if (prime)
        config_toml(c->tree, c->options->async ? ASYNC_REMARKS : REMARKS, &config->text);
    else
        config_yaml(c->tree, &config->text);
}

/* A path in a comment or a shell line: quoted when it is more than a plain word. */
static void add_path(struct buf *out, const char *path)
{
    bool plain = path[0] != '\0';
    for (const char *p = path; *p; p++)
        plain = plain && (*p == '/' || *p == '.' || *p == '_' || *p == '-' ||
                          (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z'));
    if (plain) {
        buf_text(out, path);
        return;
    }
    buf_byte(out, '\'');
    for (const char *p = path; *p; p++) {
        if (*p == '\'')
            buf_text(out, "'\\''");
        else
            buf_byte(out, (unsigned char)*p < ' ' ? '?' : *p);
    }
    buf_byte(out, '\'');
}

static void write_command(const struct config_work *c, bool prime, const char *path,
                          struct export_config *config)
{
    const char *verb = strcmp(c->method, "rm") == 0 ? "reward" : c->method;
    if (prime)
        buf_text(&config->command, "uv run rl @ ");
    else
        buf_format(&config->command, "trl %s --config ", verb);
    add_path(&config->command, path ? path : prime ? "FILE" : "FILE.yaml");
}

int export_config_make(const struct export_config_options *options, const char *path,
                       struct export_config *config, struct error *error)
{
    bool prime = options->trainer && strcmp(options->trainer, "prime-rl") == 0;
    struct config_work c = {.options = options,
                            .tree = json_object(),
                            .honored = json_object(),
                            .ignored = json_object(),
                            .notes = &config->notes,
                            .method = options->method ? options->method : "grpo"};
    int code = 0;
    if (!options->trainer || !options->model)
        code = error_set(error, ERROR_USAGE,
                         "a configuration needs --trainer prime-rl or trl, and --model");
    else if (options->lora && options->full)
        code = error_set(error, ERROR_USAGE, "--lora and --full exclude each other; give one");
    if (code == 0)
        code = prime ? config_prime(&c, error) : config_trl(&c, error);
    if (code == 0)
        code = config_overrides(&c, prime, error);
    if (code == 0) {
        write_command(&c, prime, path, config);
        write_text(&c, prime, config);
        write_report(&c, path, config);
    }
    json_decref(c.tree);
    json_decref(c.honored);
    json_decref(c.ignored);
    buf_free(&c.taskset);
    return code;
}

void export_config_free(struct export_config *config)
{
    buf_free(&config->text);
    buf_free(&config->report);
    buf_free(&config->notes);
    buf_free(&config->command);
}
