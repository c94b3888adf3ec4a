/* SPDX-License-Identifier: Apache-2.0 */
/* pack_test.c -- what was packed is restored, and damaged bytes are noticed. */
#include "base/pack/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/pack/equal.h"
#include "base/pack/pack_chunks.h"
#include "base/random.h"
#include "base/str.h"
#include "unit/test.h"

enum {
    ROUNDS = 3000,
    ROOM_SIZE = 2 * LW_PACK_BODY_MAX + LW_PACK_HINT_MAX + LW_PACK_SLACK,
};

typedef struct pack_case {
    lw_pack_dictionary dictionary;
    lw_pack_heads heads;
    char bytes[ROOM_SIZE], copy[ROOM_SIZE];
    char packed[2 * LW_PACK_BODY_MAX];
    lw_pack_room room;
} pack_case;

static pack_case *case_new(void)
{
    pack_case *c = calloc(1, sizeof(*c));
    assert_non_null(c);
    c->room = (lw_pack_room){ .dictionary = &c->dictionary, .bytes = c->bytes };
    return c;
}

static void set_room(pack_case *c, lw_str sibling, lw_str hint, lw_str body)
{
    memcpy(c->bytes, sibling.ptr, sibling.len);
    memcpy(c->bytes + sibling.len, hint.ptr, hint.len);
    memcpy(c->bytes + sibling.len + hint.len, body.ptr, body.len);
    c->room.sibling_len = sibling.len;
    c->room.hint_len = hint.len;
    c->room.body_len = body.len;
}

/* Copies |len| bytes into memory of their own, with slack: a sanitizer sees what is after it. */
static char *copy_of(const char *bytes, size_t len)
{
    char *copy = malloc(len + LW_PACK_SLACK);
    assert_non_null(copy);
    if (len > 0)
        memcpy(copy, bytes, len);
    memset(copy + len, '#', LW_PACK_SLACK);
    return copy;
}

/* Unpacks into the room. */
static lw_status unpack(pack_case *c, lw_str packed)
{
    return lw_unpack(&c->room, packed, c->bytes + c->room.sibling_len + c->room.hint_len);
}

/* The same with sibling and hint, packed bytes and body in memory of their own. */
static void assert_is_restored_apart(const pack_case *c, lw_str packed, const char *body)
{
    lw_pack_room room = c->room;
    room.bytes = copy_of(c->bytes, room.sibling_len + room.hint_len);
    char *bytes = copy_of(packed.ptr, packed.len), *restored = copy_of(body, room.body_len);
    memset(restored, '#', room.body_len);
    assert_int_equal(lw_unpack(&room, lw_str_make(bytes, packed.len), restored), LW_OK);
    assert_memory_equal(restored, body, room.body_len);
    free(room.bytes);
    free(bytes);
    free(restored);
}

typedef size_t pack_fn(const lw_pack_room *room, lw_pack_heads *heads, char *dst);

/* In order, or else as lw_pack. */
static size_t pack_fast(const lw_pack_room *room, lw_pack_heads *heads, char *dst)
{
    size_t len = lw_pack_aligned(room, heads, dst, room->body_len / 2);
    return len > 0 ? len : lw_pack(room, heads, dst);
}

/* Packs the body of the room, forgets it and restores it.  Returns the packed length. */
static size_t pack_and_restore_with(pack_case *c, pack_fn *pack)
{
    static lw_pack_heads before;
    size_t body_at = c->room.sibling_len + c->room.hint_len;
    lw_pack_index(&c->room, &c->heads);
    before = c->heads;
    size_t len = pack(&c->room, &c->heads, c->packed);
    assert_true(len <= lw_pack_bound(c->room.body_len));
    assert_memory_equal(&c->heads, &before, sizeof(before));
    memcpy(c->copy, c->bytes + body_at, c->room.body_len);
    memset(c->bytes + body_at, '#', c->room.body_len + LW_PACK_SLACK);
    assert_int_equal(unpack(c, lw_str_make(c->packed, len)), LW_OK);
    assert_memory_equal(c->bytes + body_at, c->copy, c->room.body_len);
    assert_is_restored_apart(c, lw_str_make(c->packed, len), c->copy);
    return len;
}

static size_t pack_and_restore(pack_case *c)
{
    return pack_and_restore_with(c, lw_pack);
}

