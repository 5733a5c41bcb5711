/* A reference, a line feed, a reply: nothing crashes, nothing runs on, and a reference that stands in
 * a box equals itself unless the budget is spent. */
#include <stdint.h>
#include <stdlib.h>

#include "grade/math_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_make((const char *)data, size);
    size_t line = span_find(text, SPAN("\n"), 0);
    struct span gold = line < size ? span_slice(text, 0, line) : text;
    struct span reply = line < size ? span_slice(text, line + 1, size) : text;
    struct math_side *g = math_gold(gold);
    struct buf answer = {0};
    if (!g)
        return 0;
    enum math_verdict first = math_compare(g, reply, 0.2, &answer);
    if (first != MATH_BUDGET && math_compare(g, reply, 5, NULL) != first)
        abort();
    math_side_free(g);
    buf_free(&answer);
    return 0;
}
