/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.h -- Events about objects, as `kubectl describe` shows them.
 *
 * Whoever records never waits: a thread of the recorder's writes.  What is said again is counted up
 * on the Event that is there.  Each object may have LW_RECORDER_BURST Events at once from one
 * component and one more every five minutes, as in client-go; what is beyond that, or does not fit
 * into the queue, is dropped. */
#ifndef LW_CONTROL_RUNTIME_RECORDER_H
#define LW_CONTROL_RUNTIME_RECORDER_H

#include "runtime/controller.h"

enum {
    LW_RECORDER_QUEUE = 1024,  /* Events that wait to be written */
    LW_RECORDER_SERIES = 4096, /* Events that are remembered to be counted up */
    LW_RECORDER_BURST = 25,
};

/* Starts its thread.  |client|, |clock| and |logger| outlive it. */
lw_status lw_recorder_new(lw_recorder **out, lw_client *client, const lw_clock *clock,
                          const lw_logger *logger, lw_error *err);

/* Writes what waits, as long as the server takes it, and frees it.  NULL does nothing. */
void lw_recorder_free(lw_recorder *recorder);

/* Records that |component| ("replicaset-controller") did or saw something about |object|: |type| is
 * "Normal" or "Warning", |reason| one word, the message a sentence.  Never blocks; any thread. */
void lw_recorder_event(lw_recorder *recorder, const lw_object *object, const char *component,
                       const char *type, const char *reason, const char *format, ...)
    LW_PRINTF(6, 7);

#endif
