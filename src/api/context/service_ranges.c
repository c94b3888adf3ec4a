/* SPDX-License-Identifier: Apache-2.0 */
/* service_ranges.c -- parses the ranges of cluster IPs and node ports. */
#include "api/context/service_ranges.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

enum {
    PREFIX_MIN = 12, /* as in kube-apiserver */
    PREFIX_MAX = 29,
    ADDRESS_BITS = 32,
};

static bool parse_address(lw_str text, uint32_t *address)
{
    *address = 0;
    for (unsigned i = 0; i < 4; i++) {
        lw_str part;
        uint64_t value;
        bool has_more = lw_str_cut(text, '.', &part, &text);
        if (has_more != (i < 3) || part.len > 3 || !lw_str_to_uint64(part, &value) || value > 255)
            return false;
        *address = *address << 8 | (uint32_t)value;
    }
    return true;
}

static bool parse_prefix(lw_service_ranges *out, lw_str text)
{
    lw_str address, bits;
    uint64_t count;
    if (!lw_str_cut(text, '/', &address, &bits) || !parse_address(address, &out->ip_first) ||
        !lw_str_to_uint64(bits, &count) || count < PREFIX_MIN || count > PREFIX_MAX)
        return false;
    out->ip_bits = (unsigned)count;
    out->ip_first &= UINT32_MAX << (ADDRESS_BITS - out->ip_bits);
    (void)snprintf(out->ip_text, sizeof(out->ip_text), "%u.%u.%u.%u/%u", out->ip_first >> 24,
                   out->ip_first >> 16 & 255, out->ip_first >> 8 & 255, out->ip_first & 255,
                   out->ip_bits);
    return true;
}

static lw_status parse_ips(lw_service_ranges *out, lw_str text, lw_error *err)
{
    lw_str rest = text, range;
    bool has_more = true;
    while (has_more) {
        has_more = lw_str_cut(rest, ',', &range, &rest);
        if (parse_prefix(out, range))
            return LW_OK;
    }
    return lw_error_set(err, LW_ERR_INVALID,
                        "\"%.*s\" has no valid range of IPv4 addresses for services: use for "
                        "example 10.96.0.0/16, with a prefix of 12 to 29 bits",
                        LW_STR_ARG(text));
}

static lw_status parse_ports(lw_service_ranges *out, lw_str text, lw_error *err)
{
    lw_str first, second;
    uint64_t min = 0, max = 0;
    bool is_size = !lw_str_cut(text, '-', &first, &second);
    bool is_valid = (!is_size || lw_str_cut(text, '+', &first, &second)) &&
                    lw_str_to_uint64(first, &min) && lw_str_to_uint64(second, &max);
    if (is_valid && is_size)
        max = max <= UINT16_MAX ? max + min : 0;
    if (!is_valid || min < 1 || min > max || max > UINT16_MAX)
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%.*s\" is not a valid range of node ports: use for example "
                            "30000-32767",
                            LW_STR_ARG(text));
    out->port_min = (uint16_t)min;
    out->port_max = (uint16_t)max;
    (void)snprintf(out->port_text, sizeof(out->port_text), "%u-%u", out->port_min, out->port_max);
    return LW_OK;
}

lw_service_ranges lw_service_ranges_default(void)
{
    return (lw_service_ranges){
        .ip_first = UINT32_C(10) << 24 | UINT32_C(96) << 16,
        .ip_bits = 16,
        .ip_text = "10.96.0.0/16",
        .port_min = 30000,
        .port_max = 32767,
        .port_text = "30000-32767",
    };
}

lw_status lw_service_ranges_parse(lw_service_ranges *out, const char *ips, const char *ports,
                                  lw_error *err)
{
    *out = lw_service_ranges_default();
    lw_status st = ips ? parse_ips(out, lw_str_of(ips), err) : LW_OK;
    return st == LW_OK && ports ? parse_ports(out, lw_str_of(ports), err) : st;
}
