/* SPDX-License-Identifier: Apache-2.0 */
/* service_loop.h -- the loop of a controller that writes objects for services and their pods.  A
 * key is that of a service. */
#ifndef LW_CONTROL_ENDPOINTS_SERVICE_LOOP_H
#define LW_CONTROL_ENDPOINTS_SERVICE_LOOP_H

#include "endpoints/backends.h"
#include "endpoints/service_table.h"
#include "runtime/controller.h"
#include "runtime/loop.h"

typedef struct lw_service_loop lw_service_loop;

/* Reconciles the objects written for |service|; |service| is NULL if it was deleted.  |backends| is
 * NULL if it was deleted or has no selector. */
typedef lw_status (*lw_service_sync_fn)(lw_service_loop *loop, lw_key key, const lw_object *service,
                                        const lw_backends *backends, lw_error *err);

struct lw_service_loop {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_service_sync_fn sync;
    lw_service_table *table;
    lw_informer *services, *pods;
    lw_informer *made; /* the objects that the controller writes */
};

/* Creates a loop; |made| is the resource that is written; |key_of_made| adds the key of the service
 * for one of its objects. */
lw_status lw_service_loop_new(lw_service_loop **out, const lw_control_env *env, const char *name,
                              lw_service_sync_fn sync, const char *made,
                              lw_control_loop_event_fn key_of_made, lw_error *err);
lw_status lw_service_loop_start(void *self, lw_error *err);
void lw_service_loop_free(void *self);

#endif
