/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.h -- the CA that signs certificate signing requests, and bootstrap tokens. */
#ifndef LW_SERVER_SETUP_CERTIFICATES_H
#define LW_SERVER_SETUP_CERTIFICATES_H

#include <listwatch/server.h>

#include "api/context/context.h"
#include "crypto/certificate_authority.h"
#include "server/authn/authn.h"
#include "server/core/pki.h"

enum {
    LW_CERTIFICATE_TTL_S = 365 * 24 * 60 * 60, /* the longest lifetime that is signed */
};

/* Reads the CA of the options, or takes the generated one of |pki| if it verifies clients: others
 * would not accept what it signs.  |*out| is NULL if there is none.  LW_ERR_INVALID: the message
 * names the files; LW_ERR_NOT_FOUND, LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_server_open_authority(lw_certificate_authority **out,
                                                 const lw_server_options *options,
                                                 const lw_pki *pki, lw_error *err);

/* Lets |auth| find bootstrap tokens among the Secrets of |api|.  Before requests are served. */
void lw_server_use_bootstrap_tokens(lw_authn *auth, lw_api *api);

#endif
