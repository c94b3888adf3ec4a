/* SPDX-License-Identifier: Apache-2.0 */
/* connect_path.h -- the path of a request that is passed on to a node, a pod or a service:
 *
 *     /api/v1/namespaces/NS/pods/NAME/{log,exec,attach,portforward}
 *     /api/v1/namespaces/NS/{pods,services}/[SCHEME:]NAME[:PORT]/proxy[/REST]
 *     /api/v1/nodes/[SCHEME:]NAME[:PORT]/proxy[/REST] */
#ifndef LW_SERVER_CONNECT_CONNECT_PATH_H
#define LW_SERVER_CONNECT_CONNECT_PATH_H

#include "base/buf.h"

typedef enum lw_connect_resource {
    LW_CONNECT_PODS,
    LW_CONNECT_SERVICES,
    LW_CONNECT_NODES,
} lw_connect_resource;

typedef enum lw_connect_action {
    LW_CONNECT_PROXY,
    LW_CONNECT_LOG,
    LW_CONNECT_EXEC,
    LW_CONNECT_ATTACH,
    LW_CONNECT_PORTFORWARD,
} lw_connect_action;

typedef struct lw_connect_path {
    lw_connect_resource resource;
    lw_connect_action action;
    lw_str ns, name; /* decoded */
    lw_str rest;     /* of a proxy: what follows, with its slash, percent-encoded; may be empty */
} lw_connect_path;

/* Reads |path|; the views are of it and of |text|, which gets what was escaped.  False: it is
 * something else, or malformed. */
bool lw_connect_path_read(lw_connect_path *out, lw_str path, lw_buf *text);

/* "https:web:8443": a scheme, a name and a port, of which only the name must be there. */
typedef struct lw_connect_id {
    lw_str scheme, name, port;
} lw_connect_id;

/* Splits |id| as kube-apiserver does.  False: it is malformed. */
bool lw_connect_id_split(lw_connect_id *out, lw_str id);

#endif
