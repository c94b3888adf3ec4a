/* SPDX-License-Identifier: Apache-2.0 */
/* service_loop.h -- the loop of a controller that makes something of services and the pods behind
 * them.  A key is a service's. */
#ifndef LW_CONTROL_ENDPOINTS_SERVICE_LOOP_H
#define LW_CONTROL_ENDPOINTS_SERVICE_LOOP_H

#include "endpoints/backends.h"
#include "endpoints/service_table.h"
#include "runtime/controller.h"
#include "runtime/loop.h"

typedef struct lw_service_loop lw_service_loop;

/* Makes what is made of |service| as it should be; NULL: the service is gone, or selects no pods
 * (|service| tells which), and |backends| is NULL then. */
typedef lw_status (*lw_service_sync_fn)(lw_service_loop *loop, lw_key key, const lw_object *service,
                                        const lw_backends *backends, lw_error *err);

struct lw_service_loop {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_service_sync_fn sync;
    lw_service_table *table;
    lw_informer *services, *pods;
    lw_informer *made; /* what the controller writes */
};

/* |made| is the resource that is written; |key_of_made| adds the service's key for one of them. */
lw_status lw_service_loop_new(lw_service_loop **out, const lw_control_env *env, const char *name,
                              lw_service_sync_fn sync, const char *made,
                              lw_control_loop_event_fn key_of_made, lw_error *err);
lw_status lw_service_loop_start(void *self, lw_error *err);
void lw_service_loop_free(void *self);

#endif
