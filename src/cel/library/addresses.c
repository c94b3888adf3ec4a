/* SPDX-License-Identifier: Apache-2.0 */
/* addresses.c -- IP addresses and CIDRs.  Zones and IPv4-mapped IPv6 addresses are rejected, as in
 * Kubernetes. */
#include <arpa/inet.h>

#include "base/str.h"
#include "cel/functions.h"

enum {
    V4_BITS = 32,
    V6_BITS = 128,
};

static bool parse_ip(lw_str text, lw_ip_range *out)
{
    return lw_ip_parse(text, out) && !lw_ip_is_mapped(out);
}

static bool parse_cidr(lw_str text, lw_ip_range *out)
{
    return lw_ip_range_parse(text, out) && !lw_ip_is_mapped(out);
}

void lw_cel_append_address(lw_buf *out, const lw_ip_range *address, bool with_prefix)
{
    char text[INET6_ADDRSTRLEN];
    if (inet_ntop(address->family == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof(text)))
        lw_buf_append_text(out, text);
    if (with_prefix)
        lw_buf_printf(out, "/%u", address->prefix);
}

static lw_cel_value make(lw_cel_run *run, lw_cel_kind kind, const lw_ip_range *address)
{
    lw_ip_range *kept = lw_arena_take_zero(&run->arena, 1, sizeof(*kept));
    if (!kept)
        return lw_cel_over(run);
    *kept = *address;
    return (lw_cel_value){ .kind = (uint8_t)kind, .address = kept };
}

lw_cel_value lw_cel_fn_ip(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address;
    (void)count;
    if (!parse_ip(args[0].text, &address))
        return lw_cel_fail(run, "IP Address %.*s parse error during conversion from string",
                           LW_STR_ARG(args[0].text));
    return make(run, LW_CEL_IP, &address);
}

lw_cel_value lw_cel_fn_is_ip(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address;
    (void)run, (void)count;
    return lw_cel_of_bool(parse_ip(args[0].text, &address));
}

lw_cel_value lw_cel_fn_ip_is_canonical(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address;
    char text[INET6_ADDRSTRLEN];
    lw_buf form = { .data = text, .cap = sizeof(text), .limit = sizeof(text) };
    (void)count;
    if (!parse_ip(args[0].text, &address))
        return lw_cel_fn_ip(run, args, count);
    lw_cel_append_address(&form, &address, false);
    return lw_cel_of_bool(lw_str_equal(lw_buf_view(&form), args[0].text));
}

lw_cel_value lw_cel_fn_ip_family(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int(args[0].address->family);
}

/* True if all bytes of the address are 0, except the last, which is |last|. */
static bool is_all_zero_but(const lw_ip_range *address, unsigned char last)
{
    size_t len = address->family == 4 ? 4 : 16;
    for (size_t i = 0; i + 1 < len; i++) {
        if (address->bytes[i] != 0)
            return false;
    }
    return address->bytes[len - 1] == last;
}

static bool is_loopback(const lw_ip_range *a)
{
    return a->family == 4 ? a->bytes[0] == 127 : is_all_zero_but(a, 1);
}

static bool is_local_multicast(const lw_ip_range *a)
{
    return a->family == 4 ? a->bytes[0] == 224 && a->bytes[1] == 0 && a->bytes[2] == 0
                          : a->bytes[0] == 0xff && (a->bytes[1] & 0x0f) == 2;
}

static bool is_local_unicast(const lw_ip_range *a)
{
    return a->family == 4 ? a->bytes[0] == 169 && a->bytes[1] == 254
                          : a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static bool is_multicast(const lw_ip_range *a)
{
    return a->family == 4 ? (a->bytes[0] & 0xf0) == 0xe0 : a->bytes[0] == 0xff;
}

static bool is_broadcast(const lw_ip_range *a)
{
    static const unsigned char all[4] = { 255, 255, 255, 255 };
    return a->family == 4 && memcmp(a->bytes, all, sizeof(all)) == 0;
}

lw_cel_value lw_cel_fn_ip_is_unspecified(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(is_all_zero_but(args[0].address, 0));
}

lw_cel_value lw_cel_fn_ip_is_loopback(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(is_loopback(args[0].address));
}

lw_cel_value lw_cel_fn_ip_is_local_multicast(lw_cel_run *run, const lw_cel_value *args,
                                             size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(is_local_multicast(args[0].address));
}

lw_cel_value lw_cel_fn_ip_is_local_unicast(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_bool(is_local_unicast(args[0].address));
}

lw_cel_value lw_cel_fn_ip_is_global_unicast(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    const lw_ip_range *a = args[0].address;
    (void)run, (void)count;
    return lw_cel_of_bool(!is_all_zero_but(a, 0) && !is_broadcast(a) && !is_loopback(a) &&
                          !is_multicast(a) && !is_local_unicast(a));
}

lw_cel_value lw_cel_fn_cidr(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address;
    (void)count;
    if (!parse_cidr(args[0].text, &address))
        return lw_cel_fail(run, "network address parse error during conversion from string: %.*s",
                           LW_STR_ARG(args[0].text));
    return make(run, LW_CEL_CIDR, &address);
}

lw_cel_value lw_cel_fn_is_cidr(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address;
    (void)run, (void)count;
    return lw_cel_of_bool(parse_cidr(args[0].text, &address));
}

lw_cel_value lw_cel_fn_cidr_ip(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range address = *args[0].address;
    (void)count;
    address.prefix = address.family == 4 ? V4_BITS : V6_BITS;
    return make(run, LW_CEL_IP, &address);
}

lw_cel_value lw_cel_fn_cidr_masked(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_ip_range made = lw_ip_range_masked(args[0].address, args[0].address->prefix);
    (void)count;
    return make(run, LW_CEL_CIDR, &made);
}

lw_cel_value lw_cel_fn_cidr_prefix(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    (void)run, (void)count;
    return lw_cel_of_int(args[0].address->prefix);
}

lw_cel_value lw_cel_fn_cidr_contains(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    const lw_ip_range *block = args[0].address;
    lw_ip_range other;
    (void)count;
    if (args[1].kind != LW_CEL_STRING)
        other = *args[1].address;
    else if (!parse_ip(args[1].text, &other) && !parse_cidr(args[1].text, &other))
        return lw_cel_fail(run, "network address parse error during conversion from string: %.*s",
                           LW_STR_ARG(args[1].text));
    return lw_cel_of_bool(lw_ip_range_contains(block, &other));
}
