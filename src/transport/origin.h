/* SPDX-License-Identifier: Apache-2.0 */
/* origin.h -- the parts of a server's URL. */
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
    uint16_t port;    /* 443 or 80 when the URL does not say */
    lw_str path;      /* what all targets begin with; no slash at its end, mostly empty */
} lw_origin;

/* Reads "https://host:6443", also with a path behind.  LW_ERR_INVALID: something else. */
lw_status lw_origin_parse(lw_origin *out, lw_str url, lw_error *err);

/* True when |text| can stand in a URL, a header or a request line: no blanks, no control
 * characters, nothing above ASCII. */
bool lw_is_url_text(lw_str text);

#endif
