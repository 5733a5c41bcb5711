/* code.c: results of a programmer's tools and of money (world 4.7): files, listings, searches in
 * text, shells, git, continuous integration. Structure and numbers are fixed; the free text is our
 * own, deterministic in the path and the draw. */
#include <stdio.h>

#include "text/digest.h"
#include "text/fold.h"
#include "world/inside.h"

static struct span stem(struct world *w, uint64_t n)
{
    return pool_pick(&w->options->stems, n, 5);
}

static struct node *text_value(struct world *w, const char *text)
{
    return node_borrow(&w->arena, span_text(text));
}

static struct node *source_path(struct world *w, uint64_t n)
{
    buf_clear(&w->scratch);
    buf_text(&w->scratch, "src/");
    buf_span_add(&w->scratch, stem(w, n));
    buf_text(&w->scratch, ".py");
    return node_text(&w->arena, buf_span(&w->scratch));
}

struct span file_path(struct world *w, const struct node *arguments, uint64_t n)
{
    static const char *const keys[] = {"path", "file_path", "filepath", "file", "filename"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct node *v = node_find(arguments, keys[i]);
        if (node_is(v, JSON_VALUE_STRING) && !text_blank(v->text))
            return text_strip(v->text);
    }
    return source_path(w, n)->text;
}

/* ---- texts of files -------------------------------------------------------------------------- */

static void code_text(struct world *w, uint64_t n, struct buf *out)
{
    const struct world_options *o = w->options;
    struct span verb = pool_pick(&o->code_verbs, n, 3), noun = pool_pick(&o->code_nouns, n, 11);
    struct span next = pool_pick(&o->code_nouns, n + 1, 11);
    buf_format(out, "LIMIT = %u\n\n\ndef %.*s_%.*s(%.*s):\n", (unsigned)(10 + n % 90),
               (int)verb.len, verb.ptr, (int)noun.len, noun.ptr, (int)next.len, next.ptr);
    buf_format(out, "    if len(%.*s) > LIMIT:\n        raise ValueError(\"too many\")\n",
               (int)next.len, next.ptr);
    buf_format(out, "    return [item for item in %.*s if item]\n", (int)next.len, next.ptr);
}

static void diff_text(struct world *w, struct span path, uint64_t n, struct buf *out)
{
    struct span noun = pool_pick(&w->options->code_nouns, n, 11);
    unsigned line = (unsigned)(8 + n % 80), old = (unsigned)(1 + n % 9);
    buf_text(out, "--- a/");
    buf_span_add(out, path);
    buf_text(out, "\n+++ b/");
    buf_span_add(out, path);
    buf_format(out, "\n@@ -%u,3 +%u,3 @@\n ", line, line);
    buf_span_add(out, noun);
    buf_text(out, "_ready = True\n-");
    buf_span_add(out, noun);
    buf_format(out, "_retries = %u\n+", old);
    buf_span_add(out, noun);
    buf_format(out, "_retries = %u\n ", old + 1);
    buf_span_add(out, noun);
    buf_text(out, "_open = False\n");
}

void file_text(struct world *w, struct span path, uint64_t n, struct buf *out)
{
    size_t dot = path.len;
    while (dot && path.ptr[dot - 1] != '.' && path.ptr[dot - 1] != '/')
        dot--;
    struct span extension =
        dot && path.ptr[dot - 1] == '.' ? span_slice(path, dot, path.len) : (struct span){NULL, 0};
    struct span noun = pool_pick(&w->options->code_nouns, n, 11);
    struct span verb = pool_pick(&w->options->code_verbs, n, 3);
    unsigned size = (unsigned)(1 + n % 40);
    if (span_is(extension, "json"))
        buf_format(out, "{\n  \"name\": \"%.*s\",\n  \"size\": %u,\n  \"enabled\": true\n}\n",
                   (int)noun.len, noun.ptr, size);
    else if (span_is(extension, "yaml") || span_is(extension, "yml"))
        buf_format(out, "name: %.*s\nsize: %u\nenabled: true\n", (int)noun.len, noun.ptr, size);
    else if (span_is(extension, "toml"))
        buf_format(out, "[%.*s]\nsize = %u\nenabled = true\n", (int)noun.len, noun.ptr, size);
    else if (span_is(extension, "log") || span_is(extension, "txt"))
        buf_format(out, "%.*s started\n%.*s %.*s: %u done\n%.*s finished\n", (int)noun.len,
                   noun.ptr, (int)verb.len, verb.ptr, (int)noun.len, noun.ptr, size, (int)noun.len,
                   noun.ptr);
    else if (span_is(extension, "md"))
        buf_format(out, "# %.*s\n\nHow to %.*s it, in %u steps.\n", (int)noun.len, noun.ptr,
                   (int)verb.len, verb.ptr, size);
    else if (span_is(extension, "diff") || span_is(extension, "patch"))
        diff_text(w, path, n, out);
    else
        code_text(w, n, out);
}

