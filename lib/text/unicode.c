/* unicode.c: see unicode.h. ASCII is answered without the tables. */
#include "text/unicode.h"

#include "text/unicode_tables.h"

static bool has(uint32_t c, unsigned flag)
{
    return unicode_record(c)->flags & flag;
}

static bool ascii_letter(uint32_t c)
{
    return (c | 0x20) - 'a' < 26;
}

static bool ascii_digit(uint32_t c)
{
    return c - '0' < 10;
}

bool unicode_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || c - 0x09 < 5 || c - 0x1c < 4;
    return has(c, UNICODE_SPACE);
}

bool unicode_word(uint32_t c)
{
    if (c < 0x80)
        return ascii_letter(c) || ascii_digit(c) || c == '_';
    return has(c, UNICODE_WORD);
}

bool unicode_alpha(uint32_t c)
{
    return c < 0x80 ? ascii_letter(c) : has(c, UNICODE_ALPHA);
}

bool unicode_digit(uint32_t c)
{
    return c < 0x80 ? ascii_digit(c) : has(c, UNICODE_DIGIT);
}

int unicode_digit_value(uint32_t c)
{
    if (c < 0x80)
        return ascii_digit(c) ? (int)(c - '0') : -1;
    return unicode_record(c)->digit;
}

bool unicode_printable(uint32_t c)
{
    return c < 0x80 ? c >= 0x20 && c < 0x7f : has(c, UNICODE_PRINTABLE);
}

bool unicode_upper(uint32_t c)
{
    return c < 0x80 ? c - 'A' < 26 : has(c, UNICODE_UPPER);
}
