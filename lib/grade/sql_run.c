/* sql_run.c: runs a query that nobody trusts on a SQLite database that it cannot change (grade 8).
 * What it may do is decided by the authorizer; how long, by a count of instructions and of processor
 * time; how much memory, by an allocator that counts per thread, so that one worker's query never
 * takes from another's and the verdict does not depend on how many run. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "grade/defaults.h"
#include "grade/sql.h"

struct sql_db {
    sqlite3 *handle;
    sqlite3 *helper; /* where printf runs once its format is known to be harmless */
    double deadline; /* processor seconds of this thread; 0: none */
    int64_t steps;
    bool timed_out;
};

/* ---- memory ------------------------------------------------------------------------------------ */

/* Bytes that this thread's query holds, and may; a block carries its size in front. */
static _Thread_local int64_t held, allowed = INT64_MAX;
enum { HEAD = 16 };

static void *counted_malloc(int n)
{
    if (held + n > allowed)
        return NULL;
    char *block = malloc((size_t)n + HEAD);
    if (!block)
        return NULL;
    memcpy(block, &n, sizeof n);
    held += n;
    return block + HEAD;
}

static int counted_size(void *p)
{
    int n = 0;
    if (p)
        memcpy(&n, (char *)p - HEAD, sizeof n);
    return n;
}

static void counted_free(void *p)
{
    held -= counted_size(p);
    free((char *)p - HEAD);
}

static void *counted_realloc(void *p, int n)
{
    int before = counted_size(p);
    if (held + n - before > allowed)
        return NULL;
    char *block = realloc((char *)p - HEAD, (size_t)n + HEAD);
    if (!block)
        return NULL;
    memcpy(block, &n, sizeof n);
    held += n - before;
    return block + HEAD;
}

static int counted_roundup(int n)
{
    return (n + 7) & ~7;
}

static int counted_init(void *data)
{
    (void)data;
    return SQLITE_OK;
}

static void counted_shutdown(void *data)
{
    (void)data;
}

static void configure(void)
{
    static const sqlite3_mem_methods methods = {
        .xMalloc = counted_malloc,
        .xFree = counted_free,
        .xRealloc = counted_realloc,
        .xSize = counted_size,
        .xRoundup = counted_roundup,
        .xInit = counted_init,
        .xShutdown = counted_shutdown,
    };
    sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
    sqlite3_initialize();
}

/* ---- what a query may do ----------------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int watch(void *data)
{
    struct sql_db *db = data;
    db->steps += SQL_WATCH_STEPS;
    db->timed_out = db->steps > SQL_STEPS_MAX || processor_seconds() > db->deadline;
    return db->timed_out;
}

static int authorize(void *data, int action, const char *a, const char *b, const char *schema,
                     const char *trigger)
{
    (void)data, (void)a, (void)schema, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
        return sqlite3_stricmp(b, "load_extension") == 0 ||
                       sqlite3_stricmp(b, "fts3_tokenizer") == 0
                   ? SQLITE_DENY
                   : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/* A width or precision of more digits makes one call of printf run for seconds, and nothing can stop
 * it; one that an argument gives cannot be seen beforehand. */
static bool harmless_format(const unsigned char *format)
{
    int digits = 0;
    for (bool inside = false; *format; format++) {
        if (*format == '%') {
            inside = !inside;
            digits = 0;
        } else if (inside && *format == '*') {
            return false;
        } else if (inside && *format >= '0' && *format <= '9') {
            if (++digits > SQL_WIDTH_DIGITS)
                return false;
        } else if (inside && !strchr(".-+ #,!", *format)) {
            inside = false;
        } else {
            digits = 0;
        }
    }
    return true;
}

