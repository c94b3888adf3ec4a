/* SPDX-License-Identifier: Apache-2.0 */
/* metadata_validation.h -- what metadata may say, whatever the kind; each fault goes into one
 * Status (422).
 *
 * |errors| is an initialised Status; nothing is wrong as long as it has no causes. */
#ifndef LW_API_PENDING_METADATA_VALIDATION_H
#define LW_API_PENDING_METADATA_VALIDATION_H

#include "api/http/field_errors.h"
#include "api/pending/pending_object.h"

enum {
    LW_ANNOTATIONS_MAX = 256 * 1024, /* bytes of keys and values together */
};

/* Name, generateName, namespace, labels, annotations, owners, finalizers. */
void lw_validate_metadata(const lw_pending_object *pending, lw_api_status *errors);

/* What may not change, and no new finalizers on what is being deleted. */
void lw_validate_metadata_update(const lw_pending_object *pending, lw_api_status *errors);

/* Labels that stand elsewhere: of a template, at |path|. */
void lw_validate_labels(const lw_node *labels, lw_str path, lw_api_status *errors);

/* On an update nothing in spec may change but the members in |changeable| (ends with NULL); else
 * |why| is said of spec. */
void lw_validate_spec_update(const lw_pending_object *pending, const char *const *changeable,
                             const char *why, lw_api_status *errors);

#endif
