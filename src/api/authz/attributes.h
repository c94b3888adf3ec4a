/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.h -- what a request wants to do, as authorizers see it. */
#ifndef LW_API_AUTHZ_ATTRIBUTES_H
#define LW_API_AUTHZ_ATTRIBUTES_H

#include <stdbool.h>

#include "api/context/decision_cache.h"
#include "api/context/user.h"

/* Everything is borrowed. */
typedef struct lw_authz_attributes {
    const lw_user *user;
    lw_str verb; /* "get", "list", "deletecollection", "impersonate", ...; of a path: the lower-case
                    method */
    bool is_resource; /* false: only |path| counts */
    lw_str group, version, resource, subresource;
    lw_str ns;             /* empty: all namespaces, or a cluster-scoped resource */
    lw_str name;           /* empty: a collection */
    lw_str field_selector; /* of a list or watch, decoded; empty: none */
    lw_str label_selector; /* the same */
    lw_str path;           /* of a request that is not for a resource: "/healthz" */
    /* The request that waits for answers of webhooks (api/context/asker.h); NULL: nothing waits,
     * and what a webhook has not answered before counts as an error of the webhook. */
    struct lw_http_stream *stream;
    lw_decision_cache *cache; /* of the calling thread; NULL: nothing is looked up or added */
} lw_authz_attributes;

typedef enum lw_authz_decision {
    LW_AUTHZ_NO_OPINION, /* the next authorizer decides; denied if there is none */
    LW_AUTHZ_ALLOW,
    LW_AUTHZ_DENY, /* denied, whatever the next authorizers would say */
    /* Not known yet: attributes->stream waits for the answer of a webhook.  Decide again then. */
    LW_AUTHZ_PENDING,
} lw_authz_decision;

#endif
