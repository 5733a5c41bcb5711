/* test_csv.c: tables of text as JSON objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../row/files.h"
#include "ingest/csv.h"

/* Records and what is wrong with bad ones, `LINE:RECORD` each, joined by '|'. */
static void table_is(const char *text, enum csv_kind kind, const char *want)
{
    struct csv csv;
    struct error error;
    struct buf record = {0}, got = {0};
    size_t line;
    int more;
    file_put("table", span_text(text));
    assert_int_equal(csv_open(&csv, "table", kind, &error), 0);
    while ((more = csv_next(&csv, &record, &line)) != 0)
        buf_format(&got, "%s%zu%s%.*s", got.len ? "|" : "", line, more > 0 ? ":" : "!",
                   (int)record.len, record.data);
    assert_string_equal(buf_cstr(&got), want);
    csv_free(&csv);
    buf_free(&record);
    buf_free(&got);
}

static void cells(void **state)
{
    (void)state;
    table_is("a,b\n1,x y\n", CSV_COMMAS, "2:{\"a\":\"1\",\"b\":\"x y\"}");
    table_is("a,b\n,\"\"\n", CSV_COMMAS, "2:{\"a\":null,\"b\":\"\"}");
    table_is("a\n\"[1, 2.0]\"\n[1\n\"{\"\"k\"\": [\n1]}\"\n", CSV_COMMAS,
             "2:{\"a\":[1, 2.0]}|3:{\"a\":\"[1\"}|4:{\"a\":{\"k\": [1]}}");
    table_is("a\tb\n1,2\t3", CSV_TABS, "2:{\"a\":\"1,2\",\"b\":\"3\"}");
    table_is("\xef\xbb\xbf a , b \n1,2", CSV_COMMAS, "2:{\"a\":\"1\",\"b\":\"2\"}");
}

static void quotes_and_line_ends(void **state)
{
    (void)state;
    table_is(
        "a,b\r\n\"x, \"\"y\"\"\r\nz\",2\r\n\r\n\r\n3,4\r5,6", CSV_COMMAS,
        "2:{\"a\":\"x, \\\"y\\\"\\r\\nz\",\"b\":\"2\"}|6:{\"a\":\"3\",\"b\":\"4\"}|7:{\"a\":\"5\","
        "\"b\":\"6\"}");
    table_is("a\n\"x\"y\n", CSV_COMMAS, "2:{\"a\":\"xy\"}");
}

static void records_that_do_not_fit(void **state)
{
    (void)state;
    table_is(
        "a,b\n1\n2,3,4\n5,6\n", CSV_COMMAS,
        "2!1 cells under 2 names; quote cells that hold the separator|"
        "3!3 cells under 2 names; quote cells that hold the separator|4:{\"a\":\"5\",\"b\":\"6\"}");
    table_is("a\n\xff\nx\n\"y", CSV_COMMAS,
             "2!a cell is not UTF-8; convert the file|3:{\"a\":\"x\"}|"
             "4!a quoted cell never closes; close it or double the quotes inside it");
}

static void headers(void **state)
{
    (void)state;
    struct csv csv;
    struct error error;
    table_is("", CSV_COMMAS, "");
    table_is("a,b\n", CSV_COMMAS, "");
    file_put("table", SPAN("a,\"b\n"));
    assert_int_equal(csv_open(&csv, "table", CSV_COMMAS, &error), ERROR_INPUT);
    assert_string_equal(error.text, "table:1: a quoted name never closes; mend the header");
    csv_free(&csv);
    file_put("table", SPAN("a,\xc3\n"));
    assert_int_equal(csv_open(&csv, "table", CSV_COMMAS, &error), ERROR_INPUT);
    csv_free(&csv);
    assert_int_equal(csv_open(&csv, "nowhere", CSV_COMMAS, &error), ERROR_INPUT);
    csv_free(&csv);
}

static void kinds_by_name(void **state)
{
    (void)state;
    assert_int_equal(csv_kind_of("items.csv"), CSV_COMMAS);
    assert_int_equal(csv_kind_of("items.TSV"), CSV_TABS);
    assert_int_equal(csv_kind_of("csv"), CSV_NONE);
    assert_int_equal(csv_kind_of("items.csv.jsonl"), CSV_NONE);
    assert_int_equal(csv_kind_of("-"), CSV_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells),
        cmocka_unit_test(quotes_and_line_ends),
        cmocka_unit_test(records_that_do_not_fit),
        cmocka_unit_test(headers),
        cmocka_unit_test(kinds_by_name),
    };
    return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
