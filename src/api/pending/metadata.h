/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.h -- what the server says about an object, whatever its kind: its place, its identity,
 * its dates, what counts as a change. */
#ifndef LW_API_PENDING_METADATA_H
#define LW_API_PENDING_METADATA_H

#include "api/pending/pending_object.h"

/* Whether the |name| in a body is the |wanted| one of the URL; else |status| is 400. */
bool lw_metadata_is_named(lw_str name, lw_str wanted, lw_api_status *status);

/* True when |ns| is empty, or the |wanted| one; else |status| is 400. */
bool lw_metadata_is_in(lw_str ns, lw_str wanted, lw_api_status *status);

/* True when the pending is for the namespace of |key|, which it gets if it names none, and, when
 * the name is given, for that name.  False: |status| says what does not match (400). */
bool lw_metadata_fits(lw_pending_object *pending, lw_key key, lw_api_status *status);

/* Makes the pending a new object: uid and dates of its own, generation 1, no status. */
void lw_metadata_prepare_create(lw_pending_object *pending, int64_t wall_ns);

/* Gives the pending what an update cannot change: identity, dates, status. */
void lw_metadata_prepare_update(lw_pending_object *pending);

/* Makes the pending the stored object with the status, and some of the metadata, of what was sent.
 */
void lw_metadata_prepare_status(lw_pending_object *pending);

/* Counts the change in metadata.generation if it is one of what the kind counts.  After the
 * defaults are in. */
void lw_metadata_count_generation(lw_pending_object *pending);

/* True when the stored object is being deleted and the pending has nothing more that holds it. */
bool lw_metadata_is_released(const lw_pending_object *pending);

/* Writes |wall_ns| as Kubernetes writes times into the member |key| of |object|. */
void lw_metadata_set_time(lw_pending_object *pending, lw_node *object, const char *key,
                          int64_t wall_ns);

#endif
