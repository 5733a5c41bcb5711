/* environment_openenv.c: the texts of an OpenEnv package beside its Python: the manifest, the project file,
 * what its page on a hub begins with (select 16.4). */
#include "export/config_inside.h"
#include "export/defaults.h"
#include "export/environment_inside.h"

/* Names of tools as a flow sequence of YAML, which a JSON array is. */
static void add_tools(const struct export_environment *e, struct buf *out)
{
    struct json_value list;
    struct json_fault fault;
    struct environment_tool tool;
    struct json_writer w;
    struct buf scratch = {0};
    json_write_start(&w, out, JSON_STYLE_SPACED);
    json_write_array(&w);
    if (json_scan(e->options->tools, &list, NULL, &fault) == 0) {
        struct json_cursor cursor = json_enter(list);
        while (environment_next_tool(&cursor, &tool))
            json_write_span(&w, json_text(tool.name, &scratch));
    }
    json_write_text(&w, "submit");
    json_write_end_array(&w);
    buf_free(&scratch);
}

void openenv_manifest(const struct export_environment *e, struct buf *out)
{
    buf_format(out,
               "spec_version: 1\n"
               "name: \"%.*s\"\n"
               "version: 0.1.0\n"
               "type: space\n"
               "runtime: fastapi\n"
               "app: server.app:app\n"
               "port: %d\n"
               "validation:\n"
               "  reward:\n"
               "    range: [0.0, 1.0]\n"
               "    oracle_tolerance: 0.0\n"
               "    floor_margin: 0.1\n"
               "  resources:\n"
               "    cpu: 1.0\n"
               "    memory_mb: 1024\n"
               "    disk_mb: 512\n"
               "    episode_timeout_s: 120.0\n"
               "  capabilities:\n"
               "    verifier:\n"
               "      kind: reward_channel\n"
               "    declared_tools: ",
               (int)e->name.len, e->name.data, OPENENV_PORT);
    add_tools(e, out);
    buf_text(out, "\n  types:\n    tags: [tool-use, multi-turn, whileai]\n");
}

void openenv_project(const struct export_environment *e, struct buf *out)
{
    struct buf text = {0}, dashed = {0};
    int len = (int)e->name.len;
    const char *name = e->name.data;
    environment_describe(e, &text);
    buf_span_add(&dashed, buf_span(&e->name));
    for (size_t i = 0; i < dashed.len; i++)
        if (dashed.data[i] == '_')
            dashed.data[i] = '-';
    buf_format(out, "[project]\nname = \"openenv-%.*s\"\nversion = \"0.1.0\"\ndescription = ",
               (int)dashed.len, dashed.data);
    config_toml_text(out, text.data, text.len);
    buf_format(out,
               "\nreadme = \"README.md\"\nrequires-python = \">=3.11\"\n"
               "dependencies = [\"openenv>=0.5\", \"fastapi>=0.115.0\", \"uvicorn>=0.24.0\"]\n\n"
               "[project.scripts]\nserver = \"%.*s.server.app:main\"\n\n"
               "[build-system]\nrequires = [\"setuptools>=61\"]\n"
               "build-backend = \"setuptools.build_meta\"\n\n"
               "[tool.setuptools]\npackages = [\"%.*s\", \"%.*s.server\"]\n"
               "package-dir = { \"%.*s\" = \".\", \"%.*s.server\" = \"server\" }\n\n"
               "[tool.setuptools.package-data]\n"
               "\"%.*s\" = [\"*.json\", \"*.md\", \"openenv.yaml\", \"data/*.jsonl\"]\n",
               len, name, len, name, len, name, len, name, len, name, len, name);
    buf_free(&text);
    buf_free(&dashed);
}

void openenv_front_matter(const struct export_environment *e, struct buf *out)
{
    buf_format(
        out,
        "---\ntitle: \"%.*s\"\nemoji: \"\\U0001F9EA\"\ncolorFrom: blue\ncolorTo: green\n"
        "sdk: docker\n"
        "pinned: false\napp_port: %d\nbase_path: /web\ntags:\n  - openenv\n  - whileai\n---\n\n",
        (int)e->name.len, e->name.data, OPENENV_PORT);
}

void openenv_quick_start(const struct export_environment *e, struct buf *out)
{
    struct buf class_name = {0};
    environment_class(e, &class_name);
    buf_format(out,
               "    pip install .\n"
               "    server --port %d\n\n"
               "    from %.*s import %sEnv, CallToolAction\n"
               "    with %sEnv(base_url=\"http://127.0.0.1:%d\").sync() as env:\n"
               "        start = env.reset(split=\"train\", index=0)\n"
               "        print(start.observation.metadata[\"task\"], "
               "start.observation.metadata[\"tools\"])\n"
               "        end = env.step(CallToolAction(tool_name=\"submit\", arguments={\"answer\": "
               "\"...\"}))\n"
               "        print(end.reward, end.observation.result)\n\n"
               "`wai-simulate` and `wai-grade` must be on PATH where the server runs: they are the "
               "world and\n"
               "the reward. `server/Dockerfile` builds an image that holds them.\n"
               "The held-out tasks: `reset(split=\"holdout\")`. The last call allowed ends an "
               "episode with 0.\n",
               OPENENV_PORT, (int)e->name.len, e->name.data, buf_cstr(&class_name),
               buf_cstr(&class_name), OPENENV_PORT);
    buf_free(&class_name);
}
