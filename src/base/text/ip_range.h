/* SPDX-License-Identifier: Apache-2.0 */
/* ip_range.h -- IP addresses and ranges of them (CIDR notation, "10.0.0.0/8"). */
#ifndef LW_BASE_TEXT_IP_RANGE_H
#define LW_BASE_TEXT_IP_RANGE_H

#include <stdbool.h>

#include <listwatch/str.h>

enum {
    LW_IP_SIZE = 64, /* bytes of the text of an address */
};

/* An IP address, or a range with the length of its prefix. */
typedef struct lw_ip_range {
    unsigned char bytes[16]; /* of IPv4 the first four, the rest are 0 */
    unsigned family;         /* 4 or 6 */
    unsigned prefix;         /* of an address: all bits */
} lw_ip_range;

/* Parses an address without zone; false: |text| is none.  Leading zeros are not accepted. */
bool lw_ip_parse(lw_str text, lw_ip_range *out);

/* Parses a range.  Bits beyond the prefix may be set (lw_ip_range_masked). */
bool lw_ip_range_parse(lw_str text, lw_ip_range *out);

/* Whether it is an IPv4 address in the form of IPv6, "::ffff:1.2.3.4". */
bool lw_ip_is_mapped(const lw_ip_range *address);

/* Writes the canonical form of the address (RFC 5952); IPv4 in the form of IPv6 as IPv4. */
void lw_ip_format(char text[LW_IP_SIZE], const lw_ip_range *address);

/* Returns the range of the first |prefix| bits of |from|, the others cleared. */
lw_ip_range lw_ip_range_masked(const lw_ip_range *from, unsigned prefix);

/* Whether all addresses of |other| are in |range|. */
bool lw_ip_range_contains(const lw_ip_range *range, const lw_ip_range *other);

#endif
