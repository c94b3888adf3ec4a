/* SPDX-License-Identifier: Apache-2.0 */
/* origin.h -- the parts of the URL of a server. */
#ifndef LW_TRANSPORT_ORIGIN_H
#define LW_TRANSPORT_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

/* Views of the text that was parsed. */
typedef struct lw_origin {
    bool is_tls;
    lw_str host;      /* without the brackets of an IPv6 address */
    lw_str authority; /* as written: "host:6443", "[::1]:6443", "host" */
    uint16_t port;    /* 443 or 80 if the URL has none */
    lw_str path;      /* prefix of all targets, without a slash at the end; mostly empty */
} lw_origin;

/* Parses "https://host:6443", optionally with a path.  LW_ERR_INVALID: it is something else. */
lw_status lw_origin_parse(lw_origin *out, lw_str url, lw_error *err);

/* Returns true if |text| may be part of a URL, a header or a request line: no spaces, no control
 * characters, only ASCII. */
bool lw_is_url_text(lw_str text);

#endif
