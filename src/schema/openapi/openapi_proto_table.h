/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto_table.h -- which member of an OpenAPI 2.0 document is which field in protobuf; for
 * openapi_proto*.c alone. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_PROTO_TABLE_H
#define LW_SCHEMA_OPENAPI_OPENAPI_PROTO_TABLE_H

#include <stdint.h>

typedef enum lw_proto_form {
    LW_PROTO_TEXT,
    LW_PROTO_TEXTS, /* an array of texts */
    LW_PROTO_BOOL,
    LW_PROTO_DOUBLE,
    LW_PROTO_INT64,
    LW_PROTO_ANY,         /* any JSON, as a text that is YAML, too */
    LW_PROTO_ANYS,        /* an array of such */
    LW_PROTO_MESSAGE,     /* an object */
    LW_PROTO_MESSAGES,    /* an array of objects */
    LW_PROTO_MEMBERS,     /* an object whose members become entries: 1 their name, 2 their value */
    LW_PROTO_ALTERNATIVE, /* an object, or a bool one number further */
    LW_PROTO_PARAMETERS,  /* an array of parameters, which "in" tells apart */
} lw_proto_form;

enum {
    LW_PROTO_NUMBERS = 3,
};

typedef struct lw_proto_message lw_proto_message;

typedef struct lw_proto_field {
    const char *key;
    lw_proto_form form;
    /* Numbers from the message to the value: all but the last are of messages that JSON has no
     * counterpart for.  Ends with a 0, or is full. */
    uint8_t numbers[LW_PROTO_NUMBERS];
    uint8_t wrap; /* MEMBERS: a message around each value has it as this number; 0: there is none */
    const lw_proto_message *message; /* of objects */
} lw_proto_field;

struct lw_proto_message {
    const lw_proto_field *fields; /* ends with a NULL key */
    uint8_t extensions;           /* members "x-..." as entries of this number */
};

extern const lw_proto_message lw_proto_document, lw_proto_body_parameter, lw_proto_query_parameter,
    lw_proto_path_parameter;

#endif
