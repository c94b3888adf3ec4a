/* SPDX-License-Identifier: Apache-2.0 */
/* block_test.c -- every variant classifies a block as the scalar one does. */
#include "support/json_gen.h"
#include "unit/test.h"
#include "json/lexer/block_scalar.h"

/* The headers of the machines use the same names inside, and flags that this file is not compiled
 * with. */
#if defined(__clang__)
#define TARGET_BEGIN(flags)                                                                        \
    TARGET_PRAGMA(clang attribute push(__attribute__((target(flags))), apply_to = function))
#define TARGET_END() TARGET_PRAGMA(clang attribute pop)
#else
#define TARGET_BEGIN(flags) TARGET_PRAGMA(GCC push_options) TARGET_PRAGMA(GCC target(flags))
#define TARGET_END()        TARGET_PRAGMA(GCC pop_options)
#endif
#define TARGET_PRAGMA(text) _Pragma(#text)

#if defined(__x86_64__)
#include <immintrin.h>
#define lw_block_bits       sse2_bits
#define lw_block_equal      sse2_equal
#define lw_block_is_control sse2_is_control
#define lw_block_is_digit   sse2_is_digit
#include "json/lexer/block_sse2.h"
#undef lw_block_bits
#undef lw_block_equal
#undef lw_block_is_control
#undef lw_block_is_digit

TARGET_BEGIN("avx2,pclmul")
#define lw_block_bits       avx2_bits
#define lw_block_equal      avx2_equal
#define lw_block_is_control avx2_is_control
#define lw_block_is_digit   avx2_is_digit
#include "json/lexer/block_avx2.h"
#include "json/lexer/block_clmul.h"
#undef lw_block_bits
#undef lw_block_equal
#undef lw_block_is_control
#undef lw_block_is_digit
TARGET_END()

TARGET_BEGIN("avx512f,avx512bw")
#define lw_block_equal avx512_equal
#include "json/lexer/block_avx512.h"
#undef lw_block_equal
TARGET_END()
#elif defined(__aarch64__)
#include "json/lexer/block_neon.h"
#endif

typedef void (*classify_fn)(const uint8_t *p, lw_block_masks *m);

typedef struct machine {
    const char *name;
    classify_fn classify;
} machine;

/* Lists the variants that this machine supports; returns their number. */
static size_t machines_here(machine here[4])
{
    size_t count = 0;
    here[count++] = (machine){ "scalar", lw_block_classify_scalar };
#if defined(__x86_64__)
    here[count++] = (machine){ "sse2", lw_block_classify_sse2 };
    if (__builtin_cpu_supports("avx2"))
        here[count++] = (machine){ "avx2", lw_block_classify_avx2 };
    if (__builtin_cpu_supports("avx512bw"))
        here[count++] = (machine){ "avx512", lw_block_classify_avx512 };
#elif defined(__aarch64__)
    here[count++] = (machine){ "neon", lw_block_classify_neon };
#endif
    return count;
}

static void assert_sorted_alike(const machine *m, const uint8_t *block)
{
    lw_block_masks wanted, got;
    lw_block_classify_scalar(block, &wanted);
    memset(&got, 0x5A, sizeof(got));
    m->classify(block, &got);
    if (memcmp(&wanted, &got, sizeof(got)) == 0)
        return;
    for (unsigned i = 0; i < LW_BLOCK; i++)
        print_error("%02x ", block[i]);
    fail_msg("%s sorts this block differently", m->name);
}

