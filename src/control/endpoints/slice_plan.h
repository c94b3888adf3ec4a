/* SPDX-License-Identifier: Apache-2.0 */
/* slice_plan.h -- plans the EndpointSlices of a service, given the existing ones, with as few
 * changes as possible; each slice has at most LW_SLICE_ENDPOINTS.
 *
 * Existing endpoints stay in their slice; new ones fill slices that have room; a slice that becomes
 * empty is deleted, but one is always kept.  No requests, no clock. */
#ifndef LW_CONTROL_ENDPOINTS_SLICE_PLAN_H
#define LW_CONTROL_ENDPOINTS_SLICE_PLAN_H

#include <listwatch.h>

#include "endpoints/backends.h"

#define LW_SLICE_SERVICE_LABEL "kubernetes.io/service-name"
#define LW_SLICE_MANAGED_BY    "endpointslice.kubernetes.io/managed-by"
#define LW_SLICE_OURS          "endpointslice-controller.k8s.io"

enum {
    LW_SLICE_ENDPOINTS = 100,
};

typedef enum lw_slice_action {
    LW_SLICE_KEEP,
    LW_SLICE_CREATE,
    LW_SLICE_UPDATE,
    LW_SLICE_DELETE,
} lw_slice_action;

typedef struct lw_slice {
    lw_slice_action action;
    const lw_object *there; /* the existing slice; NULL: new */
    unsigned number;        /* number in the name of a new slice */
    size_t set;             /* index of its port set */
    const lw_backend *members[LW_SLICE_ENDPOINTS];
    size_t count;
} lw_slice;

typedef struct lw_slice_plan {
    lw_slice *slices;
    size_t count;
} lw_slice_plan;

/* Plans for |service|; |there| are its existing slices that we manage.  LW_ERR_NOMEM. */
lw_status lw_slice_plan_make(lw_slice_plan *plan, const lw_object *service,
                             const lw_backends *backends, const lw_object_list *there);
void lw_slice_plan_done(lw_slice_plan *plan);

/* Writes |slice| (to be created or updated) into the empty |doc|. */
void lw_slice_write(const lw_slice *slice, const lw_object *service, const lw_backends *backends,
                    lw_document *doc);

/* Writes the name of slice |number| of |service|: it is deterministic, so that a slice that was
 * created but is not in the cache yet is not created twice. */
enum {
    LW_SLICE_NAME_SIZE = 300,
};
void lw_slice_name(const lw_object *service, unsigned number, char name[LW_SLICE_NAME_SIZE]);

#endif
