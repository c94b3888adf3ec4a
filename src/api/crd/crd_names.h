/* SPDX-License-Identifier: Apache-2.0 */
/* crd_names.h -- checks whether the names of a definition are available. */
#ifndef LW_API_CRD_CRD_NAMES_H
#define LW_API_CRD_CRD_NAMES_H

#include "schema/kinds/definition.h"

/* A reason that is no conflict of names: the CA bundle of the conversion webhook cannot be used. */
#define LW_CRD_INVALID_BUNDLE "InvalidCABundle"

/* Why the names of a definition are not accepted, or it is not served. */
typedef struct lw_crd_conflict {
    const char *reason; /* "PluralConflict"; NULL: they are accepted */
    lw_str name;        /* the name in conflict; a view into the definition */
} lw_crd_conflict;

/* Checks that the group of |definition| is not a built-in one. */
lw_crd_conflict lw_crd_check_group(const lw_definition *definition);

/* Checks the names of |definition| against those of |other|, which is served. */
lw_crd_conflict lw_crd_check_names(const lw_definition *definition, const lw_definition *other);

#endif
