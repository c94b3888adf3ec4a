/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_fetch.h -- gets documents of issuers over HTTPS.
 *
 * An interface, so that tests answer without a network; lw_oidc_http is the real one. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_FETCH_H
#define LW_SERVER_AUTHN_OIDC_OIDC_FETCH_H

#include "net/loop.h"

#include <listwatch/str.h>

/* Called once from the loop, never from inside |get|; |err| is NULL if |body| is complete. */
typedef void (*lw_oidc_fetched)(void *arg, lw_str body, const lw_error *err);

typedef struct lw_oidc_fetcher {
    /* Begins to get |url|, whose server is verified by |ca| (PEM; empty: the CAs of the system),
     * and sets |*call|.  The thread of the loop, or before it runs. */
    lw_status (*get)(void *arg, lw_str url, lw_str ca, lw_oidc_fetched done, void *done_arg,
                     void **call, lw_error *err);
    /* Ends a call that has not called |done| yet. */
    void (*cancel)(void *arg, void *call);
    void *arg;
} lw_oidc_fetcher;

typedef struct lw_oidc_http lw_oidc_http;

/* LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_oidc_http_new(lw_oidc_http **out, lw_loop *loop, lw_error *err);
void lw_oidc_http_free(lw_oidc_http *http); /* NULL does nothing */
lw_oidc_fetcher lw_oidc_http_fetcher(lw_oidc_http *http);

#endif