static struct node *file_data(struct world *w, const struct call *c, uint32_t n)
{
    struct node *data = node_object(&w->arena);
    struct span path = file_path(w, c->arguments, n);
    struct buf content = {0};
    file_text(w, path, n, &content);
    node_add(data, "path", node_text(&w->arena, path));
    node_add(data, "content", node_text(&w->arena, buf_span(&content)));
    node_add(data, "bytes", node_int(&w->arena, (int64_t)content.len));
    node_add(data, "encoding", text_value(w, "utf-8"));
    buf_free(&content);
    return data;
}

static struct node *files_data(struct world *w, const struct call *c, uint32_t n)
{
    static const char *const keys[] = {"path", "directory", "dir", NULL};
    struct arena *a = &w->arena;
    struct node *data = node_object(a), *entries = node_array(a);
    struct node *root = first_truthy_text(w, c->arguments, keys, "src");
    struct span base = root->text;
    while (base.len && base.ptr[base.len - 1] == '/')
        base.len--;
    uint64_t count = 3 + n % 3;
    for (uint64_t i = 0; i < count; i++) {
        bool folder = i == 0 && n % 5 == 0;
        struct node *entry = node_object(a);
        buf_clear(&w->scratch);
        buf_span_add(&w->scratch, base);
        buf_byte(&w->scratch, '/');
        buf_span_add(&w->scratch, stem(w, n + 17 * i));
        if (!folder)
            buf_text(&w->scratch, ".py");
        struct span path = arena_span(a, buf_span(&w->scratch));
        node_add(entry, "name", node_borrow(a, span_slice(path, base.len + 1, path.len)));
        node_add(entry, "type", text_value(w, folder ? "dir" : "file"));
        node_add(entry, "path", node_borrow(a, path));
        node_append(entries, entry);
    }
    node_add(data, "path", root);
    node_add(data, "entries", entries);
    node_add(data, "count", node_int(a, (int64_t)count));
    return data;
}

static struct node *grep_data(struct world *w, const struct call *c, uint32_t n)
{
    static const char *const keys[] = {"pattern", "query", "regex", NULL};
    struct arena *a = &w->arena;
    struct node *data = node_object(a), *matches = node_array(a);
    struct node *pattern = first_truthy_text(w, c->arguments, keys, "TODO");
    uint64_t count = 2 + n % 3;
    for (uint64_t i = 0; i < count; i++) {
        struct node *match = node_object(a);
        node_add(match, "path", source_path(w, n + 13 * i));
        node_add(match, "line", node_int(a, (int64_t)(8 + (n + 19 * i) % 80)));
        buf_clear(&w->scratch);
        buf_text(&w->scratch, "    # ");
        buf_span_add(&w->scratch, pattern->text);
        buf_text(&w->scratch, ": ");
        buf_span_add(&w->scratch, pool_pick(&w->options->code_verbs, n + i, 3));
        buf_text(&w->scratch, " the ");
        buf_span_add(&w->scratch, pool_pick(&w->options->code_nouns, n + i, 11));
        node_add(match, "text", node_text(a, buf_span(&w->scratch)));
        node_append(matches, match);
    }
    node_add(data, "pattern", pattern);
    node_add(data, "count", node_int(a, (int64_t)count));
    node_add(data, "matches", matches);
    return data;
}

