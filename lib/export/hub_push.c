/* hub_push.c: a push, step by step: the repository, which files it wants and how, the large ones into
 * its storage, and all of it as one change (a commit). A change that may have been made is never sent
 * twice: the repository is looked at first. */
#include <stdlib.h>

#include <nettle/base64.h>

#include "base/signals.h"
#include "export/defaults.h"
#include "export/hub_inside.h"

struct pushing {
    struct hub *hub;
    const struct hub_push *push;
    struct hub_files files;
    struct arena arena;
    struct buf url, body;
    struct http_reply reply;
    struct span commit, address;
    bool is_private;
};

static const char *type_name(const struct pushing *p)
{
    return p->files.model ? "model" : "dataset";
}

/* Puts ENDPOINT/api/datasets/NS/NAME and the tail together. */
static struct span api_url(struct pushing *p, const char *tail)
{
    hub_url(p->hub, &p->url, p->files.model ? "/api/models/" : "/api/datasets/");
    buf_text(&p->url, p->push->name);
    buf_text(&p->url, tail);
    return buf_span(&p->url);
}

static void add_base64(struct span bytes, struct buf *out)
{
    size_t len = BASE64_ENCODE_RAW_LENGTH(bytes.len);
    char *to = buf_reserve(out, len + 1);
    base64_encode_raw(to, bytes.len, (const uint8_t *)bytes.ptr);
    out->len += len;
}

/* ---- the repository ----------------------------------------------------------------------------- */

static void write_create(struct pushing *p)
{
    struct json_writer w;
    const char *slash = strchr(p->push->name, '/');
    buf_clear(&p->body);
    json_write_start(&w, &p->body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "name");
    json_write_text(&w, slash + 1);
    json_write_key(&w, "organization");
    json_write_span(&w, span_make(p->push->name, (size_t)(slash - p->push->name)));
    json_write_key(&w, "visibility");
    json_write_text(&w, p->push->is_public ? "public" : "private");
    json_write_key(&w, "type");
    json_write_text(&w, type_name(p));
    json_write_end_object(&w);
}

/* A repository that was there before may be open to everybody; rows go there only when that is what
 * was asked for. */
static int check_existing(struct pushing *p, struct error *error)
{
    struct json_value value, is_private;
    struct hub_ask ask = {.url = api_url(p, "")};
    int code = hub_ask(p->hub, &ask, "the repository", &p->reply, &value, error);
    if (code < 0)
        return code;
    p->is_private =
        json_get(value, SPAN("private"), &is_private) && is_private.type == JSON_VALUE_TRUE;
    if (!p->is_private && !p->push->is_public)
        return error_set(error, ERROR_USAGE,
                         "%s is there already and public: everybody could read what is pushed; say "
                         "--public if they may, or take another name",
                         p->push->name);
    if (p->is_private && p->push->is_public)
        hub_say(&p->push->events, true, "%s is there already and private; it stays private",
                p->push->name);
    return 0;
}

static int create(struct pushing *p, struct error *error)
{
    struct json_value value;
    struct json_fault fault;
    struct hub_ask ask = {.url = hub_url(p->hub, &p->url, "/api/repos/create")};
    double wait = HUB_RETRY_FIRST_S;
    write_create(p);
    ask.body = buf_span(&p->body);
    p->is_private = !p->push->is_public;
    for (int i = 0;; i++, wait *= 2) {
        int code = hub_send(p->hub, &ask, &p->reply, error);
        if (code < 0)
            return code;
        bool busy = p->reply.status == 409 &&
                    span_find(buf_span(&p->reply.body), SPAN("another conflicting operation"), 0) !=
                        (size_t)-1;
        if (!busy || i == HUB_RETRIES || !hub_wait(wait))
            break;
    }
    int status = p->reply.status;
    if (status == 409)
        return check_existing(p, error);
    if (status == 401 || status == 402 || status == 403) {
        /* A token that may write to it need not be one that may make it. */
        struct http_reply refusal = p->reply;
        p->reply = (struct http_reply){0};
        struct error unused;
        int code = check_existing(p, &unused);
        if (code == ERROR_REMOTE)
            code = hub_check(p->hub, &refusal, "making the repository", error);
        else if (code < 0)
            *error = unused;
        http_reply_free(&refusal);
        return code;
    }
    int code = hub_check(p->hub, &p->reply, "making the repository", error);
    if (code == 0 && json_scan(buf_span(&p->reply.body), &value, NULL, &fault) == 0)
        p->address = hub_text(value, "url", &p->arena);
    return code;
}

