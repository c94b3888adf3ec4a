/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c_test.c -- the examples of RFC 3720, and that the instruction and the table agree. */
#include "base/crc32c.h"

#include <string.h>

#include "base/random.h"
#include "unit/test.h"

static void known_bytes_have_their_checksums(void **state)
{
    (void)state;
    unsigned char bytes[32];
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(lw_crc32c(0, bytes, sizeof(bytes)), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(lw_crc32c(0, bytes, sizeof(bytes)), 0x62a8ab43);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(lw_crc32c(0, bytes, sizeof(bytes)), 0x46dd794e);
    assert_int_equal(lw_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(lw_crc32c_scalar(0, "123456789", 9), 0xe3069283);
    assert_int_equal(lw_crc32c(0, NULL, 0), 0);
    assert_int_equal(lw_crc32c_scalar(0, NULL, 0), 0);
}

static void a_checksum_is_continued_at_any_byte(void **state)
{
    (void)state;
    const char text[] = "a text that is cut at each of its bytes in turn";
    uint32_t whole = lw_crc32c(0, text, strlen(text));
    for (size_t i = 0; i <= strlen(text); i++)
        assert_int_equal(lw_crc32c(lw_crc32c(0, text, i), text + i, strlen(text) - i), whole);
}

static void the_instruction_and_the_table_agree(void **state)
{
    (void)state;
    unsigned char bytes[1700]; /* several times the lanes of crc32c.c, and a rest */
    lw_random random;
    lw_random_init(&random, 7);
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)lw_random_below(&random, 256);
    for (size_t start = 0; start < 9; start++) {
        for (size_t len = 0; len < sizeof(bytes) - start; len++)
            assert_int_equal(lw_crc32c((uint32_t)len, bytes + start, len),
                             lw_crc32c_scalar((uint32_t)len, bytes + start, len));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(known_bytes_have_their_checksums),
        TEST(a_checksum_is_continued_at_any_byte),
        TEST(the_instruction_and_the_table_agree),
    };
    return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
