/* SPDX-License-Identifier: Apache-2.0 */
/* gvk.h -- printing kinds and resources, and the path a resource is served at. */
#ifndef LW_OBJECT_GVK_H
#define LW_OBJECT_GVK_H

#include <listwatch/gvk.h>

#include "base/buf.h"

/* Appends the apiVersion: "apps/v1", or "v1" in the core group. */
void lw_api_version_append(lw_buf *buf, lw_str group, lw_str version);

/* Appends |name| (a resource or a kind) with its group as messages have it: "deployments.apps", or
 * "pods" in the core group. */
void lw_grouped_append(lw_buf *buf, lw_str name, lw_str group);

/* What a request is about.  Members left empty are left out of the path. */
typedef struct lw_api_path {
    lw_gvr gvr;
    lw_str ns;
    lw_str name;
    lw_str subresource; /* "status"; only with a name */
} lw_api_path;

/* Appends the path below the server's address: /api/v1/namespaces/ns/pods/name/status, or
 * /apis/apps/v1/deployments.  Each segment is percent-escaped, so that no name can leave its place.
 * LW_ERR_INVALID, and nothing appended, when version or resource is missing, a subresource has no
 * name, or a segment is "." or ".." (which libraries on the way resolve, escaped or not);
 * otherwise buf->st. */
lw_status lw_api_path_append(lw_buf *buf, const lw_api_path *path);

#endif
