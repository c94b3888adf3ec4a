/* SPDX-License-Identifier: Apache-2.0 */
/* admission.h -- what an object goes through between the client's body and the store: mutating
 * stages, then validating stages, in the order of one table (admission.c).
 *
 * Authorization comes before, quotas after (the hook "admit" of api/write/hooks.h), because a
 * charge to a quota is a write of its own. */
#ifndef LW_API_ADMISSION_ADMISSION_H
#define LW_API_ADMISSION_ADMISSION_H

#include "api/pending/managed.h"

/* What is being done; a bit each, so that a stage can name several. */
typedef enum lw_admission_operation {
    LW_ADMIT_CREATE = 1 << 0,
    LW_ADMIT_UPDATE = 1 << 1,
    LW_ADMIT_STATUS = 1 << 2,   /* an update of the subresource status */
    LW_ADMIT_FINALIZE = 1 << 3, /* an update of the subresource finalize */
} lw_admission_operation;

typedef struct lw_admission {
    lw_pending_object *object; /* as it was read: types checked, unknown fields pruned */
    lw_admission_operation operation;
    lw_str name; /* the one in the URL, in the body, or generated */
    lw_field_manager manager;
    const lw_node *managed; /* of an apply: its managedFields, known already; NULL: none */
    lw_api_status *status;  /* says why, when a stage refuses */
    lw_api_status errors;   /* the stages' own: field errors found so far */
} lw_admission;

/* Runs the stages, up to the first that refuses.  True: the object may be stored as it is now;
 * false: admission->status says why not. */
bool lw_admission_run(lw_admission *admission);

#endif
