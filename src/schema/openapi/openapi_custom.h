/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_custom.h -- the models of a custom kind: its objects and their list. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_CUSTOM_H
#define LW_SCHEMA_OPENAPI_OPENAPI_CUSTOM_H

#include "schema/openapi/openapi_writer.h"

/* Writes both models from the schema of the definition.  |kind| must be a custom kind. */
void lw_openapi_write_custom(lw_openapi_writer *o, const lw_kind *kind);

#endif