/* ---- shells ---------------------------------------------------------------------------------- */

/* A run of tests as its tool prints it. */
static void tests_text(struct world *w, uint64_t n, unsigned collected, bool failed,
                       struct buf *out)
{
    struct span file = stem(w, n), noun = pool_pick(&w->options->code_nouns, n, 11);
    buf_format(out, "collected %u items\n\ntests/test_%.*s.py ", collected, (int)file.len,
               file.ptr);
    for (unsigned i = 0; i < collected; i++)
        buf_byte(out, failed && i + 1 == collected ? 'F' : '.');
    if (failed)
        buf_format(
            out,
            "\n\nFAILED tests/test_%.*s.py::test_%.*s - assert %u == %u\n1 failed, %u passed\n",
            (int)file.len, file.ptr, (int)noun.len, noun.ptr, (unsigned)(n % 7),
            (unsigned)(n % 7 + 1), collected - 1);
    else
        buf_format(out, "\n\n%u passed\n", collected);
}

static int shell_output(struct world *w, uint64_t n, bool listing, struct buf *out, struct buf *err)
{
    uint64_t flavor = n % (uint64_t)w->options->shell_flavors;
    struct span file = stem(w, n);
    if (flavor == 0) {
        buf_format(err, "%.*s: permission denied\n", (int)file.len, file.ptr);
        return 1;
    }
    if (flavor == 1) {
        tests_text(w, n, (unsigned)(6 + n % 5), true, out);
        return 1;
    }
    if (flavor == 2) {
        buf_format(out,
                   "Auto-merging src/%.*s.py\nCONFLICT (content): merge conflict in src/%.*s.py\n"
                   "Fix the conflict, then commit the result.\n",
                   (int)file.len, file.ptr, (int)file.len, file.ptr);
        return 1;
    }
    if (listing || flavor == 3)
        buf_format(out, "%.*s.py\ntests\nREADME.md\n", (int)file.len, file.ptr);
    else
        tests_text(w, n, (unsigned)(6 + n % 6), false, out);
    return 0;
}

static struct node *shell_data(struct world *w, const struct call *c, uint32_t n)
{
    static const char *const keys[] = {"command", "cmd", "argv", NULL};
    struct arena *a = &w->arena;
    struct node *data = node_object(a), *command = first_truthy_text(w, c->arguments, keys, "true");
    struct buf out = {0}, err = {0};
    int status = shell_output(w, n, span_has(command->text, SPAN("ls")), &out, &err);
    node_add(data, "command", command);
    node_add(data, "exit_code", node_int(a, status));
    node_add(data, "stdout", node_text(a, buf_span(&out)));
    node_add(data, "stderr", node_text(a, buf_span(&err)));
    buf_free(&out);
    buf_free(&err);
    return data;
}

/* ---- git, continuous integration ------------------------------------------------------------- */

static struct node *branch_value(struct world *w, uint64_t n)
{
    buf_clear(&w->scratch);
    buf_text(&w->scratch, "feature/");
    buf_span_add(&w->scratch, pool_pick(&w->options->code_nouns, n, 11));
    return node_text(&w->arena, buf_span(&w->scratch));
}

static struct node *one_path(struct world *w, struct node *path)
{
    struct node *list = node_array(&w->arena);
    node_append(list, path);
    return list;
}

