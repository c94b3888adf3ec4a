/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto_table.h -- maps the members of an OpenAPI 2.0 document to protobuf fields; private
 * to openapi_proto*.c. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_PROTO_TABLE_H
#define LW_SCHEMA_OPENAPI_OPENAPI_PROTO_TABLE_H

#include <stdint.h>

typedef enum lw_proto_form {
    LW_PROTO_TEXT,
    LW_PROTO_TEXTS, /* an array of strings */
    LW_PROTO_BOOL,
    LW_PROTO_DOUBLE,
    LW_PROTO_INT64,
    LW_PROTO_ANY,         /* any JSON, as a string, which is also YAML */
    LW_PROTO_ANYS,        /* an array of any JSON */
    LW_PROTO_MESSAGE,     /* an object */
    LW_PROTO_MESSAGES,    /* an array of objects */
    LW_PROTO_MEMBERS,     /* an object whose members become entries: 1 is the name, 2 the value */
    LW_PROTO_ALTERNATIVE, /* an object, or a bool with the next number */
    LW_PROTO_PARAMETERS,  /* an array of parameters, whose type depends on "in", and references */
    LW_PROTO_NAMED_PARAMETERS, /* an object whose members become entries of parameters */
} lw_proto_form;

enum {
    LW_PROTO_NUMBERS = 3,
};

typedef struct lw_proto_message lw_proto_message;

typedef struct lw_proto_field {
    const char *key;
    lw_proto_form form;
    /* Field numbers from the message to the value.  All but the last are messages that JSON does
     * not have.  Terminated by a 0 unless it is full. */
    uint8_t numbers[LW_PROTO_NUMBERS];
    uint8_t wrap; /* MEMBERS: number of the value in a message around it; 0: no such message */
    const lw_proto_message *message; /* type of the objects */
} lw_proto_field;

struct lw_proto_message {
    const lw_proto_field *fields; /* terminated by a NULL key */
    uint8_t extensions;           /* number of the entries for "x-..." members */
};

extern const lw_proto_message lw_proto_document, lw_proto_body_parameter, lw_proto_query_parameter,
    lw_proto_path_parameter, lw_proto_reference;

#endif
