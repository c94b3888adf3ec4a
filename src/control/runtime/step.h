/* SPDX-License-Identifier: Apache-2.0 */
/* step.h -- one step of a controller, for observers. */
#ifndef LW_CONTROL_RUNTIME_STEP_H
#define LW_CONTROL_RUNTIME_STEP_H

#include <stdint.h>

#include <listwatch.h>

/* One step: which controller did what, caused by which informer's event, and how long after it. */
typedef struct lw_control_step {
    const char *controller; /* e.g. "replicaset" */
    /* The resource whose event caused it, e.g. "replicasets.apps"; "": none. */
    const char *informer;
    const char *action; /* "created", "bound", "started", "updated", "deleted" ... */
    const char *kind;   /* kind of the affected object */
    lw_key key;         /* its namespace and name */
    const char *detail; /* e.g. "to node-2"; NULL: none */
    int64_t after_ns;   /* time since the event arrived at the handler */
} lw_control_step;

/* Receives a step; any thread. */
typedef void (*lw_step_fn)(const lw_control_step *step, void *arg);

#endif
