/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h -- records Events about objects, as shown by `kubectl describe`.
 *
 * Recording never blocks: the recorder's thread writes.  A repeated Event increments the count of
 * the existing one.  As in client-go, each object may have LW_RECORDER_BURST Events at once from
 * one component, and one more every five minutes; further Events, and those that do not fit into
 * the queue, are dropped. */
#ifndef LW_CONTROL_RUNTIME_RECORDER_H
#define LW_CONTROL_RUNTIME_RECORDER_H

#include "runtime/controller.h"

enum {
    LW_RECORDER_QUEUE = 1024,  /* maximum number of Events in the queue */
    LW_RECORDER_SERIES = 4096, /* number of Events that can be incremented */
    LW_RECORDER_BURST = 25,
};

/* Starts its thread.  |client|, |clock| and |logger| must outlive it. */
lw_status lw_recorder_new(lw_recorder **out, lw_client *client, const lw_clock *clock,
                          const lw_logger *logger, lw_error *err);

/* Writes the queued Events, as long as the server accepts them, and frees it.  NULL does
 * nothing. */
void lw_recorder_free(lw_recorder *recorder);

/* Records that |component| (e.g. "replicaset-controller") did or saw something about |object|:
 * |type| is "Normal" or "Warning", |reason| one word, the message a sentence.  Never blocks; any
 * thread. */
void lw_recorder_event(lw_recorder *recorder, const lw_object *object, const char *component,
                       const char *type, const char *reason, const char *format, ...)
    LW_PRINTF(6, 7);

#endif
