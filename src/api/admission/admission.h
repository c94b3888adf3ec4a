/* SPDX-License-Identifier: Apache-2.0 */
/* admission.h -- the steps between the client's body and the store: mutating stages, then
 * validating stages, in the order of one table (admission.c).
 *
 *     run ──▶ ADMITTED or REFUSED
 *      ▲ └──▶ ASKS: a webhook must be called ──▶ ask ──▶ WAITING ──over──┐
 *      └────────────────────────────────────────────────────── passed ◀──┘
 *
 * Authorization runs before admission, quota after it (the hook "admit" of api/write/hooks.h),
 * because charging a quota is a separate write. */
#ifndef LW_API_ADMISSION_ADMISSION_H
#define LW_API_ADMISSION_ADMISSION_H

#include "api/pending/managed.h"
#include "api/strategy/strategy.h"
#include "api/webhooks/dispatch.h"

/* The operation; one bit each, so that a stage can list several. */
typedef enum lw_admission_operation {
    LW_ADMIT_CREATE = 1 << 0,
    LW_ADMIT_UPDATE = 1 << 1,
    LW_ADMIT_STATUS = 1 << 2,   /* an update of the subresource status */
    LW_ADMIT_FINALIZE = 1 << 3, /* an update of the subresource finalize */
    LW_ADMIT_APPROVAL = 1 << 4, /* an update of the subresource approval */
    LW_ADMIT_PART = 1 << 5,     /* an update of a part of the spec by another subresource */
} lw_admission_operation;

typedef enum lw_admission_result {
    LW_ADMISSION_REFUSED, /* admission->status has the reason */
    LW_ADMISSION_ADMITTED,
    LW_ADMISSION_ASKS, /* call lw_admission_ask, then lw_admission_run again */
} lw_admission_result;

/* What webhooks are told about the request. */
typedef struct lw_admission_request {
    const lw_object *current; /* NULL: there is none */
    lw_str ns;
    lw_str options;           /* JSON of CreateOptions, UpdateOptions */
    struct lw_api_call *call; /* NULL: none */
    int64_t deadline_ns;
    bool is_dry_run;
    bool is_unnamed;   /* the URL has no name: webhooks may change it */
    bool is_generated; /* the name is the server's */
    bool is_unasked;   /* no webhook is called: another part of the write asks them */
} lw_admission_request;

typedef struct lw_admission {
    lw_hook_subject subject;   /* first; internal: the object as webhooks see it */
    lw_pending_object *object; /* as read: types checked, unknown fields pruned */
    lw_admission_operation operation;
    unsigned subresource;          /* LW_SUB_, of an update of a part */
    const lw_user *user;           /* NULL: the server itself */
    struct lw_http_stream *stream; /* waits for answers of webhooks (asker.h); NULL: nothing */
    struct lw_api_call *call;      /* takes warnings and annotations; NULL: nobody reads them */
    bool is_dry_run;
    lw_str name; /* from the URL, from the body, or generated */
    lw_field_manager manager;
    const lw_node *managed;      /* for an apply, its computed managedFields; otherwise NULL */
    lw_api_status *status;       /* set if a stage refuses */
    lw_api_status errors;        /* internal: field errors found so far */
    const lw_strategy *strategy; /* internal: of the object's kind */
    lw_admission_request request;
    size_t next;         /* internal: the stage to go on with */
    bool is_asking;      /* internal: webhooks are to be asked */
    lw_hook_type hooks;  /* internal: the webhooks to ask */
    lw_hook_run *run;    /* internal: they are being asked */
    bool keeps_metadata; /* internal: of an update of a role or binding (escalation.h) */
} lw_admission;

/* Runs the stages up to the first that refuses or has to ask webhooks; the rest after those have
 * passed it.  ADMITTED: the object may be stored as it is now. */
LW_MUST_CHECK lw_admission_result lw_admission_run(lw_admission *admission);

/* Asks the webhooks.  The admission and its object stay where they are from now on, and the object
 * needs no other document (lw_pending_object_keep).  WAITING: |over| is called once, unless
 * lw_admission_cancel is. */
LW_MUST_CHECK lw_hook_outcome lw_admission_ask(lw_admission *admission,
                                               void (*over)(void *arg, bool is_passed), void *arg);

/* Ends an admission that asks or waits. */
void lw_admission_cancel(lw_admission *admission);

/* When a stage runs again; bits besides those of the operation. */
enum {
    LW_ADMISSION_PATCHED = 1 << 16,   /* a webhook has changed the object */
    LW_ADMISSION_REINVOKED = 1 << 17, /* the mutating stages run once more after webhooks */
};

/* Runs the stages that do so again, for webhooks.c.  False: refused. */
bool lw_admission__run_again(lw_admission *admission, unsigned why);

/* webhooks.c -- Returns true if a webhook may have to be called; false: none, or *is_refused. */
bool lw_admission__has_hooks(lw_admission *admission, lw_hook_type type, bool *is_refused);

#endif
