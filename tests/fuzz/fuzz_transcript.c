/* Streams of coding agents: whatever they hold, the steps are a JSON array in one line. The first byte
 * names the format. */
#include <stdint.h>
#include <stdlib.h>

#include "agent/transcript.h"
#include "json/scan.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf steps = {0}, words = {0}, failure = {0};
    struct json_value value;
    struct json_fault fault;
    if (size == 0)
        return 0;
    transcript_read((enum transcript_format)(data[0] % 3),
                    (struct span){(const char *)data + 1, size - 1}, &steps, &words, &failure);
    REQUIRE(json_scan(buf_span(&steps), &value, NULL, &fault) == 0);
    REQUIRE(value.type == JSON_VALUE_ARRAY && !memchr(steps.data, '\n', steps.len));
    REQUIRE(!failure.len || (json_count(value) == 0 && !words.len));
    buf_free(&steps);
    buf_free(&words);
    buf_free(&failure);
    return 0;
}
