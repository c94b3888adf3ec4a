/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_addresses.h -- assigns IP addresses to hollow nodes and their pods.
 *
 * Node i has an address in 172.16.0.0/12 and the range 10.128+.x.0/24 for its pods; each pod has
 * one of these addresses for its lifetime.  One thread at a time. */
#ifndef LW_CONTROL_NODE_HOLLOW_ADDRESSES_H
#define LW_CONTROL_NODE_HOLLOW_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch.h>

enum {
    LW_HOLLOW_ADDRESS_SIZE = 24, /* "10.255.255.255/24" and the NUL */
    LW_HOLLOW_RANGE = 256,
    LW_HOLLOW_NODES_MAX = 32768, /* number of such ranges in 10.128.0.0/9 */
};

/* The addresses of one node that are in use: a hash of the pod's UID; 0: free. */
typedef struct lw_hollow_range {
    uint64_t owners[LW_HOLLOW_RANGE];
} lw_hollow_range;

/* Write the address of the node, and the range of its pods. */
void lw_hollow_node_address(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);
void lw_hollow_node_range(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node);

/* Gets the address of |uid|, and assigns one if needed; false: all are in use. */
bool lw_hollow_range_take(lw_hollow_range *range, unsigned node, const char *uid,
                          char text[LW_HOLLOW_ADDRESS_SIZE]);

/* Records that |uid| uses |address|, so that it is not assigned to others.  Ignores addresses of
 * other ranges. */
void lw_hollow_range_note(lw_hollow_range *range, unsigned node, const char *uid, lw_str address);

/* Releases the address of |uid|. */
void lw_hollow_range_release(lw_hollow_range *range, const char *uid);

#endif