/* printf and format: refused, or as SQLite itself has them. */
static void guarded_printf(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct sql_db *db = sqlite3_user_data(context);
    const unsigned char *format = n ? sqlite3_value_text(values[0]) : NULL;
    sqlite3_stmt *statement = NULL;
    struct buf call = {0};
    if (!format)
        return; /* null, as SQLite has it */
    if (!harmless_format(format)) {
        sqlite3_result_error(context, "printf with a large or variable width is refused", -1);
        return;
    }
    buf_text(&call, "select printf(?");
    for (int i = 1; i < n; i++)
        buf_text(&call, ",?");
    buf_byte(&call, ')');
    if (sqlite3_prepare_v2(db->helper, call.data, (int)call.len, &statement, NULL) == SQLITE_OK)
        for (int i = 0; i < n; i++)
            sqlite3_bind_value(statement, i + 1, values[i]);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    else
        sqlite3_result_error(context, sqlite3_errmsg(db->helper), -1);
    sqlite3_finalize(statement);
    buf_free(&call);
}

static void guard_printf(struct sql_db *db)
{
    static const char *const names[] = {"printf", "format"};
    if (sqlite3_open_v2(":memory:", &db->helper, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
        mem_out_of_memory(sizeof *db);
    sqlite3_limit(db->helper, SQLITE_LIMIT_LENGTH, SQL_VALUE_BYTES);
    for (size_t i = 0; i < 2; i++)
        sqlite3_create_function_v2(db->handle, names[i], -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, db,
                                   guarded_printf, NULL, NULL, NULL);
}

static void harden(struct sql_db *db)
{
    guard_printf(db);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_exec(db->handle, "pragma temp_store=memory; pragma query_only=1", NULL, NULL, NULL);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, SQL_VALUE_BYTES);
    sqlite3_limit(db->handle, SQLITE_LIMIT_SQL_LENGTH, SQL_TEXT_BYTES);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, SQL_PATTERN_BYTES);
    sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db->handle, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_set_authorizer(db->handle, authorize, NULL);
    sqlite3_progress_handler(db->handle, SQL_WATCH_STEPS, watch, db);
}

/* ---- opening ----------------------------------------------------------------------------------- */

