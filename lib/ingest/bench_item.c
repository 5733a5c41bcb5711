/* bench_item.c: finds an item's parts and writes the rows of its completions (rows 13). */
#include "ingest/bench_item.h"

#include <stdlib.h>

#include "row/gold.h"
#include "row/key.h"
#include "row/value.h"
#include "text/fold.h"
#include "text/number.h"
#include "text/term.h"

static const char *const PROMPTS[] = {"prompt", "question", "problem", "input", NULL};
static const char *const COMPLETIONS[] = {"completions", "completion", "final_text", "responses",
                                          "response",    "output",     NULL};
static const char *const REFERENCES[] = {"reference", "gold", "target", NULL};
static const char *const TASK_IDS[] = {"task_id", NULL};

enum { SHOWN = 80 }; /* code points of a value in a message */

void bench_work_free(struct bench_work *work)
{
    buf_free(&work->ask);
    buf_free(&work->task);
    buf_free(&work->text);
    buf_free(&work->gold);
    buf_free(&work->scratch);
    member_list_free(&work->rest);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* The column that is named, or the one present of the usual names. 1: *found and *value set; 0:
 * none; a negative code when two are present. */
static int find_column(const struct row *row, const char *named, const char *const *usual,
                       const char *part, const char **found, struct json_value *value,
                       struct error *error)
{
    const struct json_value *there;
    *found = NULL;
    if (named) {
        there = row_get(row, span_text(named));
        if (there) {
            *found = named;
            *value = *there;
        }
        return there != NULL;
    }
    for (; usual && *usual; usual++) {
        there = row_get(row, span_text(*usual));
        if (!there)
            continue;
        if (*found)
            return error_set(error, ERROR_USAGE,
                             "%s:%llu: both \"%s\" and \"%s\" could be the %s; name one with --%s",
                             row->file, (unsigned long long)row->line_number, *found, *usual, part,
                             part);
        *found = *usual;
        *value = *there;
    }
    return *found != NULL;
}

static int lacks(struct buf *out, const char *named, const char *part, const char *usual)
{
    buf_clear(out);
    if (named)
        buf_format(out, "the item has no column \"%s\"; name the one it has with --%s", named,
                   part);
    else
        buf_format(out, "the item has no %s (%s); name its column with --%s", part, usual, part);
    return 1;
}

static int find_columns(struct bench_item *item, struct buf *out, struct error *error)
{
    const struct bench_columns *named = &item->bench->columns;
    struct bench_columns *found = &item->columns;
    const struct row *row = item->row;
    int rc =
        find_column(row, named->prompt, PROMPTS, "prompt", &found->prompt, &item->prompt, error);
    if (rc <= 0)
        return rc < 0 ? rc
                      : lacks(out, named->prompt, "prompt", "prompt, question, problem, input");
    if (!item->completions.text.ptr) {
        rc = find_column(row, named->completion, COMPLETIONS, "completion", &found->completion,
                         &item->completions, error);
        if (rc <= 0)
            return rc < 0
                       ? rc
                       : lacks(out, named->completion, "completion",
                               "completions, completion, final_text, responses, response, output");
    }
    rc = find_column(row, named->reference, REFERENCES, "reference", &found->reference,
                     &item->reference, error);
    if (rc < 0)
        return rc;
    if (rc == 0 && named->reference)
        return lacks(out, named->reference, "reference", "");
    rc = find_column(row, named->task_id, TASK_IDS, "task-id", &found->task_id, &item->id, error);
    if (rc == 0 && named->task_id)
        return lacks(out, named->task_id, "task-id", "");
    if (named->reward &&
        find_column(row, named->reward, NULL, "reward", &found->reward, &item->rewards, error) == 0)
        return lacks(out, named->reward, "reward", "");
    if (named->markers && find_column(row, named->markers, NULL, "markers", &found->markers,
                                      &item->markers, error) == 0)
        return lacks(out, named->markers, "markers", "");
    return 0;
}

static void mapped(struct buf *out, const char *part, const char *column)
{
    if (!column)
        return;
    if (out->len)
        buf_text(out, ", ");
    buf_format(out, "%s: ", part);
    term_add(out, span_text(column));
}

void bench_item_mapping(const struct bench_item *item, struct buf *out)
{
    struct buf text = {0};
    mapped(&text, "prompt", item->columns.prompt);
    mapped(&text, "completion",
           item->columns.completion ? item->columns.completion : item->bench->completions);
    mapped(&text, "reference", item->columns.reference);
    mapped(&text, "reward", item->columns.reward);
    mapped(&text, "markers", item->columns.markers);
    mapped(&text, "task-id", item->columns.task_id);
    buf_span_add(out, buf_span(&text));
    buf_free(&text);
}

/* ---- prompt, task, gold -------------------------------------------------------------------- */

static bool is_role(struct json_value message, const char *name)
{
    struct json_value role;
    struct buf scratch = {0};
    bool yes = json_get(message, SPAN("role"), &role) && role.type == JSON_VALUE_STRING &&
               span_is(json_text(role, &scratch), name);
    buf_free(&scratch);
    return yes;
}

/* The text of a completion or of a message's content: a string, the text blocks of a list, the
 * content of a message object. */
static struct span text_of(struct json_value value, struct buf *scratch)
{
    struct json_value content;
    if (value.type == JSON_VALUE_OBJECT && json_get(value, SPAN("content"), &content))
        value = content;
    return row_content_text(value, scratch);
}

/* The last ask of a list of messages. */
static struct span last_ask(struct json_value list, struct buf *scratch)
{
    struct json_cursor c = json_enter(list);
    struct json_value message, ask = {0}, last = {0}, content;
    while (json_next_item(&c, &message)) {
        if (message.type != JSON_VALUE_OBJECT)
            continue;
        last = json_get(message, SPAN("content"), &content) ? content : (struct json_value){0};
        if (is_role(message, "user"))
            ask = last.text.ptr ? last : (struct json_value){.text = SPAN("null")};
    }
    return row_content_text(ask.text.ptr ? ask : last, scratch);
}

static void set_ask(struct bench_item *item)
{
    struct bench_work *w = item->work;
    buf_clear(&w->ask);
    if (item->prompt.type == JSON_VALUE_ARRAY)
        buf_span_add(&w->ask, last_ask(item->prompt, &w->scratch));
    else
        buf_span_add(&w->ask, text_of(item->prompt, &w->scratch));
}

static void set_task(struct bench_item *item)
{
    struct bench_work *w = item->work;
    buf_clear(&w->task);
    if (item->id.text.ptr && json_truthy(item->id))
        buf_span_add(&w->task, value_text(item->id, &w->scratch));
    else
        row_task_id_of(buf_span(&w->ask), &w->task);
}

/* The gold as JSON, or nothing. */
static void set_gold(struct bench_item *item)
{
    struct bench_work *w = item->work;
    const char *mark = item->bench->reference_after;
    buf_clear(&w->gold);
    if (!item->reference.text.ptr || json_value_null(item->reference))
        return;
    if (!mark) {
        buf_span_add(&w->gold, item->reference.text);
        return;
    }
    struct span text = value_text(item->reference, &w->scratch);
    size_t from = 0, at = 0;
    item->without_mark = true;
    while (*mark && (at = span_find(text, span_text(mark), at)) != (size_t)-1) {
        at += strlen(mark);
        from = at;
        item->without_mark = false;
    }
    text = text_strip(span_slice(text, from, text.len));
    buf_clear(&w->text);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',')
            buf_byte(&w->text, text.ptr[i]);
    json_quote(&w->gold, text_strip(buf_span(&w->text)));
}

