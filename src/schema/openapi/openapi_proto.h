/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto.h -- /openapi/v2 in protobuf, which kubectl requests: openapi.v2.Document of
 * gnostic. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_PROTO_H
#define LW_SCHEMA_OPENAPI_OPENAPI_PROTO_H

#include "base/buf.h"

/* Appends the document |json|, which lw_openapi_v2 wrote.  Members that OpenAPI 2.0 does not have
 * are omitted.  Returns out->st. */
lw_status lw_openapi_append_proto(lw_str json, lw_buf *out);

#endif
