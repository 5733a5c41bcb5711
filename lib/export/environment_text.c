/* environment_text.c: the texts of an environment package beside its Python: spec.json,
 * pyproject.toml, README.md (select 16.2, 16.3). */
#include <stdio.h>

#include "export/config_inside.h"
#include "export/defaults.h"
#include "export/environment_inside.h"
#include "export/turns.h"
#include "text/fold.h"
#include "text/utf8.h"

static void write_tools(const struct export_environment *e, struct json_writer *w)
{
    struct json_value list;
    struct json_fault fault;
    struct environment_tool tool;
    json_write_key(w, "tools");
    json_write_array(w);
    if (json_scan(e->options->tools, &list, NULL, &fault) == 0) {
        struct json_cursor cursor = json_enter(list);
        while (environment_next_tool(&cursor, &tool)) {
            bool described = tool.description.type == JSON_VALUE_STRING;
            bool schema = tool.parameters.type == JSON_VALUE_OBJECT;
            json_write_object(w);
            json_write_key(w, "name");
            json_write_raw(w, tool.name.text);
            json_write_key(w, "description");
            json_write_raw(w, described ? tool.description.text : SPAN("\"\""));
            json_write_key(w, "parameters");
            json_write_raw(w, schema ? tool.parameters.text
                                     : SPAN("{\"type\":\"object\",\"properties\":{}}"));
            json_write_end_object(w);
        }
    }
    json_write_end_array(w);
}

void environment_spec(const struct export_environment *e, struct buf *out)
{
    struct json_writer w;
    json_write_start(&w, out, JSON_STYLE_INDENTED);
    json_write_object(&w);
    json_write_key(&w, "name");
    json_write_span(&w, buf_span(&e->name));
    json_write_key(&w, "system_prompt");
    json_write_span(&w, e->options->system_prompt);
    write_tools(e, &w);
    json_write_key(&w, "max_turns");
    json_write_int(&w, e->max_turns);
    json_write_key(&w, "reward");
    json_write_text(&w, environment_reward(e));
    json_write_key(&w, "execute");
    if (e->options->execute)
        json_write_text(&w, e->options->execute);
    else
        json_write_null(&w);
    json_write_key(&w, "sdk_version");
    json_write_text(&w, WAI_VERSION);
    if (e->world.len) {
        json_write_key(&w, "world");
        json_write_raw(&w, buf_span(&e->world));
    }
    json_write_end_object(&w);
    buf_byte(out, '\n');
}

/* What was said, else the beginning of the system prompt, on one line. */
void environment_describe(const struct export_environment *e, struct buf *out)
{
    struct span text =
        e->options->description ? span_text(e->options->description) : e->options->system_prompt;
    struct buf line = {0};
    struct span word;
    size_t at = 0;
    while (text_next_word(text, &at, &word)) {
        if (line.len)
            buf_byte(&line, ' ');
        buf_span_add(&line, word);
    }
    struct span whole = buf_span(&line);
    if (!e->options->description && utf8_length(whole) > EXPORT_DESCRIPTION)
        whole = utf8_head(whole, EXPORT_DESCRIPTION);
    buf_span_add(out, whole);
    buf_free(&line);
}

void environment_project(const struct export_environment *e, struct buf *out)
{
    struct buf text = {0}, dashed = {0};
    const struct buf *name = &e->name;
    environment_describe(e, &text);
    buf_span_add(&dashed, buf_span(name));
    for (size_t i = 0; i < dashed.len; i++)
        if (dashed.data[i] == '_')
            dashed.data[i] = '-';
    buf_format(out,
               "[project]\nname = \"%.*s\"\nversion = \"0.1.0\"\ndescription = ", (int)dashed.len,
               dashed.data);
    config_toml_text(out, text.data, text.len);
    buf_format(out,
               "\nreadme = \"README.md\"\nrequires-python = \">=3.11,<3.14\"\n"
               "dependencies = [\"verifiers>=0.4,<0.5\"]\ntags = [\"tool-use\", \"multi-turn\"]\n\n"
               "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n\n"
               "[tool.hatch.build]\nignore-vcs = true\n"
               "include = [\"%.*s\", \"pyproject.toml\", \"README.md\"]\n\n"
               "[tool.hatch.build.targets.wheel]\npackages = [\"%.*s\"]\n\n"
               "[tool.verifiers.eval]\nnum_examples = 5\nrollouts_per_example = 3\n",
               (int)name->len, name->data, (int)name->len, name->data);
    buf_free(&text);
    buf_free(&dashed);
}

