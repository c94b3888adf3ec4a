/* SPDX-License-Identifier: Apache-2.0 */
/* shuffle_shard_test.c -- flows are dealt to queues. */
#include "server/flowcontrol/shuffle_shard.h"

#include <stdbool.h>

#include "base/random.h"
#include "unit/test.h"

static void a_hand_has_different_cards_of_the_deck(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 1);
    for (int i = 0; i < 1000; i++) {
        uint32_t hand[8];
        bool is_seen[128] = { false };
        lw_shuffle_deal(lw_random_next(&random), 128, 8, hand);
        for (size_t card = 0; card < 8; card++) {
            assert_in_range(hand[card], 0, 127);
            assert_false(is_seen[hand[card]]);
            is_seen[hand[card]] = true;
        }
    }
}

static void the_same_hash_gives_the_same_hand(void **state)
{
    (void)state;
    uint32_t first[6], second[6];
    lw_shuffle_deal(0x123456789abcdef0, 64, 6, first);
    lw_shuffle_deal(0x123456789abcdef0, 64, 6, second);
    assert_memory_equal(first, second, sizeof(first));
}

/* All hands of 2 out of 4, in order: 12 hashes, 12 hands. */
static void every_hand_belongs_to_one_hash(void **state)
{
    (void)state;
    bool is_seen[4][4] = { { false } };
    for (uint64_t hash = 0; hash < 12; hash++) {
        uint32_t hand[2];
        lw_shuffle_deal(hash, 4, 2, hand);
        assert_false(is_seen[hand[0]][hand[1]]);
        is_seen[hand[0]][hand[1]] = true;
    }
}

static void a_hand_as_large_as_the_deck_has_every_card(void **state)
{
    (void)state;
    uint32_t hand[5];
    unsigned cards = 0;
    lw_shuffle_deal(99, 5, 5, hand);
    for (size_t i = 0; i < 5; i++)
        cards |= 1u << hand[i];
    assert_int_equal(cards, 0x1f);
}

static void cards_are_dealt_about_equally_often(void **state)
{
    (void)state;
    enum {
        DEALS = 64000,
    };
    unsigned counts[64] = { 0 };
    lw_random random;
    lw_random_init(&random, 2);
    for (int i = 0; i < DEALS; i++) {
        uint32_t hand[4];
        lw_shuffle_deal(lw_random_next(&random), 64, 4, hand);
        for (size_t card = 0; card < 4; card++)
            counts[hand[card]]++;
    }
    for (size_t i = 0; i < 64; i++)
        assert_in_range(counts[i], 3700, 4300); /* 4000 expected */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_hand_has_different_cards_of_the_deck),
        TEST(the_same_hash_gives_the_same_hand),
        TEST(every_hand_belongs_to_one_hash),
        TEST(a_hand_as_large_as_the_deck_has_every_card),
        TEST(cards_are_dealt_about_equally_often),
    };
    return cmocka_run_group_tests_name("shuffle_shard", tests, NULL, NULL);
}