static void a_sibling_that_differs_in_a_few_bytes_costs_a_few(void **state)
{
    pack_case *c = case_new();
    const lw_str sibling = LW_STR("name: web-7d4b-x2p4z; image: registry.example.com/shop/web:v2; "
                                  "node: node-017.example.com; address: 10.244.17.3; ready: true");
    const lw_str body = LW_STR("name: web-7d4b-8kq7m; image: registry.example.com/shop/web:v2; "
                               "node: node-243.example.com; address: 10.244.9.121; ready: true");
    (void)state;
    set_room(c, sibling, LW_STR(""), body);
    assert_true(pack_and_restore(c) < 32);
    free(c);
}

static void the_hint_and_the_dictionary_are_copied(void **state)
{
    pack_case *c = case_new();
    const lw_str uid = LW_STR("c34d0bff-9015-4280-a099-ec6cd7363ca5");
    (void)state;
    assert_true(lw_pack_dictionary_add(&c->dictionary, LW_STR("terminationMessagePath: /dev/log")));
    set_room(c, LW_STR(""), uid,
             LW_STR("uid c34d0bff-9015-4280-a099-ec6cd7363ca5, terminationMessagePath: /dev/log"));
    assert_true(pack_and_restore(c) < 24);
    free(c);
}

/* The hint is followed by the body: what begins in it may end there. */
static void a_copy_goes_on_from_the_hint_to_the_body(void **state)
{
    pack_case *c = case_new();
    (void)state;
    set_room(c, LW_STR("a sibling that has nothing of it"), LW_STR("0x1y2z"),
             LW_STR("0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z0x1y2z, and "
                    "then something else that is long enough"));
    assert_true(pack_and_restore(c) < 60);
    free(c);
}

static void digits_of_identifiers_need_half_a_byte(void **state)
{
    pack_case *c = case_new();
    (void)state;
    set_room(c, LW_STR(""), LW_STR(""),
             LW_STR("14d7973c5c2a449c3e86c5b5147ecdd46835f42dccd3570c91e522a68527e044"));
    assert_true(pack_and_restore(c) < 40);
    free(c);
}

static void a_full_dictionary_refuses_more(void **state)
{
    pack_case *c = case_new();
    (void)state;
    memset(c->copy, 'x', LW_PACK_BODY_MAX);
    assert_true(lw_pack_dictionary_add(&c->dictionary, lw_str_make(c->copy, LW_PACK_BODY_MAX)));
    assert_true(lw_pack_dictionary_add(&c->dictionary, lw_str_make(c->copy, LW_PACK_BODY_MAX)));
    assert_false(lw_pack_dictionary_add(&c->dictionary, lw_str_make(c->copy, LW_PACK_BODY_MAX)));
    free(c);
}

/* Copies |from| with random changes: replaced, inserted, removed, moved and random bytes. */
static size_t change(lw_random *random, const char *from, size_t len, char *to)
{
    size_t at = 0, written = 0;
    while (at < len && written + 300 < LW_PACK_BODY_MAX) {
        size_t run = (size_t)lw_random_below(random, 200) + 1;
        if (run > len - at)
            run = len - at;
        memcpy(to + written, from + at, run);
        written += run;
        at += run;
        uint64_t what = lw_random_below(random, 4);
        if (what == 0 && at < len)
            at += (size_t)lw_random_below(random, 40) % (len - at);
        size_t more = (size_t)lw_random_below(random, 60);
        for (size_t i = 0; i < more && what > 0; i++)
            to[written++] = what == 1 ? "0123456789abcdef"[lw_random_below(random, 16)]
                                      : (char)lw_random_below(random, 256);
        if (what == 2)
            at += more < len - at ? more : len - at;
        if (what == 3 && written > 100)
            at = (size_t)lw_random_below(random, len);
    }
    return written;
}

static size_t random_size(lw_random *random)
{
    uint64_t most = lw_random_below(random, 8) == 0 ? LW_PACK_BODY_MAX / 4 : 700;
    return (size_t)lw_random_below(random, most);
}

