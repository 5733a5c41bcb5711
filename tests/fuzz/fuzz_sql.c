/* A reply, read for its query, which runs on a small database: nothing crashes, nothing is written,
 * a result is the same as itself. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sql_db *db;
    struct span text = span_make((const char *)data, size);
    const struct sql_limits limits = {.timeout_s = 0.05, .max_rows = 50, .digits = 2};
    struct sql_result r = {0}, check = {0};
    struct buf scratch = {0}, why = {0};
    struct error error;
    if (!db)
        db = sql_open_script(
            SPAN("create table t(a, b text); insert into t values (1,'x'),(2,'y')"), &error);
    struct span query = sql_query_of(text, &scratch);
    sql_ordered(text);
    sql_many(text);
    if (query.len && sql_run(db, query, &limits, &r, &why) == SQL_RAN)
        if (!sql_same(&r, &r, true, 5) || !sql_same(&r, &r, false, 5))
            abort();
    if (sql_run(db, SPAN("select count(*) from t"), &limits, &check, &why) != SQL_RAN ||
        !span_is(check.cells[0], "#2"))
        abort();
    sql_result_free(&r);
    sql_result_free(&check);
    buf_free(&scratch);
    buf_free(&why);
    return 0;
}
