/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h -- facts about CustomResourceDefinition objects that several modules need. */
#ifndef LW_API_CONTEXT_DEFINITIONS_H
#define LW_API_CONTEXT_DEFINITIONS_H

#include "schema/kinds/kinds.h"

/* The finalizer that keeps a definition until its objects are gone. */
#define LW_CRD_FINALIZER "customresourcecleanup.apiextensions.k8s.io"

/* Returns true if |kind| is CustomResourceDefinition. */
static inline bool lw_kind_is_definition(const lw_kind *kind)
{
    return kind == &lw_kind_customresourcedefinitions;
}

#endif
