/* SPDX-License-Identifier: Apache-2.0 */
/* wait.h -- waits until an object is as expected: a watch reports each change, nothing is polled.
 *
 * For tests and for programs that do one thing after the other.  A controller does not wait: it
 * reconciles when something has changed. */
#ifndef LISTWATCH_WAIT_H
#define LISTWATCH_WAIT_H

#include <stdbool.h>
#include <stddef.h>

#include <listwatch/client.h>
#include <listwatch/manager.h>
#include <listwatch/sys/clock.h>

LW_BEGIN_DECLS

/* Initialise it with LW_WAIT_OPTIONS_INIT. */
typedef struct lw_wait_options {
    size_t size;
    int timeout_ms; /* 0: 30000; -1: no timeout.  Real time, whatever clock others use */
    /* A manager that runs in an event loop (lw_manager_start_in_loop): it is dispatched meanwhile,
     * in the calling thread.  NULL: none. */
    lw_manager *manager;
    /* Makes time fly: the clock is advanced by |clock_step_ms| for each millisecond in which
     * nothing happens.  NULL: no clock is advanced. */
    lw_manual_clock *clock;
    int clock_step_ms; /* 0: 1000 */
} lw_wait_options;

#define LW_WAIT_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(lw_wait_options), 0, NULL, NULL, 0                                                  \
    }

/* Returns true if |obj| is as expected; NULL: the object does not exist. */
typedef bool (*lw_wait_fn)(const lw_object *obj, void *arg);

/* Calls |is_met| with the object |ns|/|name| (|ns| NULL: cluster-scoped) of |resource|
 * ("deployments.apps") as it is now and after each change, until it returns true.  |out| (may be
 * NULL) is then the object, which the caller unrefs, or NULL if it does not exist.  LW_ERR_TIMEOUT:
 * the message shows the state that was seen last.  LW_ERR_FORBIDDEN, LW_ERR_UNAUTHORIZED: the
 * object cannot be watched; other failures are tried again.  LW_ERR_STOPPED: the client was closed,
 * or the manager has stopped.  LW_ERR_INVALID, LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_wait_until(lw_client *client, const char *resource,
                                             const char *ns, const char *name, lw_wait_fn is_met,
                                             void *arg, const lw_wait_options *options,
                                             lw_object **out, lw_error *err);

/* Waits until the value at a JSON Pointer ("/spec/replicas") is |value|: a string, or the JSON text
 * of another value ("3", "true"); NULL: until there is a value.  Errors as lw_wait_until. */
LW_MUST_CHECK LW_API lw_status lw_wait_for_value(lw_client *client, const char *resource,
                                                 const char *ns, const char *name,
                                                 const char *pointer, const char *value,
                                                 const lw_wait_options *options, lw_error *err);

/* Waits until the condition |type| of the object has |status| ("True"), for its current generation
 * if the condition names one.  Errors as lw_wait_until. */
LW_MUST_CHECK LW_API lw_status lw_wait_for_condition(lw_client *client, const char *resource,
                                                     const char *ns, const char *name,
                                                     const char *type, const char *status,
                                                     const lw_wait_options *options, lw_error *err);

/* Waits until the object does not exist.  Errors as lw_wait_until. */
LW_MUST_CHECK LW_API lw_status lw_wait_until_gone(lw_client *client, const char *resource,
                                                  const char *ns, const char *name,
                                                  const lw_wait_options *options, lw_error *err);

LW_END_DECLS

#endif
