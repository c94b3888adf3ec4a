/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h -- metadata.managedFields of an object in the making. */
#ifndef LW_API_PENDING_MANAGED_H
#define LW_API_PENDING_MANAGED_H

#include "api/pending/pending_object.h"
#include "base/time_text.h"
#include "schema/managedfields/apply.h"

/* Who writes. */
typedef struct lw_field_manager {
    lw_str name;
    lw_str subresource; /* "status"; empty: the object itself */
    bool is_apply;
} lw_field_manager;

/* One write, as lw_managers_update and lw_managers_apply want it, with what it stands on. */
typedef struct lw_managed_write {
    lw_field_write write;
    lw_buf api_version;
    char time[LW_TIME_TEXT_SIZE];
} lw_managed_write;

/* Describes what |manager| does now to an object of |kind|; nodes are of |tree|.  Call
 * lw_managed_write_done in any case.  LW_ERR_NOMEM, LW_ERR_LIMIT, or that of a clock without a
 * date. */
lw_status lw_managed_write_init(lw_managed_write *mw, lw_tree *tree, const lw_api_port *port,
                                const lw_kind *kind, const lw_field_manager *manager);
void lw_managed_write_done(lw_managed_write *mw);

/* Notes in the pending that |manager| made it of what is stored.  What the client sent for
 * managedFields counts, unless it says nothing or writes a subresource. */
void lw_managed_note(lw_pending_object *pending, const lw_field_manager *manager);

/* True when the sealed pending says the same as the stored object but for times in managedFields.
 */
bool lw_managed_is_unchanged(lw_pending_object *pending);

#endif
