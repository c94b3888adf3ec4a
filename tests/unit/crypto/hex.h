/* SPDX-License-Identifier: Apache-2.0 */
/* hex.h -- bytes of test vectors. */
#ifndef LW_TESTS_UNIT_CRYPTO_HEX_H
#define LW_TESTS_UNIT_CRYPTO_HEX_H

#include "base/buf.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    HEX_ROOM = 64 * 1024,
    HEX_SLOTS = 16,
};

/* The bytes that |text| has as hexadecimal digits; valid until HEX_SLOTS calls later. */
static inline lw_str from_hex(const char *text)
{
    static char rooms[HEX_SLOTS][1024];
    static size_t next;
    char *room = rooms[next++ % HEX_SLOTS];
    size_t len = strlen(text) / 2;
    assert_true(len <= sizeof(rooms[0]));
    for (size_t i = 0; i < len; i++)
        room[i] = (char)(lw_char_hex_value(text[2 * i]) << 4 | lw_char_hex_value(text[2 * i + 1]));
    return lw_str_make(room, len);
}

static inline void assert_bytes(lw_str found, lw_str expected)
{
    assert_int_equal(found.len, expected.len);
    if (expected.len > 0)
        assert_memory_equal(found.ptr, expected.ptr, expected.len);
}

#endif
