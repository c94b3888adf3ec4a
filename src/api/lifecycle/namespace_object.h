/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_object.h -- an object that exists in every active namespace: the ServiceAccount
 * "default", which pods use unless they name another one, and the ConfigMap "kube-root-ca.crt", by
 * which they verify this server.  It is created with the namespace, and again if somebody deletes
 * it.
 *
 * Threads: those of the port's loop. */
#ifndef LW_API_LIFECYCLE_NAMESPACE_OBJECT_H
#define LW_API_LIFECYCLE_NAMESPACE_OBJECT_H

#include "api/context/port.h"

/* What exists in each namespace. */
typedef struct lw_namespace_object_type {
    const lw_kind *kind;
    const char *name;
    const char *json; /* the object; its name is |name| */
    /* A text in its "data" that is restored if somebody changes it; NULL: none. */
    const char *data_key;
    lw_str data_value; /* lives as long as the object */
    /* Whether what somebody else has written may stay in place of |data_value|; NULL: it may not.
     */
    bool (*is_as_good)(lw_str written, lw_str data_value);
} lw_namespace_object_type;

typedef struct lw_namespace_object lw_namespace_object;

/* Copies |type|.  LW_ERR_NOMEM. */
lw_status lw_namespace_object_new(lw_namespace_object **out, lw_api_port *port,
                                  const lw_namespace_object_type *type);

/* In all functions below, NULL does nothing: the object is not created. */

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_namespace_object_observe(lw_namespace_object *object, const lw_kind *kind,
                                      const lw_cache_event *event);

/* Starts what is due. */
void lw_namespace_object_pump(lw_namespace_object *object);

/* Changes were missed: forgets all namespaces. */
void lw_namespace_object_forget(lw_namespace_object *object);

/* Starts nothing from now on. */
void lw_namespace_object_stop(lw_namespace_object *object);

/* After its writes are over. */
void lw_namespace_object_free(lw_namespace_object *object);

#endif