static void random_changes_are_restored(void **state)
{
    pack_case *c = case_new();
    static char sibling[LW_PACK_BODY_MAX], body[LW_PACK_BODY_MAX], hint[64];
    lw_random random;
    (void)state;
    lw_random_init(&random, 20);
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = random_size(&random);
        bool is_text = lw_random_below(&random, 2) == 0;
        for (size_t i = 0; i < len; i++)
            sibling[i] = (char)(is_text ? 'a' + lw_random_below(&random, 20)
                                        : lw_random_below(&random, 256));
        for (size_t i = 0; i < sizeof(hint); i++)
            hint[i] = (char)lw_random_below(&random, 256);
        if (lw_random_below(&random, 50) == 0)
            (void)lw_pack_dictionary_add(&c->dictionary, lw_str_make(sibling, len));
        size_t body_len = change(&random, sibling, len, body);
        size_t sibling_len = lw_random_below(&random, 3) == 0 ? 0 : len;
        set_room(c, lw_str_make(sibling, sibling_len),
                 lw_str_make(hint, (size_t)lw_random_below(&random, sizeof(hint))),
                 lw_str_make(body, body_len));
        (void)pack_and_restore(c);
        (void)pack_and_restore_with(c, pack_fast);
    }
    free(c);
}

/* Whatever is around them, and however many there are. */
static void runs_of_digits_are_restored(void **state)
{
    pack_case *c = case_new();
    static char body[400];
    lw_random random;
    (void)state;
    lw_random_init(&random, 5);
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = 0;
        while (len < sizeof(body)) {
            size_t digits = (size_t)lw_random_below(&random, 90);
            for (; digits > 0 && len < sizeof(body); digits--)
                body[len++] = "0123456789abcdef"[lw_random_below(&random, 16)];
            if (len < sizeof(body))
                body[len++] = "/:@`gG \0"[lw_random_below(&random, 8)];
        }
        set_room(c, LW_STR(""), LW_STR(""),
                 lw_str_make(body, (size_t)lw_random_below(&random, sizeof(body) + 1)));
        (void)pack_and_restore(c);
        (void)pack_and_restore_with(c, pack_fast);
    }
    free(c);
}

static void packing_fast_takes_at_most_twice_the_bytes(void **state)
{
    pack_case *c = case_new();
    static char sibling[2000], body[2000];
    lw_random random;
    size_t small = 0, fast = 0;
    (void)state;
    lw_random_init(&random, 9);
    for (int round = 0; round < 100; round++) {
        for (size_t i = 0; i < sizeof(sibling); i++)
            sibling[i] = body[i] = (char)lw_random_below(&random, 256);
        for (size_t i = 50; i + 20 < sizeof(body); i += 100)
            body[i + (size_t)lw_random_below(&random, 20)] ^= 1;
        set_room(c, lw_str_make(sibling, sizeof(sibling)), LW_STR(""),
                 lw_str_make(body, sizeof(body)));
        small += pack_and_restore(c);
        fast += pack_and_restore_with(c, pack_fast);
    }
    assert_true(fast < 2 * small);
    free(c);
}

static void fill_random(lw_random *random, char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] = (char)lw_random_below(random, 256);
}

/* Bytes that are inserted, removed or replaced cost their number and a little more, wherever they
 * are. */
static void packing_fast_finds_where_body_and_sibling_go_on(void **state)
{
    enum {
        LEN = 1200,
        PLACE_MAX = LEN - 64,
        MORE_MAX = 40,
        HEADS = 32, /* of the parts, and masks */
    };
    pack_case *c = case_new();
    static char sibling[LEN], body[LEN + MORE_MAX];
    lw_random random;
    (void)state;
    lw_random_init(&random, 11);
    fill_random(&random, sibling, LEN);
    for (int round = 0; round < ROUNDS; round++) {
        size_t at = (size_t)lw_random_below(&random, PLACE_MAX);
        size_t removed = (size_t)lw_random_below(&random, MORE_MAX);
        size_t added = (size_t)lw_random_below(&random, MORE_MAX);
        memcpy(body, sibling, at);
        fill_random(&random, body + at, added);
        memcpy(body + at + added, sibling + at + removed, LEN - at - removed);
        set_room(c, lw_str_make(sibling, LEN), LW_STR("hint"),
                 lw_str_make(body, LEN + added - removed));
        assert_true(pack_and_restore_with(c, pack_fast) < added + HEADS);
    }
    free(c);
}

