/* SPDX-License-Identifier: Apache-2.0 */
/* pod_writer.h -- creates and deletes the Pods of an owner; each is expected before the request
 * (expectations.h) and reported in an Event.
 *
 * Pods are created one after the other until the first is refused: a quota or an admission plugin
 * that refuses one would refuse all. */
#ifndef LW_CONTROL_WORKLOAD_POD_WRITER_H
#define LW_CONTROL_WORKLOAD_POD_WRITER_H

#include "runtime/controller.h"
#include "runtime/expectations.h"
#include "runtime/loop.h"
#include "runtime/owner.h"
#include "workload/pod.h"

enum {
    LW_POD_BURST =
        500, /* maximum number of Pods written for one owner before the cache is checked again */
};

typedef struct lw_pod_writer {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_expectations *expectations;
    const char *component; /* source of Events, e.g. "replicaset-controller" */
} lw_pod_writer;

/* Creates |count| Pods from the template of |owner| (/spec/template). */
lw_status lw_pod_writer_create(const lw_pod_writer *w, const lw_object *owner, size_t count,
                               lw_error *err);

/* Deletes the first |count| of |pods|. */
lw_status lw_pod_writer_delete(const lw_pod_writer *w, const lw_object *owner,
                               const lw_pod_facts *pods, size_t count, lw_error *err);

/* Determines the result of requests whose replies were lost.  Error: it is still unknown. */
lw_status lw_pod_writer_resolve(const lw_pod_writer *w, const lw_object *owner, lw_error *err);

/* Handles an event of a Pod, whose controller is |owner| (NULL: none): fulfils its expectations. */
void lw_pod_writer_saw(const lw_pod_writer *w, const lw_event *event, const lw_owner *owner);

#endif