/* ---- README ------------------------------------------------------------------------------------- */

static void add_plain(struct buf *out, struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("\\`*_{}[]<>#|", text.ptr[i]) && text.ptr[i])
            buf_byte(out, '\\');
        buf_byte(out, (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i]);
    }
}

static void add_tools(const struct export_environment *e, struct buf *out)
{
    struct json_value list;
    struct json_fault fault;
    struct environment_tool tool;
    struct buf scratch = {0};
    const char *between = "";
    if (json_scan(e->options->tools, &list, NULL, &fault) == 0) {
        struct json_cursor cursor = json_enter(list);
        while (environment_next_tool(&cursor, &tool)) {
            buf_text(out, between);
            add_plain(out, json_text(tool.name, &scratch));
            between = ", ";
        }
    }
    buf_free(&scratch);
}

static void add_facts(const struct export_environment *e, struct buf *out)
{
    struct json_writer w;
    struct buf report = {0};
    struct json_value value, member;
    struct json_fault fault;
    buf_format(
        out, "| | |\n|---|---|\n| training tasks | %zu |\n| held-out tasks | %zu |\n| tools | ",
        export_tasks_count(e->tasks, EXPORT_TRAIN), export_tasks_count(e->tasks, EXPORT_HOLDOUT));
    add_tools(e, out);
    buf_format(out, " |\n| turns of a rollout | at most %lld |\n| world | ",
               (long long)e->max_turns);
    add_plain(out,
              span_text(e->options->execute ? e->options->execute
                                            : "the mock world of wai-simulate, one a rollout"));
    buf_text(out, " |\n| reward | ");
    add_plain(out, span_text(environment_reward(e)));
    buf_text(out, " |\n");
    json_write_start(&w, &report, JSON_STYLE_COMPACT);
    json_write_object(&w);
    export_tasks_report(e->tasks, &w);
    json_write_end_object(&w);
    static const struct {
        struct span key;
        const char *label;
    } ROWS[] = {{{"prompts", 7}, "prompts that went in"},
                {{"band", 4}, "band of pass rates"},
                {{"band_dropped", 12}, "tasks outside the band, left out"},
                {{"graded_mixed", 12}, "tasks with different rewards"}};
    if (json_scan(buf_span(&report), &value, NULL, &fault) == 0) {
        for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
            if (json_get(value, ROWS[i].key, &member))
                buf_format(out, "| %s | %.*s |\n", ROWS[i].label, (int)member.text.len,
                           member.text.ptr);
        if (json_get(value, SPAN("decontamination"), &value) &&
            json_get(value, SPAN("n_contaminated"), &member))
            buf_format(out, "| training prompts that overlap a held-out one | %.*s |\n",
                       (int)member.text.len, member.text.ptr);
    }
    buf_free(&report);
}

void environment_readme(const struct export_environment *e, struct buf *out)
{
    struct buf text = {0};
    const struct buf *name = &e->name;
    if (e->openenv)
        openenv_front_matter(e, out);
    buf_format(out, "# %.*s\n\n", (int)name->len, name->data);
    environment_describe(e, &text);
    add_plain(out, buf_span(&text));
    buf_text(out, "\n\n");
    add_facts(e, out);
    buf_text(out, "\n## Quick start\n\n");
    if (e->openenv)
        openenv_quick_start(e, out);
    else
        buf_format(
            out,
            "    pip install .\n"
            "    vf-eval %.*s -m MODEL\n\n"
            "`wai-simulate` and `wai-grade` must be on PATH: they are the world and the reward.\n"
            "The held-out tasks: `--env.taskset.split holdout`.\n",
            (int)name->len, name->data);
    buf_text(
        out,
        "\n## The answer key\n\n"
        "`info` of every task holds what its grader and its world know. It stays on the side\n"
        "that runs the environment; no policy sees it. Pushing this package to a hub publishes\n"
        "it, the answers with it.\n");
    buf_clear(&text);
    export_environment_notes(e, &text);
    struct span left = buf_span(&text);
    if (left.len)
        buf_text(out, "\n## To know before training\n\n");
    while (left.len) {
        size_t len = span_find(left, SPAN("\n"), 0);
        buf_text(out, "- ");
        add_plain(out, span_slice(left, 0, len));
        buf_byte(out, '\n');
        left = span_slice(left, len + 1, left.len);
    }
    buf_free(&text);
}
