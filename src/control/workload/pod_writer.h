/* SPDX-License-Identifier: Apache-2.0 */
/* pod_writer.h -- creating and deleting the Pods of an owner, each expected before it is asked for
 * (expectations.h), and told in an Event.
 *
 * Pods are created one after the other and the first refusal ends it: a quota or an admission that
 * refuses one would refuse all. */
#ifndef LW_CONTROL_WORKLOAD_POD_WRITER_H
#define LW_CONTROL_WORKLOAD_POD_WRITER_H

#include "runtime/controller.h"
#include "runtime/expectations.h"
#include "runtime/loop.h"
#include "workload/pod.h"

enum {
    LW_POD_BURST =
        500, /* Pods that are written for one owner before the cache is looked at again */
};

typedef struct lw_pod_writer {
    const lw_control_env *env;
    lw_control_loop *loop;
    lw_expectations *expectations;
    const char *component; /* of Events: "replicaset-controller" */
} lw_pod_writer;

/* Creates |count| Pods out of the template of |owner| (/spec/template). */
lw_status lw_pod_writer_create(const lw_pod_writer *w, const lw_object *owner, size_t count,
                               lw_error *err);

/* Deletes the first |count| of |pods|. */
lw_status lw_pod_writer_delete(const lw_pod_writer *w, const lw_object *owner,
                               const lw_pod_facts *pods, size_t count, lw_error *err);

/* Asks for what became of requests whose answers were lost.  An error: it is still not known. */
lw_status lw_pod_writer_settle(const lw_pod_writer *w, const lw_object *owner, lw_error *err);

/* An event of a Pod: strikes off what was expected of it. */
void lw_pod_writer_saw(const lw_pod_writer *w, const lw_event *event);

#endif