static struct sql_db *open_handle(const char *name, int flags, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sql_db *db = mem_zero(1, sizeof *db);
    pthread_once(&once, configure);
    if (sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
        return db;
    error_set(error, ERROR_INPUT, "the database does not open: %s", sqlite3_errmsg(db->handle));
    sql_close(db);
    return NULL;
}

/* A file's name as a URI that says: nobody writes it, so no lock and no journal is needed. */
static void immutable_uri(const char *path, struct buf *uri)
{
    buf_text(uri, "file:");
    if (strncmp(path, "//", 2) == 0)
        path++;
    for (; *path; path++) {
        if (strchr("%?#", *path))
            buf_format(uri, "%%%02X", (unsigned char)*path);
        else
            buf_byte(uri, *path);
    }
    buf_text(uri, "?mode=ro&immutable=1");
}

static bool has_log(const char *path)
{
    struct buf name = {0};
    struct stat st;
    buf_format(&name, "%s-wal", path);
    bool is = stat(buf_cstr(&name), &st) == 0 && st.st_size > 0;
    buf_free(&name);
    return is;
}

struct sql_db *sql_open_file(const char *path, struct error *error)
{
    struct buf uri = {0};
    if (has_log(path)) {
        error_set(error, ERROR_INPUT,
                  "%s: a write-ahead log stands beside it; checkpoint the database first", path);
        return NULL;
    }
    immutable_uri(path, &uri);
    struct sql_db *db = open_handle(buf_cstr(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    buf_free(&uri);
    if (db && sqlite3_exec(db->handle, "select count(*) from sqlite_master", NULL, NULL, NULL) !=
                  SQLITE_OK) {
        error_set(error, ERROR_INPUT, "%s: no SQLite database: %s", path,
                  sqlite3_errmsg(db->handle));
        sql_close(db);
        return NULL;
    }
    if (db)
        harden(db);
    else
        error_prefix(error, "%s", path);
    return db;
}

struct sql_db *sql_open_script(struct span script, struct error *error)
{
    struct sql_db *db = open_handle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    struct buf text = {0};
    if (!db)
        return NULL;
    buf_span_add(&text, script);
    sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
    int rc = sqlite3_exec(db->handle, buf_cstr(&text), NULL, NULL, NULL);
    buf_free(&text);
    if (rc != SQLITE_OK) {
        error_set(error, ERROR_INPUT, "the script does not run: %s", sqlite3_errmsg(db->handle));
        sql_close(db);
        return NULL;
    }
    harden(db);
    return db;
}

void sql_close(struct sql_db *db)
{
    if (!db)
        return;
    sqlite3_close_v2(db->handle);
    sqlite3_close_v2(db->helper);
    free(db);
}

/* ---- running ----------------------------------------------------------------------------------- */

static void add_row(sqlite3_stmt *statement, int digits, struct sql_result *r)
{
    for (int c = 0; c < (int)r->columns; c++) {
        switch (sqlite3_column_type(statement, c)) {
        case SQLITE_INTEGER: sql_cell_int(r, sqlite3_column_int64(statement, c), digits); break;
        case SQLITE_FLOAT: sql_cell_real(r, sqlite3_column_double(statement, c), digits); break;
        case SQLITE_TEXT: {
            const char *text = (const char *)sqlite3_column_text(statement, c);
            int n = sqlite3_column_bytes(statement, c);
            sql_cell_text(r, span_make(text, text ? (size_t)n : 0), digits);
            break;
        }
        case SQLITE_BLOB: {
            const char *bytes = sqlite3_column_blob(statement, c);
            int n = sqlite3_column_bytes(statement, c);
            sql_cell_blob(r, span_make(bytes, bytes ? (size_t)n : 0));
            break;
        }
        default: sql_cell_null(r);
        }
    }
    r->rows++;
}

static enum sql_end failed(const struct sql_db *db, struct buf *why)
{
    buf_text(why, db->timed_out ? "it takes too long" : sqlite3_errmsg(db->handle));
    return db->timed_out ? SQL_TIMED_OUT : SQL_REFUSED;
}

/* Rows until the end, the limit or an error. */
static enum sql_end step_rows(struct sql_db *db, sqlite3_stmt *statement,
                              const struct sql_limits *limits, struct sql_result *r,
                              struct buf *why)
{
    size_t bytes = 0;
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        if (r->rows == limits->max_rows)
            return SQL_TOO_MANY;
        add_row(statement, limits->digits, r);
        bytes = r->arena.total;
        if (bytes > SQL_RESULT_BYTES) {
            buf_text(why, "its result is too large");
            return SQL_REFUSED;
        }
    }
    return rc == SQLITE_DONE ? SQL_RAN : failed(db, why);
}

static enum sql_end run_statement(struct sql_db *db, struct span query,
                                  const struct sql_limits *limits, struct sql_result *r,
                                  struct buf *why)
{
    sqlite3_stmt *statement = NULL;
    enum sql_end end;
    if (sqlite3_prepare_v2(db->handle, query.ptr, (int)query.len, &statement, NULL) != SQLITE_OK) {
        end = failed(db, why);
    } else if (!statement || !sqlite3_stmt_readonly(statement)) {
        buf_text(why, "it is no reading statement");
        end = SQL_REFUSED;
    } else {
        r->columns = (size_t)sqlite3_column_count(statement);
        end = step_rows(db, statement, limits, r, why);
    }
    sqlite3_finalize(statement);
    return end;
}

enum sql_end sql_run(struct sql_db *db, struct span query, const struct sql_limits *limits,
                     struct sql_result *result, struct buf *why)
{
    sql_result_clear(result);
    buf_clear(why);
    if (query.len > SQL_TEXT_BYTES || memchr(query.ptr, '\0', query.len)) {
        buf_text(why, "its text is too long or holds a NUL");
        return SQL_REFUSED;
    }
    if (sql_many(query)) {
        buf_text(why, "it is more than one statement");
        return SQL_REFUSED;
    }
    db->steps = 0;
    db->timed_out = false;
    db->deadline = processor_seconds() + limits->timeout_s;
    held = 0;
    allowed = SQL_MEMORY_BYTES;
    enum sql_end end = run_statement(db, query, limits, result, why);
    allowed = INT64_MAX;
    sqlite3_db_release_memory(db->handle);
    return end;
}
