/* SPDX-License-Identifier: Apache-2.0 */
/* route.h -- the target of a path and a method. */
#ifndef LW_API_HTTP_ROUTE_H
#define LW_API_HTTP_ROUTE_H

#include "base/buf.h"
#include "net/http.h"
#include "schema/kinds/registry.h"

typedef enum lw_route_target {
    LW_ROUTE_RESOURCE,       /* a collection, an object, or a subresource: kind is set */
    LW_ROUTE_DISCOVERY,      /* /api, /apis, /api/v1, /apis/g, /apis/g/v */
    LW_ROUTE_OPENAPI,        /* /openapi/v2, /openapi/v3, /openapi/v3/{api/v, apis/g/v} */
    LW_ROUTE_VERSION,        /* /version */
    LW_ROUTE_NO_RESOURCE,    /* no such resource in a served group: 404 Status */
    LW_ROUTE_NO_SUBRESOURCE, /* a custom resource without this subresource: kind is set; 404 */
    LW_ROUTE_NO_METHOD,      /* 405 Status */
    LW_ROUTE_NOWHERE,        /* 404 page not found, as plain text */
    LW_ROUTE_FOREIGN,        /* not a path of the API */
} lw_route_target;

typedef struct lw_route {
    lw_route_target target;
    unsigned verb; /* LW_VERB_, for a resource */
    const lw_kind *kind;
    lw_str group, version;
    lw_str ns;            /* empty: all namespaces, or a cluster-scoped kind */
    lw_str name;          /* empty: the collection */
    unsigned subresource; /* LW_SUB_ bit, or 0 */
    lw_str root;          /* discovery: "api" or "apis"; openapi: "v2" or "v3" */
} lw_route;

/* Resolves |path| into |route|, whose strings are views into |path| or, if they were escaped, into
 * |scratch|.  |is_watch|: the query requests a watch.  LW_ERR_INVALID: an escape is malformed
 * (400); LW_ERR_NOMEM. */
lw_status lw_route_find(lw_route *route, const lw_registry *registry, lw_http_method method,
                        lw_str path, bool is_watch, lw_buf *scratch);

#endif
