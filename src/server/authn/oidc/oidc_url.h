/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_url.h -- the parts of a URL of an issuer: https://host:port/path?query#fragment. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_URL_H
#define LW_SERVER_AUTHN_OIDC_OIDC_URL_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/str.h>

/* Views of the text. */
typedef struct lw_oidc_url {
    lw_str scheme; /* may be empty */
    bool has_user;
    lw_str host;   /* without brackets; may be empty */
    uint16_t port; /* 443 if there is none */
    lw_str authority;
    lw_str path; /* may be empty */
    lw_str query, fragment;
} lw_oidc_url;

/* Splits |text|.  Returns false if it is not a URL: it has spaces or control characters, or the
 * port is not a number. */
bool lw_oidc_url_parse(lw_oidc_url *url, lw_str text);

#endif
