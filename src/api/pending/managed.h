/* SPDX-License-Identifier: Apache-2.0 */
/* managed.h -- metadata.managedFields of a pending object. */
#ifndef LW_API_PENDING_MANAGED_H
#define LW_API_PENDING_MANAGED_H

#include "api/pending/pending_object.h"
#include "base/text/time_text.h"
#include "schema/managedfields/apply.h"

/* The manager of a write. */
typedef struct lw_field_manager {
    lw_str name;
    lw_str subresource; /* "status"; empty: the object itself */
    bool is_apply;
} lw_field_manager;

/* One write in the form that lw_managers_update and lw_managers_apply need, with its storage. */
typedef struct lw_managed_write {
    lw_field_write write;
    lw_buf api_version;
    char time[LW_TIME_TEXT_SIZE];
} lw_managed_write;

/* Describes a write of |manager| to an object of |kind| now; nodes belong to |tree|.  Call
 * lw_managed_write_done in any case.  LW_ERR_NOMEM, LW_ERR_LIMIT, or an error of lw_time_format. */
lw_status lw_managed_write_init(lw_managed_write *mw, lw_tree *tree, const lw_api_port *port,
                                const lw_kind *kind, const lw_field_manager *manager);
void lw_managed_write_done(lw_managed_write *mw);

/* Updates managedFields for a write by |manager|.  Entries that the client sent are used, unless it
 * sent none or writes a subresource. */
void lw_managed_note(lw_pending_object *pending, const lw_field_manager *manager);

/* Returns true if the sealed object equals the stored one, except for times in managedFields. */
bool lw_managed_is_unchanged(lw_pending_object *pending);

#endif