/* What the scalar one itself must say, from the definition of each mask. */
static void the_scalar_way_is_right_about_every_byte(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint8_t block[LW_BLOCK];
        lw_block_masks m;
        memset(block, (int)byte, sizeof(block));
        lw_block_classify_scalar(block, &m);
        const uint64_t all = ~(uint64_t)0;
        assert_true(m.quote == (byte == '"' ? all : 0));
        assert_true(m.backslash == (byte == '\\' ? all : 0));
        assert_true(m.open == (byte == '{' || byte == '[' ? all : 0));
        assert_true(m.close == (byte == '}' || byte == ']' ? all : 0));
        assert_true(m.curly == (byte & 0x20 ? all : 0));
        assert_true(m.colon == (byte == ':' ? all : 0));
        assert_true(m.comma == (byte == ',' ? all : 0));
        assert_true(m.space ==
                    (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' ? all : 0));
        assert_true(m.control == (byte < 0x20 ? all : 0));
        assert_true(m.high == (byte >= 0x80 ? all : 0));
        assert_true(m.digit == (byte >= '0' && byte <= '9' ? all : 0));
        assert_true(m.zero == (byte == '0' ? all : 0));
    }
}

static void every_byte_at_every_place_is_sorted_alike(void **state)
{
    (void)state;
    machine here[4];
    size_t count = machines_here(here);
    for (size_t k = 0; k < count; k++) {
        for (unsigned at = 0; at < LW_BLOCK; at++) {
            for (unsigned byte = 0; byte < 256; byte++) {
                uint8_t block[LW_BLOCK];
                memset(block, 'a', sizeof(block));
                block[at] = (uint8_t)byte;
                assert_sorted_alike(&here[k], block);
            }
        }
    }
}

static void random_blocks_are_sorted_alike(void **state)
{
    (void)state;
    static const char likely[] = "{}[]:,\"\\ \t\n\r\x1F\x7F\x80\xFFz;<|^+@";
    machine here[4];
    size_t count = machines_here(here);
    json_gen gen;
    json_gen_init(&gen, 64);
    for (unsigned round = 0; round < 100000; round++) {
        uint8_t bytes[LW_BLOCK + 1]; /* blocks need not be aligned */
        uint8_t *block = bytes + (round & 1);
        for (unsigned i = 0; i < LW_BLOCK; i++)
            block[i] = round & 2 ? (uint8_t)json_gen_below(&gen, 256)
                                 : (uint8_t)likely[json_gen_below(&gen, sizeof(likely) - 1)];
        for (size_t k = 0; k < count; k++)
            assert_sorted_alike(&here[k], block);
    }
    json_gen_done(&gen);
}

static uint64_t prefix_xor_by_bits(uint64_t bits)
{
    uint64_t result = 0;
    bool parity = false;
    for (unsigned i = 0; i < 64; i++) {
        parity ^= bits >> i & 1;
        result |= (uint64_t)parity << i;
    }
    return result;
}

static void quotes_become_the_stretches_between_them(void **state)
{
    (void)state;
    json_gen gen;
    json_gen_init(&gen, 65);
    for (unsigned round = 0; round < 100000; round++) {
        uint64_t bits = json_gen_below(&gen, UINT64_MAX);
        if (round < 64)
            bits = (uint64_t)1 << round;
        if (round == 64)
            bits = 0;
        if (round == 65)
            bits = UINT64_MAX;
        assert_true(lw_block_prefix_xor(bits) == prefix_xor_by_bits(bits));
#if defined(__x86_64__)
        if (__builtin_cpu_supports("pclmul"))
            assert_true(lw_block_prefix_xor_clmul(bits) == prefix_xor_by_bits(bits));
#endif
    }
    json_gen_done(&gen);
}

static void the_bits_below_a_place_are_counted_right(void **state)
{
    (void)state;
    assert_true(lw_block_below(0) == 0);
    assert_true(lw_block_below(1) == 1);
    assert_true(lw_block_below(63) == UINT64_MAX >> 1);
    assert_true(lw_block_below(64) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_scalar_way_is_right_about_every_byte),
        TEST(every_byte_at_every_place_is_sorted_alike),
        TEST(random_blocks_are_sorted_alike),
        TEST(quotes_become_the_stretches_between_them),
        TEST(the_bits_below_a_place_are_counted_right),
    };
    return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