/* ---- rewards and markers ------------------------------------------------------------------- */

static size_t length_of(struct json_value value)
{
    return value.type == JSON_VALUE_ARRAY ? json_count(value) : 1;
}

/* What is given per completion, one after the other; a single value is that of the only completion.
 */
struct given {
    struct json_value value;
    struct json_cursor cursor;
};

static struct given given_start(struct json_value value)
{
    struct given given = {.value = value};
    if (value.type == JSON_VALUE_ARRAY)
        given.cursor = json_enter(value);
    return given;
}

static struct json_value given_next(struct given *given)
{
    struct json_value item;
    if (given->value.type != JSON_VALUE_ARRAY)
        return given->value;
    return json_next_item(&given->cursor, &item) ? item : (struct json_value){0};
}

static int lengths_differ(struct bench_item *item, const char *what, struct json_value given,
                          struct buf *out)
{
    size_t n = length_of(given), completions = length_of(item->completions);
    if (!given.text.ptr || json_value_null(given) || n == completions)
        return 0;
    buf_clear(out);
    buf_format(out, "%zu %s for %zu completion%s; give one for each", n, what, completions,
               completions == 1 ? "" : "s");
    return 1;
}

static int bad_reward(struct json_value value, size_t j, struct buf *out)
{
    buf_clear(out);
    buf_format(out, "reward %zu is ", j + 1);
    term_add_head(out, value.text, SHOWN);
    buf_text(out, ", not a number from 0 to 1; mend the item or drop --reward");
    return 1;
}

