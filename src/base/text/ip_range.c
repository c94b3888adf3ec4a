/* SPDX-License-Identifier: Apache-2.0 */
/* ip_range.c -- IP addresses and ranges of them. */
#include "base/text/ip_range.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"

enum {
    V4_BITS = 32,
    V6_BITS = 128,
    MAPPED_PREFIX = 12, /* bytes before an IPv4 address that is mapped into IPv6 */
};

bool lw_ip_parse(lw_str text, lw_ip_range *out)
{
    char copy[INET6_ADDRSTRLEN];
    *out = (lw_ip_range){ .family = 0 };
    if (text.len == 0 || text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    bool is_v6 = memchr(text.ptr, ':', text.len) != NULL;
    out->family = is_v6 ? 6 : 4;
    out->prefix = is_v6 ? V6_BITS : V4_BITS;
    return inet_pton(is_v6 ? AF_INET6 : AF_INET, copy, out->bytes) == 1;
}

bool lw_ip_range_parse(lw_str text, lw_ip_range *out)
{
    lw_str address, prefix;
    uint64_t bits;
    if (!lw_str_cut(text, '/', &address, &prefix) || !lw_ip_parse(address, out) ||
        !lw_str_to_uint64(prefix, &bits) || bits > out->prefix ||
        (prefix.len > 1 && prefix.ptr[0] == '0'))
        return false;
    out->prefix = (unsigned)bits;
    return true;
}

bool lw_ip_is_mapped(const lw_ip_range *address)
{
    static const unsigned char prefix[MAPPED_PREFIX] = { [10] = 0xff, [11] = 0xff };
    return address->family == 6 && memcmp(address->bytes, prefix, sizeof(prefix)) == 0;
}

void lw_ip_format(char text[LW_IP_SIZE], const lw_ip_range *address)
{
    bool is_mapped = lw_ip_is_mapped(address);
    (void)inet_ntop(address->family == 4 || is_mapped ? AF_INET : AF_INET6,
                    address->bytes + (is_mapped ? MAPPED_PREFIX : 0), text, LW_IP_SIZE);
}

lw_ip_range lw_ip_range_masked(const lw_ip_range *from, unsigned prefix)
{
    lw_ip_range made = *from;
    made.prefix = prefix;
    for (unsigned bit = prefix; bit < sizeof(made.bytes) * 8; bit++)
        made.bytes[bit / 8] &= (unsigned char)~(0x80u >> bit % 8);
    return made;
}

bool lw_ip_range_contains(const lw_ip_range *range, const lw_ip_range *other)
{
    if (other->family != range->family || other->prefix < range->prefix)
        return false;
    lw_ip_range a = lw_ip_range_masked(range, range->prefix);
    lw_ip_range b = lw_ip_range_masked(other, range->prefix);
    return memcmp(a.bytes, b.bytes, sizeof(a.bytes)) == 0;
}
