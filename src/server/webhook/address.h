/* SPDX-License-Identifier: Apache-2.0 */
/* address.h -- the parts of the URL of a server. */
#ifndef LW_SERVER_WEBHOOK_ADDRESS_H
#define LW_SERVER_WEBHOOK_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/error.h>

typedef struct lw_webhook_address {
    char *url;  /* for messages */
    char *host; /* without brackets */
    uint16_t port;
    char *path; /* "/" if the URL has none */
    bool is_tls;
} lw_webhook_address;

/* Splits |url|, which kubeconfig has checked (lw_server_url_read).  LW_ERR_INVALID: the port.
 * LW_ERR_NOMEM.  |out| must be released in any case. */
LW_MUST_CHECK lw_status lw_webhook_address_read(lw_webhook_address *out, const char *url,
                                                lw_error *err);
void lw_webhook_address_done(lw_webhook_address *address);

#endif
