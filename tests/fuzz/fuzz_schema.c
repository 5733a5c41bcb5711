/* A schema and, behind the first line feed, a value: no crash, no endless work, the same answer twice. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_make((const char *)data, size);
    size_t line = span_find(text, SPAN("\n"), 0);
    struct json_value value;
    struct json_fault fault;
    struct error error;
    struct buf where = {0};
    if (line > size || json_scan(span_slice(text, line + 1, size), &value, NULL, &fault))
        return 0;
    struct schema *s = schema_open(span_slice(text, 0, line), SCHEMA_2020_12, &error);
    if (!s)
        return 0;
    if (schema_validate(s, value, &where) != schema_validate(s, value, &where))
        abort();
    schema_free(s);
    buf_free(&where);
    return 0;
}
