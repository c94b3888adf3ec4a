/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h -- which informer's event led to which write, and how soon after it.
 *
 * A handler notes why a key was queued; the reconcile of that key tells its steps.  Notes are kept
 * in a table of fixed size: one that is pushed out only loses a step its cause.  Any thread; where
 * nobody looks, it costs nothing. */
#ifndef LW_CONTROL_RUNTIME_TRACE_H
#define LW_CONTROL_RUNTIME_TRACE_H

#include "runtime/controller.h"

/* |on_step| (may be NULL) is told of every step, on any thread.  LW_ERR_NOMEM. */
lw_status lw_trace_new(lw_trace **out, lw_step_fn on_step, void *arg, const lw_clock *clock,
                       lw_error *err);
void lw_trace_free(lw_trace *trace);

/* |controller| queues |key| ("ns/name") because of an event of |informer|.  Both names are static
 * strings.  Of several notes of a key that waits, the first counts. */
void lw_trace_note(lw_trace *trace, const char *controller, const char *informer, const char *key);

/* This thread begins with |key|: its note is the cause of the steps to come, and what is noted from
 * now on is for the next time. */
void lw_trace_begin(lw_trace *trace, const char *controller, lw_key key);

/* |action| was done to the |kind| object |key|. */
void lw_trace_step(lw_trace *trace, const char *controller, const char *action, const char *kind,
                   lw_key key, const char *detail);

#endif
