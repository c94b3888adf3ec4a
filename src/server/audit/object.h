/* SPDX-License-Identifier: Apache-2.0 */
/* object.h -- what the body of a request says about its object: the name of a new object, and what
 * else is in the objectRef of an audit event. */
#ifndef LW_SERVER_AUDIT_OBJECT_H
#define LW_SERVER_AUDIT_OBJECT_H

#include "base/buf.h"
#include "net/http.h"
#include "json/tree.h"

/* Zeroed: not known.  The texts are views of the request, or of the members below. */
typedef struct lw_audit_object {
    bool is_known;
    lw_str ns, name, uid, resource_version; /* empty: the body does not say it */
    lw_tree *tree;                          /* of a body that is not JSON; NULL: none */
    lw_buf decoded;                         /* texts that were escaped */
} lw_audit_object;

/* Reads the metadata of the object in the body of |request|, which must outlive |object|.  It stays
 * unknown if the body is empty or malformed, has no metadata, or memory runs out.  |is_valid|: the
 * server has accepted the body, so that its JSON need not be checked again. */
void lw_audit_object_read(lw_audit_object *object, const lw_http_request *request, bool is_valid);
void lw_audit_object_done(lw_audit_object *object);

#endif
