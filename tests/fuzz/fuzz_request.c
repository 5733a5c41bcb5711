/* Requests for every provider from any line {spec, messages, tools, …}: a body that is JSON, or a refusal. */
#include <stdint.h>
#include <stdlib.h>

#include "model/chat.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json_value line, made;
    struct json_fault fault;
    struct error error = {0};
    struct json_writer w;
    struct buf out = {0};
    if (json_scan(span_make((const char *)data, size), &line, NULL, &fault) < 0)
        return 0;
    json_write_start(&w, &out, JSON_STYLE_COMPACT);
    if (chat_wire(line, &w, &error) < 0)
        REQUIRE(error.code < 0 && error.text[0]);
    else
        REQUIRE(json_scan(buf_span(&out), &made, NULL, &fault) == 0);
    buf_free(&out);
    return 0;
}
