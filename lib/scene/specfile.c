/* specfile.c: see specfile.h. */
#include "scene/specfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene/defaults.h"
#include "text/fold.h"
#include "json/tree.h"
#include "json/write.h"

static bool ends_with(const char *text, const char *suffix)
{
    return span_ends(span_text(text), span_text(suffix));
}

/* A separator or a suffix, or one short word; anything else is a sentence. */
static bool looks_like_path(const char *text)
{
    if (strpbrk(text, "/\\") || ends_with(text, ".json") || ends_with(text, ".yaml") ||
        ends_with(text, ".yml"))
        return true;
    return !strchr(text, ' ') && strlen(text) < SCENE_PATH_WORD_MAX;
}

static bool has_suffix(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name;
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The first candidate that is a file; NULL: none. The caller frees. */
static char *find_file(const char *text)
{
    static const char *const below[] = {"%s",          "%s.json",      "%s.yaml",
                                        "%s.yml",      "%s/spec.json", "%s/spec.yaml",
                                        "%s/spec.yml", "%s/agent.json"};
    static const char *const specs[] = {"specs/%s", "specs/%s/spec.json", "specs/%s/spec.yaml",
                                        "specs/%s/spec.yml"};
    size_t n_below = has_suffix(text) ? 1 : sizeof below / sizeof *below;
    size_t n_specs = strchr(text, '/') ? 0 : sizeof specs / sizeof *specs;
    struct buf path = {0};
    for (size_t i = 0; i < n_below + n_specs; i++) {
        const char *form = i < n_below ? below[i] : specs[i - n_below];
        const char *place = strstr(form, "%s");
        buf_clear(&path);
        buf_add(&path, form, (size_t)(place - form));
        buf_text(&path, text);
        buf_text(&path, place + 2);
        if (is_file(buf_cstr(&path)))
            return buf_take(&path);
    }
    buf_free(&path);
    return NULL;
}

/* ---- what an object says --------------------------------------------------------------------- */

static void add_line(struct buf *policy, struct span line)
{
    line = text_strip(line);
    if (!line.len)
        return;
    if (policy->len)
        buf_byte(policy, '\n');
    buf_span_add(policy, line);
}

static struct span string_of(const json_t *v)
{
    return span_make(json_string_value(v), json_string_length(v));
}

/* A text, the texts of a list, the text values of an object. */
static void add_texts(struct buf *policy, json_t *v)
{
    size_t i;
    const char *key;
    json_t *item;
    if (json_is_string(v))
        add_line(policy, string_of(v));
    json_array_foreach(v, i, item)
    {
        if (json_is_string(item))
            add_line(policy, string_of(item));
    }
    json_object_foreach(v, key, item)
    {
        if (json_is_string(item))
            add_line(policy, string_of(item));
    }
}

static bool among(const char *key, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(key, *words) == 0)
            return true;
    return false;
}

static int read_tools(struct scene_spec *spec, json_t *tools, const char *path, struct error *error)
{
    struct buf text = {0};
    json_tree_write(tools, &text);
    int code = row_tools_parse(&spec->tools, buf_span(&text), path, error);
    buf_free(&text);
    return code;
}

static void read_asks(struct scene_spec *spec, json_t *asks)
{
    size_t i;
    json_t *item;
    json_array_foreach(asks, i, item)
    {
        if (json_is_object(item))
            item = json_object_get(item, "prompt");
        if (!json_is_string(item))
            continue;
        json_quote(&spec->asks, string_of(item));
        buf_byte(&spec->asks, '\n');
    }
}

static int read_object(struct scene_spec *spec, json_t *object, const char *path,
                       struct buf *policy, struct error *error)
{
    static const char *const prompts[] = {"system_prompt", "system", "policy",
                                          "instructions",  "rules",  NULL};
    /* not policy; the rubric least of all: the agent would read the key to its own marks */
    static const char *const others[] = {"tools", "situations", "name",      "id",     "version",
                                         "model", "backend",    "simulator", "rubric", NULL};
    const char *key;
    json_t *v, *tools = json_object_get(object, "tools");
    int code = json_is_array(tools) ? read_tools(spec, tools, path, error) : 0;
    if (tools && !json_is_array(tools) && !code)
        code = error_set(error, ERROR_INPUT, "%s: tools is not an array", path);
    for (int i = 0; prompts[i]; i++)
        if ((v = json_object_get(object, prompts[i]))) {
            add_texts(policy, v);
            break;
        }
    json_object_foreach(object, key, v)
    {
        if (!among(key, prompts) && !among(key, others))
            add_texts(policy, v);
    }
    v = json_object_get(object, "name");
    if (!json_is_string(v))
        v = json_object_get(object, "id");
    if (json_is_string(v))
        buf_span_add(&spec->name, string_of(v));
    read_asks(spec, json_object_get(object, "situations"));
    return code;
}

int spec_file_read(struct scene_spec *spec, const char *text, struct buf *policy,
                   struct error *error)
{
    if (!looks_like_path(text)) {
        add_line(policy, span_text(text));
        return 0;
    }
    char *path = find_file(text);
    if (!path)
        return error_set(error, ERROR_INPUT, "--spec %s: no such file, nor a folder with spec.json",
                         text);
    json_t *tree = json_tree_file(path, error);
    int code = tree ? 0 : error->code;
    if (tree && !json_is_object(tree))
        code = error_set(error, ERROR_INPUT, "%s: a specification is one object", path);
    if (!code)
        code = read_object(spec, tree, path, policy, error);
    json_decref(tree);
    free(path);
    return code;
}
