/* verify_sql.c: the verifier sql: does the reply's query give what the reference's gives (grade 8). */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "grade/defaults.h"
#include "grade/sql.h"
#include "grade/verify.h"
#include "text/fold.h"
#include "text/utf8.h"

enum sql_order { ORDER_AUTO, ORDER_YES, ORDER_NO };

/* What a reference came to, kept by its text. */
struct gold_result {
    struct sql_result result;
    enum sql_end end;
    bool ordered;
    struct buf why;
};

struct sql_worker {
    struct map names; /* databases by name; one, "", without db_field */
    struct sql_db **databases;
    size_t cap_databases;
    struct map golds; /* NAME \0 QUERY */
    struct gold_result *results;
    size_t cap_results;
    struct sql_result candidate;
    struct buf why, query, key, gold;
};

struct sql_verifier {
    struct buf script; /* init= */
    char *db;          /* db=: a file, a folder with db_field; NULL: the script */
    struct span db_field;
    struct sql_limits limits;
    enum sql_order order;
    size_t permuted;
    double partial;
    struct sql_worker *workers;
};

/* ---- opening ----------------------------------------------------------------------------------- */

/* The script's text, or a file's name. */
static int read_script(struct span value, struct buf *out, struct error *error)
{
    if (value.len < 1024 && !memchr(value.ptr, '\n', value.len) && access(value.ptr, R_OK) == 0)
        return file_read(value.ptr, SQL_SCRIPT_MAX, out, error);
    if (!memchr(value.ptr, ' ', value.len))
        return error_set(error, ERROR_USAGE, "sql: init: cannot read %s", value.ptr);
    buf_span_add(out, value);
    return 0;
}

