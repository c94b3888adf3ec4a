/* SPDX-License-Identifier: Apache-2.0 */
/* service_ranges.h -- from where services get their cluster IPs and node ports. */
#ifndef LW_API_CONTEXT_SERVICE_RANGES_H
#define LW_API_CONTEXT_SERVICE_RANGES_H

#include <stdint.h>

#include <listwatch/error.h>

enum {
    LW_SERVICE_RANGE_SIZE = 24, /* of a range as text, including the NUL */
};

typedef struct lw_service_ranges {
    uint32_t ip_first; /* of the network, host byte order */
    unsigned ip_bits;  /* length of the prefix */
    char ip_text[LW_SERVICE_RANGE_SIZE];
    uint16_t port_min, port_max;
    char port_text[LW_SERVICE_RANGE_SIZE];
} lw_service_ranges;

/* 10.96.0.0/16 and 30000-32767. */
lw_service_ranges lw_service_ranges_default(void);

/* Parses |ips| ("10.96.0.0/16"; of a list for two address families its IPv4 range) and |ports|
 * ("30000-32767" or "30000+2767"); NULL: the default.  LW_ERR_INVALID. */
LW_MUST_CHECK lw_status lw_service_ranges_parse(lw_service_ranges *out, const char *ips,
                                                const char *ports, lw_error *err);

#endif
