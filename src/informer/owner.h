/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h -- finds the controller of an object. */
#ifndef LW_INFORMER_OWNER_H
#define LW_INFORMER_OWNER_H

#include <listwatch/object.h>
#include <listwatch/sys/source.h>

#include "base/buf.h"

/* Appends the name of the controller of |obj| (the ownerReference with controller: true; there is
 * at most one) to |name| if it has the group and kind of |type|, in any version.  Returns false if
 * there is none.  Failures are in name->st. */
bool lw_owner_name(const lw_object *obj, const lw_source_type *type, lw_buf *name);

#endif
