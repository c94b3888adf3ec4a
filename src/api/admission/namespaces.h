/* SPDX-License-Identifier: Apache-2.0 */
/* namespaces.h -- what a namespace means for the objects in it. */
#ifndef LW_API_ADMISSION_NAMESPACES_H
#define LW_API_ADMISSION_NAMESPACES_H

#include "api/context/port.h"
#include "object/api_errors.h"

typedef enum lw_namespace_state {
    LW_NAMESPACE_ABSENT,
    LW_NAMESPACE_ACTIVE,
    LW_NAMESPACE_TERMINATING,
} lw_namespace_state;

/* The kind of namespaces themselves; never NULL. */
const lw_kind *lw_namespace_kind(const lw_api *api);

/* LW_ERR_NOMEM, LW_ERR_IO: nobody can say. */
lw_status lw_namespace_look(const lw_api *api, lw_str name, lw_namespace_state *state);

/* True when objects of |kind| may be made in |ns|.  False: |status| says why not (404, 403,
 * 500, 503). */
bool lw_namespace_admits(const lw_api *api, const lw_kind *kind, lw_str ns, lw_str name,
                         lw_api_status *status);

/* True for those that always exist and cannot be deleted. */
bool lw_namespace_is_protected(lw_str name);

#endif
