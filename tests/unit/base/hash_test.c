/* SPDX-License-Identifier: Apache-2.0 */
/* hash_test.c -- SipHash-1-3 against vectors of independent implementations. */
#include "base/hash.h"

#include <pthread.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/random.h"
#include "unit/test.h"

/* Key 00 01 .. 0f, input 00 01 .. (n - 1), as in the paper's appendix; computed with the
 * SipHasher13 of Rust's standard library. */
static const uint64_t vectors[64] = {
    0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb,
    0xcf75576088d38328, 0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140,
    0x369095118d299a8e, 0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
    0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34, 0xd320d86d2a519956,
    0xcc4fdd1a7d908b66, 0x9cf2689063dbd80c, 0x8ffc389cb473e63e, 0xf21f9de58d297d1c,
    0xc0dc2f46a6cce040, 0xb992abfe2b45f844, 0x7ffe7b9ba320872e, 0x525a0e7fdae6c123,
    0xf464aeb267349c8c, 0x45cd5928705b0979, 0x3a3e35e3ca9913a5, 0xa91dc74e4ade3b35,
    0xfb0bed02ef6cd00d, 0x88d93cb44ab1e1f4, 0x540f11d643c5e663, 0x2370dd1f8c21d1bc,
    0x81157b6c16a7b60d, 0x4d54b9e57a8ff9bf, 0x759f12781f2a753e, 0xcea1a3bebf186b91,
    0x2cf508d3ada26206, 0xb6101c2da3c33057, 0xb3f47496ae3a36a1, 0x626b57547b108392,
    0xc1d2363299e41531, 0x667cc1923f1ad944, 0x65704ffec8138825, 0x24f280d1c28949a6,
    0xc2ca1cedfaf8876b, 0xc2164bfc9f042196, 0xa16e9c9368b1d623, 0x49fb169c8b5114fd,
    0x9f3143f8df074c46, 0xc6fdaf2412cc86b3, 0x7eaf49d10a52098f, 0x1cf313559d292f9a,
    0xc44a30dda2f41f12, 0x36fae98943a71ed0, 0x318fb34c73f0bce6, 0xa27abf3670a7e980,
    0xb4bcc0db243c6d75, 0x23f8d852fdb71513, 0x8f035f4da67d8a08, 0xd89cd0e5b7e8f148,
    0xf6f4e6bcf7a644ee, 0xaec59ad80f1837f2, 0xc3b2f6154b6694e0, 0x9d199062b7bbb3a8,
};

static const lw_hash_seed paper_key = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };

static void agrees_with_vectors_of_every_length_to_63(void **state)
{
    (void)state;
    unsigned char input[64];
    for (size_t i = 0; i < sizeof(input); i++)
        input[i] = (unsigned char)i;
    for (size_t len = 0; len < 64; len++)
        assert_int_equal(lw_hash_bytes(paper_key, input, len), vectors[len]);
}

static void agrees_on_a_long_input_with_length_above_a_byte(void **state)
{
    (void)state;
    unsigned char input[1000];
    for (size_t i = 0; i < sizeof(input); i++)
        input[i] = (unsigned char)(i * 7);
    lw_hash_seed seed = { UINT64_MAX, 1 };
    assert_int_equal(lw_hash_bytes(seed, input, sizeof(input)), 0xe33be57de15b2d51);
}

/* Python computes the same: PYTHONHASHSEED=0, hash(b"default/web-0"). */
static void agrees_with_python_on_the_zero_seed(void **state)
{
    (void)state;
    lw_hash_seed zero = { 0, 0 };
    assert_int_equal(lw_hash_str(zero, lw_str_of("default/web-0")), 0xbbdde749f4938223);
}

static void reads_input_at_any_alignment(void **state)
{
    (void)state;
    unsigned char input[64 + 8];
    for (size_t shift = 0; shift < 8; shift++) {
        for (size_t i = 0; i < 64; i++)
            input[shift + i] = (unsigned char)i;
        assert_int_equal(lw_hash_bytes(paper_key, input + shift, 63), vectors[63]);
    }
}

static void hashes_nothing_from_a_null_pointer(void **state)
{
    (void)state;
    assert_int_equal(lw_hash_bytes(paper_key, NULL, 0), vectors[0]);
}

static void tells_trailing_nul_bytes_apart(void **state)
{
    (void)state;
    assert_int_not_equal(lw_hash_bytes(paper_key, "a", 1), lw_hash_bytes(paper_key, "a", 2));
}

static void each_half_of_the_seed_matters(void **state)
{
    (void)state;
    lw_hash_seed a = { 1, 2 };
    lw_hash_seed b = { 1, 3 };
    lw_hash_seed c = { 0, 2 };
    lw_str key = lw_str_of("web-0");
    assert_int_not_equal(lw_hash_str(a, key), lw_hash_str(b, key));
    assert_int_not_equal(lw_hash_str(a, key), lw_hash_str(c, key));
}

static void draws_a_different_seed_each_time(void **state)
{
    (void)state;
    lw_hash_seed a = lw_hash_seed_random();
    lw_hash_seed b = lw_hash_seed_random();
    assert_int_not_equal(a.k0, b.k0);
    assert_int_not_equal(a.k1, b.k1);
    assert_int_not_equal(a.k0, a.k1);
}

/* In place of the C library's: counts its calls. */
static unsigned system_draws;

ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    system_draws++;
    return (ssize_t)syscall(SYS_getrandom, out, len, flags);
}

static void asks_the_system_once_for_many_seeds(void **state)
{
    (void)state;
    lw_hash_seed last = lw_hash_seed_random();
    system_draws = 0;
    for (int i = 0; i < 100; i++) {
        lw_hash_seed next = lw_hash_seed_random();
        assert_int_not_equal(next.k0, last.k0);
        assert_int_not_equal(next.k1, last.k1);
        last = next;
    }
    assert_int_equal(system_draws, 0);
}

static void *draw(void *out)
{
    *(lw_hash_seed *)out = lw_hash_seed_random();
    return NULL;
}

static void threads_have_different_seeds(void **state)
{
    (void)state;
    lw_hash_seed seeds[2];
    system_draws = 0;
    for (int i = 0; i < 2; i++) { /* one after the other: both begin to count */
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, draw, &seeds[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(system_draws, 2);
    assert_int_not_equal(seeds[0].k0, seeds[1].k0);
    assert_int_not_equal(seeds[0].k1, seeds[1].k1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(agrees_with_vectors_of_every_length_to_63),
        TEST(agrees_on_a_long_input_with_length_above_a_byte),
        TEST(agrees_with_python_on_the_zero_seed),
        TEST(reads_input_at_any_alignment),
        TEST(hashes_nothing_from_a_null_pointer),
        TEST(tells_trailing_nul_bytes_apart),
        TEST(each_half_of_the_seed_matters),
        TEST(draws_a_different_seed_each_time),
        TEST(asks_the_system_once_for_many_seeds),
        TEST(threads_have_different_seeds),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
