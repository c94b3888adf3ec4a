/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields_create.h -- writes the fields of a new object directly as FieldsV1.
 *
 * The result is the same as comparing with no object and writing the set (field_walk.h,
 * managed_fields.h).  Creates are frequent, so this builds no set and sorts only once. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_CREATE_H
#define LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_CREATE_H

#include "schema/managedfields/managed_fields.h"
#include "schema/types/type.h"

/* Appends managedFields for |document|, which |manager| (without fields) has created: an array with
 * one entry, or nothing if no field is managed.  |ignored| (NULL: none) is a set of members of the
 * document that cannot be managed.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managed_fields_create(const lw_type *type, const lw_manager *manager,
                                   const lw_node *document, const lw_node *ignored, lw_buf *out);

#endif
