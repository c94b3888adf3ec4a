/* SPDX-License-Identifier: Apache-2.0 */
/* unmanaged_fields.h -- fields that have no manager: those that the server sets, and those that
 * identify the object. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_UNMANAGED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_UNMANAGED_FIELDS_H

#include "json/tree.h"

/* True if the member |name| of the root of an object is unmanaged. */
bool lw_field_is_unmanaged(lw_str name);

/* The same for a member of its metadata. */
bool lw_field_is_unmanaged_metadata(lw_str name);

/* Removes the unmanaged fields from |set| itself (NULL: does nothing). */
void lw_field_set_drop_unmanaged(lw_node *set);

#endif
