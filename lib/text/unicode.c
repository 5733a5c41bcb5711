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

bool unicode_mark(uint32_t c)
{
    return c >= 0x80 && has(c, UNICODE_MARK);
}

struct range {
    uint32_t first, last;
};

static bool inside(const struct range *ranges, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

/* Blocks of the scripts whose line breaks need a dictionary or may be anywhere (Unicode 14). */
static const struct range UNSPACED[] = {
    {0x0e00, 0x0eff},   /* Thai, Lao */
    {0x1000, 0x109f},   /* Myanmar */
    {0x1780, 0x17ff},   /* Khmer */
    {0x1950, 0x19df},   /* Tai Le, New Tai Lue */
    {0x1a20, 0x1aaf},   /* Tai Tham */
    {0x2e80, 0x2fdf},   /* Han radicals */
    {0x3005, 0x3007},   /* Han iteration mark and zero */
    {0x3021, 0x312f},   /* Hangzhou numerals, kana, Bopomofo */
    {0x31a0, 0x31bf},   /* Bopomofo */
    {0x31f0, 0x31ff},   /* kana */
    {0x3400, 0x4dbf},   /* Han */
    {0x4e00, 0x9fff},   /* Han */
    {0xa9e0, 0xa9ff},   /* Myanmar */
    {0xaa60, 0xaadf},   /* Myanmar, Tai Viet */
    {0xf900, 0xfaff},   /* Han */
    {0xff66, 0xff9f},   /* kana, half width */
    {0x1aff0, 0x1b16f}, /* kana */
    {0x20000, 0x3ffff}, /* Han */
};

bool unicode_unspaced(uint32_t c)
{
    return inside(UNSPACED, sizeof UNSPACED / sizeof *UNSPACED, c);
}

/* Numeric_Type=Digit of Unicode 14: what str.isdigit has beyond str.isdecimal. */
static const struct range DIGITS[] = {
    {0xb2, 0xb3},       {0xb9, 0xb9},       {0x1369, 0x1371},   {0x19da, 0x19da},
    {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
    {0x2474, 0x247c},   {0x2488, 0x2490},   {0x24ea, 0x24ea},   {0x24f5, 0x24fd},
    {0x24ff, 0x24ff},   {0x2776, 0x277e},   {0x2780, 0x2788},   {0x278a, 0x2792},
    {0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a},
};

bool unicode_isdigit(uint32_t c)
{
    if (c < 0x80)
        return ascii_digit(c);
    return inside(DIGITS, sizeof DIGITS / sizeof *DIGITS, c) || unicode_digit(c);
}
