/* SPDX-License-Identifier: Apache-2.0 */
/* managed_fields_create.h -- the fields of a new object, straight from the document to FieldsV1.
 *
 * The same as comparing with nothing and writing the set (field_walk.h, managed_fields.h), for the
 * most frequent write there is: no set is made, nothing is put in order twice. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_CREATE_H
#define LW_SCHEMA_MANAGEDFIELDS_MANAGED_FIELDS_CREATE_H

#include "schema/managedfields/managed_fields.h"
#include "schema/types/type.h"

/* Appends managedFields of |document|, which |manager| (without fields) has made: an array of one
 * entry, or nothing when it has no field that somebody manages.  |ignored| (NULL: none) is a set of
 * members of the document that cannot be managed.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managed_fields_create(const lw_type *type, const lw_manager *manager,
                                   const lw_node *document, const lw_node *ignored, lw_buf *out);

#endif
