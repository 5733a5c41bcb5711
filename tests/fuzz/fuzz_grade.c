/* Any bytes as a scorer's answer, as a gold with a text to scrub, as a reply that holds a number or
 * JSON: no crash, a verdict in its bounds, and output that is JSON. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/extract.h"
#include "grade/numeric.h"
#include "grade/scrub.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void answer(struct json_value value, struct verdict *v)
{
    const struct verdict_stamp stamp = {
        .judge_name = SPAN("j"), .run_id = SPAN("r"), .source = SPAN("grade")};
    const struct verdict_scale scale = {true, -1, 3};
    struct json_members members = {0};
    struct json_fault fault;
    struct json_value check;
    struct row row = {.line = value.text, .value = value};
    struct buf out = {0};
    verdict_read_row(v, value, &scale);
    verdict_read_row(v, value, NULL);
    must(!v->judged || (v->value >= 0 && v->value <= 1));
    must(v->judged == (v->status == VERDICT_OK));
    verdict_store(v, &out);
    must(verdict_load(v, buf_span(&out)));
    if (value.type == JSON_VALUE_OBJECT) {
        must(row_of_text(value.text, &row, &members, &fault) == 0);
        struct row_gold gold = row_gold(&row, SPAN(""));
        scrub_verdict(v, &gold);
        buf_clear(&out);
        verdict_land(v, &stamp, &row, &out);
        must(json_scan(buf_span(&out), &check, NULL, &fault) == 0);
    }
    json_members_free(&members);
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_make((const char *)data, size);
    struct verdict v = {0};
    struct json_value value;
    struct json_fault fault;
    struct numeric n;
    struct buf scratch = {0};
    if (json_scan(text, &value, NULL, &fault) == 0) {
        answer(value, &v);
        buf_span_add(&scratch, text);
        scrub_text(value, &scratch);
    }
    extract_json(text, &scratch, &value);
    extract_fence(text, SPAN("py"));
    numeric_open(&n);
    numeric_find(&n, numeric_span(text));
    numeric_whole(&n, text);
    numeric_close(&n);
    verdict_free(&v);
    buf_free(&scratch);
    return 0;
}
