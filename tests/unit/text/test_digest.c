/* test_digest.c: the vectors of FIPS 180-4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/digest.h"

static void published_vectors(void **state)
{
    (void)state;
    uint8_t bytes[SHA512_BYTES];
    char hex[2 * SHA512_BYTES + 1];
    digest_sha1(SPAN("abc"), bytes);
    digest_hex(bytes, SHA1_BYTES, hex);
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
    digest_sha256(SPAN("abc"), bytes);
    digest_hex(bytes, SHA256_BYTES, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_sha256((struct span){0}, bytes);
    digest_hex(bytes, SHA256_BYTES, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_sha512(SPAN("abc"), bytes);
    digest_hex(bytes, SHA512_BYTES, hex);
    assert_string_equal(hex, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                             "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

/* base64.urlsafe_b64encode(hashlib.sha256(b"wai" + text).digest()[:16]) of Python, without "==". */
static void names(void **state)
{
    (void)state;
    char name[DIGEST_NAME + 1];
    digest_name(SPAN("abc"), name);
    assert_string_equal(name, "0X4Zzpah7Ma8PkRg3ChRBQ");
    digest_name((struct span){0}, name);
    assert_string_equal(name, "xi8U2l8FEmYdRMZyBhGYhg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
