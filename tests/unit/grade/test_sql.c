/* The query of a reply, results as multisets, and queries that nobody should run (grade 8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "grade/sql.h"

static void query(const char *text, const char *wanted)
{
    struct buf scratch = {0};
    struct span got = sql_query_of(span_text(text), &scratch);
    if (!span_is(got, wanted))
        fail_msg("%s: %.*s", text, (int)got.len, got.ptr ? got.ptr : "");
    buf_free(&scratch);
}

static void query_of_a_reply(void **state)
{
    (void)state;
    query("SELECT 1;", "SELECT 1");
    query("I would run select 1 ; ;\n", "select 1");
    query("<think>select 0</think>with a as (select 1) select * from a",
          "with a as (select 1) select * from a");
    query("```sql\nselect 1\n```\nor\n```\nselect 2;\n```", "select 2");
    query("```\nselect 2\n```\n```SQL\nselect 1\n```", "select 1");
    query("```python\nprint()\n```\nselect 3", "select 3");
    query("```sql\ndelete from t\n```", "");
    query("selection of 5", "");
    query("preselect 1, then select 2", "select 2");
    query("", "");
    query("```sql\n```", "");
}

static void statements_are_counted_outside_of_quotes(void **state)
{
    (void)state;
    assert_true(sql_many(SPAN("select 1; select 2")));
    assert_false(sql_many(SPAN("select ';', \";\", `;`, [;], 'it''s ;' -- ;\n, /* ; */ 1")));
    assert_true(sql_many(SPAN("select 'a' ; ")));
    assert_false(sql_many(SPAN("select 'open ;")));
    assert_true(sql_many(SPAN("select '' ; ''")));
}

static void order_counts_at_the_top_only(void **state)
{
    (void)state;
    assert_true(sql_ordered(SPAN("select a from t ORDER  BY a")));
    assert_true(sql_ordered(SPAN("select a from t order/* x */by a")));
    assert_true(sql_ordered(SPAN("select a from t order -- by\n by a")));
    assert_false(sql_ordered(SPAN("select a from (select a from t order by a)")));
    assert_false(sql_ordered(SPAN("select row_number() over (order by a) from t")));
    assert_false(sql_ordered(SPAN("select 'order by', \"order by\" from t -- order by a")));
    assert_false(sql_ordered(SPAN("select reorder by from t")));
    assert_false(sql_ordered(SPAN("select a as \"x\", border by1 from t")));
}

static const char SCRIPT[] = "create table t(a integer, b text, c real);"
                             "insert into t values (1,'One',1.005),(2,'Two',2.0),(3,NULL,-0.001);";

static struct sql_limits limits = {.timeout_s = 0.2, .max_rows = 10, .digits = 2};

/* Both queries on SCRIPT's database: are they the same. */
static void same(const char *a, const char *b, bool ordered, bool wanted)
{
    struct error error;
    struct sql_db *db = sql_open_script(span_text(SCRIPT), &error);
    struct sql_result x = {0}, y = {0};
    struct buf why = {0};
    assert_non_null(db);
    assert_int_equal(sql_run(db, span_text(a), &limits, &x, &why), SQL_RAN);
    assert_int_equal(sql_run(db, span_text(b), &limits, &y, &why), SQL_RAN);
    if (sql_same(&x, &y, ordered, 3) != wanted)
        fail_msg("%s | %s", a, b);
    sql_result_free(&x);
    sql_result_free(&y);
    buf_free(&why);
    sql_close(db);
}

static void results_by_value(void **state)
{
    (void)state;
    same("select a from t", "select a from t order by a desc", false, true);
    same("select a from t", "select a from t order by a desc", true, false);
    same("select 1, 2", "select 2, 1", false, true);
    same("select a, b from t", "select b, a from t", true, true);
    same("select a, c from t where a < 3", "select c, a from t where a < 3", true, true);
    same("select a, -a from t where a < 3", "select -a, a from t where a < 3", true, true);
    same("select a, 4 - a from t", "select 4 - a, a from t", false, true);
    same("select 1, 2, 3, 4", "select 4, 3, 2, 1", false, false); /* more columns than may move */
    same("select 1.004", "select 1", false, true);
    same("select 1.006", "select 1.01", false, true);
    same("select 0.125", "select 0.12", false, true); /* half to even */
    same("select 0.375", "select 0.38", false, true);
    same("select -0.001", "select 0", false, true);
    same("select ' ABC '", "select 'abc'", false, true);
    same("select '$1,234.50'", "select 1234.5", false, true);
    same("select '12345678901234567890123'", "select '12345678901234567890124'", false, false);
    same("select '007'", "select 7", false, true);
    same("select '1e3'", "select 1000", false, true);
    same("select 'nan'", "select 'NaN '", false, true);
    same("select printf('%.1f%%', 12.34)", "select '12.3%'", false, true);
    same("select printf(null)", "select null", false, true);
    same("select null", "select ''", false, false);
    same("select null", "select 'null'", false, false);
    same("select x'01'", "select '01'", false, false);
    same("select a from t where 0", "select b, c from t where 0", false, true);
    same("select a from t where a = 1", "select a from t where a = 1 union all select 1", false,
         false);
    same("select 1 union all select 1 union all select 2",
         "select 1 union all select 2 union all select 2", false, false);
    same("select 'a', 'bc'", "select 'ab', 'c'", false, false);
}

