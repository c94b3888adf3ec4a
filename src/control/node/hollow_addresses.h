/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_addresses.h -- which addresses hollow nodes and the pods on them have.
 *
 * Node i has 172.16+.x.x for itself and 10.128+.x.0/24 for its pods, each of which has one of them
 * as long as it lives.  One thread at a time. */
#ifndef LW_CONTROL_NODE_HOLLOW_ADDRESSES_H
#define LW_CONTROL_NODE_HOLLOW_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

enum {
    LW_HOLLOW_ADDRESS_SIZE = 24, /* "10.255.255.255/24" and its NUL */
    LW_HOLLOW_RANGE = 256,
    LW_HOLLOW_NODES_MAX = 32768, /* ranges of that size in 10.128.0.0/9 */
};

/* Who has which address of one node: a hash of the pod's uid, 0: nobody. */
typedef struct lw_hollow_range {
    uint64_t owners[LW_HOLLOW_RANGE];
} lw_hollow_range;

/* The node's own address, and the range of its pods. */
void lw_hollow_node_address(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);
void lw_hollow_node_range(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);

/* The address that |uid| has or now gets; false: all are taken. */
bool lw_hollow_range_take(lw_hollow_range *range, unsigned node, const char *uid,
                          char text[LW_HOLLOW_ADDRESS_SIZE]);

/* |uid| was seen with |address|: nobody else gets it.  One of another range is passed over. */
void lw_hollow_range_note(lw_hollow_range *range, unsigned node, const char *uid, lw_str address);

/* |uid| is gone. */
void lw_hollow_range_release(lw_hollow_range *range, const char *uid);

#endif
