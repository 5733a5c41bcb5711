/* seed.c: see seed.h. Sums are taken on the digits, so that no seed is too long. */
#include "measure/seed.h"

#include <stdlib.h>

int seed_read(const char *text, struct buf *out, struct error *error)
{
    bool negative = *text == '-';
    const char *digits = text + (*text == '-' || *text == '+');
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || digits[n])
        return error_set(error, ERROR_USAGE,
                         "--seed %s is no integer; give digits, as in --seed 17", text);
    while (*digits == '0' && digits[1])
        digits++;
    if (negative && *digits != '0')
        buf_byte(out, '-');
    buf_text(out, digits);
    return 0;
}

/* digits += offset, both decimal without a sign. */
static void add(struct buf *digits, uint64_t offset)
{
    for (size_t i = digits->len; i-- > 0 && offset;) {
        offset += (uint64_t)(digits->data[i] - '0');
        digits->data[i] = (char)('0' + offset % 10);
        offset /= 10;
    }
    while (offset) {
        char digit = (char)('0' + offset % 10);
        *buf_reserve(digits, 1) = '0';
        memmove(digits->data + 1, digits->data, digits->len);
        digits->data[0] = digit;
        digits->len++;
        offset /= 10;
    }
}

/* digits -= offset, when offset is not above them. */
static void subtract(struct buf *digits, uint64_t offset)
{
    for (size_t i = digits->len; i-- > 0 && offset;) {
        int digit = digits->data[i] - '0' - (int)(offset % 10);
        offset /= 10;
        if (digit < 0) {
            digit += 10;
            offset++;
        }
        digits->data[i] = (char)('0' + digit);
    }
}

void seed_start(const char *decimal, uint64_t offset, struct rng *rng)
{
    struct buf digits = {0};
    bool negative = *decimal == '-';
    buf_text(&digits, decimal + negative);
    uint64_t size = digits.len < 20 ? strtoull(buf_cstr(&digits), NULL, 10) : UINT64_MAX;
    if (!negative) {
        add(&digits, offset);
    } else if (size >= offset) {
        subtract(&digits, offset);
    } else { /* past zero: the sign does not matter to the stream, the size does */
        buf_clear(&digits);
        buf_format(&digits, "%llu", (unsigned long long)(offset - size));
    }
    rng_seed_decimal(rng, buf_cstr(&digits));
    buf_free(&digits);
}