/* The Hub reads the head of a README; what it cannot read is said before anything is sent. */
static int validate_card(struct pushing *p, struct error *error)
{
    struct hub_content content;
    struct json_value value, errors, first;
    struct json_writer w;
    const struct hub_file *card = NULL;
    for (size_t i = 0; i < p->files.count; i++)
        if (span_is(p->files.items[i].path, "README.md"))
            card = &p->files.items[i];
    if (!card)
        return 0;
    int code = hub_content_open(card, &content, error);
    if (code < 0)
        return code;
    buf_clear(&p->body);
    json_write_start(&w, &p->body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "content");
    json_write_span(&w, content.bytes);
    json_write_key(&w, "repoType");
    json_write_text(&w, type_name(p));
    json_write_end_object(&w);
    hub_content_close(&content);
    struct hub_ask ask = {.url = hub_url(p->hub, &p->url, "/api/validate-yaml"),
                          .body = buf_span(&p->body)};
    code = hub_ask(p->hub, &ask, "the head of README.md", &p->reply, &value, error);
    if (code < 0 || !json_get(value, SPAN("errors"), &errors))
        return code;
    struct json_cursor cursor = json_enter(errors);
    if (!json_next_item(&cursor, &first))
        return 0;
    struct span words = hub_text(first, "message", &p->arena);
    return error_set(error, ERROR_INPUT, "%s: the Hub cannot read its head: %.*s", card->source,
                     (int)words.len, words.ptr);
}

/* ---- which files, and how ----------------------------------------------------------------------- */

static int add_sample(const struct hub_file *file, struct json_writer *w, struct error *error)
{
    struct hub_content content;
    struct buf sample = {0};
    int code = hub_content_open(file, &content, error);
    if (code < 0)
        return code;
    size_t most = content.bytes.len < HUB_SAMPLE ? content.bytes.len : HUB_SAMPLE;
    add_base64(span_slice(content.bytes, 0, most), &sample);
    json_write_object(w);
    json_write_key(w, "path");
    json_write_span(w, file->path);
    json_write_key(w, "sample");
    json_write_span(w, buf_span(&sample));
    json_write_key(w, "size");
    json_write_int(w, (int64_t)file->size);
    json_write_end_object(w);
    hub_content_close(&content);
    buf_free(&sample);
    return 0;
}

static struct hub_file *find_file(struct pushing *p, struct span path)
{
    size_t low = 0, high = p->files.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = span_compare(p->files.items[middle].path, path);
        if (order == 0)
            return &p->files.items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int digest_file(struct hub_file *file, struct error *error)
{
    struct hub_content content;
    int code = hub_content_open(file, &content, error);
    if (code < 0)
        return code;
    hub_digest(file, content.bytes);
    hub_content_close(&content);
    return 0;
}

/* What the Hub says of one file. */
static int take_mode(struct pushing *p, struct json_value item, size_t *told, struct error *error)
{
    struct json_value ignore;
    struct hub_file *file = find_file(p, hub_text(item, "path", &p->arena));
    if (!file)
        return 0;
    struct span oid = hub_text(item, "oid", &p->arena);
    ++*told;
    /* The storage takes no empty file. */
    file->large = file->size && span_is(hub_text(item, "uploadMode", &p->arena), "lfs");
    file->ignored = json_get(item, SPAN("shouldIgnore"), &ignore) && ignore.type == JSON_VALUE_TRUE;
    if (file->ignored)
        return 0;
    int code = digest_file(file, error);
    file->unchanged = code == 0 && oid.len && span_is(oid, file->large ? file->sha256 : file->blob);
    return code;
}

static int ask_modes(struct pushing *p, size_t from, size_t to, struct error *error)
{
    struct json_writer w;
    struct json_value value, list, item;
    size_t told = 0;
    int code = 0;
    buf_clear(&p->body);
    json_write_start(&w, &p->body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "files");
    json_write_array(&w);
    for (size_t i = from; code == 0 && i < to; i++)
        code = add_sample(&p->files.items[i], &w, error);
    json_write_end_array(&w);
    json_write_end_object(&w);
    struct hub_ask ask = {.url = api_url(p, "/preupload/main"), .body = buf_span(&p->body)};
    if (code == 0)
        code = hub_ask(p->hub, &ask, "how the files go", &p->reply, &value, error);
    if (code < 0)
        return code;
    if (!json_get(value, SPAN("files"), &list))
        list = (struct json_value){0};
    struct json_cursor cursor = json_enter(list);
    while (code == 0 && json_next_item(&cursor, &item))
        code = take_mode(p, item, &told, error);
    if (code == 0 && told < to - from)
        code = error_set(error, ERROR_REMOTE,
                         "the Hub says how %zu of %zu files go; try again later", told, to - from);
    return code;
}

static int ask_all_modes(struct pushing *p, struct error *error)
{
    int code = 0;
    for (size_t from = 0; code == 0 && from < p->files.count; from += HUB_FILES_A_CALL) {
        size_t rest = p->files.count - from;
        code =
            ask_modes(p, from, from + (rest < HUB_FILES_A_CALL ? rest : HUB_FILES_A_CALL), error);
    }
    return code;
}

static size_t count_changed(const struct pushing *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->files.count; i++)
        n += !p->files.items[i].ignored && !p->files.items[i].unchanged;
    return n;
}

