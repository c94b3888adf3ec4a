/* SPDX-License-Identifier: Apache-2.0 */
/* crd_validate.h -- validates CustomResourceDefinitions. */
#ifndef LW_API_STRATEGY_CRD_VALIDATE_H
#define LW_API_STRATEGY_CRD_VALIDATE_H

#include "api/pending/pending_object.h"

/* Adds the errors of the definition to |errors|, in the wording of Kubernetes. */
void lw_crd_validate(const lw_pending_object *pending, lw_api_status *errors);

/* Parts of a version. */
enum {
    LW_CRD_SCHEMA = 1 << 0,
    LW_CRD_SUBRESOURCES = 1 << 1,
    LW_CRD_COLUMNS = 1 << 2,
    LW_CRD_SELECTABLE = 1 << 3,
    LW_CRD_PARTS = (1 << 4) - 1,
};

/* Validates |parts| of a version at |path|; "spec" for those that all versions have in common. */
void lw_crd_validate_version(const lw_node *version, const char *path, unsigned parts,
                             lw_api_status *errors);

/* Returns the parts in which two versions are equal. */
unsigned lw_crd_equal_parts(const lw_node *a, const lw_node *b);

/* Validates the deprecation warning of a version. */
void lw_crd_validate_deprecation(const lw_node *version, const char *path, lw_api_status *errors);

/* Adds an error for |member| of the object at |path|; either may be empty. */
void lw_crd_field_error(lw_api_status *errors, lw_field_fault fault, const char *path,
                        const char *member, lw_str value, const char *detail);

#endif
