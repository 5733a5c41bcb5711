/* scorer_options.c: see scorer_options.h. */
#include "grade/scorer_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "grade/verify.h"
#include "json/write.h"

int scorer_options_join(int argc, char **argv, struct arena *texts)
{
    int out = 0;
    for (int i = 0; i < argc; i++) {
        bool pair = (!strcmp(argv[i], "--arg") || !strcmp(argv[i], "--argjson")) && i + 2 < argc &&
                    !strchr(argv[i + 1], '=');
        argv[out++] = argv[i];
        if (!strcmp(argv[i], "--")) {
            while (++i < argc)
                argv[out++] = argv[i];
        } else if (pair) {
            struct buf joined = {0};
            buf_format(&joined, "%s=%s", argv[i + 1], argv[i + 2]);
            argv[out++] = (char *)arena_text(texts, buf_cstr(&joined));
            buf_free(&joined);
            i += 2;
        }
    }
    return out;
}

static int bind_list(struct scorer_choice *p, const struct option_list *list, bool json,
                     size_t *cap, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->items[i], '=');
        struct buf text = {0};
        if (!equals || equals == list->items[i])
            return error_set(error, ERROR_USAGE, "--%s %s: NAME=VALUE is wanted",
                             json ? "argjson" : "arg", list->items[i]);
        if (json)
            buf_text(&text, equals + 1);
        else
            json_quote(&text, span_text(equals + 1));
        struct span name = span_make(list->items[i], (size_t)(equals - list->items[i]));
        p->bindings = mem_grow(p->bindings, cap, p->n_bindings + 1, sizeof *p->bindings);
        p->bindings[p->n_bindings++] = (struct scorer_binding){
            arena_span(&p->names, name).ptr, arena_span(&p->names, buf_span(&text))};
        buf_free(&text);
    }
    return 0;
}

static int read_scale(struct verdict_scale *scale, const char *text, struct error *error)
{
    if (!text)
        return 0;
    scale->set = option_read_pair(text, &scale->low, &scale->high) == 0 && scale->high > scale->low;
    return scale->set ? 0
                      : error_set(error, ERROR_USAGE,
                                  "--scale %s: LO,HI is wanted, two numbers, HI above LO", text);
}

static struct scorer *open_expr(struct scorer_choice *p, const struct scorer_options *o,
                                struct scorer_setup *setup, struct error *error)
{
    size_t cap = 0;
    p->backend = "expr";
    if (o->expr_file ? file_read(o->expr_file, CODE_SOURCE_MAX, &p->program, error) < 0
                     : (buf_text(&p->program, o->expr), false))
        return NULL;
    if (bind_list(p, &o->args, false, &cap, error) < 0 ||
        bind_list(p, &o->json_args, true, &cap, error) < 0)
        return NULL;
    const struct scorer_expr_options options = {.program = buf_cstr(&p->program),
                                                .bindings = p->bindings,
                                                .n_bindings = p->n_bindings,
                                                .with_env = o->expr_env};
    return scorer_expr_open(&options, setup, error);
}

static struct scorer *open_cmd(struct scorer_choice *p, const struct scorer_options *o,
                               struct scorer_setup *setup, struct error *error)
{
    const struct scorer_cmd_options options = {
        .command = o->cmd, .envelope = o->envelope, .batch = (int)o->batch, .kind = o->cmd_kind};
    p->backend = "cmd";
    return scorer_cmd_open(&options, setup, error);
}

static struct scorer *open_verify(struct scorer_choice *p, const struct scorer_options *o,
                                  struct scorer_setup *setup, struct error *error)
{
    const struct scorer_verify_options options = {.specs = o->verify.items,
                                                  .n_specs = o->verify.count,
                                                  .compose = o->weights ? VERIFY_WEIGHTED
                                                             : o->any   ? VERIFY_ANY
                                                                        : VERIFY_ALL,
                                                  .weights = o->weights};
    p->backend = "verify";
    return scorer_verify_open(&options, setup, error);
}

size_t scorer_options_count(const struct scorer_options *o)
{
    return (size_t)(o->expr != NULL) + (o->expr_file != NULL) + (o->cmd != NULL) +
           (o->verify.count > 0) + o->conduct + o->checklist;
}

static int check_choice(const struct scorer_options *o, struct error *error)
{
    if (scorer_options_count(o) > 1)
        return error_set(error, ERROR_USAGE,
                         "two scorers; name one of --expr, --expr-file, --cmd, --verify, --conduct "
                         "and --checklist");
    if ((o->all || o->any || o->weights) && o->verify.count < 2)
        return error_set(error, ERROR_USAGE,
                         "--all, --any and --weights combine several --verify; give two or more");
    if (o->all + o->any + (o->weights != NULL) > 1)
        return error_set(error, ERROR_USAGE, "give one of --all, --any and --weights");
    if ((o->envelope || o->cmd_kind || o->batch) && !o->cmd)
        return error_set(error, ERROR_USAGE,
                         "--cmd-envelope, --cmd-batch and --cmd-kind need --cmd");
    if (o->scale && !o->expr && !o->expr_file && !o->cmd)
        return error_set(error, ERROR_USAGE,
                         "--scale reads ratings of --expr and --cmd; no other scorer gives any");
    return 0;
}

int scorer_choice_open(struct scorer_choice *c, const struct scorer_options *o,
                       struct scorer_setup *setup, struct error *error)
{
    int rc = check_choice(o, error);
    if (!rc)
        rc = read_scale(&setup->scale, o->scale, error);
    if (rc)
        return rc;
    c->by_default = scorer_options_count(o) == 0;
    if (o->cmd) {
        c->scorer = open_cmd(c, o, setup, error);
    } else if (o->verify.count) {
        c->scorer = open_verify(c, o, setup, error);
    } else if (o->expr || o->expr_file) {
        c->scorer = open_expr(c, o, setup, error);
    } else {
        c->backend = o->conduct ? "conduct" : "checklist";
        c->scorer =
            o->conduct ? scorer_conduct_open(setup, error) : scorer_checklist_open(setup, error);
    }
    return c->scorer ? 0 : error->code;
}

void scorer_choice_close(struct scorer_choice *c)
{
    scorer_close(c->scorer);
    buf_free(&c->program);
    free(c->bindings);
    arena_free(&c->names);
    *c = (struct scorer_choice){0};
}

void scorer_options_free(struct scorer_options *o)
{
    option_list_free(&o->verify);
    option_list_free(&o->args);
    option_list_free(&o->json_args);
}
