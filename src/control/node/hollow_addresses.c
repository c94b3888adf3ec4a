/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_addresses.c -- assigns IP addresses to hollow nodes and their pods. */
#include "node/hollow.h"

#include <stdio.h>
#include <string.h>

#include "runtime/hash.h"

enum {
    FIRST = 2, /* .0 is the network, .1 the gateway, .255 the broadcast address */
    LAST = 254,
};

static uint64_t owner_of(const char *uid)
{
    return lw_hash_add(LW_HASH_INIT, lw_str_of(uid)) | 1;
}

void lw_hollow_node_address(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node)
{
    unsigned at = node + 2;
    (void)snprintf(text, LW_HOLLOW_ADDRESS_SIZE, "172.%u.%u.%u", 16 + at / 65536 % 16,
                   at / 256 % 256, at % 256);
}

static void print_range(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node, unsigned host,
                        const char *more)
{
    (void)snprintf(text, LW_HOLLOW_ADDRESS_SIZE, "10.%u.%u.%u%s", 128 + node / 256 % 128,
                   node % 256, host, more);
}

void lw_hollow_node_range(char text[LW_HOLLOW_ADDRESS_SIZE], unsigned node)
{
    print_range(text, node, 0, "/24");
}

bool lw_hollow_range_take(lw_hollow_range *range, unsigned node, const char *uid,
                          char text[LW_HOLLOW_ADDRESS_SIZE])
{
    uint64_t owner = owner_of(uid);
    unsigned found = 0;
    for (unsigned i = LAST; i >= FIRST; i--) {
        if (range->owners[i] == 0)
            found = i; /* the lowest free one */
        if (range->owners[i] == owner) {
            found = i;
            break;
        }
    }
    if (found == 0)
        return false;
    range->owners[found] = owner;
    print_range(text, node, found, "");
    return true;
}

void lw_hollow_range_note(lw_hollow_range *range, unsigned node, const char *uid, lw_str address)
{
    char prefix[LW_HOLLOW_ADDRESS_SIZE];
    unsigned host = 0;
    print_range(prefix, node, 0, "");
    size_t len = strlen(prefix) - 1; /* "10.128.0." */
    if (address.len <= len || address.len > len + 3 || memcmp(address.ptr, prefix, len) != 0)
        return;
    for (size_t i = len; i < address.len && address.ptr[i] >= '0' && address.ptr[i] <= '9'; i++)
        host = host * 10 + (unsigned)(address.ptr[i] - '0');
    if (host >= FIRST && host <= LAST)
        range->owners[host] = owner_of(uid);
}

void lw_hollow_range_release(lw_hollow_range *range, const char *uid)
{
    uint64_t owner = owner_of(uid);
    for (unsigned i = FIRST; i <= LAST; i++) {
        if (range->owners[i] == owner)
            range->owners[i] = 0;
    }
}
