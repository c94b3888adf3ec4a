/* SPDX-License-Identifier: Apache-2.0 */
/* admission.h -- the steps between the client's body and the store: mutating stages, then
 * validating stages, in the order of one table (admission.c).
 *
 * Authorization runs before admission, quota after it (the hook "admit" of api/write/hooks.h),
 * because charging a quota is a separate write. */
#ifndef LW_API_ADMISSION_ADMISSION_H
#define LW_API_ADMISSION_ADMISSION_H

#include "api/pending/managed.h"
#include "api/strategy/strategy.h"

/* The operation; one bit each, so that a stage can list several. */
typedef enum lw_admission_operation {
    LW_ADMIT_CREATE = 1 << 0,
    LW_ADMIT_UPDATE = 1 << 1,
    LW_ADMIT_STATUS = 1 << 2,   /* an update of the subresource status */
    LW_ADMIT_FINALIZE = 1 << 3, /* an update of the subresource finalize */
    LW_ADMIT_APPROVAL = 1 << 4, /* an update of the subresource approval */
    LW_ADMIT_PART = 1 << 5,     /* an update of a part of the spec by another subresource */
} lw_admission_operation;

typedef struct lw_admission {
    lw_pending_object *object; /* as read: types checked, unknown fields pruned */
    lw_admission_operation operation;
    unsigned subresource;          /* LW_SUB_, of an update of a part */
    const lw_user *user;           /* NULL: the server itself */
    struct lw_http_stream *stream; /* waits for answers of webhooks (asker.h); NULL: nothing */
    lw_str name;                   /* from the URL, from the body, or generated */
    lw_field_manager manager;
    const lw_node *managed;      /* for an apply, its computed managedFields; otherwise NULL */
    lw_api_status *status;       /* set if a stage refuses */
    lw_api_status errors;        /* internal: field errors found so far */
    const lw_strategy *strategy; /* internal: of the object's kind */
} lw_admission;

/* Runs the stages up to the first that refuses.  True: the object may be stored as it is now;
 * false: admission->status has the reason. */
bool lw_admission_run(lw_admission *admission);

#endif
