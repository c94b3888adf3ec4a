/* SPDX-License-Identifier: Apache-2.0 */
/* accounts.h -- service account tokens of a server: its options, keys and audiences, the objects
 * that tokens name, and the documents with which others verify them.
 *
 *     open (keys, issuers, audiences) ──▶ connect (the API and its cache) ──▶ free */
#ifndef LW_SERVER_CORE_ACCOUNTS_H
#define LW_SERVER_CORE_ACCOUNTS_H

#include <listwatch/server.h>

#include "api/api.h"
#include "net/http.h"
#include "server/authn/account_authn.h"

#define LW_ACCOUNTS_ISSUER "https://kubernetes.default.svc.cluster.local"

typedef struct lw_accounts lw_accounts;

/* Reads or generates the keys.  |root_ca|: PEM, verifies this server; NULL: none.  LW_ERR_INVALID:
 * an option is not valid; the errors of lw_account_keys_open. */
LW_MUST_CHECK lw_status lw_accounts_open(lw_accounts **out, const lw_server_options *options,
                                         const char *root_ca, const lw_clock *clock, lw_error *err);
void lw_accounts_free(lw_accounts *accounts); /* NULL does nothing */

/* The issuers of service account tokens. */
const lw_str *lw_accounts_issuers(const lw_accounts *accounts, size_t *count);

lw_account_authn *lw_accounts_authn(lw_accounts *accounts);
const lw_audiences *lw_accounts_audiences(const lw_accounts *accounts);

/* The issuer for the API; valid as long as |accounts|. */
lw_token_issuer lw_accounts_issuer(lw_accounts *accounts);

/* Finds the objects of tokens in the cache of |api| from now on, and makes the documents.  |url| is
 * where clients reach this server.  Before requests are served.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_accounts_connect(lw_accounts *accounts, const lw_api *api,
                                            const char *url, lw_error *err);

/* Returns true if |path| is one of the documents: /.well-known/openid-configuration and
 * /openid/v1/jwks.  They exist only if the issuer is an https URL, as OpenID Connect requires. */
bool lw_accounts_have_document(const lw_accounts *accounts, lw_str path);

/* Replies with the document of the request's path. */
void lw_accounts_serve(const lw_accounts *accounts, lw_http_stream *stream);

#endif
