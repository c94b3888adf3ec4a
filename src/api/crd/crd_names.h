/* SPDX-License-Identifier: Apache-2.0 */
/* crd_names.h -- whether the names of a definition are free. */
#ifndef LW_API_CRD_CRD_NAMES_H
#define LW_API_CRD_CRD_NAMES_H

#include "schema/kinds/definition.h"

/* Why the names of a definition are not accepted. */
typedef struct lw_crd_conflict {
    const char *reason; /* "PluralConflict"; NULL: they are */
    lw_str name;        /* the one that is taken; a view of the definition */
} lw_crd_conflict;

/* Whether |definition| can be served by itself: its group is no built-in one. */
lw_crd_conflict lw_crd_check_group(const lw_definition *definition);

/* Whether |definition| can be served beside |other|, which is. */
lw_crd_conflict lw_crd_check_names(const lw_definition *definition, const lw_definition *other);

#endif
