/* SPDX-License-Identifier: Apache-2.0 */
/* gvk.h -- prints kinds and resources, and builds the path of a resource. */
#ifndef LW_OBJECT_GVK_H
#define LW_OBJECT_GVK_H

#include <listwatch/gvk.h>

#include "base/buf.h"

/* Appends the apiVersion: "apps/v1", or "v1" in the core group. */
void lw_api_version_append(lw_buf *buf, lw_str group, lw_str version);

/* Appends |name| (a resource or a kind) with its group, as in messages: "deployments.apps", or
 * "pods" in the core group. */
void lw_grouped_append(lw_buf *buf, lw_str name, lw_str group);

/* The target of a request.  Empty members are not part of the path. */
typedef struct lw_api_path {
    lw_gvr gvr;
    lw_str ns;
    lw_str name;
    lw_str subresource; /* "status"; only with a name */
} lw_api_path;

/* Appends the path: /api/v1/namespaces/ns/pods/name/status, or /apis/apps/v1/deployments.  Each
 * segment is percent-encoded, so that a name stays one segment.  LW_ERR_INVALID, and nothing is
 * appended, if version or resource is missing, a subresource has no name, or a segment is "." or
 * ".." (which libraries resolve even if encoded); otherwise buf->st. */
lw_status lw_api_path_append(lw_buf *buf, const lw_api_path *path);

#endif
