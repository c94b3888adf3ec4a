/* SPDX-License-Identifier: Apache-2.0 */
/* backends.h -- the pods behind a service and their ports, from which Endpoints and EndpointSlices
 * are built. */
#ifndef LW_CONTROL_ENDPOINTS_BACKENDS_H
#define LW_CONTROL_ENDPOINTS_BACKENDS_H

#include <listwatch.h>

enum {
    LW_BACKEND_PORTS_MAX = 64, /* maximum number of ports of a service */
};

/* One port of a service on a pod.  Views into the service. */
typedef struct lw_backend_port {
    lw_str name;
    lw_str protocol; /* e.g. "TCP" */
    lw_str app_protocol;
    int number;
} lw_backend_port;

/* The ports of a group of pods: a named port may have different numbers on different pods. */
typedef struct lw_port_set {
    lw_backend_port ports[LW_BACKEND_PORTS_MAX];
    size_t count;
} lw_port_set;

typedef struct lw_backend {
    const lw_object *pod;
    lw_str address;
    size_t set;          /* index of its port set */
    bool is_serving;     /* the pod is ready */
    bool is_terminating; /* the pod is being deleted */
} lw_backend;

typedef struct lw_backends {
    lw_object_list *pods;
    lw_backend *items; /* sorted by address, then by name */
    size_t count;
    lw_port_set *sets;
    size_t set_count;
    bool publishes_not_ready; /* the service wants pods that are not ready, too */
    bool is_headless;
} lw_backends;

/* True if |service| has a selector, so that its pods are looked up. */
bool lw_service_has_backends(const lw_object *service);

/* Reads the backends of |service| from |pods|, its pods; takes ownership of the list, even on
 * error. Pods that have finished or have no address are left out.  |service| must outlive it.
 * LW_ERR_NOMEM. */
lw_status lw_backends_read(lw_backends *backends, const lw_object *service, lw_object_list *pods);
void lw_backends_done(lw_backends *backends);

/* True if traffic should be sent to it. */
bool lw_backend_is_ready(const lw_backends *backends, const lw_backend *backend);

/* Appends the ports of a set to the array at |pointer| of |from|. */
void lw_backends_write_ports(const lw_port_set *set, lw_document *doc, lw_value *from,
                             const char *pointer);

/* Writes "targetRef", the reference to the pod of |backend|, and "nodeName" into |to|. */
void lw_backends_write_target(const lw_backend *backend, lw_document *doc, lw_value *to);

#endif
