/* verify.c: the table of verifiers, their arguments and references (grade 5). */
#include "grade/verify.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/options.h"
#include "grade/defaults.h"
#include "grade/scrub.h"
#include "text/number.h"
#include "text/utf8.h"
#include "json/pyjson.h"
#include "json/write.h"

static const struct verify_kind *const KINDS[] = {
    &VERIFY_EXACT,      &VERIFY_INCLUDES,        &VERIFY_REGEX,
    &VERIFY_NUMERIC,    &VERIFY_MULTIPLE_CHOICE, &VERIFY_JSON_VALID,
    &VERIFY_JSON_FIELD, &VERIFY_JSON_SCHEMA,     &VERIFY_CODE,
    &VERIFY_SQL,        &VERIFY_TOOL_CALL,       &VERIFY_MATH,
};
enum { N_KINDS = sizeof KINDS / sizeof *KINDS };

static const struct verify_key COMMON[] = {{"field", VERIFY_TEXT, NULL},
                                           {"name", VERIFY_TEXT, NULL}};

/* Equal but for case, '-' and '_'. */
static bool same_name(const char *known, struct span typed)
{
    size_t i = 0;
    for (;; known++, i++) {
        while (*known == '-' || *known == '_')
            known++;
        while (i < typed.len && (typed.ptr[i] == '-' || typed.ptr[i] == '_'))
            i++;
        if (!*known || i == typed.len)
            return !*known && i == typed.len;
        if (tolower((unsigned char)*known) != tolower((unsigned char)typed.ptr[i]))
            return false;
    }
}

static const struct verify_kind *find_kind(struct span name)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (same_name(KINDS[i]->name, name))
            return KINDS[i];
    return NULL;
}

static struct span spec_name(const char *spec)
{
    return span_make(spec, strcspn(spec, ":"));
}

bool verify_known(const char *spec)
{
    return find_kind(spec_name(spec)) != NULL;
}

bool verify_slow(const char *spec)
{
    const struct verify_kind *kind = find_kind(spec_name(spec));
    return kind && kind->slow;
}

const char *verify_names(void)
{
    static char names[N_KINDS * 24];
    size_t used = 0;
    for (size_t i = 0; i < N_KINDS; i++) {
        size_t n = strlen(KINDS[i]->name);
        memcpy(names + used, KINDS[i]->name, n);
        used += n;
        memcpy(names + used, ", ", 3);
        used += i + 1 < N_KINDS ? 2 : 0;
        names[used] = '\0';
    }
    return names;
}

/* ---- arguments
 * ---------------------------------------------------------------------------------------- */

static const struct verify_key *find_key(const struct verify_kind *kind, struct span name)
{
    for (const struct verify_key *k = kind->keys; k && k->name; k++)
        if (same_name(k->name, name))
            return k;
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++)
        if (same_name(COMMON[i].name, name))
            return &COMMON[i];
    return NULL;
}

static int unknown_key(const struct verify_kind *kind, struct span name, struct error *error)
{
    const char *names[16];
    size_t n = 0;
    struct buf list = {0};
    for (const struct verify_key *k = kind->keys; k && k->name && n < 14; k++)
        names[n++] = k->name;
    names[n++] = "field";
    names[n++] = "name";
    for (size_t i = 0; i < n; i++)
        buf_format(&list, "%s%s", i ? ", " : "", names[i]);
    struct buf given = {0};
    buf_span_add(&given, name);
    const char *near = option_nearest(buf_cstr(&given), names, n);
    int rc = error_set(error, ERROR_USAGE, "%s: no key %s%s%s%s; its keys are %s", kind->name,
                       buf_cstr(&given), near ? " (did you mean " : "", near ? near : "",
                       near ? "?)" : "", buf_cstr(&list));
    buf_free(&given);
    buf_free(&list);
    return rc;
}

static bool one_of(const char *choices, struct span word)
{
    for (const char *at = choices; *at;) {
        size_t n = strcspn(at, "|");
        if (span_equal(span_make(at, n), word))
            return true;
        at += n + (at[n] == '|');
    }
    return false;
}

static bool bool_word(struct span word, bool *value)
{
    static const char *const yes[] = {"true", "yes", "1", "on"}, *const no[] = {"false", "no", "0",
                                                                                "off"};
    for (size_t i = 0; i < 4; i++) {
        if (span_is(word, yes[i]) || span_is(word, no[i])) {
            *value = span_is(word, yes[i]);
            return true;
        }
    }
    return false;
}

static int wrong_value(const struct verify_kind *kind, const struct verify_key *key,
                       struct json_value value, const char *wanted, struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s: %s is %.*s, %s is wanted", kind->name, key->name,
                     (int)(value.text.len < 100 ? value.text.len : 100), value.text.ptr, wanted);
}

