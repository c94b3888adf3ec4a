/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h -- records which informer's event caused which write, and how long it took.
 *
 * A handler notes why a key was queued; the reconciliation of that key reports its steps.  Notes
 * are kept in a table of fixed size: if one is replaced, a step only loses its cause.  Any thread;
 * without an observer it costs nothing. */
#ifndef LW_CONTROL_RUNTIME_TRACE_H
#define LW_CONTROL_RUNTIME_TRACE_H

#include "runtime/controller.h"

/* |on_step| (may be NULL) receives every step, on any thread.  LW_ERR_NOMEM. */
lw_status lw_trace_new(lw_trace **out, lw_step_fn on_step, void *arg, const lw_clock *clock,
                       lw_error *err);
void lw_trace_free(lw_trace *trace);

/* Notes that |controller| queues |key| ("ns/name") because of an event of |informer|.  Both names
 * are static strings.  If a queued key has several notes, the first one is kept. */
void lw_trace_note(lw_trace *trace, const char *controller, const char *informer, const char *key);

/* This thread starts to reconcile |key|: its note is the cause of the following steps, and later
 * notes are for the next run. */
void lw_trace_begin(lw_trace *trace, const char *controller, lw_key key);

/* Reports that |action| was done to the object |key| of |kind|. */
void lw_trace_step(lw_trace *trace, const char *controller, const char *action, const char *kind,
                   lw_key key, const char *detail);

#endif
