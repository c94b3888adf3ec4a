/* SPDX-License-Identifier: Apache-2.0 */
/* metadata_validation.h -- validates the metadata of any kind; errors are added to one Status
 * (422).
 *
 * |errors| is an initialised Status; the object is valid as long as it has no causes. */
#ifndef LW_API_PENDING_METADATA_VALIDATION_H
#define LW_API_PENDING_METADATA_VALIDATION_H

#include "api/http/field_errors.h"
#include "api/pending/pending_object.h"

enum {
    LW_ANNOTATIONS_MAX = 256 * 1024, /* bytes of keys and values together */
};

/* Validates name, generateName, namespace, labels, annotations, ownerReferences and finalizers. */
void lw_validate_metadata(const lw_pending_object *pending, lw_api_status *errors);

/* Validates an update: immutable fields are unchanged, and an object that is being deleted gets no
 * new finalizers. */
void lw_validate_metadata_update(const lw_pending_object *pending, lw_api_status *errors);

/* Validates labels at another |path|, such as those of a template. */
void lw_validate_labels(const lw_node *labels, lw_str path, lw_api_status *errors);

/* Validates annotations at |path|. */
void lw_validate_annotations(const lw_node *annotations, lw_str path, lw_api_status *errors);

/* Validates an update of spec: only the members in |changeable| (ends with NULL) may change;
 * otherwise spec is forbidden with the message |why|. */
void lw_validate_spec_update(const lw_pending_object *pending, const char *const *changeable,
                             const char *why, lw_api_status *errors);

#endif
