/* SPDX-License-Identifier: Apache-2.0 */
/* subresource.h -- what hangs below an object, as discovery and OpenAPI describe it. */
#ifndef LW_SCHEMA_KINDS_SUBRESOURCE_H
#define LW_SCHEMA_KINDS_SUBRESOURCE_H

#include "schema/kinds/kind.h"

typedef struct lw_subresource {
    unsigned bit; /* LW_SUB_ */
    lw_str name;
    unsigned verbs; /* LW_VERB_ */
    lw_gvk gvk;     /* what it takes and gives; kind empty: the kind it hangs below */
} lw_subresource;

/* All of them, by name; the last one's bit is 0. */
extern const lw_subresource lw_subresources[];

/* What |sub| of |kind| takes and gives. */
lw_gvk lw_subresource_gvk(const lw_subresource *sub, const lw_kind *kind);

#endif
