/* scan_avx2.c: the scanner's path for x86-64 processors with AVX2, carry-less multiplication and
 * BMI. */
#include "json/scan_path.h"

#ifdef __x86_64__

#include <immintrin.h>
#include <string.h>

#include "json/scan_utf8.h"

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))

/* A table of 16 bytes in both halves of a vector. */
#define TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)

enum {
    BLOCK = 64, /* bytes */
    SPILL = 8,  /* places written beyond the last one */
};

struct classes {
    uint64_t quote, backslash, control, space, bracket;
};

struct utf8 {
    __m256i error, before, incomplete; /* before: the last 32 bytes */
};

TARGET static inline size_t lowest(uint64_t bits)
{
    return _tzcnt_u64(bits);
}

TARGET static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

TARGET static inline uint64_t bitmap(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

TARGET static inline uint64_t equal(__m256i low, __m256i high, char c)
{
    const __m256i wanted = _mm256_set1_epi8(c);
    return bitmap(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

/* A byte's own value is looked up by its low four bits: it is in the class when it finds itself. */
TARGET static inline __m256i spaces(__m256i bytes)
{
    const __m256i table = TWICE(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes), bytes);
}

/* The same for : , { } and, with one bit more, [ ]. Two control characters come in too, 0x0C and
 * 0x1A: as tokens they are refused. */
TARGET static inline __m256i brackets(__m256i bytes)
{
    const __m256i table = TWICE(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes),
                             _mm256_or_si256(bytes, _mm256_set1_epi8(0x20)));
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

TARGET static inline __m256i high_nibbles(__m256i bytes)
{
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
}

/* The bytes n places earlier. */
#define EARLIER(bytes, before, n) \
    _mm256_alignr_epi8(bytes, _mm256_permute2x128_si256(before, bytes, 0x21), 16 - (n))

TARGET static inline void utf8_half(struct utf8 *u, __m256i bytes)
{
    const __m256i first_high = TWICE(UTF8_FIRST_HIGH), first_low = TWICE(UTF8_FIRST_LOW),
                  second_high = TWICE(UTF8_SECOND_HIGH);
    __m256i one = EARLIER(bytes, u->before, 1), two = EARLIER(bytes, u->before, 2),
            three = EARLIER(bytes, u->before, 3);
    __m256i pairs = _mm256_and_si256(
        _mm256_and_si256(
            _mm256_shuffle_epi8(first_high, high_nibbles(one)),
            _mm256_shuffle_epi8(first_low, _mm256_and_si256(one, _mm256_set1_epi8(0x0F)))),
        _mm256_shuffle_epi8(second_high, high_nibbles(bytes)));
    /* The top bit where a third or fourth byte of a sequence must stand. */
    __m256i must = _mm256_or_si256(_mm256_subs_epu8(two, _mm256_set1_epi8(0xE0 - 0x80)),
                                   _mm256_subs_epu8(three, _mm256_set1_epi8(0xF0 - 0x80)));
    must = _mm256_and_si256(must, _mm256_set1_epi8((char)0x80));
    u->error = _mm256_or_si256(u->error, _mm256_xor_si256(must, pairs));
    u->before = bytes;
}

TARGET static inline void utf8_block(struct utf8 *u, __m256i low, __m256i high)
{
    const __m256i most = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                          -1, (char)(0xF0 - 1), (char)(0xE0 - 1), (char)(0xC0 - 1));
    if (_mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0) {
        u->error = _mm256_or_si256(u->error, u->incomplete);
        u->before = u->incomplete = _mm256_setzero_si256();
        return;
    }
    utf8_half(u, low);
    utf8_half(u, high);
    u->incomplete = _mm256_subs_epu8(high, most);
}

TARGET static inline bool utf8_good(const struct utf8 *u)
{
    return _mm256_testz_si256(u->error, u->error) &&
           _mm256_testz_si256(u->incomplete, u->incomplete);
}

/* ---- the block ------------------------------------------------------------------------------- */

TARGET static inline struct classes classify(const char *block, struct utf8 *u)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)block);
    __m256i high = _mm256_loadu_si256((const __m256i *)(block + 32));
    const __m256i last_control = _mm256_set1_epi8(0x1F);
    utf8_block(u, low, high);
    return (struct classes){
        .quote = equal(low, high, '"'),
        .backslash = equal(low, high, '\\'),
        .control = bitmap(_mm256_cmpeq_epi8(_mm256_min_epu8(low, last_control), low),
                          _mm256_cmpeq_epi8(_mm256_min_epu8(high, last_control), high)),
        .space = bitmap(spaces(low), spaces(high)),
        .bracket = bitmap(brackets(low), brackets(high)),
    };
}

TARGET static inline size_t put_places(uint32_t *to, uint32_t base, uint64_t bits)
{
    const size_t count = (size_t)_mm_popcnt_u64(bits);
    for (size_t done = 0; done < count; done += SPILL, to += SPILL) {
        for (int i = 0; i < SPILL; i++) {
            to[i] = base + (uint32_t)_tzcnt_u64(bits); /* 64 when none is left: no harm */
            bits = _blsr_u64(bits);
        }
    }
    return count;
}

#include "json/scan_blocks.h"

/* ---- passing over what was scanned ------------------------------------------------------------ */

struct brackets {
    uint64_t quote, backslash, open, close;
};

TARGET static inline struct brackets brackets_at(const char *p, const char *end)
{
    char last[BLOCK];
    if (end - p < BLOCK) {
        memset(last, ' ', sizeof last);
        memcpy(last, p, (size_t)(end - p));
        p = last;
    }
    __m256i low = _mm256_loadu_si256((const __m256i *)p),
            high = _mm256_loadu_si256((const __m256i *)(p + 32));
    const __m256i bit = _mm256_set1_epi8(0x20); /* with it [ ] become { } */
    __m256i low_curly = _mm256_or_si256(low, bit), high_curly = _mm256_or_si256(high, bit);
    return (struct brackets){equal(low, high, '"'), equal(low, high, '\\'),
                             equal(low_curly, high_curly, '{'), equal(low_curly, high_curly, '}')};
}

#include "json/skip_blocks.h"

TARGET const char *skip_avx2(const char *p, const char *end)
{
    return skip_blocks(p, end);
}

bool scan_avx2_there(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

bool scan_avx2(struct span text, struct json_value *value, struct json_members *members)
{
    return scan_blocks(text, value, members);
}

#endif
