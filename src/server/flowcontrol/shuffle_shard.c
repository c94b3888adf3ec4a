/* SPDX-License-Identifier: Apache-2.0 */
/* shuffle_shard.c -- deals a hand of cards: the hash is a number whose digits, in the bases
 * deck_size, deck_size - 1 and so on, choose among the cards that are left. */
#include "server/flowcontrol/shuffle_shard.h"

#include <assert.h>

void lw_shuffle_deal(uint64_t hash, uint32_t deck_size, uint32_t hand_size, uint32_t *hand)
{
    uint32_t digits[LW_SHUFFLE_HAND_MAX];
    assert(hand_size <= deck_size && hand_size <= LW_SHUFFLE_HAND_MAX);
    for (uint32_t i = 0; i < hand_size; i++) {
        digits[i] = (uint32_t)(hash % (deck_size - i));
        hash /= deck_size - i;
    }
    /* Digit i counts among the cards that remain; undo the removals, the latest first. */
    for (uint32_t i = 0; i < hand_size; i++) {
        uint32_t card = digits[i];
        for (uint32_t j = i; j > 0; j--) {
            if (card >= digits[j - 1])
                card++;
        }
        hand[i] = card;
    }
}
