/* SPDX-License-Identifier: Apache-2.0 */
/* policy_typecheck.h -- checks the expressions of a ValidatingAdmissionPolicy against the schemas
 * of the resources that it names.  What is found does not change what the policy does: it is for
 * status.typeChecking. */
#ifndef LW_API_POLICIES_POLICY_TYPECHECK_H
#define LW_API_POLICIES_POLICY_TYPECHECK_H

#include "schema/kinds/registry.h"
#include "json/tree.h"

/* Sets |*warnings| to an array of |tree| with the expressionWarnings of the policy with |spec|, in
 * the words of Kubernetes.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_policy_typecheck(const lw_registry *registry, const lw_node *spec,
                                            lw_tree *tree, lw_node **warnings);

#endif
