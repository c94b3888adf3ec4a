/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h -- the object that manages another one. */
#ifndef LW_INFORMER_OWNER_H
#define LW_INFORMER_OWNER_H

#include <listwatch/object.h>
#include <listwatch/sys/source.h>

#include "base/buf.h"

/* Appends the name of the owner of |obj| that is its controller (ownerReferences with controller:
 * true; there is one at most) to |name| if it is of the group and kind of |type|, in any version.
 * False: there is none.  name->st tells about failure. */
bool lw_owner_name(const lw_object *obj, const lw_source_type *type, lw_buf *name);

#endif