/* ---- the change --------------------------------------------------------------------------------- */

static int add_change(const struct hub_file *file, struct buf *body, struct error *error)
{
    struct json_writer w;
    struct buf text = {0};
    struct hub_content content = {0};
    int code = file->large ? 0 : hub_content_open(file, &content, error);
    if (code < 0)
        return code;
    json_write_start(&w, body, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "key");
    json_write_text(&w, file->large ? "lfsFile" : "file");
    json_write_key(&w, "value");
    json_write_object(&w);
    if (!file->large) {
        add_base64(content.bytes, &text);
        json_write_key(&w, "content");
        json_write_span(&w, buf_span(&text));
    }
    json_write_key(&w, "path");
    json_write_span(&w, file->path);
    json_write_key(&w, file->large ? "algo" : "encoding");
    json_write_text(&w, file->large ? "sha256" : "base64");
    if (file->large) {
        json_write_key(&w, "oid");
        json_write_text(&w, file->sha256);
        json_write_key(&w, "size");
        json_write_int(&w, (int64_t)file->size);
    }
    json_write_end_object(&w);
    json_write_end_object(&w);
    buf_byte(body, '\n');
    hub_content_close(&content);
    buf_free(&text);
    return 0;
}

static int write_change(struct pushing *p, struct error *error)
{
    int code = 0;
    uint64_t bytes = 0;
    buf_clear(&p->body);
    buf_text(&p->body, "{\"key\":\"header\",\"value\":{\"summary\":\"wai-export push\","
                       "\"description\":\"\"}}\n");
    for (size_t i = 0; code == 0 && i < p->files.count; i++) {
        const struct hub_file *file = &p->files.items[i];
        if (file->ignored || file->unchanged)
            continue;
        bytes += file->large ? 0 : file->size;
        if (bytes > HUB_COMMIT_MAX)
            return error_set(error, ERROR_INPUT,
                             "more than %zu MiB of small files in one change; pack them, or push "
                             "folders one by one",
                             HUB_COMMIT_MAX >> 20);
        code = add_change(file, &p->body, error);
    }
    return code;
}

/* The repository's last change, when nothing is to be sent. */
static int read_head(struct pushing *p, struct error *error)
{
    struct json_value value;
    struct hub_ask ask = {.url = api_url(p, "/revision/main")};
    int code = hub_ask(p->hub, &ask, "the repository", &p->reply, &value, error);
    if (code == 0)
        p->commit = hub_text(value, "sha", &p->arena);
    return code;
}

/* After a change of which nobody knows whether it was made: 1 made, 0 not, negative *error. */
static int look_again(struct pushing *p, struct error *error)
{
    int code = ask_all_modes(p, error);
    if (code == 0 && count_changed(p) == 0)
        code = read_head(p, error) < 0 ? error->code : 1;
    return code;
}

