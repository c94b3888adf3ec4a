/* SPDX-License-Identifier: Apache-2.0 */
/* conversion.h -- kinds that share the stored objects of another kind.
 *
 *     events.k8s.io/v1 Event ──── lw_conversion_event ─────▶ v1 Event: stored, cached
 *     autoscaling/v1 HPA     ──── lw_conversion_autoscaler ─▶ autoscaling/v2 HPA
 *
 * The store and the watch cache have objects of the stored kind only.  A request is decoded,
 * validated, patched and its managedFields are computed in the version of the request; the object
 * is converted just before it is stored, and stored objects are converted when they are shown.
 * Which kinds these are is said by @convert in src/schema/fields/ (docs/internals/fields.md). */
#ifndef LW_SCHEMA_KINDS_CONVERSION_H
#define LW_SCHEMA_KINDS_CONVERSION_H

#include "schema/kinds/kind.h"
#include "json/tree.h"

/* Both move members of |from| to |to|, which has kind, apiVersion and metadata already.  The
 * metadata is shared and may be changed in place.  They return failures outside of |tree|, where
 * others stick: LW_ERR_NOMEM, LW_ERR_LIMIT. */
struct lw_conversion {
    lw_status (*to_stored)(lw_tree *tree, lw_node *from, lw_node *to);
    lw_status (*from_stored)(lw_tree *tree, lw_node *from, lw_node *to);
};

extern const lw_conversion lw_conversion_event;      /* convert_event.c */
extern const lw_conversion lw_conversion_autoscaler; /* convert_autoscaler.c */

/* Makes of |*object| of |kind|, which has a conversion, the object that is stored: a new node of
 * |tree| that takes over the members, the node of the metadata too.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_kind_to_stored(const lw_kind *kind, lw_tree *tree, lw_node **object);

/* Parses the stored |obj| as |kind|, which has a conversion, shows it; charged to |budget| (may be
 * NULL).  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_kind_parse_converted(const lw_kind *kind, const lw_object *obj, lw_budget *budget,
                                  lw_tree **out);

#endif
