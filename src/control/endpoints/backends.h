/* SPDX-License-Identifier: Apache-2.0 */
/* backends.h -- the pods behind a service, and the ports they are reached by: what Endpoints and
 * EndpointSlices are both made of. */
#ifndef LW_CONTROL_ENDPOINTS_BACKENDS_H
#define LW_CONTROL_ENDPOINTS_BACKENDS_H

#include <listwatch.h>

enum {
    LW_BACKEND_PORTS_MAX = 64, /* ports of a service that are looked at */
};

/* One port of a service, as a pod has it.  Views into the service. */
typedef struct lw_backend_port {
    lw_str name;
    lw_str protocol; /* "TCP" */
    lw_str app_protocol;
    int number;
} lw_backend_port;

/* Pods may disagree about the number behind a name: then there are several sets. */
typedef struct lw_port_set {
    lw_backend_port ports[LW_BACKEND_PORTS_MAX];
    size_t count;
} lw_port_set;

typedef struct lw_backend {
    const lw_object *pod;
    lw_str address;
    size_t set;          /* which of the port sets */
    bool is_serving;     /* the pod is ready */
    bool is_terminating; /* it is being deleted */
} lw_backend;

typedef struct lw_backends {
    lw_object_list *pods;
    lw_backend *items; /* by address, then by name */
    size_t count;
    lw_port_set *sets;
    size_t set_count;
    bool publishes_not_ready; /* the service wants them all the same */
    bool is_headless;
} lw_backends;

/* Whether |service| has pods behind it that we look for. */
bool lw_service_has_backends(const lw_object *service);

/* Reads those of |service| out of |pods|, its pods; the list is taken, on failure too.  Pods that
 * have ended or have no address are left out.  |service| must outlive it.  LW_ERR_NOMEM. */
lw_status lw_backends_read(lw_backends *backends, const lw_object *service, lw_object_list *pods);
void lw_backends_done(lw_backends *backends);

/* Whether traffic should go to it. */
bool lw_backend_is_ready(const lw_backends *backends, const lw_backend *backend);

/* Appends the ports of a set to the array at |pointer| of |from|. */
void lw_backends_write_ports(const lw_port_set *set, lw_document *doc, lw_value *from,
                             const char *pointer);

/* Writes the reference to the pod of |backend| below |to|, as "targetRef"; and "nodeName". */
void lw_backends_write_target(const lw_backend *backend, lw_document *doc, lw_value *to);

#endif