static int commit(struct pushing *p, struct error *error)
{
    struct json_value value;
    double wait = HUB_RETRY_FIRST_S;
    for (int i = 0;; i++, wait *= 2) {
        int code = write_change(p, error);
        struct hub_ask ask = {.url = api_url(p, "/commit/main"),
                              .body = buf_span(&p->body),
                              .type = "application/x-ndjson",
                              .once = true};
        if (code == 0)
            code = hub_ask(p->hub, &ask, "the change", &p->reply, &value, error);
        if (code == 0) {
            p->commit = hub_text(value, "commitOid", &p->arena);
            return 0;
        }
        bool passing = p->reply.failure != HTTP_OK || http_status_passing(p->reply.status) ||
                       p->reply.status == 409;
        if (code != ERROR_REMOTE || !passing || i == HUB_RETRIES || !hub_wait(wait))
            return code;
        code = look_again(p, error);
        if (code)
            return code < 0 ? code : 0;
    }
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void write_paths(const struct pushing *p, bool ignored, struct json_writer *w)
{
    json_write_array(w);
    for (size_t i = 0; i < p->files.count; i++)
        if (!ignored || p->files.items[i].ignored)
            json_write_span(w, p->files.items[i].path);
    json_write_end_array(w);
}

static void write_report(const struct pushing *p, struct buf *report)
{
    struct json_writer w;
    struct buf url = {0};
    uint64_t unchanged = 0, bytes = 0;
    for (size_t i = 0; i < p->files.count; i++) {
        const struct hub_file *file = &p->files.items[i];
        unchanged += file->unchanged && !file->ignored;
        bytes += file->unchanged || file->ignored ? 0 : file->size;
    }
    if (p->hub)
        hub_url(p->hub, &url, p->files.model ? "/" : "/datasets/");
    else
        buf_text(&url, p->files.model ? HUB_ENDPOINT "/" : HUB_ENDPOINT "/datasets/");
    buf_text(&url, p->push->name);
    json_write_start(&w, report, JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "repo_id");
    json_write_text(&w, p->push->name);
    json_write_key(&w, "repo_type");
    json_write_text(&w, type_name(p));
    json_write_key(&w, "url");
    json_write_span(&w, p->address.len ? p->address : buf_span(&url));
    json_write_key(&w, "commit");
    if (p->commit.len)
        json_write_span(&w, p->commit);
    else
        json_write_null(&w);
    json_write_key(&w, "files");
    write_paths(p, false, &w);
    json_write_key(&w, "private");
    json_write_bool(&w, p->is_private);
    json_write_key(&w, "uploaded");
    json_write_int(&w, p->push->dry_run ? 0 : (int64_t)count_changed(p));
    json_write_key(&w, "unchanged");
    json_write_int(&w, (int64_t)unchanged);
    json_write_key(&w, "ignored");
    write_paths(p, true, &w);
    json_write_key(&w, "bytes");
    json_write_int(&w, (int64_t)bytes);
    json_write_key(&w, "dry_run");
    json_write_bool(&w, p->push->dry_run);
    json_write_end_object(&w);
    buf_free(&url);
}

static int send_all(struct pushing *p, struct error *error)
{
    int code = create(p, error);
    if (code == 0)
        code = validate_card(p, error);
    if (code == 0)
        code = ask_all_modes(p, error);
    if (code == 0)
        code = hub_store(p->hub, p->push, p->files.model ? "" : "datasets/", &p->files, error);
    if (code == 0 && signals_caught())
        code = error_set(error, ERROR_INTERRUPTED, "interrupted before the change was made");
    if (code == 0)
        code = count_changed(p) ? commit(p, error) : read_head(p, error);
    return code;
}

/* An environment's tasks hold what its grader knows. */
static void warn_of_answers(const struct pushing *p)
{
    bool spec = false, tasks = false;
    for (size_t i = 0; i < p->files.count; i++) {
        struct span path = p->files.items[i].path;
        spec |= span_ends(path, SPAN("spec.json"));
        tasks |= span_ends(path, SPAN("data/train.jsonl"));
    }
    if (spec && tasks)
        hub_say(&p->push->events, true,
                "this is an environment: its tasks hold the answers, and whoever can read the "
                "repository can read them");
}

int hub_push(struct hub *hub, const struct hub_push *push, struct buf *report, struct error *error)
{
    struct pushing p = {.hub = hub, .push = push, .is_private = !push->is_public};
    int code = hub_check_name(push->name, error);
    if (code == 0)
        code = hub_files_list(push, &p.files, error);
    if (code == 0 && !push->dry_run)
        code = send_all(&p, error);
    if (code == 0) {
        warn_of_answers(&p);
        write_report(&p, report);
    }
    http_reply_free(&p.reply);
    buf_free(&p.url);
    buf_free(&p.body);
    hub_files_free(&p.files);
    arena_free(&p.arena);
    return code;
}