static struct node *commit_value(struct world *w, uint64_t n, uint64_t i)
{
    struct arena *a = &w->arena;
    struct node *commit = node_object(a);
    uint8_t digest[SHA256_BYTES];
    char hex[2 * WORLD_DIGEST_HEX + 1];
    buf_clear(&w->scratch);
    buf_format(&w->scratch, "hex:%llu", (unsigned long long)(n + 29 * i));
    digest_sha256(buf_span(&w->scratch), digest);
    digest_hex(digest, WORLD_DIGEST_HEX / 2, hex);
    node_add(commit, "sha", node_text(a, span_text(hex)));
    buf_clear(&w->scratch);
    buf_span_add(&w->scratch, pool_pick(&w->options->code_verbs, n + i, 3));
    buf_byte(&w->scratch, ' ');
    buf_span_add(&w->scratch, pool_pick(&w->options->code_nouns, n + i, 11));
    node_add(commit, "message", node_text(a, buf_span(&w->scratch)));
    node_add(commit, "author", node_borrow(a, pool_pick(&w->options->people, n + 7 * i, 29)));
    node_add(commit, "date", draw_date(w, n, i));
    return commit;
}

static struct node *git_data(struct world *w, const struct call *c, uint32_t n)
{
    struct arena *a = &w->arena;
    struct node *data = node_object(a), *branch = branch_value(w, n);
    struct span name = c->tool->lower;
    if (span_has(name, SPAN("diff")) || span_has(name, SPAN("show"))) {
        struct span path = file_path(w, c->arguments, n);
        struct buf diff = {0};
        diff_text(w, path, n, &diff);
        node_add(data, "path", node_text(a, path));
        node_add(data, "diff", node_text(a, buf_span(&diff)));
        node_add(data, "branch", branch);
        buf_free(&diff);
        return data;
    }
    node_add(data, "branch", branch);
    if (span_has(name, SPAN("log")) || span_has(name, SPAN("commit"))) {
        uint64_t count = 2 + n % 2;
        struct node *items = node_array(a);
        for (uint64_t i = 0; i < count; i++)
            node_append(items, commit_value(w, n, i));
        node_add(data, "count", node_int(a, (int64_t)count));
        node_add(data, "items", items);
        return data;
    }
    node_add(data, "clean", node_bool(a, false));
    node_add(data, "ahead", node_int(a, 1 + n % 3));
    node_add(data, "behind", node_int(a, n % 2));
    node_add(data, "staged", one_path(w, source_path(w, n)));
    node_add(data, "unstaged", one_path(w, source_path(w, (uint64_t)n + 3)));
    node_add(data, "untracked", one_path(w, text_value(w, "tmp.log")));
    return data;
}

static struct node *ci_data(struct world *w, uint32_t n)
{
    struct arena *a = &w->arena;
    const struct pool_of_words *checks = &w->options->checks;
    struct node *data = node_object(a), *items = node_array(a);
    uint64_t count = 3 + n % 2;
    bool broken = n % (uint64_t)w->options->ci_fail_one_in == 0;
    for (uint64_t i = 0; i < count; i++) {
        struct node *item = node_object(a);
        node_add(item, "name", node_borrow(a, checks->items[i % checks->count]));
        node_add(item, "status", text_value(w, "completed"));
        node_add(item, "conclusion",
                 text_value(w, broken && i + 1 == count ? "failure" : "success"));
        node_add(item, "duration_s", node_int(a, (int64_t)(8 + (n + 11 * i) % 90)));
        node_append(items, item);
    }
    node_add(data, "count", node_int(a, (int64_t)count));
    node_add(data, "items", items);
    return data;
}

struct node *code_data(struct world *w, const struct call *c, uint32_t n)
{
    switch (c->kind) {
    case KIND_FILE: return file_data(w, c, n);
    case KIND_FILES: return files_data(w, c, n);
    case KIND_GREP: return grep_data(w, c, n);
    case KIND_SHELL: return shell_data(w, c, n);
    case KIND_GIT: return git_data(w, c, n);
    default: return ci_data(w, n);
    }
}

struct node *money_payload(struct world *w, uint32_t n, struct node *result)
{
    static const int scale[] = {1, 1, 10, 100};
    double cents = n % 3 ? n / 3 % 100 / 100.0 : 0;
    double amount = (double)((17 + n % 483) * (unsigned)scale[n / 7 % 4]) + cents;
    node_set(result, SPAN("amount"), node_real(&w->arena, amount));
    node_set(result, SPAN("currency"), text_value(w, "USD"));
    return result;
}
