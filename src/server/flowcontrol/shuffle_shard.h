/* SPDX-License-Identifier: Apache-2.0 */
/* shuffle_shard.h -- shuffle sharding: assigns a flow to a few of many queues, so that two flows
 * rarely share all of theirs. */
#ifndef LW_SERVER_FLOWCONTROL_SHUFFLE_SHARD_H
#define LW_SERVER_FLOWCONTROL_SHUFFLE_SHARD_H

#include <stddef.h>
#include <stdint.h>

enum {
    LW_SHUFFLE_HAND_MAX = 60, /* validation allows at most 60 bits of hash, one per card or more */
};

/* Deals |hand_size| different cards of 0 to |deck_size| - 1, chosen by |hash|.  |hand_size| is at
 * most |deck_size| and LW_SHUFFLE_HAND_MAX. */
void lw_shuffle_deal(uint64_t hash, uint32_t deck_size, uint32_t hand_size, uint32_t *hand);

#endif
