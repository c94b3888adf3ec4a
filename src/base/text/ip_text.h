/* SPDX-License-Identifier: Apache-2.0 */
/* ip_text.h -- IP addresses and ranges ("10.0.0.0/8") as text. */
#ifndef LW_BASE_TEXT_IP_TEXT_H
#define LW_BASE_TEXT_IP_TEXT_H

#include <stdbool.h>

#include <listwatch/str.h>

enum {
    LW_IP_BYTES = 16,
    LW_IP_SIZE = 64, /* bytes of a text */
};

typedef struct lw_ip {
    unsigned bits; /* 32 or 128 */
    unsigned char bytes[LW_IP_BYTES];
} lw_ip;

/* Reads an address; false: it is none. */
bool lw_ip_parse(lw_str text, lw_ip *out);

/* Reads a range; false: it is none. */
bool lw_ip_parse_range(lw_str text, lw_ip *out, unsigned *prefix);

/* Clears the bits behind |prefix|.  True: some were set. */
bool lw_ip_mask(lw_ip *ip, unsigned prefix);

/* Writes the canonical form (RFC 5952); IPv4 that is mapped into IPv6 as IPv4. */
void lw_ip_format(char text[LW_IP_SIZE], const lw_ip *ip);

#endif
