/* SPDX-License-Identifier: Apache-2.0 */
/* namespaces.h -- the state of a namespace, and whether objects can be created in it. */
#ifndef LW_API_ADMISSION_NAMESPACES_H
#define LW_API_ADMISSION_NAMESPACES_H

#include "api/context/port.h"
#include "object/api_errors.h"

typedef enum lw_namespace_state {
    LW_NAMESPACE_ABSENT,
    LW_NAMESPACE_ACTIVE,
    LW_NAMESPACE_TERMINATING,
} lw_namespace_state;

/* Returns the kind Namespace; never NULL. */
const lw_kind *lw_namespace_kind(const lw_api *api);

/* Sets |*state| to the state of the namespace |name|.  LW_ERR_NOMEM, LW_ERR_IO: the cache cannot
 * answer. */
lw_status lw_namespace_look(lw_api_port *port, lw_str name, lw_namespace_state *state);

/* Returns true if the object |name| of |kind| may be created in |ns|.  False: |status| has the
 * reason (404, 403, 500, 503). */
bool lw_namespace_admits(lw_api_port *port, const lw_kind *kind, lw_str ns, lw_str name,
                         lw_api_status *status);

/* Returns true for the namespaces that always exist and cannot be deleted. */
bool lw_namespace_is_protected(lw_str name);

#endif