/* When the dictionary is full, it stands for the sibling. */
static void a_body_without_sibling_is_compared_with_the_dictionary(void **state)
{
    enum {
        LEN = 2000,
        ENTRIES = LW_PACK_DICTIONARY_MAX / LEN,
    };
    pack_case *c = case_new();
    static char entries[ENTRIES][LEN];
    lw_random random;
    (void)state;
    lw_random_init(&random, 13);
    for (int i = 0; i < ENTRIES; i++) {
        fill_random(&random, entries[i], LEN);
        assert_true(lw_pack_dictionary_add(&c->dictionary, lw_str_make(entries[i], LEN)));
    }
    size_t len = 0;
    for (int i = 0; i < ENTRIES; i++) { /* older entries are no longer found */
        entries[i][LEN / 2] ^= 1;
        set_room(c, LW_STR(""), LW_STR("hint"), lw_str_make(entries[i], LEN));
        len = pack_and_restore_with(c, pack_fast);
    }
    assert_true(len < LEN / 32);
    free(c);
}

static void the_bytes_of_a_chunk_that_differ_are_taken_out_and_put_back(void **state)
{
    char bytes[LW_PACK_CHUNK], other[LW_PACK_CHUNK], copy[LW_PACK_CHUNK];
    unsigned char out[2 * LW_PACK_CHUNK], again[2 * LW_PACK_CHUNK];
    lw_random random;
    (void)state;
    lw_random_init(&random, 17);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t differs = (uint32_t)lw_random_below(&random, 1 << 16);
        fill_random(&random, bytes, sizeof(bytes));
        fill_random(&random, other, sizeof(other));
        for (size_t i = 0; i < sizeof(bytes); i++)
            other[i] = differs >> i & 1 ? other[i] : bytes[i];
        const size_t count = (size_t)__builtin_popcount(differs);
        assert_int_equal(lw_pack_squeeze_plain(out, bytes, differs) - out, count);
        memcpy(copy, other, sizeof(copy));
        assert_int_equal(lw_pack_spread_plain(copy, out, differs) - out, count);
        assert_memory_equal(copy, bytes, sizeof(copy));
#ifdef LW_PACK_BITS
        if (!lw_pack_has_bits())
            continue;
        assert_int_equal(lw_pack_squeeze_bits(again, bytes, differs) - again, count);
        assert_memory_equal(again, out, count);
        memcpy(copy, other, sizeof(copy));
        assert_int_equal(lw_pack_spread_bits(copy, out, differs) - out, count);
        assert_memory_equal(copy, bytes, sizeof(copy));
#else
        (void)again;
#endif
    }
}

/* Bytes that were not packed with this room end in an error or in other bytes, never outside. */
static void damaged_bytes_stay_in_the_room(void **state)
{
    pack_case *c = case_new();
    lw_random random;
    (void)state;
    lw_random_init(&random, 7);
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = (size_t)lw_random_below(&random, round % 3 == 0 ? 240 : 60) + 1;
        char *packed = malloc(len + LW_PACK_SLACK); /* a sanitizer sees what is read after it */
        assert_non_null(packed);
        for (size_t i = 0; i < len + LW_PACK_SLACK; i++)
            packed[i] = (char)lw_random_below(&random, i % 2 == 0 ? 256 : 32);
        if (round % 2 == 0)
            packed[0] = PACK_ALIGNED;
        c->room.sibling_len = (size_t)lw_random_below(&random, 100);
        c->room.hint_len = (size_t)lw_random_below(&random, 40);
        c->room.body_len = (size_t)lw_random_below(&random, 300);
        size_t end = c->room.sibling_len + c->room.hint_len + c->room.body_len + LW_PACK_SLACK;
        memset(c->bytes + end, '!', 64);
        (void)!unpack(c, lw_str_make(packed, len));
        free(packed);
        for (size_t i = 0; i < 64; i++)
            assert_int_equal(c->bytes[end + i], '!');
    }
    free(c);
}