static int read_limits(const struct verifier *v, struct sql_verifier *s, struct error *error)
{
    double timeout = v->timeout_s > 0 ? v->timeout_s * 1000 : SQL_TIMEOUT_MS;
    double digits = verify_arg_number(v, "digits", SQL_DIGITS);
    double rows = verify_arg_number(v, "max_rows", SQL_MAX_ROWS);
    double columns = verify_arg_number(v, "max_perm_cols", SQL_PERM_COLS);
    timeout = verify_arg_number(v, "timeout_ms", timeout);
    s->partial = verify_arg_number(v, "partial", 0);
    if (digits > 15)
        return error_set(error, ERROR_USAGE, "sql: digits is %g; 0 to 15 are wanted", digits);
    if (rows < 1 || rows > SQL_ROWS_CEILING)
        return error_set(error, ERROR_USAGE, "sql: max_rows is %g; 1 to %d are wanted", rows,
                         SQL_ROWS_CEILING);
    if (columns > SQL_PERMUTED_MAX)
        return error_set(error, ERROR_USAGE, "sql: max_perm_cols is %g; 0 to %d are wanted",
                         columns, SQL_PERMUTED_MAX);
    if (timeout < 1 || timeout > 86400e3)
        return error_set(error, ERROR_USAGE, "sql: timeout_ms is %g; 1 to a day are wanted",
                         timeout);
    if (s->partial > 1)
        return error_set(error, ERROR_USAGE, "sql: partial is %g; 0 to 1 are wanted", s->partial);
    s->limits = (struct sql_limits){
        .timeout_s = timeout / 1000, .max_rows = (size_t)rows, .digits = (int)digits};
    s->permuted = (size_t)columns;
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int check_sources(const struct verifier *v, struct sql_verifier *s, struct error *error)
{
    struct span init = verify_arg_text(v, "init"), db = verify_arg_text(v, "db");
    s->db_field = verify_arg_text(v, "db_field");
    if (!init.ptr == !db.ptr)
        return error_set(error, ERROR_USAGE,
                         "sql: the database is one of db=FILE and init=SCRIPT; write sql:db=FILE");
    if (s->db_field.ptr && !(db.ptr && is_folder(db.ptr)))
        return error_set(error, ERROR_USAGE,
                         "sql: db_field names a database in a folder; give it as db=FOLDER");
    if (db.ptr && !s->db_field.ptr && is_folder(db.ptr))
        return error_set(error, ERROR_USAGE,
                         "sql: %s is a folder; say by db_field=KEY which key of a row names the "
                         "database in it",
                         db.ptr);
    if (db.ptr)
        s->db = mem_text(db.ptr);
    return init.ptr ? read_script(init, &s->script, error) : 0;
}

static struct sql_db *open_database(const struct sql_verifier *s, const char *path,
                                    struct error *error)
{
    return path ? sql_open_file(path, error) : sql_open_script(buf_span(&s->script), error);
}

static int sql_open_keys(struct verifier *v, struct error *error)
{
    struct sql_verifier *s = mem_zero(1, sizeof *s);
    v->state = s;
    s->workers = mem_zero((size_t)v->jobs, sizeof *s->workers);
    s->order = (enum sql_order)verify_arg_choice(v, "ordered", ORDER_AUTO);
    int rc = read_limits(v, s, error);
    if (!rc)
        rc = check_sources(v, s, error);
    if (!rc && !s->db_field.ptr) { /* a database that does not open is said before any row */
        struct sql_db *db = open_database(s, s->db, error);
        rc = db ? 0 : error_prefix(error, "sql");
        sql_close(db);
    }
    return rc;
}

static void sql_close_keys(struct verifier *v)
{
    struct sql_verifier *s = v->state;
    for (int i = 0; i < v->jobs; i++) {
        struct sql_worker *w = &s->workers[i];
        for (size_t d = 0; d < w->names.count; d++)
            sql_close(w->databases[d]);
        for (size_t g = 0; g < w->cap_results; g++) {
            sql_result_free(&w->results[g].result);
            buf_free(&w->results[g].why);
        }
        struct buf *const texts[] = {&w->why, &w->query, &w->key, &w->gold};
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            buf_free(texts[t]);
        sql_result_free(&w->candidate);
        map_free(&w->names);
        map_free(&w->golds);
        free(w->databases);
        free(w->results);
    }
    buf_free(&s->script);
    free(s->workers);
    free(s->db);
    free(s);
}

/* ---- the row's database ------------------------------------------------------------------------ */

/* FOLDER/NAME.sqlite, FOLDER/NAME.db, FOLDER/NAME/NAME.sqlite, FOLDER/NAME: the one there is. A name
 * comes from a row: it may not lead out of the folder. */
static bool find_file(const char *folder, struct span name, struct buf *path)
{
    int n = (int)name.len;
    if (!name.len || name.len > 255 || name.ptr[0] == '.' || memchr(name.ptr, '/', name.len) ||
        memchr(name.ptr, '\0', name.len))
        return false;
    for (int form = 0; form < 4; form++) {
        buf_clear(path);
        switch (form) {
        case 0: buf_format(path, "%s/%.*s.sqlite", folder, n, name.ptr); break;
        case 1: buf_format(path, "%s/%.*s.db", folder, n, name.ptr); break;
        case 2: buf_format(path, "%s/%.*s/%.*s.sqlite", folder, n, name.ptr, n, name.ptr); break;
        default: buf_format(path, "%s/%.*s", folder, n, name.ptr); break;
        }
        struct stat st;
        if (stat(buf_cstr(path), &st) == 0 && S_ISREG(st.st_mode))
            return true;
    }
    return false;
}

static struct sql_db *database_of(const struct sql_verifier *s, struct sql_worker *w,
                                  struct span name, struct error *error)
{
    struct buf path = {0};
    bool fresh;
    size_t at = map_find(&w->names, name);
    if (at != MAP_NONE)
        return w->databases[at];
    if (s->db_field.ptr && !find_file(s->db, name, &path)) {
        error_set(error, ERROR_INPUT, "no database %.*s in %s", (int)name.len, name.ptr, s->db);
        buf_free(&path);
        return NULL;
    }
    struct sql_db *db = open_database(s, s->db_field.ptr ? buf_cstr(&path) : s->db, error);
    buf_free(&path);
    if (db) {
        at = map_add(&w->names, name, &fresh);
        w->databases = mem_grow(w->databases, &w->cap_databases, at + 1, sizeof *w->databases);
        w->databases[at] = db;
    }
    return db;
}

/* ---- verdict ----------------------------------------------------------------------------------- */

static void mark(struct verdict *out, bool has_sql, bool executes)
{
    struct buf json = {0};
    buf_format(&json, "{\"has_sql\":%d,\"executes\":%d}", has_sql, executes);
    verdict_meta(out, SPAN("markers"), buf_span(&json));
    buf_free(&json);
}

/* The reference's text: a string, or the string `sql` of an object. */
static bool gold_text(struct json_value gold, struct buf *out)
{
    if (gold.type == JSON_VALUE_OBJECT && !json_get(gold, SPAN("sql"), &gold))
        return false;
    if (gold.type != JSON_VALUE_STRING)
        return false;
    buf_clear(out);
    json_text_add(gold, out);
    return sql_trim(buf_span(out)).len > 0;
}

/* Runs the reference, or remembers what it came to. */
static const struct gold_result *run_gold(const struct sql_verifier *s, struct sql_worker *w,
                                          struct sql_db *db, struct span name, struct span query)
{
    bool fresh;
    buf_clear(&w->key);
    buf_span_add(&w->key, name);
    buf_byte(&w->key, '\0');
    buf_span_add(&w->key, query);
    if (w->golds.count >= SQL_CACHED && map_find(&w->golds, buf_span(&w->key)) == MAP_NONE)
        map_clear(&w->golds);
    size_t at = map_add(&w->golds, buf_span(&w->key), &fresh);
    if (at >= w->cap_results) {
        size_t before = w->cap_results;
        w->results = mem_grow(w->results, &w->cap_results, at + 1, sizeof *w->results);
        memset(w->results + before, 0, (w->cap_results - before) * sizeof *w->results);
    }
    struct gold_result *g = &w->results[at];
    if (fresh) {
        g->end = sql_run(db, query, &s->limits, &g->result, &g->why);
        g->ordered = sql_ordered(query);
    }
    return g;
}

/* A reference that does not run is not the policy's fault. */
static void gold_failed(const struct verifier *v, const struct verify_input *in,
                        const struct sql_verifier *s, const struct gold_result *g,
                        struct verdict *out)
{
    verdict_clear(out);
    if (g->end == SQL_TOO_MANY)
        verdict_failed(out, "%s: the reference gives more than %zu rows; raise max_rows", v->name,
                       s->limits.max_rows);
    else if (in->gold.privileged)
        verdict_failed(out, "%s: the reference does not run", v->name);
    else
        verdict_failed(out, "%s: the reference does not run: %.*s", v->name, (int)g->why.len,
                       g->why.data);
}

static void say_failure(const struct sql_verifier *s, enum sql_end end, struct span why,
                        struct verdict *out)
{
    if (end == SQL_TOO_MANY)
        verdict_reason(out, "the query gives more than %zu rows", s->limits.max_rows);
    else if (end == SQL_TIMED_OUT)
        verdict_reason(out, "the query takes longer than %g ms", s->limits.timeout_s * 1000);
    else {
        why = utf8_head(why, SHOWN_CHARS);
        verdict_reason(out, "the query does not run: %.*s", (int)why.len, why.ptr);
    }
}

static void compare(const struct verifier *v, const struct verify_input *in, struct sql_worker *w,
                    struct sql_db *db, struct span name, struct span query, struct verdict *out)
{
    const struct sql_verifier *s = v->state;
    const struct gold_result *g = run_gold(s, w, db, name, sql_trim(buf_span(&w->gold)));
    if (g->end != SQL_RAN) {
        gold_failed(v, in, s, g, out);
        return;
    }
    enum sql_end end = sql_run(db, query, &s->limits, &w->candidate, &w->why);
    mark(out, true, end == SQL_RAN || end == SQL_TOO_MANY);
    verdict_score(out, 0);
    if (end != SQL_RAN) {
        say_failure(s, end, buf_span(&w->why), out);
        return;
    }
    bool ordered = s->order == ORDER_AUTO ? g->ordered : s->order == ORDER_YES;
    bool same = sql_same(&g->result, &w->candidate, ordered, s->permuted);
    verdict_score(out, same ? 1 : s->partial);
    if (same)
        verdict_reason(out, "the same rows");
    else
        verdict_reason(out, "other rows: %zu of %zu columns", w->candidate.rows,
                       w->candidate.columns);
}

static int sql_verdict(const struct verifier *v, const struct verify_input *in, struct verdict *out,
                       struct error *error)
{
    const struct sql_verifier *s = v->state;
    struct sql_worker *w = &s->workers[in->worker];
    struct span query = sql_query_of(in->candidate, &in->scratch[0]), name = SPAN("");
    struct error why = {0};
    (void)error;
    if (!gold_text(in->gold.value, &w->gold)) {
        verdict_unjudged(out, "%s: the reference is no SQL text", v->name);
        return 0;
    }
    if (!query.len) {
        mark(out, false, false);
        verdict_score(out, 0);
        verdict_reason(out, "no query in the reply");
        return 0;
    }
    if (s->db_field.ptr) {
        const struct json_value *value = row_get(in->row, s->db_field);
        name = value && value->type == JSON_VALUE_STRING ? json_text(*value, &in->scratch[1])
                                                         : SPAN("");
    }
    struct sql_db *db = database_of(s, w, name, &why);
    if (!db)
        verdict_failed(out, "%s: %s", v->name, why.text);
    else
        compare(v, in, w, db, name, query, out);
    return 0;
}

static const struct verify_key sql_keys[] = {
    {"db", VERIFY_TEXT, NULL},
    {"init", VERIFY_TEXT, NULL},
    {"db_field", VERIFY_TEXT, NULL},
    {"ordered", VERIFY_CHOICE, "auto|yes|no"},
    {"digits", VERIFY_NUMBER, NULL},
    {"max_rows", VERIFY_NUMBER, NULL},
    {"max_perm_cols", VERIFY_NUMBER, NULL},
    {"timeout_ms", VERIFY_NUMBER, NULL},
    {"partial", VERIFY_NUMBER, NULL},
    {0},
};
const struct verify_kind VERIFY_SQL = {.name = "sql",
                                       .recorded = "sql_exec",
                                       .keys = sql_keys,
                                       .needs_gold = true,
                                       .open = sql_open_keys,
                                       .run = sql_verdict,
                                       .close = sql_close_keys};
