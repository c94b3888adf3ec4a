/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_operation.h -- one method of one path. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_OPERATION_H
#define LW_SCHEMA_OPENAPI_OPENAPI_OPERATION_H

#include "schema/openapi/openapi_writer.h"

typedef struct lw_openapi_operation {
    unsigned verb;             /* LW_VERB_: offered when the resource has it */
    const char *method;        /* "get" */
    const char *action;        /* x-kubernetes-action */
    const char *status;        /* of success */
    bool has_body;             /* takes an object, or a patch of it */
    const char *const *params; /* in the query; ends with NULL */
} lw_openapi_operation;

/* What an operation is about. */
typedef struct lw_openapi_subject {
    lw_gvk gvk;      /* what it takes */
    lw_gvk reply;    /* what it answers with */
    bool is_builtin; /* strategic merge patches and protobuf are for these */
} lw_openapi_subject;

/* Writes the member of a path that is called by the method. */
void lw_openapi_write_operation(lw_openapi_writer *o, const lw_openapi_operation *op,
                                const lw_openapi_subject *subject);

/* Writes a parameter of the path or of the query. */
void lw_openapi_write_param(lw_openapi_writer *o, const char *name, bool is_in_path);

#endif
