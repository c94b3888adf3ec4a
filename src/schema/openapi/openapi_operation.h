/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_operation.h -- one method of one path. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_OPERATION_H
#define LW_SCHEMA_OPENAPI_OPENAPI_OPERATION_H

#include "schema/openapi/openapi_writer.h"

typedef struct lw_openapi_operation {
    unsigned verb;             /* LW_VERB_*: written if the resource supports it */
    const char *method;        /* "get" */
    const char *action;        /* x-kubernetes-action */
    const char *status;        /* the status code of success */
    bool has_body;             /* takes an object or a patch */
    const char *const *params; /* query parameters; terminated by NULL */
} lw_openapi_operation;

/* The object of an operation. */
typedef struct lw_openapi_subject {
    lw_gvk gvk;      /* of the request body */
    lw_gvk reply;    /* of the response */
    bool is_builtin; /* supports strategic merge patch and protobuf */
} lw_openapi_subject;

/* Writes the member of a path that describes the method. */
void lw_openapi_write_operation(lw_openapi_writer *o, const lw_openapi_operation *op,
                                const lw_openapi_subject *subject);

/* Writes a parameter of the path or of the query. */
void lw_openapi_write_param(lw_openapi_writer *o, const char *name, bool is_in_path);

#endif
