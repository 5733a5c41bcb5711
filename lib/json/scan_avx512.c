/* scan_avx512.c: the scanner's path for x86-64 processors with AVX-512 (BW, VBMI2), carry-less
 * multiplication and BMI. */
#include "json/scan_path.h"

#ifdef __x86_64__

#include <immintrin.h>

#include "json/scan_utf8.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt,pclmul")))

/* A table of 16 bytes in every quarter of a vector. */
#define FOURFOLD(...) _mm512_broadcast_i32x4(_mm_setr_epi8(__VA_ARGS__))

enum {
    BLOCK = 64, /* bytes */
    SPILL = 16, /* places written beyond the last one */
};

struct classes {
    uint64_t quote, backslash, control, space, bracket;
};

struct utf8 {
    __m512i error, before, incomplete; /* before: the last 64 bytes */
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

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

TARGET static inline __m512i high_nibbles(__m512i bytes)
{
    return _mm512_and_si512(_mm512_srli_epi16(bytes, 4), _mm512_set1_epi8(0x0F));
}

/* The bytes n places earlier; quarters: the vector 16 bytes earlier. */
#define EARLIER(bytes, quarters, n) _mm512_alignr_epi8(bytes, quarters, 16 - (n))

TARGET static inline void utf8_block(struct utf8 *u, __m512i bytes)
{
    if (_mm512_movepi8_mask(bytes) == 0) {
        u->error = _mm512_or_si512(u->error, u->incomplete);
        u->before = u->incomplete = _mm512_setzero_si512();
        return;
    }
    const __m512i first_high = FOURFOLD(UTF8_FIRST_HIGH), first_low = FOURFOLD(UTF8_FIRST_LOW),
                  second_high = FOURFOLD(UTF8_SECOND_HIGH);
    const __m512i most =
        _mm512_mask_blend_epi8((__mmask64)7 << 61, _mm512_set1_epi8(-1),
                               FOURFOLD(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (char)(0xF0 - 1),
                                        (char)(0xE0 - 1), (char)(0xC0 - 1)));
    const __m512i quarters =
        _mm512_permutex2var_epi64(u->before, _mm512_setr_epi64(6, 7, 8, 9, 10, 11, 12, 13), bytes);
    const __m512i one = EARLIER(bytes, quarters, 1), two = EARLIER(bytes, quarters, 2),
                  three = EARLIER(bytes, quarters, 3);
    __m512i pairs = _mm512_and_si512(
        _mm512_and_si512(
            _mm512_shuffle_epi8(first_high, high_nibbles(one)),
            _mm512_shuffle_epi8(first_low, _mm512_and_si512(one, _mm512_set1_epi8(0x0F)))),
        _mm512_shuffle_epi8(second_high, high_nibbles(bytes)));
    /* The top bit where a third or fourth byte of a sequence must stand. */
    __m512i must = _mm512_or_si512(_mm512_subs_epu8(two, _mm512_set1_epi8((char)(0xE0 - 0x80))),
                                   _mm512_subs_epu8(three, _mm512_set1_epi8((char)(0xF0 - 0x80))));
    must = _mm512_and_si512(must, _mm512_set1_epi8((char)0x80));
    u->error = _mm512_or_si512(u->error, _mm512_xor_si512(must, pairs));
    u->before = bytes;
    u->incomplete = _mm512_subs_epu8(bytes, most);
}

TARGET static inline bool utf8_good(const struct utf8 *u)
{
    __m512i wrong = _mm512_or_si512(u->error, u->incomplete);
    return _mm512_test_epi8_mask(wrong, wrong) == 0;
}

/* ---- the block ------------------------------------------------------------------------------- */

TARGET static inline struct classes classify(const char *block, struct utf8 *u)
{
    __m512i bytes = _mm512_loadu_si512(block);
    /* A byte's own value is looked up by its low four bits: it is in the class when it finds
     * itself. Two control characters come in as brackets too, 0x0C and 0x1A: as tokens they are
     * refused. */
    const __m512i spaces = FOURFOLD(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
    const __m512i brackets = FOURFOLD(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
    utf8_block(u, bytes);
    return (struct classes){
        .quote = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')),
        .backslash = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\')),
        .control = _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)),
        .space = _mm512_cmpeq_epi8_mask(bytes, _mm512_shuffle_epi8(spaces, bytes)),
        .bracket = _mm512_cmpeq_epi8_mask(_mm512_or_si512(bytes, _mm512_set1_epi8(0x20)),
                                          _mm512_shuffle_epi8(brackets, bytes)),
    };
}

TARGET static inline size_t put_places(uint32_t *to, uint32_t base, uint64_t bits)
{
    static const uint8_t numbers[BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    const size_t count = (size_t)_mm_popcnt_u64(bits);
    const __m512i start = _mm512_set1_epi32((int)base);
    __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(numbers));
    for (size_t done = 0; done < count; done += SPILL, to += SPILL) {
        __m512i wide = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
        _mm512_storeu_si512(to, _mm512_add_epi32(wide, start));
        places = _mm512_shuffle_i64x2(places, places, 0x39); /* the next quarter */
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
    __mmask64 there = end - p < BLOCK ? ((__mmask64)1 << (end - p)) - 1 : ~(__mmask64)0;
    __m512i bytes = _mm512_maskz_loadu_epi8(there, p);
    __m512i curly = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20)); /* [ ] become { } */
    return (struct brackets){
        .quote = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')),
        .backslash = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\')),
        .open = _mm512_cmpeq_epi8_mask(curly, _mm512_set1_epi8('{')),
        .close = _mm512_cmpeq_epi8_mask(curly, _mm512_set1_epi8('}')),
    };
}

#include "json/skip_blocks.h"

TARGET const char *skip_avx512(const char *p, const char *end)
{
    return skip_blocks(p, end);
}

bool scan_avx512_there(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

bool scan_avx512(struct span text, struct json_value *value, struct json_members *members)
{
    return scan_blocks(text, value, members);
}

#endif
