/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_source.h -- gets the keys of one issuer and keeps them up to date.
 *
 *     start ──▶ discovery ──jwks_uri──▶ key set ──▶ wait 5 minutes, or until somebody wants them
 *                  ▲  failure            │  ▲          │
 *                  └─── wait (backoff) ◀─┘  └──────────┘
 *
 * The issuer need not be reachable when the server starts.  All steps run on the loop; the keys may
 * be read by any thread.  Shared by references: a configuration that is loaded again keeps the
 * sources of issuers that have not changed. */
#ifndef LW_SERVER_AUTHN_OIDC_OIDC_SOURCE_H
#define LW_SERVER_AUTHN_OIDC_OIDC_SOURCE_H

#include <listwatch/log.h>

#include "net/loop.h"
#include "server/authn/oidc/oidc_fetch.h"
#include "server/authn/oidc/oidc_keys.h"

enum {
    LW_OIDC_REFRESH_S = 300,    /* age at which keys are fetched again */
    LW_OIDC_REFETCH_MIN_S = 10, /* between two fetches that unknown keys cause */
    LW_OIDC_RETRY_FIRST_S = 1,  /* first delay after a failure */
    LW_OIDC_RETRY_LONGEST_S = 60,
};

typedef struct lw_oidc_source lw_oidc_source;

/* All but the strings outlive the source. */
typedef struct lw_oidc_source_options {
    lw_str url, discovery_url, ca; /* as in lw_oidc_issuer; copied */
    lw_loop *loop;
    const lw_oidc_fetcher *fetcher;
    const lw_logger *logger;    /* may be NULL */
    void (*changed)(void *arg); /* the keys were replaced by others; from the loop */
    void *arg;
} lw_oidc_source_options;

LW_MUST_CHECK lw_status lw_oidc_source_new(lw_oidc_source **out,
                                           const lw_oidc_source_options *options, lw_error *err);
lw_oidc_source *lw_oidc_source_ref(lw_oidc_source *source);
void lw_oidc_source_unref(lw_oidc_source *source); /* NULL does nothing */

/* Returns true if it is the source of these URLs and authorities. */
bool lw_oidc_source_is_for(const lw_oidc_source *source, lw_str url, lw_str discovery_url,
                           lw_str ca);

/* Begin to fetch, and end it.  The thread of the loop, or while it does not run.  Once each; stop
 * before the loop and the fetcher are freed. */
void lw_oidc_source_start(lw_oidc_source *source);
void lw_oidc_source_stop(lw_oidc_source *source);

/* Returns the keys, which the caller unrefs; NULL: they have not been fetched yet. */
lw_oidc_keys *lw_oidc_source_keys_ref(lw_oidc_source *source);

/* Asks to fetch the keys again, because a token was signed by one that is not among them.  Any
 * thread; does not block. */
void lw_oidc_source_want(lw_oidc_source *source);

#endif
