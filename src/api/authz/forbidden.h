/* SPDX-License-Identifier: Apache-2.0 */
/* forbidden.h -- the attributes of a request, and the reply if they are not allowed. */
#ifndef LW_API_AUTHZ_FORBIDDEN_H
#define LW_API_AUTHZ_FORBIDDEN_H

#include "api/authz/authz.h"
#include "api/http/request_info.h"
#include "object/api_errors.h"

/* Reads what |request| of |user| wants into |attributes|: views of |request| or, if they were
 * escaped, of |scratch|.  LW_ERR_INVALID: an escape is malformed; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_authz_read_request(lw_authz_attributes *attributes,
                                              const lw_http_request *request, const lw_user *user,
                                              lw_buf *scratch);

/* The same, if |info| of the request was read before. */
LW_MUST_CHECK lw_status lw_authz_read_info(lw_authz_attributes *attributes,
                                           const lw_request_info *info,
                                           const lw_http_request *request, const lw_user *user,
                                           lw_buf *scratch);

/* Appends the message of kube-apiserver:
 *     User "ann" cannot list resource "pods" in API group "" in the namespace "prod": REASON */
void lw_authz_append_forbidden(const lw_authz_attributes *attributes, lw_str reason, lw_buf *out);

/* Sets |status| to 403 for |attributes|. */
void lw_authz_forbid(lw_api_status *status, const lw_authz_attributes *attributes, lw_str reason);

#endif
