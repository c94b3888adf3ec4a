/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_proto_table.c -- openapi.v2 of gnostic, as far as lw_openapi_v2, the schemas of custom
 * resources and aggregated API servers use it. */
#include "schema/openapi/openapi_proto_table.h"

#include <stddef.h>

static const lw_proto_message info, path_item, operation, response, schema;

static const lw_proto_field info_fields[] = {
    { "title", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "version", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { .key = NULL },
};
static const lw_proto_message info = { info_fields, 7 };

static const lw_proto_field document_fields[] = {
    { "swagger", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "info", LW_PROTO_MESSAGE, { 2 }, 0, &info },
    { "paths", LW_PROTO_MEMBERS, { 8, 2 }, 0, &path_item },
    { "definitions", LW_PROTO_MEMBERS, { 9, 1 }, 0, &schema },
    { "parameters", LW_PROTO_NAMED_PARAMETERS, { 10, 1 }, 0, NULL },
    { .key = NULL },
};
const lw_proto_message lw_proto_document = { document_fields, 16 };

static const lw_proto_field path_item_fields[] = {
    { "get", LW_PROTO_MESSAGE, { 2 }, 0, &operation },
    { "put", LW_PROTO_MESSAGE, { 3 }, 0, &operation },
    { "post", LW_PROTO_MESSAGE, { 4 }, 0, &operation },
    { "delete", LW_PROTO_MESSAGE, { 5 }, 0, &operation },
    { "options", LW_PROTO_MESSAGE, { 6 }, 0, &operation },
    { "head", LW_PROTO_MESSAGE, { 7 }, 0, &operation },
    { "patch", LW_PROTO_MESSAGE, { 8 }, 0, &operation },
    { "parameters", LW_PROTO_PARAMETERS, { 9 }, 0, NULL },
    { .key = NULL },
};
static const lw_proto_message path_item = { path_item_fields, 10 };

static const lw_proto_field operation_fields[] = {
    { "tags", LW_PROTO_TEXTS, { 1 }, 0, NULL },
    { "summary", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { "description", LW_PROTO_TEXT, { 3 }, 0, NULL },
    { "operationId", LW_PROTO_TEXT, { 5 }, 0, NULL },
    { "produces", LW_PROTO_TEXTS, { 6 }, 0, NULL },
    { "consumes", LW_PROTO_TEXTS, { 7 }, 0, NULL },
    { "parameters", LW_PROTO_PARAMETERS, { 8 }, 0, NULL },
    { "responses", LW_PROTO_MEMBERS, { 9, 1 }, 1, &response },
    { "schemes", LW_PROTO_TEXTS, { 10 }, 0, NULL },
    { "deprecated", LW_PROTO_BOOL, { 11 }, 0, NULL },
    { .key = NULL },
};
static const lw_proto_message operation = { operation_fields, 13 };

static const lw_proto_field response_fields[] = {
    { "description", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "schema", LW_PROTO_MESSAGE, { 2, 1 }, 0, &schema },
    { .key = NULL },
};
static const lw_proto_message response = { response_fields, 5 };

static const lw_proto_field body_parameter_fields[] = {
    { "description", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "name", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { "in", LW_PROTO_TEXT, { 3 }, 0, NULL },
    { "required", LW_PROTO_BOOL, { 4 }, 0, NULL },
    { "schema", LW_PROTO_MESSAGE, { 5 }, 0, &schema },
    { .key = NULL },
};
const lw_proto_message lw_proto_body_parameter = { body_parameter_fields, 6 };

static const lw_proto_field reference_fields[] = {
    { "$ref", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "description", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { .key = NULL },
};
const lw_proto_message lw_proto_reference = { reference_fields, 0 };

static const lw_proto_field query_parameter_fields[] = {
    { "required", LW_PROTO_BOOL, { 1 }, 0, NULL },     { "in", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { "description", LW_PROTO_TEXT, { 3 }, 0, NULL },  { "name", LW_PROTO_TEXT, { 4 }, 0, NULL },
    { "type", LW_PROTO_TEXT, { 6 }, 0, NULL },         { "format", LW_PROTO_TEXT, { 7 }, 0, NULL },
    { "uniqueItems", LW_PROTO_BOOL, { 20 }, 0, NULL }, { .key = NULL },
};
const lw_proto_message lw_proto_query_parameter = { query_parameter_fields, 23 };

static const lw_proto_field path_parameter_fields[] = {
    { "required", LW_PROTO_BOOL, { 1 }, 0, NULL },     { "in", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { "description", LW_PROTO_TEXT, { 3 }, 0, NULL },  { "name", LW_PROTO_TEXT, { 4 }, 0, NULL },
    { "type", LW_PROTO_TEXT, { 5 }, 0, NULL },         { "format", LW_PROTO_TEXT, { 6 }, 0, NULL },
    { "uniqueItems", LW_PROTO_BOOL, { 19 }, 0, NULL }, { .key = NULL },
};
const lw_proto_message lw_proto_path_parameter = { path_parameter_fields, 22 };

static const lw_proto_field schema_fields[] = {
    { "$ref", LW_PROTO_TEXT, { 1 }, 0, NULL },
    { "format", LW_PROTO_TEXT, { 2 }, 0, NULL },
    { "title", LW_PROTO_TEXT, { 3 }, 0, NULL },
    { "description", LW_PROTO_TEXT, { 4 }, 0, NULL },
    { "default", LW_PROTO_ANY, { 5 }, 0, NULL },
    { "multipleOf", LW_PROTO_DOUBLE, { 6 }, 0, NULL },
    { "maximum", LW_PROTO_DOUBLE, { 7 }, 0, NULL },
    { "exclusiveMaximum", LW_PROTO_BOOL, { 8 }, 0, NULL },
    { "minimum", LW_PROTO_DOUBLE, { 9 }, 0, NULL },
    { "exclusiveMinimum", LW_PROTO_BOOL, { 10 }, 0, NULL },
    { "maxLength", LW_PROTO_INT64, { 11 }, 0, NULL },
    { "minLength", LW_PROTO_INT64, { 12 }, 0, NULL },
    { "pattern", LW_PROTO_TEXT, { 13 }, 0, NULL },
    { "maxItems", LW_PROTO_INT64, { 14 }, 0, NULL },
    { "minItems", LW_PROTO_INT64, { 15 }, 0, NULL },
    { "uniqueItems", LW_PROTO_BOOL, { 16 }, 0, NULL },
    { "maxProperties", LW_PROTO_INT64, { 17 }, 0, NULL },
    { "minProperties", LW_PROTO_INT64, { 18 }, 0, NULL },
    { "required", LW_PROTO_TEXTS, { 19 }, 0, NULL },
    { "enum", LW_PROTO_ANYS, { 20 }, 0, NULL },
    { "additionalProperties", LW_PROTO_ALTERNATIVE, { 21, 1 }, 0, &schema },
    { "type", LW_PROTO_TEXT, { 22, 1 }, 0, NULL },
    { "items", LW_PROTO_MESSAGE, { 23, 1 }, 0, &schema },
    { "allOf", LW_PROTO_MESSAGES, { 24 }, 0, &schema },
    { "properties", LW_PROTO_MEMBERS, { 25, 1 }, 0, &schema },
    { "example", LW_PROTO_ANY, { 30 }, 0, NULL },
    { .key = NULL },
};
static const lw_proto_message schema = { schema_fields, 31 };