/* Whatever is in the slack, which may be what was cut off. */
static void packed_bytes_that_are_cut_off_are_refused(void **state)
{
    enum {
        LEN = 700,
    };
    static char sibling[LEN], body[LW_PACK_BODY_MAX];
    pack_case *c = case_new();
    lw_random random;
    (void)state;
    lw_random_init(&random, 23);
    for (int round = 0; round < 40; round++) {
        for (size_t i = 0; i < LEN; i++)
            sibling[i] = (char)('a' + lw_random_below(&random, 20));
        size_t body_len = change(&random, sibling, LEN, body);
        set_room(c, lw_str_make(sibling, LEN), LW_STR("hint"), lw_str_make(body, body_len));
        size_t len = pack_and_restore_with(c, round % 2 == 0 ? lw_pack : pack_fast);
        for (size_t cut = 0; cut < len && body_len > 0; cut++)
            assert_int_equal(unpack(c, lw_str_make(c->packed, cut)), LW_ERR_INTERNAL);
    }
    free(c);
}

/* Sequences of 46 literals and a copy of 46 bytes from the beginning of the room, for bodies of any
 * length: what does not fit is not written. */
static void sequences_longer_than_the_body_are_refused(void **state)
{
    enum {
        MANY = 46,
        SEQUENCES = 4,
        BODY_MAX = 2 * MANY * SEQUENCES,
    };
    static const unsigned char head[] = { PACK_LITERALS_MANY << PACK_COPY_BITS | PACK_COPY_MANY,
                                          MANY - PACK_LITERALS_MANY,
                                          MANY - PACK_COPY_MIN + 1 - PACK_COPY_MANY };
    static const unsigned char address[] = { PACK_IN_ROOM, 0, 0 };
    pack_case *c = case_new();
    char packed[SEQUENCES * 64];
    size_t len = 0;
    (void)state;
    for (int i = 0; i < SEQUENCES; i++, len += MANY + sizeof(address)) {
        memcpy(packed + len, head, sizeof(head));
        len += sizeof(head);
        memset(packed + len, 'x', MANY);
        memcpy(packed + len + MANY, address, sizeof(address));
    }
    c->room.sibling_len = MANY;
    for (c->room.body_len = 0; c->room.body_len <= BODY_MAX; c->room.body_len++) {
        char *end = c->bytes + c->room.sibling_len + c->room.body_len + LW_PACK_SLACK;
        memset(end, '!', BODY_MAX);
        lw_status st = unpack(c, lw_str_make(packed, len));
        assert_int_equal(st, c->room.body_len == BODY_MAX ? LW_OK : LW_ERR_INTERNAL);
        for (size_t i = 0; i < BODY_MAX; i++)
            assert_int_equal(end[i], '!');
    }
    free(c);
}

static void sixteen_bytes_are_compared_like_one_after_the_other(void **state)
{
    char a[16], b[16];
    lw_random random;
    (void)state;
    lw_random_init(&random, 3);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof(a); i++) {
            a[i] = (char)lw_random_below(&random, 256);
            b[i] = lw_random_below(&random, 2) ? a[i] : (char)lw_random_below(&random, 256);
        }
        assert_int_equal(lw_equal16(a, b), lw_equal16_plain(a, b));
    }
}

static void sixteen_digits_are_found_like_one_after_the_other(void **state)
{
    char a[16];
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        memset(a, 'x', sizeof(a));
        a[byte % 16] = (char)byte;
        a[(byte + 5) % 16] = 'c';
        assert_int_equal(lw_hex16(a), lw_hex16_plain(a));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_sibling_that_differs_in_a_few_bytes_costs_a_few),
        TEST(the_hint_and_the_dictionary_are_copied),
        TEST(a_copy_goes_on_from_the_hint_to_the_body),
        TEST(digits_of_identifiers_need_half_a_byte),
        TEST(a_full_dictionary_refuses_more),
        TEST(random_changes_are_restored),
        TEST(runs_of_digits_are_restored),
        TEST(packing_fast_takes_at_most_twice_the_bytes),
        TEST(packing_fast_finds_where_body_and_sibling_go_on),
        TEST(a_body_without_sibling_is_compared_with_the_dictionary),
        TEST(the_bytes_of_a_chunk_that_differ_are_taken_out_and_put_back),
        TEST(damaged_bytes_stay_in_the_room),
        TEST(packed_bytes_that_are_cut_off_are_refused),
        TEST(sequences_longer_than_the_body_are_refused),
        TEST(sixteen_bytes_are_compared_like_one_after_the_other),
        TEST(sixteen_digits_are_found_like_one_after_the_other),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
