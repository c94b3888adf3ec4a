/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate.h -- validates CustomResourceDefinitions. */
#ifndef LW_API_STRATEGY_CRD_VALIDATE_H
#define LW_API_STRATEGY_CRD_VALIDATE_H

#include "api/pending/pending_object.h"

/* Adds the errors of the definition to |errors|, in the wording of Kubernetes. */
void lw_crd_validate(const lw_pending_object *pending, lw_api_status *errors);

/* Adds the errors of the schemas, columns, subresources and selectable fields of spec.versions.
 * What all versions have in common is checked once, and named as Kubernetes names it: as a part of
 * the spec. */
void lw_crd_validate_versions(const lw_node *versions, lw_api_status *errors);

/* Adds an error for |member| of the object at |path|; either may be empty. */
void lw_crd_field_error(lw_api_status *errors, lw_field_fault fault, const char *path,
                        const char *member, lw_str value, const char *detail);

#endif
