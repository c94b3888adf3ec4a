/* SPDX-License-Identifier: Apache-2.0 */
/* server_internal.h -- the parts of a running server that are needed to serve requests. */
#ifndef LW_SERVER_CORE_SERVER_INTERNAL_H
#define LW_SERVER_CORE_SERVER_INTERNAL_H

#include <stdatomic.h>

#include "api/api.h"
#include "api/authz/authz.h"
#include "cache/cache.h"
#include "crypto/certificate_authority.h"
#include "net/http_server.h"
#include "schema/kinds/registry.h"
#include "server/aggregator/aggregator.h"
#include "server/audit/audit.h"
#include "server/authn/authn.h"
#include "server/authn/oidc/oidc_config.h"
#include "server/connect/connect.h"
#include "server/core/access_counters.h"
#include "server/core/accounts.h"
#include "server/core/authentication_info.h"
#include "server/core/heavy.h"
#include "server/core/impersonation_modes.h"
#include "server/core/informer_reports.h"
#include "server/core/loops.h"
#include "server/core/store_health.h"
#include "server/core/webhooks.h"
#include "server/faults/faults.h"
#include "server/flowcontrol/flow.h"
#include "server/flowcontrol/in_flight.h"
#include "store/store.h"

/* Set up before the loops run; afterwards only the atomic members, the store health, the reports,
 * the faults and flow control change. */
typedef struct lw_server_parts {
    lw_store *store;
    lw_registry *registry;
    lw_cache *cache;
    lw_api *api;
    lw_http_server *http;
    lw_authn *auth;
    lw_accounts *accounts;
    lw_sessions *sessions;               /* of the page */
    lw_certificate_authority *authority; /* NULL: nothing is signed */
    lw_front_proxy *proxy;               /* NULL: none */
    lw_front_proxy *own_proxy;           /* this server towards others; NULL: not generated */
    lw_reverse_proxy *forwarding;
    lw_aggregator *aggregator; /* NULL: none, as the next one; for tests */
    lw_connect *connect;
    struct lw_mirror *mirror;        /* NULL: the server has objects of its own */
    char *client_ca;                 /* PEM; NULL: client certificates are not accepted */
    lw_webhooks *webhooks;           /* NULL: none */
    lw_token_webhook *token_webhook; /* NULL: none */
    struct lw_pod_security_config *pod_security; /* NULL: the defaults */
    lw_authz *authz;                             /* NULL: any authenticated user has full access */
    lw_audit *audit;                             /* NULL: requests are not audited */
    struct lw_hooks *hooks;                      /* admission webhooks; NULL: none are called */
    struct lw_http_hook_caller *hook_caller;
    bool allows_anonymous; /* requests without credentials are those of system:anonymous */
    const lw_oidc_anonymous *anonymous; /* which of them; NULL: all, and public paths */
    struct lw_oidc_parts *oidc;         /* NULL: no other issuers of tokens */
    const lw_clock *clock;
    const lw_logger *logger; /* may be NULL */
    const lw_loops *loops;
    lw_heavy *heavy;              /* the queue of the workers */
    lw_store_health store_health; /* for a remote store */
    lw_informer_reports informers;
    lw_faults faults; /* for tests */
    lw_flow *flow;    /* NULL: only |in_flight| limits requests */
    lw_in_flight in_flight;
    struct lw_workers *backups; /* one thread that makes backups */
    char *backup_folder;        /* for their temporary files; NULL: the store is not in a folder */
    atomic_bool is_backing_up;
    lw_access_counters access;
    lw_impersonation_modes impersonation;
    atomic_bool is_draining;
    /* For the check "cache": the revision at which the cache is behind the store, and since when;
     * 0: it is not behind. */
    atomic_uint_least64_t lag_revision;
    atomic_int_least64_t lag_since_ns;
} lw_server_parts;

#endif
