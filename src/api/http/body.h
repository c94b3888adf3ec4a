/* SPDX-License-Identifier: Apache-2.0 */
/* body.h -- what a client sent, read into a tree: JSON, YAML, protobuf or CBOR, and of the kind it
 * should be.  Reading is charged to the budget of the call. */
#ifndef LW_API_HTTP_BODY_H
#define LW_API_HTTP_BODY_H

#include "api/http/call.h"
#include "json/tree.h"

/* Reads the body as an object of |gvk|; kind and apiVersion may be missing in it.  Without a
 * version in |gvk|, any will do.  False: |status| says why it cannot be (400, 413, 415). */
bool lw_body_read(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status);

/* The same; the |parts| of the root that a JSON body has stay closed (lw_tree_parse_known). */
bool lw_body_read_known(lw_api_call *call, lw_gvk gvk, const lw_tree_part *parts, size_t count,
                        lw_tree **out, lw_api_status *status);

/* Returns the type of the body; LW_BODY_UNKNOWN for CBOR if the server does not serve it. */
lw_body_type lw_body_type_of(const lw_api_call *call);

/* Reads the body of an apply, YAML, JSON or CBOR, as an object of |gvk|, which it must say it is.
 * False: |status| says why it cannot be (400). */
bool lw_body_read_applied(lw_api_call *call, lw_gvk gvk, lw_tree **out, lw_api_status *status);

/* Reads the body as JSON whatever it says: a patch.  LW_ERR_SYNTAX, LW_ERR_LIMIT, LW_ERR_NOMEM. */
lw_status lw_body_read_json(lw_api_call *call, lw_tree **out, lw_error *err);

/* "the object provided is unrecognized (must be of type ConfigMap): |why| (7b7d)" (400).  Returns
 * false. */
bool lw_body_refuse_unrecognized(lw_api_status *status, lw_str kind, lw_str why, lw_str body);

/* "ConfigMap in version "v1" cannot be handled as a ConfigMap: |why|" (400). */
void lw_body_refuse(lw_api_status *status, lw_gvk sent, lw_str kind, lw_str why);

#endif
