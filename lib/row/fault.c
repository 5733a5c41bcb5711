/* fault.c: which tool results failed, and the name of the failure (rows 9.3). */
#include "row/fault.h"

#include <strings.h>

#include "row/parse.h"
#include "row/step.h"
#include "row/value.h"
#include "text/fold.h"
#include "json/pyjson.h"

static const char *const FAILED[] = {
    "rejected", "not_found",    "error",   "blocked", "denied",
    "failed",   "unauthorized", "invalid", "timeout", "permission_denied",
};

static const struct {
    const char *from, *to;
} ALIASES[] = {
    {"already_acted_on", "already_done"},
    {"permission_denied", "deny"},
    {"denied", "deny"},
    {"unauthorized", "deny"},
    {"blocked", "deny"},
    {"malformed_result", "malformed"},
    {"stale_result", "stale"},
    {"entity missing", "not_found"},
    {"missing", "not_found"},
    {"entity already acted on", "already_done"},
};

static const char *const CLEAN[] = {"ok",     "created",  "deleted", "success",
                                    "exit_0", "no fault", "clean"};

/* Faults by name that are neither a failed status nor an alias. */
static const char *const OTHERS[] = {"stale",     "malformed", "already_done",
                                     "not_found", "deny",      "garbled"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool one_of(struct span s, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (span_is(s, names[i]))
            return true;
    return false;
}

static bool is_known_fault(struct span s)
{
    if (one_of(s, FAILED, COUNT(FAILED)) || one_of(s, OTHERS, COUNT(OTHERS)))
        return true;
    for (size_t i = 0; i < COUNT(ALIASES); i++)
        if (span_is(s, ALIASES[i].from) || span_is(s, ALIASES[i].to))
            return true;
    return false;
}

void row_fault_name(struct span status, struct buf *out)
{
    buf_clear(out);
    struct buf lowered = {0};
    text_lower(status, &lowered);
    struct span name = text_strip(buf_span(&lowered));
    for (size_t i = 0; i < COUNT(ALIASES); i++) {
        if (span_is(name, ALIASES[i].from)) {
            name = span_text(ALIASES[i].to);
            break;
        }
    }
    if (!one_of(name, CLEAN, COUNT(CLEAN)))
        buf_span_add(out, name);
    buf_free(&lowered);
}

/* ---- one result ---------------------------------------------------------------------------- */

/* What is read of a result, once. */
struct reading {
    struct arena arena; /* holds an object that came as text */
    struct buf status, reason, text, name;
    bool garbled, stale, has_error, error_truthy, error_text, error_blank;
};

static void reading_clear(struct reading *r)
{
    arena_clear(&r->arena);
    buf_clear(&r->status);
    buf_clear(&r->reason);
    r->garbled = r->stale = r->has_error = r->error_truthy = r->error_text = r->error_blank = false;
}

static void reading_free(struct reading *r)
{
    arena_free(&r->arena);
    buf_free(&r->status);
    buf_free(&r->reason);
    buf_free(&r->text);
    buf_free(&r->name);
}

/* Lower-cased stripped text of a value into out. */
static void lower_text(struct reading *r, struct json_value value, struct buf *out)
{
    struct span text = value_text(value, &r->text);
    buf_clear(out);
    text_lower(text_strip(text), out);
}

/* The word, in any case of its ASCII letters. Looked for by the rarest of them, its fourth. */
static bool has_garbled(struct span s)
{
    enum { WORD = 7, RARE = 3 };
    for (int upper = 0; upper < 2; upper++) {
        const char *at = s.ptr, *end = s.ptr + s.len;
        while ((at = memchr(at, upper ? 'B' : 'b', (size_t)(end - at)))) {
            if (at - s.ptr >= RARE && end - at >= WORD - RARE &&
                strncasecmp(at - RARE, "garbled", WORD) == 0)
                return true;
            at++;
        }
    }
    return false;
}

/* An escape that stands for a printable ASCII character. */
static bool has_ascii_escape(struct span s)
{
    for (size_t at = 0; (at = span_find(s, SPAN("\\u00"), at)) != (size_t)-1; at++)
        if (at + 4 < s.len && s.ptr[at + 4] >= '2' && s.ptr[at + 4] <= '7')
            return true;
    return false;
}

/* The lower-cased PYJSON text holds a mark of a garbled reply. That text is made only when the
 * bytes could hold one: the word as it is, or hidden behind escapes. */
static bool is_garbled(struct reading *r, struct json_value object)
{
    if (!has_garbled(object.text) && !has_ascii_escape(object.text))
        return false;
    buf_clear(&r->text);
    json_pyjson(object, &r->text);
    struct buf lowered = {0};
    text_lower(buf_span(&r->text), &lowered);
    bool yes = span_has(buf_span(&lowered), SPAN("<<garbled")) ||
               span_has(buf_span(&lowered), SPAN("garbled resp"));
    buf_free(&lowered);
    return yes;
}

static void read_result(struct reading *r, struct json_value result)
{
    struct json_value object;
    if (!row_parse_object(&r->arena, result, &object))
        return;
    struct json_value status = {0}, reason = {0}, stale = {0}, error = {0};
    struct json_cursor c = json_enter(object);
    struct json_member m;
    while (json_next_member(&c, &m)) {
        if (json_key_is(&m, SPAN("status")))
            status = m.value;
        else if (json_key_is(&m, SPAN("reason")))
            reason = m.value;
        else if (json_key_is(&m, SPAN("stale")))
            stale = m.value;
        else if (json_key_is(&m, SPAN("error")))
            error = m.value;
    }
    if (status.text.ptr)
        lower_text(r, status, &r->status);
    if (reason.text.ptr)
        lower_text(r, reason, &r->reason);
    r->stale = stale.text.ptr && json_truthy(stale);
    if (error.text.ptr) {
        r->error_truthy = json_truthy(error);
        r->error_text = error.type == JSON_VALUE_STRING;
        r->error_blank = text_blank(value_text(error, &r->text));
    }
    r->garbled = is_garbled(r, object);
}

static bool is_http_failure(struct span s)
{
    return s.len == 3 && (s.ptr[0] == '4' || s.ptr[0] == '5') && s.ptr[1] >= '0' &&
           s.ptr[1] <= '9' && s.ptr[2] >= '0' && s.ptr[2] <= '9';
}

static bool is_failed(const struct reading *r)
{
    struct span status = buf_span(&r->status);
    if (one_of(status, FAILED, COUNT(FAILED)) || is_http_failure(status))
        return true;
    if (span_starts(status, SPAN("exit_")) && !span_is(status, "exit_0") &&
        !span_is(status, "exit_"))
        return true;
    if (r->stale || r->garbled || span_has(status, SPAN("permission")))
        return true;
    if (r->error_text && r->error_blank)
        return !span_is(status, "ok") && !span_is(status, "created") && !span_is(status, "deleted");
    return r->error_truthy && !r->error_blank && (!status.len || span_is(status, "error"));
}

bool row_result_failed(struct json_value result)
{
    struct reading r = {0};
    read_result(&r, result);
    bool failed = is_failed(&r);
    reading_free(&r);
    return failed;
}

static bool is_already_done(struct span s)
{
    return span_is(s, "already_acted_on");
}

/* r is read into; out is cleared. */
static bool result_fault(struct reading *r, struct json_value result, struct buf *out)
{
    reading_clear(r);
    read_result(r, result);
    buf_clear(out);
    struct span status = buf_span(&r->status);
    if (r->garbled) {
        buf_text(out, "malformed");
    } else if (r->stale) {
        buf_text(out, "stale");
    } else if (span_is(status, "already_done") || is_already_done(status) ||
               is_already_done(buf_span(&r->reason))) {
        buf_text(out, "already_done");
    } else {
        row_fault_name(status, &r->name);
        struct span name = buf_span(&r->name);
        if (name.len && (is_known_fault(name) || is_known_fault(status)))
            buf_span_add(out, name);
        else if (is_failed(r))
            buf_span_add(out, name.len ? name : SPAN("error"));
    }
    return out->len > 0;
}

bool row_result_fault(struct json_value result, struct buf *out)
{
    struct reading r = {0};
    bool faulty = result_fault(&r, result, out);
    reading_free(&r);
    return faulty;
}

/* ---- a row --------------------------------------------------------------------------------- */

static const struct span NO_FAULT = {"no fault", 8};

/* 1: a faulty step was found; 0: results, none of them faulty; -1: no result at all. */
static int steps_fault(const struct row_steps *steps, struct buf *out)
{
    struct reading r = {0};
    int found = -1;
    for (size_t i = 0; i < steps->count && found < 1; i++) {
        const struct row_step *step = &steps->items[i];
        if (!step->tool.text.ptr || !json_truthy(step->tool) || json_value_null(step->result))
            continue;
        found = result_fault(&r, step->result, out);
    }
    reading_free(&r);
    return found;
}

static bool planned_fault(struct json_value faults, struct buf *out)
{
    if (faults.type != JSON_VALUE_OBJECT)
        return false;
    struct buf scratch = {0};
    struct json_cursor c = json_enter(faults);
    struct json_member m;
    struct json_value mode;
    buf_clear(out);
    while (!out->len && json_next_member(&c, &m))
        if (json_get(m.value, SPAN("mode"), &mode) && json_truthy(mode))
            row_fault_name(value_text(mode, &scratch), out);
    buf_free(&scratch);
    return out->len > 0;
}

void row_fault_of(const struct row *row, const struct row_steps *steps, struct buf *out)
{
    const struct json_value *faults = row_get(row, SPAN("faults"));
    int found = steps_fault(steps, out);
    if (found > 0 || (found < 0 && faults && planned_fault(*faults, out)))
        return;
    buf_clear(out);
    buf_span_add(out, NO_FAULT);
}

void row_fault(const struct row *row, struct buf *out)
{
    struct row_steps steps = {0};
    row_steps_read(&steps, row);
    row_fault_of(row, &steps, out);
    row_steps_free(&steps);
}

bool row_fault_is(struct span name)
{
    return name.len && !span_equal(name, NO_FAULT);
}
