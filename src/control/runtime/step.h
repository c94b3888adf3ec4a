/* SPDX-License-Identifier: Apache-2.0 */
/* step.h -- one step of a controller, for whoever looks on. */
#ifndef LW_CONTROL_RUNTIME_STEP_H
#define LW_CONTROL_RUNTIME_STEP_H

#include <stdint.h>

#include <listwatch.h>

/* One step of the chain, as it happens: who did what, told by which informer, how long after the
 * write it answers. */
typedef struct lw_control_step {
    const char *controller; /* "replicaset" */
    const char *informer;   /* the resource whose event led to it: "replicasets.apps"; "": none */
    const char *action;     /* "created", "bound", "started", "updated", "deleted" ... */
    const char *kind;       /* of the object it was done to */
    lw_key key;             /* its namespace and name */
    const char *detail;     /* "to node-2"; NULL: none */
    int64_t after_ns;       /* from the event's arrival at the handler to here */
} lw_control_step;

/* Is told of a step; any thread. */
typedef void (*lw_step_fn)(const lw_control_step *step, void *arg);

#endif