static int check_value(const struct verify_kind *kind, const struct verify_key *key,
                       struct json_value value, struct error *error)
{
    struct buf scratch = {0};
    struct span text = value.type == JSON_VALUE_STRING ? json_text(value, &scratch) : value.text;
    double number;
    bool flag, ok = true;
    const char *wanted = key->choices;
    switch (key->type) {
    case VERIFY_BOOL:
        ok = bool_word(text, &flag);
        wanted = "true or false";
        break;
    case VERIFY_NUMBER:
        ok = number_parse(text, &number) && isfinite(number) && number >= 0;
        wanted = "a number that is not negative";
        break;
    case VERIFY_CHOICE: ok = one_of(key->choices, text); break;
    case VERIFY_TEXT:
        ok = value.type == JSON_VALUE_STRING || value.type == JSON_VALUE_NUMBER;
        wanted = "a text";
        break;
    case VERIFY_JSON: break;
    }
    int rc = ok ? 0 : wrong_value(kind, key, value, wanted, error);
    buf_free(&scratch);
    return rc;
}

static int add_arg(struct verifier *v, size_t *cap, struct span name, struct json_value value,
                   struct error *error)
{
    const struct verify_key *key = find_key(v->kind, name);
    if (!key)
        return unknown_key(v->kind, name, error);
    int rc = check_value(v->kind, key, value, error);
    if (rc)
        return rc;
    v->args = mem_grow(v->args, cap, v->n_args + 1, sizeof *v->args);
    struct verify_arg *arg = &v->args[v->n_args++];
    arg->name = span_text(key->name);
    arg->value = value;
    arg->value.text = arena_span(&v->arena, value.text);
    return 0;
}

static int read_json_args(struct verifier *v, struct span text, struct error *error)
{
    struct json_value object;
    struct json_fault fault;
    size_t cap = 0;
    if (json_scan(text, &object, NULL, &fault))
        return error_set(error, ERROR_USAGE, "%s: the arguments are no JSON: byte %zu: %s",
                         v->kind->name, fault.offset, fault.what);
    struct json_cursor c = json_enter(object);
    struct json_member member;
    struct buf scratch = {0};
    int rc = 0;
    while (!rc && json_next_member(&c, &member))
        if (!json_value_null(member.value))
            rc = add_arg(v, &cap, json_key(&member, &scratch), member.value, error);
    buf_free(&scratch);
    return rc;
}

/* key=value,key=value; `\,` and `\\` in a value stand for themselves. */
static int read_plain_args(struct verifier *v, const char *text, struct error *error)
{
    struct buf value = {0}, json = {0};
    size_t cap = 0;
    int rc = 0;
    while (*text && !rc) {
        size_t n = strcspn(text, "=,");
        struct span name = span_make(text, n);
        struct json_value parsed;
        struct json_fault fault;
        if (text[n] != '=') {
            rc = error_set(error, ERROR_USAGE, "%s:%s: key=value is wanted (or a JSON object); %s",
                           v->kind->name, text, "a comma inside a value is written \\,");
            break;
        }
        buf_clear(&value);
        for (text += n + 1; *text && *text != ','; text++) {
            if (*text == '\\' && (text[1] == ',' || text[1] == '\\'))
                text++;
            buf_byte(&value, *text);
        }
        text += *text == ',';
        buf_clear(&json);
        json_quote(&json, buf_span(&value));
        if (!utf8_valid(buf_span(&value)) || json_scan(buf_span(&json), &parsed, NULL, &fault))
            rc = error_set(error, ERROR_USAGE, "%s: the arguments are not UTF-8", v->kind->name);
        else
            rc = add_arg(v, &cap, name, parsed, error);
    }
    buf_free(&value);
    buf_free(&json);
    return rc;
}

const struct json_value *verify_arg(const struct verifier *v, const char *name)
{
    for (size_t i = v->n_args; i-- > 0;)
        if (span_is(v->args[i].name, name))
            return &v->args[i].value;
    return NULL;
}

struct span verify_arg_text(const struct verifier *v, const char *name)
{
    const struct json_value *value = verify_arg(v, name);
    struct span text = {0};
    if (value) {
        struct buf scratch = {0};
        struct arena *arena = (struct arena *)&v->arena; /* grows while the verifier opens */
        text = arena_span(arena, value->type == JSON_VALUE_STRING ? json_text(*value, &scratch)
                                                                  : value->text);
        buf_free(&scratch);
    }
    return text;
}

bool verify_arg_bool(const struct verifier *v, const char *name, bool otherwise)
{
    struct span text = verify_arg_text(v, name);
    if (text.ptr)
        bool_word(text, &otherwise);
    return otherwise;
}

