/* Calls as a program's text: what is read is JSON, and nothing is appended when nothing is read. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/call_text.h"
#include "text/utf8.h"
#include "json/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf json = {0};
    struct json_value value;
    struct json_fault fault;
    bool ok = call_text_json(span_make((const char *)data, size), &json);
    if (!ok && json.len)
        abort();
    if (ok && (json_scan(buf_span(&json), &value, NULL, &fault) || value.type != JSON_VALUE_ARRAY))
        abort();
    buf_free(&json);
    return 0;
}
