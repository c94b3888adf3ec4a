/* SPDX-License-Identifier: Apache-2.0 */
/* accept_test.c -- keys of WebSocket requests and the replies to them. */
#include "websocket/accept.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

static void assert_sha1(const char *text, const char *wanted)
{
    unsigned char digest[LW_WEBSOCKET_SHA1_SIZE];
    char hex[2 * LW_WEBSOCKET_SHA1_SIZE + 1];
    lw_websocket__sha1(lw_str_of(text), digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, wanted);
}

/* FIPS 180-4, and lengths around the end of a block. */
static void digests_are_those_of_sha1(void **state)
{
    (void)state;
    assert_sha1("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    assert_sha1("0123456789012345678901234567890123456789012345678901234",
                "9f3a4ce7f66b1b74c34da2c5d732c39f81e0f8df");
}

/* RFC 6455, 1.3. */
static void a_key_has_the_accept_of_the_rfc(void **state)
{
    (void)state;
    char accept[LW_WEBSOCKET_ACCEPT_SIZE];
    lw_websocket_accept_of(LW_STR("dGhlIHNhbXBsZSBub25jZQ=="), accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void keys_differ(void **state)
{
    (void)state;
    char one[LW_WEBSOCKET_KEY_SIZE], two[LW_WEBSOCKET_KEY_SIZE];
    assert_int_equal(lw_websocket_make_key(one), LW_OK);
    assert_int_equal(lw_websocket_make_key(two), LW_OK);
    assert_int_equal(strlen(one), LW_WEBSOCKET_KEY_SIZE - 1);
    assert_string_not_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(digests_are_those_of_sha1),
        TEST(a_key_has_the_accept_of_the_rfc),
        TEST(keys_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
