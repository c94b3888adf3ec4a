/* SPDX-License-Identifier: Apache-2.0 */
/* body.h -- what a client sent, read into a tree: JSON, YAML or protobuf, and of the kind it should
 * be.  Reading is charged to the budget of the call. */
#ifndef LW_API_HTTP_BODY_H
#define LW_API_HTTP_BODY_H

#include "api/http/call.h"
#include "json/tree.h"

/* Reads the body as an object of |gvk|; kind and apiVersion may be missing in it.  Without a
 * version in |gvk|, any will do.  False: |status| says why it cannot be (400, 413, 415). */
bool lw_body_read(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status);

/* Reads the body of an apply, YAML or JSON, as an object of |gvk|, which it must say it is.  False:
 * |status| says why it cannot be (400). */
bool lw_body_read_applied(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status);

/* Reads the body as JSON whatever it says: a patch.  LW_ERR_SYNTAX, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_body_read_json(lw_api_call *call, lw_tree **out, lw_error *err);

/* "ConfigMap in version "v1" cannot be handled as a ConfigMap: |why|" (400). */
void lw_body_refuse(lw_api_status *status, lw_gvk sent, lw_str kind, lw_str why);

#endif
