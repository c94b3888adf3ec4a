/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h -- where the write engine lets others take part, without knowing who they are.
 *
 * The API's composition (api.c) fills the table in once; every member is set.  All run on the loop
 * of the write, and none of them blocks. */
#ifndef LW_API_WRITE_HOOKS_H
#define LW_API_WRITE_HOOKS_H

#include "api/context/port.h"
#include "object/api_errors.h"

struct lw_write;

typedef struct lw_write_hooks {
    /* May objects of |kind| be created now?  False: |status| says why not. */
    bool (*admit_kind)(const lw_api *api, const lw_kind *kind, lw_api_status *status);

    /* After a decision to store write->next: sets write->grant if somebody has to grant it first.
     * |subresource| as in lw_change.  LW_ERR_NOMEM, LW_ERR_LIMIT, or why the cache cannot be read.
     */
    lw_status (*admit)(struct lw_write *write, unsigned subresource);

    /* The store has taken a change, and its writer has not been answered yet. */
    void (*after_commit)(struct lw_write *write);

    /* A client has created an object of |kind| in |ns| (empty: in none). */
    void (*after_create)(lw_api_port *port, const lw_kind *kind, lw_str ns);

    /* A client has deleted objects of |kind|. */
    void (*after_delete)(lw_api_port *port, const lw_kind *kind);
} lw_write_hooks;

/* Something that has to be granted before an object is stored: a charge to a quota. */
typedef struct lw_write_grant lw_write_grant;
struct lw_write_grant {
    /* Asks; |over| is called later or right here.  Not |is_granted|: the write's status says why.
     */
    void (*start)(lw_write_grant *grant, void (*over)(struct lw_write *write, bool is_granted));
    /* Frees it, when it is over or was not started.  |is_stored|: the object is. */
    void (*free)(lw_write_grant *grant, bool is_stored);
};

#endif