static int write_reward(struct bench_item *item, struct json_value value, size_t j,
                        struct json_writer *w, struct buf *out)
{
    double x;
    if (json_value_null(value)) {
        item->unjudged++;
        return 0;
    }
    if (!value_num(value, &x) || x < 0.0 || x > 1.0)
        return bad_reward(value, j, out);
    json_write_key(w, "reward");
    if (x == 0.0 || x == 1.0) {
        json_write_int(w, x == 1.0);
    } else {
        buf_clear(&item->work->text);
        value_num_text(value, &item->work->text);
        json_write_raw(w, buf_span(&item->work->text));
    }
    json_write_key(w, "label_source");
    json_write_text(w, "given");
    return 0;
}

static int bad_marker(const struct json_member *m, size_t j, struct buf *out)
{
    buf_clear(out);
    buf_text(out, "marker \"");
    term_add_head(out, m->key, SHOWN);
    buf_format(out, "\" of completion %zu is ", j + 1);
    term_add_head(out, m->value.text, SHOWN);
    buf_text(out, ", not a number; mend the item");
    return 1;
}

static int write_markers(struct json_value value, size_t j, struct json_writer *w, struct buf *out)
{
    struct json_member m;
    double x;
    if (json_value_null(value))
        return 0;
    if (value.type != JSON_VALUE_OBJECT) {
        buf_clear(out);
        buf_format(out, "the markers of completion %zu are not an object of numbers; mend the item",
                   j + 1);
        return 1;
    }
    json_write_key(w, "markers");
    json_write_object(w);
    struct json_cursor c = json_enter(value);
    while (json_next_member(&c, &m)) {
        if (!value_num(m.value, &x))
            return bad_marker(&m, j, out);
        struct buf number = {0};
        number_add(&number, x);
        m.value.text = buf_span(&number);
        json_write_member(w, &m);
        buf_free(&number);
    }
    json_write_end_object(w);
    return 0;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void write_turn(struct json_writer *w, const char *role, struct span content)
{
    json_write_object(w);
    json_write_key(w, "role");
    json_write_text(w, role);
    json_write_key(w, "content");
    json_write_span(w, content);
    json_write_end_object(w);
}

static void write_messages(struct bench_item *item, struct span reply, struct json_writer *w)
{
    struct span ask = buf_span(&item->work->ask);
    json_write_key(w, "messages");
    json_write_array(w);
    if (item->prompt.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(item->prompt);
        struct json_value message;
        while (json_next_item(&c, &message))
            if (message.type == JSON_VALUE_OBJECT)
                json_write_raw(w, message.text);
        write_turn(w, "assistant", reply);
    } else {
        if (ask.len)
            write_turn(w, "user", ask);
        if (reply.len)
            write_turn(w, "assistant", reply);
    }
    json_write_end_array(w);
}

static bool is_listed(const char *list, struct span name)
{
    struct span rest = span_text(list);
    for (size_t at = 0; at <= rest.len;) {
        size_t comma = span_find(rest, SPAN(","), at);
        size_t end = comma == (size_t)-1 ? rest.len : comma;
        if (span_equal(span_slice(rest, at, end), name))
            return true;
        at = end + 1;
    }
    return false;
}

static bool key_is(const struct json_member *m, const char *name)
{
    return name && json_key_is(m, span_text(name));
}

/* A column that has gone into the row already, or whose name the row needs. */
static bool is_used(const struct bench_item *item, const struct json_member *m)
{
    static const char *const OWN[] = {"prompt",   "steps",         "final_text", "scenario_id",
                                      "messages", "rollout_index", "task_id",    "schema_version"};
    const struct bench_columns *c = &item->columns;
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (key_is(m, OWN[i]))
            return true;
    if (item->bench->model && key_is(m, "model_version"))
        return true;
    if (c->reward && (key_is(m, "reward") || key_is(m, "label_source")))
        return true;
    if ((c->markers && key_is(m, "markers")) || (item->work->gold.len && key_is(m, "privileged")))
        return true;
    return key_is(m, c->prompt) || key_is(m, c->completion) || key_is(m, c->reference) ||
           key_is(m, c->reward) || key_is(m, c->markers) || key_is(m, c->task_id);
}

/* The other columns. */
static void write_others(struct bench_item *item, struct json_writer *w)
{
    const char *ride = item->bench->ride;
    bool all = strcmp(ride, "all") == 0;
    struct member_list *rest = &item->work->rest;
    rest->count = 0;
    if (strcmp(ride, "none") == 0)
        return;
    for (size_t i = 0; i < item->row->members.count; i++) {
        const struct json_member *m = &item->row->members.items[i];
        if (!is_used(item, m) && (all || is_listed(ride, json_key(m, &item->work->scratch))))
            member_list_add(rest, m);
    }
    member_list_settle(rest);
    for (size_t i = 0; i < rest->count; i++)
        json_write_member(w, &rest->items[i]);
}

static int write_row(struct bench_item *item, size_t j, struct json_value completion,
                     struct given *rewards, struct given *markers, struct buf *out)
{
    struct bench_work *work = item->work;
    struct span task = buf_span(&work->task);
    struct json_writer w;
    struct buf reply = {0};
    buf_span_add(&reply, text_of(completion, &work->scratch));
    bool spaced = item->row->members.count && item->row->members.items[0].value.text.ptr[-1] == ' ';
    json_write_start(&w, out, spaced ? JSON_STYLE_SPACED : JSON_STYLE_COMPACT);
    json_write_object(&w);
    json_write_key(&w, "prompt");
    json_write_span(&w, buf_span(&work->ask));
    json_write_key(&w, "steps");
    json_write_array(&w);
    json_write_end_array(&w);
    json_write_key(&w, "final_text");
    json_write_span(&w, buf_span(&reply));
    json_write_key(&w, "scenario_id");
    json_write_span(&w, task);
    write_messages(item, buf_span(&reply), &w);
    buf_free(&reply);
    json_write_key(&w, "rollout_index");
    json_write_raw(&w, SPAN("\n")); /* the halves part here */
    if (item->bench->model) {
        json_write_key(&w, "model_version");
        json_write_text(&w, item->bench->model);
    }
    int rc = 0;
    if (item->columns.reward)
        rc = write_reward(item, given_next(rewards), j, &w, out);
    if (rc == 0 && item->columns.markers)
        rc = write_markers(given_next(markers), j, &w, out);
    if (rc)
        return rc;
    json_write_key(&w, "schema_version");
    json_write_text(&w, "1");
    json_write_key(&w, "task_id");
    json_write_span(&w, task);
    if (work->gold.len) {
        json_write_key(&w, "privileged");
        json_write_object(&w);
        json_write_key(&w, "reference");
        json_write_raw(&w, buf_span(&work->gold));
        json_write_end_object(&w);
    }
    write_others(item, &w);
    json_write_end_object(&w);
    buf_byte(out, '\n');
    item->rows++;
    return 0;
}

int bench_item_write(struct bench_item *item, struct buf *out, struct error *error)
{
    int rc = find_columns(item, out, error);
    if (rc)
        return rc;
    if (item->bench->one_each && item->completions.type == JSON_VALUE_ARRAY) {
        buf_clear(out);
        buf_text(out,
                 "its completion is a list, but --long means one completion a line; drop --long");
        return 1;
    }
    if (lengths_differ(item, "rewards", item->rewards, out) ||
        lengths_differ(item, "marker objects", item->markers, out))
        return 1;
    set_ask(item);
    set_task(item);
    set_gold(item);
    struct given rewards = given_start(item->rewards), markers = given_start(item->markers);
    if (item->completions.type != JSON_VALUE_ARRAY)
        return json_value_null(item->completions)
                   ? 0
                   : write_row(item, 0, item->completions, &rewards, &markers, out);
    struct json_cursor c = json_enter(item->completions);
    struct json_value completion;
    for (size_t j = 0; json_next_item(&c, &completion) && rc == 0; j++)
        rc = write_row(item, j, completion, &rewards, &markers, out);
    return rc;
}