enum { STOPPED = -1 }; /* refused or timed out, whichever comes first */

static void ends(const char *text, int wanted)
{
    struct error error;
    struct sql_db *db = sql_open_script(span_text(SCRIPT), &error);
    struct sql_result r = {0};
    struct buf why = {0};
    int end = (int)sql_run(db, span_text(text), &limits, &r, &why);
    if (wanted == STOPPED ? end != SQL_REFUSED && end != SQL_TIMED_OUT : end != wanted)
        fail_msg("%s: %d, %.*s", text, end, (int)why.len, why.data ? why.data : "");
    /* The database is as it was and still answers. */
    assert_int_equal(sql_run(db, SPAN("select count(*) from t"), &limits, &r, &why), SQL_RAN);
    assert_true(span_is(r.cells[0], "#3"));
    sql_result_free(&r);
    buf_free(&why);
    sql_close(db);
}

static void hostile_queries_end(void **state)
{
    (void)state;
    ends("with recursive n(i) as (select 1 union all select i+1 from n) select count(*) from n",
         SQL_TIMED_OUT);
    ends("with recursive n(i) as (select 1 union all select i+1 from n) select i from n",
         SQL_TOO_MANY);
    ends("with recursive n(i) as (select 1 union all select i+1 from n) select "
         "group_concat(hex(randomblob(1000))) from n",
         STOPPED); /* a value that grows too large */
    ends("with recursive n(i) as (select randomblob(10000) union select randomblob(10000) from n) "
         "select count(*) from n",
         STOPPED); /* memory */
    ends("with recursive n(i) as (select 1 union all select i+1 from n limit 1000000) select "
         "randomblob(200000) b from n order by b",
         STOPPED);
    ends("select zeroblob(2000000000)", SQL_REFUSED);
    ends("select length(randomblob(1000000000))", SQL_REFUSED);
    ends("select printf('%.*c', 2000000000, 'x')", SQL_REFUSED);
    ends("select format('%-2000000000d', 1)", SQL_REFUSED);
    ends("select printf('%%%.2f %,d %s', 1.5, 1000, 'x')", SQL_RAN);
    ends("select trim(hex(zeroblob(30000)), replace(hex(zeroblob(8000)), '0', 'a') || '0')",
         SQL_RAN);
    ends("select instr(zeroblob(262144), zeroblob(131072) || x'01')", SQL_RAN);
    ends("select 1 where hex(zeroblob(20000)) like '%' || hex(zeroblob(1000)) || '%1'",
         SQL_REFUSED);
    ends("select load_extension('/tmp/x.so')", SQL_REFUSED);
    ends("select writefile('/tmp/x', 'y')", SQL_REFUSED);
    ends("select readfile('/etc/passwd')", SQL_REFUSED);
    ends("select * from pragma_table_info('t')", SQL_REFUSED);
    ends("pragma writable_schema = on", SQL_REFUSED);
    ends("pragma journal_mode = wal", SQL_REFUSED);
    ends("attach '/tmp/stolen.db' as x", SQL_REFUSED);
    ends("vacuum into '/tmp/stolen.db'", SQL_REFUSED);
    ends("delete from t", SQL_REFUSED);
    ends("with x as (select 1) delete from t", SQL_REFUSED);
    ends("with x as (select 1) insert into t select 1, 2, 3", SQL_REFUSED);
    ends("create temp table u as select 1", SQL_REFUSED);
    ends("begin", SQL_REFUSED);
    ends("drop table t", SQL_REFUSED);
    ends("select 1; select 2", SQL_REFUSED);
    ends("select nope", SQL_REFUSED);
    ends("", SQL_REFUSED);
    ends("-- nothing", SQL_REFUSED);
}

static void databases_that_do_not_open(void **state)
{
    struct error error;
    (void)state;
    assert_null(sql_open_script(SPAN("create table"), &error));
    assert_non_null(strstr(error.text, "the script does not run"));
    assert_null(sql_open_script(SPAN("attach '/tmp/wai-never.db' as x"), &error));
    assert_null(sql_open_file("/no/such/file", &error));
    assert_null(sql_open_file("/proc/self/exe", &error));
    assert_non_null(strstr(error.text, "no SQLite database"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(query_of_a_reply),
        cmocka_unit_test(statements_are_counted_outside_of_quotes),
        cmocka_unit_test(order_counts_at_the_top_only),
        cmocka_unit_test(results_by_value),
        cmocka_unit_test(hostile_queries_end),
        cmocka_unit_test(databases_that_do_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
