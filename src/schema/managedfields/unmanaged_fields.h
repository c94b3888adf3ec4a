/* SPDX-License-Identifier: Apache-2.0 */
/* unmanaged_fields.h -- fields that nobody manages: the server's, and those that say which object
 * it is. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_UNMANAGED_FIELDS_H
#define LW_SCHEMA_MANAGEDFIELDS_UNMANAGED_FIELDS_H

#include "json/tree.h"

/* True when the member |name| of an object's root is nobody's. */
bool lw_field_is_unmanaged(lw_str name);

/* The same of a member of its metadata. */
bool lw_field_is_unmanaged_metadata(lw_str name);

/* Takes them out of |set| (NULL: does nothing) itself. */
void lw_field_set_drop_unmanaged(lw_node *set);

#endif
