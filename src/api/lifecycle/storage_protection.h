/* SPDX-License-Identifier: Apache-2.0 */
/* storage_protection.h -- claims and volumes that are in use are not deleted: takes the finalizers
 * off that the admission plugin StorageObjectInUseProtection has given to them.
 *
 * A deleted claim is held until no pod on a node uses it, a deleted volume until it is not bound.
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_STORAGE_PROTECTION_H
#define LW_API_LIFECYCLE_STORAGE_PROTECTION_H

#include "api/context/port.h"

typedef struct lw_storage_protection lw_storage_protection;

/* |controllers|: LW_CONTROLLER_CLAIM_PROTECTION, LW_CONTROLLER_VOLUME_PROTECTION or both. */
lw_status lw_storage_protection_new(lw_storage_protection **out, lw_api_port *port,
                                    unsigned controllers);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_storage_protection_observe(lw_storage_protection *protection, const lw_kind *kind,
                                        const lw_cache_event *event);

/* Starts what is due. */
void lw_storage_protection_pump(lw_storage_protection *protection);

/* Changes were missed: forgets all claims and volumes. */
void lw_storage_protection_forget(lw_storage_protection *protection);

/* Starts nothing from now on.  NULL does nothing. */
void lw_storage_protection_stop(lw_storage_protection *protection);

/* After its writes are over.  NULL does nothing. */
void lw_storage_protection_free(lw_storage_protection *protection);

#endif
