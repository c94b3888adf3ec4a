/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h -- PATCH with application/apply-patch+yaml: server-side apply. */
#ifndef LW_API_WRITE_APPLY_H
#define LW_API_WRITE_APPLY_H

#include "api/write/write_call.h"
#include "schema/managedfields/apply.h"

/* Consumes the call, which is for an object, its status or its scale. */
void lw_rest_apply(lw_api_call *call);
void lw_rest_apply_scale(lw_api_call *call); /* scale_apply.c */

/* What both have in common.  Reads the options, and the body as |gvk|, and starts the write. */
void lw_apply_start(lw_api_call *call, lw_gvk gvk, lw_write_decision (*decide)(lw_write *write),
                    void (*done)(lw_write *write));

/* True when |config|, a |gvk| called |key|, can be applied; else the write is refused.  Nodes are
 * of |tree|. */
bool lw_apply_check(lw_write *write, lw_tree *tree, const lw_field_write *as, lw_gvk gvk,
                    const lw_node *config);

/* Refuses with the conflicts of an lw_apply. */
void lw_apply_refuse_conflicts(lw_write *write, const lw_node *conflicts);

#endif
