/* SPDX-License-Identifier: Apache-2.0 */
/* policy_types.h -- the CEL types of the objects of a kind, by its schema, for checking expressions
 * before there are objects.
 *
 * As in kube-apiserver, what has no single type in OpenAPI, such as a quantity, is not declared. */
#ifndef LW_API_POLICIES_POLICY_TYPES_H
#define LW_API_POLICIES_POLICY_TYPES_H

#include "base/arena.h"
#include "cel/cel.h"
#include "schema/kinds/kind.h"

/* Makes the type of the objects of |kind|, in |arena|, which keeps the first failure.  The type is
 * valid as long as the arena and the kind.  NULL: the kind has no schema. */
const lw_cel_type *lw_policy_type_of(lw_arena *arena, const lw_kind *kind);

#endif
