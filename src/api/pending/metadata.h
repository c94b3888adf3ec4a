/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.h -- prepares the metadata of an object of any kind: namespace, name, uid, timestamps,
 * generation. */
#ifndef LW_API_PENDING_METADATA_H
#define LW_API_PENDING_METADATA_H

#include "api/pending/pending_object.h"

/* The finalizers of claims and volumes that may be in use. */
#define LW_FINALIZER_CLAIM  LW_STR("kubernetes.io/pvc-protection")
#define LW_FINALIZER_VOLUME LW_STR("kubernetes.io/pv-protection")

/* Returns true if the |name| in a body is |wanted|, the one in the URL; otherwise |status| is
 * 400. */
bool lw_metadata_is_named(lw_str name, lw_str wanted, lw_api_status *status);

/* Returns true if |ns| is empty or |wanted|; otherwise |status| is 400. */
bool lw_metadata_is_in(lw_str ns, lw_str wanted, lw_api_status *status);

/* Checks that the pending object has the namespace of |key|, which is set if it has none, and the
 * name of |key|, if that is given.  False: |status| says what does not match (400). */
bool lw_metadata_fits(lw_pending_object *pending, lw_key key, lw_api_status *status);

/* Prepares a new object: sets uid and creationTimestamp, generation 1, an empty status. */
void lw_metadata_prepare_create(lw_pending_object *pending, int64_t wall_ns);

/* Copies what an update cannot change from the stored object: uid, timestamps, status. */
void lw_metadata_prepare_update(lw_pending_object *pending);

/* Prepares an update of the status: the stored object with the status, and some of the metadata,
 * that the client sent. */
void lw_metadata_prepare_status(lw_pending_object *pending);

/* Increments metadata.generation if the kind's counted fields have changed.  Call it after
 * defaulting. */
void lw_metadata_count_generation(lw_pending_object *pending);

/* Returns true if the stored object is being deleted and the pending object has no finalizer and no
 * grace period left. */
bool lw_metadata_is_released(const lw_pending_object *pending);

/* Removes |name| from the finalizers of |metadata|, if it is there. */
void lw_metadata_drop_finalizer(const lw_node *metadata, lw_str name);

/* Writes |wall_ns| as a timestamp into the member |key| of |object|. */
void lw_metadata_set_time(lw_pending_object *pending, lw_node *object, const char *key,
                          int64_t wall_ns);

#endif
