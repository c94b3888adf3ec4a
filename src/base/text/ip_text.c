/* SPDX-License-Identifier: Apache-2.0 */
/* ip_text.c -- reads and writes IP addresses. */
#include "base/text/ip_text.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"

enum {
    MAPPED_PREFIX = 12, /* bytes before an IPv4 address that is mapped into IPv6 */
};

bool lw_ip_parse(lw_str text, lw_ip *out)
{
    char copy[INET6_ADDRSTRLEN];
    if (text.len == 0 || text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    out->bits = 32;
    if (inet_pton(AF_INET, copy, out->bytes) == 1)
        return true;
    out->bits = 128;
    return inet_pton(AF_INET6, copy, out->bytes) == 1;
}

bool lw_ip_parse_range(lw_str text, lw_ip *out, unsigned *prefix)
{
    lw_str address, length;
    uint64_t bits;
    (void)lw_str_cut(text, '/', &address, &length);
    if (!lw_ip_parse(address, out) || !lw_str_to_uint64(length, &bits) || bits > out->bits)
        return false;
    *prefix = (unsigned)bits;
    return true;
}

bool lw_ip_mask(lw_ip *ip, unsigned prefix)
{
    bool has_more = false;
    for (unsigned bit = prefix; bit < ip->bits; bit++) {
        unsigned char one = (unsigned char)(0x80U >> bit % 8);
        has_more |= (ip->bytes[bit / 8] & one) != 0;
        ip->bytes[bit / 8] &= (unsigned char)~one;
    }
    return has_more;
}

void lw_ip_format(char text[LW_IP_SIZE], const lw_ip *ip)
{
    static const unsigned char mapped[MAPPED_PREFIX] = { [10] = 0xff, [11] = 0xff };
    bool is_mapped = ip->bits == 128 && memcmp(ip->bytes, mapped, MAPPED_PREFIX) == 0;
    (void)inet_ntop(ip->bits == 32 || is_mapped ? AF_INET : AF_INET6,
                    ip->bytes + (is_mapped ? MAPPED_PREFIX : 0), text, LW_IP_SIZE);
}
