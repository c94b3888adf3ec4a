/* SPDX-License-Identifier: Apache-2.0 */
/* converted_object.h -- one object of a webhook's reply. */
#ifndef LW_API_CONVERSION_CONVERTED_OBJECT_H
#define LW_API_CONVERSION_CONVERTED_OBJECT_H

#include <listwatch/object.h>

#include "schema/kinds/kind.h"
#include "json/tree.h"

/* Makes an object of |node|, a value of |tree|, which is changed: |original| as |to|.  The webhook
 * may have changed everything but the metadata, of which only labels and annotations are taken;
 * what the schema of |to| does not have is pruned.  LW_ERR_INVALID: it is not the same object, or
 * not of this version, and |why| says so; LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_converted_object_read(const lw_kind *to, const lw_object *original,
                                                 lw_tree *tree, lw_node *node, lw_object **out,
                                                 lw_buf *why);

#endif