double verify_arg_number(const struct verifier *v, const char *name, double otherwise)
{
    struct span text = verify_arg_text(v, name);
    if (text.ptr)
        number_parse(text, &otherwise);
    return otherwise;
}

int verify_arg_choice(const struct verifier *v, const char *name, int otherwise)
{
    struct span text = verify_arg_text(v, name);
    const char *choices = NULL;
    for (const struct verify_key *k = v->kind->keys; text.ptr && k->name; k++)
        if (strcmp(k->name, name) == 0)
            choices = k->choices;
    for (int i = 0; choices && *choices; i++) {
        size_t n = strcspn(choices, "|");
        if (span_equal(span_make(choices, n), text))
            return i;
        choices += n + (choices[n] == '|');
    }
    return otherwise;
}

/* ---- open, run, close
 * --------------------------------------------------------------------------------- */

static int unknown_name(struct span name, struct error *error)
{
    const char *names[N_KINDS];
    struct buf given = {0};
    for (size_t i = 0; i < N_KINDS; i++)
        names[i] = KINDS[i]->name;
    buf_span_add(&given, name);
    const char *near = option_nearest(buf_cstr(&given), names, N_KINDS);
    int rc = error_set(error, ERROR_USAGE, "no verifier %s%s%s%s; they are %s", buf_cstr(&given),
                       near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
                       verify_names());
    buf_free(&given);
    return rc;
}

static char *recorded_name(const struct verifier *v)
{
    struct span name = verify_arg_text(v, "name");
    return mem_text(name.ptr ? name.ptr : v->kind->recorded);
}

struct verifier *verifier_open(const char *spec, int jobs, double timeout_s, struct error *error)
{
    struct span name = spec_name(spec);
    const struct verify_kind *kind = find_kind(name);
    if (!kind) {
        unknown_name(name, error);
        return NULL;
    }
    struct verifier *v = mem_zero(1, sizeof *v);
    v->kind = kind;
    v->jobs = jobs;
    v->timeout_s = timeout_s;
    const char *args = spec[name.len] ? spec + name.len + 1 : "";
    int rc =
        *args == '{' ? read_json_args(v, span_text(args), error) : read_plain_args(v, args, error);
    if (!rc) {
        struct span field = verify_arg_text(v, "field");
        v->name = recorded_name(v);
        v->field = mem_text(field.ptr ? field.ptr : "");
        rc = kind->open ? kind->open(v, error) : 0;
    }
    if (rc) {
        verifier_close(v);
        return NULL;
    }
    return v;
}

void verifier_close(struct verifier *v)
{
    if (!v)
        return;
    if (v->kind->close && v->state)
        v->kind->close(v);
    free(v->name);
    free(v->field);
    free(v->args);
    arena_free(&v->arena);
    free(v);
}

static void cut_reason(struct verdict *v)
{
    struct span head = utf8_head(buf_span(&v->reason), REASON_CHARS);
    v->reason.len = head.len;
}

int verifier_run(const struct verifier *v, int worker, const struct row *row, struct buf *scratch,
                 struct verdict *out, struct error *error)
{
    struct verify_input in = {.gold = row_gold(row, span_text(v->field)),
                              .row = row,
                              .worker = worker,
                              .scratch = scratch};
    struct buf text = {0};
    int rc = 0;
    verdict_clear(out);
    in.candidate = row_candidate(row, &text);
    if (v->kind->needs_gold && !in.gold.value.text.ptr)
        verdict_unjudged(out, "%s: the row has no reference to check against", v->name);
    else
        rc = v->kind->run(v, &in, out, error);
    verdict_meta_text(out, SPAN("verifier"), v->name);
    scrub_verdict(out, &in.gold);
    cut_reason(out);
    buf_free(&text);
    return rc;
}

/* ---- references
 * --------------------------------------------------------------------------------------- */

size_t verify_reference_count(struct json_value gold)
{
    return gold.type == JSON_VALUE_ARRAY ? json_count(gold) : 1;
}

struct span verify_text(struct json_value value, struct buf *scratch)
{
    if (value.type == JSON_VALUE_STRING)
        return json_text(value, scratch);
    if (value.type == JSON_VALUE_NUMBER)
        return value.text;
    buf_clear(scratch);
    json_pyjson(value, scratch);
    return buf_span(scratch);
}

struct span verify_reference(struct json_value gold, size_t i, struct buf *scratch)
{
    if (gold.type == JSON_VALUE_ARRAY) {
        struct json_cursor c = json_enter(gold);
        while (json_next_item(&c, &gold) && i-- > 0)
            ;
    }
    return verify_text(gold, scratch);
}
