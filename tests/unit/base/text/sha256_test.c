/* SPDX-License-Identifier: Apache-2.0 */
/* sha256_test.c -- the examples of FIPS 180-4, and texts that end at each position of a block. */
#include "base/text/sha256.h"

#include <stdio.h>

#include "unit/test.h"

static void assert_digest(lw_str text, const char *expected)
{
    uint8_t digest[LW_SHA256_SIZE];
    char hex[2 * LW_SHA256_SIZE + 1] = "";
    lw_sha256(text, digest);
    for (size_t i = 0; i < LW_SHA256_SIZE; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, expected);
}

static void known_texts_have_their_digests(void **state)
{
    (void)state;
    assert_digest(lw_str_of(""),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest(lw_str_of("abc"),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(lw_str_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* 55 bytes leave room for the end in their block, 56 do not, 64 fill it. */
static void ends_fall_anywhere_in_a_block(void **state)
{
    char text[128];
    (void)state;
    memset(text, 'a', sizeof(text));
    assert_digest(lw_str_make(text, 55),
                  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    assert_digest(lw_str_make(text, 56),
                  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
    assert_digest(lw_str_make(text, 64),
                  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    assert_digest(lw_str_make(text, 128),
                  "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts_have_their_digests),
        cmocka_unit_test(ends_fall_anywhere_in_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
